/* tracker.c - see tracker.h.
 *
 *   young   (block, id) of tracked blocks in the young area, in order of birth
 *   old     the same for the major heap
 *
 * Both are plain arrays; a minor collection costs the length of young. Without memory for an entry
 * the block is told dead at once. */
#include "memprof/tracker.h"

#include "memprof/profile.h"
#include "vm/callstack.h"

#include <stdlib.h>

struct tracked {
    value block;
    uint64_t id;
};

struct list {
    struct tracked *items;
    size_t count, capacity;
};

struct mp_tracker {
    struct mp_sampler *sampler;
    struct mp_stream stream;
    struct mp_lane lane;
    const struct mp_tracker_events *events;
    void *context;
    size_t callstack_size;
    uint64_t last_id;
    struct list young, old;
};

enum { SEED = 0x7261636b };

static void track(struct mp_tracker *t, bool young, value block, uint64_t id) {
    struct list *list = young ? &t->young : &t->old;
    if (list->count == list->capacity) {
        size_t wider = list->capacity == 0 ? 256 : 2 * list->capacity;
        struct tracked *moved = realloc(list->items, wider * sizeof *moved);
        if (moved == NULL) {
            t->events->died(t->context, id, !young);
            return;
        }
        list->items = moved;
        list->capacity = wider;
    }
    list->items[list->count++] = (struct tracked){block, id};
}

static value on_hit(void *context, struct domain *d, const struct mp_hit *hit, uint64_t *ticket) {
    struct mp_tracker *t = context;
    const uint64_t *gpcs = NULL;
    size_t depth = vm_call_stack(d, t->callstack_size, &gpcs);
    *ticket = ++t->last_id;
    t->events->born(t->context, *ticket, hit, gpcs, depth);
    if (!hit->promised) track(t, hit->young, hit->block, *ticket);
    return VAL_UNIT;
}

static void on_born(void *context, uint64_t ticket, value block) {
    struct mp_tracker *t = context;
    if (block != 0) track(t, true, block, ticket);
    else t->events->died(t->context, ticket, false);
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_tracker *t = context;
    for (size_t i = 0; i < t->young.count; i++) {
        struct tracked *item = &t->young.items[i];
        value fate = gc_young_fate(g, item->block);
        if (fate == 0) {
            t->events->died(t->context, item->id, false);
            continue;
        }
        t->events->promoted(t->context, item->id);
        track(t, false, fate, item->id);
    }
    t->young.count = 0;
}

static void on_mark_done(void *context, struct gc_domain *g) {
    struct mp_tracker *t = context;
    size_t kept = 0;
    for (size_t i = 0; i < t->old.count; i++) {
        struct tracked item = t->old.items[i];
        if (gc_is_dead(g, item.block)) t->events->died(t->context, item.id, true);
        else t->old.items[kept++] = item;
    }
    t->old.count = kept;
}

static const struct mp_client tracker_client = {
    .hit = on_hit, .born = on_born, .minor_done = on_minor_done, .mark_done = on_mark_done};

struct mp_tracker *mp_tracker_start(struct domain *d, double rate, size_t callstack_size,
                                    const struct mp_tracker_events *events, void *context) {
    struct mp_sampler *sampler = mp_engine_of(d)->sampler;
    struct mp_tracker *t = mp_sampler_has_room(sampler) ? calloc(1, sizeof *t) : NULL;
    if (t == NULL) return NULL;
    t->sampler = sampler;
    t->events = events;
    t->context = context;
    t->callstack_size = callstack_size;
    mp_stream_attach(sampler, &t->stream, &t->lane, &tracker_client, t, SEED);
    mp_stream_start(sampler, &t->stream, rate);
    return t;
}

void mp_tracker_stop(struct mp_tracker *t) { mp_stream_stop(t->sampler, &t->stream); }

void mp_tracker_release(struct mp_tracker *t) {
    free(t->young.items);
    free(t->old.items);
    free(t);
}

void mp_tracker_free(struct mp_tracker *t) {
    mp_stream_detach(t->sampler, &t->stream);
    mp_tracker_release(t);
}

size_t mp_tracker_live(const struct mp_tracker *t) { return t->young.count + t->old.count; }
