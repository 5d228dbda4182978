/* limit.c - what --max-heap counts, and tables that grow within it.
 *
 *     params.max_heap_words  >=  major heap  +  external_bytes  -  FREE_BYTES
 *     an eighth of it        >=  own_bytes   -  FREE_BYTES
 *
 * external_bytes is all that the program makes others hold outside the heap: elements of bigarrays,
 * channels, names, finalisers, ephemerons, custom blocks. What is taken there the heap may not have
 * (gc_limit_words), and the other way round. The first FREE_BYTES count nothing, so that a program
 * which holds no more than its standard channels finds the heap's limit exact.
 *
 * own_bytes are the mark stack, the remembered set and the like. Their sizes follow from what the
 * heap holds, not from what it was asked for, and whatever asks for more of them can do without. So
 * they have an account of their own: a program at its limit is not refused anything because its
 * heap is a deep one. */
#include "gc/heap_internal.h"

#include <stdlib.h>

#define FREE_BYTES ((size_t)1 << 20)
enum { OWN_SHARE = 8 };

/* Bytes beyond those that count nothing, as words. */
static size_t counted_words(size_t bytes) {
    return bytes > FREE_BYTES ? (bytes - FREE_BYTES + 7) / 8 : 0;
}

size_t gc_limit_words(const struct gc_heap *heap) {
    size_t limit = heap->params.max_heap_words, outside = counted_words(heap->external_bytes);
    if (limit == 0) return SIZE_MAX;
    return limit > outside ? limit - outside : 0;
}

/* Takes bytes, where heap and outside together may exceed the limit by some words. */
static bool take_with(struct gc_heap *heap, size_t bytes, size_t excess) {
    size_t limit = heap->params.max_heap_words, all;
    size_t used = (heap->top_span - heap->free_span_count) * SPAN_WORDS;
    if (__builtin_add_overflow(heap->external_bytes, bytes, &all)) return false;
    size_t outside = counted_words(all);
    if (limit != 0 && outside != 0 && outside + used > limit + excess) return false;
    heap->external_bytes = all;
    gc_spans_keep_within_limit(heap);
    return true;
}

bool gc_external_try(struct gc_heap *heap, size_t bytes) { return take_with(heap, bytes, 0); }

bool gc_external_owe(struct gc_heap *heap, size_t bytes) {
    return take_with(heap, bytes, heap->params.max_heap_words / OWN_SHARE);
}

bool gc_cycle_for_limit(struct gc_domain *g) {
    if (g->heap->params.max_heap_words == 0) return false;
    gc_full_major_cycle(g);
    return true;
}

bool gc_external_take(struct gc_domain *g, size_t bytes) {
    return gc_external_try(g->heap, bytes) ||
           (gc_cycle_for_limit(g) && gc_external_try(g->heap, bytes));
}

void gc_external_give(struct gc_heap *heap, size_t bytes) {
    if (heap != NULL) heap->external_bytes -= bytes;
}

bool gc_own_try(struct gc_heap *heap, size_t bytes) {
    size_t limit = heap->params.max_heap_words;
    if (limit != 0 && counted_words(heap->own_bytes + bytes) > limit / OWN_SHARE) return false;
    heap->own_bytes += bytes;
    return true;
}

static bool take(struct gc_heap *heap, enum gc_payer payer, size_t bytes) {
    if (payer == GC_COUNTED) return true;
    return payer == GC_OWN ? gc_own_try(heap, bytes) : gc_external_try(heap, bytes);
}

static void give(struct gc_heap *heap, enum gc_payer payer, size_t bytes) {
    if (payer == GC_OWN) heap->own_bytes -= bytes;
    else if (payer == GC_PROGRAM) gc_external_give(heap, bytes);
}

/* Twice the size. A table that is large beside the limit grows by an eighth: what is counted of it
 * is then near what is used. */
bool gc_table_grow(struct gc_heap *heap, const struct gc_growth *growth, void **items,
                   size_t *capacity, size_t n) {
    size_t had = *capacity, limit = heap->params.max_heap_words;
    bool large = limit != 0 && had * growth->counted_bytes > limit / 2;
    size_t wider = had == 0 ? growth->first : large ? had + had / 8 : 2 * had;
    if (n <= had) return true;
    while (wider < n) wider *= 2;
    size_t bytes = (wider - had) * growth->counted_bytes;
    if (!take(heap, growth->payer, bytes)) return false;
    void *moved = gc_os_realloc(&heap->faults, *items, wider * growth->item_bytes);
    if (moved == NULL) {
        give(heap, growth->payer, bytes);
        return false;
    }
    *items = moved;
    *capacity = wider;
    return true;
}

bool gc_words_reserve(struct gc_heap *heap, enum gc_payer payer, struct gc_words *w, size_t n) {
    const struct gc_growth growth = {payer, IF_SMALL_TABLES(1, 256), sizeof *w->items,
                                     sizeof *w->items};
    if (n <= w->capacity - w->count) return true;
    return gc_table_grow(heap, &growth, (void **)&w->items, &w->capacity, w->count + n);
}

void gc_words_free(struct gc_words *w) {
    free(w->items);
    *w = (struct gc_words){NULL, 0, 0};
}
