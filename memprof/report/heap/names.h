/* names.h - roots and kinds of blocks as text, freed with free(). */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_NAMES_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_NAMES_H

#include "memprof/report/heap/graph.h"

/* `module Cache`, `variable key of Cache.find (cache.ml)`, `stack of Cache.find (cache.ml), word
 * 2`. */
char *heap_root_text(const struct heap_root *root);
/* `block of 3: Cache.session`, `closure of Cache.add.(fun) (cache.ml:12)`; without the type. */
char *heap_kind_text(const struct heap_kind *kind);
char *heap_shape_text(const struct heap_kind *kind);
/* By what a block leads to another one: `.data`, `captured session`, `.2`, or `` if field is
 * HEAP_NO_FIELD. */
char *heap_edge_text(const struct heap_graph *graph, uint32_t from, uint32_t field);
/* Where the name of that field is from: `debug information`, `.cmi`, `class`, or `` if it has
 * none. */
const char *heap_edge_source(const struct heap_graph *graph, uint32_t from, uint32_t field);
/* The same for a root: `debug information`, `linker`. */
const char *heap_root_source(const struct heap_root *root);
/* Either, of a node above 0; of a block to which roots lead, with the first of them: `block of 4,
 * from module Cache and 2 more roots`. */
char *heap_held_text(const struct heap_graph *graph, uint32_t node);
/* Either, of a node above 0. */
char *heap_node_text(const struct heap_graph *graph, uint32_t node);

#endif
