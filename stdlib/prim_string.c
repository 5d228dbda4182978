/* prim_string.c - strings and bytes: creation, access to 8, 16, 32 and 64 bits, comparison,
 * copying.
 *
 * string and bytes are one representation, so most functions serve both types. Multi-byte accesses
 * are little-endian at any alignment. The functions that OCaml calls unsafe (blit, fill) test in
 * checked mode that they stay in the block; empty ranges are accepted with any bounds, as OCaml
 * accepts them. Access and copying take blocks of other kinds too (vm/code/raw.h). */
#include "stdlib/prim.h"
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
    if (!prim_in_bounds(i, width, byte_length(d, s))) vm_raise_bound_error(d);
    if (prim_checked(d) && !vm_raw_has_bytes(s, (uintptr_t)i, width))
        prim_refuse(d, "access to bytes outside the block");
    return (unsigned char *)string_bytes(s) + i;
}

/* The same for bytes that may be changed. */
static unsigned char *writable_at(struct domain *d, value s, value index, unsigned width) {
    unsigned char *bytes = bytes_at(d, s, index, width);
    if (prim_checked(d) && !vm_raw_may_write(s, (uintptr_t)int_of_val(index), width, 0))
        prim_refuse(d, "change of bytes of a block of values");
    return bytes;
}

value prim_string_get(struct domain *d, value s, value index) {
    return val_of_int(*bytes_at(d, s, index, 1));
}

value prim_bytes_set(struct domain *d, value s, value index, value c) {
    *writable_at(d, s, index, 1) = (unsigned char)int_of_val(c);
    return VAL_UNIT;
}

PRIM_MULTI_BYTE(string_get, bytes_set, bytes_at, writable_at)

/* ---- Comparison. ---- */

/* Bytewise, unsigned; a prefix comes first. */
static int order(value a, value b) {
    ASSERT(tag_of(a) == TAG_STRING && tag_of(b) == TAG_STRING);
    if (a == b) return 0;
    uintptr_t la = string_length(a), lb = string_length(b);
    int c = memcmp((void *)a, (void *)b, la < lb ? la : lb);
    if (c != 0) return c < 0 ? -1 : 1;
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
        !(vm_raw_has_bytes(from, (uintptr_t)i, (uintptr_t)n) &&
          vm_raw_may_write(to, (uintptr_t)j, (uintptr_t)n, ((unsigned char *)from)[i + n - 1])))
        vm_raise_bound_error(d);
    vm_charge_work(d, (size_t)n);
    memmove(string_bytes(to) + j, string_bytes(from) + i, (size_t)n);
    return VAL_UNIT;
}

value prim_fill_bytes(struct domain *d, value s, value start, value length, value c) {
    intptr_t i = int_of_val(start), n = int_of_val(length);
    if (n == 0) return VAL_UNIT;
    unsigned char byte = (unsigned char)int_of_val(c);
    if (prim_checked(d) && !vm_raw_may_write(s, (uintptr_t)i, (uintptr_t)n, byte))
        vm_raise_bound_error(d);
    vm_charge_work(d, (size_t)n);
    memset(string_bytes(s) + i, byte, (size_t)n);
    return VAL_UNIT;
}
