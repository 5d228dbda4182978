/* stats.h - counters of the collector; gc_stats_walk adds what only a heap walk can tell. */
#ifndef BACTRIAN_GC_STATS_H
#define BACTRIAN_GC_STATS_H

#include <stddef.h>

struct gc_domain;

struct gc_stats {
#define STAT(name, meaning) size_t name;
#include "gc/stats.def"
#undef STAT
};

struct gc_walk_stats {
    size_t live_words, live_blocks, free_words, free_blocks, largest_free_words, fragments;
};

/* Current values. GC: never. */
void gc_stats_read(const struct gc_domain *g, struct gc_stats *out);
/* Live and free blocks of the major heap, by walking it. GC: never. */
void gc_stats_walk(struct gc_domain *g, struct gc_walk_stats *out);

#endif
