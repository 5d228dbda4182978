/* dominators.h - which block holds which: the dominator tree of a graph, and retained sizes.
 *
 * A node dominates those that are reachable only through it: they would be freed with it. Its
 * retained size is theirs and its own.
 *
 * HD1  A node's number in the tree's order is greater than its dominator's. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_DOMINATORS_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_DOMINATORS_H

#include "memprof/report/heap/graph.h"

/* The tree: the children of a node are children[first_child[n]] .. children[first_child[n+1] - 1],
 * nodes of the graph, as all numbers here. */
struct heap_tree {
    uint32_t *first_child, *children;
    uint64_t *retained; /* words */
    size_t unreachable; /* blocks: 0 in a snapshot as it was written */
};

/* The tree of a graph. Fails: as report_alloc. */
struct heap_tree *heap_tree_make(const struct heap_graph *graph);
void heap_tree_free(struct heap_tree *tree); /* NULL is fine */

#endif
