/* sandbox.h - files by name, as the machine's policy allows (vm/image/policy.h).
 *
 * A program that may use what lies below some folders only gets there from the folder's own
 * descriptor, by openat2(2) with RESOLVE_BENEATH: no `..` and no symbolic link leads out, whatever
 * other processes change meanwhile. Each function answers as the system call it stands for does, -1
 * with errno; a path that is refused is EPERM with *refused set to the flag.
 * In checked mode the memory of processes (/proc/PID/mem) is refused, whatever the policy says.
 * GC: never, for all of them. */
#ifndef BACTRIAN_STDLIB_SANDBOX_H
#define BACTRIAN_STDLIB_SANDBOX_H

#include "vm/code/prim.h"
#include "vm/image/policy.h"

#include <sys/stat.h>

struct sandbox_path {
    const struct vm *vm;
    enum vm_capability capability;
    const char *path;
    const char *refused; /* out: the flag that refuses the path, or NULL */
};

/* Whether the policy grants what lies at the path, going by its text. */
bool sandbox_is_granted(const struct sandbox_path *place);
/* Sets refused and errno as for a path that is not granted. -1. */
int sandbox_refuse(struct sandbox_path *place);
/* open(2). */
int sandbox_open(struct sandbox_path *place, int flags, mode_t mode);
/* stat(2): follows links, as far as they lead nowhere else. */
int sandbox_stat(struct sandbox_path *place, struct stat *about);
int sandbox_chdir(struct sandbox_path *place);
/* unlinkat(2) with its flags: 0 or AT_REMOVEDIR. */
int sandbox_remove(struct sandbox_path *place, int flags);
int sandbox_mkdir(struct sandbox_path *place, mode_t mode);
/* rename(2); either place may be the refused one. */
int sandbox_rename(struct sandbox_path *from, struct sandbox_path *to);

#endif
