/* units.c - --profile: counts while the program runs, and mlmon.out at its end. */
#include "vm/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cli_start_units(const struct cli_options *options, struct vm *vm) {
    if (options->profile == MP_COUNTS_OFF) return 0;
    const char *memtrace = getenv("MEMTRACE");
    if (memtrace != NULL && memtrace[0] != 0)
        return cli_fail(STATUS_REFUSED, NULL,
                        "--profile and a recording do not go together: unset "
                        "MEMTRACE");
    if (mp_counts_start(vm, options->profile, options->profile_stack) != NULL) return 0;
    return cli_fail(STATUS_REFUSED, MP_COUNTS_FILE,
                    "%s: the counts go there, and their names to " MP_COUNTS_FILE MP_COUNTS_SOURCES
                    ": start the program in a folder where both can be written",
                    strerror(errno));
}

/* The program has done its work by now: a failure here is a warning and changes no status. */
void cli_finish_units(struct vm *vm) {
    struct mp_counts *units = mp_counts_of(vm);
    int problem = units == NULL ? 0 : mp_counts_finish(units);
    if (problem != 0) cli_fail(0, MP_COUNTS_FILE, "%s: the counts are lost", strerror(problem));
}
