/* counts.c - counts written to a file at the end of the run: --count-instructions and
 * --count-forms (one line `NAME count` for each instruction, then each primitive, that ran) and
 * --profile (mlmon.out). */
#include "gc/assert.h"
#include "vm/cli/cli.h"
#include "vm/code/opcodes.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool cli_check_count_file(const char *path) {
    FILE *file = fopen(path, "we");
    if (file != NULL && fclose(file) == 0) return true;
    cli_fail(STATUS_REFUSED, path, "%s: choose a file for the counts that can be written",
             strerror(errno));
    return false;
}

void cli_write_counts(const struct vm *vm, const char *path) {
    ASSERT(vm->op_counts != NULL && vm->prim_counts != NULL);
    FILE *file = fopen(path, "we");
    bool written = file != NULL;
    if (written) {
        for (unsigned op = 0; op < ENGINE_COUNT; op++)
            if (vm->op_counts[op] != 0)
                fprintf(file, "%s %" PRIu64 "\n", vm_engine_name(op), vm->op_counts[op]);
        for (uint32_t p = 0; p < vm->prim_count; p++)
            if (vm->prim_counts[p] != 0)
                fprintf(file, "%s %" PRIu64 "\n", vm->prims[p].name, vm->prim_counts[p]);
        written = !ferror(file);
        if (fclose(file) != 0) written = false;
    }
    if (!written) cli_fail(0, path, "%s: the counts are incomplete", strerror(errno));
}

int cli_start_profile(const struct cli_options *options, struct vm *vm) {
    const char *memtrace = getenv("MEMTRACE");
    if (options->profile == MP_COUNTS_OFF) return 0;
    if (memtrace != NULL && memtrace[0] != 0)
        return cli_fail(STATUS_REFUSED, NULL,
                        "--profile cannot be combined with a recording: unset MEMTRACE");
    if (mp_counts_start(vm, options->profile, options->profile_stack) != NULL) return 0;
    return cli_fail(STATUS_REFUSED, MP_COUNTS_FILE,
                    "%s: --profile writes this file and " MP_COUNTS_FILE MP_COUNTS_SOURCES
                    ": run the program in a folder where both can be written",
                    strerror(errno));
}

void cli_finish_profile(struct vm *vm) {
    struct mp_counts *counts = mp_counts_of(vm);
    int problem = counts == NULL ? 0 : mp_counts_finish(counts);
    if (problem != 0) cli_fail(0, MP_COUNTS_FILE, "%s: the counts are lost", strerror(problem));
}
