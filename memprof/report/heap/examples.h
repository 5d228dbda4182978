/* examples.h - what is in a block, as OCaml writes it: `{id = 17; name = "x"; _}`. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_EXAMPLES_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_EXAMPLES_H

#include "memprof/report/heap/graph.h"

/* The content of a block. */
struct heap_content heap_content(const struct heap_graph *graph, uint32_t node);
/* `"text"`, of a longer string `"first bytes"...`; control characters and bytes that are no UTF-8
 * are escaped. Freed with free(). */
char *heap_string_text(const struct heap_content *string);
/* The content of a block, or of what its first fields lead to; "" if none is known, and of roots.
 * Freed with free(). */
char *heap_example_text(const struct heap_graph *graph, uint32_t node);

#endif
