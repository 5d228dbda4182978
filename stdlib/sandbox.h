/* sandbox.h - operations on files by name, within the machine's policy (vm/image/policy.h).
 *
 * Paths below a granted folder are resolved from the folder's descriptor by openat2(2) with
 * RESOLVE_BENEATH: no `..` and no symbolic link leads out, whatever other processes change
 * meanwhile. Each function returns what its system call returns, -1 with errno; for a refused path
 * errno is EPERM and *refused the flag. Checked mode always refuses the memory of processes
 * (/proc/PID/mem). GC: never, for all of them. */
#ifndef BACTRIAN_STDLIB_SANDBOX_H
#define BACTRIAN_STDLIB_SANDBOX_H

#include "vm/code/prim.h"
#include "vm/image/policy.h"

#include <sys/stat.h>

struct sandbox_path {
    const struct vm *vm;
    enum vm_capability capability;
    const char *name;
    const char *refused; /* out: the flag that refuses the path, or NULL */
};

/* Whether the policy grants some files only. Then calls that change folders are atomic for the
 * program: its threads don't run meanwhile. */
bool sandbox_has_roots(const struct vm *vm);
/* open(2). */
int sandbox_open(struct sandbox_path *path, int flags, mode_t mode);
/* open(2) for a file to be changed and read: `read` is the same name, to be read. */
int sandbox_open_both(struct sandbox_path *path, struct sandbox_path *read, int flags, mode_t mode);
/* stat(2): follows links, as far as they lead nowhere else. */
int sandbox_stat(struct sandbox_path *path, struct stat *about);
int sandbox_chdir(struct sandbox_path *path);
/* unlinkat(2) with its flags: 0 or AT_REMOVEDIR. */
int sandbox_remove(struct sandbox_path *path, int flags);
int sandbox_mkdir(struct sandbox_path *path, mode_t mode);
/* rename(2); either path may be the refused one. Moves neither a granted file or folder, nor a
 * folder that contains one, nor anything to where it may be read if it could not be before. A
 * folder that may be read stays where it may be. */
int sandbox_rename(struct sandbox_path *from, struct sandbox_path *to);

#endif
