/* prim_memprof.c - Gc.Memprof as primitives: both versions of its interface.
 *
 * At most one of a program's profiles samples a domain: start and stop there refer to it, in either
 * interface. In the 5.x interface its value is OCaml's record:
 *
 *     status | rate | 1 / log (1 - rate) | callstack_size | the five callbacks
 *
 * Only the status is ever read, and only once the profile was freed: programs can change fields. */
#include "memprof/program/profile.h"
#include "vm/code/version.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

#include <math.h>

/* ---- Checks, with OCaml's messages. ---- */

static double rate_argument(struct domain *d, value rate, value callstack_size) {
    double r = is_block(rate) && tag_of(rate) == TAG_DOUBLE ? double_of_val(rate) : -1;
    if (!(r >= 0 && r <= 1) || int_of_val(callstack_size) < 0)
        vm_invalid_argument(d, "Gc.Memprof.start");
    return r;
}

enum { TRACKER_FIELDS = 5 };

static void require_tracker(struct domain *d, value tracker) {
    bool fits = is_block(tracker) && tag_of(tracker) == 0 && wosize_of(tracker) == TRACKER_FIELDS;
    if (!fits) vm_invalid_argument(d, "Gc.Memprof.start");
}

/* A copy of the tracker, which the program can't reach and therefore can't truncate. GC: may
 * run. */
static value own_tracker(struct domain *d, value tracker) {
    GC_ROOT(&d->gc, &tracker);
    value own = gc_alloc_major_unsampled(&d->gc, TRACKER_FIELDS, 0);
    for (size_t i = 0; i < TRACKER_FIELDS; i++) gc_init_field(&d->gc, own, i, field(tracker, i));
    return own;
}

static void refuse_second(struct domain *d, struct mp_program *program) {
    if (mp_profile_current(program) != NULL) vm_failwith(d, "Gc.Memprof.start: already started.");
}

static void require_room(struct domain *d, const struct mp_program *program) {
    if (!mp_sampler_has_room(program->sampler))
        vm_failwith(d, "Gc.Memprof.start: too many profiles are running.");
}

/* ---- 4.13 and 4.14. ---- */

value mp_prim_start_4(struct domain *d, value rate, value callstack_size, value tracker) {
    struct mp_program *program = mp_program_of(d);
    refuse_second(d, program);
    double r = rate_argument(d, rate, callstack_size);
    require_tracker(d, tracker);
    require_room(d, program);
    tracker = own_tracker(d, tracker);
    mp_profile_start(program, MP_STYLE_4, false, r, (uint64_t)int_of_val(callstack_size), tracker);
    return VAL_UNIT;
}

/* NULL: there is none to stop. */
static value stop(struct domain *d, struct mp_profile *p, const char *refusal) {
    value result = p == NULL ? VAL_FALSE : mp_profile_stop(p);
    if (result == VAL_FALSE) vm_failwith(d, "%s", refusal);
    vm_value_or_raise(d, result);
    return VAL_UNIT;
}

/* Ends the current profile, whichever interface started it. */
value mp_prim_stop_4(struct domain *d, value unit) {
    return stop(d, mp_profile_current(mp_program_of(d)), "Gc.Memprof.stop: not started.");
}

/* ---- 5.0 to 5.2. ---- */

static _Noreturn void refuse(struct domain *d, const char *function) {
    vm_failwith(d, "%s.%s: not implemented in multicore", d->vm->version->memprof_refused_as,
                function);
}

value mp_prim_refuse_start(struct domain *d, value rate, value callstack_size, value tracker) {
    refuse(d, "start");
}
value mp_prim_refuse_stop(struct domain *d, value unit) { refuse(d, "stop"); }
value mp_prim_refuse_discard(struct domain *d, value profile) { refuse(d, "discard"); }

/* ---- 5.3, for programs of every version. ---- */

enum { STATUS = MP_HANDLE_STATUS, RATE, INVERSE_LOG, CALLSTACK_SIZE, FIRST_CALLBACK };
enum { HANDLE_FIELDS = FIRST_CALLBACK + TRACKER_FIELDS };

/* GC: may run. */
static value new_handle(struct domain *d, double rate, value callstack_size, value tracker) {
    value inverse = VAL_UNIT, boxed_rate = VAL_UNIT;
    GC_ROOT(&d->gc, &tracker, &inverse, &boxed_rate);
    boxed_rate = copy_double(d, rate);
    inverse = copy_double(d, rate == 1 ? 0 : 1 / log1p(-rate));
    value handle = new_small(d, HANDLE_FIELDS, 0);
    field(handle, STATUS) = val_of_int(MP_SAMPLING);
    field(handle, RATE) = boxed_rate;
    field(handle, INVERSE_LOG) = inverse;
    field(handle, CALLSTACK_SIZE) = callstack_size;
    for (size_t i = 0; i < TRACKER_FIELDS; i++)
        field(handle, FIRST_CALLBACK + i) = field(tracker, i);
    return handle;
}

/* That of the profile or, if it was freed, what its value says. */
static enum mp_status status_of(const struct mp_profile *p, value handle) {
    if (p != NULL) return p->status;
    return field(handle, STATUS) == val_of_int(MP_DISCARDED) ? MP_DISCARDED : MP_STOPPED;
}

/* NULL: the profile was freed. */
static struct mp_profile *profile_of(struct domain *d, value handle, const char *function) {
    if (!is_block(handle) || tag_of(handle) != 0 || wosize_of(handle) != HANDLE_FIELDS)
        vm_invalid_argument(d, "%s", function);
    return mp_profile_of_handle(mp_program_of(d), handle);
}

static value start_5(struct domain *d, value rate, value callstack_size, value tracker,
                     bool another) {
    struct mp_program *program = mp_program_of(d);
    double r = rate_argument(d, rate, callstack_size);
    require_tracker(d, tracker);
    if (!another) refuse_second(d, program);
    require_room(d, program);
    tracker = own_tracker(d, tracker);
    GC_ROOT(&d->gc, &tracker);
    value handle = new_handle(d, r, callstack_size, tracker);
    GC_ROOT(&d->gc, &handle);
    struct mp_profile *p = mp_profile_start(program, MP_STYLE_5, another, r,
                                            (uint64_t)int_of_val(callstack_size), tracker);
    mp_profile_set_handle(p, handle);
    return handle;
}

value mp_prim_start(struct domain *d, value rate, value callstack_size, value tracker) {
    return start_5(d, rate, callstack_size, tracker, false);
}

value mp_prim_start_another(struct domain *d, value rate, value callstack_size, value tracker) {
    return start_5(d, rate, callstack_size, tracker, true);
}

value mp_prim_stop(struct domain *d, value unit) {
    return stop(d, mp_profile_current(mp_program_of(d)), "Gc.Memprof.stop: no profile running.");
}

value mp_prim_stop_another(struct domain *d, value handle) {
    struct mp_profile *p = profile_of(d, handle, "Bactrian.Memprof.stop_another");
    if (p != NULL && p->status != MP_SAMPLING) p = NULL;
    return stop(d, p, "Bactrian.Memprof.stop_another: profile not running.");
}

value mp_prim_discard(struct domain *d, value handle) {
    struct mp_profile *p = profile_of(d, handle, "Gc.Memprof.discard");
    switch (status_of(p, handle)) {
    case MP_DISCARDED: vm_failwith(d, "Gc.Memprof.discard: profile already discarded.");
    case MP_SAMPLING: vm_failwith(d, "Gc.Memprof.discard: profile not stopped.");
    case MP_STOPPED: break;
    }
    if (p != NULL) mp_profile_discard(p);
    else gc_store(&d->gc, handle, STATUS, val_of_int(MP_DISCARDED));
    return VAL_UNIT;
}

value mp_prim_is_sampling(struct domain *d, value unit) {
    return val_of_bool(mp_profile_current(mp_program_of(d)) != NULL);
}
