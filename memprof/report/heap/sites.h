/* sites.h - what holds the blocks that a recording had sampled, by where they were allocated. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_SITES_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_SITES_H

#include "memprof/report/heap/held.h"

/* Sampled blocks of one place that the same holder has. */
struct heap_site {
    uint32_t place;   /* of graph.places */
    uint32_t holder;  /* as in struct heap_held */
    uint32_t sampled; /* blocks */
    uint64_t words;   /* theirs */
};

struct heap_sites {
    REPORT_VECTOR(struct heap_site) list; /* the most sampled blocks first */
};

/* Needs: a graph with samples. Fails: as report_alloc. */
struct heap_sites heap_sites_find(const struct heap_graph *graph, const struct heap_held *held);

#endif
