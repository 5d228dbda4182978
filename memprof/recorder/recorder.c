/* recorder.c - writes the events of a tracker to a file (recorder.h); pauses.c has those of the
 * collector.
 *
 *   tracker --born--> SAMPLE,  --promoted--> PROMOTIONS,  --died--> DEATHS
 *
 * Every function that the machine calls starts with mp_recorder_enter and ends with
 * mp_recorder_leave: the time in between is the recorder's overhead, and the latter serves the
 * requests of signals that arrived meanwhile. One hit in HITS_PER_MEASURE is measured, and in every
 * hit the time from its first new location on, whose debugging information may have to be read. The
 * CPU time of a measured hit is extrapolated to the others; the time during which it waited for a
 * CPU counts once. Hits are frequent: they read the clock only when the cycle counter has advanced
 * by SAME_TIME_TICKS, or when they are measured; the others use the time that was read last. */
#include "gc/heap.h"
#include "gc/stats.h"
#include "memprof/recorder/origin.h"
#include "memprof/recorder/recorder_internal.h"
#include "memprof/sampling/sampler_inline.h"
#include "vm/base/os.h"
#include "vm/code/version.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"
#include "vm/thread/thread.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    HITS_PER_MEASURE = 32,
    WARM_UP_HITS = 64,         /* all measured: they write most new strings, locations and stacks */
    SAME_TIME_TICKS = 1 << 20, /* 1 ms of a clock of 1 GHz, 0.25 ms of one of 4 GHz */
};

/* Seeds of the program's own profiles are smaller. */
#define SEED_BASE ((uint64_t)1 << 32)

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

struct mp_times mp_times_now(void) {
    struct mp_times now;
    now.processor_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    now.wall_ns = vm_now_ns();
    return now;
}

uint64_t mp_process_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

/* A counter of 1 GHz or more that is cheap to read: its value decides whether to read the clock. */
static inline uint64_t ticks(void) {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return vm_now_ns();
#endif
}

static void read_clock(struct mp_recorder *r) {
    r->entered = mp_times_now();
    r->entered_ticks = ticks();
    r->time_unwritten = true;
}

uint64_t mp_recorder_elapsed(struct mp_recorder *r) {
    if (!r->time_unwritten) return 0;
    r->time_unwritten = false;
    uint64_t us = (r->entered.wall_ns - r->start_ns) / 1000, elapsed = us - r->last_us;
    ASSERT(us >= r->last_us); /* times never go back */
    r->last_us = us;
    return elapsed;
}

static bool open_files(struct mp_recorder *r);
static bool start_file(struct mp_recorder *r, uint64_t parent);

static bool map_own_process(struct mp_recorder *r) {
    if (r->own_process == NULL) r->own_process = vm_unforked_page();
    if (r->own_process == NULL) return false;
    *r->own_process = (uint32_t)getpid();
    return true;
}

uint64_t mp_recorder_lost(const struct mp_recorder *r) {
    return r->lost_sites + (r->tracker == NULL ? 0 : mp_tracker_lost(r->tracker));
}

/* ---- Sections (RI3). ---- */

static void section_end(struct mp_recorder *r) {
    ASSERT(r->in_section);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&r->in_section, false, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (r->snapshot_requested || r->killed_by != 0) mp_recorder_serve_signals(r);
}

/* False: nothing is to be recorded. Sections do not nest. */
static inline bool section_begin(struct mp_recorder *r) {
    if (!mp_recorder_is_recording(r)) return false;
    ASSERT(!r->in_section);
    atomic_store_explicit(&r->in_section, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    bool held = atomic_load_explicit(&r->in_handler, memory_order_acquire);
    return __builtin_expect(!held, 1) || mp_recorder_wait_for_handler(r);
}

void mp_recorder_become_child(struct mp_recorder *r) {
    uint64_t parent = r->options.follow_fork ? (uint64_t)getppid() : 0;
    r->in_section = true;  /* signals may come as soon as own_process is set */
    r->in_handler = false; /* that of a thread of the parent */
    close(r->fd);
    r->fd = -1;
    mp_writer_free(r->writer);
    r->writer = NULL;
    mp_tracker_forget(r->tracker);
    mp_sites_forget(r);
    r->options.progress = false;
    r->activity_depth = 0;
    mp_ticker_forget(r);
    r->killed_by = 0;
    r->snapshot_requested = false;
    map_own_process(r);
    r->silent = parent == 0 || !open_files(r) || !start_file(r, parent);
    if (!r->silent) mp_ticker_start(r);
    section_end(r);
}

bool mp_recorder_enter(struct mp_recorder *r) {
    if (!section_begin(r)) return false;
    read_clock(r);
    return true;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The cost of reading the clocks: the shortest time measured between two consecutive readings. */
static struct mp_times shortest_section(void) {
    struct mp_times shortest = {UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < 32; i++) {
        const struct mp_times from = mp_times_now(), to = mp_times_now();
        shortest.wall_ns = least(shortest.wall_ns, to.wall_ns - from.wall_ns);
        shortest.processor_ns = least(shortest.processor_ns, to.processor_ns - from.processor_ns);
    }
    return shortest;
}

/* Adds the time between two moments to the overhead. It stands for `weight` sections, of which the
 * others read no clock and wait for no CPU. */
static void add_overhead(struct mp_recorder *r, struct mp_times from, struct mp_times to,
                         unsigned weight) {
    uint64_t wall = to.wall_ns - from.wall_ns, used = to.processor_ns - from.processor_ns;
    if (weight == 0) return;
    uint64_t one = least(used - least(used, r->reading.processor_ns),
                         wall - least(wall, r->reading.wall_ns));
    r->overhead.processor_ns += used + (weight - 1) * one;
    r->overhead.wall_ns += wall + (weight - 1) * one;
}

/* A section that is measured stands for many, so the estimate may exceed what it is a part of. */
struct mp_times mp_recorder_overhead(const struct mp_recorder *r) {
    return (struct mp_times){
        .wall_ns = least(r->overhead.wall_ns, vm_now_ns() - r->start_ns),
        .processor_ns = least(r->overhead.processor_ns, mp_process_ns() - r->process_ns)};
}

static void write_cost(struct mp_recorder *r) {
    const struct mp_times overhead = mp_recorder_overhead(r);
    struct mp_record_cost cost = {overhead.processor_ns, mp_process_ns() - r->process_ns};
    mp_write_cost(r->writer, &cost);
}

void mp_recorder_leave(struct mp_recorder *r, unsigned weight) {
    if (r->entered.wall_ns - r->flushed_ns >= SECOND_NS) {
        mp_sites_write(r);
        write_cost(r);
        mp_writer_flush(r->writer);
        r->flushed_ns = r->entered.wall_ns;
    }
    if (mp_writer_chunks(r->writer) != r->chunks_before) {
        weight = 1;
        if (r->options.keep_bytes != 0) gc_request_action(&r->d->gc); /* polls soon */
    }
    r->chunks_before = mp_writer_chunks(r->writer);
    if (weight > 0 || r->rare.wall_ns != 0) {
        const struct mp_times now = mp_times_now();
        const struct mp_times rare = r->rare.wall_ns != 0 ? r->rare : now;
        add_overhead(r, r->entered, rare, weight);
        add_overhead(r, rare, now, 1);
        r->rare.wall_ns = 0;
    }
    if (mp_writer_problem(r->writer) != 0 && !r->failed) {
        r->failed = true; /* RC2 */
        r->problem = mp_writer_problem(r->writer);
        if (r->options.warn != NULL)
            r->options.warn(r->d->vm, r->options.path, mp_writer_problem(r->writer));
    }
    section_end(r);
}

/* ---- Samples. ---- */

static void write_sample(struct mp_recorder *r, const struct mp_hit *hit, enum mp_source source,
                         uint32_t node) {
    static_assert((int)GC_MARSHAL == MP_SOURCE_MARSHAL && (int)GC_CUSTOM == MP_SOURCE_CUSTOM,
                  "sources are written as they are");
    struct mp_record_sample record = {
        .elapsed = mp_recorder_elapsed(r),
        .kind = (uint8_t)(source | (hit->young ? MP_SAMPLE_YOUNG : 0)),
        .words = hit->wosize,
        .more = hit->samples - 1,
        .stack = (int64_t)node - (int64_t)r->last_stack,
    };
    r->last_stack = node;
    mp_write_any_sample(r->writer, &record);
}

/* Writes a record if the running thread is not that of the last sample. */
static inline void note_thread(struct mp_recorder *r) {
    const struct mp_record_thread now = {(uint64_t)r->d->record->id + 1,
                                         (uint64_t)vm_thread_number(r->d) + 1};
    if (now.number == r->last_thread.number && now.domain == r->last_thread.domain) return;
    r->last_thread = (struct mp_thread){now.domain, now.number};
    mp_write_thread(r->writer, &now);
}

/* The number of hits that this one's time stands for; 0: it isn't measured. */
static inline unsigned weight_of_hit(struct mp_recorder *r) {
    if (__builtin_expect(r->hits_to_skip > 0, 1)) {
        r->hits_to_skip--;
        return 0;
    }
    if (r->warm_up_hits < WARM_UP_HITS) {
        r->warm_up_hits++;
        return 1;
    }
    r->hits_to_skip = HITS_PER_MEASURE - 1;
    return HITS_PER_MEASURE;
}

/* As mp_recorder_leave, for a hit. If the clock was not read, only rare work and the writing of a
 * chunk count as overhead, with the time since the last reading: SAME_TIME_TICKS at most. */
static inline void leave_hit(struct mp_recorder *r, bool clock_read, unsigned weight) {
    if (clock_read || r->rare.wall_ns != 0 || mp_writer_chunks(r->writer) != r->chunks_before)
        mp_recorder_leave(r, weight);
    else section_end(r);
}

/* The tracker numbers samples as the file does. fiber, inner: the suspended fiber that the sample
 * stands for, as in fiber_suspended; NULL for a block. */
static inline __attribute__((always_inline)) void record_sample(struct mp_recorder *r,
                                                                const struct mp_hit *hit,
                                                                enum mp_source source,
                                                                const struct vm_fiber *fiber,
                                                                const struct vm_fiber *inner) {
    if (!section_begin(r)) {
        mp_tracker_stop(r->tracker);
        return;
    }
    unsigned weight = weight_of_hit(r);
    bool clock_read = weight > 0 || ticks() - r->entered_ticks > SAME_TIME_TICKS;
    if (clock_read) read_clock(r);
    struct mp_site_of_stack site = fiber == NULL ? mp_intern_stack(r)
                                                 : mp_intern_suspended(r, fiber, inner);
    if (site.node != r->last_stack || hit->tag != r->last_tag) {
        if (site.node != 0) mp_record_tag(r, site.location, hit->tag);
        r->last_tag = hit->tag;
    }
    note_thread(r);
    write_sample(r, hit, source, site.node);
    if (site.node != 0 && fiber == NULL)
        mp_tracker_note(r->tracker, 1 + r->interned.path[r->interned.depth - 1].gpc);
    leave_hit(r, clock_read, weight);
}

static void on_born(void *context, uint64_t id, const struct mp_hit *hit) {
    record_sample(context, hit, (enum mp_source)hit->source, NULL, NULL);
}

static void on_suspended(void *context, uint64_t id, const struct mp_hit *hit,
                         const struct vm_fiber *fiber, const struct vm_fiber *inner) {
    record_sample(context, hit, MP_SOURCE_FIBER, fiber, inner);
}

/* Functions of struct vm_profiler. */
static bool fiber_suspended(void *state, struct domain *d, const struct vm_fiber *fiber, value cont,
                            size_t words, const struct vm_fiber *inner) {
    const struct mp_recorder *r = ((struct mp_sampler *)state)->recorder;
    return mp_tracker_suspended(r->tracker, fiber, cont, words, inner);
}

static void fiber_left(void *state, const struct vm_fiber *fiber) {
    struct mp_recorder *r = ((struct mp_sampler *)state)->recorder;
    /* A child process forgets its parent's blocks at its first event. */
    if (!mp_recorder_is_recording(r)) return;
    mp_forget_suspended(r, fiber);
    mp_tracker_left(r->tracker, fiber);
}

/* ---- Promotions and deaths. In a child process an activity precedes them. ---- */

static_assert((int)MP_TRACKER_BATCH <= (int)MP_LIST_MAX, "a batch is a list");

static void on_promoted(void *context, const uint64_t *ids, size_t count) {
    struct mp_recorder *r = context;
    if (!mp_recorder_enter(r)) return;
    ASSERT(count > 0 && count <= MP_LIST_MAX);
    if (r->options.promoted) mp_held_write(r);
    struct mp_record_promotions record = {mp_recorder_elapsed(r), {.items = ids, .count = count}};
    mp_write_promotions(r->writer, &record);
    mp_recorder_leave(r, 1);
}

static void write_deaths(struct mp_recorder *r, enum mp_generation generation, const uint64_t *ids,
                         size_t count) {
    if (count == 0) return;
    const struct mp_record_deaths record = {
        mp_recorder_elapsed(r), (uint8_t)generation, {.items = ids, .count = count}};
    mp_write_deaths(r->writer, &record);
}

static void write_old_deaths(struct mp_recorder *r, const uint64_t *ids, size_t count) {
    uint64_t parted[2][MP_TRACKER_BATCH]; /* [1]: those that are still held */
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const bool held = mp_held_to_the_end(r, ids[i]);
        parted[held][counts[held]++] = ids[i];
    }
    write_deaths(r, MP_DIED_MAJOR, parted[0], counts[0]);
    write_deaths(r, MP_DIED_HELD, parted[1], counts[1]);
}

static void on_died(void *context, const uint64_t *ids, size_t count, bool old) {
    struct mp_recorder *r = context;
    if (!mp_recorder_enter(r)) return;
    ASSERT(count > 0 && count <= MP_TRACKER_BATCH);
    if (old && r->options.promoted) write_old_deaths(r, ids, count);
    else write_deaths(r, old ? MP_DIED_MAJOR : MP_DIED_MINOR, ids, count);
    mp_recorder_leave(r, 1);
}

static const struct mp_tracker_events recorder_events = {.born = on_born,
                                                         .suspended = on_suspended,
                                                         .promoted = on_promoted,
                                                         .died = on_died,
                                                         .activity = mp_on_activity};

/* ---- Files. ---- */

/* Chooses the name of snapshots, and that of the file in which one is written, which no other
 * process uses. */
static bool name_snapshots(struct mp_recorder *r) {
    free(r->snapshot_path);
    free(r->part_path);
    r->snapshot_path = r->part_path = NULL;
    if (r->output.path == NULL) return true;
    return asprintf(&r->snapshot_path, "%s.snapshot", r->output.path) >= 0 &&
           asprintf(&r->part_path, "%s.%016" PRIx64, r->snapshot_path, vm_now_ns()) >= 0;
}

/* Creates the file, of a child under the new name PATH.PID. False: errno. */
static bool open_files(struct mp_recorder *r) {
    char *name = NULL;
    struct mp_output parent = r->output;
    if (parent.path != NULL && asprintf(&name, "%s.%d", parent.path, (int)getpid()) < 0)
        return false;
    if (r->options.descriptor != 0) {
        r->output = (struct mp_output){.fd = r->options.descriptor};
        errno = 0;
        if (r->options.keep_bytes != 0 && (r->output.path = strdup(r->options.path)) == NULL)
            errno = ENOMEM;
    } else {
        errno = mp_output_open(&r->output, name != NULL ? name : r->options.path, MP_FILE_MAGIC "*",
                               name != NULL ? MP_REPLACE_NONE : r->options.replace);
    }
    mp_output_free(&parent);
    free(name);
    bool replaceable = r->output.path != NULL && !r->output.streams;
    if (errno == 0 && r->options.keep_bytes != 0 && !replaceable) {
        close(r->output.fd);
        errno = ESPIPE;
    }
    if (errno != 0 || !name_snapshots(r)) return false;
    r->fd = vm_move_high(r->output.fd);
    r->writer = mp_writer_create(r->fd);
    return r->writer != NULL;
}

/* Writes the first chunk. parent: a child's, else 0. False: errno. */
static bool start_file(struct mp_recorder *r, uint64_t parent) {
    struct mp_record_start record = {
        .rate = r->options.rate,
        .seed = r->options.seed,
        .max_depth = r->options.max_depth,
        .parent_pid = parent,
        .flags = (r->options.gc_trace ? MP_GC_TRACED : 0) |
                 (r->options.exact_sites ? MP_EXACT_SITES : 0) | (parent != 0 ? MP_FORKED : 0),
        .program = mp_text_of(r->options.program),
        .recorder = mp_text_of(r->options.recorder),
    };
    const struct mp_record_settings settings = {r->options.live_exact,
                                                mp_text_of(r->options.parameters)};
    if (!mp_write_origin(r->writer, r->d->vm, &record)) return false;
    if (settings.live || settings.parameters.length > 0) mp_write_settings(r->writer, &settings);
    const struct mp_record_before before = {r->options.before_words};
    if (before.words > 0 && parent == 0) mp_write_before(r->writer, &before);
    mp_interned_clear(&r->interned);
    mp_named_counts_clear(r);
    mp_held_clear(&r->holders);
    r->interned.names.vm = r->d->vm;
    r->interned.names.writer = r->writer;
    r->lost_sites = r->last_us = 0;
    r->overhead = (struct mp_times){0};
    r->process_ns = mp_process_ns();
    r->reading = shortest_section();
    r->last_stack = 0;
    r->last_thread = (struct mp_thread){0, 0};
    r->open_phases = 0;
    r->thinned.times = 0;
    r->counters = (struct mp_counters){0};
    r->marking.began_ns = r->most_words = r->weighed_ns = 0;
    r->cause = MP_CAUSE_UNKNOWN;
    r->exact = (struct mp_exact){.wanted = false};
    read_clock(r);
    r->start_ns = r->flushed_ns = r->shown_ns = r->entered.wall_ns;
    mp_counters_write(r);
    mp_writer_flush(r->writer);
    errno = mp_writer_problem(r->writer);
    if (errno == 0) errno = mp_output_publish(&r->output);
    return errno == 0;
}

/* ---- Life. ---- */

static void free_recorder(struct mp_recorder *r) {
    if (r->fd >= 0) close(r->fd);
    mp_output_discard(&r->output);
    mp_writer_free(r->writer);
    mp_interned_clear(&r->interned);
    mp_named_counts_clear(r);
    mp_held_clear(&r->holders);
    free(r->sites.at);
    free(r->sites.touched.items);
    vm_page_free(r->own_process);
    if (r->tracker != NULL) mp_tracker_free(r->tracker);
    mp_output_free(&r->output);
    free(r->snapshot_path);
    free(r->part_path);
    free(r->farewell);
    free((char *)r->options.path);
    free(r);
}

struct mp_recorder *mp_recorder_of(struct vm *vm) {
    const struct mp_sampler *sampler = vm->profiler.state;
    return sampler == NULL ? NULL : sampler->recorder;
}

enum mp_started_by mp_recorder_started_by(const struct mp_recorder *r) {
    return r->options.started_by;
}

bool mp_recorder_is_active(struct mp_recorder *r) { return mp_recorder_is_recording(r); }

static bool owns_descriptor(void *state, int fd) {
    const struct mp_recorder *r = ((struct mp_sampler *)state)->recorder;
    return r != NULL && r->fd == fd;
}

void mp_end_write(struct mp_recorder *r, uint64_t elapsed) {
    struct mp_record_end end = {elapsed, mp_recorder_overhead(r).wall_ns, mp_recorder_lost(r)};
    write_cost(r);
    mp_write_end(r->writer, &end);
}

/* Ends the file; a last collection finds which blocks are dead. */
static void write_end(struct mp_recorder *r, enum mp_outcome outcome, unsigned status) {
    r->ended_ns = vm_now_ns();
    mp_ticks_write(r);
    mp_ticker_stop(r);
    if (!mp_recorder_enter(r)) return;
    ASSERT(!r->finished && !r->closed);
    mp_sites_write(r);
    mp_counters_write(r);
    mp_resident_write(r);
    struct mp_record_finish finish = {mp_recorder_elapsed(r), (uint8_t)outcome, status};
    mp_write_finish(r->writer, &finish);
    r->finished = true;
    mp_writer_flush(r->writer);
    mp_recorder_leave(r, 1);
    mp_tracker_stop(r->tracker);
    gc_full_major_cycle(&r->d->gc);
    if (!mp_recorder_enter(r)) return;
    mp_counters_write(r);
    mp_end_write(r, mp_recorder_elapsed(r));
    r->closed = true;
    mp_writer_flush(r->writer);
    mp_recorder_leave(r, 1);
}

/* vm_profiler.poll. */
static void on_poll(void *state) {
    struct mp_recorder *r = ((struct mp_sampler *)state)->recorder;
    if (r->other_poll != NULL) r->other_poll(state);
    mp_ticks_write(r);
    mp_keep_poll(r);
    if (r->options.live_exact) mp_exact_poll(r);
}

void mp_recorder_visit_samples(const struct mp_recorder *r,
                               void (*f)(void *context, value block, uint64_t id, uint32_t place),
                               void *context) {
    if (r->tracker != NULL) mp_tracker_visit(r->tracker, f, context);
}

/* The program calls exit: blocks reachable at that moment count as live. Later its stack is gone,
 * and with it the globals of a module whose initialisation has not ended. */
static void at_program_exit(void *state, int status) {
    struct mp_recorder *r = ((struct mp_sampler *)state)->recorder;
    if (r->ended_ns == 0) write_end(r, MP_EXITED, (unsigned)status);
}

struct mp_recorder *mp_recorder_start(struct vm *vm, const struct mp_recorder_options *options) {
    struct mp_sampler *sampler = mp_sampler_of(vm->domain);
    struct mp_recorder *r = sampler == NULL ? NULL : calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    ASSERT(sampler->recorder == NULL && options->rate > 0 && options->rate <= 1);
    r->d = vm->domain;
    r->sampler = sampler;
    r->options = *options;
    if (options->rate < MP_RATE_MIN) r->options.rate = MP_RATE_MIN;
    r->options.path = strdup(options->path);
    r->fd = -1;
    errno = ENOMEM;
    if (r->options.path != NULL && map_own_process(r) && open_files(r) && start_file(r, 0)) {
        errno = ENOMEM;
        r->tracker = mp_tracker_start(r->d, r->options.rate, SEED_BASE + options->seed,
                                      &recorder_events, r);
    }
    if (r->tracker == NULL || (options->exact_sites && !mp_sites_start(r))) {
        int problem = errno;
        free_recorder(r);
        errno = problem;
        return NULL;
    }
    sampler->recorder = r;
    vm->profiler.owns_descriptor = owns_descriptor;
    vm->profiler.leaving = at_program_exit;
    vm->profiler.fiber_suspended = fiber_suspended;
    vm->profiler.fiber_left = fiber_left;
    r->other_poll = vm->profiler.poll;
    vm->profiler.poll = on_poll;
    if (options->farewell != NULL)
        r->farewell = options->farewell(mp_output_shown(&r->output, r->options.path));
    if (!options->no_handlers) mp_recorder_handle_signals(r);
    mp_ticker_start(r);
    return r;
}

uint64_t mp_recorder_flush(struct mp_recorder *r) {
    if (mp_recorder_enter(r)) {
        mp_sites_write(r);
        mp_counters_write(r);
        mp_writer_flush(r->writer);
        mp_recorder_leave(r, 1);
    }
    return vm_now_ns() - r->start_ns;
}

void mp_recorder_add_snapshot(struct mp_recorder *r, const char *path) {
    if (!mp_recorder_enter(r)) return;
    const struct mp_record_written record = {mp_recorder_elapsed(r), mp_text_of(path)};
    mp_write_written(r->writer, &record);
    mp_recorder_leave(r, 1);
}

void mp_recorder_read(const struct mp_recorder *r, struct mp_recording *out) {
    *out = (struct mp_recording){
        .samples = mp_tracker_count(r->tracker),
        .lost_samples = mp_recorder_lost(r),
        .file_bytes = r->writer == NULL ? 0 : mp_writer_file_bytes(r->writer),
        .elapsed_ns = (r->ended_ns != 0 ? r->ended_ns : vm_now_ns()) - r->start_ns,
        .overhead = mp_recorder_overhead(r),
        .failed = r->failed,
        .problem = r->problem,
        .silent = r->silent,
    };
}

void mp_recorder_finish(struct mp_recorder *r, enum mp_outcome outcome, unsigned status,
                        struct mp_recording *out) {
    ASSERT(r->sampler->recorder == r);
    if (r->ended_ns == 0) write_end(r, outcome, status);
    struct vm_profiler *profiler = &r->d->vm->profiler;
    profiler->leaving = NULL;
    profiler->fiber_suspended = NULL;
    profiler->fiber_left = NULL;
    profiler->poll = r->other_poll;
    mp_recorder_restore_signals(r);
    if (r->options.exact_sites) mp_sites_stop(r);
    r->sampler->recorder = NULL;
    mp_recorder_read(r, out);
    out->processor_ns = mp_process_ns() - r->process_ns;
    snprintf(out->path, sizeof out->path, "%s", mp_output_shown(&r->output, r->options.path));
    free_recorder(r);
}
