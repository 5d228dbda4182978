/* prim_lazy.c - lazy values, as modules CamlinternalLazy of OCaml 5 and 4 and recursive definitions
 * make them.
 *
 * A suspension is a block of one field whose tag says what the field is: TAG_LAZY a function,
 * TAG_FORCING nothing while the function runs, TAG_FORWARD the result. */
#include "gc/heap.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"

value prim_lazy_make_forward(struct domain *d, value v) {
    GC_ROOT(&d->gc, &v);
    value forward = new_small(d, 1, TAG_FORWARD);
    field(forward, 0) = v;
    return forward;
}

/* Whether v is a suspension in a state. */
static bool is_in_state(struct domain *d, value v, unsigned tag) {
    return gc_is_heap_block(&d->gc, v) && tag_of(v) == tag && wosize_of(v) != 0;
}

/* Whether v was in state old; it is in state new then. */
static bool update_state(struct domain *d, value v, unsigned old, unsigned new) {
    if (!is_in_state(d, v, old)) return false;
    prim_change_tag(v, new);
    return true;
}

value prim_lazy_update_to_forcing(struct domain *d, value v) {
    return val_of_int(update_state(d, v, TAG_LAZY, TAG_FORCING) ? 0 : 1);
}

value prim_lazy_reset_to_lazy(struct domain *d, value v) {
    update_state(d, v, TAG_FORCING, TAG_LAZY);
    return VAL_UNIT;
}

value prim_lazy_update_to_forward(struct domain *d, value v) {
    update_state(d, v, TAG_FORCING, TAG_FORWARD);
    return VAL_UNIT;
}

/* What a suspension that is known to be evaluated stands for. */
value prim_lazy_read_result(struct domain *d, value v) {
    return is_in_state(d, v, TAG_FORWARD) ? field(v, 0) : v;
}

/* ---- `let rec x = lazy ...`: a dummy that becomes the suspension, or an evaluated one if the
 * definition was evaluated at once. ---- */

value prim_alloc_dummy_lazy(struct domain *d, value unit) {
    value dummy = new_small(d, 1, 0);
    field(dummy, 0) = VAL_UNIT;
    return dummy;
}

value prim_update_dummy_lazy(struct domain *d, value dummy, value v) {
    if (prim_checked(d) &&
        (tag_of(dummy) != 0 || wosize_of(dummy) != 1 || dummy == d->vm->global_data))
        prim_refuse(d, "update_dummy_lazy");
    bool same = is_in_state(d, v, TAG_LAZY) || is_in_state(d, v, TAG_FORCING) ||
                is_in_state(d, v, TAG_FORWARD);
    gc_store(&d->gc, dummy, 0, same ? field(v, 0) : v);
    prim_change_tag(dummy, same ? tag_of(v) : TAG_FORWARD);
    return VAL_UNIT;
}
