/* short_format.c - the formats of numbers that programs use most, without the C library.
 *
 * A double is m * 2^e with m < 2^53, so m * 10^n is exact in 128 bits for n <= MAX_PLACES, and its
 * division by 2^-e too: quotient and remainder tell how to round. */
#include "stdlib/short_format.h"

#include "gc/assert.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum {
    MAX_WIDTH = 40,
    MAX_PLACES = 19,     /* 10^19 < 2^64 */
    MAX_PRECISION = 17,  /* significant digits of %g, and those after the point of %f */
    EXACT_POWERS = 22,   /* 10^22 is a double */
    MANTISSA_DIGITS = 15 /* a number of 15 digits is below 2^53 */
};

static const uint64_t powers[MAX_PLACES + 1] = {1u,
                                                10u,
                                                100u,
                                                1000u,
                                                10000u,
                                                100000u,
                                                1000000u,
                                                10000000u,
                                                100000000u,
                                                1000000000u,
                                                10000000000u,
                                                100000000000u,
                                                1000000000000u,
                                                10000000000000u,
                                                100000000000000u,
                                                1000000000000000u,
                                                10000000000000000u,
                                                100000000000000000u,
                                                1000000000000000000u,
                                                10000000000000000000u};

/* A conversion: flags, width, precision (-1: none) and letter. */
struct spec {
    bool left, zeros;
    char sign; /* shown before numbers that are not negative; 0: none */
    unsigned width;
    int precision;
    char letter;
};

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A number of at most two digits at *p. */
static inline unsigned read_number(const char **p) {
    unsigned n = 0;
    for (int i = 0; i < 2 && is_digit(**p); i++) n = 10 * n + (unsigned)(*(*p)++ - '0');
    return n;
}

/* Whether the format is one conversion that is done here. modifiers: the letters that may come
 * before its own. The text ends with a zero byte. */
static inline bool read_spec(struct spec *s, const char *format, size_t length,
                             const char *modifiers) {
    const char *p = format;
    *s = (struct spec){.precision = -1};
    if (*p++ != '%') return false;
    for (;; p++) {
        if (*p == '0') s->zeros = true;
        else if (*p == '-') s->left = true;
        else if (*p == '+') s->sign = '+';
        else if (*p == ' ') s->sign = s->sign ? s->sign : ' ';
        else break;
    }
    s->width = read_number(&p);
    if (*p == '.') {
        p++;
        s->precision = (int)read_number(&p);
    }
    for (const char *m = modifiers; *m != 0; m++) {
        if (*p != *m) continue;
        p++;
        break;
    }
    s->letter = *p;
    return s->letter != 0 && (size_t)(p + 1 - format) == length && s->width <= MAX_WIDTH;
}

/* The text [p, end) of a number gets its sign and is padded to the width. */
static void complete(struct short_text *text, const struct spec *s, char *p, bool negative) {
    char *end = text->bytes + SHORT_FORMAT_TEXT;
    char sign = negative ? '-' : s->sign;
    size_t length = (size_t)(end - p), full = length + (sign != 0);
    ASSERT(full <= SHORT_FORMAT_TEXT && s->width <= MAX_WIDTH);
    size_t padding = s->width > full ? s->width - full : 0;
    if (padding > 0 && s->left) {
        memmove(p - padding, p, length);
        memset(end - padding, ' ', padding);
        p -= padding;
    } else if (s->zeros) {
        for (; padding > 0; padding--) *--p = '0';
    }
    if (sign != 0) *--p = sign;
    if (!s->left)
        for (; padding > 0; padding--) *--p = ' ';
    text->start = p;
    text->length = (size_t)(end - p);
}

bool short_format_integer(struct short_text *text, const char *format, size_t length, int64_t n,
                          unsigned bits) {
    char *p = text->bytes + SHORT_FORMAT_TEXT;
    struct spec s;
    uint64_t rest = (uint64_t)n;
    bool negative = n < 0;
    if (!read_spec(&s, format, length, "lnL") || s.precision >= 0) return false;
    if (s.letter == 'd' || s.letter == 'i') {
        p = short_put_decimal(p, negative ? -rest : rest);
    } else {
        const char *digits = s.letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
        if (bits < 64) rest &= ((uint64_t)1 << bits) - 1;
        negative = false;
        s.sign = 0;
        if (s.letter == 'u') p = short_put_decimal(p, rest);
        else if (s.letter == 'x' || s.letter == 'X') {
            do *--p = digits[rest & 15];
            while ((rest >>= 4) != 0);
        } else if (s.letter == 'o') {
            do *--p = digits[rest & 7];
            while ((rest >>= 3) != 0);
        } else return false;
    }
    complete(text, &s, p, negative);
    return true;
}

/* x * 10^places, rounded to an integer. False: it has more than 64 bits. Needs: x >= 0, finite. */
static inline bool scale(double x, unsigned places, uint64_t *result) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    int exponent = (int)(bits >> 52);
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    ASSERT(exponent < 0x7ff && places <= MAX_PLACES);
    if (exponent == 0) exponent = 1;
    else mantissa |= (uint64_t)1 << 52;
    exponent -= 1023 + 52;
    unsigned __int128 product = (unsigned __int128)mantissa * powers[places];
    if (exponent >= 0) {
        if (exponent > 10 || product >> 64 != 0) return false;
        product <<= exponent;
    } else if (exponent <= -128) product = 0; /* below a half: product < 2^117 */
    else {
        unsigned __int128 half = (unsigned __int128)1 << (-exponent - 1);
        unsigned __int128 rest = product & (2 * half - 1);
        product >>= -exponent;
        product += rest > half || (rest == half && (product & 1) != 0);
    }
    *result = (uint64_t)product;
    return product >> 64 == 0;
}

/* The digits of n with `places` of them after a point, before p. */
static char *put_fixed(char *p, uint64_t n, unsigned places) {
    if (places > 0) {
        for (unsigned i = 0; i < places; i++, n /= 10) *--p = (char)('0' + n % 10);
        *--p = '.';
    }
    return short_put_decimal(p, n);
}

/* The places after the point that x needs for a precision of significant digits; *digits: those.
 * False: x is written with an exponent, or has too many digits. Needs: x > 0, finite. */
static bool significant(double x, int precision, unsigned *places, uint64_t *digits) {
    if (x < 1e-4 || x >= 1e17) return false;
    int log10 = -4; /* of x, rounded down; a guess where x is near a power of ten below 1 */
    if (x >= 1) {
        log10 = 0;
        while (x >= (double)powers[log10 + 1]) log10++;
    } else if (x >= 1e-1) log10 = -1;
    else if (x >= 1e-2) log10 = -2;
    else if (x >= 1e-3) log10 = -3;
    if (log10 >= precision || precision - 1 - log10 > MAX_PLACES) return false;
    if (!scale(x, (unsigned)(precision - 1 - log10), digits)) return false;
    if (*digits < powers[precision - 1]) return false; /* the guess was wrong */
    if (*digits == powers[precision]) {                /* rounded up to the next power */
        *digits /= 10;
        log10++;
    }
    *places = (unsigned)(precision - 1 - log10);
    return *digits < powers[precision] && log10 < precision;
}

bool short_format_double(struct short_text *text, const char *format, size_t length, double x) {
    char *p = text->bytes + SHORT_FORMAT_TEXT;
    struct spec s;
    if (!read_spec(&s, format, length, "l")) return false;
    if (s.precision > MAX_PRECISION || !isfinite(x) || fegetround() != FE_TONEAREST) return false;
    unsigned places = s.precision < 0 ? 6 : (unsigned)s.precision;
    uint64_t digits;
    if (s.letter == 'f' || s.letter == 'F') {
        if (!scale(fabs(x), places, &digits)) return false;
    } else if (s.letter == 'g') {
        if (x == 0) digits = places = 0;
        else if (!significant(fabs(x), places == 0 ? 1 : (int)places, &places, &digits))
            return false;
        for (; places > 0 && digits % 10 == 0; places--) digits /= 10;
    } else return false;
    complete(text, &s, put_fixed(p, digits, places), signbit(x));
    return true;
}

/* Digits at *p are added to *n. Returns how many. */
static inline unsigned read_digits(const char **p, uint64_t *n) {
    const char *start = *p;
    for (; is_digit(**p); ++*p) *n = 10 * *n + (uint64_t)(**p - '0');
    return (unsigned)(*p - start);
}

bool short_parse_double(const char *text, size_t length, double *x) {
    static const double exact[EXACT_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = text;
    uint64_t n = 0, power = 0;
    bool negative = *p == '-', negative_power = false;
    if (length > 24) return false;
    if (*p == '-' || *p == '+') p++;
    unsigned count = read_digits(&p, &n), after_point = 0;
    if (count == 0) return false;
    if (*p == '.') {
        p++;
        after_point = read_digits(&p, &n);
    }
    if (count + after_point > MANTISSA_DIGITS) return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        negative_power = *p == '-';
        if (*p == '-' || *p == '+') p++;
        unsigned digits = read_digits(&p, &power);
        if (digits == 0 || digits > 3) return false;
    }
    int shift = (negative_power ? -(int)power : (int)power) - (int)after_point;
    if ((size_t)(p - text) != length || shift > EXACT_POWERS || shift < -EXACT_POWERS) return false;
    double mantissa = negative ? -(double)n : (double)n;
    *x = shift < 0 ? mantissa / exact[-shift] : mantissa * exact[shift];
    return true;
}
