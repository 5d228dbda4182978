/* effects.h - the slow paths of the instructions of effects, which the loop calls with its
 * registers saved (E2). Fibers are in vm/stack/fiber.h. */
#ifndef BACTRIAN_VM_ENGINE_EFFECTS_H
#define BACTRIAN_VM_ENGINE_EFFECTS_H

#include "vm/state/domain.h"

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
