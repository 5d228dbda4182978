/* prim_alloc.c - the blocks of recursive definitions: made empty, handed out, filled in later.
 *
 * `let rec` allocates a dummy for each value, computes the values with the dummies in scope, and
 * then copies each over its dummy. A dummy for a record of floats has its final tag from the start,
 * so that no block changes between scanned and unscanned; other dummies have tag 0, or are closures
 * if some function behind the first is wanted. */
#include "stdlib/prim.h"
#include "vm/code/code.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

static value new_dummy(struct domain *d, value size) {
    uintptr_t wosize = (uintptr_t)int_of_val(size);
    if (wosize > MAX_WOSIZE) vm_raise_out_of_memory(d);
    return new_block(d, wosize, 0);
}

value prim_alloc_dummy(struct domain *d, value size) { return new_dummy(d, size); }

/* A function's block gets its closure tag with its contents; its arity doesn't matter here. */
value prim_alloc_dummy_function(struct domain *d, value size, value arity) {
    return new_dummy(d, size);
}

value prim_alloc_dummy_float(struct domain *d, value size) {
    uintptr_t wosize = (uintptr_t)int_of_val(size);
    if (wosize > MAX_WOSIZE) vm_raise_out_of_memory(d);
    value dummy = new_block(d, wosize, wosize == 0 ? 0 : TAG_DOUBLE_ARRAY);
    memset((void *)dummy, 0, 8 * wosize);
    return dummy;
}

/* A closure block of which the function at offset words is wanted. Its closinfo declares no
 * environment, its code fields are integers, and the infix header is the only one it has (V3). */
value prim_alloc_dummy_infix(struct domain *d, value size, value offset) {
    uintptr_t wosize = (uintptr_t)int_of_val(size), at = (uintptr_t)int_of_val(offset);
    if (wosize > MAX_WOSIZE) vm_raise_out_of_memory(d);
    if (wosize < 2 || at > wosize - 2 || at % 3 != 0) prim_refuse(d, "alloc_dummy_infix");
    value dummy = new_block(d, wosize, TAG_CLOSURE);
    field(dummy, 1) = make_closinfo(0, wosize);
    if (at == 0) return dummy;
    value infix = dummy + (value)(8 * at);
    *header_ptr(infix) = make_header(at, TAG_INFIX, 0);
    field(infix, 1) = make_closinfo(0, wosize - at);
    return infix;
}

static bool is_function_tag(unsigned tag) { return tag == TAG_CLOSURE || tag == TAG_INFIX; }

/* Whether word i of a closure block, with a function behind it, is an infix header. */
static bool is_infix_at(value block, uintptr_t i) {
    header h = *header_ptr(block + 8 * (value)(i + 1));
    return tag_of_header(h) == TAG_INFIX && wosize_of_header(h) == i + 1;
}

/* Whether the closure from may take the place of the block to. A running function knows its
 * environment's shape, so that a closure that can run is never written over; pointers to functions
 * of a dummy keep their headers; and a RESTART counts its arguments by the block's size. */
static bool closure_fits(const struct vm *vm, value to, value from) {
    uintptr_t n = wosize_of(from);
    const struct vm_function *f = &vm->functions[function_of_closure(from)];
    if (f->kind == FUNCTION_RESTART && wosize_of(to) != n) return false;
    if (tag_of(to) != TAG_CLOSURE) return true;
    if (field(to, 0) != val_of_int(0)) return false;
    uintptr_t functions_end = start_env_of(field(from, 1));
    for (uintptr_t i = 2; i < wosize_of(to); i += 3)
        if (is_infix_at(to, i) && !(i < functions_end && is_infix_at(from, i))) return false;
    return true;
}

/* Whether v may be copied over dummy without breaking an invariant. */
static bool fits(const struct vm *vm, value dummy, value v) {
    unsigned old = tag_of(dummy), tag = tag_of(v);
    if (wosize_of(block_start(v)) > wosize_of(block_start(dummy))) return false;
    if (dummy == vm->global_data) return false;
    if (is_function_tag(tag) && !closure_fits(vm, block_start(dummy), block_start(v))) return false;
    if (tag == TAG_DOUBLE_ARRAY || old == TAG_DOUBLE_ARRAY) return tag == old;
    if (tag >= TAG_NO_SCAN || old >= TAG_NO_SCAN) return false;
    if (old == TAG_INFIX || tag == TAG_INFIX)
        return tag == old && infix_offset_words(v) == infix_offset_words(dummy);
    return old == 0 || (is_function_tag(old) && is_function_tag(tag));
}

value prim_update_dummy(struct domain *d, value dummy, value v) {
    if (wosize_of(v) == 0) return VAL_UNIT;
    if (prim_checked(d) && !fits(d->vm, dummy, v)) prim_refuse(d, "update_dummy");
    value to = block_start(dummy), from = block_start(v);
    uintptr_t n = wosize_of(from);
    if (tag_of(from) == TAG_DOUBLE_ARRAY) memcpy((void *)to, (void *)from, 8 * n);
    else gc_blit_fields(&d->gc, from, 0, to, 0, n);
    prim_change_tag(to, tag_of(from));
    return VAL_UNIT;
}
