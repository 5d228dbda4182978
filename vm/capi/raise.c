/* raise.c - exceptions from C stubs. */
#include "gc/fatal.h"
#include "vm/capi/capi_internal.h"
#include "vm/machine/uncaught.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

#include <stdarg.h>

void caml_raise(value exn) { vm_raise(self(), exn); }
void caml_raise_constant(value tag) { vm_raise(self(), tag); }
void caml_raise_with_arg(value tag, value argument) { vm_raise_with_arg(self(), tag, argument); }

void caml_raise_with_args(value tag, int count, value arguments[]) {
    struct domain *d = self();
    /* The arguments in place, as many as there are. */
    struct gc_local_roots given = {d->gc.local_roots, 1, count, {arguments}};
    d->gc.local_roots = &given;
    GC_ROOT(&d->gc, &tag);
    value exn = new_block(d, (size_t)count + 1, 0);
    gc_init_field(&d->gc, exn, 0, tag);
    for (int i = 0; i < count; i++) gc_init_field(&d->gc, exn, (size_t)i + 1, arguments[i]);
    d->gc.local_roots = given.next;
    vm_raise(d, exn);
}

void caml_raise_with_string(value tag, const char *text) {
    struct domain *d = self();
    GC_ROOT(&d->gc, &tag);
    value argument = copy_string(d, text);
    vm_raise_with_arg(d, tag, argument);
}

void caml_failwith(const char *text) { vm_raise_with_text(self(), EXN_FAILURE, text); }
void caml_invalid_argument(const char *text) {
    vm_raise_with_text(self(), EXN_INVALID_ARGUMENT, text);
}

static _Noreturn void raise_with_value(enum vm_exception which, value argument) {
    struct domain *d = self();
    vm_raise_with_arg(d, field(d->vm->global_data, which), argument);
}
void caml_failwith_value(value text) { raise_with_value(EXN_FAILURE, text); }
void caml_invalid_argument_value(value text) { raise_with_value(EXN_INVALID_ARGUMENT, text); }
void caml_raise_sys_error(value text) { raise_with_value(EXN_SYS_ERROR, text); }

void caml_array_bound_error(void) { vm_raise_bound_error(self()); }
void caml_raise_out_of_memory(void) { vm_raise_out_of_memory(self()); }
void caml_raise_stack_overflow(void) { vm_raise_stack_overflow(self()); }
void caml_raise_sys_blocked_io(void) { vm_raise_constant(self(), EXN_SYS_BLOCKED_IO); }
void caml_raise_end_of_file(void) { vm_raise_end_of_file(self()); }
void caml_raise_zero_divide(void) { vm_raise_zero_divide(self()); }
void caml_raise_not_found(void) { vm_raise_not_found(self()); }

void caml_fatal_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gc_vreport_fatal(format, arguments);
    va_end(arguments);
    abort();
}

char *caml_format_exception(value exn) {
    enum { TEXT_BYTES = 256 };
    char *text = must(malloc(TEXT_BYTES));
    vm_format_exception(self()->vm, exn, text, TEXT_BYTES);
    return text;
}
