/* walk.c - see walk.h. */
#include "gc/walk.h"

#include "gc/heap_internal.h"

bool gc_block_number(const struct gc_domain *g, value v, uint64_t *number) {
    const struct gc_heap *heap = g->heap;
    if (!gc_is_major_block(heap, v)) return false;
    *number = ((uintptr_t)block_start(v) - 8 - heap->major_start) / 8;
    return true;
}

/* ---- Blocks. ---- */

static bool is_reachable(const struct gc_heap *heap, value v) {
    return colour_of_header(header_of(v)) != COLOUR_FREE && !gc_is_unreached(heap, v);
}

bool gc_is_reachable(const struct gc_domain *g, value v) {
    return gc_is_major_block(g->heap, v) && is_reachable(g->heap, v);
}

struct block_walk {
    const struct gc_heap *heap;
    void (*f)(void *context, value v);
    void *context;
};

static void pass_reachable(void *context, value v) {
    const struct block_walk *walk = context;
    if (is_reachable(walk->heap, v)) walk->f(walk->context, v);
}

void gc_walk_blocks(struct gc_domain *g, void (*f)(void *context, value v), void *context) {
    struct gc_heap *heap = g->heap;
    struct block_walk walk = {heap, f, context};
    ASSERT(g->young_ptr == g->young_end && heap->phase != PHASE_MARK);
    gc_pools_park(heap);
    for (size_t i = 0; i < heap->top_span; i += gc_spans_from(&heap->spans[i]))
        if (heap->spans[i].kind != SPAN_FREE)
            gc_span_walk(heap, &heap->spans[i], pass_reachable, &walk);
}

/* ---- Roots. ---- */

struct root_walk {
    struct gc_visitor visitor; /* first: visitors are passed by its address */
    void (*f)(void *context, const struct gc_root *root);
    void *context;
    struct gc_root root;
};

static void pass_slot(struct root_walk *walk, const value *slot) {
    walk->root.slot = slot;
    walk->f(walk->context, &walk->root);
}

static void pass_slots(struct gc_visitor *visitor, value *from, value *to) {
    for (; from < to; from++) pass_slot((struct root_walk *)visitor, from);
}

static void walk_set(struct root_walk *walk, const struct word_map *set) {
    for (size_t i = 0; i < set->capacity; i++)
        if (set->entries[i].key) pass_slot(walk, (const value *)set->entries[i].key);
}

/* The arguments of `first` that are not ready are roots of minor collections only (final.c). */
static void walk_finalisers(struct root_walk *walk, const struct gc_finalisers *table,
                            bool arguments) {
    for (size_t i = 0; i < table->count; i++) {
        pass_slot(walk, &table->items[i].function);
        if (arguments) pass_slot(walk, &table->items[i].argument);
    }
}

void gc_walk_roots(struct gc_domain *g, void (*f)(void *context, const struct gc_root *root),
                   void *context) {
    const struct gc_heap *heap = g->heap;
    struct root_walk walk = {
        .visitor = {.g = g, .slots = pass_slots, .roots_only = true}, .f = f, .context = context};
    ASSERT(g->young_ptr == g->young_end && heap->phase != PHASE_MARK);
    walk.root.kind = GC_ROOT_IN_C;
    gc_visit_frames(&walk.visitor, g->local_roots);
    walk.root.kind = GC_ROOT_SLOT;
    walk_set(&walk, &heap->roots);
    walk_set(&walk, &heap->mutable_roots);
    walk.root.kind = GC_ROOT_SCANNED;
    for (size_t i = 0; i < heap->scanner_count; i++) {
        walk.root.scanner = heap->scanners[i].name;
        heap->scanners[i].scan(heap->scanners[i].context, &walk.visitor);
    }
    walk.root = (struct gc_root){.kind = GC_ROOT_FINALISER};
    walk_finalisers(&walk, &g->final.first, false);
    walk_finalisers(&walk, &g->final.last, false);
    walk_finalisers(&walk, &g->final.ready, true);
}
