/* run.c - running a program: creates the machine, runs it, maps the outcome to an exit status. */
#include "gc/assert.h"
#include "gc/fatal.h"
#include "gc/stats.h"
#include "memprof/attach/attach.h"
#include "memprof/format/printable.h"
#include "memprof/memprof.h"
#include "memprof/sampling/tracker.h"
#include "stdlib/channel.h"
#include "stdlib/customs.h"
#include "stdlib/events.h"
#include "stdlib/state.h"
#include "vm/base/os.h"
#include "vm/capi/abi.h"
#include "vm/cli/cli.h"
#include "vm/debug/debug.h"
#include "vm/machine/machine.h"
#include "vm/marshal/debuginfo.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/limits.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creating the machine. ---- */

bool cli_has_profiler(void) {
    if (!mp_is_present)
        cli_fail(STATUS_REFUSED, NULL,
                 "this bactrian was built without its profiler: build it with -Dmemprof=true");
    return mp_is_present;
}

struct vm *cli_create_machine(struct cli_options *options, struct vm_image *image,
                              const char *shown, int *status) {
    struct vm_error error = {0};
    cli_check_runparam(options, image->version);
    options->vm.policy = &options->policy;
    if (options->vm.profiler_rows == NULL) {
        options->vm.profiler_rows = mp_prim_rows;
        options->vm.profiler_row_count = mp_prim_row_count;
    }
    bool runs = options->verb != VERB_DIS &&
                !(options->has_action && options->action == OPTION_AUDIT);
    if (runs) options->vm.abi = &capi_abi; /* loads libraries of stubs */
    options->vm.dlls = (struct vm_dll_path){
        options->dll_dirs, options->dll_dir_count,
        cli_is_privileged() ? NULL : getenv("CAML_LD_LIBRARY_PATH"), cli_standard_library(options)};
    options->vm.track_functions = options->profile != MP_COUNTS_OFF;
    struct vm *vm = vm_create(&options->vm, image->version, &prim_library, &error);
    double rate = options->memprof_stress;
    if (vm != NULL && rate != 0 && !mp_stress_start(vm->domain, rate)) {
        vm_error_set(&error, VM_NO_MEMORY, "for --memprof-stress");
        vm_destroy(vm);
        vm = NULL;
    }
    if (vm != NULL) return vm;
    vm_image_close(image);
    *status = cli_refuse(shown, &error);
    return NULL;
}

/* ---- The end of the run. ---- */

struct run {
    struct cli_options *options;
    const char *shown;
    struct cli_trace *trace; /* or NULL */
};

/* Prints where the program was stopped. The text is ours, not the program's: names in it must not
 * control the terminal. */
static void print_stop(struct vm *vm) {
    char *text = NULL, *end;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) return;
    vm_backtrace_print(vm->domain, true, out);
    fclose(out);
    for (char *line = text; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        mp_put_printable(stderr, line, '?');
        fputc('\n', stderr);
    }
    free(text);
}

/* Reports what stopped the run; gives the exit status. Output that the program has buffered is
 * written first. */
static int report_stop(struct vm *vm, const char *shown) {
    static const char *const flags[] = {
        [STOP_FUEL] = "--fuel", [STOP_TIME] = "--timeout", [STOP_OUTPUT] = "--max-output"};
    enum vm_stop why = vm->limits.stopped;
    ASSERT(why != STOP_NONE);
    if (why != STOP_OUTPUT) channels_flush_quietly(vm->library_state);
    if (why == STOP_CODE) return cli_refuse(shown, &vm->refused);
    if (!vm_limits_reports_stop(vm)) return VM_STATUS_STOPPED;
    vm_debuginfo_open(vm, false);
    cli_fail(VM_STATUS_STOPPED, shown, "stopped by %s%s", flags[why],
             vm->debug != NULL ? "" : ": compile it with ocamlc -g to see where");
    if (vm->debug != NULL) print_stop(vm);
    return VM_STATUS_STOPPED;
}

/* Reports how the program ended and completes the files that were requested. Returns the exit
 * status. */
static int finish(struct cli_options *options, struct vm *vm, struct vm_result result,
                  const char *shown) {
    int status = result.exit_status;
    if (result.outcome == VM_UNCAUGHT) status = vm_report_uncaught(vm, result.exn);
    else if (result.outcome == VM_RETURNED) vm_print_exit_statistics(vm->domain, stderr);
    if (vm->limits.stopped != STOP_NONE) status = report_stop(vm, shown);
    if (options->gc_stats) vm_print_gc_summary(vm->domain, stderr);
    return status;
}

static int keep_results(const struct run *run, struct vm *vm, struct vm_result result, int status) {
    struct cli_options *options = run->options;
    cli_finish_snapshots(options, vm);
    status = cli_finish_recording(options, vm, result, status);
    mp_attach_end(vm);
    if (run->trace != NULL) status = cli_finish_trace(run->trace, status);
    cli_finish_profile(vm);
    if (options->count_file != NULL) cli_write_counts(vm, options);
    return status;
}

/* vm_options.end_process: a thread other than the first ended the program. */
static void end_process(struct vm *vm, int exit_status) {
    const struct run *run = vm->options.end_context;
    struct vm_result result = {.outcome = VM_EXITED, .exit_status = exit_status};
    int status = finish(run->options, vm, result, run->shown);
    status = keep_results(run, vm, result, status);
    events_end(vm->library_state);
    exit(status);
}

/* ---- Running. ---- */

/* Starts what was requested beside the run. Returns 0, or the exit status after a message. */
static int start_requests(const struct run *run, struct vm *vm, struct cli_watchdog **dog) {
    struct cli_options *options = run->options;
    const char *shown = run->shown;
    bool failed;
    int status = cli_start_profile(options, vm);
    if (status == 0) status = cli_start_recording(options, vm, shown);
    if (status == 0) status = cli_start_snapshots(options, vm, shown);
    if (status == 0 && run->trace != NULL) status = cli_start_trace(run->trace, vm);
    if (status != 0) return status;
    if (options->gc_stats && !gc_measure_pauses(&vm->domain->gc))
        return cli_fail(STATUS_REFUSED, shown, "out of memory for --gc-stats");
    *dog = cli_watchdog_start(vm, shown, options->deadline_ns, &failed);
    return failed ? STATUS_REFUSED : 0;
}

static int run_loaded(const struct run *run, struct vm *vm) {
    struct cli_options *options = run->options;
    struct cli_watchdog *dog = NULL;
    int status = start_requests(run, vm, &dog);
    if (status != 0) {
        cli_abandon_recording(vm);
        return status;
    }
    if (!cli_is_privileged()) mp_attach_listen(vm);
    events_start_if_asked(vm->domain);
    struct vm_result result = vm_run(vm);
    status = finish(options, vm, result, run->shown);
    cli_watchdog_stop(dog);
    return keep_results(run, vm, result, status);
}

/* ---- A debugger. ---- */

#define DEBUG_SOCKET "CAML_DEBUG_SOCKET"

static __attribute__((noreturn)) void lost_debugger(const char *why) {
    exit(cli_fail(STATUS_REFUSED, NULL, DEBUG_SOCKET ": %s", why));
}

/* A debugger is at the other end of a socket and makes copies of the process. */
static const char *refusal_of_debugger(const struct vm_policy *policy) {
    if (policy->of[CAP_NET].access != ACCESS_FREE) return policy->of[CAP_NET].flag;
    return policy->of[CAP_PROC].access != ACCESS_FREE ? policy->of[CAP_PROC].flag : NULL;
}

/* Connects to the debugger that the environment names, before anything is loaded: it waits for
 * that. What the program starts does not see the variable. Returns 0, or the exit status after a
 * message. */
static int connect_debugger(struct cli_options *options) {
    static const struct vm_debug_options debug = {&customs_writers, lost_debugger};
    char why[200];
    const char *address = getenv(DEBUG_SOCKET);
    if (address == NULL || cli_is_privileged()) return 0;
    const char *refused_by = refusal_of_debugger(&options->policy);
    if (refused_by != NULL)
        return cli_fail(0, NULL, DEBUG_SOCKET " is ignored: %s refuses a debugger", refused_by);
    options->vm.debugger = vm_debug_connect(address, &debug, why, sizeof why);
    int status = 0;
    if (options->vm.debugger == NULL)
        status = cli_fail(STATUS_REFUSED, NULL, DEBUG_SOCKET ": cannot connect to %s: %s", address,
                          why);
    unsetenv(DEBUG_SOCKET);
    return status;
}

/* Loads the image, which the machine then owns. Returns 0, or the exit status after a message. */
static int load(const struct cli_options *options, struct vm *vm, struct vm_image *image,
                const char *shown) {
    struct vm_error error = {0};
    struct gc_catcher catcher;
    if (_setjmp(catcher.escape) != 0) /* the machine is of no use, not even to be destroyed */
        exit(cli_fail(STATUS_REFUSED, shown, "%s while it was loaded%s", catcher.text,
                      options->vm.gc.max_heap_words != 0 ? ": raise --max-heap" : ""));
    gc_catch(&catcher);
    bool loaded = vm_load(vm, image, &error) == VM_OK;
    gc_uncatch(&catcher);
    /* The memory that only loading needs would be a third of a small program's. */
    malloc_trim(0);
    return loaded ? 0 : cli_refuse(shown, &error);
}

/* Runs an opened image, which the machine closes. shown: the program's name in messages. */
static int run_image(struct cli_options *options, struct vm_image *image, const char *shown) {
    struct run run = {options, shown, NULL};
    int status = connect_debugger(options);
    if (status == 0) status = cli_prepare_recording(options);
    if (status == 0) status = cli_prepare_snapshots(options);
    if (status == 0 && options->count_file != NULL && !cli_find_count_file(options))
        status = STATUS_REFUSED;
    else if (status == 0 && options->verb == VERB_TRACE)
        run.trace = cli_open_trace(options, shown, &status);
    if (status != 0) {
        vm_image_close(image);
        vm_debug_disconnect(options->vm.debugger);
        return status;
    }
    options->vm.end_process = end_process;
    options->vm.end_context = &run;
    struct vm *vm = cli_create_machine(options, image, shown, &status);
    if (vm == NULL) {
        cli_close_trace(run.trace);
        vm_debug_disconnect(options->vm.debugger);
        return status;
    }
    status = load(options, vm, image, shown);
    if (status == 0) status = run_loaded(&run, vm);
    if (vm_destroy(vm)) vm_debug_disconnect(options->vm.debugger);
    cli_close_trace(run.trace);
    return status;
}

int cli_run_direct(struct cli_options *options, const char *path) {
    options->vm.executable_name = path;
    options->vm.argv = options->operands;
    struct vm_image image;
    int status = cli_open_bytecode(path, path, &image);
    return status != 0 ? status : run_image(options, &image, path);
}

int cli_run(struct cli_options *options) { return cli_with_program(options, run_image); }
