/* bigarray.c - bigarrays for stubs: the structure and operations are the machine's own. */
#include "stdlib/bigarray.h"
#include "stdlib/state.h"
#include "vm/capi/capi_internal.h"

#include <stdarg.h>

_Static_assert(offsetof(struct bigarray, data) == 0 && offsetof(struct bigarray, num_dims) == 8 &&
                   offsetof(struct bigarray, flags) == 16 &&
                   offsetof(struct bigarray, proxy) == 24 && offsetof(struct bigarray, dim) == 32,
               "the layout of struct caml_ba_array");

const int caml_ba_element_size[BIGARRAY_KINDS] = {4, 8, 1, 1, 2, 2, 4, 8, 8, 8, 8, 16, 1, 2};

value caml_ba_alloc(int flags, int num_dims, void *data, intptr_t *dims) {
    return bigarray_new(self(), flags, num_dims, data, dims);
}

value caml_ba_alloc_dims(int flags, int num_dims, void *data, ...) {
    intptr_t dims[BIGARRAY_MAX_DIMS];
    va_list given;
    va_start(given, data);
    for (int i = 0; i < num_dims && i < BIGARRAY_MAX_DIMS; i++) dims[i] = va_arg(given, intptr_t);
    va_end(given);
    return caml_ba_alloc(flags, num_dims, data, dims);
}

uintptr_t caml_ba_byte_size(struct bigarray *b) { return bigarray_bytes(b); }
uintptr_t caml_ba_num_elts(struct bigarray *b) { return bigarray_elements(b); }

/* ---- Operations, for custom blocks that extend bigarrays. ---- */

void caml_ba_finalize(value v) { bigarray_ops.finalize(v); }
intptr_t caml_ba_hash(value v) { return bigarray_ops.hash(v); }

int caml_ba_compare(value a, value b) {
    bool unordered = false;
    int order = bigarray_compare(a, b, &unordered);
    if (unordered) *abi_compare_unordered(self()) = 1;
    return order;
}

void caml_ba_serialize(value v, uintptr_t *bytes_32, uintptr_t *bytes_64) {
    bigarray_write(prim_state(self())->marshal.writer, v, bytes_32, bytes_64);
}

uintptr_t caml_ba_deserialize(void *to) {
    return bigarray_read_into(prim_state(self())->marshal.reader, to);
}

const struct gc_custom_ops caml_ba_ops = {
    .identifier = "_bigarr02",
    .finalize = caml_ba_finalize,
    .compare = caml_ba_compare,
    .hash = caml_ba_hash,
    .serialize = caml_ba_serialize,
    .deserialize = caml_ba_deserialize,
};
