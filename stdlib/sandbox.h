/* sandbox.h - files by name, as the machine's policy allows (vm/image/policy.h).
 *
 * Paths below a granted folder are resolved from the folder's descriptor by openat2(2) with
 * RESOLVE_BENEATH: no `..` and no symbolic link leads out, whatever other processes change
 * meanwhile. Each function returns what its system call returns, -1 with errno; a refused path
 * gives EPERM and *refused is the flag. Checked mode always refuses the memory of processes
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

/* Whether the policy grants the path, by its text. */
bool sandbox_is_granted(const struct sandbox_path *path);
/* Sets refused and errno as for a path that is not granted. -1. */
int sandbox_refuse(struct sandbox_path *path);
/* open(2). */
int sandbox_open(struct sandbox_path *path, int flags, mode_t mode);
/* stat(2): follows links, as far as they lead nowhere else. */
int sandbox_stat(struct sandbox_path *path, struct stat *about);
int sandbox_chdir(struct sandbox_path *path);
/* unlinkat(2) with its flags: 0 or AT_REMOVEDIR. */
int sandbox_remove(struct sandbox_path *path, int flags);
int sandbox_mkdir(struct sandbox_path *path, mode_t mode);
/* rename(2); either path may be the refused one. */
int sandbox_rename(struct sandbox_path *from, struct sandbox_path *to);

#endif
