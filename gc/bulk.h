/* bulk.h - allocation of many blocks in the major heap, for unmarshalling: inline, counted and
 * paced once at the end, without a collection.
 *
 * Between gc_bulk_begin and gc_bulk_end nothing else may use the heap, except gc_alloc_major and
 * gc_alloc_major_unsampled. Fields may be uninitialised until gc_bulk_end, and then must all be set
 * (V2). */
#ifndef BACTRIAN_GC_BULK_H
#define BACTRIAN_GC_BULK_H

#include "gc/heap.h"

struct gc_span;

/* The allocator of one size class (pool.c): bumps through the gaps of a span. */
struct gc_pool {
    uintptr_t bump, end;       /* the current gap */
    uintptr_t next_gap;        /* the gap after it in the same span, 0: none */
    uintptr_t cell_bytes;      /* of mixed spans: of a word */
    struct gc_span *current;   /* the span of the gap, NULL: none yet */
    struct gc_span *available; /* swept, with gaps */
    size_t added;              /* spans that it was given, ever */
    struct gc_span *unswept;   /* to be swept before use */
    uint8_t class_index;
    bool no_scan;
};

/* Blocks of 1 .. GC_EXACT_WOSIZE words have a class each, numbered from 0. */
enum { GC_EXACT_WOSIZE = 16 };

struct gc_bulk {
    struct gc_domain *g;
    struct gc_pool *pools[2]; /* [no_scan], of the exact classes */
    header colour;            /* of new blocks, shifted as in a header */
    size_t words;             /* allocated so far, headers included */
};

/* Starts a bulk allocation. GC: never. */
void gc_bulk_begin(struct gc_bulk *b, struct gc_domain *g);
/* Counts the words that were allocated. GC: never (a slice may be requested). */
void gc_bulk_end(struct gc_bulk *b);

/* gc_bulk_alloc for any wosize. GC: never. */
value gc_bulk_alloc_any(struct gc_bulk *b, size_t wosize, unsigned tag);

/* A block of wosize >= 1 words, fields uninitialised; 0 when memory or the limit is exhausted. GC:
 * never. */
static inline value gc_bulk_alloc(struct gc_bulk *b, size_t wosize, unsigned tag) {
    if (__builtin_expect(wosize > GC_EXACT_WOSIZE, 0)) return gc_bulk_alloc_any(b, wosize, tag);
    struct gc_pool *pool = &b->pools[tag >= TAG_NO_SCAN][wosize - 1];
    uintptr_t p = pool->bump, next = p + 8 * (wosize + 1);
    if (__builtin_expect(next > pool->end, 0)) return gc_bulk_alloc_any(b, wosize, tag);
    pool->bump = next;
    *(header *)p = (wosize << 10) | b->colour | tag;
    b->words += wosize + 1;
    return (value)(p + 8);
}

#endif
