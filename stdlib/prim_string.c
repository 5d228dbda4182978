/* prim_string.c - strings and bytes: creation, access to 8, 16, 32 and 64 bits, comparison,
 * copying.
 *
 * string and bytes are one representation, so most functions serve both types. Multi-byte accesses
 * are little-endian at any alignment. The functions that OCaml calls unsafe (blit, fill) test their
 * bounds in checked mode; an empty range is accepted wherever it lies, since the real ones don't
 * look at it. */
#include "stdlib/prim.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

/* ---- Creation. ---- */

static value create(struct domain *d, value length, const char *who) {
    uintptr_t n = (uintptr_t)int_of_val(length);
    if (n > MAX_WOSIZE * 8 - 1) vm_invalid_argument(d, "%s", who);
    return new_string(d, n);
}

value prim_create_string(struct domain *d, value length) {
    return create(d, length, "String.create");
}
value prim_create_bytes(struct domain *d, value length) {
    return create(d, length, "Bytes.create");
}

value prim_bytes_of_string(struct domain *d, value s) { return s; }
value prim_string_of_bytes(struct domain *d, value s) { return s; }

value prim_ml_string_length(struct domain *d, value s) {
    return val_of_int((intptr_t)string_length(s));
}
value prim_ml_bytes_length(struct domain *d, value s) {
    return val_of_int((intptr_t)string_length(s));
}

/* ---- Access. ---- */

/* The address of width bytes at index, which are all within s. */
static unsigned char *bytes_at(struct domain *d, value s, value index, unsigned width) {
    if (!prim_in_bounds(int_of_val(index), width, string_length(s))) vm_raise_bound_error(d);
    return (unsigned char *)string_bytes(s) + int_of_val(index);
}

value prim_string_get(struct domain *d, value s, value index) {
    return val_of_int(*bytes_at(d, s, index, 1));
}
value prim_bytes_get(struct domain *d, value s, value index) {
    return prim_string_get(d, s, index);
}

value prim_bytes_set(struct domain *d, value s, value index, value c) {
    *bytes_at(d, s, index, 1) = (unsigned char)int_of_val(c);
    return VAL_UNIT;
}
value prim_string_set(struct domain *d, value s, value index, value c) {
    return prim_bytes_set(d, s, index, c);
}

value prim_string_get16(struct domain *d, value s, value index) {
    uint16_t n;
    memcpy(&n, bytes_at(d, s, index, sizeof n), sizeof n);
    return val_of_int(n);
}
value prim_string_get32(struct domain *d, value s, value index) {
    int32_t n;
    memcpy(&n, bytes_at(d, s, index, sizeof n), sizeof n);
    return copy_int32(d, n);
}
value prim_string_get64(struct domain *d, value s, value index) {
    int64_t n;
    memcpy(&n, bytes_at(d, s, index, sizeof n), sizeof n);
    return copy_int64(d, n);
}
value prim_bytes_get16(struct domain *d, value s, value index) {
    return prim_string_get16(d, s, index);
}
value prim_bytes_get32(struct domain *d, value s, value index) {
    return prim_string_get32(d, s, index);
}
value prim_bytes_get64(struct domain *d, value s, value index) {
    return prim_string_get64(d, s, index);
}

value prim_bytes_set16(struct domain *d, value s, value index, value v) {
    uint16_t n = (uint16_t)int_of_val(v);
    memcpy(bytes_at(d, s, index, sizeof n), &n, sizeof n);
    return VAL_UNIT;
}
value prim_bytes_set32(struct domain *d, value s, value index, value v) {
    int32_t n = int32_of_val(v);
    memcpy(bytes_at(d, s, index, sizeof n), &n, sizeof n);
    return VAL_UNIT;
}
value prim_bytes_set64(struct domain *d, value s, value index, value v) {
    int64_t n = int64_of_val(v);
    memcpy(bytes_at(d, s, index, sizeof n), &n, sizeof n);
    return VAL_UNIT;
}

/* ---- Comparison. ---- */

/* Bytewise, unsigned; a prefix comes first. */
static int order(value a, value b) {
    if (a == b) return 0;
    uintptr_t la = string_length(a), lb = string_length(b);
    int c = memcmp((void *)a, (void *)b, la < lb ? la : lb);
    if (c != 0) return c < 0 ? -1 : 1;
    return (la > lb) - (la < lb);
}

#define COMPARISON(name, result)                                                    \
    value prim_string_##name(struct domain *d, value a, value b) { return result; } \
    value prim_bytes_##name(struct domain *d, value a, value b) { return result; }
COMPARISON(equal, val_of_bool(strings_are_equal(a, b)))
COMPARISON(notequal, val_of_bool(!strings_are_equal(a, b)))
COMPARISON(compare, val_of_int(order(a, b)))
COMPARISON(lessthan, val_of_bool(order(a, b) < 0))
COMPARISON(lessequal, val_of_bool(order(a, b) <= 0))
COMPARISON(greaterthan, val_of_bool(order(a, b) > 0))
COMPARISON(greaterequal, val_of_bool(order(a, b) >= 0))
#undef COMPARISON

/* ---- Copying. ---- */

value prim_blit_bytes(struct domain *d, value from, value from_at, value to, value to_at,
                      value length) {
    intptr_t i = int_of_val(from_at), j = int_of_val(to_at), n = int_of_val(length);
    if (n == 0) return VAL_UNIT;
    if (prim_checked(d) &&
        !(prim_in_bounds(i, n, string_length(from)) && prim_in_bounds(j, n, string_length(to))))
        vm_raise_bound_error(d);
    memmove(string_bytes(to) + j, string_bytes(from) + i, (size_t)n);
    return VAL_UNIT;
}
value prim_blit_string(struct domain *d, value from, value from_at, value to, value to_at,
                       value length) {
    return prim_blit_bytes(d, from, from_at, to, to_at, length);
}

value prim_fill_bytes(struct domain *d, value s, value start, value length, value c) {
    intptr_t i = int_of_val(start), n = int_of_val(length);
    if (n == 0) return VAL_UNIT;
    if (prim_checked(d) && !prim_in_bounds(i, n, string_length(s))) vm_raise_bound_error(d);
    memset(string_bytes(s) + i, (unsigned char)int_of_val(c), (size_t)n);
    return VAL_UNIT;
}
value prim_fill_string(struct domain *d, value s, value start, value length, value c) {
    return prim_fill_bytes(d, s, start, length, c);
}
