/* reexecute.h - a call that comes before an instruction, which then starts again. The loop makes it
 * itself: no second run of it is entered, as vm_callback would do.
 *
 * E4  The call stands on the stopped words of an instruction that has changed nothing yet:
 *
 *   sp[0]     argument
 *   sp[1..3]  return frame: reexecute_code, the instruction's A, no extra arguments
 *   sp[4..7]  trap frame: the handler (the word behind reexecute_code), link, two notes
 *   sp[8..]   saved registers (vm/stack/frame_layout.h, E2)
 *
 * A profiler begins one where domain.sample asks for a block, which then gives 0; the machine hands
 * it the call's result by vm_profiler.reexecute_ended. */
#ifndef BACTRIAN_VM_STACK_REEXECUTE_H
#define BACTRIAN_VM_STACK_REEXECUTE_H

#include "vm/state/vm.h"

/* Between the return frame of a detour's call and the stopped words. */
enum { REEXECUTE_WORDS = 4 };

/* The machine is to call that closure. Notes are integers, for the end. GC: never. */
static inline void vm_reexecute_begin(struct domain *d, value closure, value argument, value note,
                                      value other_note) {
    const uintptr_t *code = d->vm->reexecute_code;
    value *sp = d->stack.sp - (1 + 3 + REEXECUTE_WORDS);
    sp[0] = argument;
    sp[1] = (value)code, sp[2] = d->accu, sp[3] = val_of_int(0);
    sp[4] = (value)(code + 1), sp[5] = val_of_int((intptr_t)d->stack.trap);
    sp[6] = note, sp[7] = other_note;
    d->stack.trap = (uintptr_t)(d->stack.high - (sp + 4));
    d->stack.sp = sp;
    d->accu = closure;
}

/* In reexecute_ended: takes the rest of the call off the stack and gives its notes. GC: never. */
static inline void vm_reexecute_end(struct domain *d, value *note, value *other_note) {
    const value *sp = d->stack.sp;
    d->stack.trap = (uintptr_t)int_of_val(sp[1]);
    *note = sp[2], *other_note = sp[3];
    d->stack.sp += REEXECUTE_WORDS;
}

#endif
