/* raise.c - see raise.h. */
#include "vm/stack/raise.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/marshal/constants.h"
#include "vm/stack/frame_layout.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

value vm_protect_exn(struct domain *d, value (*f)(struct domain *d, void *context), void *context) {
    struct vm_activation activation = {.outer = d->activation};
    if (d->activation != NULL) {
        activation.depth = d->activation->depth;
        activation.c_stack_low = d->activation->c_stack_low;
        activation.outer_trap = d->activation->outer_trap;
        activation.base = d->activation->base;
        activation.outer_function_id = d->activation->outer_function_id;
    }
    activation.local_roots = d->gc.local_roots;
    activation.abi_roots = *abi_local_roots(d);
    activation.held = d->held;
    ptrdiff_t depth = d->stack.high - d->stack.sp;
    d->activation = &activation;
    value result;
    if (_setjmp(activation.raise) == 0) {
        result = f(d, context);
    } else {
        d->gc.local_roots = activation.local_roots;
        *abi_local_roots(d) = activation.abi_roots;
        if (d->held != activation.held) d->vm->upcalls->unlock_down_to(d, activation.held);
        d->stack.sp = d->stack.high - depth;
        result = exn_result(d->exn);
        d->exn = VAL_UNIT;
    }
    ASSERT(d->activation == &activation);
    d->activation = activation.outer;
    return result;
}

void vm_raise(struct domain *d, value exn) {
    ASSERT(is_block(exn));
    if (d->activation == NULL) vm_fatal("an exception was raised outside the program");
    if (d->gc.action_requested) {
        GC_ROOT(&d->gc, &exn);
        /* Signal handlers and finalisers may want what the primitive has locked. */
        if (d->held != d->activation->held) d->vm->upcalls->unlock_down_to(d, d->activation->held);
        value result = d->vm->upcalls->process_pending_exn(d);
        if (is_exn_result(result)) exn = exn_of_result(result);
    }
    d->exn = exn;
    _longjmp(d->activation->raise, 1);
}

_Static_assert((int)EXN_COUNT == VM_PREDEFINED_COUNT, "the exceptions have these names");

/* No exception can be built before the globals exist, or after a program has overwritten them. */
static value predefined(struct domain *d, enum vm_exception which) {
    value globals = d->vm->global_data;
    if (is_int(globals) || wosize_of(globals) < EXN_COUNT || is_int(field(globals, which)) ||
        d->activation == NULL)
        vm_fatal("exception %s", vm_predefined_exceptions[which]);
    return field(globals, which);
}

void vm_raise_constant(struct domain *d, enum vm_exception which) {
    vm_raise(d, predefined(d, which));
}

void vm_raise_with_arg(struct domain *d, value tag, value argument) {
    vm_raise(d, new_pair(d, tag, argument));
}

void vm_raise_with_text(struct domain *d, enum vm_exception which, const char *text) {
    value argument = copy_string(d, text);
    vm_raise_with_arg(d, predefined(d, which), argument);
}

static _Noreturn void raise_formatted(struct domain *d, enum vm_exception which, const char *format,
                                      va_list arguments) {
    char text[1001];
    vsnprintf(text, sizeof text, format, arguments);
    vm_raise_with_text(d, which, text);
}

void vm_failwith(struct domain *d, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    raise_formatted(d, EXN_FAILURE, format, arguments);
}

void vm_invalid_argument(struct domain *d, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    raise_formatted(d, EXN_INVALID_ARGUMENT, format, arguments);
}

void vm_raise_not_found(struct domain *d) { vm_raise_constant(d, EXN_NOT_FOUND); }
void vm_raise_end_of_file(struct domain *d) { vm_raise_constant(d, EXN_END_OF_FILE); }
void vm_raise_zero_divide(struct domain *d) { vm_raise_constant(d, EXN_DIVISION_BY_ZERO); }
void vm_raise_stack_overflow(struct domain *d) { vm_raise_constant(d, EXN_STACK_OVERFLOW); }
void vm_raise_out_of_memory(struct domain *d) { vm_raise_constant(d, EXN_OUT_OF_MEMORY); }
void vm_raise_bound_error(struct domain *d) {
    vm_raise_with_text(d, EXN_INVALID_ARGUMENT, "index out of bounds");
}

void vm_raise_sys_error(struct domain *d, int error_number, value argument) {
    const char *reason = strerror(error_number);
    if (is_int(argument)) vm_raise_with_text(d, EXN_SYS_ERROR, reason);
    size_t name_length = string_length(argument), length = name_length + 2 + strlen(reason);
    GC_ROOT(&d->gc, &argument);
    value text = new_string(d, length);
    memcpy(string_bytes(text), string_bytes(argument), name_length);
    memcpy(string_bytes(text) + name_length, ": ", 2);
    memcpy(string_bytes(text) + name_length + 2, reason, length - name_length - 2);
    vm_raise_with_arg(d, predefined(d, EXN_SYS_ERROR), text);
}

value vm_value_or_raise(struct domain *d, value result) {
    if (is_exn_result(result)) vm_raise(d, exn_of_result(result));
    return result;
}

void vm_raise_wrong_kind(struct domain *d, const char *primitive, const char *kinds) {
    vm_invalid_argument(d, "bytecode: %s was given a value of the wrong kind (it takes %s)",
                        primitive, kinds);
}

void vm_raise_refused(struct domain *d, const char *subject, const char *flag) {
    char text[1000];
    snprintf(text, sizeof text, "%s: refused by %s", subject, flag);
    vm_raise_with_text(d, EXN_SYS_ERROR, text);
}
