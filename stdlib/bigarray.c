/* bigarray.c - bigarrays as custom blocks: creation and finalisation, order, hash, external
 * representation.
 *
 * B1  With BIGARRAY_MANAGED the elements belong to the proxy if there is one, else to the block.
 * B2  A proxy's refcount is the number of blocks that point at it.
 * B3  The product of the dimensions and the element size fits in a word, and data has that many
 *     bytes. data is NULL in a block whose creation failed.
 * B4  Elements that are counted (gc_external_charge) are followed, at the next word, by a pointer
 *     to the heap that counts them. OVERHEAD_BYTES are counted with them. */
#include "stdlib/bigarray.h"

#include "gc/assert.h"
#include "gc/heap.h"
#include "gc/roots.h"
#include "stdlib/hash_mix.h"
#include "vm/marshal/reader.h"
#include "vm/marshal/writer.h"
#include "vm/stack/raise.h"
#include "vm/state/vm.h"

#include <stdlib.h>

const uint8_t bigarray_element_bytes[BIGARRAY_KINDS] = {
#define SIMPLE(name, type, letter, to_value, of_value) sizeof(type),
#define COMPLEX(name, type)                            2 * sizeof(type),
    BIGARRAY_KIND_LIST(SIMPLE, COMPLEX, SIMPLE)
#undef SIMPLE
#undef COMPLEX
};

enum { KIND_AND_LAYOUT = BIGARRAY_KIND_MASK | BIGARRAY_FORTRAN_LAYOUT };

uintptr_t bigarray_elements(const struct bigarray *b) {
    uintptr_t n = 1;
    for (intptr_t i = 0; i < b->num_dims; i++) n *= (uintptr_t)b->dim[i];
    return n;
}

/* The size of the elements; false if it doesn't fit. */
static bool elements_size(enum bigarray_kind kind, int num_dims, const intptr_t *dims,
                          uintptr_t *bytes) {
    uintptr_t n = bigarray_element_bytes[kind];
    /* As in OCaml, an overflow is refused even if a later dimension is 0. */
    uintptr_t elements = 1;
    for (int i = 0; i < num_dims; i++)
        if (__builtin_mul_overflow(elements, (uintptr_t)dims[i], &elements)) return false;
    return !__builtin_mul_overflow(elements, n, bytes);
}

/* The pointer to the heap, what malloc adds, and a proxy. */
enum { OVERHEAD_BYTES = 80 };

/* The pointer to the heap that counts the elements (B4). counted: bytes charged, with the
 * overhead. */
static struct gc_heap **account_of(void *data, uintptr_t counted) {
    ASSERT(counted >= OVERHEAD_BYTES);
    return (struct gc_heap **)((char *)data + (counted - OVERHEAD_BYTES + 7) / 8 * 8);
}

static uintptr_t counted_bytes(const struct bigarray *b) {
    return b->flags & BIGARRAY_COUNTED ? bigarray_bytes(b) + OVERHEAD_BYTES : 0;
}

/* Memory for elements that gc_external_charge has counted. NULL: out of memory, and they are no
 * longer counted. */
static void *new_elements(struct gc_heap *heap, uintptr_t counted) {
    void *data = malloc((counted - OVERHEAD_BYTES + 7) / 8 * 8 + sizeof heap);
    if (data != NULL) *account_of(data, counted) = heap;
    else gc_external_uncharge(heap, counted);
    return data;
}

/* counted: 0 if they are not counted. */
static void free_elements(void *data, uintptr_t counted) {
    if (counted != 0) gc_external_uncharge(*account_of(data, counted), counted);
    free(data);
}

value bigarray_new(struct domain *d, intptr_t flags, int num_dims, void *data,
                   const intptr_t *dims) {
    ASSERT(num_dims >= 0 && num_dims <= BIGARRAY_MAX_DIMS);
    ASSERT((flags & BIGARRAY_KIND_MASK) < BIGARRAY_KINDS);
    intptr_t copy[BIGARRAY_MAX_DIMS]; /* dims may point into the heap */
    memcpy(copy, dims, (size_t)num_dims * sizeof *dims);
    enum bigarray_kind kind = (enum bigarray_kind)(flags & BIGARRAY_KIND_MASK);
    uintptr_t bytes = 0;
    if (data == NULL &&
        (!elements_size(kind, num_dims, copy, &bytes) || bytes > PTRDIFF_MAX - OVERHEAD_BYTES))
        vm_raise_out_of_memory(d);
    size_t size = sizeof(struct bigarray) + (size_t)num_dims * sizeof *dims;
    value v = gc_alloc_custom_mem(&d->gc, &bigarray_ops, size, bytes);
    struct bigarray *b = bigarray_of(v);
    b->data = data;
    b->num_dims = num_dims;
    b->flags = flags;
    b->proxy = NULL;
    memcpy(b->dim, copy, (size_t)num_dims * sizeof *dims);
    if (data != NULL) return v;
    GC_ROOT(&d->gc, &v);
    bool room = gc_external_charge(&d->gc, bytes + OVERHEAD_BYTES);
    data = room ? new_elements(d->gc.heap, bytes + OVERHEAD_BYTES) : NULL;
    if (data == NULL) vm_raise_out_of_memory(d);
    b = bigarray_of(v);
    b->data = data;
    b->flags |= BIGARRAY_MANAGED | BIGARRAY_COUNTED;
    return v;
}

struct bigarray_proxy *bigarray_proxy_of(struct bigarray *b) {
    ASSERT(b->flags & BIGARRAY_MANAGED_MASK); /* B1 */
    if (b->proxy != NULL) return b->proxy;
    struct bigarray_proxy *proxy = malloc(sizeof *proxy);
    if (proxy == NULL) return NULL;
    uintptr_t size = b->flags & BIGARRAY_MAPPED_FILE ? bigarray_bytes(b) : counted_bytes(b);
    *proxy = (struct bigarray_proxy){1, b->data, size};
    return b->proxy = proxy;
}

/* NULL: the elements are not counted. */
static struct gc_heap *heap_of_proxy(const struct bigarray_proxy *proxy) {
    return proxy->size == 0 ? NULL : *account_of(proxy->data, proxy->size);
}

void bigarray_drop_proxy(struct bigarray_proxy *proxy) {
    ASSERT(proxy->refcount > 0); /* B2 */
    if (--proxy->refcount > 0) return;
    struct gc_heap *heap = heap_of_proxy(proxy);
    if (heap != NULL) gc_external_released(heap, proxy);
    free_elements(proxy->data, proxy->size);
    free(proxy);
}

static void bigarray_finalize(value v) {
    struct bigarray *b = bigarray_of(v);
    if (!(b->flags & BIGARRAY_MANAGED)) return;
    if (b->proxy == NULL) {
        free_elements(b->data, counted_bytes(b));
        return;
    }
    struct gc_heap *heap = heap_of_proxy(b->proxy);
    if (heap != NULL && b->proxy->refcount > 1) gc_external_outlives(heap, v, b->proxy);
    bigarray_drop_proxy(b->proxy);
}

/* ---- Order. ---- */

/* With a nan two bigarrays are unordered; in a total order a nan is less than any number. */
#define COMPARE_NUMBERS(name, type, count, number)                       \
    case BIGARRAY_##name: {                                              \
        const type *p = x->data, *q = y->data;                           \
        for (uintptr_t i = 0; i < (count); i++) {                        \
            __typeof__(number(p[i])) a = number(p[i]), b = number(q[i]); \
            if (a < b) return -1;                                        \
            if (a > b) return 1;                                         \
            if (a == b) continue;                                        \
            *unordered = true;                                           \
            if (a == a) return 1;                                        \
            if (b == b) return -1;                                       \
        }                                                                \
        return 0;                                                        \
    }
#define SIMPLE(name, type, letter, to_value, of_value) COMPARE_NUMBERS(name, type, n, )
#define COMPLEX(name, type)                            COMPARE_NUMBERS(name, type, 2 * n, )
#define CODED(name, type, letter, to_value, of_value) \
    COMPARE_NUMBERS(name, type, n, double_of_float16)

static int compare_elements(const struct bigarray *x, const struct bigarray *y, bool *unordered) {
    uintptr_t n = bigarray_elements(x);
    ASSERT(bigarray_kind(x) == bigarray_kind(y) && bigarray_elements(y) == n);
    switch (bigarray_kind(x)) {
        BIGARRAY_KIND_LIST(SIMPLE, COMPLEX, CODED)
    case BIGARRAY_KINDS: break;
    }
    return 0;
}
#undef SIMPLE
#undef COMPLEX
#undef CODED

int bigarray_compare(value a, value b, bool *unordered) {
    const struct bigarray *x = bigarray_of(a), *y = bigarray_of(b);
    intptr_t difference = (y->flags & KIND_AND_LAYOUT) - (x->flags & KIND_AND_LAYOUT);
    if (difference == 0) difference = y->num_dims - x->num_dims;
    if (difference != 0) return (int)difference;
    for (intptr_t i = 0; i < x->num_dims; i++)
        if (x->dim[i] != y->dim[i]) return x->dim[i] < y->dim[i] ? -1 : 1;
    return compare_elements(x, y, unordered);
}

static int compare_or_unordered(value a, value b) {
    bool unordered = false;
    int order = bigarray_compare(a, b, &unordered);
    return unordered ? GC_UNORDERED : order;
}

/* ---- Hash: of the first 256 bytes: 128 numbers of 16 bits, 64 of 32 bits, 32 of 64 bits. ---- */

#define HASH_ELEMENTS(type, limit, mix)                     \
    do {                                                    \
        const type *p = b->data;                            \
        if (n > (limit)) n = (limit);                       \
        for (uintptr_t i = 0; i < n; i++) h = mix(h, p[i]); \
    } while (0)

static uint32_t hash_shorts(const uint16_t *p, uintptr_t n) {
    uint32_t h = 0;
    if (n > 128) n = 128;
    for (; n >= 2; p += 2, n -= 2) h = hash_mix_uint32(h, p[0] | (uint32_t)p[1] << 16);
    return n == 0 ? h : hash_mix_uint32(h, p[0]);
}

static intptr_t bigarray_hash(value v) {
    const struct bigarray *b = bigarray_of(v);
    uintptr_t n = bigarray_elements(b);
    uint32_t h = 0;
    switch (bigarray_kind(b)) {
    case BIGARRAY_CHAR:
    case BIGARRAY_SINT8:
    case BIGARRAY_UINT8: h = hash_mix_bytes(0, b->data, n < 256 ? n : 256); break;
    case BIGARRAY_SINT16:
    case BIGARRAY_UINT16: h = hash_shorts(b->data, n); break;
    case BIGARRAY_INT32: HASH_ELEMENTS(uint32_t, 64, hash_mix_uint32); break;
    case BIGARRAY_CAML_INT:
    case BIGARRAY_NATIVE_INT: HASH_ELEMENTS(intptr_t, 64, hash_mix_word); break;
    case BIGARRAY_INT64: HASH_ELEMENTS(int64_t, 32, hash_mix_int64); break;
    case BIGARRAY_FLOAT16: HASH_ELEMENTS(uint16_t, 128, hash_mix_float16); break;
    case BIGARRAY_COMPLEX32: n *= 2; /* fall through */
    case BIGARRAY_FLOAT32: HASH_ELEMENTS(float, 64, hash_mix_float); break;
    case BIGARRAY_COMPLEX64: n *= 2; /* fall through */
    case BIGARRAY_FLOAT64: HASH_ELEMENTS(double, 32, hash_mix_double); break;
    case BIGARRAY_KINDS: break;
    }
    return (intptr_t)h;
}

/* ---- External representation: number of dimensions and flags in 4 bytes each, dimensions in 2 (or
 * FFFF and 8), then the elements, big-endian. Elements of word-sized kinds follow a byte: 0 if they
 * have 4 bytes each, 1 if 8. ---- */

enum { LONG_DIMENSION = 0xFFFF };

/* The width of the numbers to swap: half an element for complex kinds. */
static unsigned part_bytes(enum bigarray_kind kind) {
    unsigned bytes = bigarray_element_bytes[kind];
    return kind == BIGARRAY_COMPLEX32 || kind == BIGARRAY_COMPLEX64 ? bytes / 2 : bytes;
}

/* Copies n numbers with their bytes reversed. Needs: to aligned for them. */
static void swap_bytes(void *to, const void *from, uintptr_t n, unsigned width) {
    memcpy(to, from, n * width);
    uint16_t *p2 = to;
    uint32_t *p4 = to;
    uint64_t *p8 = to;
    if (width == 2)
        for (uintptr_t i = 0; i < n; i++) p2[i] = __builtin_bswap16(p2[i]);
    else if (width == 4)
        for (uintptr_t i = 0; i < n; i++) p4[i] = __builtin_bswap32(p4[i]);
    else if (width == 8)
        for (uintptr_t i = 0; i < n; i++) p8[i] = __builtin_bswap64(p8[i]);
}

static void write_elements(struct vm_marshal_writer *w, const void *data, uintptr_t n,
                           unsigned width) {
    enum { BLOCK_BYTES = 4096 };
    uint64_t block[BLOCK_BYTES / 8];
    const char *from = data;
    for (uintptr_t step; n > 0; n -= step, from += step * width) {
        step = n < BLOCK_BYTES / width ? n : BLOCK_BYTES / width;
        swap_bytes(block, from, step, width);
        vm_marshal_put_bytes(w, block, step * width);
    }
}

/* Writes 4 bytes per element if all are in [-limit, limit). */
static void write_words(struct vm_marshal_writer *w, const intptr_t *p, uintptr_t n,
                        intptr_t limit) {
    bool narrow = true;
    for (uintptr_t i = 0; i < n && narrow; i++) narrow = p[i] >= -limit && p[i] < limit;
    vm_marshal_put_uint(w, !narrow, 1);
    if (!narrow) write_elements(w, p, n, 8);
    else
        for (uintptr_t i = 0; i < n; i++) vm_marshal_put_uint(w, (uint64_t)p[i], 4);
}

/* OCaml 4 has a limit of 0 because of a bug: only an empty bigarray is written that way. */
static intptr_t native_int_limit(const struct vm_marshal_writer *w) {
    return w->d->vm->version->marshal_narrows_nativeints ? (intptr_t)1 << 31 : 0;
}

void bigarray_write(struct vm_marshal_writer *w, value v, uint64_t *bytes_32, uint64_t *bytes_64) {
    const struct bigarray *b = bigarray_of(v);
    vm_marshal_put_uint(w, (uint64_t)b->num_dims, 4);
    vm_marshal_put_uint(w, (uint64_t)(b->flags & KIND_AND_LAYOUT), 4);
    for (intptr_t i = 0; i < b->num_dims; i++) {
        if (b->dim[i] < LONG_DIMENSION) {
            vm_marshal_put_uint(w, (uint64_t)b->dim[i], 2);
        } else {
            vm_marshal_put_uint(w, LONG_DIMENSION, 2);
            vm_marshal_put_uint(w, (uint64_t)b->dim[i], 8);
        }
    }
    uintptr_t n = bigarray_elements(b);
    enum bigarray_kind kind = bigarray_kind(b);
    if (kind == BIGARRAY_CAML_INT) write_words(w, b->data, n, (intptr_t)1 << 30);
    else if (kind == BIGARRAY_NATIVE_INT) write_words(w, b->data, n, native_int_limit(w));
    else write_elements(w, b->data, bigarray_bytes(b) / part_bytes(kind), part_bytes(kind));
    *bytes_32 = 4 * (4 + (uint64_t)b->num_dims);
    *bytes_64 = 8 * (4 + (uint64_t)b->num_dims);
}

static void widen_words(intptr_t *to, const uint8_t *from, uintptr_t n) {
    for (uintptr_t i = 0; i < n; i++) {
        uint32_t x;
        memcpy(&x, from + 4 * i, 4);
        to[i] = (int32_t)__builtin_bswap32(x);
    }
}

/* The marshalled description of a bigarray. */
struct payload {
    uint64_t num_dims, flags;
    intptr_t dims[BIGARRAY_MAX_DIMS];
    uintptr_t bytes;
    bool narrow;
    const uint8_t *elements;
};

static bool read_payload(struct vm_marshal_reader *r, struct payload *p) {
    p->num_dims = vm_marshal_get_uint(r, 4);
    p->flags = vm_marshal_get_uint(r, 4);
    if (p->num_dims > BIGARRAY_MAX_DIMS) {
        vm_marshal_fail(r, "wrong number of bigarray dimensions", "more than 16 dimensions");
        return false;
    }
    for (uint64_t i = 0; i < p->num_dims; i++) {
        uint64_t n = vm_marshal_get_uint(r, 2);
        p->dims[i] = (intptr_t)(n == LONG_DIMENSION ? vm_marshal_get_uint(r, 8) : n);
        if (p->dims[i] < 0)
            vm_marshal_fail(r, "size overflow for bigarray", "a negative dimension");
    }
    uint64_t unknown = p->flags & ~(uint64_t)KIND_AND_LAYOUT;
    const struct vm_version *version = vm_marshal_domain(r)->vm->version;
    if (!bigarray_kind_exists(version, p->flags & BIGARRAY_KIND_MASK) || unknown != 0)
        vm_marshal_fail(r, "bad bigarray kind", "a bigarray of unknown kind");
    enum bigarray_kind kind = (enum bigarray_kind)(p->flags & BIGARRAY_KIND_MASK);
    if (vm_marshal_failed(r)) return false;
    if (!elements_size(kind, (int)p->num_dims, p->dims, &p->bytes)) {
        vm_marshal_fail(r, "size overflow for bigarray", "the size of a bigarray overflows");
        return false;
    }
    bool words = kind == BIGARRAY_CAML_INT || kind == BIGARRAY_NATIVE_INT;
    p->narrow = words && vm_marshal_get_uint(r, 1) == 0;
    p->elements = vm_marshal_get_bytes(r, p->narrow ? p->bytes / 2 : p->bytes);
    return !vm_marshal_failed(r);
}

static size_t payload_size(const struct payload *p) {
    return sizeof(struct bigarray) + p->num_dims * sizeof p->dims[0];
}

/* Turns *b into the bigarray of p. */
static bool fill(struct vm_marshal_reader *r, struct bigarray *b, const struct payload *p) {
    ASSERT(p->num_dims <= BIGARRAY_MAX_DIMS);
    b->num_dims = (intptr_t)p->num_dims;
    b->flags = (intptr_t)p->flags;
    b->proxy = NULL;
    memcpy(b->dim, p->dims, p->num_dims * sizeof p->dims[0]);
    struct gc_heap *heap = vm_marshal_domain(r)->gc.heap;
    size_t counted = p->bytes + OVERHEAD_BYTES;
    b->data = gc_external_try_charge(heap, counted) ? new_elements(heap, counted) : NULL;
    if (b->data == NULL) {
        vm_marshal_fail(r, "out of memory for bigarray",
                        "no memory for the elements of a bigarray");
        return false;
    }
    b->flags |= BIGARRAY_MANAGED | BIGARRAY_COUNTED;
    unsigned width = part_bytes(bigarray_kind(b));
    if (p->narrow) widen_words(b->data, p->elements, p->bytes / 8);
    else swap_bytes(b->data, p->elements, p->bytes / width, width);
    return true;
}

value bigarray_read(struct vm_marshal_reader *r, const struct gc_custom_ops *ops, size_t declared) {
    struct payload p;
    if (!read_payload(r, &p)) return 0;
    value v = vm_marshal_new_custom(r, ops, payload_size(&p), p.bytes);
    return v != 0 && fill(r, bigarray_of(v), &p) ? v : 0;
}

size_t bigarray_read_into(struct vm_marshal_reader *r, struct bigarray *b) {
    struct payload p;
    return read_payload(r, &p) && fill(r, b, &p) ? payload_size(&p) : 0;
}

const struct gc_custom_ops bigarray_ops = {
    .identifier = "_bigarr02",
    .finalize = bigarray_finalize,
    .compare = compare_or_unordered,
    .hash = bigarray_hash,
};
