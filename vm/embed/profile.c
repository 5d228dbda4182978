/* profile.c - statistics, recordings and trackers (bactrian.h). */
#include "gc/stats.h"
#include "memprof/recorder/recorder.h"
#include "vm/embed/embed_internal.h"
#include "vm/marshal/debuginfo.h"
#include "vm/stack/callstack.h"
#include "vm/stack/limits.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Statistics. ---- */

enum bactrian_outcome bactrian_read_statistics(struct bactrian *m,
                                               struct bactrian_statistics *out) {
    if (!m->usable) return BACTRIAN_REFUSED;
    if (m->broken) return BACTRIAN_BROKEN;
    struct gc_stats s = gc_stats_read(&m->vm->domain->gc);
    *out = (struct bactrian_statistics){
        .minor_words = s.minor_words,
        .promoted_words = s.promoted_words,
        .major_words = s.major_words,
        .minor_collections = s.minor_collections,
        .major_collections = s.major_collections,
        .heap_bytes = s.heap_words * sizeof(value),
        .top_heap_bytes = s.top_heap_words * sizeof(value),
        .live_bytes = s.live_words * sizeof(value),
        .fuel_left = vm_fuel_left(m->vm),
        .output_left = vm_output_left(m->vm),
    };
    return BACTRIAN_OK;
}

/* ---- Recordings. ---- */

#define RATE_EXPECTED "expected a sampling rate above 0, at most 1, got %g"

static bool is_rate(double rate) { return rate > 0 && rate <= 1; }

/* bactrian_stop_recording reports failures. */
static void ignore_failure(struct vm *vm, const char *path, int problem) {}

struct start {
    struct mp_recorder_options options;
    int problem;
};

static void start_recording(struct bactrian *m, void *context) {
    struct start *s = context;
    m->recorder = mp_recorder_start(m->vm, &s->options);
    s->problem = errno;
}

enum bactrian_outcome bactrian_record(struct bactrian *m, const char *path, double rate) {
    if (embed_state(m) != BACTRIAN_OK) return embed_state(m);
    if (m->inside || mp_recorder_of(m->vm) != NULL)
        return embed_fail(m, BACTRIAN_REFUSED, "a recording is running, or a call");
    if (!is_rate(rate)) return embed_fail(m, BACTRIAN_REFUSED, RATE_EXPECTED, rate);
    struct start s = {.options = {.path = path,
                                  .rate = rate,
                                  .no_handlers = true,
                                  .program = m->name,
                                  .recorder = "libbactrian " BACTRIAN_VERSION,
                                  .warn = ignore_failure}};
    if (!embed_guard(m, start_recording, &s)) return BACTRIAN_BROKEN;
    if (m->recorder != NULL) return BACTRIAN_OK;
    return embed_fail(m, BACTRIAN_REFUSED, "%s: %s", path, mp_output_problem(s.problem));
}

static void stop_recording(struct bactrian *m, void *out) {
    ASSERT(m->recorder != NULL);
    enum mp_outcome outcome = m->exited || m->vm->limits.stopped != STOP_NONE ? MP_EXITED
                              : is_block(m->exception)                        ? MP_UNCAUGHT
                                                                              : MP_RETURNED;
    mp_recorder_finish(m->recorder, outcome, (unsigned)m->vm->exit_status, out);
    m->recorder = NULL;
}

enum bactrian_outcome bactrian_stop_recording(struct bactrian *m, struct bactrian_recording *out) {
    struct mp_recording done;
    if (!m->usable || m->broken) return embed_state(m);
    if (m->inside || m->recorder == NULL)
        return embed_fail(m, BACTRIAN_REFUSED, "no recording is running, or a call is");
    if (!embed_guard(m, stop_recording, &done)) return BACTRIAN_BROKEN;
    if (out != NULL)
        *out = (struct bactrian_recording){.samples = done.samples,
                                           .lost_samples = done.lost_samples,
                                           .file_bytes = done.file_bytes,
                                           .elapsed_ns = done.elapsed_ns,
                                           .overhead_ns = done.overhead.wall_ns,
                                           .failed = done.failed};
    return BACTRIAN_OK;
}

/* ---- Trackers. ---- */

enum { TRACKER_SEED = 0x656d6265 };

static void on_allocated(void *context, uint64_t id, const struct mp_hit *hit) {
    struct bactrian_tracker *t = context;
    const uint64_t *stack = NULL;
    if (t->tracking.allocated == NULL) return;
    size_t depth = vm_call_stack(t->machine->vm->domain, t->depth, &stack);
    ASSERT(depth <= t->depth);
    struct bactrian_sample sample = {.id = id,
                                     .words = hit->wosize,
                                     .samples = hit->samples,
                                     .tag = hit->tag,
                                     .external = hit->source == GC_CUSTOM,
                                     .call_stack = stack,
                                     .depth = depth};
    t->tracking.allocated(t->tracking.context, &sample);
}

static void on_promoted(void *context, const uint64_t *ids, size_t count) {
    const struct bactrian_tracking *to = &((struct bactrian_tracker *)context)->tracking;
    for (size_t i = 0; to->promoted != NULL && i < count; i++) to->promoted(to->context, ids[i]);
}

static void on_freed(void *context, const uint64_t *ids, size_t count, bool major) {
    const struct bactrian_tracking *to = &((struct bactrian_tracker *)context)->tracking;
    for (size_t i = 0; to->freed != NULL && i < count; i++) to->freed(to->context, ids[i], major);
}

static const struct mp_tracker_events events = {
    .born = on_allocated, .promoted = on_promoted, .died = on_freed};

struct tracking {
    struct bactrian_tracker *t;
    double rate;
};

static value start_tracking(struct domain *d, void *context) {
    struct tracking *s = context;
    s->t->tracker = mp_tracker_start(d, s->rate, TRACKER_SEED, &events, s->t);
    return VAL_UNIT;
}

struct bactrian_tracker *bactrian_track(struct bactrian *m, double rate, size_t depth,
                                        const struct bactrian_tracking *tracking) {
    value ignored;
    if (embed_state(m) != BACTRIAN_OK) return NULL;
    if (!is_rate(rate)) {
        embed_fail(m, BACTRIAN_REFUSED, RATE_EXPECTED, rate);
        return NULL;
    }
    struct bactrian_tracker *t = calloc(1, sizeof *t);
    struct tracking start = {t, rate};
    if (t != NULL) {
        *t = (struct bactrian_tracker){.machine = m, .tracking = *tracking, .depth = depth};
        if (embed_perform(m, start_tracking, &start, &ignored) != BACTRIAN_OK) {
            free(t);
            return NULL;
        }
    }
    if (t == NULL || t->tracker == NULL) {
        free(t);
        embed_fail(m, BACTRIAN_REFUSED, "out of memory, or too many trackers");
        return NULL;
    }
    t->next = m->trackers;
    m->trackers = t;
    return t;
}

/* Ends the tracker that *at lists. */
static void end_tracker(struct bactrian_tracker **at) {
    struct bactrian_tracker *t = *at;
    *at = t->next;
    mp_tracker_stop(t->tracker);
    mp_tracker_free(t->tracker);
    free(t);
}

void bactrian_untrack(struct bactrian_tracker *t) {
    struct bactrian *m = t == NULL ? NULL : t->machine;
    if (m == NULL || !m->usable || m->broken) return;
    struct bactrian_tracker **at = &m->trackers;
    while (*at != t) {
        ASSERT(*at != NULL);
        at = &(*at)->next;
    }
    end_tracker(at);
}

void embed_end_profiles(struct bactrian *m) {
    struct mp_recording ignored;
    m->recorder = mp_recorder_of(m->vm); /* also one of the program's */
    if (m->recorder != NULL) stop_recording(m, &ignored);
    while (m->trackers != NULL) end_tracker(&m->trackers);
}

bool bactrian_find_location(struct bactrian *m, uint64_t entry, struct bactrian_location *out) {
    struct vm_location found;
    if (!vm_debuginfo_find(m->vm, entry, &found)) return false;
    *out = (struct bactrian_location){.file = found.file,
                                      .function = found.definition,
                                      .line = found.line,
                                      .start = found.start,
                                      .end = found.end};
    return true;
}
