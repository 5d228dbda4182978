/* prim_obj.c - Obj, objects and lazy values: primitives that see or change the representation of
 * values.
 *
 * In checked mode none of them may make a word that the machine would then trust wrongly. A tag is
 * plain if blocks that bear it hold values and nothing else depends on them; only plain tags are
 * exchanged for one another. A closure's code field (the tagged index of a function, V3) changes
 * only to a function that finds in the block the environment it was verified for, as #trace of the
 * toplevel does it. */
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/code.h"
#include "vm/code/verify.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/thread/pending.h"

static bool is_plain(unsigned tag) {
    return tag < TAG_NO_SCAN && tag != TAG_CLOSURE && tag != TAG_INFIX;
}

/* Whether a block of that many fields may have that plain tag: an object has a class and an id. */
static bool plain_fits(unsigned tag, uintptr_t wosize) {
    return is_plain(tag) && wosize >= (tag == TAG_OBJECT ? 2 : 1);
}

/* Words from v to the end of its block. */
static uintptr_t length_from(value v) {
    value start = block_start(v);
    return wosize_of(start) - (uintptr_t)(v - start) / 8;
}

/* ---- Tags. ---- */

enum { TAG_OF_INT = 1000, TAG_OUT_OF_HEAP = 1001, TAG_UNALIGNED = 1002 };

value prim_obj_tag(struct domain *d, value v) {
    if (is_int(v)) return val_of_int(TAG_OF_INT);
    if (v & 7) return val_of_int(TAG_UNALIGNED);
    if (!gc_in_range(&d->gc, v)) return val_of_int(TAG_OUT_OF_HEAP);
    return val_of_int(tag_of(v));
}

value prim_obj_set_tag(struct domain *d, value v, value tag) {
    uintptr_t new_tag = (uintptr_t)int_of_val(tag);
    if (wosize_of(v) == 0) return VAL_UNIT;
    if (prim_checked(d) && new_tag != tag_of(v) &&
        !(new_tag < TAG_NO_SCAN && is_plain(tag_of(v)) &&
          plain_fits((unsigned)new_tag, wosize_of(v))))
        prim_refuse(d, "Obj.set_tag");
    prim_change_tag(v, new_tag & 0xff);
    return VAL_UNIT;
}

/* ---- Making and copying blocks. ---- */

/* A new block of n > 0 words with the given tag. GC: may run. */
static value initialised_block(struct domain *d, unsigned tag, uintptr_t n) {
    value v = new_block(d, n, tag);
    if (tag == TAG_CLOSURE) field(v, 1) = make_closinfo(0, 2);
    else if (tag == TAG_ABSTRACT)
        for (uintptr_t i = 0; i < n; i++) field(v, i) = VAL_UNIT;
    else if (tag > TAG_ABSTRACT) memset((void *)v, 0, 8 * n);
    return v;
}

value prim_obj_block(struct domain *d, value tag, value size) {
    uintptr_t t = (uintptr_t)int_of_val(tag), n = (uintptr_t)int_of_val(size);
    if (t == TAG_CUSTOM || (t == TAG_STRING && n == 0) || (t == TAG_CLOSURE && n < 2))
        vm_invalid_argument(d, "Obj.new_block");
    if (t > TAG_CUSTOM || t == TAG_INFIX) prim_refuse(d, "Obj.new_block");
    if (n == 0) return gc_atom(&d->gc, (unsigned)t);
    if (n > MAX_WOSIZE) vm_raise_out_of_memory(d);
    return initialised_block(d, (unsigned)t, n);
}

/* Whether a copy of v may have tag: its own, except that infix closures have no block of their own
 * and a custom block with a finalizer owns something; or any plain tag for a plain one. */
static bool may_copy(value v, uintptr_t tag) {
    unsigned old = tag_of(v);
    if (old == TAG_CUSTOM && custom_ops(v)->finalize != NULL) return false;
    if (old == tag) return old != TAG_INFIX;
    return tag < TAG_NO_SCAN && is_plain(old) && plain_fits((unsigned)tag, wosize_of(v));
}

static value copy_block(struct domain *d, value v, unsigned tag) {
    uintptr_t n = wosize_of(v);
    GC_ROOT(&d->gc, &v);
    value copy = n <= MAX_YOUNG_WOSIZE ? new_small(d, n, tag) : gc_alloc_major(&d->gc, n, tag);
    if (n <= MAX_YOUNG_WOSIZE || tag >= TAG_NO_SCAN) memcpy((void *)copy, (void *)v, 8 * n);
    else
        for (uintptr_t i = 0; i < n; i++) gc_init_field(&d->gc, copy, i, field(v, i));
    return n <= MAX_YOUNG_WOSIZE ? copy : vm_poll_keeping(d, copy);
}

value prim_obj_with_tag(struct domain *d, value tag, value v) {
    uintptr_t t = (uintptr_t)int_of_val(tag);
    bool empty = wosize_of(v) == 0; /* a string, a custom block, a closure have words they need */
    if (prim_checked(d) && (empty ? t >= TAG_NO_SCAN || !is_plain((unsigned)t) : !may_copy(v, t)))
        prim_refuse(d, "Obj.with_tag");
    if (empty) return gc_atom(&d->gc, t & 0xff);
    return copy_block(d, v, t & 0xff);
}

value prim_obj_dup(struct domain *d, value v) {
    if (wosize_of(v) == 0) return gc_atom(&d->gc, tag_of(v));
    if (prim_checked(d) && !may_copy(v, tag_of(v))) prim_refuse(d, "Obj.dup");
    return copy_block(d, v, tag_of(v));
}

value prim_obj_truncate(struct domain *d, value v, value size) {
    intptr_t n = int_of_val(size);
    unsigned tag = tag_of(v);
    if (n <= 0 || (uintptr_t)n > wosize_of(v)) vm_invalid_argument(d, "Obj.truncate");
    if ((uintptr_t)n == wosize_of(v)) return VAL_UNIT;
    bool fits = tag == TAG_DOUBLE_ARRAY ||
                (plain_fits(tag, (uintptr_t)n) && v != d->vm->global_data);
    if (prim_checked(d) && !fits) prim_refuse(d, "Obj.truncate");
    gc_truncate(&d->gc, v, (size_t)n);
    return VAL_UNIT;
}

/* ---- Raw words. ---- */

value prim_obj_raw_field(struct domain *d, value v, value index) {
    uintptr_t i = (uintptr_t)int_of_val(index);
    if (prim_checked(d) && i >= length_from(v)) vm_raise_bound_error(d);
    return copy_nativeint(d, field(v, i));
}

/* A partial application holds a closure of the function behind the RESTART, and fewer arguments
 * than that function takes. */
static bool restart_fits(const struct vm *vm, value closure, const struct vm_function *restart) {
    if (tag_of(closure) != TAG_CLOSURE || wosize_of(closure) < 4) return false;
    if (start_env_of(field(closure, 1)) != 2 || !is_closure(field(closure, 2))) return false;
    const struct vm_function *f = &vm->functions[function_of_closure(field(closure, 2))];
    const struct vm_entry *e = vm_find_entry(&vm->codes[f->fragment]->verified, f->pc);
    return f->kind == FUNCTION_CLOSURE && f->fragment == restart->fragment &&
           f->pc == restart->pc + 1 && e != NULL && wosize_of(closure) - 3 < e->arity;
}

bool prim_code_fits(const struct vm *vm, value closure, value word) {
    if (is_block(word) || int_of_val(word) < 1 || int_of_val(word) >= vm->function_count)
        return false;
    const struct vm_function *f = &vm->functions[int_of_val(word)];
    if (f->kind == FUNCTION_MAIN || f->entry == NULL) return false;
    if (f->kind == FUNCTION_RESTART) return restart_fits(vm, closure, f);
    const struct vm_entry *e = vm_find_entry(&vm->codes[f->fragment]->verified, f->pc);
    if (e == NULL) return false;
    if (e->functions <= 1 && e->variables == 0) return true;
    value block = block_start(closure);
    uintptr_t at = (uintptr_t)(closure - block) / 8, environment = 3 * (uintptr_t)e->functions - 1;
    return at == 3 * (uintptr_t)e->index && start_env_of(field(closure, 1)) == environment - at &&
           wosize_of(block) >= environment + e->variables;
}

static bool may_set_word(const struct vm *vm, value v, uintptr_t i, value word) {
    if (i >= length_from(v)) return false;
    unsigned tag = tag_of(v);
    if (is_plain(tag)) return is_int(word);
    switch (tag) {
    case TAG_CLOSURE:
    case TAG_INFIX: return i == 0 && prim_code_fits(vm, v, word);
    case TAG_STRING: return i + 1 < wosize_of(v) || (uintptr_t)word >> 56 < 8;
    case TAG_DOUBLE:
    case TAG_DOUBLE_ARRAY: return true;
    default: return false;
    }
}

value prim_obj_set_raw_field(struct domain *d, value v, value index, value bits) {
    uintptr_t i = (uintptr_t)int_of_val(index);
    value word = nativeint_of_val(bits);
    if (prim_checked(d) && !may_set_word(d->vm, v, i, word)) prim_refuse(d, "Obj.set_raw_field");
    if (tag_of(v) < TAG_NO_SCAN && is_int(word)) gc_store(&d->gc, v, i, word);
    else field(v, i) = word;
    return VAL_UNIT;
}

value prim_int_as_pointer(struct domain *d, value n) {
    if (prim_checked(d)) prim_refuse(d, "int_as_pointer");
    return n - 1;
}

/* Whether p, which is at or behind the closure block, is one of its functions. */
static bool is_function_in(value block, value p) {
    uintptr_t offset = (uintptr_t)(p - block);
    if (tag_of(block) != TAG_CLOSURE || offset % 24 != 0) return false;
    if (offset == 0) return true;
    return offset / 8 < start_env_of(field(block, 1)) && offset / 8 < wosize_of(block) &&
           tag_of(p) == TAG_INFIX && infix_offset_words(p) == offset / 8;
}

value prim_obj_add_offset(struct domain *d, value v, value offset) {
    value p = v + int32_of_val(offset);
    if (prim_checked(d) && p != v && !(is_closure(v) && is_function_in(block_start(v), p)))
        prim_refuse(d, "Obj.add_offset");
    return p;
}

/* ---- Objects. ---- */

value prim_fresh_oo_id(struct domain *d, value unit) {
    return val_of_int(vm_fresh_object_id(d->vm));
}

value prim_set_oo_id(struct domain *d, value object) {
    if (prim_checked(d) && !has_mutable_field(object, 1)) prim_refuse(d, "set_oo_id");
    gc_store(&d->gc, object, 1, val_of_int(vm_fresh_object_id(d->vm)));
    return object;
}

/* A method table is [n, mask, method 0, tag 0, method 1, tag 1, ...], tags ascending: the last tag
 * stands at the index that the tagged n is as a raw word. Unit where the real machine answers a
 * null word. */
value prim_get_public_method(struct domain *d, value object, value tag) {
    if (!has_field(object, 0) || !has_field(field(object, 0), 3)) return VAL_UNIT;
    value table = field(object, 0);
    intptr_t low = 3, high = field(table, 0);
    if (is_block(high) || high < 3 || (uintptr_t)high >= wosize_of(table)) return VAL_UNIT;
    while (low < high) {
        intptr_t middle = (low + high) / 2 | 1;
        if (tag < field(table, middle)) high = middle - 2;
        else low = middle;
    }
    return field(table, low) == tag ? field(table, low - 1) : VAL_UNIT;
}

/* ---- Lazy values. ---- */

value prim_lazy_make_forward(struct domain *d, value v) {
    GC_ROOT(&d->gc, &v);
    value forward = new_small(d, 1, TAG_FORWARD);
    field(forward, 0) = v;
    return forward;
}

/* Turns a forced suspension into an indirection to its value. */
value prim_obj_make_forward(struct domain *d, value block, value v) {
    if (wosize_of(block) == 0 || (prim_checked(d) && !is_plain(tag_of(block))))
        prim_refuse(d, "make_forward");
    gc_store(&d->gc, block, 0, v);
    prim_change_tag(block, TAG_FORWARD);
    return VAL_UNIT;
}
