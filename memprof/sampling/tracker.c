/* tracker.c - see tracker.h.
 *
 *   blocks   | of the major heap, old of them | born since the last minor collection |
 *
 * A minor collection costs the length of the second part. The first has a gap in it while a pass is
 * under way (memprof/sampling/sliced_scan.h). */
#include "memprof/sampling/tracker.h"

#include "gc/small_tables.h"
#include "memprof/program/profile.h"
#include "memprof/sampling/sampler_internal.h"
#include "memprof/sampling/sliced_scan.h"

#include <stdlib.h>

struct tracked {
    value block;
    uint64_t id;
};

/* Ids that are told together. */
struct batch {
    size_t count;
    uint64_t ids[MP_TRACKER_BATCH];
};

struct mp_tracker {
    struct mp_sampler *sampler;
    struct mp_stream stream;
    struct mp_lane lane;
    const struct mp_tracker_events *events;
    void *context;
    uint64_t next_id, lost;
    struct tracked *blocks;
    size_t old, count, capacity;
    struct mp_sliced_scan pass; /* MT2 */
    struct batch promoted, died;
};

static bool widen(struct mp_tracker *t) {
    size_t wider = t->capacity == 0 ? IF_SMALL_TABLES(2, 1024) : 2 * t->capacity;
    struct tracked *blocks = realloc(t->blocks, wider * sizeof *blocks);
    if (blocks == NULL) return false;
    t->blocks = blocks;
    t->capacity = wider;
    return true;
}

static inline __attribute__((always_inline)) void on_hit(void *context, struct domain *d,
                                                         const struct mp_hit *hit) {
    struct mp_tracker *t = context;
    if (t->count == t->capacity && !widen(t)) {
        t->lost++;
        return;
    }
    t->events->born(t->context, t->next_id, hit);
    /* Behind that, in which everything before may have been forgotten. */
    t->blocks[t->count++] = (struct tracked){hit->block, t->next_id++};
}

/* The same for the usual sample, without a call for each step. */
static value on_sample(struct domain *d, size_t wosize, unsigned tag) {
    struct mp_sampler *s = d->sampler;
    struct mp_stream *only = s->only;
    uint64_t end;
    if (!mp_only_hits(s, wosize, &end) || !mp_hit_once(s, only, end))
        return mp_hit_quickly(d, wosize, tag);
    const struct mp_hit hit = {
        .wosize = wosize,
        .samples = 1,
        .young = true,
        .source = GC_NORMAL,
        .tag = tag,
        .block = gc_bump(&d->gc, wosize, tag),
    };
    gc_set_sample(&d->gc, only->next + only->lane->lag);
    on_hit(only->context, d, &hit);
    return hit.block;
}

static void tell_promoted(struct mp_tracker *t) {
    if (t->promoted.count > 0) t->events->promoted(t->context, t->promoted.ids, t->promoted.count);
    t->promoted.count = 0;
}

static void tell_died(struct mp_tracker *t, bool old) {
    if (t->died.count > 0) t->events->died(t->context, t->died.ids, t->died.count, old);
    t->died.count = 0;
}

static inline bool put(struct batch *batch, uint64_t id) {
    batch->ids[batch->count++] = id;
    return batch->count == MP_TRACKER_BATCH;
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_tracker *t = context;
    size_t kept = t->old;
    for (size_t i = t->old; i < t->count; i++) {
        struct tracked item = t->blocks[i];
        if (gc_is_young(g, item.block)) {
            item.block = gc_promoted_copy(g, item.block);
            if (item.block == 0) {
                if (put(&t->died, item.id)) tell_died(t, false);
                continue;
            }
            if (put(&t->promoted, item.id)) tell_promoted(t);
        }
        t->blocks[kept++] = item;
    }
    t->old = t->count = kept;
    tell_died(t, false);
    tell_promoted(t);
}

static size_t on_mark_done(void *context, struct gc_domain *g) {
    struct mp_tracker *t = context;
    t->pass = (struct mp_sliced_scan){.end = t->old};
    return GC_INSPECT_WORK * t->pass.end;
}

static size_t on_look(void *context, struct gc_domain *g, size_t budget) {
    enum { AHEAD = 16 };
    struct mp_tracker *t = context;
    struct mp_sliced_scan *pass = &t->pass;
    size_t done = 0;
    if (pass->end == 0) return 0;
    for (; pass->next < pass->end && done < budget; pass->next++, done += GC_INSPECT_WORK) {
        struct tracked item = t->blocks[pass->next];
        if (pass->next + AHEAD < pass->end) gc_prefetch_header(t->blocks[pass->next + AHEAD].block);
        if (!gc_is_dead(g, item.block)) t->blocks[pass->kept++] = item;
        else if (put(&t->died, item.id)) tell_died(t, true);
    }
    tell_died(t, true);
    if (pass->next == pass->end) {
        t->old -= pass->end - pass->kept;
        mp_sliced_scan_end(pass, t->blocks, &t->count, sizeof *t->blocks);
    }
    return done;
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                        size_t words) {
    struct mp_tracker *t = context;
    if (t->events->activity != NULL) t->events->activity(t->context, g, what, begins, words);
}

static const struct mp_client tracker_client = {
    .hit = on_hit,
    .quickly = on_sample,
    .minor_done = on_minor_done,
    .mark_done = on_mark_done,
    .look = on_look,
    .activity = on_activity,
};

struct mp_tracker *mp_tracker_start(struct domain *d, double rate, uint64_t seed,
                                    const struct mp_tracker_events *events, void *context) {
    struct mp_sampler *sampler = mp_engine_of(d)->sampler;
    struct mp_tracker *t = mp_sampler_has_room(sampler) ? calloc(1, sizeof *t) : NULL;
    if (t == NULL) return NULL;
    t->sampler = sampler;
    t->events = events;
    t->context = context;
    mp_stream_attach(sampler, &t->stream, &t->lane, &tracker_client, t, seed);
    mp_stream_start(sampler, &t->stream, rate);
    return t;
}

void mp_tracker_stop(struct mp_tracker *t) { mp_stream_stop(t->sampler, &t->stream); }

void mp_tracker_forget(struct mp_tracker *t) {
    t->old = t->count = 0;
    t->pass = (struct mp_sliced_scan){.end = 0};
    t->next_id = t->lost = 0;
}

void mp_tracker_release(struct mp_tracker *t) {
    free(t->blocks);
    free(t);
}

void mp_tracker_free(struct mp_tracker *t) {
    mp_stream_detach(t->sampler, &t->stream);
    mp_tracker_release(t);
}

size_t mp_tracker_live(const struct mp_tracker *t) {
    return t->count - (t->pass.next - t->pass.kept);
}
uint64_t mp_tracker_count(const struct mp_tracker *t) { return t->next_id; }
uint64_t mp_tracker_lost(const struct mp_tracker *t) { return t->lost; }
