/* selfcheck.h - the machine's own verifier, beside the collector's: `--gc-verify` runs both. */
#ifndef BACTRIAN_VM_SELFCHECK_H
#define BACTRIAN_VM_SELFCHECK_H

struct domain;
struct vm;

/* Checks stack, marks, trap frames and frames of a stopped domain; a violation prints the
 * invariant's id and ends the process by abort. Called at the start of each collection. GC:
 * never. */
void vm_selfcheck(struct domain *d);
/* Checks the tables of functions and fragments; called at a machine's end. GC: never. */
void vm_selfcheck_code(struct vm *vm);

#endif
