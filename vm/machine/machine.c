/* machine.c - see machine.h. */
#include "vm/machine/machine.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/function_id.h"
#include "vm/code/prim.h"
#include "vm/code/version.h"
#include "vm/engine/callback.h"
#include "vm/engine/debugger.h"
#include "vm/engine/loop.h"
#include "vm/engine/patches.h"
#include "vm/engine/prepare.h"
#include "vm/engine/slow.h"
#include "vm/image/dll.h"
#include "vm/image/image.h"
#include "vm/image/link.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/reader.h"
#include "vm/marshal/symbols.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/callstack.h"
#include "vm/stack/fiber.h"
#include "vm/stack/limits.h"
#include "vm/stack/raise.h"
#include "vm/stack/reexecute.h"
#include "vm/stack/stack.h"
#include "vm/stack/watermarks.h"
#include "vm/state/vm.h"
#include "vm/thread/domains.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"
#include "vm/thread/thread.h"

#include <stdlib.h>

static void out_of_memory(void *context, struct gc_domain *g, size_t words) {
    struct domain *d = context;
    if (d->activation == NULL || is_int(d->vm->global_data))
        vm_fatal("out of memory (a request of %zu words)", words);
    vm_raise_out_of_memory(d);
}

static bool create_domain(struct vm *vm, struct vm_error *error) {
    struct domain *d = calloc(1, sizeof *d);
    if (d == NULL) {
        vm_error_set(error, VM_NO_MEMORY, "for the machine itself");
        return false;
    }
    vm->domain = d;
    d->vm = vm;
    d->abi_layout = vm->version->abi;
    d->exn = d->accu = VAL_UNIT;
    d->sample = vm_slow_alloc;
    size_t words = vm->options.max_stack_words;
    if (words == 0 && !vm->options.max_stack_given) words = vm->version->default_max_stack_words;
    struct gc_params gc = vm->options.gc;
    if (!vm->options.custom_minor_given)
        gc.custom_minor_max_bytes = vm->version->custom_minor_max_bytes;
    gc.min_minor_words = vm->version->min_minor_words;
    gc.max_minor_words = (size_t)1 << vm->version->max_minor_words_log;
    gc.silent = vm->version->gc_is_silent;
    gc.counts_empty_minors = gc.starts_in_a_cycle = vm->version->gc_always_marks;
    gc.minor_keeps_keys = vm->version->gc_minor_keeps_keys;
    gc.minor_keeps_data = vm->version->gc_minor_keeps_data;
    gc.large_customs_are_major = vm->version->large_customs_are_major;
    struct gc_upcalls up = {.context = d, .out_of_memory = out_of_memory, .err = vm_err(vm)};
    const char *refused = gc_heap_create(&d->gc, &gc, &up);
    if (refused != NULL) {
        vm_error_set(error, VM_NO_MEMORY, "%s", refused);
        return false;
    }
    if (gc.counts_empty_minors) gc_minor(&d->gc); /* OCaml 5 sizes the minor heap by one */
    if (!vm_stack_create(d, words, true)) {
        vm_error_set(error, VM_NO_MEMORY, "for a stack of %zu words", words);
        return false;
    }
    vm_set_stack_limit(d, words);
    vm_stack_apply_limit(d);
    gc_add_incremental_scanner(d->gc.heap, "the stack", vm_stack_scan, vm_stack_scan_some, d);
    d->backtrace = vm_must(vm_backtrace_create(d));
    d->backtrace_active = vm->options.backtrace;
    vm_domains_create(d);
    return true;
}

/* The table of functions never moves: closures and decoded code refer to its rows. */
static bool create_function_table(struct vm *vm) {
    size_t bytes = sizeof *vm->functions << 24;
    vm->functions = vm_reserve(&bytes, sizeof *vm->functions << 10);
    if (vm->functions == NULL) return false;
    size_t capacity = bytes / sizeof *vm->functions;
    vm->function_capacity = (uint32_t)capacity;
    vm->function_count = 1;
    return true;
}

static const struct vm_upcalls upcalls = {
    .process_pending_exn = vm_process_pending_exn,
    .unlock_down_to = vm_unlock_down_to,
    .exit = vm_exit,
};

struct vm *vm_create(const struct vm_options *options, const struct vm_version *version,
                     const struct vm_library *library, struct vm_error *error) {
    struct vm *vm = calloc(1, sizeof *vm);
    if (vm == NULL) {
        vm_error_set(error, VM_NO_MEMORY, "for the machine itself");
        return NULL;
    }
    vm->options = *options;
    vm->version = version;
    vm->library = library;
    vm->upcalls = &upcalls;
    vm->global_data = VAL_UNIT;
    if (!vm_limits_start(vm)) {
        vm_error_set(error, VM_NO_MEMORY, "for the limits of the run");
        vm_destroy(vm);
        return NULL;
    }
    if (!create_domain(vm, error)) {
        vm_destroy(vm);
        return NULL;
    }
    if (!create_function_table(vm) || !vm_decoded_area_create(vm) ||
        (vm->library_state = library->open(vm)) == NULL) {
        vm_error_set(error, VM_NO_MEMORY, "for the machine's tables");
        vm_destroy(vm);
        return NULL;
    }
    return vm;
}

/* The code comes before DATA: the temporary memory of its verification is free again for the
 * blocks. */
static enum vm_status load_code_and_data(struct vm *vm, struct vm_image *image,
                                         struct vm_error *error) {
    const struct vm_section *data = vm_image_section(image, "DATA");
    if (data == NULL) return vm_error_set(error, VM_NO_SECTION, "DATA");
    uint32_t index, global_count;
    enum vm_status status = vm_marshal_read_image_globals(data->bytes, data->length, &global_count,
                                                          error);
    if (status != VM_OK) return status;
    struct vm_words words;
    if (!vm_image_take_code(image, &words))
        return vm_error_set(error, VM_NO_MEMORY, "%u words of code", image->code_words);
    status = vm_code_add(vm, &words, global_count, false, &index, error);
    if (status != VM_OK) return status;
    value globals;
    status = vm_marshal_read_image_data(vm->domain, data->bytes, data->length, &globals, error);
    if (status != VM_OK) return status;
    ASSERT(wosize_of(globals) == global_count);
    vm_set_global_data(vm, globals);
    return VM_OK;
}

enum vm_status vm_load(struct vm *vm, struct vm_image *image, struct vm_error *error) {
    vm->image = image;
    enum vm_status status = vm_dlls_open(vm, error);
    if (status != VM_OK) return status;
    vm_link_primitives(vm, image->primitive_names, image->primitive_count);
    status = load_code_and_data(vm, image, error);
    if (status == VM_OK && vm->options.gc.verify) vm_code_digest(vm->codes[0]);
    if (status == VM_OK && vm->options.backtrace_level >= 2) vm_debuginfo_open(vm, true);
    vm_image_drop_loaded(image);
    return status;
}

/* The program runs as the body of a block that names it, as a closure would; but the program, which
 * finds it in A, must not call it: its frame has no arguments. The frame is followed by a return
 * frame like any other, which is where walks of the stack end. */
static value run_program(struct domain *d, void *context) {
    uint32_t main_function = d->vm->codes[0]->main_function;
    value program = gc_alloc_small(&d->gc, 2, TAG_ABSTRACT);
    field(program, 0) = val_of_int(main_function);
    field(program, 1) = make_closinfo(0, 2);
    d->stack.sp -= 3;
    d->stack.sp[0] = word_of_resume(d->vm->leave_code);
    d->stack.sp[1] = d->stack.sp[2] = VAL_UNIT;
    return vm_enter(d, program, 0);
}

/* Runs f until it returns or the program ends, and restores what the caller had. */
static struct vm_result run(struct vm *vm, value (*f)(struct domain *d, void *context),
                            void *context, value *out) {
    struct domain *d = vm->domain;
    struct vm_context before = d->context;
    struct gc_local_roots *roots = d->gc.local_roots, *abi_roots = *abi_local_roots(d);
    jmp_buf exit_point, *outer_exit_point = vm->exit_point;
    struct vm_result result = {.outcome = VM_EXITED};
    /* When another thread of the program calls, the exit point stays the first thread's. */
    bool is_main = vm_thread_is_main(d);
    if (is_main) vm->exit_point = &exit_point;
    if (_setjmp(exit_point) == 0) {
        value r = f(d, context);
        result.outcome = is_exn_result(r) ? VM_UNCAUGHT : VM_RETURNED;
        if (is_exn_result(r)) result.exn = d->exn = exn_of_result(r);
        *out = r;
    }
    vm_output_check(vm);
    if (vm->limits.stopped != STOP_NONE) result.outcome = VM_STOPPED;
    d->activation = before.activation;
    d->gc.local_roots = roots;
    *abi_local_roots(d) = abi_roots;
    vm_unlock_down_to(d, before.held);
    d->stack.sp = d->stack.high - (before.stack.high - before.stack.sp);
    if (d->stack.sp > d->stack.lowest_watermark) vm_watermarks_unwound(d, d->stack.sp);
    d->stack.trap = before.stack.trap;
    vm_fibers_abandon(d, before.stack.boundary);
    d->stack.fiber_base = before.stack.fiber_base;
    d->function_id = before.function_id;
    if (is_main) vm->exit_point = outer_exit_point;
    result.exit_status = vm->exit_status;
    return result;
}

struct vm_result vm_run(struct vm *vm) {
    value ignored;
    vm_debug_stop(vm->domain, DEBUG_BEGIN, VAL_UNIT);
    struct vm_result result = run(vm, run_program, NULL, &ignored);
    if (result.outcome == VM_RETURNED) vm_debug_stop(vm->domain, DEBUG_EXITED, VAL_UNIT);
    if (result.outcome == VM_UNCAUGHT) vm_debug_stop(vm->domain, DEBUG_UNCAUGHT, result.exn);
    return result;
}

struct protected {
    value (*f)(struct domain * d, void *context);
    void *context;
};

static value run_protected(struct domain *d, void *context) {
    struct protected *p = context;
    return vm_protect_exn(d, p->f, p->context);
}

struct vm_result vm_perform(struct vm *vm, value (*f)(struct domain *d, void *context),
                            void *context, value *out) {
    struct protected p = {f, context};
    return run(vm, run_protected, &p, out);
}

void vm_exit(struct domain *d, int status) {
    if (d->vm->limits.stopped == STOP_NONE) vm_debug_stop(d, DEBUG_EXITED, VAL_UNIT);
    if (d->vm->exit_point == NULL) exit(status);
    const struct vm_profiler *profiler = &d->vm->profiler;
    const struct vm_snapshots *snapshots = &d->vm->snapshots;
    if (snapshots->state != NULL) snapshots->leaving(snapshots->state);
    if (profiler->leaving != NULL) profiler->leaving(profiler->state, status);
    d->vm->exit_status = status;
    if (!vm_thread_is_main(d)) vm_thread_exit_program(d);
    _longjmp(*d->vm->exit_point, 1);
}

bool vm_destroy(struct vm *vm) {
    struct domain *d = vm->domain;
    if (!vm_threads_end(vm)) {
        vm_signals_detach(d);
        if (vm->profiler.state != NULL) vm->profiler.close(vm->profiler.state);
        return false;
    }
    if (d != NULL) {
        vm_debuginfo_free(vm);
        vm_symbols_free(vm);
        vm_signals_detach(d);
        if (d->gc.heap != NULL) gc_heap_destroy(&d->gc, vm->options.cleanup_at_exit);
        /* Finalisers of custom blocks may still use the library's state until here. */
        if (vm->profiler.state != NULL) vm->profiler.close(vm->profiler.state);
        if (vm->library_state != NULL) vm->library->close(vm, vm->library_state);
        if (vm->abi_attached) vm->options.abi->detach(d);
        vm_backtrace_destroy(d);
        vm_call_stack_free(d);
        vm_stack_destroy(d);
        vm_fibers_destroy(vm);
    }
    if (vm->options.gc.verify && vm->decoded_area != NULL) vm_selfcheck_code(vm);
    vm_codes_free(vm);
    vm_function_ids_free(vm);
    vm_patches_free(vm);
    vm_decoded_area_destroy(vm);
    if (vm->functions != NULL)
        vm_release(vm->functions, sizeof *vm->functions * vm->function_capacity);
    vm_named_values_free(vm);
    vm_link_free(vm);
    vm_dlls_free(vm);
    if (vm->image != NULL) vm_image_close(vm->image);
    vm_limits_free(vm);
    vm_domains_destroy(vm);
    free(vm->plain_frames.items);
    free(d);
    free(vm);
    return true;
}
