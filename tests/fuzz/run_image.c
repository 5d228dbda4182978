/* run_image.c - see run_image.h. */
#include "tests/fuzz/run_image.h"
#include "tests/fuzz/run_record.h"
#include "vm/image/image.h"
#include "vm/machine/machine.h"

#include "gc/fatal.h"
#include "stdlib/state.h"
#include "vm/state/vm.h"

#include <stdlib.h>

static enum run_end end_of(const struct vm_result *result) {
    switch (result->outcome) {
    case VM_RETURNED: return RUN_RETURNED;
    case VM_EXITED: return RUN_EXITED;
    case VM_UNCAUGHT: return RUN_UNCAUGHT;
    case VM_STOPPED: break;
    }
    return RUN_STOPPED;
}

static enum run_end run(struct vm *vm, struct vm_image *image, struct run_record *record) {
    struct vm_error error;
    if (vm_load(vm, image, &error) != VM_OK) return RUN_REFUSED;
    struct vm_result result = vm_run(vm);
    if (record != NULL) run_record_backtrace(record, vm);
    if (result.outcome == VM_UNCAUGHT) result.exit_status = vm_report_uncaught(vm, result.exn);
    gc_verify(&vm->domain->gc, "after the run");
    if (record == NULL) return end_of(&result);
    run_record_heap(record, vm);
    record->stopped = vm->limits.stopped;
    if (result.outcome == VM_EXITED || result.outcome == VM_UNCAUGHT)
        record->status = result.exit_status;
    return record->end = end_of(&result);
}

enum run_end run_image(const uint8_t *bytes, size_t length, const struct run_way *way) {
    static char *arguments[] = {"mutant", NULL};
    struct vm_image image;
    struct vm_error error;
    struct gc_catcher catcher;
    struct vm_options options = {
        .gc = {.minor_words = way->minor_words != 0 ? way->minor_words : 8192,
               .max_heap_words = 4 << 20,
               .stress = way->stress,
               .verify = way->stress != 0},
        .max_stack_words = 1 << 16,
        .fuel = way->fuel,
        .jit = way->jit,
        .jit_stress = way->jit_stress,
        .max_output_bytes = 1 << 20,
        .policy = way->policy,
        .backtrace = true,
        .cleanup_at_exit = true,
        .executable_name = "mutant",
        .argv = arguments,
    };
    if (way->record != NULL) run_record_begin(way->record, &options);
    if (vm_image_from_memory(bytes, length, &image, &error) != VM_OK) return RUN_REFUSED;
    struct vm *vm = vm_create(&options, image.version, &prim_library, &error);
    if (vm == NULL) {
        fprintf(stderr, "no machine: %s\n", error.detail);
        abort();
    }
    if (_setjmp(catcher.escape) != 0) {
        if (way->record != NULL) way->record->end = RUN_NO_MEMORY;
        return RUN_NO_MEMORY;
    }
    gc_catch(&catcher);
    enum run_end end = run(vm, &image, way->record);
    gc_uncatch(&catcher);
    vm_destroy(vm);
    return end;
}
