/* machine.c - puts a machine together: primitives, profiler, the C ABI. */
#include "memprof/memprof.h"
#include "memprof/sampling/stress.h"
#include "stdlib/prims.h"
#include "vm/capi/abi.h"
#include "vm/cli/cli.h"
#include "vm/cli/repl.h"

#include <stdlib.h>

bool cli_has_profiler(void) {
    if (!mp_is_present)
        cli_fail(STATUS_REFUSED, NULL,
                 "this bactrian was built without its profiler: build it with -Dmemprof=true");
    return mp_is_present;
}

struct vm *cli_create_machine(struct cli_options *options, const struct vm_image *image,
                              struct vm_error *error) {
    options->vm.policy = &options->policy;
    const struct cli_repl *repl = options->verb == VERB_REPL ? options->vm.embedder : NULL;
    options->vm.profiler_rows = repl != NULL ? repl->rows : mp_prim_rows;
    options->vm.profiler_row_count = repl != NULL ? repl->row_count : mp_prim_row_count;
    if (!(options->has_action && options->action == OPTION_AUDIT)) options->vm.abi = &capi_abi;
    options->vm.dlls = (struct vm_dll_path){
        options->dll_dirs, options->dll_dir_count,
        cli_is_privileged() ? NULL : getenv("CAML_LD_LIBRARY_PATH"), cli_standard_library()};
    options->vm.track_functions = options->profile != MP_COUNTS_OFF;
    struct vm *vm = vm_create(&options->vm, image->version, &prim_library, error);
    double rate = options->memprof_stress;
    if (vm == NULL || rate == 0 || mp_stress_start(vm->domain, rate) != NULL) return vm;
    vm_error_set(error, VM_NO_MEMORY, "for --memprof-stress");
    vm_destroy(vm);
    return NULL;
}
