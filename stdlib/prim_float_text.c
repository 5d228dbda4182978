/* prim_float_text.c - floats to text and back: formats, hexadecimal notation, float_of_string. */
#include "stdlib/number_text.h"
#include "stdlib/prim.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

#include <stdio.h>
#include <stdlib.h>

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
    uint64_t unit = LEADING_ONE >> (4 * digits), rest = mantissa & (unit - 1), half = unit >> 1;
    mantissa -= rest;
    bool up = rest > half || (rest == half && rest != 0 && (mantissa & unit) != 0);
    return up ? mantissa + unit : mantissa;
}

/* Writes 0xH.HHH with digits after the point (negative: as many as are needed, at most all). */
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
    }
    if (digits >= 0) h.mantissa = round_mantissa(h.mantissa, (unsigned)digits);
    char head[32], tail[16];
    char *end = write_mantissa(write_sign(head, negative, int_of_val(style)), h.mantissa, digits);
    size_t head_length = (size_t)(end - head);
    size_t tail_length = (size_t)snprintf(tail, sizeof tail, "p%+d", h.exponent);
    if ((uintptr_t)zeros > MAX_WOSIZE) vm_raise_out_of_memory(d);
    value result = new_string(d, head_length + (size_t)zeros + tail_length);
    memcpy(string_bytes(result), head, head_length);
    memset(string_bytes(result) + head_length, '0', (size_t)zeros);
    memcpy(string_bytes(result) + head_length + zeros, tail, tail_length);
    return result;
}

/* ---- Reading. ---- */

/* Copies a string without its underscores, with a zero behind it; returns the length. */
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
    char *buffer = room <= sizeof small ? small : malloc(room);
    if (buffer == NULL) vm_raise_out_of_memory(d);
    double x;
    bool ok = prim_parse_double(buffer, without_underscores(text, buffer), &x);
    if (buffer != small) free(buffer);
    if (!ok) vm_failwith(d, "float_of_string");
    return copy_double(d, x);
}
