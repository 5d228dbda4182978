/* held.h - what holds each block: a path of dominators from a root, as far as its steps have
 * names. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_HELD_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_HELD_H

#include "memprof/report/heap/dominators.h"

/* Of each node its dominator, and its holder: a root, a block that no single root holds, or what a
 * few steps with names lead to from there. */
struct heap_held {
    uint32_t *above, *holder;
};

/* Fails: as report_alloc. */
struct heap_held heap_held_find(const struct heap_graph *graph, const struct heap_tree *tree);
void heap_held_free(struct heap_held *held);

/* `module Session > .on_close closure of Session.add (session.ml:6) > captured payload string`, of
 * a holder; freed with free(). */
char *heap_holder_text(const struct heap_graph *graph, const struct heap_held *held,
                       uint32_t holder);

#endif
