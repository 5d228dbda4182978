/* signature.c - C function types, prepared once for libffi.
 *
 * A structure of at most 16 bytes is passed in registers, chosen by the class of each of its
 * eightbytes (System V ABI for x86-64, 3.2.3). ffi.ml computes the classes, also of arrays in
 * structures and of unions; libffi gets a structure with one field of that class an eightbyte. For
 * larger structures, passed in memory, only size and alignment matter. */
#include "stdlib/ffi/ffi.h"
#include "stdlib/prim.h"

#include <stddef.h>
#include <stdlib.h>

static const struct {
    const char *name;
    ffi_type *type;
    uint8_t bytes, align;
} scalars[] = {
#define SCALAR(id, name, c_type, libffi, take, give) \
    {name, &libffi, sizeof(c_type), _Alignof(c_type)},
#include "stdlib/ffi/scalars.def"
#undef SCALAR
};

/* The scalar with the number of a constructor of ffi.ml. */
static unsigned scalar_of(struct domain *d, value n) {
    if ((uintptr_t)int_of_val(n) >= FFI_SCALARS) vm_invalid_argument(d, "Ffi: not a C type");
    return (unsigned)int_of_val(n);
}

value prim_ffi_scalar_size(struct domain *d, value n) {
    return val_of_int(scalars[scalar_of(d, n)].bytes);
}
value prim_ffi_scalar_align(struct domain *d, value n) {
    return val_of_int(scalars[scalar_of(d, n)].align);
}
value prim_ffi_scalar_name(struct domain *d, value n) {
    return copy_string(d, scalars[scalar_of(d, n)].name);
}

/* ---- The block of a signature. ---- */

static void signature_finalize(value v) {
    ffi_signature_release(*(struct ffi_signature **)custom_data(v));
}

static const struct gc_custom_ops signature_ops = {
    .identifier = "bactrian.ffi.signature",
    .finalize = signature_finalize,
};

void ffi_signature_release(struct ffi_signature *signature) {
    ASSERT(signature == NULL || signature->users > 0); /* FF2 */
    if (signature != NULL && --signature->users == 0) free(signature);
}

struct ffi_signature *ffi_signature_of(value prepared) {
    if (!is_block(prepared) || tag_of(prepared) != 0 || wosize_of(prepared) < 3) return NULL;
    value v = field(prepared, FFI_PREPARED_SIGNATURE);
    return is_custom_of(v, &signature_ops) ? *(struct ffi_signature **)custom_data(v) : NULL;
}

/* ---- Preparing. ---- */

enum eightbyte_class { CLASS_NONE, CLASS_INTEGER, CLASS_SSE, CLASS_X87 };

/* The field for an eightbyte of which `bytes` are used. */
static ffi_type *type_of_eightbyte(unsigned class, size_t bytes) {
    if (class != CLASS_SSE) return &ffi_type_uint64;
    return bytes <= 4 ? &ffi_type_float : &ffi_type_double;
}

/* Returns a type that is passed in the same way: a structure of one long double is passed as a long
 * double, which libffi does not know. */
static ffi_type *describe_aggregate(struct ffi_slot *slot, value aggregate) {
    unsigned first = (unsigned)int_of_val(field(aggregate, 2));
    unsigned second = (unsigned)int_of_val(field(aggregate, 3));
    slot->bytes = (size_t)int_of_val(field(aggregate, 0));
    slot->aggregate.type = FFI_TYPE_STRUCT;
    slot->aggregate.size = slot->bytes;
    slot->aggregate.alignment = (unsigned short)int_of_val(field(aggregate, 1));
    slot->aggregate.elements = slot->elements;
    slot->elements[0] = type_of_eightbyte(first, slot->bytes);
    slot->elements[1] = NULL;
    if (slot->bytes > 8 && slot->bytes <= 16)
        slot->elements[1] = type_of_eightbyte(second, slot->bytes - 8);
    slot->elements[2] = NULL;
    return first == CLASS_X87 ? &ffi_type_longdouble : &slot->aggregate;
}

/* Fills the slot of a typ. Returns libffi's type, or NULL. */
static ffi_type *describe(struct ffi_slot *slot, value typ) {
    slot->code = (uint8_t)ffi_code_of(typ);
    slot->bytes = ffi_size_of(typ);
    if (slot->code < FFI_SCALARS) return scalars[slot->code].type;
    if (slot->code == FFI_POINTER || slot->code == FFI_CLOSURE) return &ffi_type_pointer;
    if (slot->code == FFI_NOTHING) return &ffi_type_void;
    if (tag_of(typ) != FFI_TYP_STRUCT) return NULL;
    return describe_aggregate(slot, field(typ, 0));
}

/* Fills a signature. fixed: the number of arguments before the variadic ones, or -1. Returns an
 * error, or NULL. */
static const char *fill(struct ffi_signature *s, value arguments, value result, intptr_t fixed) {
    size_t n = wosize_of(arguments);
    ASSERT(n > 0 && n <= FFI_MAX_ARGUMENTS);
    s->takes_unit = n == 1 && is_int(field(arguments, 0));
    s->count = s->takes_unit ? 0 : n;
    for (size_t i = 0; i < s->count; i++) {
        s->types[i] = describe(&s->arguments[i], field(arguments, i));
        if (s->types[i] == NULL) return "an array cannot be an argument: pass a pointer";
        if (s->types[i] == &ffi_type_void) return "void among other arguments";
    }
    ffi_type *type = describe(&s->result, result);
    if (type == NULL) return "an array cannot be a result";
    ffi_status status;
    if (fixed < 0)
        status = ffi_prep_cif(&s->cif, FFI_DEFAULT_ABI, (unsigned)s->count, type, s->types);
    else if ((size_t)fixed <= s->count && fixed > 0)
        status = ffi_prep_cif_var(&s->cif, FFI_DEFAULT_ABI, (unsigned)fixed, (unsigned)s->count,
                                  type, s->types);
    else return "a variadic function has at least one fixed argument, and no more than all";
    if (status == FFI_BAD_ARGTYPE)
        return "a variadic argument of a type that C promotes: use int or double";
    return status == FFI_OK ? NULL : "a type that libffi refuses";
}

value prim_ffi_signature(struct domain *d, value arguments, value result, value fixed) {
    GC_ROOT(&d->gc, &arguments, &result);
    value v = gc_alloc_custom(&d->gc, &signature_ops, sizeof(void *), 0, 1);
    struct ffi_signature **held = custom_data(v);
    *held = NULL;
    size_t n = wosize_of(arguments);
    if (n == 0) vm_invalid_argument(d, "Ffi: a C function without arguments takes void");
    if (n > FFI_MAX_ARGUMENTS)
        vm_invalid_argument(d, "Ffi: more than %d arguments", FFI_MAX_ARGUMENTS);
    *held = calloc(1, sizeof **held + n * sizeof(struct ffi_slot));
    if (*held == NULL) vm_raise_out_of_memory(d);
    (*held)->users = 1;
    const char *problem = fill(*held, arguments, result, int_of_val(fixed));
    if (problem != NULL) vm_invalid_argument(d, "Ffi: %s", problem);
    return v;
}
