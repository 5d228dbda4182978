/* prim_profile.c - Bactrian.Profile's primitives: recordings that the program starts and stops, and
 * its phases. */
#include "memprof/format/printable.h"
#include "memprof/recorder/recorder_internal.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Recordings. ---- */

static void warn(struct vm *vm, const char *path, int problem) {
    fputs("bactrian: ", vm_err(vm));
    mp_put_printable(vm_err(vm), path, '?');
    fprintf(vm_err(vm), ": %s: recording stops here, the program continues\n", strerror(problem));
}

static _Noreturn void refuse_file(struct domain *d, value path, int problem) {
    char text[1000];
    snprintf(text, sizeof text, "%s: %s", string_bytes(path), mp_output_problem(problem));
    vm_raise_with_text(d, EXN_SYS_ERROR, text);
}

value mp_prim_start_recording(struct domain *d, value rate, value path) {
    struct vm *vm = d->vm;
    const double r = double_of_val(rate);
    if (!(r > 0 && r <= 1))
        vm_invalid_argument(d, "Bactrian.Profile: rate must be above 0, at most 1");
    if (mp_recorder_of(vm) != NULL)
        vm_failwith(d, "Bactrian.Profile: a recording is already running");
    if (strlen(string_bytes(path)) != string_length(path)) refuse_file(d, path, ENOENT);
    bool whole_process = vm->options.end_process != NULL; /* not a machine of an application's */
    const struct mp_recorder_options options = {
        .path = string_bytes(path),
        .rate = r,
        .by_program = true,
        .no_handlers = !whole_process,
        .program = vm->options.argv[0],
        .parameters = whole_process ? getenv("OCAMLRUNPARAM") : NULL,
        .recorder = "bactrian " BACTRIAN_VERSION,
        .warn = warn,
    };
    if (mp_recorder_start(vm, &options) == NULL) refuse_file(d, path, errno);
    return VAL_UNIT;
}

value mp_prim_stop_recording(struct domain *d, value unit) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    struct mp_recording ignored;
    if (r == NULL || !r->options.by_program)
        vm_failwith(d, "Bactrian.Profile.stop: the program has started no recording");
    mp_recorder_finish(r, MP_RETURNED, 0, &ignored);
    return VAL_UNIT;
}

/* ---- Phases. ---- */

value mp_prim_enter_phase(struct domain *d, value name) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    if (r == NULL || !mp_recorder_enter(r)) return VAL_UNIT;
    uint32_t number = mp_intern_text(r, string_bytes(name), string_length(name));
    mp_counters_write(r);
    struct mp_record_phase_enter record = {mp_recorder_elapsed(r), number};
    mp_write_phase_enter(r->writer, &record);
    r->open_phases++;
    mp_recorder_leave(r, 1);
    return VAL_UNIT;
}

value mp_prim_leave_phase(struct domain *d, value unit) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    if (r == NULL || !mp_recorder_enter(r)) return VAL_UNIT;
    if (r->open_phases > 0) { /* a child may leave a phase that its parent entered */
        mp_counters_write(r);
        struct mp_record_phase_leave record = {mp_recorder_elapsed(r)};
        mp_write_phase_leave(r->writer, &record);
        r->open_phases--;
    }
    mp_recorder_leave(r, 1);
    return VAL_UNIT;
}
