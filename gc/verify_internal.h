/* verify_internal.h - shared by the two halves of the heap verifier: verify.c looks at spans and
 * blocks, verify_tables.c at roots and at the tables beside the heap. */
#ifndef BACTRIAN_GC_VERIFY_INTERNAL_H
#define BACTRIAN_GC_VERIFY_INTERNAL_H

#include "gc/heap_internal.h"

struct gc_checker {
    struct gc_domain *g;
    struct gc_heap *heap;
    const char *when;
    uint64_t *major_starts, *young_starts; /* one bit a word: a block starts here */
    uintptr_t *remembered;                 /* the remembered set, sorted */
    size_t remembered_count;
};

/* Ends the process with a message that names the broken invariant. Does not return. */
_Noreturn void gc_verify_fail(const struct gc_checker *c, const char *invariant, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));
/* Whether v, a block in the range, is an atom, or a block or infix pointer that the walk has met.
 * GC: never. */
bool gc_verify_is_block(const struct gc_checker *c, value v);
/* G4 for word v found in `slot` of `holder`, a text and a number for the message. */
void gc_verify_word(const struct gc_checker *c, value v, const char *holder, uintptr_t slot);
/* Whether v, any word, is a block that marking has found dead and sweeping has not reached. */
static inline bool gc_verify_is_dead(const struct gc_checker *c, value v) {
    return gc_is_unreached(c->heap, v);
}
/* The checks of verify_tables.c. Need the starts and the sorted remembered set. */
void gc_verify_tables(const struct gc_checker *c);

#endif
