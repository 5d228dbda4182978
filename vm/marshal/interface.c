/* interface.c - see interface.h. Files may be damaged: every shape is tested. */
#include "vm/marshal/interface.h"

#include "vm/marshal/reader.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "Caml1999I"
enum { MAGIC_BYTES = 12, MOST_BYTES = 64 << 20, MOST_FIELDS = 100000 };

/* Items of signatures: constructors of OCaml's type signature_item. */
enum { ITEM_VALUE, ITEM_TYPE, ITEM_EXTENSION, ITEM_MODULE, ITEM_MODULE_TYPE, ITEM_CLASS };
enum { ITEM_IDENT, ITEM_DESCRIPTION, VALUE_KIND = 1, KIND_PRIMITIVE = 0, MODULE_ABSENT = 1 };

/* Identifiers have a name first, whatever their kind. */
static const char *ident_name(value v) {
    if (!is_block(v) || tag_of(v) >= TAG_NO_SCAN || wosize_of(v) == 0) return NULL;
    v = field(v, 0);
    return is_block(v) && tag_of(v) == TAG_STRING ? string_bytes(v) : NULL;
}

static bool is_tuple(value v, size_t size) {
    return is_block(v) && tag_of(v) == 0 && wosize_of(v) >= size;
}

/* Whether an item of a signature has a field: externals and aliases of modules have none. */
static bool has_field(value item) {
    const value what = field(item, ITEM_DESCRIPTION);
    switch (tag_of(item)) {
    case ITEM_VALUE:
        return is_tuple(what, VALUE_KIND + 1) &&
               !(is_block(field(what, VALUE_KIND)) &&
                 tag_of(field(what, VALUE_KIND)) == KIND_PRIMITIVE);
    case ITEM_MODULE: return what != val_of_int(MODULE_ABSENT);
    case ITEM_EXTENSION:
    case ITEM_CLASS: return true;
    default: return false;
    }
}

uint32_t vm_interface_fields(value signature,
                             void (*f)(void *context, const char *name, uint32_t field, value item),
                             void *context) {
    uint32_t fields = 0;
    for (value list = signature; is_tuple(list, 2) && fields < MOST_FIELDS; list = field(list, 1)) {
        const value item = field(list, 0);
        if (!is_block(item) || tag_of(item) >= TAG_NO_SCAN || wosize_of(item) < 2) break;
        if (!has_field(item)) continue;
        const char *name = ident_name(field(item, ITEM_IDENT));
        if (name != NULL) f(context, name, fields, item);
        fields++;
    }
    return fields;
}

/* ---- Files. ---- */

/* A file's bytes, allocated; NULL: there are none. */
static uint8_t *read_file(const char *path, size_t *length) {
    struct stat status;
    uint8_t *bytes = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > MAGIC_BYTES &&
        status.st_size < MOST_BYTES)
        bytes = malloc((size_t)status.st_size);
    *length = 0;
    while (bytes != NULL && *length < (size_t)status.st_size) {
        ssize_t n = read(file, bytes + *length, (size_t)status.st_size - *length);
        if (n <= 0) break;
        *length += (size_t)n;
    }
    close(file);
    return bytes;
}

static bool read_path(struct vm_interface *interface, const char *path, const char *module) {
    struct vm_error error;
    size_t length;
    value pair = 0;
    uint8_t *bytes = read_file(path, &length);
    if (bytes == NULL) return false;
    bool read = length > MAGIC_BYTES && memcmp(bytes, MAGIC, strlen(MAGIC)) == 0 &&
                vm_marshal_read_packed(bytes + MAGIC_BYTES, length - MAGIC_BYTES, &interface->arena,
                                       &pair, &error) == VM_OK &&
                is_tuple(pair, 2) && is_block(field(pair, 0)) &&
                tag_of(field(pair, 0)) == TAG_STRING &&
                strcmp(string_bytes(field(pair, 0)), module) == 0;
    free(bytes);
    if (read) interface->signature = field(pair, 1);
    else vm_interface_free(interface);
    return read;
}

bool vm_interface_read(struct vm_interface *interface, const char *folder, const char *module) {
    char path[PATH_MAX];
    for (int lower = 1; lower >= 0; lower--) {
        int length = snprintf(path, sizeof path, "%s/%s.cmi", folder, module);
        if (length < 0 || length >= (int)sizeof path) return false;
        char *first = path + strlen(folder) + 1;
        if (lower) *first = (char)tolower((unsigned char)*first);
        if (read_path(interface, path, module)) return true;
    }
    return false;
}

void vm_interface_free(struct vm_interface *interface) {
    vm_arena_free(&interface->arena);
    *interface = (struct vm_interface){0};
}
