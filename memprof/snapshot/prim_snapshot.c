/* prim_snapshot.c - Bactrian.Profile.snapshot. */
#include "memprof/snapshot/snapshot.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

static value write_snapshot(struct domain *d, value path, bool values) {
    char given[PATH_BYTES], written[PATH_BYTES], text[PATH_BYTES + 200];
    struct mp_record_heap total;
    uint64_t file_bytes;
    const struct mp_snapshot_options options = {
        .path = given, .program = d->vm->options.argv[0], .values = values};
    int problem = ENAMETOOLONG;
    if (!is_c_string(path)) vm_raise_sys_error(d, ENOENT, path);
    snprintf(given, sizeof given, "%s", string_bytes(path));
    if (string_length(path) < sizeof given)
        problem = mp_snapshot_write(d, &options, MP_REPLACE_OUTPUT, written, &total, &file_bytes);
    if (problem == 0) return VAL_UNIT;
    snprintf(text, sizeof text, "%s: %s", given, mp_output_problem(problem));
    vm_raise_with_text(d, EXN_SYS_ERROR, text);
}

value mp_prim_snapshot(struct domain *d, value path) { return write_snapshot(d, path, false); }

value mp_prim_snapshot_values(struct domain *d, value path) {
    return write_snapshot(d, path, true);
}
