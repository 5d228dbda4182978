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

/* An earlier output begins with an instruction's name and a number. */
bool cli_find_count_file(struct cli_options *options) {
    enum mp_replace how = options->force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT;
    int problem = EEXIST;
    for (unsigned op = 0; problem == EEXIST && op < ENGINE_COUNT; op++) {
        char start[80];
        snprintf(start, sizeof start, "%s [0-9]*\n*", vm_engine_name(op));
        mp_output_free(&options->counts);
        problem = mp_output_find(&options->counts, options->count_file, start, how);
    }
    if (problem != 0) cli_refuse_output(options->count_file, problem);
    return problem == 0;
}

static void print_counts(const struct vm *vm, FILE *file) {
    ASSERT(vm->op_counts != NULL && vm->prim_counts != NULL);
    for (unsigned op = 0; op < ENGINE_COUNT; op++)
        if (vm->op_counts[op] != 0)
            fprintf(file, "%s %" PRIu64 "\n", vm_engine_name(op), vm->op_counts[op]);
    for (uint32_t p = 0; p < vm->prim_count; p++)
        if (vm->prim_counts[p] != 0)
            fprintf(file, "%s %" PRIu64 "\n", vm->prims[p].name, vm->prim_counts[p]);
}

void cli_write_counts(const struct vm *vm, struct cli_options *options) {
    struct mp_output *output = &options->counts;
    int problem = mp_output_create(output);
    FILE *file = problem == 0 ? fdopen(output->fd, "w") : NULL;
    if (file != NULL) {
        print_counts(vm, file);
        cli_close_output(output, file, options->count_file);
    } else {
        cli_fail(0, options->count_file, "%s: the counts are lost",
                 strerror(problem != 0 ? problem : errno));
    }
}

/* The counts are written in place, also by signal handlers. */
static int check_profile_file(const char *path, const char *start, bool force) {
    struct mp_output output;
    int problem = mp_output_find(&output, path, start, force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT);
    mp_output_free(&output);
    if (problem == 0) return 0;
    return cli_fail(STATUS_REFUSED, path,
                    "%s: --profile writes " MP_COUNTS_FILE " and " MP_COUNTS_FILE MP_COUNTS_SOURCES
                    ": run the program in a folder where both can be written%s",
                    mp_output_problem(problem),
                    problem == EEXIST ? ", or add --force to replace it" : "");
}

int cli_start_profile(const struct cli_options *options, struct vm *vm) {
    const char *memtrace = getenv("MEMTRACE");
    if (options->profile == MP_COUNTS_OFF) return 0;
    if (memtrace != NULL && memtrace[0] != 0)
        return cli_fail(STATUS_REFUSED, NULL,
                        "--profile cannot be combined with a recording: unset MEMTRACE");
    int status = check_profile_file(MP_COUNTS_FILE, "MLton prof\n*", options->force);
    if (status == 0)
        status = check_profile_file(MP_COUNTS_FILE MP_COUNTS_SOURCES, "0x????????\n*",
                                    options->force);
    if (status != 0) return status;
    if (mp_counts_start(vm, options->profile, options->profile_stack) != NULL) return 0;
    return cli_refuse_output(MP_COUNTS_FILE, errno);
}

void cli_finish_profile(struct vm *vm) {
    struct mp_counts *counts = mp_counts_of(vm);
    int problem = counts == NULL ? 0 : mp_counts_finish(counts);
    if (problem != 0) cli_fail(0, MP_COUNTS_FILE, "%s: the counts are lost", strerror(problem));
}
