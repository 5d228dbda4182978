/* paths.h - why blocks are alive: the shortest path from the roots to each, merged into a tree. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_PATHS_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_PATHS_H

#include "memprof/report/heap/graph.h"

/* A step of paths: like blocks that are reached by like fields of like blocks. A path through
 * several of them, as through the cells of a list, has one such step. */
struct heap_step {
    uint32_t node;       /* one of them, or a root */
    uint32_t above;      /* the one before it on the path */
    uint32_t field;      /* by which it was reached; HEAP_NO_FIELD: not by a field, or by several */
    uint32_t index;      /* the first of these fields; HEAP_NO_FIELD: not known */
    uint32_t fields, of; /* if by several: how many, and of how many one of the blocks above has */
    uint32_t depth;      /* of a root: 0 */
    uint64_t blocks, words; /* of those that the paths lead to */
    bool recursive;         /* some of these blocks lead to others of them */
    bool ends;              /* a path ends here */
};

struct heap_steps {
    REPORT_VECTOR(struct heap_step) list; /* each after the one above it, the most words first */
    uint64_t blocks, words;               /* to which there are paths */
};

/* The paths to all nodes that `wanted` marks, which are blocks; steps to at least that share of
 * their words. Fails: as report_alloc. */
struct heap_steps heap_steps_find(const struct heap_graph *graph, const bool *wanted, double least);

#endif
