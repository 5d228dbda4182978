/* prim_int64.c - int64, and the bits of a float. */
#include "stdlib/boxed_arithmetic.h"
#include "vm/state/alloc.h"

BOXED_ARITHMETIC(int64, int64_t, uint64_t, 64, "Int64")

value prim_int64_bits_of_float(struct domain *d, value v) {
    int64_t bits;
    memcpy(&bits, (void *)v, sizeof bits);
    return copy_int64(d, bits);
}
value prim_int64_float_of_bits(struct domain *d, value v) {
    int64_t bits = int64_of_val(v);
    double x;
    memcpy(&x, &bits, sizeof x);
    return copy_double(d, x);
}

value prim_int64_of_nativeint(struct domain *d, value v) {
    return copy_int64(d, nativeint_of_val(v));
}
value prim_int64_to_nativeint(struct domain *d, value v) {
    return copy_nativeint(d, int64_of_val(v));
}
