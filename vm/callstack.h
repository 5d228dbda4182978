/* callstack.h - the whole call stack as a list of places in the code, cheap to take again and
 * again.
 *
 * The frames of the last call stack are kept; a mark (vm/stack.h) tells which of them can't have
 * changed, so taking the next one costs only the frames that differ.
 *
 * CS1  positions ascends; every entry whose position is below that of MARK_CALL_STACK's slot is
 *      true. */
#ifndef BACTRIAN_VM_CALLSTACK_H
#define BACTRIAN_VM_CALLSTACK_H

#include "gc/value.h"

#include <stddef.h>
#include <stdint.h>

struct domain;

/* Where an instruction that left the loop stands, by its decoded word: decoded code never moves and
 * never changes its meaning, so what was found once stays true. */
struct vm_stopped_place {
    value word;
    uint64_t gpc;
    uint32_t height; /* without extra arguments */
};
enum { STOPPED_PLACES = 64 };

struct vm_call_stack {
    struct vm_stopped_place stopped[STOPPED_PLACES]; /* a cache for vm/frames.c */
    uint64_t *gpcs;                                  /* outermost frame first */
    uint32_t *positions; /* of each frame's return frame: words from stack_high */
    size_t count, capacity;
    uint64_t *fresh_gpcs; /* the walk's frames, innermost first, before they are put in place */
    uint32_t *fresh_positions;
    size_t fresh_capacity;
    /* At most so many of the outermost entries are what they were when it was last set to SIZE_MAX:
     * whoever derives something of each entry needs to look only at the others. */
    size_t unchanged;
};

/* The return points of the active calls (vm/frames.h), outermost first; of more than limit the
 * innermost. *gpcs stays valid until the next call. Returns their number; 0 also when memory is
 * exhausted. GC: never. */
size_t vm_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs);
void vm_call_stack_free(struct domain *d);

#endif
