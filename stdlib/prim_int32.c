/* prim_int32.c - int32, and its conversions to and from the other boxed integers. */
#include "stdlib/boxed_arithmetic.h"
#include "vm/state/alloc.h"

BOXED_ARITHMETIC(int32, int32_t, uint32_t, 32, "Int32")

/* The bits of the nearest float of single precision. */
value prim_int32_bits_of_float(struct domain *d, value v) {
    float x = (float)double_of_val(v);
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return copy_int32(d, bits);
}
value prim_int32_float_of_bits(struct domain *d, value v) {
    int32_t bits = int32_of_val(v);
    float x;
    memcpy(&x, &bits, sizeof x);
    return copy_double(d, x);
}

value prim_int64_of_int32(struct domain *d, value v) { return copy_int64(d, int32_of_val(v)); }
value prim_int64_to_int32(struct domain *d, value v) {
    return copy_int32(d, (int32_t)int64_of_val(v));
}
value prim_nativeint_of_int32(struct domain *d, value v) {
    return copy_nativeint(d, int32_of_val(v));
}
value prim_nativeint_to_int32(struct domain *d, value v) {
    return copy_int32(d, (int32_t)nativeint_of_val(v));
}
