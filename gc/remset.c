/* remset.c - stores into old blocks: the remembered set and the deletion barrier.
 *
 * The set is an array of slot addresses, emptied by each minor collection. A slot is added when a
 * young block is stored over something that was not one; if it was one, G2 says that the slot is
 * there already, so repeated stores into one slot add it once.
 *
 * When the set is full and memory for a larger one is refused, slots are lost; a minor collection,
 * asked for at once, then looks for them in all old blocks. */
#include "gc/heap_internal.h"

enum { FIRST_CAPACITY = IF_SMALL_TABLES(1, 1024) };

bool gc_remembered_create(struct gc_heap *heap) {
    return gc_words_reserve(heap, GC_OWN, &heap->remembered, FIRST_CAPACITY);
}

static inline void remember(struct gc_domain *g, value *slot) {
    struct gc_heap *heap = g->heap;
    if (gc_words_push(heap, GC_OWN, &heap->remembered, (uintptr_t)slot)) return;
    heap->remembered_lost = true;
    gc_request_minor(g);
}

void gc_store_slow(struct gc_domain *g, value *slot, value v) {
    value old = *slot;
    *slot = v;
    if (gc_is_young(g, (value)slot)) return;
    if (is_block(old)) {
        if (gc_is_young(g, old)) return;
        /* Through the marker's queue: the header is rarely in the cache. */
        if (g->marking) gc_darken_range(g->heap, &old, &old + 1);
    }
    if (is_block(v) && gc_is_young(g, v)) remember(g, slot);
}

void gc_init_field(struct gc_domain *g, value b, size_t i, value v) {
    field(b, i) = v;
    if (is_block(v) && gc_is_young(g, v) && !gc_is_young(g, b)) remember(g, &field(b, i));
}

void gc_blit_fields(struct gc_domain *g, value from, size_t from_i, value to, size_t to_i,
                    size_t n) {
    if (gc_is_young(g, to)) {
        memmove(&field(to, to_i), &field(from, from_i), n * sizeof(value));
        return;
    }
    const value *source = &field(from, from_i);
    value *target = &field(to, to_i);
    if (source < target) {
        for (size_t i = n; i-- > 0;) gc_store_slow(g, &target[i], source[i]);
    } else {
        for (size_t i = 0; i < n; i++) gc_store_slow(g, &target[i], source[i]);
    }
}

/* ---- Minor collection. ---- */

static void evacuate_set(struct gc_domain *g) {
    struct gc_words *set = &g->heap->remembered;
    gc_evacuate_each(g, (value **)set->items, set->count);
    set->count = 0;
}

/* A search through the old blocks for slots that hold young ones. */
struct search {
    struct gc_domain *g;
    value *from; /* slots below it were looked at */
    bool full;   /* the set is; go on from `from` */
};

static void search_block(void *context, value v) {
    struct search *s = context;
    struct gc_heap *heap = s->g->heap;
    header h = header_of(v);
    if (s->full || gc_is_unreached(heap, v) || tag_of_header(h) >= TAG_NO_SCAN) return;
    value *slot = (value *)v, *end = slot + wosize_of_header(h);
    for (slot = slot < s->from ? s->from : slot; slot < end; slot++) {
        if (!is_block(*slot) || !gc_is_young(s->g, *slot)) continue;
        if (heap->remembered.count == heap->remembered.capacity) {
            s->full = true;
            s->from = slot;
            return;
        }
        gc_words_append(&heap->remembered, (uintptr_t)slot);
    }
}

/* Finds lost slots, as many at a time as the set has room for. Evacuating them changes the spans,
 * so the walk of a span begins anew each time; copies that it meets, gc_minor_drain would do. */
static void evacuate_lost(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct search s = {.g = g};
    for (size_t i = 0; i < heap->top_span; i += !s.full) {
        struct gc_span *span = &heap->spans[i];
        s.full = false;
        if (span->kind != SPAN_REGION && (span->kind != SPAN_SMALL || span->no_scan)) continue;
        gc_pools_park(heap);
        gc_span_walk(heap, span, search_block, &s);
        evacuate_set(g);
    }
    heap->remembered_lost = false;
}

void gc_remembered_evacuate(struct gc_domain *g) {
    evacuate_set(g);
    if (g->heap->remembered_lost) evacuate_lost(g);
}

void gc_remembered_forget(struct gc_domain *g, value *from, value *to) {
    struct gc_words *set = &g->heap->remembered;
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        value *slot = (value *)set->items[i];
        if (slot < from || slot >= to) set->items[kept++] = set->items[i];
    }
    set->count = kept;
}
