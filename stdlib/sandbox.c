/* sandbox.c - resolving paths below the granted roots (stdlib/sandbox.h).
 *
 * A path is made absolute and normalised (`.`, `..`, double slashes) as text, then compared with
 * the text of each root, as given and as resolved; the system resolves the rest of it, beneath the
 * root. Normalising as text differs from the system where `..` follows a symbolic link: such a path
 * may name another file, still below the root. */
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

int sandbox_refuse(struct sandbox_path *path) {
    ASSERT(policy_of(path) != NULL && path->capability < CAP_COUNT);
    path->refused = policy_of(path)->of[path->capability].flag;
    errno = EPERM;
    return -1;
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
        if (*rest != NULL && (policy->roots[i].is_folder || **rest == 0)) return &policy->roots[i];
    }
    return NULL;
}

bool sandbox_is_granted(const struct sandbox_path *path) {
    char cleaned[PATH_MAX];
    const char *rest;
    enum vm_access access = access_of(path);
    return access == ACCESS_FREE ||
           (access == ACCESS_BELOW && find_root(path, cleaned, &rest) != NULL);
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

/* Whether fd is the memory of a process (/proc/PID/mem): writing there evades the tests of checked
 * mode. */
static bool is_process_memory(int fd) {
    struct statfs system;
    char link[40], path[PATH_MAX];
    if (fd < 0 || fstatfs(fd, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path);
    return n < 0 || (n >= 4 && memcmp(path + n - 4, "/mem", 4) == 0);
}

/* Refuses the memory of processes, in checked mode, after opening. */
static int check_opened(struct sandbox_path *path, int fd) {
    if (path->vm->options.unchecked || !is_process_memory(fd)) return fd;
    close(fd);
    path->refused = "checked mode";
    errno = EPERM;
    return -1;
}

int sandbox_open(struct sandbox_path *path, int flags, mode_t mode) {
    char cleaned[PATH_MAX];
    const char *rest;
    switch (access_of(path)) {
    case ACCESS_FREE: return check_opened(path, open(path->name, flags, mode));
    case ACCESS_REFUSED: return sandbox_refuse(path);
    default: break;
    }
    const struct vm_policy_root *root = find_root(path, cleaned, &rest);
    if (root == NULL) return sandbox_refuse(path);
    if (!root->is_folder)
        return open_resolving(AT_FDCWD, root->real, flags, mode, RESOLVE_NO_SYMLINKS);
    int fd = open_beneath(root->fd, rest, flags, mode);
    return fd < 0 && errno == EXDEV ? sandbox_refuse(path) : check_opened(path, fd);
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

static bool open_parent(struct sandbox_path *path, struct parent *parent) {
    parent->folder = AT_FDCWD;
    parent->name = path->name;
    if (access_of(path) == ACCESS_FREE) return true;
    const char *rest;
    const struct vm_policy_root *root = access_of(path) == ACCESS_BELOW
                                            ? find_root(path, parent->cleaned, &rest)
                                            : NULL;
    if (root == NULL || *rest == 0) return sandbox_refuse(path), false;
    char *at = parent->cleaned + (rest - parent->cleaned), *slash = strrchr(at, '/');
    if (slash != NULL) *slash = 0;
    parent->name = slash != NULL ? slash + 1 : at;
    parent->folder = open_beneath(root->fd, slash != NULL ? at : "",
                                  O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (parent->folder < 0 && errno == EXDEV) sandbox_refuse(path);
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

int sandbox_rename(struct sandbox_path *from, struct sandbox_path *to) {
    struct parent old, new;
    if (!open_parent(from, &old)) return -1;
    if (!open_parent(to, &new)) return close_parent(&old, -1);
    int result = renameat(old.folder, old.name, new.folder, new.name);
    return close_parent(&old, close_parent(&new, result));
}
