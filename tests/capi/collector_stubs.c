/* collector_stubs.c - stubs that look at the collector, make it work and are called by it: counters
 * and hooks of Caml_state, collections, classes of addresses, C memory. The OCaml side is
 * collector.ml; limit.ml is about --max-heap. */
#define CAML_NAME_SPACE
#define CAML_INTERNALS
#include <caml/address_class.h>
#include <caml/alloc.h>
#include <caml/compact.h>
#include <caml/custom.h>
#include <caml/gc_ctrl.h>
#include <caml/major_gc.h>
#include <caml/memory.h>
#include <caml/minor_gc.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counters. ---- */

/* In the order of Gc.quick_stat's first fields. */
value t_counters(value unit) {
    const caml_domain_state *s = Caml_state;
    const double counters[] = {s->stat_minor_words,
                               s->stat_promoted_words,
                               s->stat_major_words,
                               (double)s->stat_minor_collections,
                               (double)s->stat_major_collections,
                               (double)s->stat_heap_wsz,
                               (double)s->stat_top_heap_wsz,
                               (double)s->stat_compactions,
                               (double)s->stat_heap_chunks,
                               (double)s->minor_heap_wsz};
    value result = caml_alloc_float_array(10);
    for (int i = 0; i < 10; i++) Store_double_flat_field(result, i, counters[i]);
    return result;
}

/* Allocates until the number of collections changes, as a stub does that waits for one. */
value t_wait_for_minor(value unit) {
    CAMLparam1(unit);
    CAMLlocal1(list);
    intnat before = Caml_state->stat_minor_collections;
    double words = Caml_state->stat_minor_words;
    for (long i = 0; i < 100000000; i++) {
        value cell = caml_alloc_small(2, 0);
        Field(cell, 0) = Val_long(i);
        Field(cell, 1) = i % 1000 == 0 ? Val_emptylist : list;
        list = cell;
        if (Caml_state->stat_minor_collections != before)
            CAMLreturn(Val_bool(Caml_state->stat_minor_words >= words));
    }
    CAMLreturn(Val_false);
}

value t_wait_for_heap(value unit) {
    CAMLparam1(unit);
    CAMLlocal1(all);
    intnat before = Caml_state->stat_heap_wsz;
    all = caml_alloc(1000, 0);
    for (int i = 0; i < 1000 && Caml_state->stat_heap_wsz <= before; i++)
        Store_field(all, i, caml_alloc_shr(100000, String_tag));
    CAMLreturn(Val_bool(Caml_state->stat_heap_wsz > before));
}

/* ---- Collections. ---- */

/* Primitives, which no header declares. */
extern value caml_gc_minor(value unit), caml_gc_major(value unit), caml_gc_full_major(value unit);
extern value caml_gc_compaction(value unit), caml_gc_major_slice(value words);

value t_collect(value which) {
    intnat minors = Caml_state->stat_minor_collections, majors = Caml_state->stat_major_collections;
    intnat compactions = Caml_state->stat_compactions;
    switch (Int_val(which)) {
    case 0: caml_minor_collection(); break;
    case 1: caml_empty_minor_heap(); break;
    case 2:
        caml_request_minor_gc();
        caml_gc_dispatch();
        break;
    case 3:
        for (int i = 0; i < 100000 && majors == Caml_state->stat_major_collections; i++) {
            caml_alloc_shr(1000, String_tag);
            caml_request_major_slice();
            caml_gc_dispatch();
        }
        return Val_bool(Caml_state->stat_major_collections > majors);
    case 4:
        for (int i = 0; i < 100000 && majors == Caml_state->stat_major_collections; i++) {
            caml_empty_minor_heap();
            caml_major_collection_slice(i % 2 == 0 ? -1 : 100000);
        }
        return Val_bool(Caml_state->stat_major_collections > majors);
    case 5:
        caml_empty_minor_heap();
        caml_finish_major_cycle();
        return Val_bool(Caml_state->stat_major_collections > majors);
    case 6:
        caml_empty_minor_heap();
        caml_finish_major_cycle();
        caml_compact_heap(-1);
        return Val_bool(Caml_state->stat_compactions > compactions);
    case 7: caml_gc_minor(Val_unit); break;
    case 8: caml_gc_major(Val_unit); return Val_bool(Caml_state->stat_major_collections > majors);
    case 9:
        caml_gc_full_major(Val_unit);
        return Val_bool(Caml_state->stat_major_collections > majors);
    case 10:
        caml_gc_compaction(Val_unit);
        return Val_bool(Caml_state->stat_compactions > compactions);
    case 11:
        caml_gc_minor(Val_unit);
        return Val_bool(caml_gc_major_slice(Val_int(0)) == Val_int(0));
    }
    return Val_bool(Caml_state->stat_minor_collections > minors);
}

value t_set_minor(value words) {
    caml_set_minor_heap_size(Bsize_wsize(Long_val(words)));
    return Val_long(Caml_state->minor_heap_wsz);
}

static long began[2], ended[2];
static void minor_begins(void) { began[0]++; }
static void minor_ends(void) { ended[0] += began[0] == ended[0] + 1; }
static void slice_begins(void) { began[1]++; }
static void slice_ends(void) { ended[1] += began[1] == ended[1] + 1; }
value t_timing_hooks(value on) {
    caml_minor_gc_begin_hook = Bool_val(on) ? minor_begins : NULL;
    caml_minor_gc_end_hook = Bool_val(on) ? minor_ends : NULL;
    caml_major_slice_begin_hook = Bool_val(on) ? slice_begins : NULL;
    caml_major_slice_end_hook = Bool_val(on) ? slice_ends : NULL;
    return Val_bool(began[0] > 0 && began[0] == ended[0] && began[1] > 0 && began[1] == ended[1]);
}

/* ---- Blocks. ---- */

static long outside;
value t_class(value v) {
    value atom = Atom(3);
    return Val_int(caml_page_table_lookup((void *)v) * 1000 +
                   caml_page_table_lookup((void *)atom) * 10 + caml_page_table_lookup(&outside));
}

value t_shr(value item) {
    CAMLparam1(item);
    CAMLlocal2(a, b);
    a = caml_alloc_shr_with_profinfo(3, 5, 0);
    for (int i = 0; i < 3; i++) caml_initialize(&Field(a, i), item);
    b = caml_alloc_shr_no_track_noexc(300, 0);
    for (int i = 0; i < 300; i++) caml_initialize(&Field(b, i), a);
    if (caml_alloc_shr_no_track_noexc((mlsize_t)1 << 50, 0) != 0) CAMLreturn(Val_unit);
    CAMLreturn(b);
}

value t_oo_ids(value unit) {
    CAMLparam1(unit);
    CAMLlocal2(a, b);
    a = caml_alloc(2, Object_tag);
    b = caml_alloc(2, Object_tag);
    caml_set_oo_id(a);
    CAMLreturn(Val_bool(caml_set_oo_id(b) == b && Field(a, 1) != Field(b, 1)));
}

/* Boxed integers made by hand, with OCaml's own operations. */
value t_boxed(value unit) {
    CAMLparam1(unit);
    CAMLlocal2(result, v);
    result = caml_alloc_tuple(4);
    v = caml_alloc_custom(&caml_int32_ops, 4, 0, 1);
    Int32_val(v) = -5;
    Store_field(result, 0, v);
    v = caml_alloc_custom(&caml_int64_ops, 8, 0, 1);
    *(int64_t *)Data_custom_val(v) = (int64_t)1 << 40;
    Store_field(result, 1, v);
    v = caml_alloc_custom(&caml_nativeint_ops, sizeof(intnat), 0, 1);
    Nativeint_val(v) = 77;
    Store_field(result, 2, v);
    Store_field(result, 3,
                Val_bool(caml_find_custom_operations("_i") == &caml_int32_ops &&
                         caml_find_custom_operations("_j") == &caml_int64_ops &&
                         caml_find_custom_operations("_n") == &caml_nativeint_ops &&
                         caml_find_custom_operations("no such kind") == NULL));
    CAMLreturn(result);
}

static long ends;
static void end(value v) { ends++; }
static void other_end(value v) { ends += 1000; }
value t_final_ops(value unit) {
    struct custom_operations *ops = caml_final_custom_operations(end);
    if (ops != caml_final_custom_operations(end) || ops->finalize != end) return Val_false;
    if (caml_final_custom_operations(other_end)->finalize != other_end) return Val_false;
    for (int i = 0; i < 10; i++) caml_alloc_custom(ops, 8, 0, 1);
    return Val_true;
}
value t_ends(value unit) { return Val_long(ends); }

/* ---- C memory. ---- */

value t_memory(value unit) {
    void *block, *other;
    caml_stat_create_pool();
    char *a = caml_stat_alloc_aligned(10000, 8, &block);
    char *b = caml_stat_alloc_aligned_noexc(10, 0, &other);
    int good = ((uintptr_t)a + 8) % 4096 == 0 && (uintptr_t)b % 4096 == 0;
    memset(a, 1, 10000);
    memset(b, 1, 10);
    caml_stat_free(block);
    caml_stat_free(other);
    caml_stat_destroy_pool();
    caml_stat_free(caml_stat_strdup("after the pool"));
    return Val_bool(good);
}

/* Up to n blocks of a megabyte, kept until t_hold_free; how many there are. */
static void *held[1000];
static long held_count;
static void free_held(void) {
    while (held_count > 0) caml_stat_free(held[--held_count]);
}
value t_hold(value n) {
    for (long i = 0; i < Long_val(n); i++) {
        void *block = caml_stat_alloc(1000000);
        held[held_count++] = block;
    }
    return Val_long(held_count);
}
value t_hold_noexc(value n) {
    void *block;
    for (long i = 0; i < Long_val(n) && (block = caml_stat_alloc_noexc(1000000)) != NULL; i++)
        held[held_count++] = block;
    return Val_long(held_count);
}
value t_hold_in_section(value n) {
    caml_enter_blocking_section();
    for (long i = 0; i < Long_val(n); i++) held[held_count++] = caml_stat_alloc_noexc(1000000);
    caml_leave_blocking_section();
    return Val_long(held_count);
}
value t_hold_free(value unit) {
    long n = held_count;
    free_held();
    return Val_long(n);
}
value t_resize(value from, value to) {
    char *a = caml_stat_alloc(Long_val(from));
    char *b = caml_stat_resize_noexc(a, Long_val(to));
    caml_stat_free(b == NULL ? a : b);
    return Val_bool(b != NULL);
}

#define Memory_val(v) (*(char **)Data_custom_val(v))
static void memory_finalize(value v) { free(Memory_val(v)); }
static struct custom_operations memory_ops = {"test.memory",
                                              memory_finalize,
                                              custom_compare_default,
                                              custom_hash_default,
                                              custom_serialize_default,
                                              custom_deserialize_default,
                                              custom_compare_ext_default,
                                              NULL};
value t_owner(value bytes) {
    value v = caml_alloc_custom_mem(&memory_ops, sizeof(char *), Long_val(bytes));
    Memory_val(v) = malloc(Long_val(bytes));
    return v;
}
