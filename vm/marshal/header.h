/* header.h - the headers of marshalled values (README.md draws them), and zstd's frames after one
 * of the three kinds. */
#ifndef BACTRIAN_VM_MARSHAL_HEADER_H
#define BACTRIAN_VM_MARSHAL_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VM_MARSHAL_HEADER_START = 5, /* bytes that say how long the header is */
    VM_MARSHAL_SMALL_HEADER = 20,
    VM_MARSHAL_BIG_HEADER = 32,
    VM_MARSHAL_MAX_HEADER = 63 /* of compressed values; OCaml's have at most 55 */
};
#define VM_MARSHAL_MAGIC_COMPRESSED 0x8495A6BDu
#define VM_MARSHAL_MAGIC_SMALL      0x8495A6BEu
#define VM_MARSHAL_MAGIC_BIG        0x8495A6BFu

struct vm_marshal_header {
    uint32_t header_bytes;
    bool compressed;
    uint64_t stored_bytes; /* after the header */
    uint64_t data_bytes;   /* the same, of compressed values after unpacking */
    uint64_t objects;      /* 0: written without sharing */
    uint64_t words;        /* in the heap, block headers included */
};

enum vm_marshal_header_result {
    VM_MARSHAL_HEADER_OK,
    VM_MARSHAL_HEADER_SHORT,    /* n is less than this kind of header needs */
    VM_MARSHAL_HEADER_BAD,      /* no known magic number */
    VM_MARSHAL_HEADER_TOO_LARGE /* a number of more than 64 bits */
};

/* The length of the header that begins with these VM_MARSHAL_HEADER_START bytes, at least as many
 * and at most VM_MARSHAL_MAX_HEADER; of a small one if there is none. GC: never. */
size_t vm_marshal_header_length(const uint8_t *bytes);
/* Decodes the header at the start of n bytes. GC: never. */
enum vm_marshal_header_result vm_marshal_read_header(const uint8_t *bytes, size_t n,
                                                     struct vm_marshal_header *out);

/* Whether frames of that length can unpack to that much; if not, the value is refused before memory
 * is allocated. GC: never. */
bool vm_marshal_may_unpack(const struct vm_marshal_header *head);
/* Unpacks stored, the stored_bytes after the header of a compressed value, into data, data_bytes of
 * memory. False: the frames are invalid or have another content. GC: never. */
bool vm_marshal_unpack(const struct vm_marshal_header *head, const uint8_t *stored, uint8_t *data);

#endif
