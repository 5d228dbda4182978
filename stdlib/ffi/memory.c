/* memory.c - C memory: blocks that OCaml owns, and access through pointers.
 *
 * Memory from Ffi.allocate is charged to its custom block, so that it paces the collector and is in
 * profiles. Bigarrays share it through the proxy of stdlib/bigarray.h; the last user to die frees
 * it. Other memory is accessed without bounds; only null pointers are refused. */
#include "stdlib/bigarray.h"
#include "stdlib/ffi/ffi.h"
#include "stdlib/prim.h"

#include <stdlib.h>

enum { NULL_PAGE = 4096 }; /* an address below it is a null pointer plus a field's offset */

/* ---- Blocks. ---- */

/* Gives up the block's share of its memory. FF1 */
static void release(struct ffi_memory *memory) {
    ASSERT(memory->kind != FFI_MEMORY_FREED);
    if (memory->proxy != NULL) bigarray_drop_proxy(memory->proxy);
    else if (memory->kind == FFI_MEMORY_OURS) free(memory->base);
    memory->proxy = NULL;
    memory->kind = FFI_MEMORY_FREED;
}

static void memory_finalize(value v) {
    struct ffi_memory *memory = custom_data(v);
    if (memory->kind != FFI_MEMORY_FREED) release(memory);
}

static const struct gc_custom_ops memory_ops = {
    .identifier = "bactrian.ffi.memory",
    .finalize = memory_finalize,
};

struct ffi_memory *ffi_memory_of(value v) {
    return is_custom_of(v, &memory_ops) ? custom_data(v) : NULL;
}

static struct ffi_memory *memory_argument(struct domain *d, value v) {
    struct ffi_memory *memory = ffi_memory_of(v);
    if (memory == NULL) vm_invalid_argument(d, "Ffi: the memory of this pointer is C's own");
    if (memory->kind == FFI_MEMORY_FREED) vm_invalid_argument(d, "Ffi: the memory was freed");
    return memory;
}

/* A block without memory, to which `charged` bytes are charged. */
static value new_block_of(struct domain *d, size_t charged) {
    value v = gc_alloc_custom_mem(&d->gc, &memory_ops, sizeof(struct ffi_memory), charged);
    *(struct ffi_memory *)custom_data(v) = (struct ffi_memory){.kind = FFI_MEMORY_FREED};
    return v;
}

value ffi_memory_new(struct domain *d, size_t bytes) {
    value v = new_block_of(d, bytes);
    char *base = calloc(1, bytes > 0 ? bytes : 1);
    if (base == NULL) vm_raise_out_of_memory(d);
    *ffi_memory_of(v) = (struct ffi_memory){base, bytes, NULL, FFI_MEMORY_OURS};
    return v;
}

value prim_ffi_allocate(struct domain *d, value bytes) {
    if (int_of_val(bytes) < 0) vm_invalid_argument(d, "Ffi.allocate: a negative size");
    if (int_of_val(bytes) > PTRDIFF_MAX / 2) vm_raise_out_of_memory(d);
    return ffi_memory_new(d, (size_t)int_of_val(bytes));
}

value prim_ffi_own(struct domain *d, value address, value bytes) {
    if (int_of_val(bytes) < 0) vm_invalid_argument(d, "Ffi.own: a negative size");
    value v = new_block_of(d, (size_t)int_of_val(bytes));
    *ffi_memory_of(v) = (struct ffi_memory){(char *)int_of_val(address), (size_t)int_of_val(bytes),
                                            NULL, FFI_MEMORY_ADOPTED};
    return v;
}

value prim_ffi_free(struct domain *d, value v) {
    struct ffi_memory *memory = memory_argument(d, v);
    if (memory->kind != FFI_MEMORY_OURS)
        vm_invalid_argument(d, "Ffi.free: not memory from Ffi.allocate");
    release(memory);
    return VAL_UNIT;
}

/* Releases an adopted block. False: bigarrays still share it. */
value prim_ffi_disown(struct domain *d, value v) {
    struct ffi_memory *memory = memory_argument(d, v);
    if (memory->proxy != NULL && memory->proxy->refcount > 1) return VAL_FALSE;
    release(memory);
    return VAL_TRUE;
}

value prim_ffi_memory_address(struct domain *d, value v) {
    return val_of_int((intptr_t)memory_argument(d, v)->base);
}

/* Bytes of a live block; -1: it was freed; -2: unknown. */
value prim_ffi_memory_state(struct domain *d, value v) {
    const struct ffi_memory *memory = ffi_memory_of(v);
    if (memory == NULL) return val_of_int(-2);
    return val_of_int(memory->kind == FFI_MEMORY_FREED ? -1 : (intptr_t)memory->bytes);
}

/* ---- Access. ---- */

enum ffi_problem ffi_check_access(value v, value address, size_t bytes) {
    uintptr_t at = (uintptr_t)int_of_val(address);
    const struct ffi_memory *memory = ffi_memory_of(v);
    if (memory == NULL) {
        if (is_block(v)) return FFI_BAD_FUNCTION;
        return at < NULL_PAGE ? FFI_BAD_NULL : FFI_BAD_NONE;
    }
    if (memory->kind == FFI_MEMORY_FREED) return FFI_BAD_FREED;
    uintptr_t offset = at - (uintptr_t)memory->base;
    bool inside = offset <= memory->bytes && bytes <= memory->bytes - offset;
    return inside ? FFI_BAD_NONE : FFI_BAD_BOUNDS;
}

static _Noreturn void refuse(struct domain *d, enum ffi_problem problem) {
    vm_invalid_argument(d, "Ffi: %s", ffi_problem_text(problem));
}

static char *access_bytes(struct domain *d, value memory, value address, intptr_t bytes) {
    if (bytes < 0) refuse(d, FFI_BAD_BOUNDS);
    enum ffi_problem problem = ffi_check_access(memory, address, (size_t)bytes);
    if (problem != FFI_BAD_NONE) refuse(d, problem);
    return (char *)int_of_val(address);
}

value prim_ffi_load(struct domain *d, value typ, value memory, value address) {
    unsigned code = ffi_code_of(typ);
    if (code >= FFI_CLOSURE || code == FFI_BYTES) refuse(d, FFI_BAD_NO_STORE);
    const char *p = access_bytes(d, memory, address, (intptr_t)ffi_size_of(typ));
    return ffi_give(d, code, typ, p, memory);
}

value prim_ffi_store(struct domain *d, value typ, value memory, value address, value v) {
    struct ffi_slot slot = {.code = (uint8_t)ffi_code_of(typ), .bytes = ffi_size_of(typ)};
    char *to = access_bytes(d, memory, address, (intptr_t)slot.bytes);
    union ffi_word word;
    /* An array is a pair of pointer and length. */
    bool array = slot.code == FFI_STRUCT && tag_of(typ) == FFI_TYP_ARRAY;
    if (array && (!is_block(v) || wosize_of(v) < 2 || field(v, 1) != field(typ, 1)))
        vm_invalid_argument(d, "Ffi: an array of another length");
    enum ffi_problem problem = slot.code == FFI_NOTHING
                                   ? FFI_BAD_NO_STORE
                                   : ffi_take(&slot, array ? field(v, 0) : v, &word);
    if (problem != FFI_BAD_NONE) refuse(d, problem);
    memmove(to, slot.code == FFI_STRUCT ? word.p : &word, slot.bytes);
    return VAL_UNIT;
}

value prim_ffi_move(struct domain *d, value from_memory, value from, value to_memory, value to,
                    value bytes) {
    const char *source = access_bytes(d, from_memory, from, int_of_val(bytes));
    memmove(access_bytes(d, to_memory, to, int_of_val(bytes)), source, (size_t)int_of_val(bytes));
    return VAL_UNIT;
}

/* length < 0: up to the first zero byte, which must be inside the memory if its bounds are
 * known. */
value prim_ffi_get_string(struct domain *d, value memory, value address, value length) {
    intptr_t n = int_of_val(length);
    const char *from = access_bytes(d, memory, address, n < 0 ? 1 : n);
    if (n < 0 && is_block(memory)) {
        const struct ffi_memory *block = ffi_memory_of(memory);
        ASSERT(from >= block->base && from <= block->base + block->bytes);
        size_t most = (size_t)(block->base + block->bytes - from);
        n = (intptr_t)strnlen(from, most);
        if ((size_t)n == most) refuse(d, FFI_BAD_BOUNDS);
    } else if (n < 0) {
        n = (intptr_t)strlen(from);
    }
    GC_ROOT(&d->gc, &memory); /* it keeps the bytes */
    return copy_bytes(d, from, (size_t)n);
}

static void check_part(struct domain *d, value s, value start, value length) {
    if (!prim_in_bounds(int_of_val(start), int_of_val(length), string_length(s)))
        vm_raise_bound_error(d);
}

value prim_ffi_put_string(struct domain *d, value memory, value address, value s, value start,
                          value length) {
    check_part(d, s, start, length);
    memcpy(access_bytes(d, memory, address, int_of_val(length)),
           string_bytes(s) + int_of_val(start), (size_t)int_of_val(length));
    return VAL_UNIT;
}

value prim_ffi_get_bytes(struct domain *d, value memory, value address, value s, value start,
                         value length) {
    check_part(d, s, start, length);
    const char *from = access_bytes(d, memory, address, int_of_val(length));
    memcpy(string_bytes(s) + int_of_val(start), from, (size_t)int_of_val(length));
    return VAL_UNIT;
}

/* ---- Bigarrays. ---- */

/* kind and layout as one number (bigarray.h's flags), dims: integers. */
value prim_ffi_bigarray_of_memory(struct domain *d, value memory, value address, value flags,
                                  value dims) {
    intptr_t list[BIGARRAY_MAX_DIMS], n = (intptr_t)wosize_of(dims);
    uintptr_t kind = (uintptr_t)int_of_val(flags) & BIGARRAY_KIND_MASK;
    if (n > BIGARRAY_MAX_DIMS || !bigarray_kind_exists(d->vm->version, kind))
        vm_invalid_argument(d, "Ffi.bigarray: bad kind or number of dimensions");
    uintptr_t bytes = bigarray_element_bytes[kind];
    for (intptr_t i = 0; i < n; i++) {
        list[i] = is_int(field(dims, i)) ? int_of_val(field(dims, i)) : -1;
        if (list[i] < 0 || __builtin_mul_overflow(bytes, (uintptr_t)list[i], &bytes))
            vm_invalid_argument(d, "Ffi.bigarray: a negative or too large dimension");
    }
    char *data = access_bytes(d, memory, address, (intptr_t)bytes);
    struct ffi_memory *block = ffi_memory_of(memory);
    if (block != NULL && block->kind != FFI_MEMORY_BORROWED && block->proxy == NULL) {
        block->proxy = malloc(sizeof *block->proxy);
        if (block->proxy == NULL) vm_raise_out_of_memory(d);
        void *owned = block->kind == FFI_MEMORY_OURS ? block->base : NULL;
        *block->proxy = (struct bigarray_proxy){1, owned, 0};
    }
    GC_ROOT(&d->gc, &memory);
    intptr_t layout = int_of_val(flags) & BIGARRAY_FORTRAN_LAYOUT;
    value v = bigarray_new(d, (intptr_t)kind | layout, (int)n, data, list);
    block = ffi_memory_of(memory); /* it may have moved */
    if (block == NULL || block->proxy == NULL) return v;
    ASSERT(block->proxy->refcount > 0); /* B2 */
    block->proxy->refcount++;
    bigarray_of(v)->proxy = block->proxy;
    bigarray_of(v)->flags |= BIGARRAY_MANAGED;
    return v;
}

/* The result keeps the elements alive if the bigarray owns them. */
value prim_ffi_memory_of_bigarray(struct domain *d, value v) {
    GC_ROOT(&d->gc, &v);
    value memory = new_block_of(d, 0);
    struct bigarray *b = bigarray_of(v);
    struct bigarray_proxy *proxy = NULL;
    if (custom_ops(v) == &bigarray_ops && (b->flags & BIGARRAY_MANAGED)) {
        proxy = bigarray_proxy_of(b);
        if (proxy == NULL) vm_raise_out_of_memory(d);
        proxy->refcount++;
    }
    *ffi_memory_of(memory) = (struct ffi_memory){b->data, bigarray_bytes(b), proxy,
                                                 FFI_MEMORY_BORROWED};
    return memory;
}
