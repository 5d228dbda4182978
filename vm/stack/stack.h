/* stack.h - VM stacks: their memory, their limits, and how the collector scans them.
 *
 * The stack of a thread counts towards --max-heap as far as it has grown, in steps that double
 * (vm_stack_reserve); so does its C stack once C code nests in it. The main thread's stacks are not
 * counted.
 *
 * In OCaml each fiber has a stack of its own with the same limit. Here the limit of frames becomes
 * that of a fiber when it has reached the last one, and that of the fiber or thread outside again
 * when it is suspended or ends.
 *
 * S7  The height of a counted stack does not exceed counted_words.
 * S8  limit_boundary is the depth of the boundary whose fiber the limit of frames is for, or 0: the
 *     thread's. If it exceeds stack.boundary, room down to it was made for a fiber that is about to
 *     be resumed. */
#ifndef BACTRIAN_VM_STACK_STACK_H
#define BACTRIAN_VM_STACK_STACK_H

#include "gc/roots.h"
#include "vm/state/domain.h"

/* Address space reserved for the main stack and for that of another thread, in words: how far the
 * limit can be raised later. */
#define VM_MAIN_STACK_RESERVE   ((size_t)1 << 27)
#define VM_THREAD_STACK_RESERVE ((size_t)1 << 23)

/* What a new thread counts: the first pages of its stacks, and its structures. */
#define VM_THREAD_BYTES ((size_t)32 << 10)

/* Reserves a stack for d that can grow up to the limit, of the main thread or of another one.
 * Fails: false, the system refuses. GC: never. */
bool vm_stack_create(struct domain *d, size_t limit, bool is_main);
void vm_stack_destroy(struct domain *d);
/* The limit in words. A stack grows as OCaml's do, by doubling, until its size is not below the
 * limit or fills the reserved address space; it never shrinks. GC: never. */
size_t vm_stack_limit(const struct domain *d);
void vm_set_stack_limit(struct domain *d, size_t words);
/* Moves the limit of frames (mutator_limit_idle) to that of d's stack, after d got another one or
 * this one has grown or limit_boundary has changed. GC: never. */
void vm_stack_apply_limit(struct domain *d);
/* Counts the stack of a new thread from now on. Fails: false, the heap's limit. GC: never. */
bool vm_stack_count(struct domain *d);
/* Makes room for a frame whose call leaves the stack pointer at top, and which goes down to low.
 * OCaml looks only at top; low matters for a frame of more than STACK_FRAME_WORDS. False: the limit
 * is reached. Fails: raises Out_of_memory, if the heap's limit counts the stack. GC: may run. */
bool vm_stack_reserve(struct domain *d, const value *top, const value *low);
/* Makes room down to low for a fiber that is about to be resumed, whatever the limit of the thread
 * or fiber outside. False: the stack's memory or --max-stack does not suffice. Fails: raises
 * Out_of_memory, as above. GC: may run. */
bool vm_stack_reserve_fiber(struct domain *d, const value *low);
/* Counts the C stack of this thread, in which C code nests. Fails: false, the heap's limit.
 * GC: never. */
bool vm_c_stack_count(struct domain *d);
/* Scanner of the stack and the domain's registers (gc/roots.h); context: the domain. */
void vm_stack_scan(void *context, struct gc_visitor *visitor);
/* Scans some of the words above WATERMARK_UNSCANNED (gc_incremental_scanner). */
size_t vm_stack_scan_some(void *context, struct gc_visitor *visitor, size_t budget);
/* Scans all that are left of them. GC: never. */
void vm_stack_scan_rest(struct domain *d);
/* Checks the invariants of stack, watermarks, trap frames and frames, outside the loop
 * (--gc-verify): a violation prints the id and aborts. Called at the start of each collection; the
 * whole stack is read only as often as its size allows (gc_check_due). GC: never. */
void vm_selfcheck(struct domain *d);

#endif
