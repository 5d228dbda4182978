/* tracker.c - see tracker.h.
 *
 *   blocks   | old: in the major heap | born since the last minor collection |
 *            0                        old                                    count
 *
 * A minor collection costs the length of the second part. The first has a gap in it while a scan is
 * in progress (memprof/sampling/sliced_scan.h). */
#include "memprof/sampling/tracker.h"

#include "gc/containers.h"
#include "gc/walk.h"
#include "memprof/sampling/sampler_inline.h"
#include "memprof/sampling/shared_memory.h"
#include "memprof/sampling/sliced_scan.h"

#include <stdlib.h>

struct tracked {
    value block;          /* of a fiber: its continuation; 0: it is dead, and that was reported */
    uint64_t id : 40;     /* a recording of years has no more */
    uint64_t note : 23;   /* mp_tracker_note */
    uint64_t outside : 1; /* memory outside the heap, charged to the block */
};
enum { NOTE_BITS = 23 };
#define NO_ID UINTPTR_MAX /* in a map, of a sample that is followed no longer */

/* Ids that are reported together. */
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
    uint32_t note; /* of the block that is being reported as born */
    struct VECTOR(struct tracked) blocks;
    size_t old;
    struct word_map suspended; /* the ids of sampled fibers, by fiber */
    struct mp_shared_memory shared;
    struct mp_sliced_scan scan; /* MT2 */
    struct batch promoted, died;
};

static inline __attribute__((always_inline)) void on_hit(void *context, struct domain *d,
                                                         const struct mp_hit *hit) {
    struct mp_tracker *t = context;
    if (!vector_reserve(&t->blocks, 1, IF_SMALL_TABLES(2, 1024), NULL)) {
        t->lost++;
        return;
    }
    t->note = 0;
    t->events->born(t->context, t->next_id, hit);
    /* After that call, which may forget all earlier blocks. */
    struct tracked item = {hit->block, t->next_id++, t->note, hit->source == GC_CUSTOM};
    vector_append(&t->blocks, item);
}

/* domain.sample for the common case, with a single hit; the rest is mp_sample_existing. */
static value fast_sample(struct domain *d, size_t wosize, unsigned tag) {
    struct mp_sampler *s = d->sampler;
    struct mp_stream *only = s->only;
    uint64_t end;
    if (!mp_only_hits(s, wosize, &end) || !mp_hit_once(s, only, end))
        return mp_sample_existing(d, wosize, tag);
    struct mp_hit hit = mp_bumped_hit(wosize, 1, tag, gc_bump(&d->gc, wosize, tag));
    gc_set_sample(&d->gc, only->next + only->lane->lag);
    on_hit(only->context, d, &hit);
    return hit.block;
}

static void report_promoted(struct mp_tracker *t) {
    if (t->promoted.count > 0) t->events->promoted(t->context, t->promoted.ids, t->promoted.count);
    t->promoted.count = 0;
}

static void report_died(struct mp_tracker *t, bool old) {
    if (t->died.count > 0) t->events->died(t->context, t->died.ids, t->died.count, old);
    t->died.count = 0;
}

/* Returns whether the batch is full. */
static inline bool batch_put(struct batch *batch, uint64_t id) {
    ASSERT(batch->count < MP_TRACKER_BATCH);
    batch->ids[batch->count++] = id;
    return batch->count == MP_TRACKER_BATCH;
}

/* Whether the sample of a dead block is that of memory which outlives it. */
static inline bool outlives(struct mp_tracker *t, int heirs, struct tracked item) {
    return item.outside && mp_shared_inherits(&t->shared, heirs, item.block, item.id);
}

static void on_outlived(void *context, value v, const void *key) {
    struct mp_tracker *t = context;
    bool young = gc_is_young(&t->sampler->d->gc, v);
    mp_shared_outlived(&t->shared, young ? MP_HEIRS_YOUNG : MP_HEIRS_OLD, v, key);
}

static void on_released(void *context, const void *key) {
    struct mp_tracker *t = context;
    uint64_t id;
    ASSERT(t->promoted.count == 0 && t->died.count == 0);
    if (mp_shared_released(&t->shared, key, &id) && id + 1 != NO_ID)
        t->events->died(t->context, &id, 1, true);
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_tracker *t = context;
    size_t kept = t->old;
    ASSERT(t->promoted.count == 0 && t->died.count == 0 && t->old <= t->blocks.count);
    for (size_t i = t->old; i < t->blocks.count; i++) {
        struct tracked item = t->blocks.items[i];
        if (item.block == 0) continue;
        if (gc_is_young(g, item.block)) {
            value copy = gc_promoted_copy(g, item.block);
            bool lives = copy != 0 || outlives(t, MP_HEIRS_YOUNG, item);
            if (!lives && batch_put(&t->died, item.id)) report_died(t, false);
            if (lives && batch_put(&t->promoted, item.id)) report_promoted(t);
            if (copy == 0) continue;
            item.block = copy;
        }
        t->blocks.items[kept++] = item;
    }
    t->old = t->blocks.count = kept;
    mp_shared_clear(&t->shared.heirs[MP_HEIRS_YOUNG]);
    report_died(t, false);
    report_promoted(t);
}

static size_t on_mark_done(void *context, struct gc_domain *g) {
    struct mp_tracker *t = context;
    ASSERT(t->scan.end == 0);             /* the scan of the last cycle is over */
    ASSERT(g->young_ptr == g->young_end); /* all blocks are old */
    t->old = t->blocks.count;
    t->scan = (struct mp_sliced_scan){.end = t->old};
    return GC_INSPECT_WORK * t->scan.end;
}

static size_t on_inspect(void *context, struct gc_domain *g, size_t budget) {
    enum { AHEAD = 16 };
    struct mp_tracker *t = context;
    struct mp_sliced_scan *scan = &t->scan;
    size_t done = 0;
    if (scan->end == 0) return 0;
    ASSERT(scan->kept <= scan->next && scan->end <= t->old);
    for (; scan->next < scan->end && done < budget; scan->next++, done += GC_INSPECT_WORK) {
        struct tracked item = t->blocks.items[scan->next];
        if (scan->next + AHEAD < scan->end)
            gc_prefetch_header(t->blocks.items[scan->next + AHEAD].block);
        if (item.block == 0) continue;
        if (!gc_is_dead(g, item.block)) t->blocks.items[scan->kept++] = item;
        else if (!outlives(t, MP_HEIRS_OLD, item) && batch_put(&t->died, item.id))
            report_died(t, true);
    }
    report_died(t, true);
    if (scan->next == scan->end) {
        mp_shared_clear(&t->shared.heirs[MP_HEIRS_OLD]);
        t->old -= scan->end - scan->kept;
        mp_sliced_scan_end(scan, t->blocks.items, &t->blocks.count, sizeof *t->blocks.items);
    }
    return done;
}

/* ---- Fibers. ---- */

bool mp_tracker_suspended(struct mp_tracker *t, const struct vm_fiber *fiber, value cont,
                          size_t words, const struct vm_fiber *inner) {
    const struct mp_sampler *s = t->sampler;
    struct gc_domain *g = &s->d->gc;
    if (!mp_is_active(s, &t->stream)) return false;
    struct mp_hit hit = {
        .wosize = words,
        .samples = mp_count_carried_hits(s, &t->stream, words),
        .source = GC_CUSTOM,
        .tag = tag_of(cont),
        .young = gc_is_young(g, cont),
        .block = cont,
    };
    if (hit.samples == 0) return false;
    uintptr_t *id = NULL;
    if (vector_reserve(&t->blocks, 1, IF_SMALL_TABLES(2, 1024), NULL))
        id = word_map_add(&t->suspended, (uintptr_t)fiber, IF_SMALL_TABLES(2, 64), NULL);
    if (id == NULL) {
        t->lost++;
        return false;
    }
    t->events->suspended(t->context, t->next_id, &hit, fiber, inner);
    /* After that call, which may forget all earlier blocks and fibers. */
    struct tracked item = {cont, t->next_id++, 0, false};
    vector_append(&t->blocks, item);
    id = word_map_add(&t->suspended, (uintptr_t)fiber, IF_SMALL_TABLES(2, 64), NULL);
    if (id != NULL) *id = item.id;
    return id != NULL;
}

/* The block of that id; NULL: it is dead. Ids ascend, except in the gap of a scan. */
static struct tracked *find_block(struct mp_tracker *t, uint64_t id) {
    struct tracked *items = t->blocks.items;
    size_t from = 0, to = t->blocks.count;
    if (t->scan.end > 0) {
        bool scanned = t->scan.kept > 0 && items[t->scan.kept - 1].id >= id;
        if (scanned) to = t->scan.kept;
        else from = t->scan.next;
    }
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (items[middle].id == id) return items[middle].block == 0 ? NULL : &items[middle];
        if (items[middle].id < id) from = middle + 1;
        else to = middle;
    }
    return NULL;
}

void mp_tracker_left(struct mp_tracker *t, const struct vm_fiber *fiber) {
    const uintptr_t *word = word_map_find(&t->suspended, (uintptr_t)fiber);
    if (word == NULL) return;
    uint64_t id = *word;
    word_map_remove(&t->suspended, (uintptr_t)fiber);
    struct tracked *item = find_block(t, id);
    if (item == NULL) return;
    bool old = !gc_is_young(&t->sampler->d->gc, item->block);
    item->block = 0;
    t->events->died(t->context, &id, 1, old);
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                        size_t words) {
    struct mp_tracker *t = context;
    if (t->events->activity != NULL) t->events->activity(t->context, g, what, begins, words);
}

static void free_tracker(struct mp_tracker *t) {
    free(t->blocks.items);
    free(t->suspended.entries);
    mp_shared_forget(&t->shared);
    free(t);
}

static void on_close(void *context) {
    struct mp_tracker *t = context;
    if (t->events->close != NULL) t->events->close(t->context);
    free_tracker(t);
}

static const struct mp_client tracker_client = {
    .hit = on_hit,
    .fast_sample = fast_sample,
    .counts_once = true,
    .outlived = on_outlived,
    .released = on_released,
    .minor_done = on_minor_done,
    .mark_done = on_mark_done,
    .inspect = on_inspect,
    .activity = on_activity,
    .close = on_close,
};

struct mp_tracker *mp_tracker_start(struct domain *d, double rate, uint64_t seed,
                                    const struct mp_tracker_events *events, void *context) {
    struct mp_sampler *sampler = mp_sampler_of(d);
    bool has_room = sampler != NULL && mp_sampler_has_room(sampler);
    struct mp_tracker *t = has_room ? calloc(1, sizeof *t) : NULL;
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
    t->old = t->blocks.count = 0;
    t->scan = (struct mp_sliced_scan){.end = 0};
    t->next_id = t->lost = 0;
    mp_shared_forget(&t->shared);
    free(t->suspended.entries);
    t->suspended = (struct word_map){.count = 0};
}

void mp_tracker_free(struct mp_tracker *t) {
    mp_stream_detach(t->sampler, &t->stream);
    free_tracker(t);
}

void mp_tracker_note(struct mp_tracker *t, uint64_t note) {
    t->note = note < 1 << NOTE_BITS ? (uint32_t)note : 0;
}

void mp_tracker_visit(const struct mp_tracker *t,
                      void (*f)(void *context, value block, uint64_t id, uint32_t note),
                      void *context) {
    for (size_t i = 0; i < t->blocks.count; i++) {
        if (i == t->scan.kept) i = t->scan.end > 0 ? t->scan.next : i; /* the gap of a scan */
        if (i == t->blocks.count) break;
        const struct tracked item = t->blocks.items[i];
        if (item.block != 0) f(context, item.block, item.id, (uint32_t)item.note);
    }
}

/* ---- What holds young blocks. ---- */

struct holding {
    void (*f)(void *context, uint64_t id, const struct gc_root *root, bool direct);
    void *context;
    struct word_map ids[2]; /* plus 1, by young block: of its own sample; of memory charged to it */
};

static void on_young(void *context, const struct gc_root *root, value v, bool direct) {
    const struct holding *h = context;
    for (int i = 0; i < 2; i++) {
        const uintptr_t *id = word_map_find(&h->ids[i], (uintptr_t)v);
        if (id != NULL) h->f(h->context, *id - 1, root, direct);
    }
}

void mp_tracker_visit_young(const struct mp_tracker *t,
                            void (*f)(void *context, uint64_t id, const struct gc_root *root,
                                      bool direct),
                            void *context) {
    struct gc_domain *g = &t->sampler->d->gc;
    struct holding h = {.f = f, .context = context};
    for (size_t i = t->old; i < t->blocks.count; i++) {
        const struct tracked item = t->blocks.items[i];
        if (item.block == 0 || !gc_is_young(g, item.block)) continue;
        uintptr_t *id = word_map_add(&h.ids[item.outside], (uintptr_t)item.block,
                                     IF_SMALL_TABLES(2, 256), NULL);
        if (id != NULL && *id == 0) *id = item.id + 1;
    }
    if (h.ids[0].count + h.ids[1].count > 0) gc_walk_young(g, on_young, &h);
    free(h.ids[0].entries);
    free(h.ids[1].entries);
}

/* The words of a map are ids plus `base`, or 0, which stays. */
static void renumber_map(struct word_map *map, uintptr_t base,
                         uint32_t (*number_of)(void *context, uint64_t id), void *context) {
    for (size_t i = 0; i < map->capacity; i++) {
        struct word_entry *entry = &map->entries[i];
        if (entry->key == 0 || entry->word < base) continue;
        const uint32_t number = number_of(context, entry->word - base);
        entry->word = number == UINT32_MAX ? NO_ID : number + base;
    }
}

void mp_tracker_renumber(struct mp_tracker *t, uint64_t next,
                         uint32_t (*number_of)(void *context, uint64_t id), void *context) {
    size_t kept = 0, old = t->old;
    ASSERT(t->scan.end == 0 && t->promoted.count == 0 && t->died.count == 0);
    for (size_t i = 0; i < t->blocks.count; i++) {
        struct tracked item = t->blocks.items[i];
        if (i == old) t->old = kept;
        const uint32_t number = item.block == 0 ? UINT32_MAX : number_of(context, item.id);
        if (number == UINT32_MAX) continue;
        item.id = number;
        t->blocks.items[kept++] = item;
    }
    if (old == t->blocks.count) t->old = kept;
    t->blocks.count = kept;
    t->next_id = next;
    renumber_map(&t->suspended, 0, number_of, context);
    renumber_map(&t->shared.ids, 1, number_of, context);
}

bool mp_tracker_is_examining(const struct mp_tracker *t) { return t->scan.end != 0; }
uint64_t mp_tracker_count(const struct mp_tracker *t) { return t->next_id; }
uint64_t mp_tracker_lost(const struct mp_tracker *t) { return t->lost; }
