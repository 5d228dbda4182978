/* prim_profile.c - Bactrian.Profile's primitives: recordings that the program starts and stops, and
 * its phases, and what it counts. */
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
    snprintf(text, sizeof text, "%s: %s", string_bytes(path),
             problem == ESPIPE ? "keep rewrites the recording: give a regular file"
                               : mp_output_problem(problem));
    vm_raise_with_text(d, EXN_SYS_ERROR, text);
}

value mp_prim_start_recording(struct domain *d, value rate, value keep, value path) {
    struct vm *vm = d->vm;
    const double r = double_of_val(rate);
    if (!(r > 0 && r <= 1))
        vm_invalid_argument(d, "Bactrian.Profile: rate must be above 0, at most 1");
    if (int_of_val(keep) != 0 && int_of_val(keep) < MP_LEAST_KEPT_BYTES)
        vm_invalid_argument(d, "Bactrian.Profile: keep must be at least 1,000,000 bytes");
    struct mp_recorder *other = mp_recorder_of(vm);
    struct mp_recording ignored;
    if (other != NULL && other->options.started_by == MP_BY_REQUEST) {
        mp_recorder_finish(other, MP_DETACHED, 0, &ignored); /* its file is complete */
        other = NULL;
    }
    if (other != NULL) vm_failwith(d, "Bactrian.Profile: a recording is already running");
    if (!is_c_string(path)) vm_raise_sys_error(d, ENOENT, path);
    bool whole_process = vm->options.end_process != NULL; /* not a machine of an application's */
    const struct mp_recorder_options options = {
        .path = string_bytes(path),
        .rate = r,
        .keep_bytes = (uint64_t)int_of_val(keep),
        .started_by = MP_BY_PROGRAM,
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
    if (r == NULL || r->options.started_by != MP_BY_PROGRAM)
        vm_failwith(d, "Bactrian.Profile.stop: the program has started no recording");
    mp_recorder_finish(r, MP_RETURNED, 0, &ignored);
    return VAL_UNIT;
}

/* ---- What the program counts. ---- */

void mp_named_counts_write(struct mp_recorder *r) {
    struct mp_named_counts *named = &r->named;
    for (size_t i = 0; i < named->count; i++) {
        if (named->at[i].pending == 0) continue;
        const struct mp_record_count record = {mp_recorder_elapsed(r), named->at[i].string,
                                               named->at[i].pending};
        mp_write_count(r->writer, &record);
        named->at[i].pending = 0;
    }
    named->written_ns = r->entered.wall_ns;
}

void mp_named_counts_clear(struct mp_recorder *r) {
    for (size_t i = 0; i < r->named.count; i++) free(r->named.at[i].name);
    r->named = (struct mp_named_counts){.count = 0};
}

/* The entry of a name; NULL: there are too many, or no memory. */
static struct mp_named_count *find_named(struct mp_recorder *r, const char *name, size_t length) {
    struct mp_named_counts *named = &r->named;
    for (size_t i = 0; i < named->count; i++)
        if (named->at[i].length == length && memcmp(named->at[i].name, name, length) == 0)
            return &named->at[i];
    char *copy = named->count < MP_MOST_NAMES ? malloc(length + 1) : NULL;
    if (copy == NULL) return NULL;
    memcpy(copy, name, length);
    struct mp_named_count *added = &named->at[named->count];
    *added = (struct mp_named_count){copy, length, mp_intern_text(r, name, length), 0};
    named->count++; /* last: a handler of a signal may write them */
    return added;
}

value mp_prim_count(struct domain *d, value more, value name) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    if (int_of_val(more) < 0)
        vm_invalid_argument(d, "Bactrian.Profile.count: by must not be negative");
    if (r == NULL || int_of_val(more) == 0 || !mp_recorder_enter(r)) return VAL_UNIT;
    struct mp_named_count *count = find_named(r, string_bytes(name), string_length(name));
    if (count != NULL) count->pending += (uint64_t)int_of_val(more);
    if (r->entered.wall_ns - r->named.written_ns >= COUNTERS_EVERY_NS) mp_named_counts_write(r);
    mp_recorder_leave(r, 1);
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
