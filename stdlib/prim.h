/* prim.h - for files of primitives: the prototypes of all primitives of prims.def, with as many
 * parameters as their rows have kinds, and helpers. */
#ifndef BACTRIAN_STDLIB_PRIM_H
#define BACTRIAN_STDLIB_PRIM_H

#include "gc/assert.h"
#include "gc/roots.h"
#include "vm/image/policy.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

typedef value prim_function_1(struct domain *d, value a);
typedef value prim_function_2(struct domain *d, value a, value b);
typedef value prim_function_3(struct domain *d, value a, value b, value c);
typedef value prim_function_4(struct domain *d, value a, value b, value c, value e);
typedef value prim_function_5(struct domain *d, value a, value b, value c, value e, value f);

/* clang-format off */
#define PRIM_FUNCTION(kinds)                                                    \
    __typeof__(*__builtin_choose_expr(sizeof(kinds) == 2, (prim_function_1 *)0, \
                __builtin_choose_expr(sizeof(kinds) == 3, (prim_function_2 *)0, \
                __builtin_choose_expr(sizeof(kinds) == 4, (prim_function_3 *)0, \
                __builtin_choose_expr(sizeof(kinds) == 5, (prim_function_4 *)0, \
                                                          (prim_function_5 *)0)))))
/* clang-format on */
#define PRIM(name, kinds, result, capability, flags)          PRIM_FUNCTION(kinds) prim_##name;
#define SAME_PRIM(name, as, kinds, result, capability, flags) PRIM_FUNCTION(kinds) prim_##as;
#define ABSENT(name, kinds, result, capability, flags)
#include "stdlib/prims.def"

/* Whether primitives that OCaml calls unsafe test their arguments. GC: never. */
static inline bool prim_checked(const struct domain *d) { return !d->vm->options.unchecked; }

/* Raises Invalid_argument for an operation that would break an invariant. */
static inline _Noreturn void prim_refuse(struct domain *d, const char *operation) {
    vm_invalid_argument(d, "%s: not possible in checked mode", operation);
}

/* Whether word, as the code field of a closure (infix or not), names a function that finds there
 * the environment that it was verified for. GC: never. */
bool prim_code_fits(const struct vm *vm, value closure, value word);

/* A copy of v, no atom, with that tag: v's, or one of the same kind (prim_obj.c). GC: may run, and
 * OCaml code if v is large. */
value prim_copy_block(struct domain *d, value v, unsigned tag);

/* Whether [start, start + n) is in [0, length); start and n may be negative. GC: never. */
static inline bool prim_in_bounds(intptr_t start, intptr_t n, uintptr_t length) {
    return start >= 0 && n >= 0 && (uintptr_t)n <= length &&
           (uintptr_t)start <= length - (uintptr_t)n;
}

/* Defines prim_GET16, _GET32, _GET64 (value, index) and prim_SET16, ... (value, index, number):
 * little-endian numbers at any alignment, at the address that at(d, value, index, bytes) finds;
 * write_at(d, value, index, bytes, number) writes them. */
#define PRIM_MULTI_BYTE_OF(get, set, at, write_at, type, to_value, of_value) \
    value prim_##get(struct domain *d, value v, value index) {               \
        type n;                                                              \
        memcpy(&n, at(d, v, index, sizeof n), sizeof n);                     \
        return to_value;                                                     \
    }                                                                        \
    value prim_##set(struct domain *d, value v, value index, value number) { \
        type n = (type)of_value(number);                                     \
        write_at(d, v, index, sizeof n, &n);                                 \
        return VAL_UNIT;                                                     \
    }
#define PRIM_MULTI_BYTE(get, set, at, write_at)                                                 \
    PRIM_MULTI_BYTE_OF(get##16, set##16, at, write_at, uint16_t, val_of_int(n), int_of_val)     \
    PRIM_MULTI_BYTE_OF(get##32, set##32, at, write_at, int32_t, copy_int32(d, n), int32_of_val) \
    PRIM_MULTI_BYTE_OF(get##64, set##64, at, write_at, int64_t, copy_int64(d, n), int64_of_val)

/* The bytes of s, for C that reads up to a zero byte. Fails: raises Invalid_argument if there is
 * none at its end. GC: never. */
static inline const char *prim_c_string(struct domain *d, value s) {
    if (!string_is_ended(s)) vm_invalid_argument(d, "a string without a zero byte after it");
    return string_bytes(s);
}

/* Changes the tag of block v, not its size and colour. GC: never. */
static inline void prim_change_tag(value v, unsigned tag) {
    if (tag_of(v) != tag) *(unsigned char *)header_ptr(v) = (unsigned char)tag;
}

/* Truncation of a double as the processor does it: what does not fit gives the least integer on
 * x86-64, nan too; on aarch64 the nearest one, nan 0. GC: never. */
#ifdef __aarch64__
#define UNFIT(x, least, greatest) ((x) != (x) ? 0 : (x) < 0 ? (least) : (greatest))
#else
#define UNFIT(x, least, greatest) (least)
#endif
static inline int64_t prim_int64_of_double(double x) {
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : UNFIT(x, INT64_MIN, INT64_MAX);
}
static inline int32_t prim_int32_of_double(double x) {
    return x > -0x1p31 - 1 && x < 0x1p31 ? (int32_t)x : UNFIT(x, INT32_MIN, INT32_MAX);
}
#undef UNFIT

#endif
