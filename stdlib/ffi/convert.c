/* convert.c - single values between OCaml and C.
 *
 * Both directions use the type's code (enum ffi_scalar). To C, a number that the C type cannot hold
 * is an error. To OCaml, only C types of 64 bits that become an int can fail. */
#include "gc/assert.h"
#include "stdlib/ffi/ffi.h"
#include "vm/code/kinds.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

static const char *const problem_texts[] = {
#define P(id, text) text,
    FFI_PROBLEMS(P)
#undef P
};

const char *ffi_problem_text(enum ffi_problem problem) { return problem_texts[problem]; }

static const uint8_t scalar_bytes[] = {
#define SCALAR(id, name, c_type, libffi, take, give) sizeof(c_type),
#include "stdlib/ffi/scalars.def"
#undef SCALAR
};

/* ---- Types. ---- */

static bool is_block_of(value v, unsigned tag, uintptr_t wosize) {
    return is_block(v) && tag_of(v) == tag && wosize_of(v) >= wosize;
}

unsigned ffi_code_of(value typ) {
    if (is_int(typ)) return FFI_NOTHING;
    switch (tag_of(typ)) {
    case FFI_TYP_SCALAR: {
        value code = field(typ, 0);
        return is_int(code) && (uintptr_t)int_of_val(code) < FFI_SCALARS
                   ? (unsigned)int_of_val(code)
                   : FFI_NOTHING;
    }
    case FFI_TYP_POINTER:
    case FFI_TYP_FUNPTR: return FFI_POINTER;
    case FFI_TYP_CLOSURE: return FFI_CLOSURE;
    case FFI_TYP_STRUCT:
    case FFI_TYP_ARRAY: return FFI_STRUCT;
    default: return FFI_NOTHING;
    }
}

size_t ffi_size_of(value typ) {
    unsigned code = ffi_code_of(typ);
    if (code < FFI_SCALARS) return scalar_bytes[code];
    if (code == FFI_POINTER) return sizeof(void *);
    if (code != FFI_STRUCT) return 0;
    if (tag_of(typ) == FFI_TYP_STRUCT) return (size_t)int_of_val(field(field(typ, 0), 0));
    return (size_t)int_of_val(field(typ, 1)) * ffi_size_of(field(typ, 0));
}

/* ---- From OCaml. ---- */

static enum ffi_problem take_int(unsigned code, value v, union ffi_word *to) {
    static const struct {
        int64_t least, most;
    } ranges[] = {
        [FFI_BOOL] = {0, 1},
        [FFI_CHAR] = {0, UINT8_MAX},
        [FFI_INT8] = {INT8_MIN, INT8_MAX},
        [FFI_UINT8] = {0, UINT8_MAX},
        [FFI_INT16] = {INT16_MIN, INT16_MAX},
        [FFI_UINT16] = {0, UINT16_MAX},
        [FFI_INT] = {INT32_MIN, INT32_MAX},
        [FFI_UINT] = {0, UINT32_MAX},
        [FFI_LONG] = {MIN_INT, MAX_INT},
        [FFI_ULONG] = {0, MAX_INT},
    };
    ASSERT(code < sizeof ranges / sizeof ranges[0]);
    if (!is_int(v)) return FFI_BAD_KIND;
    int64_t n = int_of_val(v);
    if (n < ranges[code].least || n > ranges[code].most) return FFI_BAD_RANGE;
    to->i = code == FFI_CHAR ? (char)n : n;
    return FFI_BAD_NONE;
}

/* Int32, Int64 and Nativeint: custom blocks of the machine's kinds. */
static enum ffi_problem take_boxed(unsigned code, value v, union ffi_word *to) {
    if (!is_block_of(v, TAG_CUSTOM, 2)) return FFI_BAD_KIND;
    const struct gc_custom_ops *ops = custom_ops(v);
    if (code == FFI_INT32 && ops == &vm_int32_ops) to->i = int32_of_val(v);
    else if (code == FFI_INTPTR && ops == &vm_nativeint_ops) to->i = nativeint_of_val(v);
    else if ((code == FFI_INT64 || code == FFI_UINT64) && ops == &vm_int64_ops)
        to->i = int64_of_val(v);
    else return FFI_BAD_KIND;
    return FFI_BAD_NONE;
}

static enum ffi_problem take_float(unsigned code, value v, union ffi_word *to) {
    if (!is_block_of(v, TAG_DOUBLE, 1)) return FFI_BAD_KIND;
    double x = double_of_val(v);
    if (code == FFI_FLOAT) to->f = (float)x;
    else if (code == FFI_LONG_DOUBLE) to->ld = x;
    else to->d = x;
    return FFI_BAD_NONE;
}

static enum ffi_problem take_complex(unsigned code, value v, union ffi_word *to) {
    if (!is_block_of(v, TAG_DOUBLE_ARRAY, 2)) return FFI_BAD_KIND;
    for (int i = 0; i < 2; i++) {
        double x = double_field(v, i);
        if (code == FFI_COMPLEX_FLOAT) to->cf[i] = (float)x;
        else to->cd[i] = x;
    }
    return FFI_BAD_NONE;
}

/* Pointers may point anywhere, except to memory that is known to be freed. */
static enum ffi_problem take_pointer(value v, union ffi_word *to) {
    if (!is_block_of(v, 0, FFI_PTR_FIELDS) || !is_int(field(v, FFI_PTR_ADDRESS)))
        return FFI_BAD_KIND;
    value memory = field(v, FFI_PTR_MEMORY);
    if (is_block(memory)) {
        const struct ffi_memory *block = ffi_memory_of(memory);
        enum ffi_problem problem = block == NULL ? ffi_callback_problem(memory) : FFI_BAD_NONE;
        if (problem != FFI_BAD_NONE) return problem;
        if (block != NULL && block->kind == FFI_MEMORY_FREED) return FFI_BAD_FREED;
    }
    to->i = int_of_val(field(v, FFI_PTR_ADDRESS));
    return FFI_BAD_NONE;
}

static enum ffi_problem take_struct(size_t bytes, value v, union ffi_word *to) {
    enum ffi_problem problem = take_pointer(v, to);
    if (problem != FFI_BAD_NONE) return problem;
    return ffi_check_access(field(v, FFI_PTR_MEMORY), field(v, FFI_PTR_ADDRESS), bytes);
}

static enum ffi_problem take_nothing(unsigned code, value v, union ffi_word *to) {
    return FFI_BAD_NO_STORE;
}

enum ffi_problem ffi_take(const struct ffi_slot *slot, value v, union ffi_word *to) {
    switch (slot->code) {
#define SCALAR(id, name, c_type, libffi, take, give) \
    case FFI_##id:                                   \
        return take_##take(slot->code, v, to);
#include "stdlib/ffi/scalars.def"
#undef SCALAR
    case FFI_POINTER: return take_pointer(v, to);
    case FFI_STRUCT: return take_struct(slot->bytes, v, to);
    case FFI_NOTHING: to->i = 0; return FFI_BAD_NONE;
    default: return FFI_BAD_NO_STORE;
    }
}

/* ---- To OCaml. ---- */

value ffi_new_ptr(struct domain *d, const void *address, value memory, value typ) {
    intptr_t n = (intptr_t)address;
    if (n < MIN_INT || n > MAX_INT) vm_failwith(d, "Ffi: %p is not an address", address);
    GC_ROOT(&d->gc, &memory, &typ);
    value v = new_small(d, FFI_PTR_FIELDS, 0);
    field(v, FFI_PTR_ADDRESS) = val_of_int(n);
    field(v, FFI_PTR_MEMORY) = memory;
    field(v, FFI_PTR_TYP) = typ;
    return v;
}

/* A structure or an array at p. */
static value give_in_place(struct domain *d, value typ, const void *p, value memory) {
    ASSERT(tag_of(typ) == FFI_TYP_STRUCT || tag_of(typ) == FFI_TYP_ARRAY);
    if (tag_of(typ) == FFI_TYP_STRUCT) return ffi_new_ptr(d, p, memory, typ);
    GC_ROOT(&d->gc, &typ);
    value start = ffi_new_ptr(d, p, memory, field(typ, 0));
    return new_pair(d, start, field(typ, 1));
}

static value give_int64_as_int(struct domain *d, int64_t n) {
    if (n < MIN_INT || n > MAX_INT)
        vm_failwith(d, "Ffi: %lld does not fit in int: use int64_t", (long long)n);
    return val_of_int(n);
}

static value give_uint64_as_int(struct domain *d, uint64_t n) {
    if (n > (uint64_t)MAX_INT)
        vm_failwith(d, "Ffi: %llu does not fit in int: use uint64_t", (unsigned long long)n);
    return val_of_int((intptr_t)n);
}

static value give_text(struct domain *d, const char *text, bool optional) {
    if (text == NULL && optional) return VAL_NONE;
    if (text == NULL) vm_invalid_argument(d, "Ffi: a null pointer for a string: use string_opt");
    value v = copy_string(d, text);
    return optional ? new_some(d, v) : v;
}

value ffi_give(struct domain *d, unsigned code, value typ, const void *p, value memory) {
    switch (code) {
#define SCALAR(id, name, c_type, libffi, take, give)           \
    case FFI_##id: {                                           \
        __attribute__((unused)) c_type n = *(c_type const *)p; \
        return give;                                           \
    }
#include "stdlib/ffi/scalars.def"
#undef SCALAR
    case FFI_POINTER: return ffi_new_ptr(d, *(void *const *)p, VAL_UNIT, field(typ, 0));
    case FFI_STRUCT: return give_in_place(d, typ, p, memory);
    default: return VAL_UNIT;
    }
}
