/* float16.h - floating-point numbers of 16 bits (IEEE 754's binary16): a sign, 5 bits of exponent,
 * 10 of fraction. They are elements of bigarrays. GC: never, they never fail. */
#ifndef BACTRIAN_STDLIB_FLOAT16_H
#define BACTRIAN_STDLIB_FLOAT16_H

#include <stdint.h>
#include <string.h>

/* Exact. */
static inline double double_of_float16(uint16_t bits) {
    unsigned exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    double magnitude = exponent == 0x1F ? fraction == 0 ? __builtin_inf() : __builtin_nan("")
                       : exponent == 0 ? (double)fraction * 0x1p-24
                                        : __builtin_ldexp(fraction + 0x400, (int)exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

/* By way of single precision, as OCaml does; both steps round to nearest, ties to even. */
static inline uint16_t float16_of_double(double x) {
    float single = (float)x, magnitude = __builtin_fabsf(single);
    uint16_t sign = (uint16_t)(__builtin_signbit(single) != 0) << 15;
    if (magnitude != magnitude) return sign | 0x7E00;
    if (magnitude >= 65520.0f) return sign | 0x7C00;
    /* The addition leaves of the fraction what a number of 16 bits has. */
    uint32_t exponent, bits;
    memcpy(&exponent, &magnitude, sizeof exponent);
    exponent >>= 23;
    if (exponent < 113) exponent = 113; /* 2^-14, of the smallest normal numbers */
    uint32_t unit_bits = (exponent + 13) << 23;
    float unit;
    memcpy(&unit, &unit_bits, sizeof unit);
    magnitude += unit;
    memcpy(&bits, &magnitude, sizeof bits);
    return (uint16_t)(sign | (((exponent - 113) << 10) + (bits - unit_bits)));
}

#endif
