/* effects.h - the instructions of effects: the halves that the loop calls, with its registers saved
 * (E2). Fibers are in vm/stack/fiber.h. */
#ifndef BACTRIAN_VM_ENGINE_EFFECTS_H
#define BACTRIAN_VM_ENGINE_EFFECTS_H

#include "gc/value.h"

struct domain;

/* PERFORM, with a continuation whose fields are not set; at sp is the return frame of the
 * instruction, not the saved registers. The handler to be called; at sp the number of extra
 * arguments, then the arguments. Needs: vm_in_fiber, vm_fiber_reserve. GC: never. */
value vm_effect_perform(struct domain *d, value effect, value cont);
/* REPERFORMTERM, in a frame of that height; as vm_effect_perform. May raise. GC: may run. */
value vm_effect_reperform(struct domain *d, value effect, size_t height);
/* RESUME of a handle with as many stack arguments, and RESUMETERM, where return_to is NULL. At sp
 * is then the argument, and d->accu the function to be called. May raise. GC: may run. */
void vm_effect_resume(struct domain *d, value handle, size_t arguments, const uintptr_t *return_to);
void vm_effect_resume_term(struct domain *d, value handle, size_t height);
/* Effect.Unhandled, Effect.Continuation_already_resumed. GC: may run. */
_Noreturn void vm_raise_unhandled(struct domain *d, value effect);
_Noreturn void vm_raise_already_resumed(struct domain *d);

#endif
