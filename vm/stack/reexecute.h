/* reexecute.h - a call that the loop makes before an instruction, which is then executed again. The
 * running loop makes it itself; vm_callback would enter the loop a second time.
 *
 * E4  The call lies on the saved registers of an instruction that has changed nothing yet:
 *
 *   sp[0]     argument
 *   sp[1..3]  return frame: reexecute_code, the instruction's accu, no extra arguments
 *   sp[4..7]  trap frame: reexecute_handler, link, two cookies: tagged integers of the profiler
 *   sp[8]     stack.fiber_base before: effects of the call do not leave it (FB1)
 *   sp[9..]   saved registers (E2)
 *
 * A profiler begins such a call where domain.sample asks it for a block, and returns 0; the machine
 * passes the result of the call to vm_profiler.reexecute_ended. */
#ifndef BACTRIAN_VM_STACK_REEXECUTE_H
#define BACTRIAN_VM_STACK_REEXECUTE_H

#include "vm/state/vm.h"

/* Words between the return frame of the call and the saved registers. */
enum { REEXECUTE_WORDS = 5 };

/* Makes the loop call closure. vm_reexecute_end returns the cookies, tagged integers. GC: never. */
static inline void vm_reexecute_begin(struct domain *d, value closure, value argument,
                                      value cookie0, value cookie1) {
    value *sp = d->stack.sp - (1 + 3 + REEXECUTE_WORDS);
    sp[0] = argument;
    sp[1] = word_of_resume(d->vm->reexecute_code), sp[2] = d->accu, sp[3] = val_of_int(0);
    sp[4] = word_of_resume(d->vm->reexecute_handler), sp[5] = val_of_int((intptr_t)d->stack.trap);
    sp[6] = cookie0, sp[7] = cookie1, sp[8] = val_of_int((intptr_t)d->stack.fiber_base);
    d->stack.fiber_base = (uintptr_t)(d->stack.high - sp);
    d->stack.trap = (uintptr_t)(d->stack.high - (sp + 4));
    d->stack.sp = sp;
    d->accu = closure;
}

/* In reexecute_ended: pops the rest of the call and returns its cookies. GC: never. */
static inline void vm_reexecute_end(struct domain *d, value *cookie0, value *cookie1) {
    const value *sp = d->stack.sp;
    d->stack.trap = (uintptr_t)int_of_val(sp[1]);
    *cookie0 = sp[2], *cookie1 = sp[3];
    d->stack.fiber_base = (uintptr_t)int_of_val(sp[4]);
    d->stack.sp += REEXECUTE_WORDS;
}

#endif
