/* prim_obj.c - Obj, objects, recursive definitions: primitives that see or change the
 * representation of values.
 *
 * In checked mode they refuse operations after which the machine would trust an invalid word. A tag
 * is *ordinary* if its blocks hold only values and the machine relies on nothing else in them; only
 * an ordinary tag may replace another one. A closure's code field (the tagged index of a function,
 * V3) changes only to a function that finds in the block the environment that it was verified for,
 * as the toplevel's #trace does. */
#include "gc/heap.h"
#include "gc/weak.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/code.h"
#include "vm/code/raw.h"
#include "vm/code/verify.h"
#include "vm/engine/native/native.h"
#include "vm/engine/slow.h"
#include "vm/stack/fiber.h"
#include "vm/thread/pending.h"

#include <stdlib.h>

static bool is_ordinary(unsigned tag) {
    return tag < TAG_NO_SCAN && tag != TAG_CLOSURE && tag != TAG_INFIX;
}

/* Whether a block of wosize words may have an ordinary tag: an object needs a class and an id. */
static bool size_allows_tag(unsigned tag, uintptr_t wosize) {
    return is_ordinary(tag) && wosize >= (tag == TAG_OBJECT ? 2 : 1);
}

/* ---- Tags. ---- */

enum { TAG_OF_INT = 1000, TAG_OUT_OF_HEAP = 1001, TAG_UNALIGNED = 1002 };

value prim_obj_tag(struct domain *d, value v) {
    if (is_int(v)) return val_of_int(TAG_OF_INT);
    if (v & 7) return val_of_int(TAG_UNALIGNED);
    if (!gc_in_range(&d->gc, v)) return val_of_int(TAG_OUT_OF_HEAP);
    if (!vm_raw_is_word(v)) return val_of_int(tag_of(v));
    return val_of_int(field(v, 1) & 7 ? TAG_UNALIGNED : TAG_OUT_OF_HEAP);
}

value prim_obj_set_tag(struct domain *d, value v, value tag) {
    uintptr_t new_tag = (uintptr_t)int_of_val(tag);
    if (wosize_of(v) == 0) return VAL_UNIT;
    if (prim_checked(d) && new_tag != tag_of(v) &&
        !(new_tag < TAG_NO_SCAN && is_ordinary(tag_of(v)) &&
          size_allows_tag((unsigned)new_tag, wosize_of(v))))
        prim_refuse(d, "Obj.set_tag");
    gc_forget_weak_words(&d->gc, v);
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
    if (t > TAG_CUSTOM || t == TAG_INFIX || (prim_checked(d) && t == TAG_DOUBLE && n != 1))
        prim_refuse(d, "Obj.new_block");
    if (n == 0) return gc_atom(&d->gc, (unsigned)t);
    if (n > MAX_WOSIZE) vm_raise_out_of_memory(d);
    return initialised_block(d, (unsigned)t, n);
}

/* Whether a copy of v may have a tag. v's own is allowed, unless v is an infix closure or a custom
 * block with a finalizer, which owns a resource; an ordinary tag may replace another one. */
static bool may_copy(value v, uintptr_t tag) {
    unsigned old = tag_of(v);
    if (old == TAG_CUSTOM && custom_ops(v)->finalize != NULL) return false;
    if (old == tag) return old != TAG_INFIX;
    return tag < TAG_NO_SCAN && is_ordinary(old) && size_allows_tag((unsigned)tag, wosize_of(v));
}

value prim_copy_block(struct domain *d, value v, unsigned tag) {
    uintptr_t n = wosize_of(v);
    ASSERT(n > 0);
    vm_charge_work(d, 8 * n);
    if (tag == TAG_CONT) vm_fiber_keep(d, v);
    GC_ROOT(&d->gc, &v);
    value copy = n <= MAX_YOUNG_WOSIZE ? new_small(d, n, tag) : gc_alloc_major(&d->gc, n, tag);
    if (n <= MAX_YOUNG_WOSIZE || tag >= TAG_NO_SCAN) memcpy((void *)copy, (void *)v, 8 * n);
    else
        for (uintptr_t i = 0; i < n; i++) gc_init_field(&d->gc, copy, i, field(v, i));
    return n <= MAX_YOUNG_WOSIZE ? copy : vm_poll_keeping(d, copy);
}

value prim_obj_with_tag(struct domain *d, value tag, value v) {
    uintptr_t t = (uintptr_t)int_of_val(tag);
    bool empty = wosize_of(v) == 0; /* an atom: strings, customs and closures have words */
    if (prim_checked(d) &&
        (empty ? t >= TAG_NO_SCAN || !is_ordinary((unsigned)t) : !may_copy(v, t)))
        prim_refuse(d, "Obj.with_tag");
    if (empty) return gc_atom(&d->gc, t & 0xff);
    return prim_copy_block(d, v, t & 0xff);
}

value prim_obj_dup(struct domain *d, value v) {
    if (wosize_of(v) == 0) return gc_atom(&d->gc, tag_of(v));
    if (prim_checked(d) && !may_copy(v, tag_of(v))) prim_refuse(d, "Obj.dup");
    return prim_copy_block(d, v, tag_of(v));
}

value prim_obj_truncate(struct domain *d, value v, value size) {
    intptr_t n = int_of_val(size);
    unsigned tag = tag_of(v);
    if (n <= 0 || (uintptr_t)n > wosize_of(v)) vm_invalid_argument(d, "Obj.truncate");
    if ((uintptr_t)n == wosize_of(v)) return VAL_UNIT;
    bool fits = tag == TAG_DOUBLE_ARRAY ||
                (size_allows_tag(tag, (uintptr_t)n) && v != d->vm->global_data);
    if (prim_checked(d) && !fits) prim_refuse(d, "Obj.truncate");
    gc_forget_weak_words(&d->gc, v);
    gc_truncate(&d->gc, v, (size_t)n);
    return VAL_UNIT;
}

/* ---- Raw words. ---- */

value prim_obj_raw_field(struct domain *d, value v, value index) {
    uintptr_t i = (uintptr_t)int_of_val(index);
    if (prim_checked(d) && i >= vm_raw_words(v)) vm_raise_bound_error(d);
    return copy_nativeint(d, field(v, i));
}

/* A partial application holds a closure of the function that follows the RESTART, and fewer
 * arguments than that function takes. */
static bool restart_fits(const struct vm *vm, value closure, const struct vm_function *restart) {
    if (tag_of(closure) != TAG_CLOSURE || wosize_of(closure) < 4) return false;
    if (start_env_of(field(closure, 1)) != 2 || !is_closure(field(closure, 2))) return false;
    const struct vm_function *f = &vm->functions[function_of_closure(field(closure, 2))];
    return f->kind == FUNCTION_CLOSURE && f->fragment == restart->fragment &&
           f->pc == restart->pc + 1 && wosize_of(closure) - 3 < vm_entry_of(vm, f)->arity;
}

bool prim_code_fits(const struct vm *vm, value closure, value word) {
    if (is_block(word) || int_of_val(word) < 1 || int_of_val(word) >= vm->function_count)
        return false;
    const struct vm_function *f = &vm->functions[int_of_val(word)];
    if (f->kind == FUNCTION_MAIN || f->entry == NULL) return false;
    if (f->kind == FUNCTION_RESTART) return restart_fits(vm, closure, f);
    const struct vm_entry *e = vm_entry_of(vm, f);
    if (e->functions <= 1 && e->variables == 0) return true;
    value block = block_start(closure);
    uintptr_t at = (uintptr_t)(closure - block) / 8, environment = 3 * (uintptr_t)e->functions - 1;
    return at == 3 * (uintptr_t)e->index && start_env_of(field(closure, 1)) == environment - at &&
           wosize_of(block) >= environment + e->variables;
}

static bool may_set_word(const struct vm *vm, value v, uintptr_t i, value word) {
    if (i >= vm_raw_words(v)) return false;
    if (is_ordinary(tag_of(v))) return is_int(word);
    if (is_closure(v)) return i == 0 && prim_code_fits(vm, v, word);
    return vm_raw_may_write_word(v, i, word);
}

value prim_obj_set_raw_field(struct domain *d, value v, value index, value bits) {
    uintptr_t i = (uintptr_t)int_of_val(index);
    value word = nativeint_of_val(bits);
    if (prim_checked(d) && !may_set_word(d->vm, v, i, word)) prim_refuse(d, "Obj.set_raw_field");
    if (is_closure(v)) vm_native_replace_code(d, v);
    if (tag_of(v) < TAG_NO_SCAN && is_int(word)) gc_store(&d->gc, v, i, word);
    else field(v, i) = word;
    return VAL_UNIT;
}

value prim_int_as_pointer(struct domain *d, value n) {
    if (prim_checked(d)) prim_refuse(d, "int_as_pointer");
    return n - 1;
}

/* Whether p, at or after the closure block, is one of its functions. */
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

value prim_fresh_oo_id(struct domain *d, value unit) { return val_of_int(vm_fresh_object_id(d)); }

value prim_set_oo_id(struct domain *d, value object) {
    if (prim_checked(d) && !has_mutable_field(object, 1)) prim_refuse(d, "set_oo_id");
    gc_store(&d->gc, object, 1, val_of_int(vm_fresh_object_id(d)));
    return object;
}

/* Returns unit where OCaml returns a null word. */
value prim_get_public_method(struct domain *d, value object, value tag) {
    value method = vm_slow_public_method(object, tag, NULL);
    return method != 0 ? method : VAL_UNIT;
}

/* Turns a forced lazy block into a forwarding block to its value. */
value prim_obj_make_forward(struct domain *d, value block, value v) {
    if (wosize_of(block) == 0 || (prim_checked(d) && !is_ordinary(tag_of(block))))
        prim_refuse(d, "make_forward");
    gc_store(&d->gc, block, 0, v);
    prim_change_tag(block, TAG_FORWARD);
    return VAL_UNIT;
}

/* ---- Recursive definitions.
 *
 * `let rec` allocates a dummy for each value, computes the values with the dummies in scope, then
 * copies each over its dummy. A dummy for a record of floats has its final tag from the start, so
 * that no block changes between scanned and unscanned; others have tag 0, or are closure blocks if
 * the definition refers to a function other than the first of the block. ---- */

value prim_alloc_dummy(struct domain *d, value size) {
    uintptr_t wosize = (uintptr_t)int_of_val(size);
    if (wosize > MAX_WOSIZE) vm_raise_out_of_memory(d);
    return new_block(d, wosize, 0);
}

/* prim_update_dummy sets the closure tag with the contents. */
value prim_alloc_dummy_function(struct domain *d, value size, value arity) {
    return prim_alloc_dummy(d, size);
}

value prim_alloc_dummy_float(struct domain *d, value size) {
    uintptr_t wosize = (uintptr_t)int_of_val(size);
    if (wosize > MAX_WOSIZE) vm_raise_out_of_memory(d);
    value dummy = new_block(d, wosize, wosize == 0 ? 0 : TAG_DOUBLE_ARRAY);
    memset((void *)dummy, 0, 8 * wosize);
    return dummy;
}

/* A closure block, as a pointer to its function at offset words. Its closinfo declares no
 * environment, its code fields are integers, and it has no other infix header (V3). */
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

/* Whether word i of a closure block is the infix header of a function. */
static bool is_infix_at(value block, uintptr_t i) {
    header h = *header_ptr(block + 8 * (value)(i + 1));
    return tag_of_header(h) == TAG_INFIX && wosize_of_header(h) == i + 1;
}

/* Whether closure `from` may be copied over block `to`. A closure that can run is never
 * overwritten, since a running function knows its environment's shape; pointers to functions of a
 * dummy keep their headers; and a RESTART counts its arguments by the block's size. */
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
    gc_forget_weak_words(&d->gc, dummy);
    if (tag_of(from) == TAG_DOUBLE_ARRAY) memcpy((void *)to, (void *)from, 8 * n);
    else gc_blit_fields(&d->gc, from, 0, to, 0, n);
    ASSERT(n <= wosize_of(to));
    prim_change_tag(to, tag_of(from));
    return VAL_UNIT;
}

/* ---- Obj.reachable_words: a walk with a set of visited blocks and a stack of ranges of fields,
 * both in C memory counted towards the heap limit. It allocates nothing in the heap, so addresses
 * are stable. Words outside the heap count nothing, nor do atoms in 4.x; a closure's code fields
 * are skipped. ---- */

struct range {
    const value *next, *end;
};

struct reach_walk {
    const struct vector_memory *memory; /* the heap's limit counts both */
    struct word_map visited;
    struct ranges VECTOR(struct range) pending;
    uintptr_t words;
};

enum { FIRST_SLOTS = 256, FIRST_RANGES = 64 };

/* Counts the block of v once, and pushes its fields. False: out of memory. */
static bool visit(struct domain *d, struct reach_walk *w, value v) {
    if (!gc_is_heap_block(&d->gc, v)) return true;
    v = block_start(v);
    uintptr_t wosize = wosize_of(v), first = 0;
    if (wosize == 0 && !d->vm->version->atoms_are_counted) return true;
    uintptr_t *seen = word_map_add(&w->visited, (uintptr_t)v, FIRST_SLOTS, w->memory);
    if (seen == NULL || *seen != 0) return seen != NULL;
    *seen = 1;
    w->words += wosize + 1;
    if (tag_of(v) >= TAG_NO_SCAN) return true;
    if (tag_of(v) == TAG_CLOSURE) first = start_env_of(field(v, 1));
    struct range fields = {&field(v, first), &field(v, wosize)};
    return first >= wosize || vector_push(&w->pending, fields, FIRST_RANGES, w->memory);
}

/* The size of what is reachable from v; -1: out of memory. GC: never. */
static intptr_t reachable(struct domain *d, value v) {
    const struct vector_memory *memory = GC_MEMORY(d->gc.heap, GC_ACCOUNT_PROGRAM, 1);
    struct reach_walk w = {.memory = memory};
    bool ok = visit(d, &w, v);
    while (ok && w.pending.count > 0) {
        struct range *top = &w.pending.items[w.pending.count - 1];
        value next = *top->next++;
        if (top->next == top->end) w.pending.count--;
        ok = visit(d, &w, next);
    }
    memory->resize(memory, w.visited.entries, w.visited.capacity * sizeof *w.visited.entries, 0);
    memory->resize(memory, w.pending.items, w.pending.capacity * sizeof *w.pending.items, 0);
    return ok ? (intptr_t)w.words : -1;
}

value prim_obj_reachable_words(struct domain *d, value v) {
    intptr_t words = reachable(d, v);
    if (words < 0 && gc_get_params(&d->gc)->max_heap_words != 0) {
        GC_ROOT(&d->gc, &v);
        gc_full_major_cycle(&d->gc);
        words = reachable(d, v);
    }
    if (words < 0) vm_raise_out_of_memory(d);
    vm_charge_work(d, 8 * (size_t)words);
    return val_of_int(words);
}
