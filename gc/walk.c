/* walk.c - see walk.h. */
#include "gc/walk.h"

#include "gc/heap_internal.h"

#include <stdlib.h>

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

/* ---- Young blocks. ---- */

struct young_walk {
    struct gc_visitor visitor; /* first: visitors are passed by its address */
    void (*f)(void *context, const struct gc_root *root, value v, bool direct);
    void *context;
    struct gc_root root;
    uint64_t *seen; /* a bit for each word from young_ptr on */
    struct VECTOR(value) stack;
    bool lost;
};

/* Puts a young block that was not seen on the stack. */
static void push_young(struct young_walk *walk, value v) {
    const struct gc_domain *g = walk->visitor.g;
    if (!is_block(v) || !gc_is_young(g, v)) return;
    v = block_start(v);
    size_t word = ((uintptr_t)v - g->young_ptr) / 8;
    if (walk->seen[word / 64] >> word % 64 & 1) return;
    walk->seen[word / 64] |= (uint64_t)1 << word % 64;
    walk->lost |= !vector_push(&walk->stack, v, IF_SMALL_TABLES(1, 1024), NULL);
}

static void follow_slot(struct young_walk *walk, const value *slot) {
    walk->root.slot = slot;
    push_young(walk, *slot);
    for (bool direct = true; walk->stack.count > 0; direct = false) {
        value v = walk->stack.items[--walk->stack.count];
        walk->f(walk->context, &walk->root, v, direct);
        if (tag_of(v) >= TAG_NO_SCAN) continue;
        for (size_t i = 0; i < wosize_of(v); i++) push_young(walk, field(v, i));
    }
}

static void follow_slots(struct gc_visitor *visitor, value *from, value *to) {
    for (; from < to; from++) follow_slot((struct young_walk *)visitor, from);
}

static void follow_each(struct young_walk *walk, const struct gc_words *slots) {
    for (size_t i = 0; i < slots->count; i++) {
        walk->root.number = i;
        follow_slot(walk, (const value *)slots->items[i]);
    }
}

static void follow_finalisers(struct young_walk *walk, const struct gc_finalisers *table,
                              bool arguments) {
    for (size_t i = table->old; i < table->count; i++) {
        follow_slot(walk, &table->items[i].function);
        if (arguments) follow_slot(walk, &table->items[i].argument);
    }
}

static void follow_roots(struct young_walk *walk) {
    const struct gc_domain *g = walk->visitor.g;
    const struct gc_heap *heap = g->heap;
    walk->root.kind = GC_ROOT_FIELD;
    follow_each(walk, &g->minor.remembered);
    walk->root.kind = GC_ROOT_SLOT;
    for (size_t i = 0; i < g->minor.roots.count; i++)
        if (word_map_find(&heap->roots, g->minor.roots.items[i]))
            follow_slot(walk, (const value *)g->minor.roots.items[i]);
    for (size_t i = 0; i < heap->mutable_roots.capacity; i++)
        if (heap->mutable_roots.entries[i].key)
            follow_slot(walk, (const value *)heap->mutable_roots.entries[i].key);
    walk->root.kind = GC_ROOT_IN_C;
    gc_visit_frames(&walk->visitor, g->local_roots);
    walk->root.kind = GC_ROOT_SCANNED;
    for (size_t i = 0; i < heap->scanner_count; i++) {
        walk->root.scanner = heap->scanners[i].name;
        heap->scanners[i].scan(heap->scanners[i].context, &walk->visitor);
    }
    walk->root = (struct gc_root){.kind = GC_ROOT_FINALISER};
    follow_finalisers(walk, &g->final.first, true);
    follow_finalisers(walk, &g->final.last, false);
    follow_finalisers(walk, &g->final.ready, true);
}

bool gc_walk_young(struct gc_domain *g,
                   void (*f)(void *context, const struct gc_root *root, value v, bool direct),
                   void *context) {
    struct young_walk walk = {
        .visitor = {.g = g, .slots = follow_slots, .roots_only = true}, .f = f, .context = context};
    const size_t words = (g->young_end - g->young_ptr) / 8;
    walk.seen = calloc(words / 64 + 1, sizeof *walk.seen);
    if (walk.seen == NULL) return false;
    follow_roots(&walk);
    free(walk.seen);
    free(walk.stack.items);
    return !walk.lost && !g->minor.remembered_lost && !g->minor.roots_lost;
}

struct field_search {
    value slot, block;
};

static void find_block(void *context, value v) {
    struct field_search *search = context;
    if (v <= search->slot) search->block = v;
}

value gc_block_of_field(const struct gc_domain *g, const value *slot) {
    struct gc_heap *heap = g->heap;
    struct field_search search = {(value)slot, 0};
    struct gc_span *span = gc_span_of(heap, search.slot);
    while (span->kind == SPAN_BODY) span--;
    if (span->kind == SPAN_SMALL && !gc_is_mixed(span)) {
        const uintptr_t start = gc_span_start(heap, span), cell = 8u * span->cell_words;
        return (value)(start + ((uintptr_t)slot - start) / cell * cell + 8);
    }
    gc_pools_park(heap);
    gc_span_walk(heap, span, find_block, &search);
    return search.block;
}
