/* selfcheck.h - the machine's own verifier, beside the collector's: `--gc-verify` runs both. */
#ifndef BACTRIAN_VM_STACK_SELFCHECK_H
#define BACTRIAN_VM_STACK_SELFCHECK_H

#include <stddef.h>
#include <stdint.h>

struct domain;

/* Checks stack, marks, trap frames and frames of a stopped domain; a violation prints the
 * invariant's id and ends the process by abort. Called at the start of each collection; what reads
 * the whole stack happens when it is due (gc_check_due). GC: never. */
void vm_selfcheck(struct domain *d);
/* Checks a call stack of count places, outermost first, cut at limit, against the frames that the
 * stopped domain has: a short one at each walk of it, a deep one as often as its depth allows.
 * GC: never. */
void vm_selfcheck_call_stack(struct domain *d, const uint64_t *gpcs, size_t count, size_t limit);

#endif
