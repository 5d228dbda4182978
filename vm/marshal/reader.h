/* reader.h - reads OCaml's external representation (Marshal).
 *
 * The reader has three uses: DATA of an image (plain data only), debug information (into an arena
 * outside the heap), and the program's input_value (everything that Marshal can write). README.md
 * draws the format.
 *
 * U1  Nothing that the input declares is trusted: what is allocated is bounded by a constant times
 *     the bytes that are left, and the header's counts of words and objects must be exact.
 * U2  The collector doesn't run while a value is read, and only the reader has pointers to the new
 *     blocks; when it returns, even after a failure, all fields of all of them are initialised.
 * U3  A value that was read cannot harm the machine: its closures name existing functions and have
 *     the environments that these expect, its atoms have tags of ordinary blocks. */
#ifndef BACTRIAN_VM_MARSHAL_READER_H
#define BACTRIAN_VM_MARSHAL_READER_H

#include "gc/value.h"
#include "vm/base/arena.h"
#include "vm/base/status.h"
#include "vm/marshal/header.h"

struct domain;
struct vm_marshal_reader;

/* ---- Into an arena, outside the heap. ---- */

/* The length of the marshalled value at bytes, of which at least its header can be read; n bytes
 * are left in the input. GC: never. Fails: with VM_BAD_MARSHAL. */
enum vm_status vm_marshal_read_extent(const uint8_t *bytes, size_t n, size_t *used,
                                      struct vm_error *error);
/* Reads the value at bytes into arena; *used is its length, header included. The result holds only
 * plain data (no closures; customs _i, _j, _n) in blocks of COLOUR_STATIC, atoms included.
 * GC: never. Fails: with VM_BAD_MARSHAL (detail: where and why) or VM_NO_MEMORY; the arena may then
 * hold parts. */
enum vm_status vm_marshal_read_arena(const uint8_t *bytes, size_t n, struct vm_arena *arena,
                                     value *out, size_t *used, struct vm_error *error);

/* The same of a value that may be compressed, as in the files of OCaml 5's compilers. */
enum vm_status vm_marshal_read_packed(const uint8_t *bytes, size_t n, struct vm_arena *arena,
                                      value *out, struct vm_error *error);

/* ---- Into the heap. ---- */

/* The number of globals in the table of DATA: reads only the first item, and checks it as
 * vm_marshal_read_image_data does. GC: never. Fails: with VM_BAD_MARSHAL. */
enum vm_status vm_marshal_read_image_globals(const uint8_t *bytes, size_t n, uint32_t *count,
                                             struct vm_error *error);
/* Reads DATA: n bytes that are exactly one value of plain data, its root a block of tag 0. All of
 * it is in the major heap. GC: never. Fails: with VM_BAD_MARSHAL; out_of_memory upcall. */
enum vm_status vm_marshal_read_image_data(struct domain *d, const uint8_t *bytes, size_t n,
                                          value *out, struct vm_error *error);

/* Reads a section that is exactly one value of plain data. GC: never. Fails: as above. */
enum vm_status vm_marshal_read_section(struct domain *d, const uint8_t *bytes, size_t n, value *out,
                                       struct vm_error *error);

/* How the payload of one kind of custom block is read (stdlib/customs.h has the rows of kinds other
 * than boxed integers). read makes the block with vm_marshal_new_custom and fills it; declared is
 * the size of the block's data without the operations pointer (SIZE_MAX in the old format, which
 * doesn't store it). It must not allocate in the heap otherwise, nor raise; it fails with
 * vm_marshal_fail. Before it calls foreign code it calls vm_marshal_initialise, and it passes what
 * that code raises to vm_marshal_read_raised. */
struct vm_marshal_custom_reader {
    const struct gc_custom_ops *ops;
    value (*read)(struct vm_marshal_reader *r, const struct gc_custom_ops *ops, size_t declared);
};

struct vm_marshal_read_options {
    /* The reader for an identifier other than _i, _j and _n, or NULL. May be NULL itself. */
    const struct vm_marshal_custom_reader *(*find_custom)(void *context, const char *identifier);
    void *context;
    const char *function; /* the name in messages, if the version has any but "input_value" */
    bool closures;        /* accept closures of this machine's code */
};

/* Why a value was refused. text: of OCaml's Failure; why: what exactly is wrong, at which byte of
 * the data. */
struct vm_marshal_read_fault {
    char text[384];
    const char *why;
    size_t offset;
    value exn; /* raised by a library's function that reads its custom blocks, or 0 */
};

/* Reads the data after a header: header->data_bytes bytes, unpacked ones of a compressed value.
 * They may lie in the heap, since nothing moves. options NULL: as DATA of an image. A small value
 * is allocated in the minor heap if that has room for it without a collection, any other in the
 * major heap. GC: never (a slice may be requested). Fails: false and *fault; out_of_memory
 * upcall. */
bool vm_marshal_read(struct domain *d, const struct vm_marshal_header *header, const uint8_t *bytes,
                     const struct vm_marshal_read_options *options, value *out,
                     struct vm_marshal_read_fault *fault);

/* ---- For readers of custom payloads. GC: never. After a failure all of them do nothing and return
 * 0; the value is then refused. ---- */

/* The domain into whose heap the value is read, or NULL. */
struct domain *vm_marshal_domain(const struct vm_marshal_reader *r);
/* Whether the value is refused already. */
bool vm_marshal_failed(const struct vm_marshal_reader *r);
/* The next number of 1, 2, 4 or 8 bytes, big-endian. */
uint64_t vm_marshal_get_uint(struct vm_marshal_reader *r, unsigned bytes);
/* The next n bytes, or NULL. */
const uint8_t *vm_marshal_get_bytes(struct vm_marshal_reader *r, size_t n);
/* A custom block with bytes of zeros after ops. The functions of ops must accept that state, since
 * the block stays in the heap even if the value is refused. outside: bytes that it will hold
 * outside the heap. 0 after a failure. */
value vm_marshal_new_custom(struct vm_marshal_reader *r, const struct gc_custom_ops *ops,
                            size_t bytes, size_t outside);
/* Refuses the value and returns 0. text: what follows "input_value: ", NULL: "ill-formed message".
 * why: a constant text. */
value vm_marshal_fail(struct vm_marshal_reader *r, const char *text, const char *why);
/* Refuses a custom block whose payload has another size than it says, and returns 0. */
value vm_marshal_fail_size(struct vm_marshal_reader *r, const char *why);
/* Refuses it because there is no memory for words, and returns 0. */
value vm_marshal_fail_memory(struct vm_marshal_reader *r, size_t words);
/* Prepares for a call of foreign code, which may raise: initialises all fields that are still to be
 * read, and those of later blocks when they are made. */
void vm_marshal_initialise(struct vm_marshal_reader *r);
/* Refuses the value with an exception that was raised after vm_marshal_initialise. */
void vm_marshal_read_raised(struct vm_marshal_reader *r, value exn);

#endif
