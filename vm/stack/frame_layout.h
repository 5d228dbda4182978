/* frame_layout.h - the layout of frames on the VM stack, which grows down.
 *
 *   sp ->  | locals, temporaries, trap frames |  height: the verifier's, for this pc
 *          | arguments                        |
 *          | return address                   |  the return frame: three words
 *          | caller's environment             |
 *          | caller's extra arguments, tagged |
 *          | caller's frame ...               |
 *
 * A trap frame, pushed by PUSHTRAP, has four words. d->stack.trap is the innermost one's distance
 * from the stack's high end, 0: none.
 *
 *   sp ->  | address of the handler's code    |
 *          | link: d->stack.trap before, tagged
 *          | environment                      |  for the handler
 *          | extra arguments, tagged          |
 *
 * E1  In decoded code (vm/engine/loop.h), the word before every return address is the frame word of
 *     the waiting frame.
 * E2  While a primitive or slow path runs, the loop's registers are saved: sp[0] the environment,
 *     sp[1] the address of the instruction that left the loop, or a frame word (which is odd) if
 *     the height is not the verifier's, sp[2] the extra arguments, tagged. A height does not
 *     include the extra arguments of a frame, which lie at its high end: a frame of height 5 that
 *     was called with 2 extra arguments has 7 words, and its return frame follows. */
#ifndef BACTRIAN_VM_STACK_FRAME_LAYOUT_H
#define BACTRIAN_VM_STACK_FRAME_LAYOUT_H

#include "vm/code/code.h"
#include "vm/code/prim.h"
#include "vm/state/domain.h"
#include "vm/state/resume.h"

#include <setjmp.h>

/* Frame word: gpc of the return point, and the height of the waiting frame once the call has
 * returned. */
static inline uintptr_t frame_word(uint64_t gpc, uint32_t height) {
    return (uintptr_t)(gpc << 22 | (uintptr_t)height << 1 | 1);
}
static inline uint64_t gpc_of_frame_word(uintptr_t word) { return word >> 22; }
static inline uint32_t height_of_frame_word(uintptr_t word) { return word >> 1 & 0x1fffff; }
_Static_assert(VM_MAX_HEIGHT < 1u << 21, "a frame word holds every height");

/* The frame word of a return address (E1). */
static inline uintptr_t frame_word_of(struct vm_resume return_address) {
    return ((const uintptr_t *)return_address.address)[-1];
}

/* From the frame whose return frame is at *return_frame to its caller. False, and nothing is done,
 * at a watermark, a callback, the end of a fiber or the machine's own code. */
static inline bool step_to_caller(value **return_frame, uint64_t *gpc) {
    value *at = *return_frame;
    uintptr_t word = frame_word_of(resume_of_word(at[0]));
    if (gpc_of_frame_word(word) == VM_NO_GPC) return false;
    *return_frame = at + 3 + height_of_frame_word(word) + int_of_val(at[2]);
    *gpc = gpc_of_frame_word(word);
    return true;
}

/* Whether a frame is on d's stack, not in a fiber's buffer. GC: never. */
static inline bool vm_on_stack(const struct domain *d, const value *at) {
    return at >= d->stack.low && at <= d->stack.high;
}

/* Words below the deepest frame that primitives, slow paths and callbacks use without a check. */
enum { STACK_MARGIN_WORDS = 64 };
/* Words below the limit that a frame of machine code may use if it has no more: its entry does not
 * subtract the frame's size. */
enum { STACK_SMALL_FRAME_WORDS = 16 };
/* Words below the limit that a frame may use if its call was above it: as many as frames have for
 * which the compiler of OCaml emits no test of its own, and some. */
enum { STACK_FRAME_WORDS = 128 };
/* Words of a stack beside those that its limit counts: also for what is inlined in machine code. */
enum { STACK_EXTRA_WORDS = STACK_FRAME_WORDS + 2 * STACK_MARGIN_WORDS };
/* The loop's saved registers (E2). */
enum { SAVED_WORDS = 3 };
/* What a stack has at its base and OCaml's has not: the frame in which the program returns. */
enum { STACK_BASE_WORDS = 3 };
/* While a primitive runs, where OCaml's stack pointer is: its loop saves a word less. GC: never. */
static inline const value *stack_of_ocaml(const struct vm_stack *stack) {
    return stack->sp + SAVED_WORDS - 2;
}

/* An activation: one run of the loop. setjmp is in vm_enter (vm/engine/callback.c); a raise in C
 * jumps to the innermost one. */
struct vm_activation {
    struct vm_activation *outer;
    struct gc_local_roots *local_roots, *abi_roots;
    struct vm_lock *held;
    uintptr_t outer_trap;
    uintptr_t base;             /* the depth of the stack at the entry */
    uintptr_t outer_fiber_base; /* FB1 (vm/stack/fiber.h) */
    unsigned depth;
    uint32_t outer_function_id;
    uintptr_t c_stack_low; /* vm_c_stack_low, from CHECKED_ACTIVATIONS on */
    struct vm_prim_watch watch;
    jmp_buf raise;
};
/* Activations nest no deeper than this, nor than the C stack allows. Measuring the C stack is slow,
 * so the first CHECKED_ACTIVATIONS are not checked. */
enum { MAX_ACTIVATIONS = 4000, CHECKED_ACTIVATIONS = 16 };

#endif
