/* image.h - a bytecode executable as a container: trailer, table of sections, sections.
 *
 *     [launcher] [section 1] ... [section n] [n x {name[4], length BE32}] [n BE32] [magic[12]]
 *
 * Only the container is checked here; vm/code/verify.h checks CODE, vm/marshal reads DATA. */
#ifndef BACTRIAN_VM_IMAGE_IMAGE_H
#define BACTRIAN_VM_IMAGE_IMAGE_H

#include "vm/base/status.h"
#include "vm/code/version.h"
#include "vm/code/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm_section {
    char name[5];
    const uint8_t *bytes;
    size_t length;
};

struct vm_image {
    const struct vm_version *version;
    const uint8_t *bytes; /* the whole file; the sections point into it */
    size_t length;
    uint8_t *owned;                 /* freed with the image; NULL: bytes are the caller's */
    struct vm_section sections[64]; /* in file order */
    unsigned section_count;
    bool debug_apart; /* the bytes of DBUG are read on demand, from: */
    int debug_fd;
    struct vm_words packed; /* CODE of a file; it is not among the bytes then */
    const uint32_t *code;   /* CODE as aligned host-order words; NULL: it is packed, or taken */
    uint32_t code_words;
    uint32_t *code_copy;          /* code, where CODE could not be used in place */
    const char **primitive_names; /* PRIM, owned; the texts are in the section */
    uint32_t primitive_count;
};

/* Opens and checks a file (or bytes in memory, which must outlive the image). The file is read
 * completely, so that later changes to it have no effect, except the section DBUG, which is read
 * from the open file on demand (vm_image_read_debug). CODE of a file is packed while it is read.
 * GC: never. Fails: *out is empty; vm_image_close of it does nothing. */
enum vm_status vm_image_open(const char *path, struct vm_image *out, struct vm_error *error);
enum vm_status vm_image_from_memory(const uint8_t *bytes, size_t length, struct vm_image *out,
                                    struct vm_error *error);
/* Opens a container for its sections only; CODE and PRIM need not exist and are not checked.
 * GC: never.  Fails: as vm_image_open; VM_BAD_MAGIC if it isn't of that version. */
enum vm_status vm_image_open_sections(const char *path, const struct vm_version *version,
                                      struct vm_image *out, struct vm_error *error);
/* Returns the memory of DATA and of the launcher to the system once the program is loaded; their
 * bytes read as zero then. Does nothing if the image doesn't own its bytes. GC: never.
 * Fails: never. */
void vm_image_drop_loaded(const struct vm_image *image);
/* The words of CODE, which the caller then owns instead of the image. GC: never. Fails: false, out
 * of memory. */
bool vm_image_take_code(struct vm_image *image, struct vm_words *out);
/* Makes image->code of words that are packed. GC: never.  Fails: false, out of memory. */
bool vm_image_unpack_code(struct vm_image *image);
/* Reads length bytes of DBUG from a position, or as many as there are, into the image's bytes. GC:
 * never. Fails: these are undefined. */
enum vm_status vm_image_read_debug(const struct vm_image *image, size_t from, size_t length,
                                   struct vm_error *error);
/* Drops them, if they can be read again. GC: never.  Fails: never. */
void vm_image_drop_debug(const struct vm_image *image, size_t from, size_t length);
/* Frees what the image owns. GC: never.  Fails: never. */
void vm_image_close(struct vm_image *image);
/* The last section of that name, or NULL. */
const struct vm_section *vm_image_section(const struct vm_image *image, const char *name);
/* Whether the file at path ends in a trailer of any known version (so that it is a bytecode
 * executable); false when it can't be read. */
bool vm_is_bytecode_file(const char *path);

#endif
