/* bigarray.h - the data behind Bigarray: what a custom block "_bigarr02" holds, by the C ABI's
 * layout.
 *
 *   | ops | data | num_dims | flags | proxy | dim 0 | ... | dim n-1 |
 *
 * The elements lie outside the heap. Bigarrays made by sub, slice, reshape and change_layout share
 * them with the one they came from: from then on both point at a proxy that counts its users, and
 * the last one that dies frees the elements. */
#ifndef BACTRIAN_STDLIB_BIGARRAY_H
#define BACTRIAN_STDLIB_BIGARRAY_H

#include "gc/value.h"

struct domain;
struct vm_marshal_reader;
struct vm_marshal_writer;

enum { BIGARRAY_MAX_DIMS = 16 };

enum bigarray_kind {
    BIGARRAY_FLOAT32,
    BIGARRAY_FLOAT64,
    BIGARRAY_SINT8,
    BIGARRAY_UINT8,
    BIGARRAY_SINT16,
    BIGARRAY_UINT16,
    BIGARRAY_INT32,
    BIGARRAY_INT64,
    BIGARRAY_CAML_INT,
    BIGARRAY_NATIVE_INT,
    BIGARRAY_COMPLEX32,
    BIGARRAY_COMPLEX64,
    BIGARRAY_CHAR,
    BIGARRAY_KINDS
};

enum {
    BIGARRAY_KIND_MASK = 0xff,
    BIGARRAY_FORTRAN_LAYOUT = 0x100, /* else C layout */
    BIGARRAY_MANAGED = 0x200,        /* data is ours, or the proxy's */
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
/* By kind. */
extern const uint8_t bigarray_element_bytes[BIGARRAY_KINDS];

/* The structure in a block of kind B, the kind of its elements. GC: never. */
static inline struct bigarray *bigarray_of(value v) { return custom_data(v); }
static inline enum bigarray_kind bigarray_kind(const struct bigarray *b) {
    return (enum bigarray_kind)(b->flags & BIGARRAY_KIND_MASK);
}
/* Number of elements, of bytes. GC: never. */
uintptr_t bigarray_elements(const struct bigarray *b);
static inline uintptr_t bigarray_bytes(const struct bigarray *b) {
    return bigarray_elements(b) * bigarray_element_bytes[bigarray_kind(b)];
}

/* A new bigarray. flags: kind and layout; dims: non-negative. data NULL: allocates the elements
 * (uninitialised), which must not overflow; else it points at elements that somebody else frees.
 * GC: may run. Fails: raises Out_of_memory. */
value bigarray_new(struct domain *d, intptr_t flags, int num_dims, void *data,
                   const intptr_t *dims);

/* The proxy through which the elements of b are shared, made if there is none; the caller counts
 * its share. Needs: BIGARRAY_MANAGED. NULL: no memory. GC: never. */
struct bigarray_proxy *bigarray_proxy_of(struct bigarray *b);
/* Gives up a share of managed elements: the last one frees them. GC: never. */
void bigarray_drop_proxy(struct bigarray_proxy *proxy);

/* Order of two bigarrays, as compare has it; *unordered: a nan was met, which makes <, = and >
 * false. GC: never. */
int bigarray_compare(value a, value b, bool *unordered);
/* The payload in messages (stdlib/customs.h, vm/marshal/reader.h). */
value bigarray_read(struct vm_marshal_reader *r, const struct gc_custom_ops *ops, size_t declared);
/* The same into *b, which has room for as many dimensions as the message says: foreign kinds that
 * are bigarrays inside. Returns the size, 0 if the message was refused. */
size_t bigarray_read_into(struct vm_marshal_reader *r, struct bigarray *b);
void bigarray_write(struct vm_marshal_writer *w, value v, uint64_t *bytes_32, uint64_t *bytes_64);

#endif
