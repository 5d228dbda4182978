/* prim.h - what every file of primitives starts from: the machine's headers, and the prototype of
 * each primitive of prims.def and ffi/prims.def, whose number of parameters is the length of the
 * row's kinds. */
#ifndef BACTRIAN_STDLIB_PRIM_H
#define BACTRIAN_STDLIB_PRIM_H

#include "vm/image/policy.h"
#include "vm/stack/raise.h"
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
#define PRIM(name, kinds, result, capability, flags) PRIM_FUNCTION(kinds) prim_##name;
#define ABSENT(name, kinds, result, capability, flags)
#include "stdlib/prims.def"
#undef PRIM
#undef ABSENT
#define FFI_PRIM(name, kinds, result, capability, flags) PRIM_FUNCTION(kinds) prim_ffi_##name;
#include "stdlib/ffi/prims.def"
#undef FFI_PRIM

/* Whether primitives that OCaml calls unsafe test what they are given. GC: never. */
static inline bool prim_checked(const struct domain *d) { return !d->vm->options.unchecked; }

/* Refuses an operation that would break an invariant: raises Invalid_argument, naming it. */
static inline _Noreturn void prim_refuse(struct domain *d, const char *operation) {
    vm_invalid_argument(d, "%s: not possible in checked mode", operation);
}

/* Whether word is a function, as closures name it, that may stand in the code field of a closure
 * (infix or not): it finds the environment there that it was verified for. GC: never. */
bool prim_code_fits(const struct vm *vm, value closure, value word);

/* Whether [start, start + n) lies in [0, length); all as OCaml integers, of any sign. GC: never. */
static inline bool prim_in_bounds(intptr_t start, intptr_t n, uintptr_t length) {
    return start >= 0 && n >= 0 && (uintptr_t)n <= length &&
           (uintptr_t)start <= length - (uintptr_t)n;
}

/* Gives block v another tag; atoms and the block's size and colour stay as they are. GC: never. */
static inline void prim_change_tag(value v, unsigned tag) {
    if (tag_of(v) != tag) *(unsigned char *)header_ptr(v) = (unsigned char)tag;
}

/* Truncation of a double as x86-64 does it: what does not fit, nan included, gives the least
 * integer. GC: never. */
static inline int64_t prim_int64_of_double(double x) {
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}
static inline int32_t prim_int32_of_double(double x) {
    return x > -0x1p31 - 1 && x < 0x1p31 ? (int32_t)x : INT32_MIN;
}

#endif
