/* pauses.c - see pauses.h.
 *
 * A pause is counted in one of 32 buckets for each power of two of nanoseconds; a percentile is the
 * upper end of the bucket that holds it. So nothing grows, however long a program runs. */
#include "gc/pauses.h"

#include "gc/heap_internal.h"

#include <stdlib.h>
#include <time.h>

enum { SUB_BUCKETS_LOG = 5, SUB_BUCKETS = 1 << SUB_BUCKETS_LOG };
enum { BUCKETS = (64 - SUB_BUCKETS_LOG + 1) * SUB_BUCKETS };

struct gc_pauses {
    uint64_t began_ns;
    uint64_t total_ns, longest_ns;
    size_t count;
    size_t buckets[BUCKETS];
};

static uint64_t now_ns(void) {
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
    struct gc_heap *heap = g->heap;
    if (heap->pauses) return true;
    heap->pauses = gc_os_alloc(&heap->faults, sizeof *heap->pauses);
    if (!heap->pauses) return false;
    memset(heap->pauses, 0, sizeof *heap->pauses);
    return true;
}

void gc_pauses_destroy(struct gc_heap *heap) {
    free(heap->pauses);
    heap->pauses = NULL;
}

void gc_pause_begins(struct gc_heap *heap) { heap->pauses->began_ns = now_ns(); }

void gc_pause_ends(struct gc_heap *heap) {
    struct gc_pauses *p = heap->pauses;
    uint64_t ns = now_ns() - p->began_ns;
    p->total_ns += ns;
    if (ns > p->longest_ns) p->longest_ns = ns;
    p->count++;
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
    const struct gc_pauses *p = g->heap->pauses;
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
