/* names.h - roots and kinds of blocks as text, freed with free(). */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_NAMES_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_NAMES_H

#include "memprof/report/heap/graph.h"

/* `module Cache`, `stack of Cache.find (cache.ml), word 2`. */
char *heap_root_text(const struct heap_root *root);
/* `block of 3`, `closure of Cache.add.(fun) (cache.ml:12)`. */
char *heap_kind_text(const struct heap_kind *kind);
/* Either, of a node above 0. */
char *heap_node_text(const struct heap_graph *graph, uint32_t node);

#endif
