/* prim_sys.c - module Sys without its files: command line, environment, constants, time, signals,
 * end of the program. */
#include "stdlib/channel.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/version.h"
#include "vm/machine/machine.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/stack.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Command line and environment. ---- */

/* Built on first use, but unsampled, as if it were made before the program starts. */
static void make_argv(struct domain *d, struct prim_state *state) {
    char **words = d->vm->options.argv;
    size_t n = 0;
    while (words != NULL && words[n] != NULL) n++;
    state->argv = gc_alloc_major_unsampled(&d->gc, n, 0);
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(words[i]), wosize = string_wosize(length);
        ASSERT(wosize * 8 > length);
        value word = gc_alloc_major_unsampled(&d->gc, wosize, TAG_STRING);
        field(word, wosize - 1) = 0;
        memcpy(string_bytes(word), words[i], length);
        string_bytes(word)[wosize * 8 - 1] = (char)(wosize * 8 - 1 - length);
        gc_init_field(&d->gc, state->argv, i, word);
    }
    gc_register_root(&d->gc, &state->argv);
}

/* The same array each time, until the program replaces it: by an array, or by a forward block that
 * the collector replaces by any value. */
value prim_sys_argv(struct domain *d, value unit) {
    struct prim_state *state = prim_state(d);
    if (state->argv == 0) make_argv(d, state);
    return state->argv;
}

value prim_sys_modify_argv(struct domain *d, value argv) {
    prim_sys_argv(d, VAL_UNIT);
    gc_modify_root(&d->gc, &prim_state(d)->argv, argv);
    return VAL_UNIT;
}

value prim_sys_executable_name(struct domain *d, value unit) {
    const char *name = d->vm->options.executable_name;
    return copy_string(d, name == NULL ? "" : name);
}

value prim_sys_get_argv(struct domain *d, value unit) {
    value name = prim_sys_executable_name(d, unit);
    GC_ROOT(&d->gc, &name);
    value argv = prim_sys_argv(d, unit);
    return new_pair(d, name, argv);
}

/* A program that is denied the environment finds it empty: modules of the standard library read
 * theirs when they start. */
static const char *environment(struct domain *d, value name, char *(*look_up)(const char *)) {
    bool refused = vm_policy_refusal(d->vm, CAP_ENV) != NULL;
    return !refused && is_c_string(name) ? look_up(string_bytes(name)) : NULL;
}

static value text_or_not_found(struct domain *d, const char *text) {
    if (text == NULL) vm_raise_not_found(d);
    return copy_string(d, text);
}

value prim_sys_getenv(struct domain *d, value name) {
    return text_or_not_found(d, environment(d, name, secure_getenv));
}

value prim_sys_unsafe_getenv(struct domain *d, value name) {
    return text_or_not_found(d, environment(d, name, getenv));
}

value prim_sys_getenv_opt(struct domain *d, value name) {
    const char *text = environment(d, name, secure_getenv);
    return text == NULL ? VAL_NONE : new_some(d, copy_string(d, text));
}

/* Where the system says it, not the environment: not on Unix. */
value prim_sys_temp_dir_name(struct domain *d, value unit) { return copy_string(d, ""); }
value prim_xdg_defaults(struct domain *d, value unit) { return VAL_EMPTY_LIST; }

/* ---- Configuration. ---- */

#define CONSTANT(name, result) \
    value prim_sys_const_##name(struct domain *d, value unit) { return result; }
CONSTANT(big_endian, VAL_FALSE)
CONSTANT(word_size, val_of_int(64))
CONSTANT(int_size, val_of_int(63))
CONSTANT(max_wosize, val_of_int(MAX_WOSIZE))
CONSTANT(ostype_unix, VAL_TRUE)
CONSTANT(ostype_win32, VAL_FALSE)
CONSTANT(ostype_cygwin, VAL_FALSE)
CONSTANT(naked_pointers_checked, VAL_FALSE)
CONSTANT(backend_type, val_of_int(1)) /* Sys.Bytecode */
#undef CONSTANT

value prim_sys_get_config(struct domain *d, value unit) {
    value os = copy_string(d, "Unix");
    GC_ROOT(&d->gc, &os);
    value triple = new_small(d, 3, 0);
    field(triple, 0) = os;
    field(triple, 1) = val_of_int(64);
    field(triple, 2) = VAL_FALSE;
    return triple;
}

value prim_runtime_variant(struct domain *d, value unit) { return copy_string(d, ""); }

/* In the syntax of OCAMLRUNPARAM. H is 0: huge pages are not supported. */
value prim_runtime_parameters(struct domain *d, value unit) {
    const struct gc_params *p = gc_get_params(&d->gc);
    const struct prim_state *state = prim_state(d);
    const struct vm_options *options = &d->vm->options;
    int backtrace = options->backtrace_level == 0 ? 1 : options->backtrace_level;
    if (!d->backtrace_active) backtrace = 0;
    char text[400];
    if (!d->vm->version->has_runtime_parameters)
        return copy_string(d, "caml_runtime_parameters not implemented: 0");
    if (!d->vm->version->gc_has_chunks) {
        size_t ring = options->events_log_words;
        snprintf(text, sizeof text,
                 "b=%d,c=%d,e=%zu,l=%zu,M=%zu,m=%zu,n=%zu,o=%zu,p=%d,s=%zu,t=%zu,v=%zu,V=%zu,W=%zu",
                 backtrace != 0, options->cleanup_at_exit, ring == 0 ? 16 : ring, vm_stack_limit(d),
                 p->custom_major_ratio, p->custom_minor_ratio, p->custom_minor_max_bytes,
                 p->space_overhead, d->record->parser_trace, d->record->minor_heap_words,
                 options->trace_level, p->verbose, options->verify_heap, state->runtime_warnings);
        return copy_string(d, text);
    }
    snprintf(text, sizeof text,
             "a=%zu,b=%d,H=0,i=%zu,l=%zu,o=%zu,O=%zu,p=%d,s=%zu,t=%zu,v=%zu,w=%zu,W=%zu",
             p->allocation_policy, backtrace, p->heap_increment, vm_stack_limit(d),
             p->space_overhead, p->max_overhead, d->record->parser_trace, p->minor_words,
             options->trace_level, p->verbose, p->window_size, state->runtime_warnings);
    return copy_string(d, text);
}

value prim_ml_enable_runtime_warnings(struct domain *d, value on) {
    prim_state(d)->runtime_warnings = bool_of_val(on);
    return VAL_UNIT;
}

value prim_ml_runtime_warnings_enabled(struct domain *d, value unit) {
    return val_of_bool(prim_state(d)->runtime_warnings != 0);
}

/* No code is instrumented for afl-fuzz. */
value prim_reset_afl_instrumentation(struct domain *d, value full) { return VAL_UNIT; }

/* ---- The process. ---- */

value prim_sys_exit(struct domain *d, value status) {
    vm_print_exit_statistics(d, stderr);
    vm_exit(d, (int)int_of_val(status));
}

value prim_sys_system_command(struct domain *d, value command) {
    if (!is_c_string(command)) vm_raise_sys_error(d, EINVAL, command);
    GC_ROOT(&d->gc, &command);
    vm_run_pending_signal_handlers(d);
    char *text = strndup(string_bytes(command), string_length(command)); /* a handler's change */
    if (text == NULL) vm_raise_out_of_memory(d);
    vm_enter_blocking(d);
    int status = system(text);
    vm_leave_blocking(d);
    free(text);
    if (status == -1) vm_raise_sys_error(d, errno, command);
    return val_of_int(WIFEXITED(status) ? WEXITSTATUS(status) : 255);
}

static double seconds_of(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
           (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
}

value prim_sys_time_include_children(struct domain *d, value children) {
    double seconds = seconds_of(RUSAGE_SELF);
    if (bool_of_val(children)) seconds += seconds_of(RUSAGE_CHILDREN);
    return copy_double(d, seconds);
}

value prim_sys_time(struct domain *d, value unit) {
    return prim_sys_time_include_children(d, VAL_FALSE);
}

/* The system's random bytes, one an integer. */
value prim_sys_random_seed(struct domain *d, value unit) {
    unsigned char bytes[12];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) vm_raise_sys_error(d, errno, VAL_UNIT);
    value array = new_small(d, sizeof bytes, 0);
    for (size_t i = 0; i < sizeof bytes; i++) field(array, i) = val_of_int(bytes[i]);
    return array;
}

value prim_sys_io_buffer_size(struct domain *d, value unit) {
    return val_of_int(CHANNEL_BUFFER_BYTES);
}

value prim_sys_isatty(struct domain *d, value channel) {
    const struct channel *c = channel_of(channel);
    return val_of_bool(c->stream == NULL && isatty(c->fd) == 1);
}

/* Raises Stack_overflow unless the stack has room for a frame of that many words. */
value prim_ensure_stack_capacity(struct domain *d, value words) {
    const value *top = stack_of_ocaml(&d->stack);
    intptr_t more = int_of_val(words) - (intptr_t)d->vm->version->stack_reserve_words;
    if (more <= 0) return VAL_UNIT;
    if (more > top - d->stack.low || !vm_stack_reserve(d, top - more, top - more))
        vm_raise_stack_overflow(d);
    return VAL_UNIT;
}

/* ---- Signals. ---- */

/* Sys.poll_actions, and where the compiler wants a poll. */
value prim_process_pending_actions_with_root(struct domain *d, value v) {
    return vm_poll_keeping(d, v);
}

value prim_sys_convert_signal_number(struct domain *d, value signal) {
    return val_of_int(vm_signal_to_system(d->vm, (int)int_of_val(signal)));
}
value prim_sys_rev_convert_signal_number(struct domain *d, value number) {
    return val_of_int(vm_signal_to_ocaml(d->vm, (int)int_of_val(number)));
}

value prim_install_signal_handler(struct domain *d, value signal, value behaviour) {
    int number = vm_signal_to_system(d->vm,
                                     (int)int_of_val(signal)); /* cut to 32 bits, as OCaml does */
    if (!vm_signal_exists(number) || (number == 0 && d->vm->version->refuses_signal_0))
        vm_invalid_argument(d, "Sys.signal: unavailable signal");
    if (is_block(behaviour) && !has_field(behaviour, 0)) prim_refuse(d, "signal");
    enum vm_signal_action action = is_block(behaviour)          ? VM_SIGNAL_HANDLE
                                   : int_of_val(behaviour) == 1 ? VM_SIGNAL_IGNORE
                                                                : VM_SIGNAL_DEFAULT;
    value handler = is_block(behaviour) ? field(behaviour, 0) : VAL_UNIT;
    value old_handler = VAL_UNIT, result = VAL_UNIT;
    GC_ROOT(&d->gc, &old_handler, &result);
    enum vm_signal_action old = vm_signal_set(d, number, action, handler, &old_handler);
    if (old == VM_SIGNAL_REFUSED) vm_raise_sys_error(d, errno, VAL_UNIT);
    result = val_of_int(old);
    if (old == VM_SIGNAL_HANDLE) {
        result = new_small(d, 1, 0);
        field(result, 0) = old_handler;
    }
    vm_process_pending(d);
    return result;
}
