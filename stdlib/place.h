/* place.h - files by name, as the machine's policy allows (vm/policy.h).
 *
 * A program that may use what lies below some folders only gets there from the folder's own
 * descriptor, by openat2(2) with RESOLVE_BENEATH: no `..` and no symbolic link leads out, whatever
 * other processes change meanwhile. Each function answers as the system call it stands for does, -1
 * with errno; a path that is refused is EPERM with *refused set to the flag.
 * In checked mode the memory of processes (/proc/PID/mem) is refused, whatever the policy says.
 * GC: never, for all of them. */
#ifndef BACTRIAN_STDLIB_PLACE_H
#define BACTRIAN_STDLIB_PLACE_H

#include "vm/policy.h"

#include <sys/stat.h>

struct place {
    const struct vm *vm;
    enum vm_capability capability;
    const char *path;
    const char *refused; /* out: the flag that refuses the path, or NULL */
};

/* Whether the policy grants what lies at the path, going by its text. */
bool place_is_granted(const struct place *place);
/* Sets refused and errno as for a path that is not granted. -1. */
int place_refuse(struct place *place);
/* open(2). */
int place_open(struct place *place, int flags, mode_t mode);
/* stat(2): follows links, as far as they lead nowhere else. */
int place_stat(struct place *place, struct stat *about);
int place_chdir(struct place *place);
/* unlinkat(2) with its flags: 0 or AT_REMOVEDIR. */
int place_remove(struct place *place, int flags);
int place_mkdir(struct place *place, mode_t mode);
/* rename(2); either place may be the refused one. */
int place_rename(struct place *from, struct place *to);

#endif
