/* watermarks.h - return addresses that are replaced to notice when control reaches older frames. */
#ifndef BACTRIAN_VM_STACK_WATERMARKS_H
#define BACTRIAN_VM_STACK_WATERMARKS_H

#include "vm/state/domain.h"

/* Places a mark at the return frame that is `steps` frames behind the given one, which is lost.
 * Nothing happens
 * where there is none, or it belongs to a callback. GC: never. */
struct vm_frame;
void vm_watermark_set(struct domain *d, unsigned which, struct vm_frame *frame, unsigned steps);
/* The same at a given return frame. */
void vm_watermark_set_at(struct domain *d, unsigned which, value *slot);
void vm_watermark_remove(struct domain *d, unsigned which);
void vm_watermarks_reset(struct domain *d); /* the stack is empty */
/* Control returns through a mark (vm/stack/stack.h), whose frame is at frame_words: moves it on,
 * gives the address that the frame really returns to. */
const uintptr_t *vm_watermark_returned(struct domain *d, value *frame_words);
/* Control left frames below sp without returning through them. */
void vm_watermarks_unwound(struct domain *d, value *sp);

#endif
