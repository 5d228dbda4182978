/* prim_sys_files.c - the files and directories of module Sys.
 *
 * Errors are Sys_error "PATH: text of the system". A path with a NUL inside names no file. */
#include "stdlib/place.h"
#include "stdlib/prim.h"
#include "vm/blocking.h"
#include "vm/signal.h"

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

static struct place place_of(struct domain *d, enum vm_capability capability, value path) {
    return (struct place){.vm = d->vm, .capability = capability, .path = path_of(d, path)};
}

/* Raises the failure of an operation on a place. */
_Noreturn static void fail(struct domain *d, const struct place *place, value path) {
    if (place->refused != NULL) vm_raise_refused(d, place->path, place->refused);
    vm_raise_sys_error(d, errno, path);
}

static value done(struct domain *d, int result, const struct place *place, value path) {
    if (result == -1) fail(d, place, path);
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
    GC_ROOT(&d->gc, &path);
    int bits = open_flags(flags);
    vm_run_due_signal_handlers(d);
    bool writes = (bits & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) != 0;
    struct place place = place_of(d, writes ? CAP_FS_WRITE : CAP_FS_READ, path);
    /* What is opened for writing with O_RDONLY among its flags can be read as well. */
    struct place read = place_of(d, CAP_FS_READ, path);
    struct stat about;
    bool may_read = !writes || (bits & O_ACCMODE) != O_RDONLY || place_stat(&read, &about) == 0 ||
                    read.refused == NULL;
    if (!may_read) fail(d, &read, path);
    char *name = strdup(place.path);
    if (name == NULL) vm_raise_out_of_memory(d);
    place.path = name;
    vm_enter_blocking(d); /* a named pipe opens when somebody else opens it */
    int fd = place_open(&place, bits, (mode_t)int_of_val(permissions));
    vm_leave_blocking(d);
    place.path = string_bytes(path);
    GC_UNROOT(&d->gc);
    free(name); /* errno is kept */
    if (fd == -1) fail(d, &place, path);
    return val_of_int(fd);
}

value prim_sys_close(struct domain *d, value fd) {
    if (!vm_is_own_descriptor(d->vm, (int)int_of_val(fd))) close((int)int_of_val(fd));
    return VAL_UNIT;
}

/* ---- Files. ---- */

value prim_sys_file_exists(struct domain *d, value path) {
    struct stat about;
    if (!is_c_string(path)) return VAL_FALSE;
    struct place place = place_of(d, CAP_FS_READ, path);
    if (place_stat(&place, &about) == 0) return VAL_TRUE;
    if (place.refused != NULL) fail(d, &place, path);
    return VAL_FALSE;
}

value prim_sys_is_directory(struct domain *d, value path) {
    struct stat about;
    struct place place = place_of(d, CAP_FS_READ, path);
    done(d, place_stat(&place, &about), &place, path);
    return val_of_bool(S_ISDIR(about.st_mode));
}

value prim_sys_remove(struct domain *d, value path) {
    struct place place = place_of(d, CAP_FS_WRITE, path);
    return done(d, place_remove(&place, 0), &place, path);
}

value prim_sys_rename(struct domain *d, value from, value to) {
    struct place old = place_of(d, CAP_FS_WRITE, from), new = place_of(d, CAP_FS_WRITE, to);
    /* What may not be read where it is doesn't go where it may. */
    struct place hidden = place_of(d, CAP_FS_READ, from), shown = place_of(d, CAP_FS_READ, to);
    if (!place_is_granted(&hidden) && place_is_granted(&shown)) {
        place_refuse(&hidden);
        fail(d, &hidden, from);
    }
    int result = place_rename(&old, &new);
    return done(d, result, new.refused != NULL ? &new : &old, VAL_UNIT);
}

/* ---- Directories. ---- */

value prim_sys_chdir(struct domain *d, value path) {
    struct place place = place_of(d, CAP_FS_READ, path);
    return done(d, place_chdir(&place), &place, path);
}

value prim_sys_mkdir(struct domain *d, value path, value permissions) {
    struct place place = place_of(d, CAP_FS_WRITE, path);
    return done(d, place_mkdir(&place, (mode_t)int_of_val(permissions)), &place, path);
}

value prim_sys_rmdir(struct domain *d, value path) {
    struct place place = place_of(d, CAP_FS_WRITE, path);
    return done(d, place_remove(&place, AT_REMOVEDIR), &place, path);
}

value prim_sys_getcwd(struct domain *d, value unit) {
    char path[PATH_MAX];
    const char *flag = vm_policy_refusal(d->vm, CAP_FS_READ);
    if (flag != NULL) vm_raise_refused(d, "caml_sys_getcwd", flag);
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
static int read_names(struct place *place, struct names *names) {
    int fd = place_open(place, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd == -1) return errno;
    DIR *directory = fdopendir(fd);
    if (directory == NULL) {
        close(fd);
        return ENOMEM;
    }
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
    struct place place = place_of(d, CAP_FS_READ, path);
    int error = read_names(&place, &names);
    *(struct names *)custom_data(owner) = names;
    errno = error;
    if (error != 0) fail(d, &place, path);
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
