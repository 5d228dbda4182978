/* prim_float.c - floats: arithmetic, comparison, mathematical functions, conversion to and from
 * text.
 *
 * The mathematical functions are the C library's: another implementation would differ in the last
 * bit, which programs print. */
#include "stdlib/number_text.h"
#include "stdlib/prim.h"
#include "vm/base/float_ops.h"
#include "vm/stack/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Arithmetic. ---- */

#define UNARY(name, result)                        \
    value prim_##name(struct domain *d, value a) { \
        double x = double_of_val(a);               \
        return copy_double(d, result);             \
    }
#define BINARY(name, result)                                \
    value prim_##name(struct domain *d, value a, value b) { \
        double x = double_of_val(a), y = double_of_val(b);  \
        return copy_double(d, result);                      \
    }

UNARY(neg_float, -x)
UNARY(abs_float, fabs(x))
BINARY(add_float, float_add(x, y))
BINARY(sub_float, x - y)
BINARY(mul_float, float_multiply(x, y))
BINARY(div_float, x / y)
BINARY(fmod_float, fmod(x, y))

value prim_fma_float(struct domain *d, value a, value b, value c) {
    return copy_double(d, fma(double_of_val(a), double_of_val(b), double_of_val(c)));
}

/* ---- Functions of the C library. ---- */

UNARY(sqrt_float, sqrt(x))
UNARY(cbrt_float, cbrt(x))
UNARY(exp_float, exp(x))
UNARY(exp2_float, exp2(x))
UNARY(expm1_float, expm1(x))
UNARY(log_float, log(x))
UNARY(log10_float, log10(x))
UNARY(log1p_float, log1p(x))
UNARY(log2_float, log2(x))
UNARY(sin_float, sin(x))
UNARY(cos_float, cos(x))
UNARY(tan_float, tan(x))
UNARY(asin_float, asin(x))
UNARY(acos_float, acos(x))
UNARY(atan_float, atan(x))
UNARY(sinh_float, sinh(x))
UNARY(cosh_float, cosh(x))
UNARY(tanh_float, tanh(x))
UNARY(asinh_float, asinh(x))
UNARY(acosh_float, acosh(x))
UNARY(atanh_float, atanh(x))
UNARY(erf_float, erf(x))
UNARY(erfc_float, erfc(x))
UNARY(ceil_float, ceil(x))
UNARY(floor_float, floor(x))
UNARY(trunc_float, trunc(x))
UNARY(round_float, round(x))
BINARY(atan2_float, atan2(x, y))
BINARY(hypot_float, hypot(x, y))
BINARY(power_float, pow(x, y))
BINARY(copysign_float, copysign(x, y))
BINARY(nextafter_float, nextafter(x, y))
#undef UNARY
#undef BINARY

/* ---- Parts of a float. ---- */

/* The constructors of Stdlib.fpclass, in order. */
enum { CLASS_NORMAL, CLASS_SUBNORMAL, CLASS_ZERO, CLASS_INFINITE, CLASS_NAN };

value prim_classify_float(struct domain *d, value v) {
    switch (fpclassify(double_of_val(v))) {
    case FP_NAN: return val_of_int(CLASS_NAN);
    case FP_INFINITE: return val_of_int(CLASS_INFINITE);
    case FP_ZERO: return val_of_int(CLASS_ZERO);
    case FP_SUBNORMAL: return val_of_int(CLASS_SUBNORMAL);
    default: return val_of_int(CLASS_NORMAL);
    }
}

value prim_signbit_float(struct domain *d, value v) {
    return val_of_bool(signbit(double_of_val(v)) != 0);
}

value prim_frexp_float(struct domain *d, value v) {
    int exponent = 0;
    double mantissa = frexp(double_of_val(v), &exponent);
    return new_pair(d, copy_double(d, mantissa), val_of_int(exponent));
}

value prim_modf_float(struct domain *d, value v) {
    double whole, fraction = modf(double_of_val(v), &whole);
    value a = copy_double(d, fraction);
    GC_ROOT(&d->gc, &a);
    value b = copy_double(d, whole);
    return new_pair(d, a, b);
}

/* Only the low 32 bits of the exponent are used, as in OCaml. */
value prim_ldexp_float(struct domain *d, value v, value exponent) {
    return copy_double(d, ldexp(double_of_val(v), (int)int_of_val(exponent)));
}

/* ---- Conversions. ---- */

value prim_float_of_int(struct domain *d, value n) { return copy_double(d, (double)int_of_val(n)); }
value prim_int_of_float(struct domain *d, value v) {
    return val_of_int(prim_int64_of_double(double_of_val(v)));
}

/* ---- Comparison: every test with a nan is false, except neq; compare puts nan first, equal to
 * itself. ---- */

#define COMPARISON(name, result)                            \
    value prim_##name(struct domain *d, value a, value b) { \
        double x = double_of_val(a), y = double_of_val(b);  \
        return result;                                      \
    }
COMPARISON(eq_float, val_of_bool(x == y))
COMPARISON(neq_float, val_of_bool(x != y))
COMPARISON(lt_float, val_of_bool(x < y))
COMPARISON(le_float, val_of_bool(x <= y))
COMPARISON(gt_float, val_of_bool(x > y))
COMPARISON(ge_float, val_of_bool(x >= y))
COMPARISON(float_compare, val_of_int((x > y) - (x < y) + (x == x) - (y == y)))
#undef COMPARISON

/* ---- Text. ---- */

value prim_format_float(struct domain *d, value format, value v) {
    return prim_format_double(d, format, double_of_val(v));
}

/* ---- Hexadecimal notation (%h). ---- */

enum {
    MANTISSA_DIGITS = 13,
    EXPONENT_BIAS = 1023,
    EXPONENT_SPECIAL = 0x7ff,
};
#define LEADING_ONE ((uint64_t)1 << 52)

/* A finite double: (-1)^negative * mantissa * 2^(exponent - 52). */
struct hex_double {
    uint64_t mantissa;
    int exponent;
};

static struct hex_double take_apart(uint64_t bits) {
    uint64_t fraction = bits & (LEADING_ONE - 1);
    int biased = bits >> 52 & EXPONENT_SPECIAL;
    if (biased != 0) return (struct hex_double){fraction | LEADING_ONE, biased - EXPONENT_BIAS};
    return (struct hex_double){fraction, fraction == 0 ? 0 : 1 - EXPONENT_BIAS};
}

/* The mantissa rounded to digits hexadecimal digits after the point, ties to even. */
static uint64_t round_mantissa(uint64_t mantissa, unsigned digits) {
    ASSERT(digits <= MANTISSA_DIGITS && mantissa < 2 * LEADING_ONE);
    uint64_t unit = LEADING_ONE >> (4 * digits), rest = mantissa & (unit - 1), half = unit >> 1;
    mantissa -= rest;
    bool up = rest > half || (rest == half && rest != 0 && (mantissa & unit) != 0);
    return up ? mantissa + unit : mantissa;
}

/* Writes 0xH.HHH with that number of digits after the point; negative: as many as needed. */
static char *write_mantissa(char *p, uint64_t mantissa, intptr_t digits) {
    static const char hex[] = "0123456789abcdef";
    *p++ = '0';
    *p++ = 'x';
    *p++ = hex[mantissa >> 52];
    uint64_t rest = mantissa << 12;
    if (digits < 0 ? rest != 0 : digits > 0) *p++ = '.';
    for (; digits < 0 ? rest != 0 : digits > 0; digits--, rest <<= 4) *p++ = hex[rest >> 60];
    return p;
}

static char *write_sign(char *p, bool negative, intptr_t style) {
    if (negative) *p++ = '-';
    else if (style == '+' || style == ' ') *p++ = (char)style;
    return p;
}

static value special_text(struct domain *d, bool negative, intptr_t style, bool is_nan) {
    char text[16];
    const char *name = is_nan ? "nan" : "infinity";
    char *p = write_sign(text, negative, style);
    memcpy(p, name, strlen(name));
    return copy_bytes(d, text, (size_t)(p - text) + strlen(name));
}

/* precision: digits after the point, negative for the shortest exact form; style: one of "+ -". */
value prim_hexstring_of_float(struct domain *d, value v, value precision, value style) {
    uint64_t bits;
    memcpy(&bits, (void *)v, sizeof bits);
    bool negative = bits >> 63;
    if ((bits >> 52 & EXPONENT_SPECIAL) == EXPONENT_SPECIAL)
        return special_text(d, negative, int_of_val(style), (bits & (LEADING_ONE - 1)) != 0);
    struct hex_double h = take_apart(bits);
    intptr_t digits = int_of_val(precision), zeros = 0;
    if (digits > MANTISSA_DIGITS) {
        zeros = digits - MANTISSA_DIGITS;
        digits = MANTISSA_DIGITS;
        vm_charge_work(d, (size_t)zeros);
        vm_stop_without_fuel(d);
    }
    if (digits >= 0) h.mantissa = round_mantissa(h.mantissa, (unsigned)digits);
    char head[32], tail[16];
    char *end = write_mantissa(write_sign(head, negative, int_of_val(style)), h.mantissa, digits);
    size_t head_length = (size_t)(end - head);
    size_t tail_length = (size_t)snprintf(tail, sizeof tail, "p%+d", h.exponent);
    if ((uintptr_t)zeros > MAX_WOSIZE) vm_raise_out_of_memory(d);
    value result = new_string(d, head_length + (size_t)zeros + tail_length);
    ASSERT(head_length < sizeof head && tail_length < sizeof tail);
    memcpy(string_bytes(result), head, head_length);
    memset(string_bytes(result) + head_length, '0', (size_t)zeros);
    memcpy(string_bytes(result) + head_length + zeros, tail, tail_length);
    return result;
}

/* ---- Reading. ---- */

/* Copies a string without its underscores and adds a zero byte; returns the length. */
static size_t without_underscores(value text, char *to) {
    size_t n = 0, length = string_length(text);
    for (size_t i = 0; i < length; i++)
        if (string_bytes(text)[i] != '_') to[n++] = string_bytes(text)[i];
    to[n] = 0;
    return n;
}

value prim_float_of_string(struct domain *d, value text) {
    char small[64];
    size_t room = string_length(text) + 1;
    vm_charge_work(d, 8 * room);
    char *buffer = room <= sizeof small ? small : malloc(room);
    if (buffer == NULL) vm_raise_out_of_memory(d);
    double x;
    bool ok = prim_parse_double(buffer, without_underscores(text, buffer), &x);
    if (buffer != small) free(buffer);
    if (!ok) vm_failwith(d, "float_of_string");
    return copy_double(d, x);
}
