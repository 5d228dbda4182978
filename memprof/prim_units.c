/* prim_units.c - Bactrian.Profile's units as primitives (memprof/units.h).
 *
 * A unit is a number, 0 when nothing is counted: then all of this does nothing. The texts of
 * failures are MLton's. */
#include "memprof/memprof.h"
#include "memprof/units_internal.h"
#include "vm/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct mp_unit *unit_of(struct domain *d, value number, const char *what) {
    struct mp_unit *unit = mp_unit_find(mp_units_of(d->vm), (uint64_t)int_of_val(number));
    if (unit == NULL) vm_failwith(d, "%s of freed profile data", what);
    return unit;
}

value mp_prim_units_is_on(struct domain *d, value unit) {
    return val_of_bool(mp_units_of(d->vm) != NULL);
}

value mp_prim_units_malloc(struct domain *d, value unit) {
    struct mp_units *u = mp_units_of(d->vm);
    if (u == NULL) return val_of_int(0);
    struct mp_unit *made = mp_unit_create(u);
    if (made == NULL) vm_raise_out_of_memory(d);
    return val_of_int((intptr_t)made->id);
}

value mp_prim_units_free(struct domain *d, value number) {
    struct mp_units *u = mp_units_of(d->vm);
    if (u == NULL) return VAL_UNIT;
    struct mp_unit *unit = unit_of(d, number, "free");
    if (unit == u->current) vm_failwith(d, "free of current profile data");
    mp_unit_free(u, unit);
    return VAL_UNIT;
}

value mp_prim_units_write(struct domain *d, value number, value path) {
    struct mp_units *u = mp_units_of(d->vm);
    if (u == NULL) return VAL_UNIT;
    struct mp_unit *unit = unit_of(d, number, "write");
    const char *flag = vm_policy_restriction(d->vm, CAP_FS_WRITE);
    if (flag != NULL) vm_raise_refused(d, string_bytes(path), flag);
    size_t n = string_length(path);
    char *names = malloc(2 * n + sizeof MP_UNITS_SOURCES + 1);
    if (names == NULL) vm_raise_out_of_memory(d);
    char *sources = names + n + 1;
    memcpy(names, string_bytes(path), n + 1);
    memcpy(sources, names, n);
    strcpy(sources + n, MP_UNITS_SOURCES);
    mp_units_poll(u);
    mp_units_begin_reading(u);
    int problem = memchr(names, 0, n) != NULL ? ENOENT : mp_units_write(u, unit, names, sources);
    mp_units_end_reading(u);
    free(names);
    if (problem != 0) vm_raise_sys_error(d, problem, path);
    return VAL_UNIT;
}

value mp_prim_units_enter(struct domain *d, value number) {
    struct mp_units *u = mp_units_of(d->vm);
    if (u == NULL) return val_of_int(0);
    int aside = mp_units_enter(u, unit_of(d, number, "setCurrent"));
    if (aside < 0) vm_raise_out_of_memory(d);
    return val_of_int(aside);
}

value mp_prim_units_leave(struct domain *d, value aside) {
    struct mp_units *u = mp_units_of(d->vm);
    if (u == NULL) return VAL_UNIT;
    if (!mp_units_leave(u, (uint32_t)int_of_val(aside)))
        vm_failwith(d, "setCurrent of freed profile data");
    return VAL_UNIT;
}
