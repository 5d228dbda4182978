/* image.c - the container of a bytecode executable, read from its end.
 *
 *     [launcher] [section 1] ... [section n] [n x {name[4], length BE32}] [n BE32] [magic[12]]
 *                                            ^ table                       ^ trailer
 *
 * Sections are adjacent before the table, in its order; what precedes the first is the launcher (a
 * #! line, a shell script, an ELF file of -custom, or nothing) and is not examined. The image owns
 * the bytes and the array of primitive names. CODE of a file is packed (vm/code/words.h) while it
 * is read, so that its bytes are never in memory as a whole.
 *
 * I1  Every section lies within [0, start of the table), and no two overlap.
 * I2  CODE, DATA and PRIM exist exactly once; of sections with other names the last one counts.
 * I3  code_words * 4 = length of CODE, and code is aligned for uint32_t.
 * I4  primitive_names[i] are NUL-terminated within PRIM and not empty. */
#include "vm/image/image.h"

#include "gc/assert.h"
#include "vm/base/os.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRAILER_BYTES = 16,
    TOC_ENTRY_BYTES = 8,
    MAGIC_BYTES = 12,
    MAX_SECTIONS = sizeof((struct vm_image *)0)->sections / sizeof(struct vm_section),
    MAX_PRIMITIVES = 1 << 16, /* the largest programs name some 600 */
    READ_WORDS = 1 << 12,     /* of CODE at once */
};

static uint32_t big_endian_32(const uint8_t *p) {
    uint32_t x;
    memcpy(&x, p, 4);
    return be32toh(x);
}

/* n characters for a message: what isn't printable becomes a question mark. */
static const char *printable(const char *text, size_t n, char shown[5]) {
    ASSERT(n <= 4);
    for (size_t i = 0; i < n; i++) shown[i] = text[i] > ' ' && text[i] < 127 ? text[i] : '?';
    shown[n] = 0;
    return shown;
}

static enum vm_status read_trailer(struct vm_image *image, struct vm_error *error) {
    if (image->length < TRAILER_BYTES)
        return vm_error_set(error, VM_NO_TRAILER, "%zu bytes, less than a trailer", image->length);
    const char *magic = (const char *)image->bytes + image->length - MAGIC_BYTES;
    image->version = vm_version_of_magic(magic);
    if (image->version == NULL) {
        if (memcmp(magic, "Caml1999X", 9) != 0)
            return vm_error_set(error, VM_NO_TRAILER, "no magic number at its end");
        char shown[5];
        return vm_error_set(error, VM_BAD_MAGIC, "magic number Caml1999X%s",
                            printable(magic + 9, 3, shown));
    }
    return VM_OK;
}

/* Establishes I1. */
static enum vm_status read_table(struct vm_image *image, struct vm_error *error) {
    const uint8_t *trailer = image->bytes + image->length - TRAILER_BYTES;
    uint32_t count = big_endian_32(trailer);
    if (count > MAX_SECTIONS)
        return vm_error_set(error, VM_BAD_TOC, "%u sections, at most %d are possible", count,
                            MAX_SECTIONS);
    size_t room = image->length - TRAILER_BYTES;
    if (room < (size_t)count * TOC_ENTRY_BYTES)
        return vm_error_set(error, VM_BAD_TOC, "%u sections do not fit into %zu bytes", count,
                            image->length);
    const uint8_t *table = trailer - (size_t)count * TOC_ENTRY_BYTES;
    room -= (size_t)count * TOC_ENTRY_BYTES;
    image->section_count = count;
    for (uint32_t i = count; i-- > 0;) {
        const uint8_t *row = table + (size_t)i * TOC_ENTRY_BYTES;
        struct vm_section *section = &image->sections[i];
        memcpy(section->name, row, 4);
        section->length = big_endian_32(row + 4);
        if (section->length > room) {
            char shown[5];
            return vm_error_set(error, VM_BAD_SECTION, "%s has %zu bytes, %zu are left",
                                printable(section->name, 4, shown), section->length, room);
        }
        room -= section->length;
        ASSERT(room + section->length <= (size_t)(table - image->bytes)); /* I1 */
        section->bytes = image->bytes + room;
    }
    return VM_OK;
}

/* The only section with a name (I2), or NULL with *error filled. */
static const struct vm_section *only_section(const struct vm_image *image, const char *name,
                                             struct vm_error *error) {
    const struct vm_section *found = vm_image_section(image, name);
    if (found == NULL) {
        vm_error_set(error, VM_NO_SECTION, "%s", name);
        return NULL;
    }
    for (const struct vm_section *s = image->sections; s < found; s++) {
        if (memcmp(s->name, name, 4) != 0) continue;
        vm_error_set(error, VM_DUPLICATE_SECTION, "%s", name);
        return NULL;
    }
    return found;
}

static bool is_aligned(const uint8_t *bytes) { return (uintptr_t)bytes % _Alignof(uint32_t) == 0; }

/* Copies CODE as host-order words. */
static bool copy_code(struct vm_image *image, const struct vm_section *section) {
    uint32_t *words = malloc(section->length);
    if (words == NULL) return false;
    memcpy(words, section->bytes, section->length);
    for (size_t i = 0; i < section->length / 4; i++) words[i] = le32toh(words[i]);
    image->code = image->code_copy = words;
    return true;
}

/* Establishes I3. */
static enum vm_status read_code(struct vm_image *image, struct vm_error *error) {
    const struct vm_section *section = only_section(image, "CODE", error);
    if (section == NULL) return error->status;
    if (section->length % 4 != 0 || section->length == 0)
        return vm_error_set(error, VM_BAD_CODE_SIZE, "CODE has %zu bytes%s", section->length,
                            section->length ? ", not a multiple of 4" : "");
    image->code_words = (uint32_t)(section->length / 4);
    if (image->packed.bytes != NULL) return VM_OK;
    if (le32toh(1) == 1 && is_aligned(section->bytes))
        image->code = (const uint32_t *)section->bytes;
    else if (!copy_code(image, section))
        return vm_error_set(error, VM_NO_MEMORY, "%zu bytes", section->length);
    ASSERT(is_aligned((const uint8_t *)image->code)); /* I3 */
    return VM_OK;
}

/* Establishes I4. */
static enum vm_status read_primitives(struct vm_image *image, struct vm_error *error) {
    const struct vm_section *section = only_section(image, "PRIM", error);
    if (section == NULL) return error->status;
    if (section->length == 0) return VM_OK;
    if (section->bytes[section->length - 1] != 0)
        return vm_error_set(error, VM_BAD_PRIM, "the last name is not terminated");
    uint32_t count = 0;
    for (size_t i = 0; i < section->length; i++) {
        if (section->bytes[i] != 0) continue;
        if (i == 0 || section->bytes[i - 1] == 0)
            return vm_error_set(error, VM_BAD_PRIM, "primitive %u has an empty name", count);
        if (++count > MAX_PRIMITIVES)
            return vm_error_set(error, VM_BAD_PRIM, "more than %d primitives", MAX_PRIMITIVES);
    }
    image->primitive_names = malloc(count * sizeof *image->primitive_names);
    if (image->primitive_names == NULL)
        return vm_error_set(error, VM_NO_MEMORY, "%u primitives", count);
    const char *name = (const char *)section->bytes;
    for (uint32_t i = 0; i < count; i++, name += strlen(name) + 1) image->primitive_names[i] = name;
    ASSERT(name == (const char *)section->bytes + section->length); /* I4 */
    image->primitive_count = count;
    image->version = vm_version_of_names(image->version, image->primitive_names, count);
    return VM_OK;
}

/* Reads the sections that every program has. Needs: I1. */
static enum vm_status read_contents(struct vm_image *image, struct vm_error *error) {
    enum vm_status status = read_code(image, error);
    if (status == VM_OK && only_section(image, "DATA", error) == NULL) status = error->status;
    if (status == VM_OK) status = read_primitives(image, error);
    if (status != VM_OK) vm_image_close(image);
    return status;
}

enum vm_status vm_image_from_memory(const uint8_t *bytes, size_t length, struct vm_image *out,
                                    struct vm_error *error) {
    memset(out, 0, sizeof *out);
    out->bytes = bytes;
    out->length = length;
    enum vm_status status = read_trailer(out, error);
    if (status == VM_OK) status = read_table(out, error);
    if (status == VM_OK) return read_contents(out, error);
    vm_image_close(out);
    return status;
}

/* Opens a regular file for reading; *length is its size. Returns -1 with *error filled. */
static int open_regular(const char *path, size_t *length, struct vm_error *error) {
    int fd = vm_open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0) vm_error_set(error, VM_NO_FILE, "%s", strerror(errno));
    else if (!S_ISREG(status.st_mode))
        vm_error_set(error, VM_NO_FILE, "%s",
                     S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file");
    else {
        *length = (size_t)status.st_size;
        return fd;
    }
    if (fd >= 0) close(fd);
    return -1;
}

/* Reads length bytes at a position; fails if the file became shorter meanwhile. */
static bool read_bytes(int fd, size_t at, uint8_t *bytes, size_t length, struct vm_error *error) {
    while (length > 0) {
        ssize_t n = pread(fd, bytes, length, (off_t)at);
        if (n > 0) {
            bytes += n;
            at += (size_t)n;
            length -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            vm_error_set(error, VM_NO_FILE, "%s", n == 0 ? "it became shorter" : strerror(errno));
            return false;
        }
    }
    return true;
}

/* Leaves DBUG (most of the compiler's file) to vm_image_read_debug, which reads it on demand.
 * False: could not duplicate the descriptor. */
static bool postpone_debug(struct vm_image *image, int fd) {
    image->debug_fd = vm_duplicate_high(fd);
    image->debug_apart = image->debug_fd >= 0;
    return image->debug_apart;
}

static bool pack_code(struct vm_image *image, int fd, size_t at, uint32_t *words,
                      struct vm_error *error) {
    struct vm_words *packed = &image->packed;
    while (packed->added < packed->count) {
        uint32_t n = packed->count - packed->added;
        if (n > READ_WORDS) n = READ_WORDS;
        if (!read_bytes(fd, at + (size_t)packed->added * 4, (uint8_t *)words, n * 4, error))
            return false;
        for (uint32_t i = 0; i < n; i++) words[i] = le32toh(words[i]);
        if (vm_words_add(packed, words, n)) continue;
        vm_error_set(error, VM_NO_MEMORY, "%u words of code", image->code_words);
        return false;
    }
    return true;
}

/* Reads CODE from a position and packs it. */
static bool read_code_packed(struct vm_image *image, int fd, size_t at, size_t length,
                             struct vm_error *error) {
    uint32_t *words = malloc(READ_WORDS * sizeof *words);
    bool ok = words != NULL && vm_words_start(&image->packed, (uint32_t)(length / 4));
    if (!ok) vm_error_set(error, VM_NO_MEMORY, "%zu bytes", length);
    ok = ok && pack_code(image, fd, at, words, error);
    free(words);
    return ok;
}

/* Reads the sections from the last to the first, then the launcher. */
static bool read_sections(struct vm_image *image, int fd, bool pack, struct vm_error *error) {
    uint8_t *bytes = (uint8_t *)image->bytes;
    size_t launcher = image->length;
    for (unsigned i = image->section_count; i-- > 0;) {
        const struct vm_section *s = &image->sections[i];
        size_t at = launcher = (size_t)(s->bytes - bytes);
        if (s == vm_image_section(image, "DBUG") && postpone_debug(image, fd)) continue;
        bool packs = pack && s == vm_image_section(image, "CODE") && s->length >= 4;
        if (packs ? !read_code_packed(image, fd, at, s->length, error)
                  : !read_bytes(fd, at, bytes + at, s->length, error))
            return false;
    }
    return read_bytes(fd, 0, bytes, launcher, error);
}

static bool has_magic_of(const struct vm_image *image, const struct vm_version *version) {
    return image->version != NULL && strcmp(image->version->magic, version->magic) == 0;
}

/* Reads the last bytes, which hold the table, and decodes it. only: a version, or NULL. */
static enum vm_status read_tail(struct vm_image *image, int fd, const struct vm_version *only,
                                struct vm_error *error) {
    uint8_t *bytes = (uint8_t *)image->bytes;
    size_t tail = TRAILER_BYTES + MAX_SECTIONS * TOC_ENTRY_BYTES;
    if (tail > image->length) tail = image->length;
    if (!read_bytes(fd, image->length - tail, bytes + image->length - tail, tail, error))
        return error->status;
    enum vm_status status = read_trailer(image, error);
    if (only != NULL && image->length >= TRAILER_BYTES && !has_magic_of(image, only))
        status = vm_error_set(error, VM_BAD_MAGIC, "not that of OCaml %s", only->name);
    return status == VM_OK ? read_table(image, error) : status;
}

/* The file is read, not mapped: truncating a mapped file kills the process with SIGBUS. */
static enum vm_status open_file(const char *path, bool pack, const struct vm_version *only,
                                struct vm_image *out, struct vm_error *error) {
    memset(out, 0, sizeof *out);
    size_t length;
    int fd = open_regular(path, &length, error);
    if (fd < 0) return error->status;
    enum vm_status status;
    out->bytes = out->owned = malloc(length + (length == 0));
    out->length = length;
    if (length == 0) status = vm_error_set(error, VM_NO_TRAILER, "it is empty");
    else if (out->owned == NULL) status = vm_error_set(error, VM_NO_MEMORY, "%zu bytes", length);
    else status = read_tail(out, fd, only, error);
    if (status == VM_OK && !read_sections(out, fd, pack, error)) status = error->status;
    close(fd);
    if (status != VM_OK) vm_image_close(out);
    return status;
}

enum vm_status vm_image_open_sections(const char *path, const struct vm_version *version,
                                      struct vm_image *out, struct vm_error *error) {
    return open_file(path, false, version, out, error);
}

enum vm_status vm_image_open(const char *path, struct vm_image *out, struct vm_error *error) {
    enum vm_status status = open_file(path, true, NULL, out, error);
    return status == VM_OK ? read_contents(out, error) : status;
}

/* The part of DBUG that lies in the range, if it is read on demand. */
static const uint8_t *debug_part(const struct vm_image *image, size_t from, size_t *length) {
    const struct vm_section *debug = vm_image_section(image, "DBUG");
    if (!image->debug_apart || from >= debug->length) return NULL;
    if (*length > debug->length - from) *length = debug->length - from;
    return debug->bytes + from;
}

enum vm_status vm_image_read_debug(const struct vm_image *image, size_t from, size_t length,
                                   struct vm_error *error) {
    const uint8_t *bytes = debug_part(image, from, &length);
    if (bytes == NULL || read_bytes(image->debug_fd, (size_t)(bytes - image->bytes),
                                    (uint8_t *)bytes, length, error))
        return VM_OK;
    return error->status;
}

void vm_image_drop_debug(const struct vm_image *image, size_t from, size_t length) {
    const uint8_t *bytes = debug_part(image, from, &length);
    if (bytes != NULL) vm_drop_pages(bytes, length);
}

void vm_image_drop_loaded(const struct vm_image *image) {
    if (image->owned == NULL) return;
    const struct vm_section *data = vm_image_section(image, "DATA");
    vm_drop_pages(image->bytes, (size_t)(image->sections[0].bytes - image->bytes));
    vm_drop_pages(data->bytes, data->length);
}

bool vm_image_take_code(struct vm_image *image, struct vm_words *out) {
    *out = image->packed;
    image->packed = (struct vm_words){.count = 0};
    if (out->bytes == NULL && !vm_words_make(out, image->code, image->code_words)) return false;
    free(image->code_copy);
    image->code = image->code_copy = NULL;
    return true;
}

bool vm_image_unpack_code(struct vm_image *image) {
    if (image->code != NULL) return true;
    ASSERT(image->packed.bytes != NULL);
    image->code_copy = malloc(image->code_words * sizeof *image->code_copy);
    if (image->code_copy == NULL) return false;
    for (uint32_t at = 0; at < image->code_words; at += WORD_GROUP)
        vm_words_of_group(&image->packed, at / WORD_GROUP, image->code_copy + at);
    image->code = image->code_copy;
    return true;
}

void vm_image_close(struct vm_image *image) {
    if (image->debug_apart) close(image->debug_fd);
    free(image->owned);
    free(image->code_copy);
    vm_words_free(&image->packed);
    free(image->primitive_names);
    memset(image, 0, sizeof *image);
}

const struct vm_section *vm_image_section(const struct vm_image *image, const char *name) {
    for (unsigned i = image->section_count; i-- > 0;)
        if (memcmp(image->sections[i].name, name, 4) == 0) return &image->sections[i];
    return NULL;
}

bool vm_is_bytecode_file(const char *path) {
    struct vm_error ignored;
    size_t length;
    int fd = open_regular(path, &length, &ignored);
    if (fd < 0) return false;
    uint8_t magic[MAGIC_BYTES];
    bool found = length >= TRAILER_BYTES &&
                 read_bytes(fd, length - MAGIC_BYTES, magic, MAGIC_BYTES, &ignored) &&
                 vm_version_of_magic((const char *)magic) != NULL;
    close(fd);
    return found;
}
