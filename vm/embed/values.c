/* values.c - creating and reading values (bactrian.h).
 *
 * Allocation runs inside the machine (embed_perform), since it may raise Out_of_memory. Reading
 * does not: no block moves while the embedder's code controls the machine (EM1). */
#include "vm/embed/embed_internal.h"
#include "vm/engine/callback.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

/* A handle of f's result, or NULL. */
static struct bactrian_value *make(struct bactrian *m, value (*f)(struct domain *d, void *context),
                                   void *context) {
    value v;
    if (embed_perform(m, f, context, &v) != BACTRIAN_OK) return NULL;
    return embed_handle(m, v);
}

static struct bactrian_value *immediate(struct bactrian *m, value v) {
    return embed_state(m) == BACTRIAN_OK ? embed_handle(m, v) : NULL;
}

struct bactrian_value *bactrian_unit(struct bactrian *m) {
    return immediate(m, VAL_UNIT);
}

struct bactrian_value *bactrian_bool(struct bactrian *m, bool b) {
    return immediate(m, val_of_bool(b));
}

struct bactrian_value *bactrian_int(struct bactrian *m, int64_t n) {
    return immediate(m, val_of_int(n));
}

struct bactrian_value *bactrian_named(struct bactrian *m, const char *name) {
    if (embed_state(m) != BACTRIAN_OK) return NULL;
    const value *slot = vm_named_value(m->vm, name);
    if (slot != NULL) return embed_handle(m, *slot);
    embed_fail(m, BACTRIAN_REFUSED, "no value was registered as '%s'", name);
    return NULL;
}

/* ---- Boxed numbers and strings. ---- */

/* bactrian_NAME(m, x): a handle of copy(d, x). */
#define BOXED(name, type, copy)                                                         \
    static value make_##name(struct domain *d, void *x) { return copy(d, *(type *)x); } \
    struct bactrian_value *bactrian_##name(struct bactrian *m, type x) {                \
        return make(m, make_##name, &x);                                                \
    }
BOXED(int32, int32_t, copy_int32)
BOXED(int64, int64_t, copy_int64)
BOXED(nativeint, intptr_t, copy_nativeint)
BOXED(float, double, copy_double)
#undef BOXED

struct items {
    unsigned tag;
    size_t count;
    const void *items;
};

/* Keeps computations of block sizes from overflowing. */
static bool is_possible(size_t count) { return count <= MAX_WOSIZE / sizeof(value); }

static value make_string(struct domain *d, void *context) {
    const struct items *s = context;
    if (!is_possible(s->count)) vm_raise_out_of_memory(d);
    return copy_bytes(d, s->items, s->count);
}

struct bactrian_value *bactrian_string(struct bactrian *m, const void *bytes, size_t length) {
    struct items s = {.count = length, .items = bytes};
    return make(m, make_string, &s);
}

struct bactrian_value *bactrian_text(struct bactrian *m, const char *text) {
    return bactrian_string(m, text, strlen(text));
}

/* ---- Blocks. ---- */

static value make_float_array(struct domain *d, void *context) {
    const struct items *s = context;
    if (!is_possible(s->count)) vm_raise_out_of_memory(d);
    value v = new_block(d, s->count, s->count == 0 ? 0 : TAG_DOUBLE_ARRAY);
    if (s->count > 0) memcpy((void *)v, s->items, s->count * sizeof(double));
    return v;
}

struct bactrian_value *bactrian_float_array(struct bactrian *m, size_t count, const double *items) {
    struct items s = {.count = count, .items = items};
    return make(m, make_float_array, &s);
}

static value make_block(struct domain *d, void *context) {
    const struct items *s = context;
    struct bactrian_value *const *items = s->items;
    if (!is_possible(s->count)) vm_raise_out_of_memory(d);
    value v = new_block(d, s->count, s->tag);
    for (size_t i = 0; i < s->count; i++) {
        ASSERT(items[i]->machine->vm == d->vm);
        gc_init_field(&d->gc, v, i, items[i]->v);
    }
    return v;
}

static value make_list(struct domain *d, void *context) {
    const struct items *s = context;
    struct bactrian_value *const *items = s->items;
    value list = VAL_EMPTY_LIST;
    for (size_t i = s->count; i-- > 0;) list = new_pair(d, items[i]->v, list);
    return list;
}

/* Whether the machine can be used and all are live handles of it. Afterwards reading their values
 * needs no checks. */
static bool are_live(struct bactrian *m, size_t count, struct bactrian_value *const *items) {
    value ignored;
    if (embed_state(m) != BACTRIAN_OK) return false;
    for (size_t i = 0; i < count; i++)
        if (!embed_value(m, items[i], &ignored)) return false;
    return true;
}

struct bactrian_value *bactrian_block(struct bactrian *m, unsigned tag, size_t count,
                                      struct bactrian_value *const *fields) {
    enum { TAG_LAST_CONSTRUCTOR = 245 };
    if (!are_live(m, count, fields)) return NULL;
    if (tag > TAG_LAST_CONSTRUCTOR) {
        embed_fail(m, BACTRIAN_REFUSED, "tag %u: expected 0 to 245", tag);
        return NULL;
    }
    struct items s = {tag, count, fields};
    return make(m, make_block, &s);
}

struct bactrian_value *bactrian_list(struct bactrian *m, size_t count,
                                     struct bactrian_value *const *items) {
    if (!are_live(m, count, items)) return NULL;
    struct items s = {.count = count, .items = items};
    return make(m, make_list, &s);
}

/* ---- Reading. ---- */

static enum bactrian_kind kind_of_custom(value v) {
    const struct gc_custom_ops *ops = custom_ops(v);
    return ops == &vm_int32_ops       ? BACTRIAN_INT32
           : ops == &vm_int64_ops     ? BACTRIAN_INT64
           : ops == &vm_nativeint_ops ? BACTRIAN_NATIVEINT
                                      : BACTRIAN_OTHER;
}

static enum bactrian_kind kind_of(value v) {
    if (is_int(v)) return BACTRIAN_INT;
    switch (tag_of(v)) {
    case TAG_STRING: return BACTRIAN_STRING;
    case TAG_DOUBLE: return BACTRIAN_FLOAT;
    case TAG_DOUBLE_ARRAY: return BACTRIAN_FLOAT_ARRAY;
    case TAG_CLOSURE:
    case TAG_INFIX: return BACTRIAN_FUNCTION;
    case TAG_CUSTOM: return kind_of_custom(v);
    case TAG_OBJECT: return BACTRIAN_BLOCK;
    default: return tag_of(v) < TAG_LAZY ? BACTRIAN_BLOCK : BACTRIAN_OTHER;
    }
}

enum bactrian_kind bactrian_kind(const struct bactrian_value *h) {
    value v;
    return embed_value(NULL, h, &v) ? kind_of(v) : BACTRIAN_NONE;
}

int64_t bactrian_get_int(const struct bactrian_value *h) {
    switch (bactrian_kind(h)) {
    case BACTRIAN_INT: return int_of_val(h->v);
    case BACTRIAN_INT32: return int32_of_val(h->v);
    case BACTRIAN_INT64: return int64_of_val(h->v);
    case BACTRIAN_NATIVEINT: return nativeint_of_val(h->v);
    default: return 0;
    }
}

double bactrian_get_float(const struct bactrian_value *h) {
    return bactrian_kind(h) == BACTRIAN_FLOAT ? double_of_val(h->v) : 0;
}

size_t bactrian_get_string(const struct bactrian_value *h, char *to, size_t size) {
    bool is_string = bactrian_kind(h) == BACTRIAN_STRING;
    size_t length = is_string ? string_length(h->v) : 0;
    if (size == 0) return length;
    size_t n = length < size ? length : size - 1;
    if (is_string) memcpy(to, string_bytes(h->v), n);
    to[n] = 0;
    return length;
}

size_t bactrian_length(const struct bactrian_value *h) {
    switch (bactrian_kind(h)) {
    case BACTRIAN_BLOCK:
    case BACTRIAN_FLOAT_ARRAY: return wosize_of(h->v);
    case BACTRIAN_STRING: return string_length(h->v);
    default: return 0;
    }
}

unsigned bactrian_tag(const struct bactrian_value *h) {
    return bactrian_kind(h) == BACTRIAN_BLOCK ? tag_of(h->v) : 0;
}

/* Whether h has field i; false: after embed_fail. */
static bool has_field(const struct bactrian_value *h, enum bactrian_kind kind, size_t i) {
    ASSERT(kind != BACTRIAN_NONE);
    if ((kind == BACTRIAN_BLOCK || kind == BACTRIAN_FLOAT_ARRAY) && i < wosize_of(h->v))
        return true;
    embed_fail(h->machine, BACTRIAN_REFUSED, "the value has no field %zu", i);
    return false;
}

struct bactrian_value *bactrian_field(const struct bactrian_value *h, size_t i) {
    enum bactrian_kind kind = bactrian_kind(h);
    if (kind == BACTRIAN_NONE || !has_field(h, kind, i)) return NULL;
    if (kind == BACTRIAN_FLOAT_ARRAY) return bactrian_float(h->machine, double_field(h->v, i));
    return immediate(h->machine, field(h->v, i));
}

enum bactrian_outcome bactrian_set_field(struct bactrian_value *h, size_t i,
                                         const struct bactrian_value *item) {
    enum bactrian_kind kind = bactrian_kind(h);
    value v;
    if (kind == BACTRIAN_NONE || !embed_value(h->machine, item, &v)) return BACTRIAN_REFUSED;
    if (!has_field(h, kind, i)) return BACTRIAN_REFUSED;
    if (kind == BACTRIAN_BLOCK) gc_store(&h->machine->vm->domain->gc, h->v, i, v);
    else if (kind_of(v) == BACTRIAN_FLOAT) set_double_field(h->v, i, double_of_val(v));
    else return embed_fail(h->machine, BACTRIAN_REFUSED, "the items of a float array are floats");
    return BACTRIAN_OK;
}

size_t bactrian_list_length(const struct bactrian_value *h) {
    value v;
    if (!embed_value(NULL, h, &v)) return 0;
    value seen = VAL_UNIT; /* Brent's algorithm: a cyclic list comes back to it */
    size_t n = 0;
    for (; is_block(v) && tag_of(v) == 0 && wosize_of(v) == 2; v = field(v, 1)) {
        if (v == seen) return 0;
        if ((n & (n + 1)) == 0) seen = v;
        n++;
    }
    return v == VAL_EMPTY_LIST ? n : 0;
}
