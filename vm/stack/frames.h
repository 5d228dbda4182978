/* frames.h - the only face of the stack's layout: walking the frames of OCaml functions.
 *
 * A frame's extent comes from the verifier's heights, never from a search for words that look like
 * code. A place in the code is a global pc: code fragments (the program, phrases of a toplevel,
 * loaded units) lie one after the other in one numbering of 32-bit words (vm/code/code.h). */
#ifndef BACTRIAN_VM_STACK_FRAMES_H
#define BACTRIAN_VM_STACK_FRAMES_H

#include "gc/value.h"

struct domain;

struct vm_frame {
    uint64_t gpc; /* of the instruction after the call that is active in this frame; for the
                     innermost frame, of the instruction after the one that is being executed */
    value *base;  /* the frame's words are base[0 .. height-1], base[0] on top */
    uint32_t height;
};

/* The innermost frame of a stopped domain (inside a primitive, or at a slow path). False: none. */
bool vm_frames_first(struct domain *d, struct vm_frame *frame);
/* The caller's frame, across callbacks from C (and, in 5.x, parent fibers). False: frame was the
 * last. */
bool vm_frames_next(struct domain *d, struct vm_frame *frame);

/* The return address that the return frame at slot really holds (a mark may stand there,
 * vm/stack/stack.h). */
const uintptr_t *vm_true_return(const struct domain *d, const value *slot);

#endif
