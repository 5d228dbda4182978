/* walk.h - the blocks and the roots of the heap, for who describes them: a snapshot, or what
 * promotes young blocks.
 *
 * What is reachable is known right after gc_mark_everything, until something is allocated: nothing
 * is young then. */
#ifndef BACTRIAN_GC_WALK_H
#define BACTRIAN_GC_WALK_H

#include "gc/domain.h"

#include <stddef.h>

/* Whether v, any word, leads to a block of the major heap; then *number is that block's (of an
 * infix pointer, the closure's): the words from the start of the heap to its header. GC: never. */
bool gc_block_number(const struct gc_domain *g, value v, uint64_t *number);
/* Whether a block is reachable. Needs: as above. GC: never. */
bool gc_is_reachable(const struct gc_domain *g, value v);
/* Calls f with each reachable block, by ascending numbers. Needs: as above. GC: never. */
void gc_walk_blocks(struct gc_domain *g, void (*f)(void *context, value v), void *context);

enum gc_root_kind {
    GC_ROOT_IN_C,      /* a variable of a C function */
    GC_ROOT_SLOT,      /* a registered slot */
    GC_ROOT_SCANNED,   /* a slot that a scanner visits */
    GC_ROOT_FINALISER, /* a finaliser's function, and the argument of one that is ready to run */
    GC_ROOT_FIELD,     /* of minor collections: a field of a major block */
};

struct gc_root {
    enum gc_root_kind kind;
    const char *scanner; /* what GC_ROOT_SCANNED scans; else NULL */
    const value *slot;
    size_t number; /* of GC_ROOT_FIELD: in the remembered set */
};

/* Calls f with each root, whatever word is in it. What continuations lead to is not among them.
 * Needs: as above. GC: never. */
void gc_walk_roots(struct gc_domain *g, void (*f)(void *context, const struct gc_root *root),
                   void *context);

/* ---- Young blocks, when a minor collection begins (GC_ACT_MINOR). ---- */

/* Calls f with each young block that a root leads to, and the root that does so first, in this
 * order: fields of major blocks, registered slots, variables of C, what scanners visit, finalisers.
 * direct: the root's slot itself leads to it. What only ephemerons and young continuations lead to
 * is left out. False: out of memory, some blocks were left out. GC: never. */
bool gc_walk_young(struct gc_domain *g,
                   void (*f)(void *context, const struct gc_root *root, value v, bool direct),
                   void *context);
/* How many fields of major blocks are known to hold young ones: the remembered set, to which stores
 * add, and which a minor collection empties. GC: never. */
static inline size_t gc_remembered_count(const struct gc_domain *g) {
    return g->minor.remembered.count;
}
/* The major block in which a slot of the remembered set lies. GC: never. */
value gc_block_of_field(const struct gc_domain *g, const value *slot);

#endif
