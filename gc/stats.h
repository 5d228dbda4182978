/* stats.h - counters of the collector, walks over the heap, pause times.
 *
 * A pause lasts from the begin to the end of GC_ACT_PAUSE, in CPU time of the thread. */
#ifndef BACTRIAN_GC_STATS_H
#define BACTRIAN_GC_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gc_domain;

struct gc_stats {
#define STAT(name, meaning) size_t name;
#include "gc/stats.def"
#undef STAT
};
/* What was allocated, in words: counters of struct gc_stats. */
struct gc_allocated {
    size_t minor_words, promoted_words, major_words;
};
struct gc_walk_stats {
    size_t live_words, live_blocks, free_words, free_blocks, largest_free_words, fragments;
};
struct gc_pause_stats {
    size_t count;
    uint64_t total_ns, longest_ns;
    uint64_t median_ns, p99_ns, p999_ns; /* at most 3 % too high */
};

/* Current values. GC: never. */
struct gc_stats gc_stats_read(const struct gc_domain *g);
/* Until now; when the last minor collection ended. GC: never. */
struct gc_allocated gc_allocated(const struct gc_domain *g);
struct gc_allocated gc_allocated_at_minor(const struct gc_domain *g);
/* Live and free blocks of the major heap, by walking it. GC: never. */
void gc_stats_walk(struct gc_domain *g, struct gc_walk_stats *out);

/* Measures pauses from now on. False when out of memory. GC: never. */
bool gc_measure_pauses(struct gc_domain *g);
/* The pauses so far; all 0 if they are not measured. GC: never. */
void gc_pauses_read(const struct gc_domain *g, struct gc_pause_stats *out);

#endif
