/* prim_string.c - strings and bytes: creation, access to 8, 16, 32 and 64 bits, comparison,
 * copying.
 *
 * string and bytes are one representation, so most functions serve both types. Multi-byte accesses
 * are little-endian at any alignment. The functions that OCaml calls unsafe (blit, fill) test in
 * checked mode that they stay in the block; empty ranges are accepted with any bounds, as OCaml
 * accepts them. Access and copying take blocks of other kinds too (vm/code/raw.h). */
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/raw.h"

/* ---- Creation. ---- */

static value create(struct domain *d, value length, const char *function) {
    uintptr_t n = (uintptr_t)int_of_val(length);
    if (n > MAX_WOSIZE * 8 - 1) vm_invalid_argument(d, "%s", function);
    return new_string(d, n);
}

value prim_create_string(struct domain *d, value length) {
    return create(d, length, "String.create");
}
value prim_create_bytes(struct domain *d, value length) {
    return create(d, length, "Bytes.create");
}

value prim_bytes_of_string(struct domain *d, value s) { return s; }

/* What OCaml computes for a block of any kind, for floats mostly a huge number. */
static uintptr_t byte_length(struct domain *d, value s) {
    uintptr_t wosize = wosize_of(s);
    if (prim_checked(d) && (wosize == 0 || !vm_raw_has_bytes(s, 0, 8 * wosize)))
        prim_refuse(d, "length of a block without bytes");
    return string_length(s);
}

value prim_ml_string_length(struct domain *d, value s) {
    return val_of_int((intptr_t)byte_length(d, s));
}

/* ---- Access. ---- */

/* The address of width bytes at index. Fails: raises unless all are in s. */
static unsigned char *bytes_at(struct domain *d, value s, value index, unsigned width) {
    intptr_t i = int_of_val(index);
    ASSERT(width == 1 || width == 2 || width == 4 || width == 8);
    if (!prim_in_bounds(i, width, byte_length(d, s))) vm_raise_bound_error(d);
    if (prim_checked(d) && !vm_raw_has_bytes(s, (uintptr_t)i, width))
        prim_refuse(d, "access to bytes outside the block");
    return (unsigned char *)string_bytes(s) + i;
}

/* Changes width bytes at index. Fails: as bytes_at. */
static void write_at(struct domain *d, value s, value index, unsigned width, const void *bytes) {
    unsigned char *to = bytes_at(d, s, index, width);
    if (is_string(s) || !prim_checked(d)) memcpy(to, bytes, width);
    else if (!vm_raw_write(d, s, (uintptr_t)int_of_val(index), width, bytes, false))
        prim_refuse(d, "change of these bytes");
}

value prim_string_get(struct domain *d, value s, value index) {
    return val_of_int(*bytes_at(d, s, index, 1));
}

value prim_bytes_set(struct domain *d, value s, value index, value c) {
    unsigned char byte = (unsigned char)int_of_val(c);
    write_at(d, s, index, 1, &byte);
    return VAL_UNIT;
}

PRIM_MULTI_BYTE(string_get, bytes_set, bytes_at, write_at)

/* ---- Comparison. ---- */

/* All words of both. */
static bool equal(value a, value b) {
    if (is_string(a) && is_string(b)) return strings_are_equal(a, b);
    uintptr_t words = vm_raw_words(a);
    return words == vm_raw_words(b) && memcmp((void *)a, (void *)b, 8 * words) == 0;
}

/* Bytewise, unsigned; a prefix comes first. A block of another kind may seem longer than it is. */
static int order(struct domain *d, value a, value b) {
    if (a == b) return 0;
    if (is_string(a) && is_string(b)) return strings_order(a, b);
    uintptr_t la = byte_length(d, a), lb = byte_length(d, b), n = la < lb ? la : lb;
    uintptr_t words = vm_raw_words(a) < vm_raw_words(b) ? vm_raw_words(a) : vm_raw_words(b);
    int c = memcmp((void *)a, (void *)b, n < 8 * words ? n : 8 * words);
    if (c != 0) return c < 0 ? -1 : 1;
    if (n > 8 * words) prim_refuse(d, "comparison of bytes outside the block");
    return (la > lb) - (la < lb);
}

static inline void charge_shorter(struct domain *d, value a, value b) {
    uintptr_t n = wosize_of(a), m = wosize_of(b);
    vm_charge_work(d, 8 * (n < m ? n : m));
}

#define COMPARISON(name, result)                                   \
    value prim_string_##name(struct domain *d, value a, value b) { \
        charge_shorter(d, a, b);                                   \
        return result;                                             \
    }
COMPARISON(equal, val_of_bool(equal(a, b)))
COMPARISON(notequal, val_of_bool(!equal(a, b)))
COMPARISON(compare, val_of_int(order(d, a, b)))
COMPARISON(lessthan, val_of_bool(order(d, a, b) < 0))
COMPARISON(lessequal, val_of_bool(order(d, a, b) <= 0))
COMPARISON(greaterthan, val_of_bool(order(d, a, b) > 0))
COMPARISON(greaterequal, val_of_bool(order(d, a, b) >= 0))
#undef COMPARISON

/* ---- Copying. ---- */

/* Whether [at, at + n) are bytes of the first `size`. */
static bool lies_in(uintptr_t size, intptr_t at, intptr_t n) {
    return (uintptr_t)n <= size && (uintptr_t)at <= size - (uintptr_t)n;
}

value prim_blit_bytes(struct domain *d, value from, value from_at, value to, value to_at,
                      value length) {
    intptr_t i = int_of_val(from_at), j = int_of_val(to_at), n = int_of_val(length);
    if (n == 0) return VAL_UNIT;
    vm_charge_work(d, (size_t)n);
    const char *bytes = (const char *)((uintptr_t)string_bytes(from) + (uintptr_t)i);
    /* The usual case: strings, and the byte that gives the second one's length is not written. */
    bool inside = tag_of(from) == TAG_STRING && tag_of(to) == TAG_STRING &&
                  lies_in(8 * wosize_of(from), i, n) && lies_in(8 * wosize_of(to), j, n + 1);
    if (inside || !prim_checked(d)) memmove(string_bytes(to) + j, bytes, (size_t)n);
    else if (!vm_raw_has_bytes(from, (uintptr_t)i, (uintptr_t)n) ||
             !vm_raw_write(d, to, (uintptr_t)j, (uintptr_t)n, bytes, false))
        vm_raise_bound_error(d);
    return VAL_UNIT;
}

value prim_fill_bytes(struct domain *d, value s, value start, value length, value c) {
    intptr_t i = int_of_val(start), n = int_of_val(length);
    if (n == 0) return VAL_UNIT;
    unsigned char byte = (unsigned char)int_of_val(c);
    vm_charge_work(d, (size_t)n);
    if (!prim_checked(d)) memset(string_bytes(s) + i, byte, (size_t)n);
    else if (!vm_raw_write(d, s, (uintptr_t)i, (uintptr_t)n, &byte, true)) vm_raise_bound_error(d);
    return VAL_UNIT;
}
