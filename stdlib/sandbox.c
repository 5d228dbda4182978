/* sandbox.c - see place.h.
 *
 * A path is made absolute and cleaned of `.`, `..` and double slashes by its text, then compared
 * with each root's text, as it was given and as it really is; what is left behind the root is
 * resolved by the system, beneath the root. Cleaning by text differs from the system's way where
 * `..` follows a symbolic link: such a path may name another file, still below the root. */
#include "stdlib/sandbox.h"

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

static const struct vm_policy *policy_of(const struct sandbox_path *place) {
    return place->vm->options.policy;
}

static enum vm_access access_of(const struct sandbox_path *place) {
    const struct vm_policy *policy = policy_of(place);
    return policy == NULL ? ACCESS_FREE : policy->of[place->capability].access;
}

int sandbox_refuse(struct sandbox_path *place) {
    place->refused = policy_of(place)->of[place->capability].flag;
    errno = EPERM;
    return -1;
}

/* Writes path, absolute and clean, into out. */
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
    *to = 0;
    return true;
}

/* What is left of path behind root, without slashes at its start, or NULL. */
static const char *behind(const char *path, const char *root) {
    size_t n = strlen(root);
    while (n > 0 && root[n - 1] == '/') n--;
    if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != 0)) return NULL;
    return path + n + strspn(path + n, "/");
}

/* The root that path, cleaned into `cleaned`, lies below, and what is left behind it. */
static const struct vm_policy_root *find_root(const struct sandbox_path *place,
                                              char cleaned[PATH_MAX], const char **rest) {
    const struct vm_policy *policy = policy_of(place);
    char root[PATH_MAX];
    if (!clean(place->path, cleaned)) return NULL;
    for (size_t i = 0; i < policy->root_count; i++) {
        if (policy->roots[i].capability != place->capability) continue;
        *rest = clean(policy->roots[i].written, root) ? behind(cleaned, root) : NULL;
        if (*rest == NULL) *rest = behind(cleaned, policy->roots[i].real);
        if (*rest != NULL && (policy->roots[i].is_folder || **rest == 0)) return &policy->roots[i];
    }
    return NULL;
}

bool sandbox_is_granted(const struct sandbox_path *place) {
    char cleaned[PATH_MAX];
    const char *rest;
    enum vm_access access = access_of(place);
    return access == ACCESS_FREE ||
           (access == ACCESS_BELOW && find_root(place, cleaned, &rest) != NULL);
}

/* openat(2), where the way to the file is to be as `resolve` says. */
static int open_resolving(int folder, const char *path, int flags, mode_t mode, uint64_t resolve) {
    struct open_how how = {.flags = (uint64_t)flags,
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve = resolve | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

static int open_beneath(int folder, const char *path, int flags, mode_t mode) {
    return open_resolving(folder, *path == 0 ? "." : path, flags, mode, RESOLVE_BENEATH);
}

/* Whether fd is the memory of a process, as /proc shows it: whoever writes there does without the
 * tests of checked mode. */
static bool is_process_memory(int fd) {
    struct statfs system;
    char link[40], path[PATH_MAX];
    if (fd < 0 || fstatfs(fd, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path);
    return n < 0 || (n >= 4 && memcmp(path + n - 4, "/mem", 4) == 0);
}

/* What was opened by a program that is free to open what it likes. */
static int check_opened(struct sandbox_path *place, int fd) {
    if (place->vm->options.unchecked || !is_process_memory(fd)) return fd;
    close(fd);
    place->refused = "checked mode";
    errno = EPERM;
    return -1;
}

int sandbox_open(struct sandbox_path *place, int flags, mode_t mode) {
    char cleaned[PATH_MAX];
    const char *rest;
    switch (access_of(place)) {
    case ACCESS_FREE: return check_opened(place, open(place->path, flags, mode));
    case ACCESS_REFUSED: return sandbox_refuse(place);
    default: break;
    }
    const struct vm_policy_root *root = find_root(place, cleaned, &rest);
    if (root == NULL) return sandbox_refuse(place);
    if (!root->is_folder)
        return open_resolving(AT_FDCWD, root->real, flags, mode, RESOLVE_NO_SYMLINKS);
    int fd = open_beneath(root->fd, rest, flags, mode);
    return fd < 0 && errno == EXDEV ? sandbox_refuse(place) : check_opened(place, fd);
}

int sandbox_stat(struct sandbox_path *place, struct stat *about) {
    if (access_of(place) == ACCESS_FREE) return stat(place->path, about);
    int fd = sandbox_open(place, O_PATH | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    int result = fstat(fd, about);
    close(fd);
    return result;
}

int sandbox_chdir(struct sandbox_path *place) {
    if (access_of(place) == ACCESS_FREE) return chdir(place->path);
    int fd = sandbox_open(place, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    int result = fchdir(fd), error = errno;
    close(fd);
    errno = error;
    return result;
}

/* The folder that holds the path's last name, for the calls that change a folder: a descriptor to
 * close with leave, and the name. */
struct parent {
    int folder;
    char cleaned[PATH_MAX];
    const char *name;
};

static bool enter(struct sandbox_path *place, struct parent *parent) {
    parent->folder = AT_FDCWD;
    parent->name = place->path;
    if (access_of(place) == ACCESS_FREE) return true;
    const char *rest;
    const struct vm_policy_root *root = access_of(place) == ACCESS_BELOW
                                            ? find_root(place, parent->cleaned, &rest)
                                            : NULL;
    if (root == NULL || *rest == 0) return sandbox_refuse(place), false;
    char *at = parent->cleaned + (rest - parent->cleaned), *slash = strrchr(at, '/');
    if (slash != NULL) *slash = 0;
    parent->name = slash != NULL ? slash + 1 : at;
    parent->folder = open_beneath(root->fd, slash != NULL ? at : "",
                                  O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (parent->folder < 0 && errno == EXDEV) sandbox_refuse(place);
    return parent->folder >= 0;
}

static int leave(struct parent *parent, int result) {
    int error = errno;
    if (parent->folder != AT_FDCWD) close(parent->folder);
    errno = error;
    return result;
}

int sandbox_remove(struct sandbox_path *place, int flags) {
    struct parent parent;
    if (!enter(place, &parent)) return -1;
    return leave(&parent, unlinkat(parent.folder, parent.name, flags));
}

int sandbox_mkdir(struct sandbox_path *place, mode_t mode) {
    struct parent parent;
    if (!enter(place, &parent)) return -1;
    return leave(&parent, mkdirat(parent.folder, parent.name, mode));
}

int sandbox_rename(struct sandbox_path *from, struct sandbox_path *to) {
    struct parent old, new;
    if (!enter(from, &old)) return -1;
    if (!enter(to, &new)) return leave(&old, -1);
    int result = renameat(old.folder, old.name, new.folder, new.name);
    return leave(&old, leave(&new, result));
}
