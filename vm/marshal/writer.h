/* writer.h - writes a value in OCaml's external representation (README.md draws it).
 *
 * The writer walks a value without changing it: the objects seen so far are in a hash table by
 * address, so there must be no collection while it runs; the writer itself does not collect. Its
 * memory beyond the structure, which is a local variable of the caller, comes from an arena that
 * the caller frees. */
#ifndef BACTRIAN_VM_MARSHAL_WRITER_H
#define BACTRIAN_VM_MARSHAL_WRITER_H

#include "gc/containers.h"
#include "gc/value.h"
#include "vm/base/arena.h"
#include "vm/marshal/header.h"

struct domain;
struct gc_custom_ops;
struct vm_marshal_writer;

/* Writes the payload of v, a custom block, and returns the size of its data (without the operations
 * pointer) on 32-bit and on 64-bit machines. GC: never. */
typedef void vm_marshal_custom_write(struct vm_marshal_writer *w, value v, uint64_t *bytes_32,
                                     uint64_t *bytes_64);

/* How custom blocks other than boxed integers are written; the caller's (stdlib/customs.h). */
struct vm_marshal_customs {
    /* For the built-in kind with these operations; NULL: there is none. */
    vm_marshal_custom_write *(*find)(const struct gc_custom_ops *ops);
    /* For a C library's kind with a serialize function. GC: only if that raises; the writer has
     * failed then, with w->exn. */
    vm_marshal_custom_write *foreign;
};

/* The bits of Marshal's list of flags, in the order of its constructors (COMPRESSED: from 5.1 on),
 * and an additional one: v stays alive and unchanged until the bytes were used, so the contents of
 * large blocks needn't be copied. */
enum {
    VM_MARSHAL_NO_SHARING = 1,
    VM_MARSHAL_CLOSURES = 2,
    VM_MARSHAL_COMPAT_32 = 4,
    VM_MARSHAL_COMPRESSED = 8,
    VM_MARSHAL_BORROW = 16
};

/* A piece of the data, which is the concatenation of its chunks. */
struct vm_marshal_chunk {
    struct vm_marshal_chunk *next;
    size_t used, capacity;
    uint8_t *bytes;
};

enum vm_marshal_failure {
    VM_MARSHAL_WRITTEN,
    VM_MARSHAL_REFUSED, /* Invalid_argument, with text */
    VM_MARSHAL_TOO_BIG, /* for a 32-bit machine: Failure, with text */
    VM_MARSHAL_NO_MEMORY,
    VM_MARSHAL_STOPPED, /* by vm_request_stop: writing a cyclic value without sharing takes long */
    VM_MARSHAL_RAISED   /* a foreign serialize function raised exn */
};

struct marshal_rest; /* fields that are still to be written */
enum {
    VM_MARSHAL_FIRST_BYTES = IF_SMALL_TABLES(32, 2048),
    VM_MARSHAL_FIRST_TABLE = IF_SMALL_TABLES(8, 128),
    VM_MARSHAL_FIRST_STACK = IF_SMALL_TABLES(1, 64),
};

struct vm_marshal_writer {
    struct domain *d;
    const struct vm_marshal_customs *customs;
    struct vm_arena *scratch;
    size_t scratch_bytes; /* so far: bounded, as a cyclic value without sharing does not end */
    unsigned flags;
    size_t chunk_capacity; /* of the last chunk that was allocated */
    enum vm_marshal_failure failure;
    const char *text;
    value exn; /* not a root: nothing may be allocated until it is raised */
    uint64_t objects, words_32, words_64;
    uint64_t data_bytes; /* known at the end */
    uint8_t header[VM_MARSHAL_MAX_HEADER];
    unsigned header_bytes;
    struct vm_marshal_chunk first, *last; /* last->used is set when the chunk ends */
    uint8_t *at, *limit;                  /* the free rest of last */
    uint64_t *table;                      /* the objects by address, with their numbers */
    uint64_t *used;                       /* bitmap of its slots; free ones are undefined */
    size_t slot;                          /* of the object that is being written */
    unsigned table_bits;                  /* 2^table_bits slots, at most two thirds in use: */
    uint64_t grow_at;                     /* the table grows at that many objects; 0: no sharing */
    struct marshal_rest *stack;
    size_t depth, stack_capacity;
    uint8_t first_bytes[VM_MARSHAL_FIRST_BYTES];
    uint64_t first_table[VM_MARSHAL_FIRST_TABLE], first_used[(VM_MARSHAL_FIRST_TABLE + 63) / 64];
    value *first_stack[2 * VM_MARSHAL_FIRST_STACK];
};

/* Marshals v. Fails: false, with w->failure and w->text. scratch: freed by the caller after the
 * bytes were used. GC: never, unless customs->foreign runs one. */
bool vm_marshal_write(struct vm_marshal_writer *w, struct domain *d,
                      const struct vm_marshal_customs *customs, value v, unsigned flags,
                      struct vm_arena *scratch);
/* Copies header and data, header_bytes + data_bytes bytes. GC: never. */
void vm_marshal_copy(const struct vm_marshal_writer *w, uint8_t *to);

/* For writers of custom payloads. GC: never. After a failure they do nothing. */
void vm_marshal_put_uint(struct vm_marshal_writer *w, uint64_t x, unsigned bytes); /* big-endian */
void vm_marshal_put_bytes(struct vm_marshal_writer *w, const void *bytes, size_t n);
/* The writer fails with an exception that was raised meanwhile. GC: never. */
void vm_marshal_write_raised(struct vm_marshal_writer *w, value exn);

#endif
