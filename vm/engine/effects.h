/* effects.h - the instructions of effects: the parts that the loop and machine code share, and the
 * slow paths that the loop calls with its registers saved (E2). Fibers are in vm/stack/fiber.h. */
#ifndef BACTRIAN_VM_ENGINE_EFFECTS_H
#define BACTRIAN_VM_ENGINE_EFFECTS_H

#include "gc/value.h"
#include "vm/stack/fiber.h"

/* ---- What a handler is called with, when d->stack.sp is at the X of the fiber outside: the
 * arguments; on top lies the number of the extra ones, tagged. GC: never. ---- */

/* A handler of effects. */
static inline void vm_effect_arguments(struct domain *d, value effect, value cont) {
    value *sp = d->stack.sp -= 3;
    sp[0] = sp[3] + 4;
    sp[1] = effect, sp[2] = cont, sp[3] = field(cont, 0);
}
/* One of the result or exception of a fiber that has ended. */
static inline void vm_effect_argument(struct domain *d, value v) {
    value extra_args = d->stack.sp[0];
    d->stack.sp[0] = v;
    *--d->stack.sp = extra_args;
}
/* PERFORM, whose words are these, with the new continuation cont; on the stack lies the return
 * frame. The handler to be called. */
static inline value vm_effect_perform(struct domain *d, value effect, value cont,
                                      const uintptr_t *words) {
    value handler = vm_fiber_perform(d, cont);
    vm_effect_arguments(d, effect, cont);
    if (words[1] != make_header(1, TAG_CONT, 0)) field(cont, 1) = field(cont, 0) & (value)words[2];
    return handler;
}

/* ---- For the loop. ---- */

/* REPERFORMTERM, in a frame of that height. The handler to be called; at sp the number of extra
 * arguments, then the arguments. May raise. GC: may run. */
value vm_effect_reperform(struct domain *d, value effect, size_t height);
/* vm_fiber_resume failed: makes room for the next try, or raises. GC: may run. */
void vm_effect_make_room(struct domain *d, value handle);
/* RESUME, by what is not a function: raises as vm_slow_type_error does. The fiber of that handle,
 * which was taken, is freed. GC: may run. */
_Noreturn void vm_effect_refuse(struct domain *d, value handle);
/* Effect.Unhandled, at a PERFORM. GC: may run. */
_Noreturn void vm_raise_unhandled(struct domain *d, value effect);
/* Effect.Continuation_already_resumed. GC: may run. */
_Noreturn void vm_raise_already_resumed(struct domain *d);

#endif
