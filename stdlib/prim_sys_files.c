/* prim_sys_files.c - the files and directories of module Sys.
 *
 * Errors are Sys_error "PATH: text of the system". A path with a NUL inside names no file. */
#include "stdlib/prim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_c_string(value s) { return strlen(string_bytes(s)) == string_length(s); }

static const char *path_of(struct domain *d, value path) {
    if (!is_c_string(path)) vm_raise_sys_error(d, ENOENT, path);
    return string_bytes(path);
}

static value done(struct domain *d, int result, value path) {
    if (result == -1) vm_raise_sys_error(d, errno, path);
    return VAL_UNIT;
}

/* ---- Descriptors. ---- */

static int open_flags(value list) {
    /* By the constructors of Stdlib.open_flag; binary and text are the same here. */
    static const int bits[] = {O_RDONLY, O_WRONLY, O_APPEND | O_WRONLY, O_CREAT, O_TRUNC, O_EXCL,
                               0,        0,        O_NONBLOCK};
    int flags = O_CLOEXEC;
    for (; is_block(list); list = field(list, 1)) {
        uintptr_t i = (uintptr_t)int_of_val(field(list, 0));
        if (i < sizeof bits / sizeof bits[0]) flags |= bits[i];
    }
    return flags;
}

value prim_sys_open(struct domain *d, value path, value flags, value permissions) {
    int fd = open(path_of(d, path), open_flags(flags), (mode_t)int_of_val(permissions));
    if (fd == -1) vm_raise_sys_error(d, errno, path);
    return val_of_int(fd);
}

value prim_sys_close(struct domain *d, value fd) {
    close((int)int_of_val(fd));
    return VAL_UNIT;
}

/* ---- Files. ---- */

value prim_sys_file_exists(struct domain *d, value path) {
    struct stat about;
    return val_of_bool(is_c_string(path) && stat(string_bytes(path), &about) == 0);
}

value prim_sys_is_directory(struct domain *d, value path) {
    struct stat about;
    done(d, stat(path_of(d, path), &about), path);
    return val_of_bool(S_ISDIR(about.st_mode));
}

value prim_sys_remove(struct domain *d, value path) {
    return done(d, unlink(path_of(d, path)), path);
}

value prim_sys_rename(struct domain *d, value from, value to) {
    const char *from_path = path_of(d, from);
    return done(d, rename(from_path, path_of(d, to)), VAL_UNIT);
}

/* ---- Directories. ---- */

value prim_sys_chdir(struct domain *d, value path) {
    return done(d, chdir(path_of(d, path)), path);
}

value prim_sys_mkdir(struct domain *d, value path, value permissions) {
    return done(d, mkdir(path_of(d, path), (mode_t)int_of_val(permissions)), path);
}

value prim_sys_rmdir(struct domain *d, value path) {
    return done(d, rmdir(path_of(d, path)), path);
}

value prim_sys_getcwd(struct domain *d, value unit) {
    char path[PATH_MAX];
    if (getcwd(path, sizeof path) == NULL) vm_raise_sys_error(d, errno, VAL_UNIT);
    return copy_string(d, path);
}

/* The names of a directory, each ended by a NUL. A custom block owns one, so that running out of
 * heap on the way to the array of strings leaks nothing. */
struct names {
    char *bytes;
    size_t length, capacity, count;
};

static void free_names(value v) { free(((struct names *)custom_data(v))->bytes); }

static const struct gc_custom_ops names_ops = {.identifier = "_names", .finalize = free_names};

static bool add_name(struct names *names, const char *name) {
    size_t n = strlen(name) + 1;
    if (names->length + n > names->capacity) {
        size_t capacity = 2 * names->capacity + n + 4000;
        char *bytes = realloc(names->bytes, capacity);
        if (bytes == NULL) return false;
        names->bytes = bytes;
        names->capacity = capacity;
    }
    memcpy(names->bytes + names->length, name, n);
    names->length += n;
    names->count++;
    return true;
}

/* All entries but . and .., in the system's order; 0 or an errno. */
static int read_names(const char *path, struct names *names) {
    DIR *directory = opendir(path);
    if (directory == NULL) return errno;
    int error = 0;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(directory);
        if (entry == NULL) {
            error = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (!add_name(names, entry->d_name)) {
            error = ENOMEM;
            break;
        }
    }
    closedir(directory);
    return error;
}

value prim_sys_read_directory(struct domain *d, value path) {
    value owner = VAL_UNIT, array = VAL_UNIT;
    GC_ROOT(&d->gc, &path, &owner, &array);
    path_of(d, path);
    owner = gc_alloc_custom(&d->gc, &names_ops, sizeof(struct names), 0, 1);
    memset(custom_data(owner), 0, sizeof(struct names));
    struct names names = {0};
    int error = read_names(path_of(d, path), &names);
    *(struct names *)custom_data(owner) = names;
    if (error != 0) vm_raise_sys_error(d, error, path);
    array = new_block(d, names.count, 0);
    const char *name = names.bytes;
    for (size_t i = 0; i < names.count; i++) {
        value text = copy_string(d, name);
        gc_store(&d->gc, array, i, text);
        name += strlen(name) + 1;
    }
    free_names(owner);
    ((struct names *)custom_data(owner))->bytes = NULL;
    GC_UNROOT(&d->gc);
    return array;
}
