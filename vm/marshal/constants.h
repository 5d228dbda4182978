/* constants.h - a marshalled value of plain data as an array of rows, outside the heap.
 *
 * The rows are in pre-order: a block's row, then those of its fields. That is the order of the
 * bytes too, so writing is one loop. The assembler and the disassembler use them,
 * for DATA and other sections that are one marshalled value. */
#ifndef BACTRIAN_VM_IMAGE_CONSTANTS_H
#define BACTRIAN_VM_IMAGE_CONSTANTS_H

#include "vm/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum vm_constant_kind {
    CONSTANT_INT,
    CONSTANT_BLOCK,   /* size fields */
    CONSTANT_STRING,  /* size bytes */
    CONSTANT_DOUBLE,  /* bits */
    CONSTANT_DOUBLES, /* a float array: size times 8 bytes, little-endian */
    CONSTANT_INT32,
    CONSTANT_INT64,
    CONSTANT_NATIVE,
    CONSTANT_SHARED, /* the block, string, ... of row target once more */
};

struct vm_constant {
    uint8_t kind, tag;
    bool shared; /* some row's target */
    uint32_t size;
    uint32_t end; /* the row after its last descendant (vm_constants_link) */
    union {
        int64_t integer;
        uint64_t bits;
        const uint8_t *bytes; /* not owned */
        uint32_t target;
    };
};

struct vm_constants {
    struct vm_constant *rows; /* owned */
    uint32_t count;
    size_t capacity;
    struct vm_arena arena; /* what vm_constants_read has read */
};

/* Every program's first globals: blocks (name, -1 - slot) of that tag. */
enum { VM_PREDEFINED_COUNT = 12, VM_PREDEFINED_TAG = 248 };
extern const char *const vm_predefined_exceptions[VM_PREDEFINED_COUNT];

/* Whether references can name the row (K2). */
static inline bool vm_constant_is_object(const struct vm_constant *row) {
    return row->kind != CONSTANT_INT && row->kind != CONSTANT_SHARED &&
           !(row->kind == CONSTANT_BLOCK && row->size == 0);
}

/* Adds a row. GC: never.  Fails: NULL on exhausted memory or at 2^31 rows. */
struct vm_constant *vm_constants_add(struct vm_constants *constants, enum vm_constant_kind kind);
void vm_constants_free(struct vm_constants *constants);
/* Sets end and shared of all rows. GC: never.  Fails: never. */
void vm_constants_link(struct vm_constants *constants);
/* Reads and links one value from n bytes, which aren't needed afterwards. GC: never. Fails: false
 * if vm_constants_write would not write the same bytes for the rows, or memory is exhausted.
 */
bool vm_constants_read(const uint8_t *bytes, size_t n, struct vm_constants *out);
/* Writes the value as Marshal does, with sharing. GC: never.  Fails: false if a count doesn't fit
 * the small format or memory is exhausted; write errors show in ferror(out). */
bool vm_constants_write(const struct vm_constants *constants, FILE *out);

#endif
