/* sweep.c - turning dead blocks into gaps.
 *
 * Sweeping is lazy: a pool that runs out of cells sweeps the next span of its class (pool.c), an
 * allocation of a large block sweeps regions (large.c), and slices sweep the rest. Each unswept
 * span is on exactly one list - of its pool, or the index range of regions - and leaves it when it
 * is swept, so that no list holds a span that has changed its use.
 *
 * Gaps are chained in address order, so that blocks allocated together stay together and the
 * hardware prefetcher sees ascending addresses. */
#include "gc/heap_internal.h"

enum { SMALL_SPAN_WORK = SPAN_WORDS / 8 };

/* Gives [from, to) one free header and, if there is room for a link, appends it to the chain that
 * ends at link. */
static uintptr_t *close_gap(uintptr_t from, uintptr_t to, uintptr_t *link) {
    uintptr_t *words = (uintptr_t *)from;
    ASSERT(from < to);
    words[0] = make_header((to - from) / 8 - 1, 0, COLOUR_FREE);
    if (to - from == 8) return link; /* in mixed spans only */
    *link = from;
    return words + 1;
}

/* With fill, each cell is filled with junk when it dies, and the header and link of gaps that
 * become part of a larger one. */
static inline __attribute__((always_inline)) void sweep_cells(struct gc_heap *heap,
                                                              struct gc_span *span, bool fill) {
    const uintptr_t cell = 8u * span->cell_words;
    const uintptr_t dead = (uintptr_t)gc_dead_colour(heap) << 8;
    const uintptr_t free_bits = (uintptr_t)COLOUR_FREE << 8;
    uintptr_t p = gc_span_start(heap, span), end = p + span->cells * cell, gap = 0;
    uintptr_t *link = &span->gaps;
    while (p < end) {
        header h = *(header *)p;
        uintptr_t colour = h & COLOUR_BITS;
        if (colour == dead) {
            if (!gap) gap = p;
            if (fill) gc_fill_junk(p, p + cell);
            p += cell;
        } else if (colour == free_bits) {
            if (fill) gc_fill_junk(p, p + 16);
            if (!gap) gap = p;
            p += 8 * (wosize_of_header(h) + 1);
        } else {
            if (gap) link = close_gap(gap, p, link);
            gap = 0;
            p += cell;
        }
    }
    ASSERT(p == end); /* P1 */
    if (gap) link = close_gap(gap, end, link);
    *link = 0;
}

/* The same for a mixed span, whose blocks are as large as their headers say. */
static inline __attribute__((always_inline)) void sweep_mixed(struct gc_heap *heap,
                                                              struct gc_span *span, bool fill) {
    const uintptr_t dead = (uintptr_t)gc_dead_colour(heap) << 8;
    const uintptr_t free_bits = (uintptr_t)COLOUR_FREE << 8;
    uintptr_t p = gc_span_start(heap, span), end = p + SPAN_BYTES, gap = 0;
    uintptr_t *link = &span->gaps;
    while (p < end) {
        const header h = *(header *)p;
        const uintptr_t colour = h & COLOUR_BITS, next = p + 8 * (wosize_of_header(h) + 1);
        if (colour == dead || colour == free_bits) {
            if (!gap) gap = p;
            if (fill) gc_fill_junk(p, colour == dead || next - p < 16 ? next : p + 16);
        } else {
            if (gap) link = close_gap(gap, p, link);
            gap = 0;
        }
        p = next;
    }
    ASSERT(p == end); /* P1 */
    if (gap) link = close_gap(gap, end, link);
    *link = 0;
}

size_t gc_sweep_small(struct gc_heap *heap, struct gc_span *span) {
    ASSERT(heap->phase == PHASE_SWEEP && span->kind == SPAN_SMALL && span->unswept); /* M3 */
    if (gc_is_mixed(span)) {
        if (gc_fills_junk(heap)) sweep_mixed(heap, span, true);
        else sweep_mixed(heap, span, false);
    } else if (gc_fills_junk(heap)) sweep_cells(heap, span, true);
    else sweep_cells(heap, span, false);
    span->unswept = false;
    return SMALL_SPAN_WORK;
}

void gc_sweep_start(struct gc_heap *heap) {
    ASSERT(heap->phase == PHASE_INSPECT);
    gc_pools_park(heap);
    for (size_t i = 0; i < gc_pool_count(heap); i++) {
        struct gc_pool *pool = gc_pool_at(heap, i);
        pool->available = pool->unswept = NULL;
    }
    /* From the top, so that each list ascends. */
    for (size_t i = heap->top_span; i-- > 0;) {
        struct gc_span *span = &heap->spans[i];
        if (span->kind == SPAN_SMALL) {
            struct gc_pool *pool = gc_is_mixed(span)
                                       ? &heap->mixed
                                       : &heap->pools[span->no_scan][span->class_index];
            span->next = pool->unswept;
            pool->unswept = span;
            span->unswept = true;
        } else if (span->kind == SPAN_REGION) span->unswept = true;
    }
    heap->sweep_pool = 0;
    gc_pools_unmix(heap);
    heap->region_cursor = 0;
    heap->region_end = heap->top_span;
    heap->phase = PHASE_SWEEP;
}

/* Sweeps one span of the pool; it becomes available, or free if it is empty. */
static size_t sweep_for_slice(struct gc_heap *heap, struct gc_pool *pool) {
    struct gc_span *span = pool->unswept;
    pool->unswept = span->next;
    size_t work = gc_sweep_small(heap, span);
    if (!span->gaps) return work;
    size_t gap_words = wosize_of_header(*(header *)span->gaps) + 1;
    if (gap_words == (size_t)span->cells * span->cell_words) gc_spans_free(heap, span, 1);
    else {
        span->next = pool->available;
        pool->available = span;
    }
    return work;
}

intptr_t gc_sweep_some(struct gc_domain *g, intptr_t budget) {
    struct gc_heap *heap = g->heap;
    intptr_t work = 0;
    ASSERT(heap->phase == PHASE_SWEEP);
    while (work < budget) {
        if (heap->sweep_pool < gc_pool_count(heap)) {
            struct gc_pool *pool = gc_pool_at(heap, heap->sweep_pool);
            if (pool->unswept) work += (intptr_t)sweep_for_slice(heap, pool);
            else heap->sweep_pool++;
            continue;
        }
        struct gc_span *region = gc_region_next_unswept(heap);
        if (!region) {
            heap->phase = PHASE_IDLE;
            gc_pace_cycle_ended(heap);
            gc_verify_phase(g, "after sweep");
            break;
        }
        work += (intptr_t)gc_region_sweep(heap, region);
    }
    return work;
}
