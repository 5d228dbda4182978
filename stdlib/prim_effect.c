/* prim_effect.c - module Effect: fibers and continuations (vm/stack/fiber.h). */
#include "stdlib/prim.h"
#include "vm/engine/effects.h"
#include "vm/stack/backtrace.h"
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

static void count_only(void *context, uint64_t gpc) {}

struct filling {
    value array;
    size_t next;
};

static void fill_slot(void *context, uint64_t gpc) {
    struct filling *f = context;
    ASSERT(f->next < wosize_of(f->array));
    field(f->array, f->next++) = val_of_int((intptr_t)gpc); /* integers need no barrier */
}

value prim_get_continuation_callstack(struct domain *d, value cont, value limit) {
    const struct vm_fiber *f = vm_fiber_of_cont(d->vm, cont);
    if (f == NULL) vm_raise_already_resumed(d);
    size_t most = int_of_val(limit) < 0 ? 0 : (size_t)int_of_val(limit);
    size_t n = vm_backtrace_walk_suspended(d, f, most, count_only, NULL);
    GC_ROOT(&d->gc, &cont);
    vm_charge_work(d, 64 * n);
    struct filling filling = {.array = new_block(d, n, 0)};
    f = vm_fiber_of_cont(d->vm, cont);
    if (f == NULL) vm_raise_already_resumed(d); /* a signal handler took it */
    vm_backtrace_walk_suspended(d, f, n, fill_slot, &filling);
    return filling.array;
}
