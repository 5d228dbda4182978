/* prim_profile.c - Bactrian.Profile as primitives: what a program tells of itself to its recording.
 * */
#include "memprof/memprof.h"
#include "memprof/recorder/recorder.h"
#include "vm/state/domain.h"

value mp_prim_enter_phase(struct domain *d, value name) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    if (r != NULL) mp_recorder_enter_phase(r, string_bytes(name), string_length(name));
    return VAL_UNIT;
}

value mp_prim_leave_phase(struct domain *d, value unit) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    if (r != NULL) mp_recorder_leave_phase(r);
    return VAL_UNIT;
}
