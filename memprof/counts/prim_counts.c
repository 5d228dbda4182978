/* prim_counts.c - Bactrian.Profile's units as primitives (memprof/counts/counts.h).
 *
 * A unit is a number, 0 when nothing is counted: then all of this does nothing. The texts of
 * failures are MLton's. */
#include "memprof/counts/counts_internal.h"
#include "memprof/memprof.h"
#include "vm/image/policy.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct mp_unit *unit_of(struct domain *d, value number, const char *what) {
    struct mp_unit *unit = mp_unit_find(mp_counts_of(d->vm), (uint64_t)int_of_val(number));
    if (unit == NULL) vm_failwith(d, "%s of freed profile data", what);
    return unit;
}

value mp_prim_counts_is_on(struct domain *d, value unit) {
    return val_of_bool(mp_counts_of(d->vm) != NULL);
}

value mp_prim_counts_malloc(struct domain *d, value unit) {
    struct mp_counts *u = mp_counts_of(d->vm);
    if (u == NULL) return val_of_int(0);
    struct mp_unit *made = mp_unit_create(u);
    if (made == NULL) vm_raise_out_of_memory(d);
    return val_of_int((intptr_t)made->id);
}

value mp_prim_counts_free(struct domain *d, value number) {
    struct mp_counts *u = mp_counts_of(d->vm);
    if (u == NULL) return VAL_UNIT;
    struct mp_unit *unit = unit_of(d, number, "free");
    if (unit == u->current) vm_failwith(d, "free of current profile data");
    mp_unit_free(u, unit);
    return VAL_UNIT;
}

value mp_prim_counts_write(struct domain *d, value number, value path) {
    struct mp_counts *u = mp_counts_of(d->vm);
    if (u == NULL) return VAL_UNIT;
    struct mp_unit *unit = unit_of(d, number, "write");
    const char *flag = vm_policy_restriction(d->vm, CAP_FS_WRITE);
    if (flag != NULL) vm_raise_refused(d, string_bytes(path), flag);
    size_t n = string_length(path);
    char *names = malloc(2 * n + sizeof MP_COUNTS_SOURCES + 1);
    if (names == NULL) vm_raise_out_of_memory(d);
    char *sources = names + n + 1;
    memcpy(names, string_bytes(path), n + 1);
    memcpy(sources, names, n);
    strcpy(sources + n, MP_COUNTS_SOURCES);
    mp_counts_poll(u);
    mp_counts_begin_reading(u);
    int problem = memchr(names, 0, n) != NULL ? ENOENT : mp_counts_write(u, unit, names, sources);
    mp_counts_end_reading(u);
    free(names);
    if (problem != 0) vm_raise_sys_error(d, problem, path);
    return VAL_UNIT;
}

value mp_prim_counts_enter(struct domain *d, value number) {
    struct mp_counts *u = mp_counts_of(d->vm);
    if (u == NULL) return val_of_int(0);
    int aside = mp_counts_enter(u, unit_of(d, number, "setCurrent"));
    if (aside < 0) vm_raise_out_of_memory(d);
    return val_of_int(aside);
}

value mp_prim_counts_leave(struct domain *d, value aside) {
    struct mp_counts *u = mp_counts_of(d->vm);
    if (u == NULL) return VAL_UNIT;
    if (!mp_counts_leave(u, (uint32_t)int_of_val(aside)))
        vm_failwith(d, "setCurrent of freed profile data");
    return VAL_UNIT;
}
