/* stack.h - VM stacks, and marks that tell when control leaves their older part untouched no
 * longer.
 *
 * A word of the stack changes only while its frame is active. A mark replaces one return address
 * by code of the machine: until control returns through it, or unwinds past it, no frame above has
 * been active. Three things stand on that: minor collections leave out the words above
 * WATERMARK_MINOR, which held no young pointers when it was placed; call stacks share the frames
 * above WATERMARK_CALL_STACK with the one taken before; and marking reads the words above
 * WATERMARK_UNSCANNED bit by bit, the oldest first, as they are what they were when it started.
 * Before frames above that mark become active again, the next of them are read. That is for
 * programs without threads.
 *
 * S4  A placed mark's slot holds vm->watermark_code, and return_to what it held before; two marks
 *     may share a slot. lowest_watermark is the least of all slots, stack_high if none is placed.
 * S5  Words at and above the slot of WATERMARK_MINOR hold no young pointers.
 * S6  While WATERMARK_UNSCANNED is placed, the words from its slot to unscanned_end are late roots
 * (R3) that marking has not read, and hold no young pointers. Otherwise it has read all.
 *
 * A thread's stack counts for --max-heap as far as it has grown, which is asked for in larger and
 * larger steps (vm_stack_grow), as does its C stack where C code nests. The first thread's don't:
 * of them there is one.
 *
 * S7  The stack of a context with stack_words is no higher. */
#ifndef BACTRIAN_VM_STACK_STACK_H
#define BACTRIAN_VM_STACK_STACK_H

#include "gc/roots.h"
#include "vm/state/domain.h"

/* Address space for the main stack and for those of further threads, in words: so far can a limit
 * be raised later. */
#define VM_MAIN_STACK_ROOM   ((size_t)1 << 27)
#define VM_THREAD_STACK_ROOM ((size_t)1 << 23)

/* What a thread counts to begin with: first pages of its stacks, and structures. */
#define VM_THREAD_BYTES ((size_t)32 << 10)

/* Reserves a stack of max_words for d, and room for more. False: the system refuses. */
bool vm_stack_create(struct domain *d, size_t max_words, size_t room_words);
void vm_stack_destroy(struct domain *d);
/* The stack's limit in words: the highest that a program may use before Stack_overflow, as it was
 * set; in force is what is not below OCaml's first stack of 4096 words, nor above the address space
 * that was reserved. GC: never. */
size_t vm_stack_limit(const struct domain *d);
void vm_set_stack_limit(struct domain *d, size_t words);
/* Makes the limit hold for d's stack, which is another one than before. GC: never. */
void vm_stack_apply_limit(struct domain *d);
/* The stack of a new thread counts from now on. False: there is no room. GC: never. */
bool vm_stack_count(struct domain *d);
/* The frame that is about to be entered goes down to low, beyond what may be used: more may be, if
 * the limit is not the stack's own (false). Fails: raises Out_of_memory. GC: may run. */
bool vm_stack_grow(struct domain *d, uintptr_t low);
/* C code nests in this thread: its C stack counts, too. False: there is no room. GC: never. */
bool vm_c_stack_count(struct domain *d);
/* Scanner of the stack and the domain's registers (gc/roots.h); context: the domain. */
void vm_stack_scan(void *context, struct gc_visitor *visitor);
/* Reads some of the stack's late roots. */
size_t vm_stack_scan_some(void *context, struct gc_visitor *visitor, size_t budget);
/* Reads all that are left, at once. GC: never. */
void vm_stack_scan_rest(struct domain *d);

#endif
