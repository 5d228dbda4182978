/* number_text.c - numbers as text. Frequent formats are done by short_format.c, others by snprintf;
 * numbers are read by hand and by strtod. */
#include "stdlib/number_text.h"

#include "stdlib/prim.h"
#include "stdlib/short_format.h"
#include "vm/stack/limits.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Formatting. ---- */

/* The index after the number at index `at`, which is added to *sum. */
static size_t skip_digits(const char *text, size_t at, size_t end, size_t *sum) {
    size_t n = 0;
    for (; at < end && text[at] >= '0' && text[at] <= '9'; at++)
        n = n > INT_MAX ? n : 10 * n + (size_t)(text[at] - '0');
    *sum += n;
    return at;
}

/* Whether a format has at most one conversion. *modifier: the index where its length modifier is or
 * would be (end: no conversion); *letter: the index of its letter; *size: width plus precision. */
static bool scan_format(const char *text, size_t end, const char *modifiers, const char *letters,
                        size_t *modifier, size_t *letter, size_t *size) {
    *size = 0;
    *modifier = *letter = end;
    for (size_t i = 0; i < end; i++) {
        if (text[i] != '%') continue;
        if (i + 1 < end && text[i + 1] == '%') {
            i++;
            continue;
        }
        if (*letter != end) return false;
        for (i++; i < end && text[i] != 0 && strchr("-+ 0#'", text[i]); i++) {}
        i = skip_digits(text, i, end, size);
        if (i < end && text[i] == '.') i = skip_digits(text, i + 1, end, size);
        *modifier = i;
        if (i < end && text[i] != 0 && strchr(modifiers, text[i])) i++;
        if (i == end || text[i] == 0 || !strchr(letters, text[i])) return false;
        *letter = i;
    }
    return true;
}

/* Enough for most numbers; longer texts are printed again, into the string. */
enum { SHORT_TEXT = 128 };

/* The C library allocates some bytes for each of width and precision: the heap's limit must allow
 * as many words, and the fuel must pay for them. */
static void check_size(struct domain *d, size_t size) {
    size_t limit = gc_get_params(&d->gc)->max_heap_words;
    if (limit != 0 && size > limit) vm_raise_out_of_memory(d);
    if (size < SHORT_TEXT) return;
    vm_charge_work(d, 8 * size);
    vm_stop_without_fuel(d);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

value prim_format_double(struct domain *d, value format, double x) {
    size_t modifier, letter, size;
    struct short_text quick;
    if (short_format_double(&quick, string_bytes(format), string_length(format), x))
        return copy_bytes(d, quick.start, quick.length);
    if (!scan_format(string_bytes(format), string_length(format), "l", "aAeEfFgG", &modifier,
                     &letter, &size))
        vm_invalid_argument(d, "format_float: bad format");
    check_size(d, size);
    char small[SHORT_TEXT];
    int n = snprintf(small, sizeof small, prim_c_string(d, format), x);
    if (n < 0) vm_raise_out_of_memory(d);
    if (n < SHORT_TEXT) return copy_bytes(d, small, (size_t)n);
    GC_ROOT(&d->gc, &format);
    value result = new_string(d, (size_t)n);
    /* The zero that snprintf adds is in the padding. */
    snprintf(string_bytes(result), (size_t)n + 1, string_bytes(format), x);
    return result;
}

static value print_integer(struct domain *d, const char *format, int64_t n) {
    char small[SHORT_TEXT];
    int length = snprintf(small, sizeof small, format, n);
    if (length < 0) vm_raise_out_of_memory(d);
    if (length < SHORT_TEXT) return copy_bytes(d, small, (size_t)length);
    value result = new_string(d, (size_t)length);
    snprintf(string_bytes(result), (size_t)length + 1, format, n);
    return result;
}
#pragma GCC diagnostic pop

/* "%d", the most frequent format. */
static value print_decimal(struct domain *d, int64_t n) {
    char text[24], *end = text + sizeof text;
    char *p = short_put_decimal(end, n < 0 ? -(uint64_t)n : (uint64_t)n);
    if (n < 0) *--p = '-';
    return copy_bytes(d, p, (size_t)(end - p));
}

value prim_format_integer(struct domain *d, value format, int64_t n, unsigned bits) {
    const char *text = string_bytes(format);
    size_t length = string_length(format), modifier, letter, size;
    if (length == 2 && text[0] == '%' && text[1] == 'd') return print_decimal(d, n);
    /* OCaml's buffer of 32 bytes also holds a length modifier. */
    if (length + (bits == 32 ? 0 : 1) + 1 >= 32)
        vm_invalid_argument(d, "format_int: format too long");
    struct short_text quick;
    if (short_format_integer(&quick, text, length, n, bits))
        return copy_bytes(d, quick.start, quick.length);
    if (!scan_format(text, length, "lnL", "diuxXo", &modifier, &letter, &size) ||
        letter + 1 != length)
        vm_invalid_argument(d, "format_int: bad format");
    check_size(d, size);
    char full[40];
    ASSERT(modifier <= letter && modifier + 3 <= sizeof full);
    memcpy(full, text, modifier);
    full[modifier] = 'l';
    full[modifier + 1] = text[letter];
    full[modifier + 2] = 0;
    bool is_signed = text[letter] == 'd' || text[letter] == 'i';
    if (!is_signed && bits < 64) n &= ((int64_t)1 << bits) - 1;
    return print_integer(d, full, n);
}

/* ---- Reading integers. ---- */

static int digit_of(unsigned char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return INT_MAX;
}

/* The base of a prefix, of either case, or 0. u is decimal, with all bits. */
static int base_of_prefix(char letter) {
    switch (letter | ('a' - 'A')) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    case 'u': return 10;
    default: return 0;
    }
}

/* Digits and underscores, a digit first, up to the end, where no other one may follow: as in OCaml,
 * of a float read as a string. False: ill-formed, or over 64 bits. */
static bool read_magnitude(const char *p, const char *end, int base, uint64_t *magnitude) {
    uint64_t n = 0;
    ASSERT(base >= 2 && base <= 16);
    if (p >= end || *p == '_') return false; /* after the end: --unchecked, negative length */
    for (; p < end; p++) {
        if (*p == '_') continue;
        int digit = digit_of((unsigned char)*p);
        if (digit >= base) return false;
        if (__builtin_mul_overflow(n, (uint64_t)base, &n) ||
            __builtin_add_overflow(n, (uint64_t)digit, &n))
            return false;
    }
    *magnitude = n;
    return *end != '_' && digit_of((unsigned char)*end) >= base;
}

int64_t prim_parse_integer(struct domain *d, value text, unsigned bits, const char *failure) {
    const char *p = string_bytes(text), *end = p + string_length(text);
    vm_charge_work(d, 8 * string_length(text));
    bool negative = p < end && *p == '-', prefixed = false;
    if (p < end && (*p == '-' || *p == '+')) p++;
    int base = 10;
    if (p < end && p[0] == '0' && base_of_prefix(p[1]) != 0) { /* the letter may be padding */
        base = base_of_prefix(p[1]);
        prefixed = true;
        p += 2;
    }
    uint64_t n, limit = (uint64_t)1 << (bits - 1);
    if (!read_magnitude(p, end, base, &n)) vm_raise_with_text(d, EXN_FAILURE, failure);
    if (prefixed ? bits < 64 && n >= limit << 1 : negative ? n > limit : n >= limit)
        vm_raise_with_text(d, EXN_FAILURE, failure);
    return (int64_t)(negative ? -n : n);
}

/* ---- Reading floats. ---- */

/* A hexadecimal mantissa: the first 60 significant bits, with the rest folded into the lowest one
 * (rounding to odd), so that converting it to a double rounds as the whole number would. */
struct hex_mantissa {
    int64_t bits;
    unsigned kept;   /* bits in use, a multiple of 4 */
    int64_t seen;    /* bits of all digits, leading zeros included */
    int64_t dropped; /* bits folded */
    int64_t point;   /* seen at the point, or -1 */
};

static void add_hex_digit(struct hex_mantissa *m, int digit) {
    ASSERT(digit >= 0 && digit < 16);
    m->seen += 4;
    if (m->bits == 0 && digit == 0) return;
    if (m->kept < 60) {
        m->bits = m->bits << 4 | digit;
        m->kept += 4;
    } else {
        m->bits |= digit != 0;
        m->dropped += 4;
    }
}

static int64_t clamp(int64_t n, int64_t low, int64_t high) {
    return n < low ? low : n > high ? high : n;
}

/* Parses what follows "0x". As with strtol, blanks and a sign may precede the exponent. */
static bool parse_hex_double(const char *p, const char *end, double *x) {
    struct hex_mantissa m = {.point = -1};
    long exponent = 0;
    for (; p < end && *p != 'p' && *p != 'P'; p++) {
        int digit = digit_of((unsigned char)*p);
        if (*p == '.' && m.point < 0) m.point = m.seen;
        else if (digit < 16) add_hex_digit(&m, digit);
        else return false;
    }
    if (p < end) {
        char *stop;
        if (p[1] == 0) return false;
        exponent = strtol(p + 1, &stop, 10);
        if (stop != end) return false;
    }
    if (m.seen == 0) return false;
    int64_t shift = m.dropped - (m.point >= 0 ? m.seen - m.point : 0);
    int64_t scale = clamp(exponent, INT_MIN, INT_MAX) + clamp(shift, INT_MIN, INT_MAX);
    *x = ldexp((double)m.bits, (int)clamp(scale, INT_MIN, INT_MAX));
    return true;
}

bool prim_parse_double(const char *text, size_t length, double *x) {
    const char *p = text, *end = text + length;
    ASSERT(*end == 0);
    if (length == 0) return false;
    if (short_parse_double(text, length, x)) return true;
    if (*p == '-' || *p == '+') p++;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        if (!parse_hex_double(p + 2, end, x)) return false;
        if (*text == '-') *x = -*x;
        return true;
    }
    char *stop;
    *x = strtod(text, &stop);
    return stop == end;
}
