/* rings.h - the last minute of a recording: counters, once a second, and pauses. */
#ifndef BACTRIAN_MEMPROF_REPORT_LIVE_RINGS_H
#define BACTRIAN_MEMPROF_REPORT_LIVE_RINGS_H

#include "memprof/report/model/base.h"

enum { REPORT_RING_SECONDS = 60, REPORT_RATE_SECONDS = 5, REPORT_RING_PAUSES = 4096 };

/* A number at each of the last seconds; starts as all zeroes. */
struct report_ring {
    double at[REPORT_RING_SECONDS + 1]; /* by second, modulo its size */
};

/* The clock of rings: second `now` is the last one that was put; they begin with second `first`. */
struct report_seconds {
    uint32_t first, now;
};

/* Sets the number of second `second`, and of those after `last` that none was put in. */
void report_ring_put(struct report_ring *ring, uint32_t last, uint32_t second, double value);
/* The increase per second over the last n seconds, or as many as there are; 0 without any. */
double report_ring_rate(const struct report_ring *ring, const struct report_seconds *s, uint32_t n);

/* The last pauses. */
struct report_pauses {
    struct {
        int64_t end;
        float seconds;
    } at[REPORT_RING_PAUSES];
    size_t next, count;
};
void report_pauses_put(struct report_pauses *pauses, int64_t end, double seconds);
/* The median and the 99th percentile of those that ended after a time, and their number. */
size_t report_pauses_read(const struct report_pauses *pauses, int64_t after, double *p50,
                          double *p99);

#endif
