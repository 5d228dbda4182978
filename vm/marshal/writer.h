/* writer.h - values as the bytes of a message (vm/marshal/reader.h draws the format).
 *
 * The writer walks a value without changing it: the objects that were seen are in a hash table by
 * address. So nothing may collect while it runs, and nothing in it does. Its memory beyond the
 * structure, which is a local variable of the caller, comes from an arena that the caller frees. */
#ifndef BACTRIAN_VM_MARSHAL_WRITER_H
#define BACTRIAN_VM_MARSHAL_WRITER_H

#include "gc/small_tables.h"
#include "gc/value.h"
#include "vm/base/arena.h"

struct domain;
struct gc_custom_ops;
struct marshal_writer;

/* Writes the payload of v, a custom block, and gives the size of its data (without the operations
 * pointer) on 32-bit and on 64-bit machines. GC: never. */
typedef void marshal_custom_write(struct marshal_writer *w, value v, uint64_t *bytes_32,
                                  uint64_t *bytes_64);

/* How custom blocks other than boxed integers are written; the caller's (stdlib/customs.h). */
struct marshal_customs {
    /* Of the built-in kind with these operations; NULL: it is none. */
    marshal_custom_write *(*find)(const struct gc_custom_ops *ops);
    /* Of a C library's kind that has a serialize function. GC: only if that raises; the writer
     * has failed then, with w->exn. */
    marshal_custom_write *foreign;
};

/* The bits of Marshal's list of flags, in the order of its constructors, and one of our own: v
 * stays alive and unchanged until the bytes were used, so those of large blocks needn't be
 * copied. */
enum { MARSHAL_NO_SHARING = 1, MARSHAL_CLOSURES = 2, MARSHAL_COMPAT_32 = 4, MARSHAL_BORROW = 8 };

/* A piece of the data; the data of a message are its chunks, first to last. */
struct marshal_chunk {
    struct marshal_chunk *next;
    size_t used, room;
    uint8_t *bytes;
};

enum marshal_failure {
    MARSHAL_WRITTEN,
    MARSHAL_REFUSED, /* Invalid_argument, with text */
    MARSHAL_TOO_BIG, /* for a 32-bit machine: Failure, with text */
    MARSHAL_NO_MEMORY,
    MARSHAL_STOPPED, /* by vm_request_stop: a cyclic value without sharing takes long to end */
    MARSHAL_RAISED   /* a foreign serialize function raised exn */
};

struct marshal_rest; /* fields that are still to be written */
enum {
    MARSHAL_SMALL_BYTES = IF_SMALL_TABLES(32, 2048),
    MARSHAL_SMALL_TABLE = IF_SMALL_TABLES(8, 128),
    MARSHAL_SMALL_STACK = IF_SMALL_TABLES(1, 64),
};

struct marshal_writer {
    struct domain *d;
    const struct marshal_customs *customs;
    struct vm_arena *scratch;
    size_t scratch_bytes; /* so far: a cyclic value written without sharing must end somewhere */
    unsigned flags;
    bool borrows;      /* MARSHAL_BORROW */
    size_t chunk_room; /* of the last chunk that was made */
    enum marshal_failure failure;
    const char *text;
    value exn; /* not a root: nothing may be allocated until it is raised */
    uint64_t objects, words_32, words_64;
    uint64_t data_bytes; /* known at the end */
    uint8_t header[32];
    unsigned header_bytes;             /* 20 or 32 */
    struct marshal_chunk first, *last; /* of last, used is known when it is full or all is done */
    uint8_t *at, *limit;               /* the free rest of last */
    uint64_t *table;                   /* the objects by address, with their numbers */
    uint64_t *used;                    /* bitmap of its slots; those of others have no content */
    size_t slot;                       /* of the object that is being written */
    unsigned table_bits; /* 2^table_bits slots, at most two thirds of them in use: ... */
    uint64_t widen_at;   /* ... so many objects; 0: sharing is off */
    struct marshal_rest *stack;
    size_t depth, stack_room;
    uint8_t small_bytes[MARSHAL_SMALL_BYTES];
    uint64_t small_table[MARSHAL_SMALL_TABLE], small_used[(MARSHAL_SMALL_TABLE + 63) / 64];
    value *small_stack[2 * MARSHAL_SMALL_STACK];
};

/* Marshals v. False: w->failure and w->text say why. scratch: freed by the caller after the bytes
 * were used. GC: never, unless customs->foreign runs one. */
bool marshal_write(struct marshal_writer *w, struct domain *d,
                   const struct marshal_customs *customs, value v, unsigned flags,
                   struct vm_arena *scratch);
/* Copies header and data to a place of header_bytes + data_bytes bytes. GC: never. */
void marshal_copy(const struct marshal_writer *w, uint8_t *to);
/* Frees w->scratch and raises what failed. */
_Noreturn void marshal_raise(struct domain *d, const struct marshal_writer *w);

/* The writer fails with an exception that was raised meanwhile. GC: never. */
void marshal_fail_raised(struct marshal_writer *w, value exn);

/* For the writers of custom payloads. GC: never. After a failure they do nothing. */
void marshal_put_uint(struct marshal_writer *w, uint64_t x, unsigned bytes); /* big-endian */
void marshal_put_bytes(struct marshal_writer *w, const void *bytes, size_t n);

#endif
