/* rings.c - see rings.h. */
#include "memprof/report/live/rings.h"

#include "gc/assert.h"

#include <stdlib.h>

enum { SLOTS = REPORT_RING_SECONDS + 1 };

void report_ring_put(struct report_ring *ring, uint32_t last, uint32_t second, double value) {
    ASSERT(last <= second);
    const double before = ring->at[last % SLOTS];
    uint32_t from = second - last < SLOTS ? last + 1 : second - SLOTS + 1;
    for (uint32_t i = from; i < second; i++) ring->at[i % SLOTS] = before;
    ring->at[second % SLOTS] = value;
}

double report_ring_rate(const struct report_ring *ring, const struct report_seconds *s,
                        uint32_t n) {
    uint32_t known = s->now - s->first;
    ASSERT(n <= REPORT_RING_SECONDS);
    if (n > known) n = known;
    if (n == 0) return 0;
    return (ring->at[s->now % SLOTS] - ring->at[(s->now - n) % SLOTS]) / n;
}

void report_pauses_put(struct report_pauses *pauses, int64_t end, double seconds) {
    pauses->at[pauses->next].end = end;
    pauses->at[pauses->next].seconds = (float)seconds;
    pauses->next = (pauses->next + 1) % REPORT_RING_PAUSES;
    if (pauses->count < REPORT_RING_PAUSES) pauses->count++;
}

REPORT_COMPARE(by_seconds, float, report_order(*x, *y))

size_t report_pauses_read(const struct report_pauses *pauses, int64_t after, double *p50,
                          double *p99) {
    float *sorted = report_alloc(REPORT_RING_PAUSES * sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; i < pauses->count; i++)
        if (pauses->at[i].end > after) sorted[n++] = pauses->at[i].seconds;
    qsort(sorted, n, sizeof *sorted, by_seconds);
    *p50 = n > 0 ? sorted[(n - 1) / 2] : 0;
    *p99 = n > 0 ? sorted[n - 1 - n / 100] : 0;
    free(sorted);
    return n;
}
