/* callback.c - vm_enter (with the setjmp to which raises from C jump), calls from C into OCaml, and
 * named values (vm/engine/callback.h). */
#include "vm/engine/callback.h"

#include "gc/assert.h"
#include "gc/roots.h"
#include "vm/base/os.h"
#include "vm/code/checks.h"
#include "vm/engine/loop.h"
#include "vm/engine/slow.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/prim_watch.h"
#include "vm/stack/raise.h"
#include "vm/stack/stack.h"
#include "vm/stack/watermarks.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

vm_run_loop *vm_loop_of(const struct vm *vm) {
    if (vm_counts_instructions(vm)) return vm_run_counting;
    return vm->options.unchecked ? vm_run_unchecked : vm_run_checked;
}

/* Whether there is room for one more entry into the loop. */
static bool may_nest(struct domain *d, struct vm_activation *activation) {
    if (activation->depth < CHECKED_ACTIVATIONS) return true;
    if (activation->depth == CHECKED_ACTIVATIONS) {
        activation->c_stack_low = vm_c_stack_low();
        if (!vm_c_stack_count(d)) return false;
    }
    return activation->depth <= MAX_ACTIVATIONS && (uintptr_t)activation > activation->c_stack_low;
}

value vm_enter(struct domain *d, value closure, intptr_t extra_args) {
    struct vm_activation activation; /* its jump buffer is large: set field by field */
    activation.outer = d->activation;
    activation.local_roots = d->gc.local_roots;
    activation.abi_roots = *abi_local_roots(d);
    activation.held = d->held;
    activation.outer_trap = d->stack.trap;
    activation.base = (uintptr_t)(d->stack.high - d->stack.sp);
    activation.outer_fiber_base = d->stack.fiber_base;
    activation.outer_function_id = d->function_id;
    activation.depth = d->activation == NULL ? 0 : d->activation->depth + 1;
    activation.c_stack_low = d->activation == NULL ? 0 : d->activation->c_stack_low;
    if (!may_nest(d, &activation)) return exn_result(field(d->vm->global_data, EXN_STACK_OVERFLOW));
    ASSERT((is_closure(closure) || d->activation == NULL) && extra_args >= 0);
    ASSERT(d->stack.sp >= d->stack.low && d->stack.sp + extra_args + 3 <= d->stack.high); /* S1 */
    vm_watch_ocaml(d);
    activation.watch.row = NULL;
    d->activation = &activation;
    d->stack.trap = 0;
    d->stack.fiber_base = activation.base;
    value result;
    if (_setjmp(activation.raise) == 0) {
        result = vm_loop_of(d->vm)(d, RUN_CALL, closure, extra_args);
    } else {
        d->gc.local_roots = activation.local_roots;
        *abi_local_roots(d) = activation.abi_roots;
        if (d->held != activation.held) d->vm->upcalls->unlock_down_to(d, activation.held);
        vm_watch_raised(&activation.watch);
        result = vm_loop_of(d->vm)(d, RUN_RAISE, VAL_UNIT, 0);
    }
    ASSERT(d->activation == &activation && d->stack.trap == 0); /* S3 */
    ASSERT(d->stack.boundary <= activation.base);               /* FB1 */
    d->activation = activation.outer;
    d->stack.trap = activation.outer_trap;
    d->stack.fiber_base = activation.outer_fiber_base;
    d->function_id = activation.outer_function_id;
    return result;
}

static value raise_no_function(struct domain *d, void *context) {
    vm_invalid_argument(d, "bytecode: the callback is not a function");
}

/* Restores that depth of the stack: an exception may have left more words on it. */
static inline void leave(struct domain *d, ptrdiff_t depth) {
    ASSERT(d->stack.sp >= d->stack.low && d->stack.sp <= d->stack.high - depth); /* S1 */
    d->stack.sp = d->stack.high - depth;
    if (d->stack.sp > d->stack.lowest_watermark) vm_watermarks_unwound(d, d->stack.sp);
}

/* Applies f to the n arguments at d->stack.sp; three words for a return frame follow them. */
static inline value apply(struct domain *d, value f, int n) {
    ASSERT(n > 0 && n + 3 <= STACK_MARGIN_WORDS && d->stack.sp >= d->stack.low); /* S1 */
    value *end = d->stack.sp + n + 3;
    ptrdiff_t depth = d->stack.high - end;
    if (__builtin_expect(!is_closure(f), 0)) { /* a program may register any value */
        d->stack.sp = end;
        return vm_protect_exn(d, raise_no_function, NULL);
    }
    end[-3] = word_of_resume(d->vm->leave_code);
    end[-2] = end[-1] = VAL_UNIT;
    value result = vm_enter(d, f, n - 1);
    leave(d, depth);
    return result;
}

value vm_slow_next_call(struct domain *d, value calls, value result) {
    ASSERT(is_int(calls));
    const struct vm_calls *source = (const struct vm_calls *)(calls - 1);
    value closure, argument;
    value more = source->next(source->context, d, result, &closure, &argument);
    ASSERT(more == VAL_TRUE || more == VAL_FALSE || is_exn_result(more));
    if (more != VAL_TRUE) return more == VAL_FALSE ? VAL_UNIT : more;
    if (!is_closure(closure)) return vm_protect_exn(d, raise_no_function, NULL);
    value *sp = d->stack.sp -= 4;
    ASSERT(sp >= d->stack.low); /* S1 */
    sp[0] = argument;
    sp[1] = word_of_resume(d->vm->next_call_code), sp[2] = calls, sp[3] = val_of_int(0);
    d->accu = closure;
    return 0;
}

value vm_callbacks_exn(struct domain *d, const struct vm_calls *calls) {
    ptrdiff_t depth = d->stack.high - d->stack.sp;
    value result = vm_slow_next_call(d, (value)calls | 1, 0);
    if (result != 0) return result;
    value closure = d->accu;
    d->accu = VAL_UNIT;
    result = vm_enter(d, closure, 0);
    leave(d, depth);
    return result;
}

value vm_callback_exn(struct domain *d, value f, int n, const value *args) {
    d->stack.sp -= n + 3;
    for (int i = 0; i < n; i++) d->stack.sp[i] = args[i];
    return apply(d, f, n);
}

value vm_callback1_exn(struct domain *d, value f, value a) {
    d->stack.sp -= 4;
    d->stack.sp[0] = a;
    return apply(d, f, 1);
}

value vm_callback(struct domain *d, value f, value a) {
    return vm_value_or_raise(d, vm_callback1_exn(d, f, a));
}

value vm_callback2(struct domain *d, value f, value a, value b) {
    value args[] = {a, b};
    return vm_value_or_raise(d, vm_callback_exn(d, f, 2, args));
}

value vm_callback3(struct domain *d, value f, value a, value b, value c) {
    value args[] = {a, b, c};
    return vm_value_or_raise(d, vm_callback_exn(d, f, 3, args));
}

struct vm_named_value {
    struct vm_named_value *next;
    value slot;
    char name[];
};

static struct vm_named_value *find(const struct vm *vm, const char *name) {
    struct vm_named_value *named = vm->named_values;
    size_t others = 0;
    for (; named != NULL && strcmp(named->name, name) != 0; named = named->next) others++;
    vm_charge_work(vm->domain, others * sizeof *named);
    return named;
}

void vm_register_named_value(struct domain *d, const char *name, value v) {
    struct vm_named_value *named = find(d->vm, name);
    if (named != NULL) {
        gc_modify_root(&d->gc, &named->slot, v);
        return;
    }
    named = vm_must(malloc(sizeof *named + strlen(name) + 1));
    strcpy(named->name, name);
    named->slot = v;
    named->next = d->vm->named_values;
    d->vm->named_values = named;
    gc_register_root(&d->gc, &named->slot);
}

const value *vm_named_value(const struct vm *vm, const char *name) {
    struct vm_named_value *named = find(vm, name);
    return named == NULL ? NULL : &named->slot;
}

void vm_named_values_visit(const struct vm *vm, void (*visit)(const value *slot, char *name)) {
    for (struct vm_named_value *n = vm->named_values; n != NULL; n = n->next)
        visit(&n->slot, n->name);
}

void vm_named_values_free(struct vm *vm) {
    while (vm->named_values != NULL) {
        struct vm_named_value *next = vm->named_values->next;
        free(vm->named_values);
        vm->named_values = next;
    }
}
