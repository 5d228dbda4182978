/* control.c - callbacks, exceptions, blocking sections and signals for C stubs. Entries into the
 * loop nest; an exception that no OCaml code in between catches leaves the stubs by longjmp. */
#include "gc/fatal.h"
#include "stdlib/prim.h"
#include "vm/base/os.h"
#include "vm/capi/capi_internal.h"
#include "vm/engine/callback.h"
#include "vm/engine/slow.h"
#include "vm/machine/machine.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"
#include "vm/thread/thread.h"

#include <errno.h>
#include <stdarg.h>

/* ---- Callbacks. ---- */

/* Arguments of one call: more are passed in parts, to fit into STACK_MARGIN_WORDS. */
enum { MOST_ARGUMENTS = 32 };

value caml_callbackN_exn(value f, int count, value arguments[]) {
    struct domain *d = self();
    if (count <= MOST_ARGUMENTS) return vm_callback_exn(d, f, count, arguments);
    struct gc_local_roots given = {d->gc.local_roots, 1, count, {arguments}};
    d->gc.local_roots = &given;
    ASSERT(MOST_ARGUMENTS + SAVED_WORDS < STACK_MARGIN_WORDS);
    for (int done = 0, n; done < count && !is_exn_result(f); done += n) {
        n = count - done < MOST_ARGUMENTS ? count - done : MOST_ARGUMENTS;
        f = vm_callback_exn(d, f, n, arguments + done);
    }
    d->gc.local_roots = given.next;
    return f;
}

value caml_callback_exn(value f, value a) { return vm_callback_exn(self(), f, 1, &a); }
value caml_callback2_exn(value f, value a, value b) {
    value arguments[] = {a, b};
    return vm_callback_exn(self(), f, 2, arguments);
}
value caml_callback3_exn(value f, value a, value b, value c) {
    value arguments[] = {a, b, c};
    return vm_callback_exn(self(), f, 3, arguments);
}

value caml_callback(value f, value a) { return vm_callback(self(), f, a); }
value caml_callback2(value f, value a, value b) { return vm_callback2(self(), f, a, b); }
value caml_callback3(value f, value a, value b, value c) {
    return vm_callback3(self(), f, a, b, c);
}
value caml_callbackN(value f, int count, value arguments[]) {
    return vm_value_or_raise(self(), caml_callbackN_exn(f, count, arguments));
}

const value *caml_named_value(const char *name) { return vm_named_value(self()->vm, name); }

void caml_iterate_named_values(void (*visit)(const value *slot, char *name)) {
    vm_named_values_visit(self()->vm, visit);
}

value caml_get_public_method(value object, value tag) {
    return vm_slow_public_method(object, tag, NULL);
}

/* ---- Exceptions. ---- */

_Noreturn void caml_raise(value exn) { vm_raise(self(), exn); }
_Noreturn void caml_raise_constant(value tag) { vm_raise(self(), tag); }
_Noreturn void caml_raise_with_arg(value tag, value argument) {
    vm_raise_with_arg(self(), tag, argument);
}

_Noreturn void caml_raise_with_args(value tag, int count, value arguments[]) {
    vm_raise(self(), caml_exception_with_args(tag, count, arguments));
}

_Noreturn void caml_raise_with_string(value tag, const char *text) {
    struct domain *d = self();
    GC_ROOT(&d->gc, &tag);
    value argument = copy_string(d, text);
    vm_raise_with_arg(d, tag, argument);
}

_Noreturn void caml_failwith(const char *text) { vm_raise_with_text(self(), EXN_FAILURE, text); }
void caml_invalid_argument(const char *text) {
    vm_raise_with_text(self(), EXN_INVALID_ARGUMENT, text);
}

static _Noreturn void raise_with_value(enum vm_exception which, value argument) {
    struct domain *d = self();
    vm_raise_with_arg(d, field(d->vm->global_data, which), argument);
}
_Noreturn void caml_failwith_value(value text) { raise_with_value(EXN_FAILURE, text); }
_Noreturn void caml_invalid_argument_value(value text) {
    raise_with_value(EXN_INVALID_ARGUMENT, text);
}
_Noreturn void caml_raise_sys_error(value text) { raise_with_value(EXN_SYS_ERROR, text); }

_Noreturn void caml_array_bound_error(void) { vm_raise_bound_error(self()); }
_Noreturn void caml_raise_out_of_memory(void) { vm_raise_out_of_memory(self()); }
_Noreturn void caml_raise_stack_overflow(void) { vm_raise_stack_overflow(self()); }
_Noreturn void caml_raise_sys_blocked_io(void) { vm_raise_constant(self(), EXN_SYS_BLOCKED_IO); }
_Noreturn void caml_raise_end_of_file(void) { vm_raise_end_of_file(self()); }
_Noreturn void caml_raise_zero_divide(void) { vm_raise_zero_divide(self()); }
_Noreturn void caml_raise_not_found(void) { vm_raise_not_found(self()); }

value caml_raise_if_exception(value result) { return vm_value_or_raise(self(), result); }

/* Whether an exception is printed as its constructor with a place in the source. */
int caml_is_special_exception(value tag) {
    value globals = self()->vm->global_data;
    return tag == field(globals, EXN_MATCH_FAILURE) || tag == field(globals, EXN_ASSERT_FAILURE) ||
           tag == field(globals, EXN_UNDEFINED_RECURSIVE_MODULE);
}

void caml_fatal_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (caml_fatal_error_hook != NULL) caml_fatal_error_hook(format, arguments);
    else gc_vreport_fatal(format, arguments);
    va_end(arguments);
    abort();
}

/* The text is to be freed with caml_stat_free. */
char *caml_format_exception(value exn) {
    enum { TEXT_BYTES = 256 };
    char *text = must(malloc(TEXT_BYTES));
    vm_format_exception(self()->vm, exn, text, TEXT_BYTES);
    return text;
}

_Noreturn void caml_fatal_uncaught_exception(value exn) {
    struct domain *d = self();
    vm_report_exception(d, exn);
    vm_exit(d, 2);
}

void caml_record_backtraces(int on) { vm_backtrace_set_active(self(), on != 0); }
void caml_print_exception_backtrace(void) { vm_backtrace_print(self(), false, stderr); }
int caml_debug_info_available(void) { return 1; }
int caml_debug_info_status(void) {
    return (int)int_of_val(prim_ml_debug_info_status(self(), VAL_UNIT));
}

/* ---- Stacks. ---- */

uintptr_t caml_stack_usage(void) {
    const struct vm_stack *stack = &self()->stack;
    return (uintptr_t)(stack->high - stack->sp);
}

/* ---- Blocking sections, threads, signals. ---- */

void caml_enter_blocking_section_no_pending(void) { caml_enter_blocking_section_hook(); }

/* A signal that arrives between the test and the start of the section must not wait for the end of
 * a call that may block for ever, so the test is repeated. */
void caml_enter_blocking_section(void) {
    struct domain *d = self();
    for (;;) {
        vm_value_or_raise(d, vm_run_signal_handlers_exn(d));
        caml_enter_blocking_section_hook();
        if (!vm_signals_pending(d)) return;
        caml_leave_blocking_section_hook();
    }
}

void caml_leave_blocking_section(void) {
    int saved = errno;
    caml_leave_blocking_section_hook();
    errno = saved;
}

void caml_process_pending_actions(void) {
    struct domain *d = self();
    if (d->gc.action_requested) vm_process_pending(d);
}

value caml_process_pending_actions_exn(void) {
    struct domain *d = self();
    return d->gc.action_requested ? vm_process_pending_exn(d) : VAL_UNIT;
}

void caml_set_action_pending(void) { gc_request_action(&self()->gc); }
void caml_update_young_limit(void) {} /* inline allocation always calls (alloc.c) */
value caml_do_pending_actions_exn(void) { return vm_process_pending_exn(self()); }

/* v, or the exception of an action. */
value caml_process_pending_actions_with_root_exn(value v) {
    GC_ROOT(&self()->gc, &v);
    value result = caml_process_pending_actions_exn();
    return is_exn_result(result) ? result : v;
}
value caml_process_pending_actions_with_root(value v) {
    return vm_value_or_raise(self(), caml_process_pending_actions_with_root_exn(v));
}

value caml_final_do_calls_exn(void) { return vm_run_finalisers_exn(self()); }
value caml_process_pending_signals_exn(void) { return vm_run_signal_handlers_exn(self()); }
value caml_execute_signal_exn(int number, int in_handler) {
    return vm_signal_run_handler_exn(self(), number);
}
void caml_record_signal(int number) { vm_signal_record(number); }

/* The action before: the numbers of enum vm_signal_action are OCaml's. */
int caml_set_signal_action(int number, int action) {
    enum vm_signal_action old = vm_signal_set_action(self(), number, (enum vm_signal_action)action);
    return old == VM_SIGNAL_REFUSED ? -1 : (int)old;
}
int caml_setup_stack_overflow_detection(void) { return 0; }

int caml_check_pending_actions(void) { return self()->gc.action_requested; }

int caml_convert_signal_number(int number) { return vm_signal_to_system(self()->vm, number); }
int caml_rev_convert_signal_number(int number) {
    return (int)vm_signal_to_ocaml(self()->vm, number);
}

int caml_c_thread_register(void) { return vm_thread_register(self()->vm); }
int caml_c_thread_unregister(void) { return vm_thread_unregister(self()->vm); }

/* ---- Refused: imported by some library, but without meaning here (README.md). A call raises
 * Failure, or ends the process if no machine runs. ---- */

static _Noreturn void refuse(const char *name) {
    if (Caml_state == NULL)
        vm_fatal("%s: bactrian does not have this function of OCaml's C interface", name);
    vm_failwith(self(), "%s: bactrian does not have this function of OCaml's C interface", name);
}

char *caml_alloc_for_heap(uintptr_t bytes) { refuse(__func__); }
int caml_add_to_heap(char *chunk) { refuse(__func__); }
unsigned caml_allocation_color(void *block) { refuse(__func__); }
int caml_page_table_add(int kind, void *start, void *end) { refuse(__func__); }
int caml_page_table_remove(int kind, void *start, void *end) { refuse(__func__); }

void caml_free_for_heap(char *chunk) { refuse(__func__); }

void caml_main(char **argv) { refuse(__func__); }
void caml_shutdown(void) { refuse(__func__); }
