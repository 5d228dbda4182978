/* selfcheck.h - verifies a stack's invariants; --gc-verify runs it beside the heap verifier. */
#ifndef BACTRIAN_VM_STACK_SELFCHECK_H
#define BACTRIAN_VM_STACK_SELFCHECK_H

#include <stddef.h>
#include <stdint.h>

struct domain;

/* Checks stack, watermarks, trap frames and frames of a domain outside the loop. A violation prints
 * the invariant's id and aborts. Called at the start of each collection; the whole stack is read
 * only as often as its size allows (gc_check_due). GC: never. */
void vm_selfcheck(struct domain *d);
/* Checks a call stack of count code locations, outermost first, cut at limit, against the frames: a
 * short one each time, a deep one as often as its depth allows. GC: never. */
void vm_selfcheck_call_stack(struct domain *d, const uint64_t *gpcs, size_t count, size_t limit);

#endif
