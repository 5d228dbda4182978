/* effects.c - see effects.h. */
#include "vm/engine/effects.h"

#include "gc/assert.h"
#include "vm/code/opcodes.h"
#include "vm/engine/callback.h"
#include "vm/engine/slow.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/raise.h"
#include "vm/stack/stack.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

/* ---- Exceptions. ---- */

/* An exception that module Effect registers. A program that is not linked with that module, or that
 * registers anything else by its name, ends here. */
static value registered(struct domain *d, const char *name) {
    const value *exception = vm_named_value(d->vm, name);
    if (exception != NULL && is_block(*exception)) return *exception;
    fprintf(vm_err(d->vm), "Fatal error: exception %s\n", name);
    d->vm->upcalls->exit(d, 2);
}

static value unhandled(struct domain *d, value effect) {
    return new_pair(d, registered(d, "Effect.Unhandled"), effect);
}

void vm_raise_unhandled(struct domain *d, value effect) {
    value exn = unhandled(d, effect);
    struct vm_frame frame;
    /* The location of PERFORM, not of its return point. */
    if (vm_frames_first(d, &frame)) {
        uint32_t height = frame.height - (uint32_t)int_of_val(d->stack.sp[2]);
        d->stack.sp[1] = (value)frame_word(frame.gpc - vm_fixed_words[OP_PERFORM], height);
    }
    vm_raise(d, exn);
}

void vm_raise_already_resumed(struct domain *d) {
    vm_raise(d, registered(d, "Effect.Continuation_already_resumed"));
}

/* ---- Resuming. ---- */

void vm_effect_make_room(struct domain *d, value handle) {
    struct vm_fiber *f = vm_fiber_taken(d->vm, handle);
    if (f == NULL) vm_raise_already_resumed(d);
    const value *low = d->stack.sp - vm_fiber_room_bytes(d->vm) / 8;
    if (vm_stack_reserve_fiber(d, low)) return;
    vm_fiber_drop(d, f);
    vm_raise_stack_overflow(d);
}

void vm_effect_refuse(struct domain *d, value handle) {
    struct vm_fiber *f = vm_fiber_taken(d->vm, handle);
    if (f != NULL) vm_fiber_drop(d, f);
    vm_slow_type_error(d);
}

/* ---- REPERFORMTERM. ---- */

/* No outer handler handles the effect: Effect.Unhandled is raised where it was performed. */
static _Noreturn void raise_in(struct domain *d, value effect, value cont, value *outside,
                               value extra_args) {
    GC_ROOT(&d->gc, &cont);
    value exn = unhandled(d, effect);
    GC_ROOT(&d->gc, &exn);
    value handle = vm_fiber_take(d, cont);
    while (!vm_fiber_resume(d, handle, outside, extra_args)) vm_effect_make_room(d, handle);
    value *sp = d->stack.sp, env = sp[1];
    sp[1] = (value)frame_word_of(resume_of_word(sp[0])), sp[0] = env; /* E2 */
    vm_raise(d, exn);
}

/* vm_fiber_reperform did nothing: raises, or makes room. Returns the effect. */
static __attribute__((noinline)) value prepare(struct domain *d, value effect, value *outside) {
    value *sp = d->stack.sp;
    if (vm_fiber_of_cont(d->vm, sp[3]) == NULL) vm_raise_already_resumed(d);
    if (!vm_in_fiber(d)) raise_in(d, effect, sp[3], outside, sp[2]);
    GC_ROOT(&d->gc, &effect);
    vm_fiber_reserve(d);
    return effect;
}

value vm_effect_reperform(struct domain *d, value effect, size_t height) {
    value *sp = d->stack.sp, *outside = sp + SAVED_WORDS + height, handler;
    value extra_args = sp[2];
    while ((handler = vm_fiber_reperform(d, effect, sp[3], outside, extra_args)) == 0)
        effect = prepare(d, effect, outside);
    return handler;
}
