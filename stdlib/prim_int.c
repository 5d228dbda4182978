/* prim_int.c - int, Int32, Int64 and Nativeint, which has 64 bits here.
 *
 * The boxed kinds share one definition, BOXED_ARITHMETIC: results wrap around; the least number
 * divided by -1 is itself, with remainder 0; a shift count counts modulo the width, as on
 * x86-64. */
#include "stdlib/number_text.h"
#include "stdlib/prim.h"

/* ---- int ---- */

value prim_format_int(struct domain *d, value format, value n) {
    return prim_format_integer(d, format, int_of_val(n), 63);
}
value prim_int_of_string(struct domain *d, value text) {
    return val_of_int(prim_parse_integer(d, text, 63, "int_of_string"));
}

/* Words are compared, so any two values have an order. */
value prim_int_compare(struct domain *d, value a, value b) { return val_of_int((a > b) - (a < b)); }
value prim_bswap16(struct domain *d, value n) {
    return val_of_int(__builtin_bswap16((uint16_t)int_of_val(n)));
}

/* ---- Boxed integers ---- */

/* value prim_NAME(d, va, vb), where result is in terms of a and b. */
#define BOXED_BINARY(name, op, signed_type, unsigned_type, result)   \
    value prim_##name##_##op(struct domain *d, value va, value vb) { \
        unsigned_type a = (unsigned_type)name##_of_val(va);          \
        unsigned_type b = (unsigned_type)name##_of_val(vb);          \
        return copy_##name(d, (signed_type)(result));                \
    }
/* The same for division: raises Division_by_zero; by_minus_one is the result for b = -1. */
#define BOXED_DIVISION(name, op, signed_type, operator, by_minus_one)                  \
    value prim_##name##_##op(struct domain *d, value va, value vb) {                   \
        signed_type a = name##_of_val(va), b = name##_of_val(vb);                      \
        if (b == 0) vm_raise_zero_divide(d);                                           \
        return copy_##name(d, b == -1 ? (by_minus_one) : (signed_type)(a operator b)); \
    }
#define BOXED_SHIFT(name, op, bits, signed_type, operand_type, operator)                  \
    value prim_##name##_##op(struct domain *d, value va, value count) {                   \
        operand_type a = (operand_type)name##_of_val(va);                                 \
        return copy_##name(d, (signed_type)(a operator(int_of_val(count) & (bits - 1)))); \
    }

#define BOXED_ARITHMETIC(name, S, U, bits, module)                                                 \
    BOXED_BINARY(name, add, S, U, a + b)                                                           \
    BOXED_BINARY(name, sub, S, U, a - b)                                                           \
    BOXED_BINARY(name, mul, S, U, a *b)                                                            \
    BOXED_BINARY(name, and, S, U, a &b)                                                            \
    BOXED_BINARY(name, or, S, U, a | b)                                                            \
    BOXED_BINARY(name, xor, S, U, a ^ b)                                                           \
    BOXED_DIVISION(name, div, S, /, (S)(0 - (U)a))                                                 \
    BOXED_DIVISION(name, mod, S, %, 0)                                                             \
    BOXED_SHIFT(name, shift_left, bits, S, U, <<)                                                  \
    BOXED_SHIFT(name, shift_right, bits, S, S, >>)                                                 \
    BOXED_SHIFT(name, shift_right_unsigned, bits, S, U, >>)                                        \
    value prim_##name##_neg(struct domain *d, value v) {                                           \
        return copy_##name(d, (S)(0 - (U)name##_of_val(v)));                                       \
    }                                                                                              \
    value prim_##name##_compare(struct domain *d, value va, value vb) {                            \
        S a = name##_of_val(va), b = name##_of_val(vb);                                            \
        return val_of_int((a > b) - (a < b));                                                      \
    }                                                                                              \
    value prim_##name##_bswap(struct domain *d, value v) {                                         \
        return copy_##name(d, (S)__builtin_bswap##bits((U)name##_of_val(v)));                      \
    }                                                                                              \
    value prim_##name##_of_int(struct domain *d, value n) {                                        \
        return copy_##name(d, (S)int_of_val(n));                                                   \
    }                                                                                              \
    value prim_##name##_to_int(struct domain *d, value v) { return val_of_int(name##_of_val(v)); } \
    value prim_##name##_of_float(struct domain *d, value x) {                                      \
        return copy_##name(d, prim_int##bits##_of_double(double_of_val(x)));                       \
    }                                                                                              \
    value prim_##name##_to_float(struct domain *d, value v) {                                      \
        return copy_double(d, (double)name##_of_val(v));                                           \
    }                                                                                              \
    value prim_##name##_format(struct domain *d, value format, value v) {                          \
        return prim_format_integer(d, format, name##_of_val(v), bits);                             \
    }                                                                                              \
    value prim_##name##_of_string(struct domain *d, value text) {                                  \
        return copy_##name(d, (S)prim_parse_integer(d, text, bits, module ".of_string"));          \
    }

BOXED_ARITHMETIC(int32, int32_t, uint32_t, 32, "Int32")
BOXED_ARITHMETIC(int64, int64_t, uint64_t, 64, "Int64")
BOXED_ARITHMETIC(nativeint, intptr_t, uintptr_t, 64, "Nativeint")

/* value prim_NAME(d, v): the value of kind `from` as one of kind `to`. */
#define CONVERSION(name, from, to, type) \
    value prim_##name(struct domain *d, value v) { return copy_##to(d, (type)from##_of_val(v)); }
CONVERSION(int64_of_int32, int32, int64, int64_t)
CONVERSION(int64_to_int32, int64, int32, int32_t)
CONVERSION(int64_of_nativeint, nativeint, int64, int64_t)
CONVERSION(int64_to_nativeint, int64, nativeint, intptr_t)
CONVERSION(nativeint_of_int32, int32, nativeint, intptr_t)
CONVERSION(nativeint_to_int32, nativeint, int32, int32_t)

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
