/* engine.h - what the decoder and the interpreter's loop agree on. Private to vm/.
 *
 * Decoded code is an array of words. An instruction is the address of its body in the loop, then
 * its operands, translated: labels are addresses of decoded words, integers are tagged, tags have
 * become headers, labels of closures tagged function indices, primitives pointers to their linked
 * entries. The loop's pc points at the word of the instruction that is being executed.
 *
 *   APPLY1 at A:   A[0] body   A[1] frame word   A[2] next instruction
 *                                                ^ the return address that APPLY1 pushes
 *
 * Operands that a short instruction implies (the 2 of ACC2) stand behind it too. A fused form is
 * the first of its instructions with another body, which also does what the next ones do, that are
 * still there behind it: a jump into the middle finds them, and so does whoever looks up a place.
 *
 * E1  The word before every return address is a frame word: what the walker needs of the waiting
 *     frame.
 * E2  A stopped primitive or slow path has three words of its own on the stack: sp[0] the
 *     environment, sp[1] the address of the instruction that left the loop, or a frame word (which
 *     is odd) where the height is not the verifier's, sp[2] the extra arguments. Like those of a
 *     waiting frame (which the callee's return frame holds) these lie behind the words that the
 *     height counts.
 * E3  An internal instruction does what the bytecode it stands for does, and polls where that
 *     polls. */
#ifndef BACTRIAN_VM_CODE_ENGINE_H
#define BACTRIAN_VM_CODE_ENGINE_H

#include "vm/code/code.h"
#include "vm/code/opcodes.h"
#include "vm/code/prim.h"
#include "vm/state/vm.h"

/* Instructions of the loop: the bytecode's, under the same numbers, then these. */
enum vm_engine_op {
    ENGINE_FIRST_INTERNAL = OPCODE_COUNT - 1, /* so the next one is OPCODE_COUNT */
#define INTERNAL(name, meaning)                  ENGINE_##name,
#define FORM(name)                               ENGINE_##name,
#define SPECIAL(name, instruction, operand)      ENGINE_##name,
#define INLINED(name, primitive, arity, meaning) ENGINE_##name,
#include "vm/code/engine.def"
    ENGINE_COUNT
};

/* Its name, for people: that of engine.def, a fused form's with two underscores between its parts.
 * GC: never. */
const char *vm_engine_name(unsigned op);

/* Frame word: gpc of the return point, and the height of the waiting frame once the call has
 * returned. */
static inline uintptr_t frame_word(uint64_t gpc, uint32_t height) {
    return (uintptr_t)(gpc << 22 | (uintptr_t)height << 1 | 1);
}
static inline uint64_t gpc_of_frame_word(uintptr_t word) { return word >> 22; }
static inline uint32_t height_of_frame_word(uintptr_t word) { return word >> 1 & 0x1fffff; }
_Static_assert(VM_MAX_HEIGHT < 1u << 21, "a frame word holds every height");

/* From a frame, whose return frame is at behind, to the one it returns to, if that is plain: not
 * across a mark, a callback or the machine's own code. False: nothing was done. */
static inline bool step_to_caller(value **behind, uint64_t *gpc) {
    value *at = *behind;
    uintptr_t word = ((const uintptr_t *)at[0])[-1];
    if (gpc_of_frame_word(word) == VM_NO_GPC) return false;
    *behind = at + 3 + height_of_frame_word(word) + int_of_val(at[2]);
    *gpc = gpc_of_frame_word(word);
    return true;
}

/* Words below the deepest frame that primitives' frames, slow paths and callbacks may use
 * unchecked. */
enum { STACK_MARGIN_WORDS = 64 };
/* What the loop pushes when it stops (E2). */
enum { SAVED_WORDS = 3 };
/* Decoded length of GRAB. */
enum { GRAB_WORDS = 3 };

/* How a run of the loop begins. */
enum vm_run_start {
    RUN_CALL,   /* call closure with the arguments on the stack above a return frame */
    RUN_RAISE,  /* raise d->exn from the primitive or slow path whose frame is at d->sp */
    RUN_LABELS, /* no run: returns the table of the bodies' addresses */
};

/* One entry into the loop. setjmp is in vm_enter; raising goes to the innermost one. */
struct vm_activation {
    struct vm_activation *outer;
    struct gc_local_roots *local_roots, *abi_roots;
    struct vm_lock *held;
    uintptr_t outer_trap;
    unsigned depth;
    uint32_t outer_function_id;
    uintptr_t c_stack_low; /* vm_c_stack_low, from CHECKED_ACTIVATIONS on */
    struct vm_prim_watch watch;
    jmp_buf raise;
};
/* Entries nest no deeper than this, nor than the C stack; finding out how deep that is takes time,
 * so the first ones go without. */
enum { MAX_ACTIVATIONS = 4000, CHECKED_ACTIVATIONS = 16 };

/* The loop, compiled three times: checked, unchecked, checked and counting. */
typedef value vm_run_loop(struct domain *d, enum vm_run_start start, value closure,
                          intptr_t extra_args);
vm_run_loop vm_run_checked, vm_run_unchecked, vm_run_counting;
vm_run_loop *vm_loop_of(const struct vm *vm);

/* Enters the loop with a call: the arguments (extra_args + 1) and, behind them, a return frame
 * that leads to vm->leave_code are on the stack. The result is a value or exn_result; d->sp is
 * then behind that frame. */
value vm_enter(struct domain *d, value closure, intptr_t extra_args);

/* Control returns through a mark (vm/stack/stack.h), whose frame is at frame_words: moves it on,
 * gives the address that the frame really returns to. */
const uintptr_t *vm_watermark_returned(struct domain *d, value *frame_words);
/* Control left frames below sp without returning through them. */
void vm_watermarks_unwound(struct domain *d, value *sp);

/* ---- slow.c: the rare half of instructions. All are called with d->sp at a primitive's frame
 * (S2). ---- */

/* As vm_slow_alloc (vm/engine/reexecute.h), for an instruction that can start again. 0: it has to,
 * after the detour that has begun; d->accu is the closure to call. */
value vm_slow_alloc_or_reexecute(struct domain *d, size_t wosize, unsigned tag);
/* What vm_callbacks_exn does after a call: begins the next one as a detour is begun, and returns 0;
 * otherwise its result. calls: its struct vm_calls, as an integer. d->sp: at the stopped words of
 * the place that they are made from. GC: may run. */
value vm_slow_next_call(struct domain *d, value calls, value result);
/* A detour's call raised exn; d->sp is at its trap frame. */
_Noreturn void vm_slow_reexecute_failed(struct domain *d, value exn);
/* Poll, with d->accu kept. May raise. GC: may run. */
void vm_slow_poll(struct domain *d);
/* The poll and stack check of a call, at the entry of a function whose arguments are on the
 * stack. */
void vm_slow_enter(struct domain *d, const struct vm_function *f);
/* The loop that counts came to an instruction that it has no fuel for. */
_Noreturn void vm_slow_out_of_fuel(struct domain *d);
/* Partial application of env to extra_args + 1 arguments at the stopped words. */
value vm_slow_grab(struct domain *d, value restart, intptr_t extra_args);
value vm_slow_closure(struct domain *d, uintptr_t variables, value code, const value *from);
value vm_slow_closurerec(struct domain *d, const uintptr_t *operands, const value *from);
value vm_slow_make_block(struct domain *d, size_t wosize, unsigned tag, const value *rest);
value vm_slow_make_float_block(struct domain *d, size_t count, const value *rest);
/* The method of a public tag; 0 if the object or its table is none, or has no such method. */
value vm_slow_public_method(value object, value tag, uintptr_t *cache);
/* A kind of value that checked mode refuses. */
_Noreturn void vm_slow_type_error(struct domain *d);
_Noreturn void vm_slow_bad_argument(struct domain *d, const struct vm_linked_prim *prim);
_Noreturn void vm_slow_missing_primitive(struct domain *d, const struct vm_linked_prim *prim);
void vm_slow_record_backtrace(struct domain *d, bool reraise);
/* A function is entered from another place than the last time. GC: never. */
void vm_slow_entered(struct domain *d, uint32_t place);

#endif
