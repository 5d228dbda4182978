/* alloc.c - allocation for C stubs, custom blocks included. Blocks of up to 256 words are in the
 * minor heap, so that a stub may fill them without barrier until it allocates again. */
#include "stdlib/customs.h"
#include "vm/capi/capi_internal.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"
#include "vm/thread/pending.h"

#include <stdarg.h>
#include <stdio.h>

value caml_alloc(uintptr_t wosize, unsigned char tag) { return new_block(self(), wosize, tag); }
value caml_alloc_small(uintptr_t wosize, unsigned char tag) {
    return new_small(self(), wosize, tag);
}
value caml_alloc_tuple(uintptr_t wosize) { return new_block(self(), wosize, 0); }

/* All fields are initialised: a mark slice may scan the block before the stub has set them. */
value caml_alloc_shr(uintptr_t wosize, unsigned char tag) {
    value v = gc_alloc_major(&self()->gc, wosize, tag);
    capi_publish_counters(self()); /* the heap may have grown */
    if (tag < TAG_NO_SCAN)
        for (uintptr_t i = 0; i < wosize; i++) field(v, i) = VAL_UNIT;
    return v;
}

value caml_alloc_shr_with_profinfo(uintptr_t wosize, unsigned char tag, intptr_t unused) {
    return caml_alloc_shr(wosize, tag);
}

struct block {
    uintptr_t wosize;
    unsigned char tag;
};
static value alloc_untracked(struct domain *d, void *context) {
    const struct block *b = context;
    return gc_alloc_major_unsampled(&d->gc, b->wosize, b->tag);
}
/* 0 instead of an exception. Its caller fills it before it allocates again. */
value caml_alloc_shr_no_track_noexc(uintptr_t wosize, unsigned char tag) {
    struct block b = {wosize, tag};
    value v = vm_protect_exn(self(), alloc_untracked, &b);
    return is_exn_result(v) ? 0 : v;
}

value caml_set_oo_id(value object) {
    field(object, 1) = val_of_int(vm_fresh_object_id(self()));
    return object;
}

value caml_alloc_float_array(uintptr_t length) {
    return new_block(self(), length, length == 0 ? 0 : TAG_DOUBLE_ARRAY);
}

value caml_alloc_string(uintptr_t length) { return new_string(self(), length); }
value caml_alloc_initialized_string(uintptr_t length, const char *bytes) {
    return copy_bytes(self(), bytes, length);
}
value caml_copy_string(const char *text) { return copy_string(self(), text); }

__attribute__((format(printf, 1, 2))) value caml_alloc_sprintf(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) vm_raise_out_of_memory(self());
    value s = copy_bytes(self(), text, (size_t)length); /* a text is small: no Out_of_memory */
    free(text);
    return s;
}

value caml_alloc_array(value (*make)(const char *text), const char *const *texts) {
    struct domain *d = self();
    size_t n = 0;
    while (texts[n] != NULL) n++;
    value array = new_block(d, n, 0);
    GC_ROOT(&d->gc, &array);
    for (size_t i = 0; i < n; i++) {
        value v = make(texts[i]);
        gc_store(&d->gc, array, i, v);
    }
    return array;
}

value caml_copy_string_array(const char *const *texts) {
    return caml_alloc_array(caml_copy_string, texts);
}

value caml_copy_double(double x) { return copy_double(self(), x); }
value caml_copy_int32(int32_t n) { return copy_int32(self(), n); }
value caml_copy_int64(int64_t n) { return copy_int64(self(), n); }
value caml_copy_nativeint(intptr_t n) { return copy_nativeint(self(), n); }
value caml_alloc_some(value v) { return new_some(self(), v); }

/* young_limit is above every young_ptr, so each inline allocation of a stub calls
 * caml_alloc_small_dispatch, which leaves a fresh block at young_ptr, and then writes the header
 * again. 4.x passes wosize, flags, a number of blocks and their sizes; 5.x the same after the
 * domain's state. Flag 2: it allocates for OCaml code, where pending actions may run. */
static void allocate_inline(struct domain *d, uintptr_t wosize, int flags) {
    ASSERT(d->abi.young_limit == UINTPTR_MAX);
    if ((flags & 2) != 0 && d->gc.action_requested) vm_process_pending(d);
    value v = gc_alloc_small(&d->gc, wosize, 0);
    ASSERT(gc_is_young(&d->gc, v));
    d->abi.young_ptr = (uintptr_t)header_ptr(v);
}

void caml_alloc_small_dispatch(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e) {
    struct domain *domain = self();
    if (domain->abi_layout->takes_domain_state) allocate_inline(domain, b, (int)c);
    else allocate_inline(domain, a, (int)b);
}

/* Values come from the program: what is not a list of constructors is refused. How many there are
 * only the stub knows. */
int caml_convert_flag_list(value list, const int *flags) {
    enum { MOST_CONSTRUCTORS = 246 };
    int result = 0;
    for (; is_block(list); list = field(list, 1)) {
        if (tag_of(list) >= TAG_NO_SCAN || wosize_of(list) < 2 || !is_int(field(list, 0)) ||
            (uintptr_t)int_of_val(field(list, 0)) >= MOST_CONSTRUCTORS)
            caml_invalid_argument("a list of flags was expected");
        result |= flags[int_of_val(field(list, 0))];
    }
    return result;
}

/* ---- Custom blocks: the operations have the collector's layout. ---- */

_Static_assert(offsetof(struct gc_custom_ops, deserialize) == 40 &&
                   offsetof(struct gc_custom_ops, fixed_length) == 56 &&
                   sizeof(struct gc_custom_ops) == 64,
               "the layout of custom operations");

value caml_alloc_custom(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem,
                        uintptr_t max) {
    return gc_alloc_custom(&self()->gc, ops, bytes, mem, max);
}

value caml_alloc_custom_mem(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem) {
    return gc_alloc_custom_owning(&self()->gc, ops, bytes, mem);
}

void caml_register_custom_operations(const struct gc_custom_ops *ops) {
    if (!customs_register(self(), ops)) vm_raise_out_of_memory(self());
}

const struct gc_custom_ops *caml_find_custom_operations(const char *identifier) {
    return customs_find(self(), identifier);
}

/* Operations with only a finaliser, one set for each function. */
struct final_ops {
    struct final_ops *next;
    struct gc_custom_ops ops;
};

void capi_free_final_ops(struct capi *capi) {
    for (struct final_ops *next; capi->final_ops != NULL; capi->final_ops = next) {
        next = capi->final_ops->next;
        free(capi->final_ops);
    }
}

const struct gc_custom_ops *caml_final_custom_operations(void (*finalize)(value v)) {
    struct capi *capi = self()->vm->abi_state;
    struct final_ops *set = capi->final_ops;
    while (set != NULL && set->ops.finalize != finalize) set = set->next;
    if (set == NULL) {
        set = must(calloc(1, sizeof *set));
        set->ops = (struct gc_custom_ops){.identifier = "_final", .finalize = finalize};
        set->next = capi->final_ops;
        capi->final_ops = set;
    }
    return &set->ops;
}

value caml_alloc_final(uintptr_t words, void (*finalize)(value v), uintptr_t mem, uintptr_t max) {
    return caml_alloc_custom(caml_final_custom_operations(finalize), 8 * words, mem, max);
}
