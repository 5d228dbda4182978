/* pauses.c - the collector's part of a recording: counters, pauses, markings, maxima; the
 * recorder's own markings (--live exact).
 *
 * With --live exact the recorder runs a marking when more is in use than any marking kept: what is
 * proven live at that moment is then what is reachable. It does so after the pause that ended the
 * growth, at the next poll, since a hook must not collect; memory only grows between pauses. That
 * pause is not one of the program, and counts as the recorder's time.
 *
 * Markings of n words are made when the maximum has grown by an eighth since the last one, or when
 * 4 n words have been allocated. So all of them visit at most nine times the words of the largest
 * heap and a quarter of the words allocated. */
#include "gc/heap.h"
#include "gc/stats.h"
#include "memprof/recorder/recorder_internal.h"
#include "memprof/sampling/sampler_inline.h"
#include "vm/code/version.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { RESIDENT_EVERY_NS = 100000000 };

/* ---- Counters. ---- */

void mp_counters_write(struct mp_recorder *r) {
    struct gc_stats now = gc_stats_read(&r->d->gc);
    const struct mp_counters before = r->counters;
    r->counters = (struct mp_counters){
        .minor_words = now.minor_words,
        .promoted_words = now.promoted_words,
        .major_words = now.major_words,
        .external_words = r->sampler->external_words,
        .minor_collections = now.minor_collections,
        .major_collections = now.major_collections,
        .live_words = now.live_words,
        .heap_words = now.heap_words,
    };
    const struct mp_counters *after = &r->counters;
    struct mp_record_counters record = {
        .elapsed = mp_recorder_elapsed(r),
#define TOTAL(name) .name = after->name - before.name,
#define LEVEL(name) .name = (int64_t)(after->name - before.name),
#include "memprof/format/counters.def"
    };
    mp_write_counters(r->writer, &record);
    mp_named_counts_write(r);
    r->counted_ns = r->entered.wall_ns;
}

/* The second number of the file: pages. */
void mp_resident_write(struct mp_recorder *r) {
    unsigned long pages;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return;
    if (fscanf(file, "%*u %lu", &pages) == 1) {
        struct mp_record_resident record = {mp_recorder_elapsed(r),
                                            (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE)};
        mp_write_resident(r->writer, &record);
    }
    fclose(file);
    r->weighed_ns = r->entered.wall_ns;
}

/* Words allocated in the major heap and outside since the recording began. */
static uint64_t allocated_words(const struct mp_recorder *r, const struct gc_stats *now) {
    return now->major_words + r->sampler->external_words;
}

/* All words allocated so far. */
static uint64_t all_words(const struct mp_recorder *r, const struct gc_stats *now) {
    return now->minor_words - now->promoted_words + allocated_words(r, now);
}

static void show_progress(struct mp_recorder *r) {
    char line[160];
    const double seconds = (double)(r->entered.wall_ns - r->start_ns) / 1e9;
    const double since = (double)(r->entered.wall_ns - r->shown_ns) / 1e9;
    const struct gc_stats now = gc_stats_read(&r->d->gc);
    const uint64_t words = all_words(r, &now);
    int n = snprintf(line, sizeof line,
                     "\r%.0f s  %.0f MB/s  %.0f MB live  %" PRIu64 " samples\033[K", seconds,
                     (double)(words - r->shown_words) * 8e-6 / since, (double)now.live_words * 8e-6,
                     mp_tracker_count(r->tracker));
    r->shown_words = words;
    if (write(STDERR_FILENO, line, (size_t)n) < 0) r->options.progress = false;
    r->shown_ns = r->entered.wall_ns;
}

/* ---- Pauses. ---- */

static void write_span(struct mp_recorder *r, enum mp_gc_phase phase, uint64_t began_ns,
                       uint64_t words) {
    struct mp_record_gc_span record = {mp_recorder_elapsed(r), (uint8_t)phase,
                                       r->entered.wall_ns - began_ns, words};
    mp_write_gc_span(r->writer, &record);
}

static void note_cause(struct mp_recorder *r) {
    static_assert((int)GC_FOR_ALLOCATION + 1 == MP_CAUSE_ALLOCATION &&
                      (int)GC_FOR_PACE + 1 == MP_CAUSE_PACE &&
                      (int)GC_FOR_EXTERNAL + 1 == MP_CAUSE_EXTERNAL &&
                      (int)GC_FOR_PROGRAM + 1 == MP_CAUSE_PROGRAM &&
                      (int)GC_FOR_LIMIT + 1 == MP_CAUSE_LIMIT &&
                      (int)GC_FOR_MACHINE + 1 == MP_CAUSE_MACHINE,
                  "causes are written as they are, plus 1");
    const struct mp_record_cause record = {(uint8_t)(r->d->gc.cause + 1)};
    if (record.cause == r->cause) return;
    mp_write_cause(r->writer, &record);
    r->cause = record.cause;
}

/* The outermost activity ends. */
static void end_of_pause(struct mp_recorder *r) {
    struct gc_stats now = gc_stats_read(&r->d->gc);
    const struct mp_times began = r->pause.began;
    bool own = r->exact.running;
    struct mp_record_pause record = {
        .elapsed = mp_recorder_elapsed(r),
        .owner = own || r->finished ? MP_PAUSE_RECORDER : MP_PAUSE_PROGRAM,
        .duration_ns = r->entered.wall_ns - began.wall_ns,
        .processor_ns = r->entered.processor_ns - began.processor_ns,
        .words = now.promoted_words - r->pause.promoted_before,
    };
    if (record.owner == MP_PAUSE_PROGRAM) note_cause(r);
    mp_write_pause(r->writer, &record);
    if (own) { /* what the recorder did in it counts once */
        r->overhead.wall_ns = r->pause.overhead.wall_ns + record.duration_ns;
        r->overhead.processor_ns = r->pause.overhead.processor_ns + record.processor_ns;
    }
    if (r->entered.wall_ns - r->counted_ns >= COUNTERS_EVERY_NS) mp_counters_write(r);
    if (r->entered.wall_ns - r->weighed_ns >= RESIDENT_EVERY_NS) mp_resident_write(r);
    if (r->options.progress && r->entered.wall_ns - r->shown_ns >= SECOND_NS) show_progress(r);
    if (r->exact.wanted && !own) gc_request_action(&r->d->gc);
}

/* A pause begins, which may free memory: between pauses memory only grows. Maxima are written that
 * exceed the last one by 1 %. */
static void note_maximum(struct mp_recorder *r, uint64_t words) {
    if (words <= r->most_words + r->most_words / 100) return;
    struct mp_record_maximum record = {mp_recorder_elapsed(r), words};
    mp_write_maximum(r->writer, &record);
    r->most_words = words;
}

/* ---- Markings. ---- */

/* A marking begins where none is under way. Its words are those left at its end, without those
 * allocated meanwhile; it is known when the tracker has examined what it found. */
static void note_marking(struct mp_recorder *r, const struct gc_domain *g, enum gc_activity what,
                         bool begins) {
    struct gc_stats now;
    if (what == GC_ACT_MARK && begins && !g->marking) {
        now = gc_stats_read(g);
        r->marking.began_ns = r->entered.wall_ns;
        r->marking.allocated = allocated_words(r, &now);
        r->marking.words = 0;
    }
    if (what != GC_ACT_MARK_END || begins || r->marking.began_ns == 0) return;
    if (r->marking.words == 0) {
        now = gc_stats_read(g);
        uint64_t since = allocated_words(r, &now) - r->marking.allocated;
        uint64_t left = now.in_use_words - now.young_words;
        r->marking.words = left > since ? left - since : 1;
        if (r->marking.words > r->exact.most_kept) r->exact.most_kept = r->marking.words;
    }
    if (mp_tracker_is_examining(r->tracker)) return;
    uint64_t elapsed = mp_recorder_elapsed(r);
    struct mp_record_marking record = {
        elapsed, r->last_us - (r->marking.began_ns - r->start_ns) / 1000, r->marking.words};
    mp_write_marking(r->writer, &record);
    r->marking.began_ns = 0;
}

/* A pause begins: whether everything is to be marked after it. */
static void decide_exact(struct mp_recorder *r, const struct gc_stats *now) {
    struct mp_exact *e = &r->exact;
    uint64_t in_use = now->in_use_words, since = all_words(r, now) - e->allocated;
    if (!r->options.live_exact || r->ended_ns != 0 || in_use <= e->most_kept + e->most_kept / 16)
        return;
    bool grown = in_use > e->in_use + e->in_use / 8;
    if (grown) e->in_use = in_use;
    if (grown || since / 4 > e->kept) e->wanted = true;
}

void mp_exact_poll(struct mp_recorder *r) {
    if (!r->exact.wanted || r->ended_ns != 0 || !mp_recorder_is_recording(r)) return;
    struct mp_exact *e = &r->exact;
    e->wanted = false;
    e->running = true;
    gc_mark_everything(&r->d->gc);
    e->running = false;
    struct gc_stats now = gc_stats_read(&r->d->gc);
    e->kept = now.live_words;
    e->allocated = all_words(r, &now);
}

/* ---- Activities. ---- */

static bool is_recorded(const struct mp_recorder *r, enum gc_activity what) {
    bool traced = r->options.gc_trace && !r->exact.running;
    return what == GC_ACT_MINOR || (what != GC_ACT_PAUSE && traced);
}

/* Activities nest. The outermost one, of whatever kind, is the pause. */
void mp_on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                    size_t words) {
    static const enum mp_gc_phase phases[] = {
        [GC_ACT_PAUSE] = MP_GC_PAUSE, [GC_ACT_MINOR] = MP_GC_MINOR,
        [GC_ACT_MARK] = MP_GC_MARK,   [GC_ACT_MARK_END] = MP_GC_MARK_END,
        [GC_ACT_SWEEP] = MP_GC_SWEEP,
    };
    struct mp_recorder *r = context;
    if (!mp_recorder_enter(r)) return;
    if (begins) {
        if (r->activity_depth == 0) {
            r->ticker.in_pause = true;
            struct gc_stats now = gc_stats_read(g);
            r->pause.promoted_before = now.promoted_words;
            r->pause.began = r->entered;
            r->pause.overhead = r->overhead;
            if (!r->exact.running) {
                note_maximum(r, now.in_use_words);
                decide_exact(r, &now);
            }
        }
        if (r->activity_depth < MP_ACTIVITY_DEPTH)
            r->activity_ns[r->activity_depth] = r->entered.wall_ns;
        r->activity_depth++;
        if (what == GC_ACT_MINOR && r->options.promoted) mp_held_find(r);
    } else if (r->activity_depth > 0) {
        r->activity_depth--;
        unsigned at = r->activity_depth < MP_ACTIVITY_DEPTH ? r->activity_depth
                                                            : MP_ACTIVITY_DEPTH - 1;
        uint64_t began_ns = r->activity_ns[at];
        if (what == GC_ACT_MARK_END) {
            r->counted_ns = 0; /* counters follow the deaths of the cycle */
            if (r->options.promoted) mp_held_marked(r);
        }
        if (is_recorded(r, what)) write_span(r, phases[what], began_ns, words);
    }
    note_marking(r, g, what, begins);
    bool own = r->exact.running;
    if (!begins && r->activity_depth == 0) {
        r->ticker.in_pause = false;
        end_of_pause(r);
    }
    mp_recorder_leave(r, own ? 0 : 1);
}
