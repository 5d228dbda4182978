/* stats.c - counters, walks over the heap, pause times.
 *
 * The counters of stats.def are updated where the events happen; those that follow from the state
 * of the heap are computed when they are read.
 *
 *     heap words = live words + free words + fragments
 *
 * Fragments cannot hold a block: the rest of a cell after its block, of a span after its last cell,
 * of a granule. Dead blocks that are not swept yet count as free.
 *
 * Pauses are counted in a histogram with 32 buckets for each power of two of nanoseconds; a
 * percentile is the upper end of its bucket. So the memory does not grow with the running time. */
#include "gc/stats.h"

#include "gc/heap_internal.h"

#include <stdlib.h>
#include <time.h>

struct gc_stats gc_stats_read(const struct gc_domain *g) {
    const struct gc_heap *heap = g->heap;
    struct gc_stats now = heap->stats;
    ASSERT(g->young_ptr <= g->young_end); /* G1 */
    now.young_words = (g->young_end - g->young_ptr) / 8;
    now.minor_words += now.young_words;
    now.heap_words = heap->committed_spans * SPAN_WORDS;
    now.live_words = heap->pace.live_words + heap->pace.allocated_words;
    now.in_use_words = now.live_words + now.young_words + heap->external_bytes / 8;
    now.heap_chunks = (now.heap_words * 8 + COMMIT_BYTES - 1) / COMMIT_BYTES;
    if (now.top_heap_words < now.heap_words) now.top_heap_words = now.heap_words;
    return now;
}

struct gc_allocated gc_allocated(const struct gc_domain *g) {
    const struct gc_stats *s = &g->heap->stats;
    size_t young = (g->young_end - g->young_ptr) / 8;
    return (struct gc_allocated){s->minor_words + young, s->promoted_words, s->major_words};
}

struct gc_allocated gc_allocated_at_minor(const struct gc_domain *g) {
    return g->heap->allocated_at_minor;
}

struct walk {
    struct gc_heap *heap;
    struct gc_walk_stats *stats;
};

static void count_free(struct gc_walk_stats *stats, size_t words) {
    stats->free_blocks++;
    stats->free_words += words;
    if (words > stats->largest_free_words) stats->largest_free_words = words;
}

static void count_block(void *context, value v) {
    const struct walk *walk = context;
    size_t words = wosize_of(v) + 1;
    if (colour_of_header(header_of(v)) == COLOUR_FREE || gc_is_unreached(walk->heap, v)) {
        count_free(walk->stats, words);
    } else {
        walk->stats->live_blocks++;
        walk->stats->live_words += words;
    }
}

void gc_stats_walk(struct gc_domain *g, struct gc_walk_stats *out) {
    struct gc_heap *heap = g->heap;
    struct walk walk = {heap, out};
    memset(out, 0, sizeof *out);
    gc_pools_park(heap);
    for (size_t i = 0; i < heap->top_span;) {
        struct gc_span *span = &heap->spans[i];
        if (span->kind == SPAN_FREE) {
            /* The spans of a free run that have memory count as one free block. */
            size_t usable = 0;
            for (size_t k = 0; k < span->length; k++) usable += !span[k].discarded;
            if (usable > 0) count_free(out, usable * SPAN_WORDS);
        } else gc_span_walk(heap, span, count_block, &walk);
        i += gc_spans_from(span);
    }
    size_t heap_words = heap->committed_spans * SPAN_WORDS;
    ASSERT(out->live_words + out->free_words <= heap_words); /* P1, P3, P4 */
    out->fragments = heap_words - out->live_words - out->free_words;
}

/* ---- Pauses. ---- */

enum { SUB_BUCKETS_LOG = 5, SUB_BUCKETS = 1 << SUB_BUCKETS_LOG };
enum { BUCKETS = (64 - SUB_BUCKETS_LOG + 1) * SUB_BUCKETS };

struct gc_pauses {
    uint64_t began_ns;
    uint64_t total_ns, longest_ns;
    size_t count;
    size_t buckets[BUCKETS];
};

static uint64_t cpu_ns(void) {
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Numbers below SUB_BUCKETS have a bucket each; the others go by their highest bits. */
static size_t bucket_of(uint64_t ns) {
    if (ns < SUB_BUCKETS) return (size_t)ns;
    unsigned shift = 63 - SUB_BUCKETS_LOG - (unsigned)__builtin_clzll(ns);
    return (size_t)shift * SUB_BUCKETS + (size_t)(ns >> shift);
}

/* The highest number of a bucket. */
static uint64_t end_of_bucket(size_t bucket) {
    if (bucket < 2 * SUB_BUCKETS) return bucket;
    unsigned shift = (unsigned)(bucket / SUB_BUCKETS) - 1;
    uint64_t top = bucket - (uint64_t)shift * SUB_BUCKETS;
    return (top << shift) + (((uint64_t)1 << shift) - 1);
}

bool gc_measure_pauses(struct gc_domain *g) {
    if (g->pauses) return true;
    g->pauses = gc_os_realloc(&g->heap->faults, NULL, sizeof *g->pauses);
    if (g->pauses) memset(g->pauses, 0, sizeof *g->pauses);
    return g->pauses;
}

void gc_pause_begins(struct gc_domain *g) {
    ASSERT(g->pauses->began_ns == 0); /* pauses do not nest */
    g->pauses->began_ns = cpu_ns();
}

void gc_pause_ends(struct gc_domain *g) {
    struct gc_pauses *p = g->pauses;
    if (p->began_ns == 0) return; /* measuring began within the pause */
    uint64_t ns = cpu_ns() - p->began_ns;
    p->began_ns = 0;
    p->total_ns += ns;
    if (ns > p->longest_ns) p->longest_ns = ns;
    p->count++;
    ASSERT(bucket_of(ns) < BUCKETS && end_of_bucket(bucket_of(ns)) >= ns);
    p->buckets[bucket_of(ns)]++;
}

/* The shortest time that `share` of the pauses did not exceed. */
static uint64_t percentile(const struct gc_pauses *p, double share) {
    size_t above = (size_t)((1 - share) * (double)p->count), seen = 0;
    for (size_t i = BUCKETS; i-- > 0;) {
        seen += p->buckets[i];
        if (seen <= above) continue;
        uint64_t end = end_of_bucket(i);
        return end < p->longest_ns ? end : p->longest_ns;
    }
    return 0;
}

void gc_pauses_read(const struct gc_domain *g, struct gc_pause_stats *out) {
    const struct gc_pauses *p = g->pauses;
    *out = (struct gc_pause_stats){0};
    if (!p) return;
    *out = (struct gc_pause_stats){
        .count = p->count,
        .total_ns = p->total_ns,
        .longest_ns = p->longest_ns,
        .median_ns = percentile(p, 0.5),
        .p99_ns = percentile(p, 0.99),
        .p999_ns = percentile(p, 0.999),
    };
}
