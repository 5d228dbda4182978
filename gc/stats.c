/* stats.c - reading the counters, and what only a walk over the heap can count.
 *
 * The counters of stats.def are kept by those who do the work; what is still in the young area and
 * what follows from the state of the heap is added here, on reading.
 *
 *     heap words = live words + free words + fragments
 *
 * Fragments are what no block can be put in: the rest of a cell behind its block, of a span behind
 * its last cell, of a granule. Blocks that wait to be swept count as free. */
#include "gc/stats.h"

#include "gc/heap_internal.h"

void gc_stats_read(const struct gc_domain *g, struct gc_stats *out) {
    const struct gc_heap *heap = g->heap;
    *out = heap->stats;
    out->minor_words += (g->young_end - g->young_ptr) / 8;
    out->heap_words = heap->committed_spans * SPAN_WORDS;
    out->live_words = heap->pace.live_words + heap->pace.allocated_words;
    out->heap_chunks = (out->heap_words * 8 + COMMIT_BYTES - 1) / COMMIT_BYTES;
    if (out->top_heap_words < out->heap_words) out->top_heap_words = out->heap_words;
}

/* ---- Walks over the blocks ---- */

struct walk {
    struct gc_heap *heap;
    struct gc_walk_stats *stats;
    void (*f)(void *context, value v);
    void *context;
};

static bool is_dead(const struct gc_heap *heap, value v) { return gc_is_unreached(heap, v); }

static void count_free(void *context, uintptr_t start, size_t words) {
    struct gc_walk_stats *stats = ((struct walk *)context)->stats;
    stats->free_blocks++;
    stats->free_words += words;
    if (words > stats->largest_free_words) stats->largest_free_words = words;
}

static void count_block(void *context, value v) {
    struct walk *walk = context;
    size_t words = wosize_of(v) + 1;
    if (is_dead(walk->heap, v)) {
        count_free(context, (uintptr_t)v - 8, words);
        return;
    }
    walk->stats->live_blocks++;
    walk->stats->live_words += words;
}

/* The spans of a free run whose memory was not given back count as one free block. */
static void count_free_run(struct walk *walk, const struct gc_span *span) {
    size_t usable = 0;
    for (size_t i = 0; i < span->length; i++) usable += !span[i].discarded;
    if (usable > 0) count_free(walk, 0, usable * SPAN_WORDS);
}

static void count_span(void *context, struct gc_span *span) {
    struct walk *walk = context;
    if (span->kind == SPAN_FREE) {
        count_free_run(walk, span);
        return;
    }
    gc_span_walk(walk->heap, span, count_block, walk);
    gc_span_walk_free(walk->heap, span, count_free, walk);
}

void gc_stats_walk(struct gc_domain *g, struct gc_walk_stats *out) {
    struct walk walk = {.heap = g->heap, .stats = out};
    memset(out, 0, sizeof *out);
    gc_pools_park(g->heap);
    gc_spans_walk(g->heap, count_span, &walk);
    out->fragments = g->heap->committed_spans * SPAN_WORDS - out->live_words - out->free_words;
}

static void visit_block(void *context, value v) {
    struct walk *walk = context;
    if (!is_dead(walk->heap, v)) walk->f(walk->context, v);
}

static void visit_span(void *context, struct gc_span *span) {
    struct walk *walk = context;
    if (span->kind != SPAN_FREE) gc_span_walk(walk->heap, span, visit_block, walk);
}

void gc_walk(struct gc_domain *g, void (*f)(void *context, value v), void *context) {
    struct walk walk = {.heap = g->heap, .f = f, .context = context};
    gc_minor_collect(g);
    gc_pools_park(g->heap);
    gc_spans_walk(g->heap, visit_span, &walk);
}
