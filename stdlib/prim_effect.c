/* prim_effect.c - module Effect: fibers and continuations (vm/stack/fiber.h). */
#include "stdlib/prim.h"
#include "vm/engine/effects.h"
#include "vm/stack/fiber.h"

value prim_alloc_stack(struct domain *d, value on_value, value on_exception, value on_effect) {
    return vm_fiber_new(d, on_value, on_exception, on_effect);
}

value prim_continuation_use_noexc(struct domain *d, value cont) { return vm_fiber_take(d, cont); }

value prim_continuation_use(struct domain *d, value cont) {
    value handle = vm_fiber_take(d, cont);
    if (handle == val_of_int(0)) vm_raise_already_resumed(d);
    return handle;
}

value prim_continuation_use_and_update_handler_noexc(struct domain *d, value cont, value on_value,
                                                     value on_exception, value on_effect) {
    const value handlers[] = {on_value, on_exception, on_effect};
    value handle = vm_fiber_take(d, cont);
    if (handle != val_of_int(0)) vm_fiber_set_handlers(d, handle, handlers);
    return handle;
}

value prim_drop_continuation(struct domain *d, value cont) {
    vm_fiber_drop(d, vm_fiber_taken(d->vm, prim_continuation_use(d, cont)));
    return VAL_UNIT;
}
