/* prim_atomic.c - Atomic, atomic fields of records, and Obj's compare-and-swap.
 *
 * An Atomic.t is a block of one field. Domains take turns under the runtime lock, and none of these
 * functions polls: a plain load or store is atomic. Values are compared by identity.
 *
 * In checked mode the field must exist and be mutable, and what is added to an integer. */
#include "gc/heap.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"

static uintptr_t check_field(struct domain *d, value block, value index) {
    uintptr_t i = (uintptr_t)int_of_val(index);
    if (prim_checked(d) && !has_mutable_field(block, i)) prim_refuse(d, "atomic access");
    return i;
}

value prim_atomic_load_field(struct domain *d, value block, value index) {
    return field(block, check_field(d, block, index));
}

value prim_atomic_exchange_field(struct domain *d, value block, value index, value new) {
    uintptr_t i = check_field(d, block, index);
    value old = field(block, i);
    gc_store(&d->gc, block, i, new);
    return old;
}

value prim_obj_compare_and_swap(struct domain *d, value block, value index, value old, value new) {
    uintptr_t i = check_field(d, block, index);
    if (field(block, i) != old) return VAL_FALSE;
    gc_store(&d->gc, block, i, new);
    return VAL_TRUE;
}

value prim_atomic_fetch_add_field(struct domain *d, value block, value index, value n) {
    uintptr_t i = check_field(d, block, index);
    value old = field(block, i);
    if (prim_checked(d) && is_block(old)) prim_refuse(d, "atomic addition to a block");
    field(block, i) = (value)((uintptr_t)old + (uintptr_t)n - 1);
    return old;
}

/* The same on an Atomic.t. */
value prim_atomic_load(struct domain *d, value atomic) {
    return prim_atomic_load_field(d, atomic, val_of_int(0));
}
value prim_atomic_exchange(struct domain *d, value atomic, value new) {
    return prim_atomic_exchange_field(d, atomic, val_of_int(0), new);
}
value prim_atomic_cas(struct domain *d, value atomic, value old, value new) {
    return prim_obj_compare_and_swap(d, atomic, val_of_int(0), old, new);
}
value prim_atomic_fetch_add(struct domain *d, value atomic, value n) {
    return prim_atomic_fetch_add_field(d, atomic, val_of_int(0), n);
}

/* An atomic that shares its cache line with no other block. */
value prim_atomic_make_contended(struct domain *d, value v) {
    enum { CACHE_LINE_FIELDS = 7 };
    GC_ROOT(&d->gc, &v);
    value atomic = gc_alloc_major(&d->gc, CACHE_LINE_FIELDS, 0);
    gc_init_field(&d->gc, atomic, 0, v);
    for (uintptr_t i = 1; i < CACHE_LINE_FIELDS; i++) field(atomic, i) = VAL_UNIT;
    return atomic;
}

/* Whether other domains may reach v already. */
value prim_obj_is_shared(struct domain *d, value v) {
    return val_of_bool(is_int(v) || !gc_is_young(&d->gc, v));
}
