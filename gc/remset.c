/* remset.c - stores into major blocks: the remembered set and the deletion barrier.
 *
 * The set is an array of slot addresses, emptied by each minor collection. A slot is added when a
 * young block replaces something else in it; if the slot held a young block, it is in the set
 * already (G2), so repeated stores into one slot add it once.
 *
 * When the set is full and memory for a larger one is refused, slots are lost; a minor collection
 * is requested immediately, which searches all major blocks for them. */
#include "gc/heap_internal.h"

bool gc_remembered_create(struct gc_domain *g) {
    return gc_words_reserve(g->heap, GC_ACCOUNT_COLLECTOR, &g->minor.remembered,
                            IF_SMALL_TABLES(1, 1024));
}

static inline void remember(struct gc_domain *g, value *slot) {
    ASSERT(gc_is_major_block(g->heap, (value)slot) && gc_is_young(g, *slot)); /* G2 */
    if (gc_words_push(g->heap, GC_ACCOUNT_COLLECTOR, &g->minor.remembered, (uintptr_t)slot)) return;
    g->minor.remembered_lost = true;
    gc_request_minor(g, GC_FOR_MACHINE);
}

/* M1: darkens what a store replaces. Through the marker's queue, since the header is rarely in the
 * cache; but when nothing is left to mark, and the program may store for long before it allocates
 * so much that marking ends, the header is read. */
static void darken_replaced(struct gc_domain *g, value old) {
    if (gc_mark_is_done(g->heap) && gc_survives_cycle(g->heap, old)) return;
    gc_darken_range(g->heap, &old, &old + 1);
}

void gc_store_slow(struct gc_domain *g, value *slot, value v) {
    value old = *slot;
    *slot = v;
    if (gc_is_young(g, (value)slot)) return;
    if (is_block(old)) {
        if (gc_is_young(g, old)) return;
        if (g->marking) darken_replaced(g, old);
    }
    if (is_block(v) && gc_is_young(g, v)) remember(g, slot);
}

void gc_init_field(struct gc_domain *g, value b, size_t i, value v) {
    ASSERT(i < wosize_of(b) && tag_of(b) < TAG_NO_SCAN); /* V2 */
    field(b, i) = v;
    if (is_block(v) && gc_is_young(g, v) && !gc_is_young(g, b)) remember(g, &field(b, i));
}

void gc_blit_fields(struct gc_domain *g, value from, size_t from_i, value to, size_t to_i,
                    size_t n) {
    const value *source = &field(from, from_i);
    value *target = &field(to, to_i);
    if (gc_is_young(g, to)) {
        memmove(target, source, n * sizeof(value));
    } else if (source < target) {
        for (size_t i = n; i-- > 0;) gc_store_slow(g, &target[i], source[i]);
    } else {
        for (size_t i = 0; i < n; i++) gc_store_slow(g, &target[i], source[i]);
    }
}

/* ---- Minor collection. ---- */

static void evacuate_set(struct gc_domain *g) {
    struct gc_words *set = &g->minor.remembered;
    gc_evacuate_each(g, (value **)set->items, set->count);
    set->count = 0;
}

/* A search through the major blocks for slots that hold young ones. */
struct search {
    struct gc_domain *g;
    value *from; /* slots below it were read */
    bool full;   /* the set is; continue at `from` */
};

static void search_block(void *context, value v) {
    struct search *s = context;
    struct gc_words *set = &s->g->minor.remembered;
    header h = header_of(v);
    if (s->full || colour_of_header(h) == COLOUR_FREE || tag_of_header(h) >= TAG_NO_SCAN) return;
    if (gc_is_unreached(s->g->heap, v)) return;
    value *slot = (value *)v, *end = slot + wosize_of_header(h);
    for (slot = slot < s->from ? s->from : slot; slot < end; slot++) {
        if (!is_block(*slot) || !gc_is_young(s->g, *slot)) continue;
        if (set->count == set->capacity) {
            s->full = true;
            s->from = slot;
            return;
        }
        vector_append(set, (uintptr_t)slot);
    }
}

/* Finds lost slots, as many at a time as the set has room for. Evacuating them changes the spans,
 * so the walk of a span restarts each time. It may find new copies, which gc_minor_drain would
 * scan as well. */
static void evacuate_lost(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct search s = {.g = g};
    for (size_t i = 0; i < heap->top_span; i += !s.full) {
        s.full = false;
        if (!gc_is_scannable(&heap->spans[i])) continue;
        gc_pools_park(heap);
        gc_span_walk(heap, &heap->spans[i], search_block, &s);
        evacuate_set(g);
    }
    g->minor.remembered_lost = false;
}

void gc_remembered_evacuate(struct gc_domain *g) {
    evacuate_set(g);
    if (g->minor.remembered_lost) evacuate_lost(g);
}

void gc_remembered_forget(struct gc_domain *g, value *from, value *to) {
    struct gc_words *set = &g->minor.remembered;
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        value *slot = (value *)set->items[i];
        if (slot < from || slot >= to) set->items[kept++] = set->items[i];
    }
    set->count = kept;
}
