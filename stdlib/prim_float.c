/* prim_float.c - arithmetic, comparison and the mathematical functions of floats.
 *
 * The functions are the C library's, whose results reach the program's output: no replacement of
 * one of them is exact to the last bit. */
#include "stdlib/prim.h"
#include "vm/state/alloc.h"

#include <math.h>

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
BINARY(add_float, x + y)
BINARY(sub_float, x - y)
BINARY(mul_float, x *y)
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

/* Only the low 32 bits of the exponent count, as in a C call. */
value prim_ldexp_float(struct domain *d, value v, value exponent) {
    return copy_double(d, ldexp(double_of_val(v), (int)int_of_val(exponent)));
}

/* ---- Conversions. ---- */

value prim_float_of_int(struct domain *d, value n) { return copy_double(d, (double)int_of_val(n)); }
value prim_int_of_float(struct domain *d, value v) {
    return val_of_int(prim_int64_of_double(double_of_val(v)));
}

/* ---- Comparison: every test with a nan is false but `neq`; compare puts nan first, equal to
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
