/* run.c - running a program: the machine's life, the exit status. */
#include "gc/pauses.h"
#include "memprof/format/plain.h"
#include "stdlib/channel.h"
#include "stdlib/prims.h"
#include "vm/base/os.h"
#include "vm/cli/cli.h"
#include "vm/cli/watchdog.h"
#include "vm/machine/exit_statistics.h"
#include "vm/machine/uncaught.h"
#include "vm/marshal/debuginfo.h"
#include "vm/stack/backtrace.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the program was stopped. That is our message, not one that ocamlrun prints, too. */
static void print_stop(struct vm *vm) {
    char *text = NULL, *end;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) return;
    vm_backtrace_print(vm->domain, true, out);
    fclose(out);
    for (char *line = text; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        mp_put_plain(stderr, line, '?');
        fputc('\n', stderr);
    }
    free(text);
}

/* A limit ended the run: says which, and where. What the program had printed is not lost. */
static void report_stop(struct vm *vm, const char *shown) {
    static const char *const flags[] = {
        [STOP_FUEL] = "--fuel", [STOP_TIME] = "--timeout", [STOP_OUTPUT] = "--max-output"};
    enum vm_stop why = vm->limits.stopped;
    if (why != STOP_OUTPUT) channels_flush_quietly(vm->library_state);
    vm_debuginfo_of_program(vm);
    cli_fail(VM_STATUS_STOPPED, shown, "stopped by %s%s", flags[why],
             vm->debug != NULL ? "" : ": compile it with ocamlc -g to learn where");
    if (vm->debug != NULL) print_stop(vm);
}

static int finish(const struct cli_options *options, struct vm *vm, struct vm_result result,
                  const char *shown) {
    int status = result.exit_status;
    if (result.outcome == VM_UNCAUGHT) status = vm_report_uncaught(vm, result.exn, stderr);
    else if (result.outcome == VM_RETURNED) vm_print_exit_statistics(vm->domain, stderr);
    if (vm->limits.stopped != STOP_NONE) report_stop(vm, shown);
    if (options->gc_stats) vm_print_gc_summary(vm->domain, stderr);
    return status;
}

/* Completes the files that the run was to leave; the status to end with. */
static int keep_results(struct cli_options *options, struct vm *vm, struct vm_result result,
                        int status) {
    status = cli_finish_recording(options, vm, result, status);
    cli_finish_units(vm);
    if (options->count_file != NULL) cli_write_counts(vm, options->count_file);
    return status;
}

static int run_loaded(struct cli_options *options, struct vm *vm, const char *shown) {
    bool failed;
    int status = cli_start_units(options, vm);
    if (status == 0) status = cli_start_recording(options, vm, shown);
    if (status != 0) return status;
    if (options->gc_stats && !gc_measure_pauses(&vm->domain->gc))
        return cli_fail(STATUS_REFUSED, shown, "no memory for --gc-stats");
    struct cli_watchdog *dog = cli_watchdog_start(vm, shown, options->timeout, &failed);
    if (failed) return STATUS_REFUSED;
    struct vm_result result = vm_run(vm);
    status = finish(options, vm, result, shown);
    cli_watchdog_stop(dog);
    return keep_results(options, vm, result, status);
}

/* A run's options and name, for the thread that ends it. */
struct run {
    struct cli_options *options;
    const char *shown;
};

/* Another thread than the first ended the program: there is nothing left to come back to. */
static void end_process(struct vm *vm, int exit_status) {
    const struct run *run = vm->options.end_context;
    struct vm_result result = {.outcome = VM_EXITED, .exit_status = exit_status};
    int status = finish(run->options, vm, result, run->shown);
    exit(keep_results(run->options, vm, result, status));
}

/* Runs an opened image, which the machine closes. shown: the name for messages. */
static int run_image(struct cli_options *options, struct vm_image *image, const char *shown) {
    struct vm_error error = {0};
    if (options->count_file != NULL && !cli_check_count_file(options->count_file)) {
        vm_image_close(image);
        return STATUS_REFUSED;
    }
    options->vm.end_process = end_process;
    struct run run = {options, shown};
    options->vm.end_context = &run;
    struct vm *vm = cli_create_machine(options, image, &error);
    if (vm == NULL) {
        vm_image_close(image);
        return cli_refuse(shown, &error);
    }
    int status;
    bool loaded = vm_load(vm, image, &error) == VM_OK;
    /* What loading needed for a while would be a third of a small program's memory. */
    malloc_trim(0);
    if (!loaded) status = cli_refuse(shown, &error);
    else status = run_loaded(options, vm, shown);
    vm_destroy(vm);
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
