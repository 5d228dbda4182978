/* short_format.h - the most common formats of numbers, without the C library.
 *
 * "%d", "%05x", "%.2f", "%.12g" and their like; the text is what printf makes of them. Other
 * formats, and numbers whose digits do not fit, are left to the caller and snprintf: a format that
 * is refused here may be a valid one. GC: never, they never fail otherwise. */
#ifndef BACTRIAN_STDLIB_SHORT_FORMAT_H
#define BACTRIAN_STDLIB_SHORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHORT_FORMAT_TEXT = 64 };

/* A text that ends at the end of bytes. */
struct short_text {
    char bytes[SHORT_FORMAT_TEXT];
    const char *start;
    size_t length;
};

/* Writes the digits of n before p. Returns the address of the first one. */
static inline char *short_put_decimal(char *p, uint64_t n) {
    do *--p = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    return p;
}

/* Formats n, of which an unsigned conversion shows the low bits. format: one conversion of d, i, u,
 * x, X or o, perhaps with a modifier l, n or L, and nothing else. False: left to the caller. */
bool short_format_integer(struct short_text *text, const char *format, size_t length, int64_t n,
                          unsigned bits);

/* The same for f, F and g; the digits are exact, rounded to nearest even. */
bool short_format_double(struct short_text *text, const char *format, size_t length, double x);

/* Reads decimal digits with at most one point and an exponent of ten, if the number follows from
 * one exact operation. text ends with a zero byte. False: left to the caller. */
bool short_parse_double(const char *text, size_t length, double *x);

#endif
