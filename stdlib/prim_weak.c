/* prim_weak.c - weak arrays and ephemerons, as Weak and Obj.Ephemeron use them.
 *
 * gc/weak.h has the block's layout and what the collector does with it. The standard library of
 * OCaml 4 tests every index, that of OCaml 5 leaves some of the tests to these functions: their
 * exceptions name functions of module Weak, also for ephemerons. */
#include "gc/weak.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/thread/pending.h"

/* The slot of key i of e. Fails: raises Invalid_argument with that text. */
static size_t key_slot(struct domain *d, value e, value i, const char *where) {
    if (!gc_is_ephe(&d->gc, e)) vm_invalid_argument(d, "%s", where);
    uintptr_t n = (uintptr_t)int_of_val(i);
    if (n >= gc_ephe_length(e)) vm_invalid_argument(d, "%s", where);
    return EPHE_FIRST_KEY + n;
}

static size_t data_slot(struct domain *d, value e, const char *where) {
    if (!gc_is_ephe(&d->gc, e)) vm_invalid_argument(d, "%s", where);
    return EPHE_DATA;
}

static value get_slot(struct domain *d, value e, size_t slot) {
    ASSERT(slot < wosize_of(e));
    value v = gc_ephe_get(&d->gc, e, slot);
    return v == gc_ephe_none(&d->gc) ? VAL_NONE : vm_poll_keeping(d, new_some(d, v));
}

/* Some copy of the content. Custom blocks are not copied: what they own would be finalised
 * twice. */
static value get_slot_copy(struct domain *d, value e, size_t slot) {
    value v = gc_ephe_get(&d->gc, e, slot);
    if (v == gc_ephe_none(&d->gc)) return VAL_NONE;
    if (!gc_is_heap_block(&d->gc, v)) return new_some(d, v);
    uintptr_t offset = tag_of(v) == TAG_INFIX ? 8 * infix_offset_words(v) : 0;
    v -= (value)offset;
    if (wosize_of(v) != 0 && tag_of(v) != TAG_CUSTOM) v = prim_copy_block(d, v, tag_of(v));
    return vm_poll_keeping(d, new_some(d, v + (value)offset));
}

value prim_ephe_create(struct domain *d, value length) {
    uintptr_t n = (uintptr_t)int_of_val(length);
    if (n > MAX_WOSIZE - EPHE_FIRST_KEY) vm_invalid_argument(d, "Weak.create");
    return vm_poll_keeping(d, gc_ephe_create(&d->gc, n));
}

static value set_slot(struct domain *d, value e, size_t slot, value v) {
    gc_ephe_set(&d->gc, e, slot, v);
    return VAL_UNIT;
}

static value unset_slot(struct domain *d, value e, size_t slot) {
    return set_slot(d, e, slot, gc_ephe_none(&d->gc));
}

static value check_slot(struct domain *d, value e, size_t slot) {
    return val_of_bool(gc_ephe_is_set(&d->gc, e, slot));
}

/* Primitives on key i of e and on the data of e. */
#define KEY(name, where, action)                            \
    value prim_##name(struct domain *d, value e, value i) { \
        return action(d, e, key_slot(d, e, i, where));      \
    }
#define DATA(name, where, action) \
    value prim_##name(struct domain *d, value e) { return action(d, e, data_slot(d, e, where)); }

/* ---- Obj.Ephemeron ---- */

KEY(ephe_get_key, "Weak.get", get_slot)
KEY(ephe_get_key_copy, "Weak.get", get_slot_copy)
KEY(ephe_unset_key, "Weak.set", unset_slot)
KEY(ephe_check_key, "Weak.check", check_slot)
DATA(ephe_get_data, "Weak.get", get_slot)
DATA(ephe_get_data_copy, "Weak.get", get_slot_copy)
DATA(ephe_unset_data, "Weak.set", unset_slot)
DATA(ephe_check_data, "Weak.check", check_slot)

value prim_ephe_set_key(struct domain *d, value e, value i, value v) {
    return set_slot(d, e, key_slot(d, e, i, "Weak.set"), v);
}

value prim_ephe_set_data(struct domain *d, value e, value v) {
    return set_slot(d, e, data_slot(d, e, "Weak.set"), v);
}

value prim_ephe_blit_key(struct domain *d, value from, value from_i, value to, value to_i,
                         value n) {
    intptr_t i = int_of_val(from_i), j = int_of_val(to_i), count = int_of_val(n);
    if (!gc_is_ephe(&d->gc, from) || !gc_is_ephe(&d->gc, to) || i < 0 || j < 0 ||
        i + count > (intptr_t)gc_ephe_length(from) || j + count > (intptr_t)gc_ephe_length(to))
        vm_invalid_argument(d, "Weak.blit");
    if (count <= 0) return VAL_UNIT;
    vm_charge_work(d, 8 * (size_t)count);
    gc_ephe_blit(&d->gc, from, EPHE_FIRST_KEY + (size_t)i, to, EPHE_FIRST_KEY + (size_t)j,
                 (size_t)count);
    return VAL_UNIT;
}

value prim_ephe_blit_data(struct domain *d, value from, value to) {
    size_t from_slot = data_slot(d, from, "Weak.blit");
    size_t to_slot = data_slot(d, to, "Weak.blit");
    gc_ephe_blit(&d->gc, from, from_slot, to, to_slot, 1);
    return VAL_UNIT;
}

/* ---- Weak ---- */

/* Takes an option; for programs that declare it. */
value prim_weak_set(struct domain *d, value w, value i, value option) {
    size_t slot = key_slot(d, w, i, "Weak.set");
    if (is_block(option) && !has_field(option, 0)) vm_invalid_argument(d, "Weak.set");
    gc_ephe_set(&d->gc, w, slot, is_block(option) ? field(option, 0) : gc_ephe_none(&d->gc));
    return VAL_UNIT;
}
