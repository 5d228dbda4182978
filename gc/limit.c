/* limit.c - what --max-heap counts, and the memory of tables.
 *
 *     params.max_heap_words  >=  major heap  +  external_bytes  -  FREE_BYTES
 *     an eighth of it        >=  own_bytes   -  FREE_BYTES
 *
 * external_bytes is what the program holds outside the heap: elements of bigarrays, channels,
 * names, finalisers, ephemerons, custom blocks. The heap and they share one limit. The first
 * FREE_BYTES are not counted, so that the limit is exact for the heap of a program that holds
 * little more than its standard channels.
 *
 * own_bytes are the mark stack, the remembered set and the like. Their sizes follow from the shape
 * of the heap, and the collector can work without them, so they have an account of their own: a
 * program near its limit is not refused memory because its heap is deep. */
#include "gc/heap_internal.h"

#include <stdlib.h>

#define FREE_BYTES ((size_t)1 << 20)
enum { OWN_SHARE = 8 };

/* Bytes beyond those that are not counted, in words. */
static size_t counted_words(size_t bytes) {
    return bytes > FREE_BYTES ? (bytes - FREE_BYTES + 7) / 8 : 0;
}

size_t gc_limit_words(const struct gc_heap *heap) {
    size_t limit = heap->params.max_heap_words, outside = counted_words(heap->external_bytes);
    if (limit == 0) return SIZE_MAX;
    return limit > outside ? limit - outside : 0;
}

/* Takes bytes; the heap and they together may exceed the limit by `excess` words. */
static bool take_with(struct gc_heap *heap, size_t bytes, size_t excess) {
    size_t limit = heap->params.max_heap_words, all;
    size_t used = gc_used_spans(heap) * SPAN_WORDS;
    if (__builtin_add_overflow(heap->external_bytes, bytes, &all)) return false;
    size_t outside = counted_words(all);
    if (limit != 0 && outside != 0 && outside + used > limit + excess) return false;
    heap->external_bytes = all;
    gc_spans_keep_within_limit(heap);
    return true;
}

bool gc_external_try_charge(struct gc_heap *heap, size_t bytes) {
    return take_with(heap, bytes, 0);
}

bool gc_external_owe(struct gc_heap *heap, size_t bytes) {
    return take_with(heap, bytes, heap->params.max_heap_words / OWN_SHARE);
}

bool gc_cycle_for_limit(struct gc_domain *g) {
    if (g->heap->params.max_heap_words == 0) return false;
    gc_full_cycle_for(g, GC_FOR_LIMIT);
    return true;
}

bool gc_external_charge(struct gc_domain *g, size_t bytes) {
    return gc_external_try_charge(g->heap, bytes) ||
           (gc_cycle_for_limit(g) && gc_external_try_charge(g->heap, bytes));
}

void *gc_external_realloc(struct gc_domain *g, void *memory, size_t old_bytes, size_t bytes) {
    ASSERT(bytes >= old_bytes);
    if (!gc_external_charge(g, bytes - old_bytes)) return NULL;
    void *moved = realloc(memory, bytes > 0 ? bytes : 1);
    if (!moved) gc_external_uncharge(g->heap, bytes - old_bytes);
    return moved;
}

void gc_external_uncharge(struct gc_heap *heap, size_t bytes) {
    if (heap == NULL) return;
    ASSERT(bytes <= heap->external_bytes);
    heap->external_bytes -= bytes;
}

void gc_words_free(struct gc_words *w) {
    free(w->items);
    *w = (struct gc_words){NULL, 0, 0};
}

/* ---- Memory of tables. ---- */

static bool table_charge(struct gc_heap *heap, enum gc_account account, size_t bytes) {
    if (account == GC_ACCOUNT_PROGRAM) return gc_external_try_charge(heap, bytes);
    if (account == GC_ACCOUNT_OWED) return gc_external_owe(heap, bytes);
    if (account == GC_ACCOUNT_NONE) return true;
    size_t limit = heap->params.max_heap_words;
    if (limit != 0 && counted_words(heap->own_bytes + bytes) > limit / OWN_SHARE) return false;
    heap->own_bytes += bytes;
    return true;
}

static void table_uncharge(struct gc_heap *heap, enum gc_account account, size_t bytes) {
    ASSERT(account != GC_ACCOUNT_COLLECTOR || bytes <= heap->own_bytes);
    if (account == GC_ACCOUNT_COLLECTOR) heap->own_bytes -= bytes;
    else if (account != GC_ACCOUNT_NONE) gc_external_uncharge(heap, bytes);
}

void *gc_resize(const struct vector_memory *memory, void *items, size_t old_bytes, size_t bytes) {
    const struct gc_memory *m = (const struct gc_memory *)memory;
    struct gc_heap *heap = m->heap;
    if (bytes == 0) {
        table_uncharge(heap, m->account, old_bytes * m->weight);
        free(items);
        return NULL;
    }
    ASSERT(bytes > old_bytes);
    size_t charge = (bytes - old_bytes) * m->weight;
    if (!table_charge(heap, m->account, charge)) return NULL;
    void *moved = gc_os_realloc(&heap->faults, items, bytes);
    if (!moved) table_uncharge(heap, m->account, charge);
    return moved;
}

/* A table that is large beside the limit grows by an eighth: what is charged is near what is used.
 */
size_t gc_large_bytes(const struct gc_heap *heap, size_t weight) {
    size_t limit = heap->params.max_heap_words;
    return limit == 0 ? SIZE_MAX : limit / 2 / weight;
}

bool gc_words_reserve(struct gc_heap *heap, enum gc_account account, struct gc_words *w, size_t n) {
    return vector_reserve(w, n, IF_SMALL_TABLES(1, 256), GC_MEMORY(heap, account, 1));
}
