/* prim_bigarray.c - the primitives of Bigarray (stdlib/bigarray.h). */
#include "stdlib/bigarray.h"
#include "stdlib/prim.h"
#include "vm/code/kinds.h"

#include <stdlib.h>

static bool is_fortran(const struct bigarray *b) { return b->flags & BIGARRAY_FORTRAN_LAYOUT; }

/* ---- Elements. ---- */

/* The number of the element at these indices, one for each of the n dimensions. Callers know n, so
 * that the loop is unrolled. Fails: raises. */
static inline __attribute__((always_inline)) uintptr_t offset_of(struct domain *d,
                                                                 const struct bigarray *b,
                                                                 const intptr_t *indices,
                                                                 intptr_t n) {
    uintptr_t fortran = is_fortran(b), offset = 0;
    ASSERT(n == b->num_dims);
    for (intptr_t i = 0; i < n; i++) {
        intptr_t k = fortran ? n - 1 - i : i;
        uintptr_t index = (uintptr_t)indices[k] - fortran;
        if (index >= (uintptr_t)b->dim[k]) vm_raise_bound_error(d);
        offset = offset * (uintptr_t)b->dim[k] + index;
    }
    return offset;
}

/* Element i, on the heap if its kind is boxed. GC: may run. */
static value element(struct domain *d, const struct bigarray *b, uintptr_t i) {
    ASSERT(i < bigarray_elements(b));
    switch (bigarray_kind(b)) {
#define SIMPLE(name, type, letter, to_value, of_value) \
    case BIGARRAY_##name: {                            \
        type n = ((const type *)b->data)[i];           \
        return to_value;                               \
    }
#define COMPLEX(name, type)                            \
    case BIGARRAY_##name: {                            \
        const type *n = (const type *)b->data;         \
        return new_complex(d, n[2 * i], n[2 * i + 1]); \
    }
        BIGARRAY_KIND_LIST(SIMPLE, COMPLEX, SIMPLE)
#undef SIMPLE
#undef COMPLEX
    case BIGARRAY_KINDS: break;
    }
    return VAL_UNIT;
}

/* In checked mode, tests that v is what the kind of b requires. */
static void check_element(struct domain *d, const struct bigarray *b, value v) {
    static const char letters[BIGARRAY_KINDS] = {
#define SIMPLE(name, type, letter, to_value, of_value) letter,
#define COMPLEX(name, type)                            'A',
        BIGARRAY_KIND_LIST(SIMPLE, COMPLEX, SIMPLE)
#undef SIMPLE
#undef COMPLEX
    };
    char letter = letters[bigarray_kind(b)];
    if (!prim_checked(d) || (letter == 'i' && is_int(v))) return;
    if (!vm_kind_accepts(d, letter, v) || (letter == 'A' && wosize_of(v) != 2))
        vm_invalid_argument(d, "Bigarray: element of another kind");
}

/* Stores v as element i. Integers are cut to their low bytes. */
static void store_element(const struct bigarray *b, uintptr_t i, value v) {
    ASSERT(i < bigarray_elements(b));
    switch (bigarray_kind(b)) {
#define SIMPLE(name, type, letter, to_value, of_value) \
    case BIGARRAY_##name:                              \
        ((type *)b->data)[i] = (type)of_value(v);      \
        break;
#define COMPLEX(name, type)                                                                  \
    case BIGARRAY_##name:                                                                    \
        for (int k = 0; k < 2; k++) ((type *)b->data)[2 * i + k] = (type)double_field(v, k); \
        break;
        BIGARRAY_KIND_LIST(SIMPLE, COMPLEX, SIMPLE)
#undef SIMPLE
#undef COMPLEX
    case BIGARRAY_KINDS: break;
    }
}

static inline __attribute__((always_inline)) value get(struct domain *d, value v,
                                                       const intptr_t *indices, intptr_t n) {
    const struct bigarray *b = bigarray_of(v);
    if (n != b->num_dims) vm_invalid_argument(d, "Bigarray.get: wrong number of indices");
    return element(d, b, offset_of(d, b, indices, n));
}

static inline __attribute__((always_inline)) value set(struct domain *d, value v,
                                                       const intptr_t *indices, intptr_t n,
                                                       value x) {
    const struct bigarray *b = bigarray_of(v);
    if (n != b->num_dims) vm_invalid_argument(d, "Bigarray.set: wrong number of indices");
    uintptr_t offset = offset_of(d, b, indices, n);
    check_element(d, b, x);
    store_element(b, offset, x);
    return VAL_UNIT;
}

/* Copies the integers of an array. False: there are more than BIGARRAY_MAX_DIMS. */
static bool take_integers(struct domain *d, value array, intptr_t *out, intptr_t *n) {
    if (wosize_of(array) > BIGARRAY_MAX_DIMS) return false;
    *n = (intptr_t)wosize_of(array);
    for (intptr_t i = 0; i < *n; i++) {
        value v = tag_of(array) == 0 ? field(array, i) : 0;
        if (is_block(v)) vm_invalid_argument(d, "Bigarray: array of integers expected");
        out[i] = int_of_val(v);
    }
    return true;
}

value prim_ba_get_1(struct domain *d, value b, value i) {
    return get(d, b, (intptr_t[]){int_of_val(i)}, 1);
}
value prim_ba_get_2(struct domain *d, value b, value i, value j) {
    return get(d, b, (intptr_t[]){int_of_val(i), int_of_val(j)}, 2);
}
value prim_ba_get_3(struct domain *d, value b, value i, value j, value k) {
    return get(d, b, (intptr_t[]){int_of_val(i), int_of_val(j), int_of_val(k)}, 3);
}
value prim_ba_get_generic(struct domain *d, value b, value indices) {
    intptr_t list[BIGARRAY_MAX_DIMS], n;
    if (!take_integers(d, indices, list, &n))
        vm_invalid_argument(d, "Bigarray.get: wrong number of indices");
    return get(d, b, list, n);
}

value prim_ba_set_1(struct domain *d, value b, value i, value x) {
    return set(d, b, (intptr_t[]){int_of_val(i)}, 1, x);
}
value prim_ba_set_2(struct domain *d, value b, value i, value j, value x) {
    return set(d, b, (intptr_t[]){int_of_val(i), int_of_val(j)}, 2, x);
}
value prim_ba_set_3(struct domain *d, value b, value i, value j, value k, value x) {
    return set(d, b, (intptr_t[]){int_of_val(i), int_of_val(j), int_of_val(k)}, 3, x);
}
value prim_ba_set_generic(struct domain *d, value b, value indices, value x) {
    intptr_t list[BIGARRAY_MAX_DIMS], n;
    if (!take_integers(d, indices, list, &n))
        vm_invalid_argument(d, "Bigarray.set: wrong number of indices");
    return set(d, b, list, n, x);
}

/* ---- Multi-byte access to vectors of bytes. ---- */

/* The address of n bytes at index i. Fails: raises. */
static uint8_t *bytes_at(struct domain *d, value v, value i, intptr_t n) {
    const struct bigarray *b = bigarray_of(v);
    if (b->num_dims != 1 || bigarray_element_bytes[bigarray_kind(b)] != 1 ||
        !prim_in_bounds(int_of_val(i), n, (uintptr_t)b->dim[0]))
        vm_raise_bound_error(d);
    return (uint8_t *)b->data + int_of_val(i);
}

static void write_at(struct domain *d, value v, value i, intptr_t n, const void *bytes) {
    memcpy(bytes_at(d, v, i, n), bytes, (size_t)n);
}

PRIM_MULTI_BYTE(ba_uint8_get, ba_uint8_set, bytes_at, write_at)

/* ---- Shape. ---- */

value prim_ba_create(struct domain *d, value kind, value layout, value dims) {
    intptr_t list[BIGARRAY_MAX_DIMS], n;
    if (!take_integers(d, dims, list, &n))
        vm_invalid_argument(d, "Bigarray.create: bad number of dimensions");
    for (intptr_t i = 0; i < n; i++)
        if (list[i] < 0) vm_invalid_argument(d, "Bigarray.create: negative dimension");
    uintptr_t k = (uintptr_t)int_of_val(kind), l = (uintptr_t)int_of_val(layout);
    if (!bigarray_kind_exists(d->vm->version, k) || l > 1)
        vm_invalid_argument(d, "Bigarray.create: bad kind or layout");
    return bigarray_new(d, (intptr_t)(k | l << 8), (int)n, NULL, list);
}

value prim_ba_num_dims(struct domain *d, value b) { return val_of_int(bigarray_of(b)->num_dims); }

value prim_ba_dim(struct domain *d, value v, value i) {
    const struct bigarray *b = bigarray_of(v);
    if ((uintptr_t)int_of_val(i) >= (uintptr_t)b->num_dims) vm_invalid_argument(d, "Bigarray.dim");
    return val_of_int(b->dim[int_of_val(i)]);
}
value prim_ba_dim_1(struct domain *d, value b) { return prim_ba_dim(d, b, val_of_int(0)); }
value prim_ba_dim_2(struct domain *d, value b) { return prim_ba_dim(d, b, val_of_int(1)); }
value prim_ba_dim_3(struct domain *d, value b) { return prim_ba_dim(d, b, val_of_int(2)); }

value prim_ba_kind(struct domain *d, value b) { return val_of_int(bigarray_kind(bigarray_of(b))); }
value prim_ba_layout(struct domain *d, value b) { return val_of_int(is_fortran(bigarray_of(b))); }

/* ---- Views: bigarrays that share the elements of another one. ---- */

/* A view of the elements of `from` that start at data. Roots its argument. GC: may run. */
static value new_view(struct domain *d, value from, intptr_t flags, int num_dims, void *data,
                      const intptr_t *dims) {
    GC_ROOT(&d->gc, &from);
    /* It is managed once it has its share of the proxy. */
    intptr_t unmanaged = ~(intptr_t)(BIGARRAY_MANAGED_MASK | BIGARRAY_COUNTED);
    value v = bigarray_new(d, flags & unmanaged, num_dims, data, dims);
    *(const struct gc_custom_ops **)v = custom_ops(from);
    struct bigarray *b = bigarray_of(from);
    if ((flags & BIGARRAY_MANAGED_MASK) == 0) return v;
    if (bigarray_proxy_of(b) == NULL) vm_raise_out_of_memory(d);
    b->proxy->refcount++;
    bigarray_of(v)->proxy = b->proxy;
    bigarray_of(v)->flags = flags;
    return v;
}

value prim_ba_slice(struct domain *d, value v, value indices) {
    const struct bigarray *b = bigarray_of(v);
    intptr_t given[BIGARRAY_MAX_DIMS], all[BIGARRAY_MAX_DIMS], n;
    if (!take_integers(d, indices, given, &n) || n > b->num_dims)
        vm_invalid_argument(d, "Bigarray.slice: too many indices");
    bool fortran = is_fortran(b);
    intptr_t rest = b->num_dims - n;
    /* C layout fixes the first dimensions, Fortran the last ones. */
    intptr_t first_given = fortran ? rest : 0, first_rest = fortran ? 0 : n;
    for (intptr_t i = 0; i < n; i++) all[first_given + i] = given[i];
    for (intptr_t i = 0; i < rest; i++) all[first_rest + i] = fortran;
    size_t bytes = bigarray_element_bytes[bigarray_kind(b)];
    char *data = (char *)b->data + offset_of(d, b, all, b->num_dims) * bytes;
    return new_view(d, v, b->flags, (int)rest, data, b->dim + first_rest);
}

value prim_ba_sub(struct domain *d, value v, value start, value length) {
    const struct bigarray *b = bigarray_of(v);
    intptr_t from = int_of_val(start), n = int_of_val(length), dims[BIGARRAY_MAX_DIMS];
    if (is_fortran(b)) from--;
    intptr_t cut = is_fortran(b) ? b->num_dims - 1 : 0;
    if (b->num_dims == 0 || !prim_in_bounds(from, n, (uintptr_t)b->dim[cut]))
        vm_invalid_argument(d, "Bigarray.sub: bad sub-array");
    uintptr_t bytes = bigarray_element_bytes[bigarray_kind(b)];
    for (intptr_t i = 0; i < b->num_dims; i++) {
        dims[i] = i == cut ? n : b->dim[i];
        if (i != cut) bytes *= (uintptr_t)b->dim[i];
    }
    char *data = (char *)b->data + (uintptr_t)from * bytes;
    return new_view(d, v, b->flags, (int)b->num_dims, data, dims);
}

value prim_ba_reshape(struct domain *d, value v, value new_dims) {
    const struct bigarray *b = bigarray_of(v);
    intptr_t dims[BIGARRAY_MAX_DIMS], n;
    if (!take_integers(d, new_dims, dims, &n))
        vm_invalid_argument(d, "Bigarray.reshape: bad number of dimensions");
    uintptr_t elements = 1;
    bool overflow = false;
    for (intptr_t i = 0; i < n; i++) {
        if (dims[i] < 0) vm_invalid_argument(d, "Bigarray.reshape: negative dimension");
        overflow |= __builtin_mul_overflow(elements, (uintptr_t)dims[i], &elements);
    }
    if (overflow || elements != bigarray_elements(b))
        vm_invalid_argument(d, "Bigarray.reshape: size mismatch");
    return new_view(d, v, b->flags, (int)n, b->data, dims);
}

value prim_ba_change_layout(struct domain *d, value v, value layout) {
    const struct bigarray *b = bigarray_of(v);
    if (int_of_val(layout) == is_fortran(b)) return v;
    intptr_t dims[BIGARRAY_MAX_DIMS];
    for (intptr_t i = 0; i < b->num_dims; i++) dims[i] = b->dim[b->num_dims - 1 - i];
    return new_view(d, v, b->flags ^ BIGARRAY_FORTRAN_LAYOUT, (int)b->num_dims, b->data, dims);
}

/* ---- Whole bigarrays. ---- */

value prim_ba_fill(struct domain *d, value v, value x) {
    const struct bigarray *b = bigarray_of(v);
    check_element(d, b, x);
    uintptr_t bytes = bigarray_bytes(b), done = bigarray_element_bytes[bigarray_kind(b)];
    if (bytes == 0) return VAL_UNIT;
    vm_charge_work(d, bytes);
    store_element(b, 0, x);
    /* The part that is filled doubles each time. */
    for (uintptr_t part; done < bytes; done += part) {
        part = bytes - done < done ? bytes - done : done;
        memcpy((char *)b->data + done, b->data, part);
    }
    return VAL_UNIT;
}

value prim_ba_blit(struct domain *d, value from, value to) {
    const struct bigarray *a = bigarray_of(from), *b = bigarray_of(to);
    bool same = a->num_dims == b->num_dims && bigarray_kind(a) == bigarray_kind(b);
    for (intptr_t i = 0; same && i < a->num_dims; i++) same = a->dim[i] == b->dim[i];
    if (!same) vm_invalid_argument(d, "Bigarray.blit: dimension mismatch");
    vm_charge_work(d, bigarray_bytes(a));
    memmove(b->data, a->data, bigarray_bytes(a));
    return VAL_UNIT;
}
