/* count.c - --count-instructions, --count-forms: one line `NAME count` for each instruction, then
 * each primitive, that ran. */
#include "vm/cli/cli.h"
#include "vm/code/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool cli_check_count_file(const char *path) {
    FILE *file = fopen(path, "we");
    if (file != NULL && fclose(file) == 0) return true;
    cli_fail(STATUS_REFUSED, path, "%s: counts could not be written there", strerror(errno));
    return false;
}

/* The program has done its work by now: a failure here is a warning and changes no status. */
void cli_write_counts(const struct vm *vm, const char *path) {
    FILE *file = fopen(path, "we");
    bool written = file != NULL;
    if (written) {
        for (unsigned op = 0; vm->op_counts != NULL && op < ENGINE_COUNT; op++)
            if (vm->op_counts[op] != 0)
                fprintf(file, "%s %" PRIu64 "\n", vm_engine_name(op), vm->op_counts[op]);
        for (uint32_t p = 0; vm->prim_counts != NULL && p < vm->prim_count; p++)
            if (vm->prim_counts[p] != 0)
                fprintf(file, "%s %" PRIu64 "\n", vm->prims[p].name, vm->prim_counts[p]);
        written = !ferror(file);
        if (fclose(file) != 0) written = false;
    }
    if (!written) cli_fail(0, path, "%s: the counts are not complete", strerror(errno));
}
