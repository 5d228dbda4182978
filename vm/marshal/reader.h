/* reader.h - the reader of marshalled data (OCaml's Marshal format; not the compressed one of
 * 5.1).
 *
 * One reader with three uses: DATA of an image (plain data only), debug information (into an arena
 * of its own, apart from the heap), and the program's input_value (everything that Marshal can
 * write).
 *
 *     magic[4] | data length, objects, words on 32 bits, words on 64 bits   (4 x 4 or 4 + 4 x 8
 *     bytes) data: the value in pre-order; see the codes in unmarshal.c
 *
 * U1  Nothing that the message declares is believed: what is allocated is bounded by a constant
 * times the bytes that are left, the counts of words and objects in the header must be exact.
 * U2  While a message is read the collector doesn't run, and no one but the reader knows the new
 *     blocks; when it ends, however that is, all of them are complete.
 * U3  A value that was read cannot hurt the machine: its closures name existing functions and have
 * the environment that those expect, its atoms have tags of ordinary blocks. */
#ifndef BACTRIAN_VM_MARSHAL_READER_H
#define BACTRIAN_VM_MARSHAL_READER_H

#include "gc/value.h"
#include "vm/base/arena.h"
#include "vm/base/status.h"

struct domain;
struct vm_reader;

enum { VM_MARSHAL_SMALL_HEADER = 20, VM_MARSHAL_BIG_HEADER = 32 };
#define VM_MARSHAL_MAGIC_SMALL 0x8495A6BEu
#define VM_MARSHAL_MAGIC_BIG   0x8495A6BFu

struct vm_marshal_header {
    uint32_t header_bytes; /* 20 or 32 */
    uint64_t data_bytes;   /* behind the header */
    uint64_t objects;      /* 0: written without sharing */
    uint64_t words;        /* of the heap, headers of blocks included */
};

enum vm_marshal_header_result {
    VM_HEADER_OK,
    VM_HEADER_SHORT, /* n is less than this kind of header needs */
    VM_HEADER_BAD    /* no magic number that is known */
};

/* Decodes the header at the start of n bytes. GC: never. */
enum vm_marshal_header_result vm_marshal_header(const uint8_t *bytes, size_t n,
                                                struct vm_marshal_header *out);

/* ---- Into an arena, apart from the heap. ---- */

/* How many bytes the message at bytes has, of which n lie before the end and its header surely can
 * be read. GC: never. Fails: with VM_BAD_MARSHAL. */
enum vm_status vm_marshal_read_extent(const uint8_t *bytes, size_t n, size_t *used,
                                      struct vm_error *error);
/* Reads the message at bytes into arena; *used is its length, header included. The result holds
 * only plain data (no closures; customs _i, _j, _n) in blocks of COLOUR_STATIC, atoms included.
 * GC: never. Fails: with VM_BAD_MARSHAL (detail: where and why) or VM_NO_MEMORY; the arena may then
 * hold parts. */
enum vm_status vm_marshal_read_arena(const uint8_t *bytes, size_t n, struct vm_arena *arena,
                                     value *out, size_t *used, struct vm_error *error);

/* ---- Into the heap. ---- */

/* How many globals the table that DATA holds will have. Looks at its first item only, and believes
 * it as vm_marshal_read_image_data would. GC: never. Fails: with VM_BAD_MARSHAL. */
enum vm_status vm_marshal_read_image_globals(const uint8_t *bytes, size_t n, uint32_t *count,
                                             struct vm_error *error);
/* Reads DATA: exactly one message of plain data in n bytes, its root a block of tag 0, which is in
 * the major heap as everything in it. GC: never. Fails: with VM_BAD_MARSHAL; out_of_memory
 * upcall. */
enum vm_status vm_marshal_read_image_data(struct domain *d, const uint8_t *bytes, size_t n,
                                          value *out, struct vm_error *error);

/* How the payload of one kind of custom block is read (stdlib/customs.h has the others' rows). read
 * makes the block with vm_reader_custom and fills it; declared is the size of the block's data
 * without the operations pointer (SIZE_MAX in the old format, which doesn't tell). It must not
 * allocate otherwise in the heap, nor raise; it fails with vm_reader_fail. One that calls foreign
 * code does so after vm_reader_settle, and hands what that raises to vm_reader_raise. */
struct vm_custom_reader {
    const struct gc_custom_ops *ops;
    value (*read)(struct vm_reader *r, const struct gc_custom_ops *ops, size_t declared);
};

struct vm_marshal_read_options {
    /* The reader for an identifier that isn't _i, _j or _n, or NULL. May be NULL itself. */
    const struct vm_custom_reader *(*find_custom)(void *context, const char *identifier);
    void *context;
    bool closures; /* accept closures of this machine's code */
};

/* Why a message was refused. text: as OCaml's Failure says it behind "input_value: "; why: what
 * exactly is wrong, at which byte of the data. */
struct vm_marshal_read_fault {
    char text[72];
    const char *why;
    size_t offset;
};

/* Reads the data behind a header: n = header->data_bytes bytes, which may lie in the heap, since
 * nothing moves. options NULL: as DATA of an image. The blocks of a small message are young if the
 * young area has room for them without a collection, all others are major. GC: never (a slice may
 * become due). Fails: false and *fault; out_of_memory upcall; raises what a foreign custom block
 * raised. */
bool vm_marshal_read(struct domain *d, const struct vm_marshal_header *header, const uint8_t *bytes,
                     const struct vm_marshal_read_options *options, value *out,
                     struct vm_marshal_read_fault *fault);

/* ---- For readers of custom payloads. GC: never. After a failure all of them do nothing and return
 * 0; the message is then refused. ---- */

/* The domain whose heap it is read into, or NULL. */
struct domain *vm_reader_domain(const struct vm_reader *r);
/* Whether the message is refused already. */
bool vm_reader_failed(const struct vm_reader *r);
/* Bytes of data that are left. */
size_t vm_reader_remaining(const struct vm_reader *r);
/* The next number of 1, 2, 4 or 8 bytes, big-endian. */
uint64_t vm_reader_uint(struct vm_reader *r, unsigned bytes);
/* The next n bytes, or NULL. */
const uint8_t *vm_reader_bytes(struct vm_reader *r, size_t n);
/* A custom block with bytes of data behind ops, all zero: in that state the functions of ops must
 * be able to stand it, for it stays in the heap even if the message is refused. outside: bytes
 * that it will hold outside the heap. 0 after a failure. */
value vm_reader_custom(struct vm_reader *r, const struct gc_custom_ops *ops, size_t bytes,
                       size_t outside);
/* Refuses the message; text: the words behind "input_value: ", NULL: "ill-formed message". why: a
 * constant text. */
void vm_reader_fail(struct vm_reader *r, const char *text, const char *why);
/* Refuses it for want of memory for so many words. */
void vm_reader_fail_memory(struct vm_reader *r, size_t words);
/* Foreign code is about to be called, which might raise: from now on the heap is in order whenever
 * it does. */
void vm_reader_settle(struct vm_reader *r);
/* Refuses the message with an exception that was raised since. */
void vm_reader_raise(struct vm_reader *r, value exn);

#endif
