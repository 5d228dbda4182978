/* effects.c - see effects.h. */
#include "vm/engine/effects.h"

#include "gc/assert.h"
#include "vm/engine/callback.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/raise.h"
#include "vm/stack/stack.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

/* ---- Exceptions. ---- */

/* An exception that module Effect registers: a program in which it is not linked ends here. */
static value registered(struct domain *d, const char *name) {
    const value *exception = vm_named_value(d->vm, name);
    if (exception != NULL) return *exception;
    fprintf(vm_err(d->vm), "Fatal error: exception %s\n", name);
    d->vm->upcalls->exit(d, 2);
}

static value unhandled(struct domain *d, value effect) {
    return new_pair(d, registered(d, "Effect.Unhandled"), effect);
}

void vm_raise_unhandled(struct domain *d, value effect) { vm_raise(d, unhandled(d, effect)); }

void vm_raise_already_resumed(struct domain *d) {
    vm_raise(d, registered(d, "Effect.Continuation_already_resumed"));
}

/* ---- PERFORM. ---- */

/* Passes an effect to the handler of a fiber that was suspended. The last of the three arguments is
 * only passed on by module Effect: chains know their outermost fiber. */
static void push_effect(struct domain *d, value effect, value cont) {
    value *sp = d->stack.sp -= 3;
    ASSERT(sp >= d->stack.low); /* S1 */
    sp[0] = sp[3] + 4;
    sp[1] = effect, sp[2] = cont, sp[3] = field(cont, 0);
}

value vm_effect_perform(struct domain *d, value effect, value cont) {
    for (size_t i = 0; i < wosize_of(cont); i++) field(cont, i) = val_of_int(0);
    struct vm_fiber *f = vm_fiber_suspend(d, 0);
    vm_fiber_give(d, f, cont);
    if (wosize_of(cont) > 1) field(cont, 1) = field(cont, 0);
    push_effect(d, effect, cont);
    return vm_fiber_handler(d, f, FIBER_ON_EFFECT);
}

/* ---- RESUME. ---- */

/* Room for what of a fiber is put on the stack at a time. */
static void make_room(struct domain *d, struct vm_fiber *f) {
    uintptr_t low = (uintptr_t)d->stack.sp - vm_fiber_room_bytes(d->vm);
    if (low >= d->gc.mutator_limit_idle || vm_stack_grow(d, low)) return;
    vm_fiber_drop(d, f);
    vm_raise_stack_overflow(d);
}

static struct vm_fiber *fiber_to_resume(struct domain *d, value handle) {
    struct vm_fiber *f = vm_fiber_taken(d->vm, handle);
    if (f == NULL) vm_raise_already_resumed(d);
    make_room(d, f);
    return f;
}

/* Calls the function in fiber f, in place of the frames below `outside`. */
static void call_in(struct domain *d, struct vm_fiber *f, value *outside, value extra_args,
                    value function, value argument) {
    d->stack.sp = outside;
    vm_fiber_resume(d, f, extra_args);
    *--d->stack.sp = argument;
    d->accu = function;
}

void vm_effect_resume(struct domain *d, value handle, size_t arguments,
                      const uintptr_t *return_to) {
    struct vm_fiber *f = fiber_to_resume(d, handle);
    value *sp = d->stack.sp, *outside = sp + arguments;
    value env = sp[0], extra_args = sp[2], function = sp[3], argument = sp[4];
    outside[0] = word_of_resume(resume_at(return_to)), outside[1] = env, outside[2] = extra_args;
    call_in(d, f, outside, val_of_int(0), function, argument);
}

void vm_effect_resume_term(struct domain *d, value handle, size_t height) {
    struct vm_fiber *f = fiber_to_resume(d, handle);
    value *sp = d->stack.sp;
    call_in(d, f, sp + SAVED_WORDS + height, sp[2], sp[3], sp[4]);
}

/* ---- REPERFORMTERM. ---- */

/* No handler outside takes the effect: it is raised where it was performed. */
static _Noreturn void raise_in(struct domain *d, value effect, value cont, value *outside,
                               value extra_args) {
    GC_ROOT(&d->gc, &cont);
    value exn = unhandled(d, effect);
    value handle = vm_fiber_take(d, cont);
    GC_ROOT(&d->gc, &exn);
    struct vm_fiber *f = fiber_to_resume(d, handle);
    d->stack.sp = outside;
    vm_fiber_resume(d, f, extra_args);
    value *sp = d->stack.sp, env = sp[1];
    sp[1] = (value)frame_word_of(resume_of_word(sp[0])), sp[0] = env; /* E2 */
    vm_raise(d, exn);
}

value vm_effect_reperform(struct domain *d, value effect, size_t height) {
    value *sp = d->stack.sp, *outside = sp + SAVED_WORDS + height;
    value extra_args = sp[2];
    if (vm_fiber_of_cont(d->vm, sp[3]) == NULL) vm_raise_already_resumed(d);
    if (!vm_in_fiber(d)) raise_in(d, effect, sp[3], outside, extra_args);
    GC_ROOT(&d->gc, &effect);
    vm_fiber_reserve(d, 0);
    value cont = sp[3];
    d->stack.sp = outside;
    struct vm_fiber *f = vm_fiber_suspend(d, (uint32_t)int_of_val(extra_args));
    vm_fiber_append(d, cont, f);
    push_effect(d, effect, cont);
    return vm_fiber_handler(d, f, FIBER_ON_EFFECT);
}
