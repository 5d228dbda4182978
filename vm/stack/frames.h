/* frames.h - walks the frames of OCaml functions on a VM stack.
 *
 * The extent of a frame is known from the verifier's heights; the stack is not scanned for words
 * that look like code. A code location is a global pc (gpc): the fragments of code (the program,
 * phrases of a toplevel, loaded units) follow one another in one numbering of 32-bit words
 * (vm/code/code.h). */
#ifndef BACTRIAN_VM_STACK_FRAMES_H
#define BACTRIAN_VM_STACK_FRAMES_H

#include "gc/value.h"

struct domain;
struct vm_fiber;

struct vm_frame {
    uint64_t gpc; /* of the instruction after the call that is active in this frame; for the
                     innermost frame, of the instruction after the one that is being executed */
    value *base;  /* the frame's words are base[0 .. height-1], base[0] on top */
    uint32_t height;
    const struct vm_fiber *fiber; /* in whose buffer the frame is; NULL: it is on the stack */
};

/* The innermost frame of a domain in a primitive or slow path (E2). False: there is none.
 * GC: never. */
bool vm_frames_first(struct domain *d, struct vm_frame *frame);
/* The innermost frame of suspended fiber f; vm_frames_next continues with the fibers outside it in
 * its chain. False: there is none. GC: never. */
bool vm_frames_first_suspended(struct domain *d, const struct vm_fiber *f, struct vm_frame *frame);
/* The caller's frame, across callbacks from C. False: frame is the outermost. GC: never. */
bool vm_frames_next(struct domain *d, struct vm_frame *frame);

#endif
