/* alloc.c - boxed integers (int32, int64, nativeint) and small blocks.
 *
 *   +---------------------------+----------+-----------------+
 *   | header: wosize 2, custom  | &ops     | the integer     |     an int32 fills the low half,
 *   +---------------------------+----------+-----------------+     the high half is zero
 *
 * The operations have no finalizer and hold no outside memory, so such a block is an ordinary small
 * allocation. Marshalling handles the three identifiers itself: serialize and deserialize are
 * null. */
#include "vm/state/alloc.h"

static int order(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int int32_compare(value a, value b) { return order(int32_of_val(a), int32_of_val(b)); }
static intptr_t int32_hash(value v) { return int32_of_val(v); }

static int int64_compare(value a, value b) { return order(int64_of_val(a), int64_of_val(b)); }
static intptr_t int64_hash(value v) {
    uint64_t n = (uint64_t)int64_of_val(v);
    return (intptr_t)((uint32_t)(n >> 32) ^ (uint32_t)n);
}

static int nativeint_compare(value a, value b) {
    return order(nativeint_of_val(a), nativeint_of_val(b));
}
/* The two shifts cancel for a number that fits in 32 bits, so that it hashes as on a 32-bit
 * machine. */
static intptr_t nativeint_hash(value v) {
    intptr_t n = nativeint_of_val(v);
    return (n >> 32) ^ (n >> 63) ^ n;
}

static const struct gc_custom_fixed_length length_4_4 = {4, 4}, length_8_8 = {8, 8},
                                           length_4_8 = {4, 8};

const struct gc_custom_ops vm_int32_ops = {
    .identifier = "_i",
    .compare = int32_compare,
    .hash = int32_hash,
    .fixed_length = &length_4_4,
};
const struct gc_custom_ops vm_int64_ops = {
    .identifier = "_j",
    .compare = int64_compare,
    .hash = int64_hash,
    .fixed_length = &length_8_8,
};
const struct gc_custom_ops vm_nativeint_ops = {
    .identifier = "_n",
    .compare = nativeint_compare,
    .hash = nativeint_hash,
    .fixed_length = &length_4_8,
};

/* The same objects, by the names that C stubs know. */
extern const struct gc_custom_ops caml_int32_ops __attribute__((alias("vm_int32_ops")));
extern const struct gc_custom_ops caml_int64_ops __attribute__((alias("vm_int64_ops")));
extern const struct gc_custom_ops caml_nativeint_ops __attribute__((alias("vm_nativeint_ops")));

static value new_boxed(struct domain *d, const struct gc_custom_ops *ops, int64_t word) {
    value v = gc_alloc_small(&d->gc, 2, TAG_CUSTOM);
    field(v, 0) = (value)ops;
    field(v, 1) = word;
    return v;
}

value copy_int32(struct domain *d, int32_t n) { return new_boxed(d, &vm_int32_ops, (uint32_t)n); }
value copy_int64(struct domain *d, int64_t n) { return new_boxed(d, &vm_int64_ops, n); }
value copy_nativeint(struct domain *d, intptr_t n) { return new_boxed(d, &vm_nativeint_ops, n); }

value new_complex(struct domain *d, double re, double im) {
    value v = new_small(d, 2, TAG_DOUBLE_ARRAY);
    set_double_field(v, 0, re);
    set_double_field(v, 1, im);
    return v;
}

value new_pair(struct domain *d, value a, value b) {
    GC_ROOT(&d->gc, &a, &b);
    value pair = gc_alloc_small(&d->gc, 2, 0);
    field(pair, 0) = a;
    field(pair, 1) = b;
    return pair;
}

value new_some(struct domain *d, value v) {
    GC_ROOT(&d->gc, &v);
    value some = gc_alloc_small(&d->gc, 1, 0);
    field(some, 0) = v;
    return some;
}
