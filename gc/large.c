/* large.c - blocks above 256 words, and the bins of free runs.
 *
 *     region = adjacent spans
 *     +--------------+------+-----------------------+---------+
 *     | block        | free | block                 | free    |      multiples of 512 bytes
 *     +--------------+------+-----------------------+---------+
 *
 * A free run has a header of COLOUR_FREE for all its words; field 0 says whether it is in the bins,
 * and the node of the bins follows (P3). Runs are merged in address order while a region is swept,
 * so no run has to find its left neighbour. Spans that became entirely free leave the region.
 *
 * The bins are exact up to 64 units, then 16 per power of two: the search finds a run at most 7 %
 * longer than the best fit, in constant time. */
#include "gc/heap_internal.h"

enum { EXACT_BINS = 64, SUB_BINS_LOG = 4, SUB_BINS = 1 << SUB_BINS_LOG };
enum { MAX_SEARCH_WORK = 100000 }; /* as much as a slice */

static unsigned log2_of(size_t n) { return 63 - (unsigned)__builtin_clzll(n); }

/* The bin of runs of this length. */
static unsigned bin_of(size_t length) {
    if (length < EXACT_BINS) return (unsigned)length;
    unsigned power = log2_of(length);
    unsigned sub = (unsigned)(length >> (power - SUB_BINS_LOG)) & (SUB_BINS - 1);
    unsigned bin = EXACT_BINS + (power - 6) * SUB_BINS + sub;
    return bin < BIN_COUNT ? bin : BIN_COUNT - 1;
}

void gc_bins_insert(struct gc_bins *bins, struct gc_run *run) {
    unsigned bin = bin_of(run->length);
    ASSERT(run->length > 0);
    run->prev = NULL;
    run->next = bins->heads[bin];
    if (run->next) run->next->prev = run;
    bins->heads[bin] = run;
    bins->occupied[bin / 64] |= (uint64_t)1 << (bin % 64);
}

void gc_bins_remove(struct gc_bins *bins, struct gc_run *run) {
    if (run->next) run->next->prev = run->prev;
    if (run->prev) {
        run->prev->next = run->next;
        return;
    }
    unsigned bin = bin_of(run->length);
    ASSERT(bins->heads[bin] == run);
    bins->heads[bin] = run->next;
    if (!run->next) bins->occupied[bin / 64] &= ~((uint64_t)1 << (bin % 64));
}

/* The first nonempty bin at or after `from`, or BIN_COUNT. */
static unsigned next_occupied(const struct gc_bins *bins, unsigned from) {
    if (from >= BIN_COUNT) return BIN_COUNT;
    unsigned word = from / 64;
    uint64_t bits = bins->occupied[word] & (~(uint64_t)0 << (from % 64));
    while (!bits) {
        if (++word == BIN_COUNT / 64) return BIN_COUNT;
        bits = bins->occupied[word];
    }
    return word * 64 + (unsigned)__builtin_ctzll(bits);
}

struct gc_run *gc_bins_find(const struct gc_bins *bins, size_t length) {
    unsigned bin = bin_of(length);
    /* Its own bin also holds runs that are too short; the shortest of a few that fit. */
    struct gc_run *best = NULL;
    int tries = bin == BIN_COUNT - 1 ? 1000000 : 8;
    for (struct gc_run *run = bins->heads[bin]; run && tries > 0; run = run->next, tries--) {
        if (run->length >= length && (!best || run->length < best->length)) best = run;
        if (run->length == length) break;
    }
    if (best) return best;
    bin = next_occupied(bins, bin + 1);
    return bin < BIN_COUNT ? bins->heads[bin] : NULL;
}

/* ---- Free granules: header, flag, node. ---- */

static struct gc_run *run_at(uintptr_t p) { return (struct gc_run *)(p + 16); }
static value *is_binned(uintptr_t p) { return (value *)(p + 8); }

/* Makes n granules at p a free run in the bins. */
static void put_free(struct gc_heap *heap, uintptr_t p, size_t n) {
    ASSERT(n > 0 && p % GRANULE_BYTES == 0); /* P3 */
    *(header *)p = make_header(n * GRANULE_WORDS - 1, 0, COLOUR_FREE);
    *is_binned(p) = VAL_TRUE;
    struct gc_run *run = run_at(p);
    run->length = n;
    gc_bins_insert(&heap->free_granules, run);
}

/* Granules of the block or free run at p. */
static size_t piece_granules(uintptr_t p) { return gc_granules(wosize_of_header(*(header *)p)); }

/* ---- Regions. ---- */

static void make_region(struct gc_span *first, size_t n) {
    first->kind = SPAN_REGION;
    first->run.length = n;
    first->unswept = false;
    for (size_t i = 1; i < n; i++) {
        first[i].kind = SPAN_BODY;
        first[i].unswept = false;
    }
}

/* A new region, one free run of at least n granules. Small requests get a region for several
 * blocks, so that little is lost at its end. */
static bool add_region(struct gc_domain *g, size_t n) {
    struct gc_heap *heap = g->heap;
    size_t exact = (n + SPAN_GRANULES - 1) / SPAN_GRANULES;
    size_t shared = exact * 8 < 16 ? exact * 8 : 16, length = shared;
    struct gc_span *span = shared > exact ? gc_spans_alloc(g, shared, false) : NULL;
    if (!span) {
        length = exact;
        span = gc_spans_alloc(g, exact, false);
    }
    if (!span) return false;
    make_region(span, length);
    put_free(heap, gc_span_start(heap, span), length * SPAN_GRANULES);
    return true;
}

/* Sweeps regions until there is a run of n granules; otherwise the heap would grow while it holds
 * dead large blocks. Gives up after as much work as a block of this size justifies. */
static struct gc_run *sweep_for(struct gc_heap *heap, size_t n) {
    const size_t most = MAX_SEARCH_WORK + n * GRANULE_WORDS;
    struct gc_span *region;
    for (size_t work = 0; work < most && (region = gc_region_next_unswept(heap)) != NULL;) {
        size_t done = gc_region_sweep(heap, region);
        work += done;
        heap->pace.debt -= (double)done;
        struct gc_run *run = gc_bins_find(&heap->free_granules, n);
        if (run) return run;
    }
    return NULL;
}

struct gc_span *gc_region_next_unswept(struct gc_heap *heap) {
    while (heap->region_cursor < heap->region_end) {
        struct gc_span *span = &heap->spans[heap->region_cursor];
        if (span->kind != SPAN_REGION) {
            heap->region_cursor++;
            continue;
        }
        heap->region_cursor += span->run.length;
        if (span->unswept) return span;
    }
    return NULL;
}

uintptr_t gc_large_alloc(struct gc_domain *g, size_t wosize) {
    struct gc_heap *heap = g->heap;
    ASSERT(wosize > MAX_YOUNG_WOSIZE);
    if (wosize >= heap->major_bytes / 8) return 0;
    size_t n = gc_granules(wosize);
    struct gc_run *run = gc_bins_find(&heap->free_granules, n);
    if (!run && heap->phase == PHASE_SWEEP) run = sweep_for(heap, n);
    if (!run) {
        if (!add_region(g, n)) return 0;
        run = gc_bins_find(&heap->free_granules, n);
    }
    gc_bins_remove(&heap->free_granules, run);
    uintptr_t p = (uintptr_t)run - 16;
    size_t length = run->length;
    ASSERT(length >= n && piece_granules(p) == length && *is_binned(p) == VAL_TRUE); /* P3 */
    if (length > n) put_free(heap, p + n * GRANULE_BYTES, length - n);
    return p;
}

/* ---- Sweeping. ---- */

/* Frees [from, to) of region [start, end): whole spans leave the region, the rest goes to the bins.
 * Returns where the part of the region that contains `to` starts. */
static uintptr_t close_free(struct gc_heap *heap, uintptr_t from, uintptr_t to, uintptr_t start,
                            uintptr_t end) {
    ASSERT(start <= from && from < to && to <= end); /* P3 */
    uintptr_t mask = SPAN_BYTES - 1;
    uintptr_t first = (from + mask) & ~mask, last = to & ~mask;
    if (first >= last) {
        put_free(heap, from, (to - from) / GRANULE_BYTES);
        return start;
    }
    if (first > from) put_free(heap, from, (first - from) / GRANULE_BYTES);
    if (to > last) put_free(heap, last, (to - last) / GRANULE_BYTES);
    if (first > start) make_region(gc_span_of(heap, (value)start), (first - start) >> SPAN_SHIFT);
    if (last < end) make_region(gc_span_of(heap, (value)last), (end - last) >> SPAN_SHIFT);
    gc_spans_free(heap, gc_span_of(heap, (value)first), (last - first) >> SPAN_SHIFT);
    return last;
}

size_t gc_region_sweep(struct gc_heap *heap, struct gc_span *region) {
    uintptr_t start = gc_span_start(heap, region);
    uintptr_t end = start + ((uintptr_t)region->run.length << SPAN_SHIFT);
    unsigned dead = gc_dead_colour(heap);
    uintptr_t free_from = 0;
    size_t work = 0;
    ASSERT(heap->phase == PHASE_SWEEP && region->kind == SPAN_REGION && region->unswept); /* M3 */
    region->unswept = false;
    for (uintptr_t p = start; p < end; work += 64) {
        header h = *(header *)p;
        size_t n = piece_granules(p);
        ASSERT(p + n * GRANULE_BYTES <= end); /* P3 */
        bool is_free = colour_of_header(h) == COLOUR_FREE;
        if (is_free && *is_binned(p) == VAL_TRUE) gc_bins_remove(&heap->free_granules, run_at(p));
        if (is_free || colour_of_header(h) == dead) {
            if (!free_from) free_from = p;
        } else if (free_from) {
            start = close_free(heap, free_from, p, start, end);
            free_from = 0;
        }
        p += n * GRANULE_BYTES;
    }
    if (free_from) close_free(heap, free_from, end, start, end);
    return work;
}

void gc_truncate(struct gc_domain *g, value v, size_t wosize) {
    struct gc_heap *heap = g->heap;
    size_t old = wosize_of(v);
    bool young = gc_is_young(g, v);
    ASSERT(wosize >= 1 && wosize <= old); /* V1 */
    if (heap->phase == PHASE_MARK && tag_of(v) < TAG_NO_SCAN && !young)
        for (size_t i = wosize; i < old; i++) gc_darken(heap, field(v, i));
    if (!young && wosize < old && gc_is_mixed(gc_span_of(heap, v))) {
        /* The tail becomes a gap outside the list until the next sweep. */
        value *tail = &field(v, wosize);
        gc_remembered_forget(g, tail, &field(v, old));
        *tail = (value)make_header(old - wosize - 1, 0, COLOUR_FREE);
    } else if (!young && gc_span_of(heap, v)->kind != SPAN_SMALL) {
        /* The tail becomes a free run, outside the bins until the next sweep. */
        uintptr_t tail = (uintptr_t)v - 8 + gc_granules(wosize) * GRANULE_BYTES;
        size_t n = gc_granules(old) - gc_granules(wosize);
        if (n > 0) {
            gc_remembered_forget(g, (value *)tail, (value *)(tail + n * GRANULE_BYTES));
            *(header *)tail = make_header(n * GRANULE_WORDS - 1, 0, COLOUR_FREE);
            *is_binned(tail) = VAL_FALSE;
        }
    }
    if (young && wosize < old) {
        /* The verifier walks the minor heap by headers: the tail becomes raw words. */
        field(v, wosize) = (value)make_header(old - wosize - 1, TAG_ABSTRACT, 0);
    }
    *header_ptr(v) = make_header(wosize, tag_of(v), colour_of_header(header_of(v)));
}
