/* uncaught.c - exceptions as text, and the report of an uncaught one (machine.h). */
#include "vm/machine/machine.h"

#include "vm/engine/callback.h"
#include "vm/engine/debugger.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/limits.h"
#include "vm/stack/raise.h"
#include "vm/stack/watermarks.h"
#include "vm/state/vm.h"

/* ---- Exceptions as text. ---- */

struct text {
    char *at, *end; /* end: the last byte, for the NUL */
};

static void add_bytes(struct text *t, const char *s, size_t n) {
    size_t room = (size_t)(t->end - t->at), taken = n < room ? n : room;
    memcpy(t->at, s, taken);
    t->at += taken;
}

static void add(struct text *t, const char *s) { add_bytes(t, s, strlen(s)); }
static void add_string(struct text *t, value s) { add_bytes(t, string_bytes(s), c_length(s)); }

static bool is_string(value v) { return is_block(v) && tag_of(v) == TAG_STRING; }

static void add_argument(struct text *t, value v) {
    char number[24];
    if (is_int(v)) {
        snprintf(number, sizeof number, "%ld", (long)int_of_val(v));
        add(t, number);
    } else if (is_string(v)) {
        add(t, "\"");
        add_string(t, v);
        add(t, "\"");
    } else {
        add(t, "_");
    }
}

static void add_name(struct text *t, value constructor) {
    bool good = is_block(constructor) && tag_of(constructor) == TAG_OBJECT &&
                wosize_of(constructor) > 0 && is_string(field(constructor, 0));
    if (good) add_string(t, field(constructor, 0));
    else add(t, "?");
}

/* The exceptions whose only argument is a tuple, the source location. */
static bool carries_place(struct vm *vm, value constructor) {
    value globals = vm->global_data;
    return is_block(globals) && wosize_of(globals) >= EXN_COUNT &&
           (constructor == field(globals, EXN_MATCH_FAILURE) ||
            constructor == field(globals, EXN_ASSERT_FAILURE) ||
            constructor == field(globals, EXN_UNDEFINED_RECURSIVE_MODULE));
}

void vm_format_exception(struct vm *vm, value exn, char *text, size_t size) {
    struct text t = {text, text + size - 1};
    if (is_block(exn) && tag_of(exn) == 0 && wosize_of(exn) > 0) {
        value arguments = exn;
        size_t i = 1;
        add_name(&t, field(exn, 0));
        if (wosize_of(exn) == 2 && is_block(field(exn, 1)) && tag_of(field(exn, 1)) == 0 &&
            carries_place(vm, field(exn, 0))) {
            arguments = field(exn, 1);
            i = 0;
        }
        add(&t, "(");
        for (size_t first = i; i < wosize_of(arguments); i++) {
            if (i > first) add(&t, ", ");
            add_argument(&t, field(arguments, i));
        }
        add(&t, ")");
    } else {
        add_name(&t, exn);
    }
    *t.at = '\0';
}

/* ---- The report. ---- */

static void run_at_exit(struct domain *d) {
    const value *at_exit = vm_named_value(d->vm, "Pervasives.do_at_exit");
    value unit = VAL_UNIT;
    if (at_exit != NULL) vm_callback_exn(d, *at_exit, 1, &unit);
}

/* Exceptions of at_exit functions are ignored, and must not change the backtrace. */
static void print_report(struct domain *d, value exn) {
    char text[256];
    vm_format_exception(d->vm, exn, text, sizeof text);
    bool active = d->backtrace_active;
    size_t count = vm_backtrace_count(d);
    vm_backtrace_switch(d, false);
    run_at_exit(d);
    vm_backtrace_switch(d, active);
    d->backtrace->count = count;
    vm_backtrace_publish(d);
    fprintf(vm_err(d->vm), "Fatal error: exception %s\n", text);
    if (active && !vm_is_debugged(d)) vm_backtrace_print(d, false, vm_err(d->vm));
}

void vm_report_exception(struct domain *d, value exn) {
    const value *handler = vm_named_value(d->vm, "Printexc.handle_uncaught_exception");
    value arguments[2] = {exn, val_of_bool(vm_is_debugged(d))};
    if (handler != NULL) vm_callback_exn(d, *handler, 2, arguments);
    else print_report(d, exn);
}

int vm_report_uncaught(struct vm *vm, value exn) {
    struct domain *d = vm->domain;
    jmp_buf exit_point;
    GC_ROOT(&d->gc, &exn);
    if (vm->profiler.silence != NULL) vm->profiler.silence(vm->profiler.state);
    vm->exit_point = &exit_point;
    vm->exit_status = 2;
    if (_setjmp(exit_point) == 0) vm_report_exception(d, exn);
    vm_output_check(vm);
    vm->exit_point = NULL;
    d->activation = NULL;
    d->stack.sp = d->stack.high;
    vm_watermarks_reset(d);
    d->stack.trap = 0;
    return vm->exit_status;
}
