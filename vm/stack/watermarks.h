/* watermarks.h - which part of a stack has not changed since a certain moment.
 *
 *   sp ->  | frames that may have changed      |
 *          | slot: vm->watermark_code          |  a return address, kept in return_to
 *          | frames in which no code has run   |
 *          | since the watermark was set       |
 *
 * A word of the stack changes only while its frame is active. A watermark replaces a return address
 * by the address of the machine's own code: until control returns through it, or an exception
 * unwinds the stack past it, no frame above it has been active. Three things rely on that:
 *
 *   WATERMARK_MINOR       a minor collection skips the words above it, which held no young pointer
 *                         when it was set
 *   WATERMARK_CALL_STACK  a call stack shares the frames above it with the one taken before
 *   WATERMARK_UNSCANNED   marking scans the words above it in slices, the oldest first: they are
 *                         what they were when marking started; the next of them are scanned before
 *                         their frames become active again (programs without threads only)
 *
 * S4  The slot of a watermark that is set holds vm->watermark_code, and return_to what it held
 *     before; two watermarks may share a slot. lowest_watermark is the lowest slot, stack.high if
 *     none is set.
 * S5  Words at and above the slot of WATERMARK_MINOR hold no young pointers.
 * S6  While WATERMARK_UNSCANNED is set, the words from its slot to unscanned_end are incrementally
 *     scanned roots (R3) that marking has not scanned yet, and hold no young pointers. Otherwise
 *     all are scanned. */
#ifndef BACTRIAN_VM_STACK_WATERMARKS_H
#define BACTRIAN_VM_STACK_WATERMARKS_H

#include "gc/containers.h"
#include "vm/state/domain.h"

struct vm_frame;

/* Frames from one watermark to the next when control returns through it, and how high a stack must
 * be for a watermark to pay, in words. */
enum { WATERMARK_STEP = IF_SMALL_TABLES(1, 64), WATERMARK_WORTHWHILE = 32 * WATERMARK_STEP };

/* GC: never. */
static inline bool vm_watermark_is_set(const struct domain *d, unsigned which) {
    return d->stack.watermarks[which].slot != d->stack.high;
}
/* Sets a watermark at the return frame `steps` frames out from *frame, which is used up. Does
 * nothing where there is none or it belongs to a callback. GC: never. */
void vm_watermark_set(struct domain *d, unsigned which, struct vm_frame *frame, unsigned steps);
/* The same at a given return frame. GC: never. */
void vm_watermark_set_at(struct domain *d, unsigned which, value *slot);
/* Restores the return address, unless another watermark shares the slot. GC: never. */
void vm_watermark_remove(struct domain *d, unsigned which);
/* Forgets all watermarks of an empty stack. GC: never. */
void vm_watermarks_reset(struct domain *d);
/* Control returns through the watermark at return_frame: sets it again further out and gives the
 * address that the frame really returns to. GC: never. */
struct vm_resume vm_watermark_returned(struct domain *d, value *return_frame);
/* Control left the frames below sp, which is also d->stack.sp, without returning through them. GC:
 * never. */
void vm_watermarks_unwound(struct domain *d, value *sp);
/* The words from sp to end are about to leave the stack (vm/stack/fiber.h), and control goes to the
 * frames outside, whose first return frame is at `outside`: removes the watermarks from these
 * words. GC: never. */
void vm_watermarks_lift(struct domain *d, value *end, value *outside);
/* The return address that the return frame at slot really holds. GC: never. */
struct vm_resume vm_true_return(const struct domain *d, const value *slot);

/* At the start of marking: leaves the older words of a deep stack to WATERMARK_UNSCANNED. The first
 * word that is left; stack.high: none is. GC: never. */
value *vm_watermark_leave_unscanned(struct domain *d);
/* After a minor collection: WATERMARK_MINOR moves to just above the innermost frames. GC: never. */
void vm_watermark_renew_minor(struct domain *d);

#endif
