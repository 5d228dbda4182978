/* ephemerons.c - ephemerons and weak arrays for stubs: gc/weak.h, whose blocks OCaml code uses too.
 * Indices are trusted, as in OCaml. */
#include "gc/weak.h"
#include "stdlib/prim.h"
#include "vm/capi/capi_internal.h"

value caml_ephemeron_create(uintptr_t keys) { return gc_ephe_create(&self()->gc, keys); }
uintptr_t caml_ephemeron_num_keys(value e) { return gc_ephe_length(e); }

static int is_set(value e, size_t slot) { return gc_ephe_is_set(&self()->gc, e, slot); }
static void set(value e, size_t slot, value v) { gc_ephe_set(&self()->gc, e, slot, v); }
static void unset(value e, size_t slot) { set(e, slot, gc_ephe_none(&self()->gc)); }

static int get(value e, size_t slot, value *out) {
    value v = gc_ephe_get(&self()->gc, e, slot);
    bool there = v != gc_ephe_none(&self()->gc);
    if (there) *out = v;
    return there;
}

/* option: of a primitive. */
static int take(value option, value *out) {
    if (is_block(option)) *out = field(option, 0);
    return is_block(option);
}

int caml_ephemeron_key_is_set(value e, uintptr_t i) { return is_set(e, EPHE_FIRST_KEY + i); }
void caml_ephemeron_set_key(value e, uintptr_t i, value key) { set(e, EPHE_FIRST_KEY + i, key); }
void caml_ephemeron_unset_key(value e, uintptr_t i) { unset(e, EPHE_FIRST_KEY + i); }
int caml_ephemeron_get_key(value e, uintptr_t i, value *key) {
    return get(e, EPHE_FIRST_KEY + i, key);
}
int caml_ephemeron_get_key_copy(value e, uintptr_t i, value *key) {
    return take(prim_ephe_get_key_copy(self(), e, val_of_int((intptr_t)i)), key);
}
void caml_ephemeron_blit_key(value from, uintptr_t i, value to, uintptr_t j, uintptr_t n) {
    gc_ephe_blit(&self()->gc, from, EPHE_FIRST_KEY + i, to, EPHE_FIRST_KEY + j, n);
}

int caml_ephemeron_data_is_set(value e) { return is_set(e, EPHE_DATA); }
void caml_ephemeron_set_data(value e, value data) { set(e, EPHE_DATA, data); }
void caml_ephemeron_unset_data(value e) { unset(e, EPHE_DATA); }
int caml_ephemeron_get_data(value e, value *data) { return get(e, EPHE_DATA, data); }
int caml_ephemeron_get_data_copy(value e, value *data) {
    return take(prim_ephe_get_data_copy(self(), e), data);
}
void caml_ephemeron_blit_data(value from, value to) {
    gc_ephe_blit(&self()->gc, from, EPHE_DATA, to, EPHE_DATA, 1);
}
