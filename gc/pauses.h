/* pauses.h - how long the collector kept the program waiting.
 *
 * A pause is what lies between the begin and the end of GC_ACT_STOP, in processor time of the
 * thread: what other processes take from the program meanwhile is no pause. */
#ifndef BACTRIAN_GC_PAUSES_H
#define BACTRIAN_GC_PAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gc_domain;

struct gc_pause_stats {
    size_t count;
    uint64_t total_ns, longest_ns;
    uint64_t median_ns, p99_ns, p999_ns; /* at most 3 % too high */
};

/* Measures pauses from now on. False when memory is exhausted. GC: never. */
bool gc_measure_pauses(struct gc_domain *g);
/* What was measured; all 0 if nothing was. GC: never. */
void gc_pauses_read(const struct gc_domain *g, struct gc_pause_stats *out);

#endif
