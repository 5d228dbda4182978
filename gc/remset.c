/* remset.c - stores into old blocks: the remembered set and the deletion barrier.
 *
 * The set is an array of slot addresses, emptied by each minor collection. A slot is added when a
 * young block is stored over something that was not one; if it was one, G2 says that the slot is
 * there already, so repeated stores into one slot add it once. */
#include "gc/heap_internal.h"

static inline void remember(struct gc_heap *heap, value *slot) {
    gc_words_push(heap, &heap->remembered, (uintptr_t)slot);
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
    if (is_block(v) && gc_is_young(g, v)) remember(g->heap, slot);
}

void gc_init_field(struct gc_domain *g, value b, size_t i, value v) {
    field(b, i) = v;
    if (is_block(v) && gc_is_young(g, v) && !gc_is_young(g, b)) remember(g->heap, &field(b, i));
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

void gc_remembered_evacuate(struct gc_domain *g) {
    struct gc_words *set = &g->heap->remembered;
    gc_evacuate_each(g, (value **)set->items, set->count);
    set->count = 0;
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
