/* checks.h - the checks of checked mode: kinds of values, which the verifier can't know.
 *
 * Each takes any valid value (an integer, or a pointer to the start of a block) and is false for a
 * value of another kind; none reads outside the block it is given. */
#ifndef BACTRIAN_VM_CODE_CHECKS_H
#define BACTRIAN_VM_CODE_CHECKS_H

#include "gc/value.h"

/* A closure, by any of its functions. */
static inline bool is_closure(value v) {
    return is_block(v) && (tag_of(v) == TAG_CLOSURE || tag_of(v) == TAG_INFIX);
}
/* A closure by its first function: not an infix pointer. */
static inline bool is_closure_block(value v) { return is_block(v) && tag_of(v) == TAG_CLOSURE; }
/* A block whose field i may be read as a value. The size in an infix header is that of the words
 * before it, not of the fields after it. */
static inline bool has_field(value v, uintptr_t i) {
    if (is_int(v)) return false;
    header h = header_of(v);
    return i < wosize_of_header(h) && tag_of_header(h) < TAG_NO_SCAN &&
           tag_of_header(h) != TAG_INFIX;
}
/* The same for stores: closures never change (V3). */
static inline bool has_mutable_field(value v, uintptr_t i) {
    return has_field(v, i) && tag_of(v) != TAG_CLOSURE;
}
/* Fast checks that imply these two: exact for common tags, false for some rare ones. */
static inline bool has_field_quick(value v, uintptr_t i) {
    return is_block(v) && tag_of(v) <= TAG_OBJECT && i < wosize_of(v);
}
static inline bool has_mutable_field_quick(value v, uintptr_t i) {
    return is_block(v) && tag_of(v) < TAG_CLOSURE && i < wosize_of(v);
}
static inline bool both_ints(value a, value b) { return a & b & 1; }
static inline bool is_double(value v) { return is_block(v) && tag_of(v) == TAG_DOUBLE; }
static inline bool has_double(value v, uintptr_t i) {
    return is_block(v) && tag_of(v) == TAG_DOUBLE_ARRAY && i < wosize_of(v);
}
static inline bool is_string(value v) { return is_block(v) && tag_of(v) == TAG_STRING; }
static inline bool has_byte(value v, value i) {
    return is_string(v) && is_int(i) && (uintptr_t)int_of_val(i) < string_length(v);
}
static inline bool array_has_item(value v, value i) {
    return is_int(i) && has_field_quick(v, (uintptr_t)int_of_val(i));
}
static inline bool array_has_mutable_item(value v, value i) {
    return is_int(i) && has_mutable_field_quick(v, (uintptr_t)int_of_val(i));
}
static inline bool float_array_has_item(value v, value i) {
    return is_int(i) && has_double(v, (uintptr_t)int_of_val(i));
}
static inline bool all_doubles(value first, const value *rest, uintptr_t n) {
    for (uintptr_t i = 0; i < n; i++)
        if (!is_double(rest[i])) return false;
    return is_double(first);
}

#endif
