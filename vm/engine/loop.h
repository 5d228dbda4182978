/* loop.h - what the decoder and the interpreter's loop agree on. Private to the engine.
 *
 * Decoded code is an array of words. An instruction is the address of its body in the loop,
 * followed by its operands, translated: labels are addresses of decoded words, integers are tagged,
 * tags have become headers, labels of closures tagged function indices, primitives pointers to
 * their linked rows. The loop's pc points at the word of the instruction that is being executed.
 *
 *   APPLY1 at A:   A[0] body   A[1] frame word   A[2] next instruction
 *                                                ^ the return address that APPLY1 pushes
 *
 * The operand that a short instruction implies (the 2 of ACC2) follows it, too. A fused form
 * replaces the body of its first instruction by one that also executes the next ones. These stay in
 * place, for jumps into the middle and for the lookup of code locations.
 *
 * E3  An internal instruction has the effect of the bytecode that it replaces, and polls where that
 * polls. */
#ifndef BACTRIAN_VM_ENGINE_LOOP_H
#define BACTRIAN_VM_ENGINE_LOOP_H

#include "vm/code/code.h"
#include "vm/state/vm.h"

/* A function that takes several arguments has two entries: f->entry, its GRAB, for any number of
 * them; and, once prepared, entry_exact, for a call with exactly f->grabs arguments. */
enum { GRAB_WORDS = 3 };
static inline const uintptr_t *entry_exact(const struct vm_function *f) {
    return f->entry + GRAB_WORDS;
}

/* How a run of the loop begins. */
enum vm_run_start {
    RUN_CALL,   /* call closure with the arguments on the stack above a return frame */
    RUN_RAISE,  /* raise d->exn from the primitive or slow path whose frame is at d->stack.sp */
    RUN_LABELS, /* no run: returns the table of the bodies' addresses */
};

/* The loop, compiled three times: checked, unchecked, checked and counting. */
typedef value vm_run_loop(struct domain *d, enum vm_run_start start, value closure,
                          intptr_t extra_args);
vm_run_loop vm_run_checked, vm_run_unchecked, vm_run_counting;
vm_run_loop *vm_loop_of(const struct vm *vm);

/* Enters the loop with a call. On the stack: the arguments (extra_args + 1), then a return frame
 * that leads to vm->leave_code. The result is a value or exn_result; sp is then above that frame.
 * GC: may run, and any OCaml code. */
value vm_enter(struct domain *d, value closure, intptr_t extra_args);

#endif
