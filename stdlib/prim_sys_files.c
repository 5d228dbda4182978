/* prim_sys_files.c - the files and directories of module Sys.
 *
 * Errors are Sys_error "PATH: text of the system". A path with a NUL byte names no file. A file
 * system may be slow: other threads run during a system call, as in ocamlrun, except during getcwd
 * and, in a sandbox, calls that change folders. Pending signals are handled before the call. */
#include "gc/containers.h"
#include "stdlib/prim.h"
#include "stdlib/sandbox.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path_of(struct domain *d, value path) {
    if (!is_c_string(path)) vm_raise_sys_error(d, ENOENT, path);
    return string_bytes(path);
}

static struct sandbox_path sandbox_of(struct domain *d, enum vm_capability capability, value path) {
    return (struct sandbox_path){.vm = d->vm, .capability = capability, .name = path_of(d, path)};
}

/* Raises the failure of an operation on a path. */
_Noreturn static void fail(struct domain *d, const struct sandbox_path *at, value path) {
    if (at->refused != NULL) vm_raise_refused(d, at->name, at->refused);
    vm_raise_sys_error(d, errno, path);
}

/* Work on one or two paths without the runtime lock: only accesses C memory (BL1). */
struct file_work {
    enum {
        OPEN,
        OPEN_BOTH,
        STAT,
        REMOVE,
        RENAME,
        CHANGE_FOLDER,
        MAKE_FOLDER,
        READ_FOLDER
    } operation;
    struct sandbox_path paths[2];
    int flags;
    mode_t permissions;
    void *out;
};

/* The names of a directory, each ended by a NUL. A custom block owns them, so that Out_of_memory
 * while the array is built leaks nothing. */
struct names {
    struct VECTOR(char) bytes;
    size_t count;
};

static void free_names(value v) { free(((struct names *)custom_data(v))->bytes.items); }

static const struct gc_custom_ops names_ops = {.identifier = "_names", .finalize = free_names};

static bool add_name(struct names *names, const char *name) {
    size_t n = strlen(name) + 1;
    if (!vector_reserve(&names->bytes, n, 4000, NULL)) return false;
    memcpy(names->bytes.items + names->bytes.count, name, n);
    names->bytes.count += n;
    names->count++;
    return true;
}

/* All entries except . and .., in the system's order. */
static int read_names(struct file_work *work) {
    struct names *names = work->out;
    int fd = sandbox_open(&work->paths[0], O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd == -1) return -1;
    DIR *directory = fdopendir(fd);
    if (directory == NULL) {
        close(fd);
        errno = ENOMEM;
        return -1;
    }
    struct dirent *entry;
    int error = 0;
    while (error == 0 && (errno = 0, entry = readdir(directory)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !add_name(names, entry->d_name))
            error = ENOMEM;
    if (error == 0) error = errno;
    closedir(directory);
    errno = error;
    return error == 0 ? 0 : -1;
}

/* Returns -1 if it failed: errno says why. */
static int perform(struct file_work *work) {
    struct sandbox_path *path = &work->paths[0];
    ASSERT(path->name != NULL && (work->operation != RENAME || work->paths[1].name != NULL));
    switch (work->operation) {
    case OPEN: return sandbox_open(path, work->flags, work->permissions);
    case OPEN_BOTH: return sandbox_open_both(path, &work->paths[1], work->flags, work->permissions);
    case STAT: return sandbox_stat(path, work->out);
    case REMOVE: return sandbox_remove(path, work->flags);
    case RENAME: return sandbox_rename(path, &work->paths[1]);
    case CHANGE_FOLDER: return sandbox_chdir(path);
    case MAKE_FOLDER: return sandbox_mkdir(path, work->permissions);
    case READ_FOLDER: return read_names(work);
    }
    return -1;
}

/* Whether other threads must wait: what a rename depends on stays so until it happens. */
static bool is_atomic(const struct domain *d, const struct file_work *work) {
    return sandbox_has_roots(d->vm) && (work->operation == RENAME || work->operation == REMOVE ||
                                        work->operation == MAKE_FOLDER);
}

/* Copies the names, which may move, releases the runtime lock and performs the work. first, second:
 * the values of the names, the same one for one path. GC: may run. */
static int act_unlocked(struct domain *d, struct file_work *work, value *first, value *second) {
    value *values[2] = {first, second};
    char *names[2] = {NULL, NULL};
    GC_ROOT(&d->gc, first, second);
    vm_run_pending_signal_handlers(d);
    for (int i = 0; i < 2; i++)
        names[i] = strndup(string_bytes(*values[i]), string_length(*values[i]));
    bool copied = names[0] != NULL && names[1] != NULL;
    int result = -1;
    if (copied) {
        for (int i = 0; i < 2; i++) work->paths[i].name = names[i];
        bool atomic = is_atomic(d, work);
        if (!atomic) vm_enter_blocking(d);
        result = perform(work);
        if (!atomic) vm_leave_blocking(d);
        for (int i = 0; i < 2; i++) /* other threads may have changed it */
            work->paths[i].name = string_is_ended(*values[i]) ? string_bytes(*values[i]) : "";
    }
    for (int i = 0; i < 2; i++) free(names[i]); /* errno is kept */
    if (!copied) vm_raise_out_of_memory(d);
    return result;
}

/* The same for one path. Fails: raises Sys_error. */
static int act_on(struct domain *d, enum vm_capability capability, value path,
                  struct file_work work) {
    work.paths[0] = sandbox_of(d, capability, path);
    int result = act_unlocked(d, &work, &path, &path);
    if (result == -1) fail(d, &work.paths[0], path);
    return result;
}

/* The same for work without a result. */
static value change(struct domain *d, value path, struct file_work work) {
    act_on(d, work.operation == CHANGE_FOLDER ? CAP_FS_READ : CAP_FS_WRITE, path, work);
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
    int bits = open_flags(flags);
    bool writes = (bits & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) != 0;
    /* O_RDONLY beside flags for writing allows reading as well. */
    struct file_work work = {.operation = writes && (bits & O_ACCMODE) == O_RDONLY ? OPEN_BOTH
                                                                                   : OPEN,
                             .flags = bits,
                             .permissions = (mode_t)int_of_val(permissions),
                             .paths = {sandbox_of(d, writes ? CAP_FS_WRITE : CAP_FS_READ, path),
                                       sandbox_of(d, CAP_FS_READ, path)}};
    int fd = act_unlocked(d, &work, &path, &path);
    if (fd == -1) fail(d, &work.paths[work.paths[1].refused != NULL], path);
    return val_of_int(fd);
}

value prim_sys_close(struct domain *d, value fd) {
    if (vm_is_own_descriptor(d->vm, (int)int_of_val(fd))) return VAL_UNIT;
    vm_enter_blocking(d); /* a network file system may write now */
    close((int)int_of_val(fd));
    vm_leave_blocking(d);
    return VAL_UNIT;
}

/* ---- Files. ---- */

value prim_sys_file_exists(struct domain *d, value path) {
    struct stat about;
    struct file_work work = {.operation = STAT, .out = &about};
    if (!is_c_string(path)) return VAL_FALSE;
    work.paths[0] = sandbox_of(d, CAP_FS_READ, path);
    if (act_unlocked(d, &work, &path, &path) == 0) return VAL_TRUE;
    if (work.paths[0].refused != NULL) fail(d, &work.paths[0], path);
    return VAL_FALSE;
}

static mode_t mode_of(struct domain *d, value path) {
    struct stat about;
    struct file_work work = {.operation = STAT, .out = &about};
    act_on(d, CAP_FS_READ, path, work);
    return about.st_mode;
}

value prim_sys_is_directory(struct domain *d, value path) {
    return val_of_bool(S_ISDIR(mode_of(d, path)));
}

value prim_sys_is_regular_file(struct domain *d, value path) {
    return val_of_bool(S_ISREG(mode_of(d, path)));
}

value prim_sys_remove(struct domain *d, value path) {
    return change(d, path, (struct file_work){.operation = REMOVE});
}

value prim_sys_rename(struct domain *d, value from, value to) {
    struct file_work work = {
        .operation = RENAME,
        .paths = {sandbox_of(d, CAP_FS_WRITE, from), sandbox_of(d, CAP_FS_WRITE, to)}};
    if (act_unlocked(d, &work, &from, &to) == -1)
        fail(d, &work.paths[work.paths[1].refused != NULL], VAL_UNIT);
    return VAL_UNIT;
}

/* ---- Directories. ---- */

value prim_sys_chdir(struct domain *d, value path) {
    return change(d, path, (struct file_work){.operation = CHANGE_FOLDER});
}

value prim_sys_mkdir(struct domain *d, value path, value permissions) {
    mode_t mode = (mode_t)int_of_val(permissions);
    return change(d, path, (struct file_work){.operation = MAKE_FOLDER, .permissions = mode});
}

value prim_sys_rmdir(struct domain *d, value path) {
    return change(d, path, (struct file_work){.operation = REMOVE, .flags = AT_REMOVEDIR});
}

value prim_sys_getcwd(struct domain *d, value unit) {
    char path[PATH_MAX];
    const char *flag = vm_policy_refusal(d->vm, CAP_FS_READ);
    if (flag != NULL) vm_raise_refused(d, "caml_sys_getcwd", flag);
    if (getcwd(path, sizeof path) == NULL) vm_raise_sys_error(d, errno, VAL_UNIT);
    return copy_string(d, path);
}

value prim_sys_read_directory(struct domain *d, value path) {
    value owner = VAL_UNIT, array = VAL_UNIT;
    GC_ROOT(&d->gc, &path, &owner, &array);
    path_of(d, path);
    owner = gc_alloc_custom(&d->gc, &names_ops, sizeof(struct names), 0, 1);
    memset(custom_data(owner), 0, sizeof(struct names));
    struct names names = {0};
    struct file_work work = {
        .operation = READ_FOLDER, .paths = {sandbox_of(d, CAP_FS_READ, path)}, .out = &names};
    int result = act_unlocked(d, &work, &path, &path);
    *(struct names *)custom_data(owner) = names;
    if (result == -1) fail(d, &work.paths[0], path);
    array = new_block(d, names.count, 0);
    const char *name = names.bytes.items;
    for (size_t i = 0; i < names.count; i++) {
        value text = copy_string(d, name);
        gc_store(&d->gc, array, i, text);
        name += strlen(name) + 1;
    }
    ASSERT(name == names.bytes.items + names.bytes.count);
    free_names(owner);
    ((struct names *)custom_data(owner))->bytes.items = NULL;
    return array;
}
