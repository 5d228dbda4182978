/* sandbox.c - resolving paths below the granted roots (stdlib/sandbox.h).
 *
 * A path is made absolute and normalised (`.`, `..`, double slashes) as text, then compared with
 * the text of each root, as given and as resolved; the system resolves the rest of it, beneath the
 * root. Normalising as text differs from the system where `..` follows a symbolic link: such a path
 * may name another file, still below the root.
 *
 * For renames, whether something may be read is decided by opened folders, not by names
 * (is_within). A rename never makes anything readable, and no readable folder is moved away, since
 * another thread may be resolving a path that leads through it. */
#include "stdlib/sandbox.h"

#include "gc/assert.h"
#include "vm/image/policy.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static const struct vm_policy *policy_of(const struct sandbox_path *path) {
    return path->vm->options.policy;
}

static enum vm_access access_of(const struct sandbox_path *path) {
    const struct vm_policy *policy = policy_of(path);
    return policy == NULL ? ACCESS_FREE : policy->of[path->capability].access;
}

static int refuse_by(struct sandbox_path *path, enum vm_capability capability) {
    ASSERT(policy_of(path) != NULL && capability < CAP_COUNT);
    path->refused = policy_of(path)->of[capability].flag;
    errno = EPERM;
    return -1;
}

/* Sets refused and errno as for a path that is not granted. -1. */
static int refuse(struct sandbox_path *path) { return refuse_by(path, path->capability); }

bool sandbox_has_roots(const struct vm *vm) {
    return vm->options.policy != NULL && vm->options.policy->root_count > 0;
}

/* Writes path, absolute and normalised, into out. False: it is too long. */
static bool clean(const char *path, char out[PATH_MAX]) {
    char whole[2 * PATH_MAX];
    size_t n = 0;
    if (path[0] != '/') {
        if (getcwd(whole, PATH_MAX) == NULL) return false;
        n = strlen(whole);
    }
    if (strlen(path) + n + 2 > sizeof whole) return false;
    snprintf(whole + n, sizeof whole - n, "/%s", path);
    char *to = out;
    for (const char *at = whole; *at != 0;) {
        at += strspn(at, "/");
        size_t length = strcspn(at, "/");
        if (length == 2 && memcmp(at, "..", 2) == 0) {
            while (to > out && *--to != '/') {}
        } else if (length != 0 && !(length == 1 && *at == '.')) {
            if (to + length + 2 > out + PATH_MAX) return false;
            *to++ = '/';
            memcpy(to, at, length);
            to += length;
        }
        at += length;
    }
    ASSERT(to < out + PATH_MAX);
    *to = 0;
    return true;
}

/* The part of path after root, without leading slashes; NULL: path is not below root. */
static const char *part_below(const char *path, const char *root) {
    size_t n = strlen(root);
    while (n > 0 && root[n - 1] == '/') n--;
    if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != 0)) return NULL;
    return path + n + strspn(path + n, "/");
}

static bool is_root(const struct vm_policy_root *root, const struct stat *about) {
    return about->st_dev == root->device && about->st_ino == root->inode;
}

/* Whether the descriptor still is the root: C code could have replaced it. */
static bool is_open_root(const struct vm_policy_root *root, int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && is_root(root, &about);
}

/* The root that the path is below, and the rest of the path, in `cleaned`; or NULL. */
static const struct vm_policy_root *find_root(const struct sandbox_path *path,
                                              char cleaned[PATH_MAX], const char **rest) {
    const struct vm_policy *policy = policy_of(path);
    ASSERT(policy != NULL);
    char root[PATH_MAX];
    if (!clean(path->name, cleaned)) return NULL;
    for (size_t i = 0; i < policy->root_count; i++) {
        if (policy->roots[i].capability != path->capability) continue;
        *rest = clean(policy->roots[i].written, root) ? part_below(cleaned, root) : NULL;
        if (*rest == NULL) *rest = part_below(cleaned, policy->roots[i].real);
        if (*rest != NULL && (policy->roots[i].is_folder || **rest == 0))
            return is_open_root(&policy->roots[i], policy->roots[i].fd) ? &policy->roots[i] : NULL;
    }
    return NULL;
}

/* openat(2) with the restrictions of `resolve`. */
static int open_resolving(int folder, const char *path, int flags, mode_t mode, uint64_t resolve) {
    struct open_how how = {.flags = (uint64_t)flags,
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve = resolve | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

static int open_beneath(int folder, const char *path, int flags, mode_t mode) {
    return open_resolving(folder, *path == 0 ? "." : path, flags, mode, RESOLVE_BENEATH);
}

/* Whether fd is the memory of a process (/proc/PID/mem, or through /proc/PID/map_files the memory
 * that it shares with its children): writing there would evade the checks of checked mode. */
static bool is_process_memory(int fd) {
    struct statfs system;
    char link[40], path[PATH_MAX];
    if (fd < 0 || fstatfs(fd, &system) != 0 ||
        (system.f_type != PROC_SUPER_MAGIC && system.f_type != TMPFS_MAGIC))
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return true;
    path[n] = 0;
    if (system.f_type == TMPFS_MAGIC) return strcmp(path, "/dev/zero (deleted)") == 0;
    return n >= 4 && strcmp(path + n - 4, "/mem") == 0;
}

/* Refuses the memory of processes, in checked mode, after opening. */
static int check_opened(struct sandbox_path *path, int fd) {
    if (path->vm->options.unchecked || !is_process_memory(fd)) return fd;
    close(fd);
    path->refused = "checked mode";
    errno = EPERM;
    return -1;
}

/* Opens a root that is a single file, unless its name now refers to another file. */
static int open_file_root(struct sandbox_path *path, const struct vm_policy_root *root, int flags) {
    int fd = open_resolving(AT_FDCWD, root->real, O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS);
    if (fd < 0) return -1;
    if (is_open_root(root, fd)) {
        close(fd);
        int wanted = flags & O_EXCL ? flags : flags & ~O_CREAT;
        fd = open_resolving(AT_FDCWD, root->real, wanted, 0, RESOLVE_NO_SYMLINKS);
        if (fd < 0 || is_open_root(root, fd)) return fd;
    }
    close(fd);
    return refuse(path);
}

int sandbox_open(struct sandbox_path *path, int flags, mode_t mode) {
    char cleaned[PATH_MAX];
    const char *rest;
    switch (access_of(path)) {
    case ACCESS_FREE: return check_opened(path, open(path->name, flags, mode));
    case ACCESS_REFUSED: return refuse(path);
    default: break;
    }
    const struct vm_policy_root *root = find_root(path, cleaned, &rest);
    if (root == NULL) return refuse(path);
    int fd = root->is_folder ? open_beneath(root->fd, rest, flags, mode)
                             : open_file_root(path, root, flags);
    return fd < 0 && errno == EXDEV ? refuse(path) : check_opened(path, fd);
}

/* Whether the path, opened now, is the open file fd. */
static bool leads_to(struct sandbox_path *path, int fd) {
    struct stat found, opened;
    return sandbox_stat(path, &found) == 0 && fstat(fd, &opened) == 0 &&
           found.st_dev == opened.st_dev && found.st_ino == opened.st_ino;
}

int sandbox_open_both(struct sandbox_path *path, struct sandbox_path *read, int flags,
                      mode_t mode) {
    struct stat about;
    bool free = access_of(read) == ACCESS_FREE;
    if (!free && sandbox_stat(read, &about) != 0 && read->refused != NULL) return -1;
    int fd = sandbox_open(path, flags, mode);
    if (fd < 0 || free || leads_to(read, fd)) return fd;
    close(fd);
    return refuse(read);
}

int sandbox_stat(struct sandbox_path *path, struct stat *about) {
    if (access_of(path) == ACCESS_FREE) return stat(path->name, about);
    int fd = sandbox_open(path, O_PATH | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    int result = fstat(fd, about);
    close(fd);
    return result;
}

int sandbox_chdir(struct sandbox_path *path) {
    if (access_of(path) == ACCESS_FREE) return chdir(path->name);
    int fd = sandbox_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    int result = fchdir(fd), error = errno;
    close(fd);
    errno = error;
    return result;
}

/* The folder of the path's last name, for the calls that change a folder: a descriptor, closed by
 * close_parent, and the name. */
struct parent {
    int folder;
    char cleaned[PATH_MAX];
    const char *name;
};

/* The same for a path that needs no root. */
static bool open_free_parent(struct sandbox_path *path, struct parent *parent) {
    size_t n = strlen(path->name);
    while (n > 1 && path->name[n - 1] == '/') n--;
    if (n >= sizeof parent->cleaned) return errno = ENAMETOOLONG, false;
    memcpy(parent->cleaned, path->name, n);
    parent->cleaned[n] = 0;
    char *slash = strrchr(parent->cleaned, '/');
    parent->name = path->name + (slash != NULL ? slash + 1 - parent->cleaned : 0);
    if (slash != NULL) slash[slash == parent->cleaned] = 0;
    parent->folder = open(slash != NULL ? parent->cleaned : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return parent->folder >= 0;
}

static bool open_parent(struct sandbox_path *path, struct parent *parent) {
    parent->folder = AT_FDCWD;
    parent->name = path->name;
    if (access_of(path) == ACCESS_FREE)
        return !sandbox_has_roots(path->vm) || open_free_parent(path, parent);
    const char *rest;
    const struct vm_policy_root *root = access_of(path) == ACCESS_BELOW
                                            ? find_root(path, parent->cleaned, &rest)
                                            : NULL;
    if (root == NULL || *rest == 0) return refuse(path), false;
    char *at = parent->cleaned + (rest - parent->cleaned), *slash = strrchr(at, '/');
    if (slash != NULL) *slash = 0;
    parent->name = slash != NULL ? slash + 1 : at;
    parent->folder = open_beneath(root->fd, slash != NULL ? at : "",
                                  O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (parent->folder < 0 && errno == EXDEV) refuse(path);
    ASSERT(strchr(parent->name, '/') == NULL);
    return parent->folder >= 0;
}

static int close_parent(struct parent *parent, int result) {
    int error = errno;
    if (parent->folder != AT_FDCWD) close(parent->folder);
    errno = error;
    return result;
}

int sandbox_remove(struct sandbox_path *path, int flags) {
    struct parent parent;
    if (!open_parent(path, &parent)) return -1;
    return close_parent(&parent, unlinkat(parent.folder, parent.name, flags));
}

int sandbox_mkdir(struct sandbox_path *path, mode_t mode) {
    struct parent parent;
    if (!open_parent(path, &parent)) return -1;
    return close_parent(&parent, mkdirat(parent.folder, parent.name, mode));
}

/* ---- Renaming. ---- */

/* Whether the folder is a root of the capability, or below one: 1 or 0; -1 if that cannot be found
 * out. */
static int is_within(int folder, const struct vm_policy_root *roots, size_t count,
                     enum vm_capability capability) {
    int result = 0, at = folder;
    struct stat here = {0}, below;
    while (at >= 0) {
        below = here;
        result = fstat(at, &here);
        for (size_t i = 0; result == 0 && i < count; i++)
            result = roots[i].capability == capability && is_root(&roots[i], &here);
        bool is_top = below.st_dev == here.st_dev && below.st_ino == here.st_ino;
        int above = result != 0 || is_top ? -1 : openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (result == 0 && !is_top && above < 0) result = -1;
        if (at != folder) close(at);
        at = above;
    }
    return result;
}

/* Whether the files in the folder may be read: 1, 0 or -1, as is_within. */
static int is_readable(const struct vm *vm, int folder) {
    const struct vm_policy *policy = vm->options.policy;
    if (policy->of[CAP_FS_READ].access != ACCESS_BELOW)
        return policy->of[CAP_FS_READ].access == ACCESS_FREE;
    return is_within(folder, policy->roots, policy->root_count, CAP_FS_READ);
}

/* Whether the entry is a root, or a folder that contains one. Then *capability is the root's. */
static int holds_root(const struct vm_policy *policy, const struct stat *entry,
                      enum vm_capability *capability) {
    struct vm_policy_root moved = {.device = entry->st_dev, .inode = entry->st_ino};
    int result = 0;
    for (size_t i = 0; result == 0 && i < policy->root_count; i++) {
        const struct vm_policy_root *root = &policy->roots[i];
        moved.capability = *capability = root->capability;
        if (is_root(root, entry)) result = 1;
        else if (root->is_folder && S_ISDIR(entry->st_mode))
            result = is_within(root->fd, &moved, 1, moved.capability);
    }
    return result;
}

/* Whether the policy, which has roots, allows moving the entry `from` of the folder `old` to the
 * folder `new`. It does not if that would change what may be read, or move a root. */
static bool may_move(struct sandbox_path *from, const struct parent *old,
                     const struct parent *new) {
    struct stat entry;
    enum vm_capability capability = CAP_FS_READ;
    if (fstatat(old->folder, old->name, &entry, AT_SYMLINK_NOFOLLOW) != 0) return false;
    int before = is_readable(from->vm, old->folder), after = is_readable(from->vm, new->folder);
    if (before < 0 || after < 0) return false;
    bool changes = S_ISDIR(entry.st_mode) ? before != after : before < after;
    int refused = changes ? 1 : holds_root(policy_of(from), &entry, &capability);
    if (refused == 1) refuse_by(from, capability);
    return refused == 0;
}

int sandbox_rename(struct sandbox_path *from, struct sandbox_path *to) {
    struct parent old, new;
    if (!open_parent(from, &old)) return -1;
    if (!open_parent(to, &new)) return close_parent(&old, -1);
    bool free = !sandbox_has_roots(from->vm) || may_move(from, &old, &new);
    int result = free ? renameat(old.folder, old.name, new.folder, new.name) : -1;
    return close_parent(&old, close_parent(&new, result));
}
