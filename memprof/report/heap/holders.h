/* holders.h - the dominator tree with like blocks merged, as it is shown. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_HOLDERS_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_HOLDERS_H

#include "memprof/report/heap/dominators.h"

/* Blocks of one kind that blocks of the holder above dominate directly, or through others of that
 * kind: a list is one holder. Or a root. */
struct heap_holder {
    uint32_t node;     /* one of them; 0: the root of the tree, all roots */
    uint32_t above;    /* what dominates it */
    uint32_t field;    /* of that, which leads there and has a name; HEAP_NO_FIELD: none */
    uint32_t depth;    /* of that in the tree: 0 */
    uint64_t retained; /* words */
    uint64_t own;      /* words, theirs alone */
    uint64_t blocks;
    uint32_t sampled, place; /* how many a recording had sampled; where most were allocated */
    uint32_t of_place;       /* how many were allocated there */
};

struct heap_holders {
    REPORT_VECTOR(struct heap_holder) list; /* each after the one above it, the largest first */
};

/* The holders that retain at least that many words. Fails: as report_alloc. */
struct heap_holders heap_holders_find(const struct heap_graph *graph, const struct heap_tree *tree,
                                      uint64_t least_words);

#endif
