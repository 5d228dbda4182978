/* values_stubs.c - stubs that create, store and read values: one or more calls of each exported
 * function of alloc.c, memory.c, values.c and bigarray.c that collector_stubs.c does not call. The
 * OCaml side (values.ml) prints what they find. */
#define CAML_NAME_SPACE
#define CAML_INTERNALS
#include <caml/address_class.h>
#include <caml/alloc.h>
#include <caml/bigarray.h>
#include <caml/custom.h>
#include <caml/hash.h>
#include <caml/md5.h>
#include <caml/memory.h>
#include <caml/minor_gc.h>
#include <caml/mlvalues.h>
#include <caml/roots.h>
#include <caml/signals.h>
#include <stdio.h>
#include <string.h>

extern value caml_alloc_initialized_string(mlsize_t length, const char *bytes);
extern value caml_ba_reshape(value bigarray, value dims);

/* ---- Allocation. ---- */

value t_alloc(value size, value tag) {
    CAMLparam2(size, tag);
    CAMLlocal2(block, item);
    block = caml_alloc(Long_val(size), Int_val(tag));
    for (mlsize_t i = 0; i < Wosize_val(block); i++) {
        item = caml_copy_double((double)i);
        caml_modify(&Field(block, i), item);
    }
    CAMLreturn(block);
}

value t_alloc_small(value a, value b) {
    CAMLparam2(a, b);
    value block = caml_alloc_small(2, 7);
    Field(block, 0) = a;
    Field(block, 1) = b;
    CAMLreturn(block);
}

/* A list of n strings, built in the minor heap and filled without barrier. */
value t_list(value n) {
    CAMLparam1(n);
    CAMLlocal3(list, cell, item);
    for (long i = Long_val(n); i > 0; i--) {
        item = caml_alloc_sprintf("%s-%ld", "item", i);
        cell = caml_alloc_small(2, 0);
        Field(cell, 0) = item;
        Field(cell, 1) = list;
        list = cell;
    }
    CAMLreturn(list);
}

value t_alloc_shr(value size, value item) {
    CAMLparam2(size, item);
    value block = caml_alloc_shr(Long_val(size), 0);
    for (mlsize_t i = 0; i < Wosize_val(block); i++) caml_initialize(&Field(block, i), item);
    CAMLreturn(caml_check_urgent_gc(block));
}

value t_tuple(value a) {
    CAMLparam1(a);
    CAMLlocal1(tuple);
    tuple = caml_alloc_tuple(3);
    Store_field(tuple, 0, a);
    Store_field(tuple, 1, caml_alloc_some(a));
    Store_field(tuple, 2, Val_int(3));
    CAMLreturn(tuple);
}

value t_strings(value unit) {
    CAMLparam1(unit);
    CAMLlocal2(result, s);
    static const char *texts[] = {"zero", "one", "", NULL};
    result = caml_alloc(5, 0);
    s = caml_alloc_string(11);
    memcpy(Bytes_val(s), "hello\0world", 11);
    Store_field(result, 0, s);
    Store_field(result, 1, caml_alloc_initialized_string(3, "a\0b"));
    Store_field(result, 2, caml_copy_string("copied"));
    Store_field(result, 3, caml_copy_string_array(texts));
    Store_field(result, 4, caml_alloc_array(caml_copy_string, texts));
    CAMLreturn(result);
}

value t_numbers(value unit) {
    CAMLparam1(unit);
    CAMLlocal1(result);
    result = caml_alloc_tuple(5);
    Store_field(result, 0, caml_copy_double(-2.5));
    Store_field(result, 1, caml_copy_int32(-7));
    Store_field(result, 2, caml_copy_int64((int64_t)1 << 40));
    Store_field(result, 3, caml_copy_nativeint(-1));
    value floats = caml_alloc_float_array(3);
    for (int i = 0; i < 3; i++) Store_double_flat_field(floats, i, i / 4.0);
    Store_field(result, 4, floats);
    CAMLreturn(result);
}

value t_empty(value unit) {
    CAMLparam1(unit);
    CAMLlocal1(result);
    result = caml_alloc_tuple(4);
    Store_field(result, 0, Val_bool(caml_alloc(0, 0) == Atom(0)));
    Store_field(result, 1, Val_bool(caml_alloc_float_array(0) == Atom(0)));
    Store_field(result, 2, Val_int(Tag_val(Atom(5))));
    Store_field(result, 3, Val_int(Wosize_val(Atom(5))));
    CAMLreturn(result);
}

/* Inline allocation, which OCaml's own libraries do: it goes through caml_alloc_small_dispatch. */
#define Setup_for_gc
#define Restore_after_gc
#define Alloc_small_origin CAML_FROM_C
value t_inline(value a) {
    CAMLparam1(a);
    CAMLlocal2(first, second);
    Alloc_small(first, 2, 3);
    Field(first, 0) = a;
    Field(first, 1) = Val_int(1);
    Alloc_small(second, 2, 0);
    Field(second, 0) = first;
    Field(second, 1) = a;
    CAMLreturn(second);
}

value t_flags(value list) {
    static int flags[] = {1, 4, 16, 64};
    return Val_int(caml_convert_flag_list(list, flags));
}

/* ---- Stores and roots. ---- */

value t_store(value block, value index, value item) {
    CAMLparam3(block, index, item);
    CAMLlocal1(copy);
    copy = caml_alloc_small(1, 0);
    Field(copy, 0) = item;
    caml_modify(&Field(block, Long_val(index)), copy);
    CAMLreturn(Val_unit);
}

static value plain_roots[3] = {Val_unit, Val_unit, Val_unit};
static value generational_root;

value t_roots_set(value v) {
    CAMLparam1(v);
    for (int i = 0; i < 3; i++) caml_register_global_root(&plain_roots[i]);
    plain_roots[0] = v; /* such a root may be assigned at any time */
    plain_roots[1] = caml_copy_string("plain");
    plain_roots[2] = caml_copy_double(1.5);
    generational_root = v;
    caml_register_generational_global_root(&generational_root);
    caml_modify_generational_global_root(&generational_root, caml_copy_string("generational"));
    CAMLreturn(Val_unit);
}

value t_roots_change(value unit) {
    plain_roots[1] = caml_copy_string("plain again");
    caml_modify(&plain_roots[2], caml_copy_double(2.5));
    caml_modify_generational_global_root(&generational_root, caml_copy_string("second"));
    return Val_unit;
}

value t_roots_get(value unit) {
    CAMLparam1(unit);
    CAMLlocal1(result);
    result = caml_alloc_tuple(4);
    for (int i = 0; i < 3; i++) Store_field(result, i, plain_roots[i]);
    Store_field(result, 3, generational_root);
    CAMLreturn(result);
}

value t_roots_remove(value unit) {
    for (int i = 0; i < 3; i++) caml_remove_global_root(&plain_roots[i]);
    caml_remove_generational_global_root(&generational_root);
    return Val_unit;
}

/* A library's own roots, which the hook reports to the collector. */
static value hooked[4] = {Val_unit, Val_unit, Val_unit, Val_unit};
static void (*hook_before)(scanning_action);
static void scan_hooked(scanning_action action) {
    for (int i = 0; i < 4; i++) action(hooked[i], &hooked[i]);
    if (hook_before != NULL) hook_before(action);
}
value t_hook_set(value unit) {
    hook_before = caml_scan_roots_hook;
    caml_scan_roots_hook = scan_hooked;
    for (int i = 0; i < 4; i++) hooked[i] = caml_alloc_sprintf("hooked %d", i);
    return Val_unit;
}
value t_hook_get(value i) { return hooked[Int_val(i)]; }
value t_hook_remove(value unit) {
    caml_scan_roots_hook = hook_before;
    return Val_unit;
}

/* Pointers outside the heap in a block's fields, and locals of all the macros. */
static long outside[2] = {17, 18};
value t_naked(value a, value b) {
    CAMLparam2(a, b);
    CAMLlocalN(many, 4);
    value block;
    for (int i = 0; i < 4; i++) many[i] = caml_alloc_sprintf("local %d", i);
    Begin_roots2(a, b);
    block = caml_alloc_small(3, 0);
    Field(block, 0) = (value)&outside[1];
    Field(block, 1) = many[3];
    Field(block, 2) = a;
    End_roots();
    CAMLreturn(block);
}
value t_naked_get(value block) { return Val_long(*(long *)Field(block, 0)); }

value t_six_bytecode(value *arguments, int n) {
    CAMLparam0();
    CAMLlocal1(sum);
    sum = caml_alloc(n, 0);
    for (int i = 0; i < n; i++) Store_field(sum, i, caml_alloc_some(arguments[i]));
    CAMLreturn(sum);
}

value t_stat(value unit) {
    CAMLparam1(unit);
    CAMLlocal1(result);
    char *a = caml_stat_alloc(10), *b = caml_stat_alloc_noexc(10);
    strcpy(a, "first");
    a = caml_stat_resize(a, 1000);
    strcat(a, " resized");
    strcpy(b, "second");
    b = caml_stat_resize_noexc(b, 2000);
    char *c = caml_stat_strdup(a), *d = caml_stat_strconcat(3, b, "+", c);
    char *e = caml_stat_calloc_noexc(4, 1), *f = caml_stat_strdup_noexc(d);
    result = caml_alloc_sprintf("%s|%s|%s|%d%d", c, d, f, e[0], e[3]);
    caml_stat_free(a);
    caml_stat_free(b);
    caml_stat_free(c);
    caml_stat_free(d);
    caml_stat_free(e);
    caml_stat_free(f);
    caml_stat_free(NULL);
    CAMLreturn(result);
}

value t_speed(value unit) {
    caml_alloc_dependent_memory(100000);
    caml_adjust_gc_speed(1, 1000);
    caml_free_dependent_memory(100000);
    caml_allocated_words += 10;
    return Val_unit;
}

/* ---- Custom blocks. ---- */

static long finalised, final_calls;

struct counter {
    long n;
};
#define Counter_val(v) ((struct counter *)Data_custom_val(v))

static void counter_finalize(value v) { finalised += Counter_val(v)->n; }
static int counter_compare(value a, value b) {
    if (Counter_val(a)->n < 0 || Counter_val(b)->n < 0) caml_compare_unordered = 1;
    return Counter_val(a)->n < Counter_val(b)->n ? -1 : Counter_val(a)->n > Counter_val(b)->n;
}
static int counter_compare_ext(value a, value b) {
    long x = Is_long(a) ? Long_val(a) : Counter_val(a)->n;
    long y = Is_long(b) ? Long_val(b) : Counter_val(b)->n;
    return x < y ? -1 : x > y;
}
static intnat counter_hash(value v) { return Counter_val(v)->n * 31; }

static struct custom_operations counter_ops = {
    "test.counter",           counter_finalize,           counter_compare,     counter_hash,
    custom_serialize_default, custom_deserialize_default, counter_compare_ext, NULL};

value t_counter(value n) {
    value v = caml_alloc_custom(&counter_ops, sizeof(struct counter), 1, 1000);
    Counter_val(v)->n = Long_val(n);
    return v;
}
value t_counter_mem(value n, value bytes) {
    value v = caml_alloc_custom_mem(&counter_ops, sizeof(struct counter), Long_val(bytes));
    Counter_val(v)->n = Long_val(n);
    return v;
}
value t_counter_get(value v) { return Val_long(Counter_val(v)->n); }
value t_finalised(value unit) { return Val_long(finalised); }

static void final_function(value v) { final_calls += (long)Field(v, 1); }
value t_final(value n) {
    value v = caml_alloc_final(2, final_function, 1, 100);
    Field(v, 1) = Long_val(n);
    Field(v, 2) = 0;
    return v;
}
value t_final_calls(value unit) { return Val_long(final_calls); }

/* ---- Strings, hashes, digests. ---- */

value t_string_length(value s) {
    return Val_long(caml_string_length(s) * 10 + caml_string_is_c_safe(s));
}
value t_array(value a) { return Val_long(caml_array_length(a) * 10 + caml_is_double_array(a)); }
value t_hash_variant(value s) { return caml_hash_variant(String_val(s)); }
value t_hash(value s) {
    uint32_t h = 42;
    h = caml_hash_mix_uint32(h, 12345);
    h = caml_hash_mix_intnat(h, -99);
    h = caml_hash_mix_int64(h, (int64_t)1 << 50);
    h = caml_hash_mix_double(h, 3.25);
    h = caml_hash_mix_float(h, -0.0f);
    h = caml_hash_mix_string(h, s);
    return Val_long(h);
}
/* Primitives, which no header declares. */
extern value caml_compare(value a, value b), caml_equal(value a, value b);
extern value caml_notequal(value a, value b), caml_obj_dup(value v);
extern value caml_hash(value meaningful, value total, value seed, value v);
value t_generic(value a, value b) {
    CAMLparam2(a, b);
    CAMLlocal2(copy, all);
    copy = caml_obj_dup(a);
    all = caml_alloc_tuple(5);
    Store_field(all, 0, caml_compare(a, b));
    Store_field(all, 1, caml_equal(a, copy));
    Store_field(all, 2, caml_notequal(a, b));
    Store_field(all, 3, caml_hash(Val_int(10), Val_int(100), Val_int(3), copy));
    Store_field(all, 4, Val_bool(copy != a));
    CAMLreturn(all);
}
value t_digest(value s) {
    struct MD5Context context;
    value digest = caml_alloc_string(16);
    unsigned char bytes[16];
    caml_MD5Init(&context);
    for (int i = 0; i < 100; i++) caml_MD5Update(&context, (unsigned char *)"0123456789", i % 11);
    caml_MD5Final(bytes, &context);
    memcpy(Bytes_val(digest), bytes, 16);
    return digest;
}

/* ---- Bigarrays. ---- */

static double numbers[6] = {0, 1, 2, 3, 4, 5};
value t_ba_static(value unit) {
    intnat dims[2] = {2, 3};
    return caml_ba_alloc(CAML_BA_FLOAT64 | CAML_BA_C_LAYOUT, 2, numbers, dims);
}
value t_ba_new(value n) {
    value v = caml_ba_alloc_dims(CAML_BA_INT32 | CAML_BA_FORTRAN_LAYOUT, 1, NULL, Long_val(n));
    for (long i = 0; i < Long_val(n); i++) ((int32_t *)Caml_ba_data_val(v))[i] = (int32_t)(i * i);
    return v;
}
value t_ba_reshape(value v, value dims) { return caml_ba_reshape(v, dims); }
value t_ba_sizes(value v) {
    struct caml_ba_array *b = Caml_ba_array_val(v);
    return Val_long(caml_ba_byte_size(b) * 10000 + caml_ba_num_elts(b) * 100 +
                    caml_ba_element_size[b->flags & CAML_BA_KIND_MASK]);
}
/* A kind of bigarray of the library's own, with the operations that the runtime exports. */
extern void caml_ba_finalize(value);
extern int caml_ba_compare(value, value);
extern intnat caml_ba_hash(value);
extern void caml_ba_serialize(value, uintnat *, uintnat *);
extern uintnat caml_ba_deserialize(void *);
static long own_finalised;
static void own_ba_finalize(value v) {
    own_finalised++;
    caml_ba_finalize(v);
}
static struct custom_operations own_ba_ops = {"_bigarray",
                                              own_ba_finalize,
                                              caml_ba_compare,
                                              caml_ba_hash,
                                              caml_ba_serialize,
                                              caml_ba_deserialize,
                                              custom_compare_ext_default,
                                              NULL};
value t_ba_own(value source) {
    CAMLparam1(source);
    struct caml_ba_array *from = Caml_ba_array_val(source);
    size_t size = SIZEOF_BA_ARRAY + from->num_dims * sizeof(intnat);
    value v = caml_alloc_custom(&own_ba_ops, size, 0, 1);
    from = Caml_ba_array_val(source);
    memcpy(Caml_ba_array_val(v), from, size);
    Caml_ba_array_val(v)->flags &= ~CAML_BA_MANAGED_MASK;
    Caml_ba_array_val(v)->proxy = NULL;
    CAMLreturn(v);
}
value t_ba_own_register(value unit) {
    caml_register_custom_operations(&own_ba_ops);
    return Val_unit;
}
value t_ba_own_finalised(value unit) { return Val_bool(own_finalised > 0); }
extern struct custom_operations caml_ba_ops;
value t_ba_ops(value unit) {
    static char bytes[4] = "abc";
    value v = caml_alloc_custom(&caml_ba_ops, SIZEOF_BA_ARRAY + sizeof(intnat), 0, 1);
    struct caml_ba_array *b = Caml_ba_array_val(v);
    b->data = bytes;
    b->num_dims = 1;
    b->flags = CAML_BA_CHAR | CAML_BA_C_LAYOUT | CAML_BA_EXTERNAL;
    b->proxy = NULL;
    b->dim[0] = 3;
    return v;
}

/* ---- What the headers' macros read of Caml_state. ---- */

value t_is_young(value v) { return Val_bool(Is_young(v)); }
