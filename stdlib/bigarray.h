/* bigarray.h - bigarrays: the custom block "_bigarr02", in the C ABI's layout.
 *
 *   | ops | data | num_dims | flags | proxy | dim 0 | ... | dim n-1 |
 *
 * The elements are outside the heap. Bigarrays made by sub, slice, reshape and change_layout share
 * those of the original: both then point at a proxy that counts its users, and the last one to die
 * frees the elements. */
#ifndef BACTRIAN_STDLIB_BIGARRAY_H
#define BACTRIAN_STDLIB_BIGARRAY_H

#include "gc/value.h"
#include "stdlib/float16.h"
#include "vm/code/version.h"

struct domain;
struct vm_marshal_reader;
struct vm_marshal_writer;

enum { BIGARRAY_MAX_DIMS = 16 };

/* The element for a float. GC: never. */
static inline uint16_t float16_of_val(value v) { return float16_of_double(double_of_val(v)); }

/* The kinds in the order of Bigarray's constructors:
 *     SIMPLE(name, C type, the letter in vm/code/prim.h of an element's kind, the value of a number
 *            n, the number of a value)
 *     COMPLEX(name, C type of the two parts)
 *     CODED(...) as SIMPLE, for numbers that C computes with in another type */
#define BIGARRAY_KIND_LIST(SIMPLE, COMPLEX, CODED)                            \
    SIMPLE(FLOAT32, float, 'f', copy_double(d, n), double_of_val)             \
    SIMPLE(FLOAT64, double, 'f', copy_double(d, n), double_of_val)            \
    SIMPLE(SINT8, int8_t, 'i', val_of_int(n), int_of_val)                     \
    SIMPLE(UINT8, uint8_t, 'i', val_of_int(n), int_of_val)                    \
    SIMPLE(SINT16, int16_t, 'i', val_of_int(n), int_of_val)                   \
    SIMPLE(UINT16, uint16_t, 'i', val_of_int(n), int_of_val)                  \
    SIMPLE(INT32, int32_t, 'j', copy_int32(d, n), int32_of_val)               \
    SIMPLE(INT64, int64_t, 'l', copy_int64(d, n), int64_of_val)               \
    SIMPLE(CAML_INT, intptr_t, 'i', val_of_int(n), int_of_val)                \
    SIMPLE(NATIVE_INT, intptr_t, 'n', copy_nativeint(d, n), nativeint_of_val) \
    COMPLEX(COMPLEX32, float)                                                 \
    COMPLEX(COMPLEX64, double)                                                \
    SIMPLE(CHAR, uint8_t, 'i', val_of_int(n), int_of_val)                     \
    CODED(FLOAT16, uint16_t, 'f', copy_double(d, double_of_float16(n)), float16_of_val)

enum bigarray_kind {
#define SIMPLE(name, type, letter, to_value, of_value) BIGARRAY_##name,
#define COMPLEX(name, type)                            BIGARRAY_##name,
    BIGARRAY_KIND_LIST(SIMPLE, COMPLEX, SIMPLE)
#undef SIMPLE
#undef COMPLEX
        BIGARRAY_KINDS
};

enum {
    BIGARRAY_KIND_MASK = 0xff,
    BIGARRAY_FORTRAN_LAYOUT = 0x100, /* else C layout */
    BIGARRAY_MANAGED = 0x200,        /* the block or the proxy owns data */
    BIGARRAY_MAPPED_FILE = 0x400,
    BIGARRAY_MANAGED_MASK = 0x600,
    BIGARRAY_COUNTED = 0x10000 /* data is managed, and was taken from the heap's account (B4) */
};

struct bigarray_proxy {
    intptr_t refcount;
    void *data;
    uintptr_t size; /* of a mapped file, or of elements that are counted; else 0 */
};

struct bigarray {
    void *data;
    intptr_t num_dims;
    intptr_t flags;
    struct bigarray_proxy *proxy; /* NULL: not shared */
    intptr_t dim[];
};

/* The operations of the blocks made here; foreign code may make others with the same identifier. */
extern const struct gc_custom_ops bigarray_ops;
/* Bytes of an element, by kind. */
extern const uint8_t bigarray_element_bytes[BIGARRAY_KINDS];

/* The structure in a block of kind B, the kind of its elements. GC: never. */
static inline struct bigarray *bigarray_of(value v) { return custom_data(v); }
static inline enum bigarray_kind bigarray_kind(const struct bigarray *b) {
    return (enum bigarray_kind)(b->flags & BIGARRAY_KIND_MASK);
}
/* Whether that version of OCaml has elements of that kind. GC: never. */
static inline bool bigarray_kind_exists(const struct vm_version *version, uintptr_t kind) {
    return kind < (version->has_float16 ? BIGARRAY_KINDS : BIGARRAY_FLOAT16);
}
/* Number of elements, of bytes. GC: never. */
uintptr_t bigarray_elements(const struct bigarray *b);
static inline uintptr_t bigarray_bytes(const struct bigarray *b) {
    return bigarray_elements(b) * bigarray_element_bytes[bigarray_kind(b)];
}

/* A new bigarray. flags: kind and layout; dims: non-negative. data NULL: allocates the elements
 * (uninitialised), which must not overflow; else it points at elements that the caller owns.
 * GC: may run. Fails: raises Out_of_memory. */
value bigarray_new(struct domain *d, intptr_t flags, int num_dims, void *data,
                   const intptr_t *dims);

/* The proxy through which the elements of b are shared, made if there is none; the caller counts
 * its share. Needs: BIGARRAY_MANAGED. NULL: out of memory. GC: never. */
struct bigarray_proxy *bigarray_proxy_of(struct bigarray *b);
/* Gives up a share of managed elements: the last one frees them. GC: never. */
void bigarray_drop_proxy(struct bigarray_proxy *proxy);

/* Order of two bigarrays, as compare defines it. Sets *unordered if a nan makes <, = and > false.
 * GC: never. */
int bigarray_compare(value a, value b, bool *unordered);
/* Reading and writing the external representation (stdlib/customs.h, vm/marshal/reader.h). */
value bigarray_read(struct vm_marshal_reader *r, const struct gc_custom_ops *ops, size_t declared);
/* The same into *b, for foreign kinds that contain a bigarray. Needs: room for the dimensions that
 * the marshalled value has. Returns the size, 0 if it was refused. */
size_t bigarray_read_into(struct vm_marshal_reader *r, struct bigarray *b);
void bigarray_write(struct vm_marshal_writer *w, value v, uint64_t *bytes_32, uint64_t *bytes_64);

#endif
