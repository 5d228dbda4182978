/* callstack.h - the call stack at an allocation. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_CALLSTACK_H
#define BACTRIAN_MEMPROF_SAMPLING_CALLSTACK_H

#include "memprof/sampling/tracked_blocks.h"

struct domain;

/* The return points of the active calls, innermost first, at most limit of them. Owned by the
 * caller, counted for the heap's limit. NULL: no memory, or an empty stack. GC: never. */
struct mp_stack *mp_callstack(struct domain *d, uint64_t limit);
/* stack: may be NULL. GC: never. */
void mp_callstack_free(struct gc_heap *heap, struct mp_stack *stack);

#endif
