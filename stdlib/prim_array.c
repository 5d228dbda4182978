/* prim_array.c - arrays: access, creation, copying; and floatarray.
 *
 * An array is a block of values or, if its elements are floats, a flat block of doubles with the
 * tag Double_array: its first element decides when it is made. Uniform arrays, of OCaml 5, are
 * never flat, whatever they contain; a floatarray always is. The empty array is an atom: that of
 * tag 0, or of tag Double_array if OCaml 5.3 makes it from an array of floats. Obj.field and
 * Obj.set_field come here too, with any block (vm/code/raw.h).
 *
 * In checked mode a flat array accepts no integers as floats, closures of this machine are never
 * written to, and the functions that OCaml calls unsafe check bounds. Empty ranges are accepted
 * with any bounds, as in OCaml.
 *
 * The compiler calls array_get_addr and array_set_addr for arrays that hold no floats. Here they
 * are the same as the general functions: a program may pass them a flat array. */
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/kinds.h"
#include "vm/code/raw.h"
#include "vm/code/version.h"
#include "vm/thread/pending.h"

static bool is_flat(value a) { return tag_of(a) == TAG_DOUBLE_ARRAY; }
static bool is_float(const struct domain *d, value v) {
    return gc_is_heap_block(&d->gc, v) && tag_of(v) == TAG_DOUBLE;
}

/* Whether v is read as a float: the first word of any block is one. */
static bool reads_as_float(value v) { return is_block(v) && vm_raw_has_bytes(v, 0, 8); }

/* ---- Access. ---- */

static uintptr_t check_index(struct domain *d, value a, value index) {
    uintptr_t i = (uintptr_t)int_of_val(index);
    if (i >= vm_raw_words(a)) vm_raise_bound_error(d);
    return i;
}

static value load(struct domain *d, value a, uintptr_t i) {
    if (tag_of(a) < TAG_NO_SCAN) return field(a, i);
    if (is_flat(a)) return copy_double(d, double_field(a, i));
    if (!prim_checked(d)) return field(a, i);
    value v = vm_raw_load(d, a, i);
    if (v == 0) prim_refuse(d, "array_get of an abstract block");
    return v;
}

static void check_writable(struct domain *d, value a, const char *operation) {
    if (tag_of(a) == TAG_CLOSURE || tag_of(a) == TAG_INFIX) prim_refuse(d, operation);
}

/* A closure whose code is an address belongs to a virtual machine in a stub library (Coq's): its
 * environment may be written to, and its closure information overwritten with the same value. */
static bool is_foreign_closure_store(value a, uintptr_t i, value v) {
    return tag_of(a) == TAG_CLOSURE && is_block(field(a, 0)) &&
           (i == 1 ? v == field(a, 1) : i >= start_env_of(field(a, 1)));
}

static void store_raw(struct domain *d, value a, uintptr_t i, value v) {
    if (is_flat(a)) {
        if (prim_checked(d) && !reads_as_float(v)) prim_refuse(d, "array_set of a float array");
        set_double_field(a, i, double_of_val(v));
    } else if (!prim_checked(d)) {
        field(a, i) = v;
    } else if (!vm_raw_store(a, i, v)) {
        prim_refuse(d, "array_set of a block without values");
    }
}

static void store(struct domain *d, value a, uintptr_t i, value v) {
    if (tag_of(a) >= TAG_NO_SCAN) {
        store_raw(d, a, i, v);
        return;
    }
    if (prim_checked(d) && !is_foreign_closure_store(a, i, v))
        check_writable(d, a, "array_set of a closure");
    gc_store(&d->gc, a, i, v);
}

value prim_array_get(struct domain *d, value a, value index) {
    return load(d, a, check_index(d, a, index));
}
value prim_array_set(struct domain *d, value a, value index, value v) {
    store(d, a, check_index(d, a, index), v);
    return VAL_UNIT;
}

value prim_array_unsafe_get(struct domain *d, value a, value index) {
    if (prim_checked(d)) check_index(d, a, index);
    return load(d, a, (uintptr_t)int_of_val(index));
}
value prim_array_unsafe_set(struct domain *d, value a, value index, value v) {
    if (prim_checked(d)) check_index(d, a, index);
    store(d, a, (uintptr_t)int_of_val(index), v);
    return VAL_UNIT;
}

value prim_floatarray_get(struct domain *d, value a, value index) {
    return copy_double(d, double_field(a, check_index(d, a, index)));
}
static void store_double(struct domain *d, value a, uintptr_t i, value v) {
    if (!prim_checked(d)) set_double_field(a, i, double_of_val(v));
    else if (!vm_raw_write(d, a, 8 * i, 8, &field(v, 0), false))
        prim_refuse(d, "floatarray_set of a block without floats");
}
value prim_floatarray_set(struct domain *d, value a, value index, value v) {
    store_double(d, a, check_index(d, a, index), v);
    return VAL_UNIT;
}
value prim_floatarray_unsafe_get(struct domain *d, value a, value index) {
    if (prim_checked(d)) check_index(d, a, index);
    return copy_double(d, double_field(a, (uintptr_t)int_of_val(index)));
}
value prim_floatarray_unsafe_set(struct domain *d, value a, value index, value v) {
    if (prim_checked(d)) check_index(d, a, index);
    store_double(d, a, (uintptr_t)int_of_val(index), v);
    return VAL_UNIT;
}

/* ---- Creation. ---- */

value prim_floatarray_create(struct domain *d, value length) {
    uintptr_t n = (uintptr_t)int_of_val(length);
    if (n == 0) return gc_atom(&d->gc, 0);
    if (n > MAX_WOSIZE) vm_invalid_argument(d, "Float.Array.create");
    return new_block(d, n, TAG_DOUBLE_ARRAY);
}

/* First store into a field of a fresh block: the collector has to be notified only of a young
 * value. */
static inline void init_field(struct domain *d, value a, uintptr_t i, value v) {
    if (gc_is_young(&d->gc, v)) gc_init_field(&d->gc, a, i, v);
    else field(a, i) = v;
}

/* A young element is promoted first: otherwise every field of the large block would be in the
 * remembered set. */
static value make_large(struct domain *d, uintptr_t n, value element) {
    if (gc_is_young(&d->gc, element)) {
        GC_ROOT(&d->gc, &element);
        gc_minor_for(&d->gc, GC_FOR_MACHINE);
    }
    ASSERT(!gc_is_young(&d->gc, element)); /* G3 */
    value a = gc_alloc_major(&d->gc, n, 0);
    vm_charge_work(d, 8 * n);
    for (uintptr_t i = 0; i < n; i++) init_field(d, a, i, element);
    return a;
}

static uintptr_t length_to_make(struct domain *d, value length) {
    uintptr_t n = (uintptr_t)int_of_val(length);
    if (n > MAX_WOSIZE) vm_invalid_argument(d, "Array.make");
    return n;
}

static value make_floats(struct domain *d, uintptr_t n, double x) {
    value a = new_block(d, n, TAG_DOUBLE_ARRAY);
    for (uintptr_t i = 0; i < n; i++) set_double_field(a, i, x);
    return a;
}

static value make_uniform(struct domain *d, uintptr_t n, value element) {
    if (n == 0) return gc_atom(&d->gc, 0);
    if (n > MAX_YOUNG_WOSIZE) return make_large(d, n, element);
    GC_ROOT(&d->gc, &element);
    value a = new_small(d, n, 0);
    for (uintptr_t i = 0; i < n; i++) field(a, i) = element;
    return a;
}

value prim_make_vect(struct domain *d, value length, value element) {
    uintptr_t n = length_to_make(d, length);
    bool flat = n != 0 && is_float(d, element);
    return vm_poll_keeping(d, flat ? make_floats(d, n, double_of_val(element))
                                   : make_uniform(d, n, element));
}
value prim_uniform_array_make(struct domain *d, value length, value element) {
    return vm_poll_keeping(d, make_uniform(d, length_to_make(d, length), element));
}
value prim_floatarray_make(struct domain *d, value length, value element) {
    uintptr_t n = length_to_make(d, length);
    return n == 0 ? gc_atom(&d->gc, 0) : make_floats(d, n, double_of_val(element));
}

/* The value of an array literal of unknown kind: a flat array if the first element is a float. */
value prim_make_array(struct domain *d, value block) {
    uintptr_t n = wosize_of(block);
    if (n == 0 || is_flat(block) || !is_float(d, field(block, 0))) return block;
    for (uintptr_t i = 0; prim_checked(d) && i < n; i++)
        if (!reads_as_float(field(block, i))) prim_refuse(d, "make_array");
    GC_ROOT(&d->gc, &block);
    value a = new_block(d, n, TAG_DOUBLE_ARRAY);
    for (uintptr_t i = 0; i < n; i++) set_double_field(a, i, double_of_val(field(block, i)));
    return a;
}

/* ---- Sub-arrays and concatenation. ---- */

/* Ends the initialisation that new_array began: polls after that of a large array. */
static value finish_array(struct domain *d, value a) {
    return wosize_of(a) > MAX_YOUNG_WOSIZE ? vm_poll_keeping(d, a) : a;
}

static value empty_array(struct domain *d, bool flat) {
    return gc_atom(&d->gc, flat ? d->vm->version->empty_float_array_tag : 0);
}

/* Whether elements of a are read and written as those of an array of values. */
static bool holds_values(const struct domain *d, value a) {
    return !prim_checked(d) || tag_of(a) < TAG_NO_SCAN;
}

/* An array of n elements, all to be set with put_piece. values: each piece comes from a block that
 * holds values, and all are set before the next collection. GC: may run. */
static value new_array(struct domain *d, uintptr_t n, bool flat, bool values) {
    if (n == 0) return empty_array(d, flat);
    if (n > MAX_WOSIZE) vm_invalid_argument(d, "Array.concat");
    if (flat) return new_block(d, n, TAG_DOUBLE_ARRAY);
    if (!values) return make_uniform(d, n, VAL_UNIT);
    vm_charge_work(d, 8 * n);
    return n <= MAX_YOUNG_WOSIZE ? new_small(d, n, 0) : gc_alloc_major(&d->gc, n, 0);
}

/* Copies words of a block to an array of values, as they are read one by one. */
static void copy_raw(struct domain *d, value from, intptr_t i, value to, intptr_t j, intptr_t n) {
    GC_ROOT(&d->gc, &from, &to);
    for (; n > 0; n--, i++, j++) {
        value v = vm_raw_load(d, from, (uintptr_t)i);
        if (v == 0) prim_refuse(d, "copy of an abstract block to an array");
        gc_store(&d->gc, to, (size_t)j, v);
    }
}

/* Copies n elements of `from`, from index start, to index at of the fresh array `to`. A flat array
 * takes words of any kind. GC: may run if `from` holds no values. */
static void put_piece(struct domain *d, value to, uintptr_t at, value from, uintptr_t start,
                      uintptr_t n) {
    if (n == 0) return;
    ASSERT(at + n <= wosize_of(to) && start + n <= vm_raw_words(from));
    if (!is_flat(to) && !holds_values(d, from))
        copy_raw(d, from, (intptr_t)start, to, (intptr_t)at, (intptr_t)n);
    else if (is_flat(to) || gc_is_young(&d->gc, to))
        memcpy(&field(to, at), &field(from, start), 8 * n);
    else
        for (uintptr_t i = 0; i < n; i++) init_field(d, to, at + i, field(from, start + i));
}

static value sub(struct domain *d, value a, value start, value length, bool flat) {
    intptr_t i = int_of_val(start), n = int_of_val(length);
    if (n == 0) return empty_array(d, flat);
    if (prim_checked(d) && !prim_in_bounds(i, n, vm_raw_words(a))) vm_raise_bound_error(d);
    GC_ROOT(&d->gc, &a);
    value piece = new_array(d, (uintptr_t)n, flat, holds_values(d, a));
    GC_ROOT(&d->gc, &piece);
    put_piece(d, piece, 0, a, (uintptr_t)i, (uintptr_t)n);
    return finish_array(d, piece);
}

value prim_array_sub(struct domain *d, value a, value start, value length) {
    return sub(d, a, start, length, is_flat(a));
}
value prim_uniform_array_sub(struct domain *d, value a, value start, value length) {
    return sub(d, a, start, length, false);
}
value prim_floatarray_sub(struct domain *d, value a, value start, value length) {
    return sub(d, a, start, length, true);
}

static value append(struct domain *d, value a, value b, bool flat) {
    uintptr_t na = vm_raw_words(a), nb = vm_raw_words(b);
    GC_ROOT(&d->gc, &a, &b);
    value both = new_array(d, na + nb, flat, holds_values(d, a) && holds_values(d, b));
    GC_ROOT(&d->gc, &both);
    put_piece(d, both, 0, a, 0, na);
    put_piece(d, both, na, b, 0, nb);
    return finish_array(d, both);
}

value prim_array_append(struct domain *d, value a, value b) {
    bool flat = is_flat(a);
    if (wosize_of(a) == 0 && wosize_of(b) != 0) flat = is_flat(b);
    else if (wosize_of(b) != 0 && !d->vm->version->first_array_decides) flat = flat || is_flat(b);
    return append(d, a, b, flat);
}
value prim_uniform_array_append(struct domain *d, value a, value b) {
    return append(d, a, b, false);
}
value prim_floatarray_append(struct domain *d, value a, value b) { return append(d, a, b, true); }

/* Refuses what is not a finite list of blocks. Brent's algorithm: `seen` is moved to cell 2^k, and
 * a cyclic list comes back to it. */
static void check_list(struct domain *d, value list) {
    value seen = VAL_UNIT;
    for (size_t n = 1; list != VAL_EMPTY_LIST; list = field(list, 1), n++) {
        if (!has_field(list, 1) || is_int(field(list, 0)) || list == seen)
            prim_refuse(d, "array_concat of what is not a list of arrays");
        if ((n & (n - 1)) == 0) seen = list;
    }
}

/* Whether the concatenation of a list of arrays is flat. Empty arrays decide if all are empty. */
static bool joined_is_flat(const struct domain *d, value list) {
    bool flat = false, decided = false;
    for (; list != VAL_EMPTY_LIST && !decided; list = field(list, 1)) {
        flat = flat || is_flat(field(list, 0));
        if (wosize_of(field(list, 0)) == 0) continue;
        flat = is_flat(field(list, 0));
        decided = flat || d->vm->version->first_array_decides;
    }
    return flat;
}

static value concat(struct domain *d, value list, bool flat) {
    uintptr_t total = 0, at = 0;
    bool values = true;
    for (value l = list; l != VAL_EMPTY_LIST; l = field(l, 1)) {
        total += vm_raw_words(field(l, 0));
        if (total > MAX_WOSIZE) vm_invalid_argument(d, "Array.concat");
        values = values && (holds_values(d, field(l, 0)) || wosize_of(field(l, 0)) == 0);
    }
    GC_ROOT(&d->gc, &list);
    value all = new_array(d, total, flat, values);
    GC_ROOT(&d->gc, &all);
    for (; list != VAL_EMPTY_LIST; list = field(list, 1)) {
        uintptr_t n = vm_raw_words(field(list, 0));
        put_piece(d, all, at, field(list, 0), 0, n);
        at += n;
    }
    ASSERT(at == total);
    return finish_array(d, all);
}

value prim_array_concat(struct domain *d, value list) {
    if (prim_checked(d)) check_list(d, list);
    return concat(d, list, joined_is_flat(d, list));
}
value prim_uniform_array_concat(struct domain *d, value list) {
    if (prim_checked(d)) check_list(d, list);
    return concat(d, list, false);
}
value prim_floatarray_concat(struct domain *d, value list) {
    if (prim_checked(d)) check_list(d, list);
    return concat(d, list, true);
}

/* ---- Copying and filling in place. ---- */

static void move_doubles(value from, intptr_t i, value to, intptr_t j, intptr_t n) {
    ASSERT(i >= 0 && j >= 0 && n > 0);
    memmove((char *)to + 8 * j, (char *)from + 8 * i, 8 * (size_t)n);
}

static void check_ranges(struct domain *d, value from, intptr_t i, value to, intptr_t j,
                         intptr_t n) {
    if (!prim_in_bounds(i, n, vm_raw_words(from)) || !prim_in_bounds(j, n, vm_raw_words(to)))
        vm_raise_bound_error(d);
}

/* Copies word by word, when one of the blocks holds no values and they are not both flat. */
static void blit_raw(struct domain *d, value from, intptr_t i, value to, intptr_t j, intptr_t n) {
    if (holds_values(d, to)) {
        copy_raw(d, from, i, to, j, n);
        return;
    }
    bool backwards = from == to && i < j;
    for (intptr_t k = 0; k < n; k++) {
        intptr_t at = backwards ? n - 1 - k : k;
        value word = field(from, i + at);
        bool done = !holds_values(d, from) && vm_raw_may_write_word(to, (uintptr_t)(j + at), word);
        if (done) field(to, j + at) = word;
        else if (!holds_values(d, from) || !vm_raw_store(to, (uintptr_t)(j + at), word))
            prim_refuse(d, "array_blit to a block without values");
    }
}

static value blit(struct domain *d, value from, value from_at, value to, value to_at, value length,
                  bool flat) {
    intptr_t i = int_of_val(from_at), j = int_of_val(to_at), n = int_of_val(length);
    if (n == 0) return VAL_UNIT;
    if (prim_checked(d)) {
        check_ranges(d, from, i, to, j, n);
        check_writable(d, to, "array_blit to a closure");
    }
    vm_charge_work(d, 8 * (size_t)n);
    if (flat && (is_flat(from) || !prim_checked(d))) move_doubles(from, i, to, j, n);
    else if (!holds_values(d, from) || !holds_values(d, to)) blit_raw(d, from, i, to, j, n);
    else gc_blit_fields(&d->gc, from, (size_t)i, to, (size_t)j, (size_t)n);
    return VAL_UNIT;
}

value prim_array_blit(struct domain *d, value from, value from_at, value to, value to_at,
                      value length) {
    return blit(d, from, from_at, to, to_at, length, is_flat(to));
}
value prim_uniform_array_blit(struct domain *d, value from, value from_at, value to, value to_at,
                              value length) {
    return blit(d, from, from_at, to, to_at, length, false);
}
value prim_floatarray_blit(struct domain *d, value from, value from_at, value to, value to_at,
                           value length) {
    return blit(d, from, from_at, to, to_at, length, true);
}

/* No barrier is needed for a young array, nor for an old element while the collector isn't
 * marking. */
static void fill_values(struct domain *d, value a, intptr_t i, intptr_t n, value element) {
    bool no_barrier = gc_is_young(&d->gc, a) || (!d->gc.marking && !gc_is_young(&d->gc, element));
    if (no_barrier)
        for (; n > 0; n--) field(a, i++) = element;
    else
        for (; n > 0; n--) gc_store(&d->gc, a, (size_t)i++, element);
}

static value fill(struct domain *d, value a, value start, value length, value element, bool flat) {
    intptr_t i = int_of_val(start), n = int_of_val(length);
    if (n == 0) return VAL_UNIT;
    if (prim_checked(d)) {
        if (!prim_in_bounds(i, n, vm_raw_words(a))) vm_raise_bound_error(d);
        check_writable(d, a, "array_fill of a closure");
        if (is_flat(a) != flat) prim_refuse(d, "array_fill of an array of another kind");
        if (flat && !reads_as_float(element)) prim_refuse(d, "array_fill of a float array");
    }
    vm_charge_work(d, 8 * (size_t)n);
    if (flat) {
        double x = double_of_val(element);
        for (; n > 0; n--) set_double_field(a, (uintptr_t)i++, x);
    } else if (holds_values(d, a)) {
        fill_values(d, a, i, n, element);
    } else {
        for (; n > 0; n--) store_raw(d, a, (uintptr_t)i++, element);
    }
    return VAL_UNIT;
}

value prim_array_fill(struct domain *d, value a, value start, value length, value element) {
    return fill(d, a, start, length, element, is_flat(a));
}
value prim_uniform_array_fill(struct domain *d, value a, value start, value length, value element) {
    return fill(d, a, start, length, element, false);
}
value prim_floatarray_fill(struct domain *d, value a, value start, value length, value element) {
    return fill(d, a, start, length, element, true);
}
