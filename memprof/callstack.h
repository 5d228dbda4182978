/* callstack.h - the call stack at an allocation. */
#ifndef BACTRIAN_MEMPROF_CALLSTACK_H
#define BACTRIAN_MEMPROF_CALLSTACK_H

#include "memprof/entries.h"

struct domain;

/* The return points of the active calls, innermost first, at most limit of them. Owned by the
 * caller (free). NULL: no memory, or an empty stack. GC: never. */
struct mp_stack *mp_callstack(struct domain *d, uint64_t limit);

#endif
