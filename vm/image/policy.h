/* policy.h - what a program may do to the outside world: an access for each capability.
 *
 * A policy is read from the command line (or built by an embedder) before the machine exists, and
 * doesn't change afterwards. Primitives of a refused capability are not linked: calling one raises
 * Sys_error, which names the flag. Two capabilities can be granted below given folders only.
 *
 * PO1  A policy that is all zero grants everything.
 * PO2  A capability of ACCESS_BELOW has at least one root; no other capability has any. */
#ifndef BACTRIAN_VM_IMAGE_POLICY_H
#define BACTRIAN_VM_IMAGE_POLICY_H

#include "vm/code/prim.h"

#include <stddef.h>
#include <sys/types.h>

struct vm;
struct vm_error;

enum vm_access { ACCESS_FREE, ACCESS_REFUSED, ACCESS_BELOW };

/* A folder, or a single file, that a program may use: that file itself, not another one that gets
 * its name later. */
struct vm_policy_root {
    enum vm_capability capability; /* CAP_FS_READ or CAP_FS_WRITE */
    char *written, *real;          /* absolute: as given, and without symbolic links; owned */
    int fd;                        /* O_PATH */
    dev_t device;
    ino_t inode;
    bool is_folder;
};

struct vm_policy {
    struct {
        enum vm_access access;
        char flag[80]; /* the option that decided, for messages: "--deny=env" */
    } of[CAP_COUNT];
    struct vm_policy_root *roots;
    size_t root_count;
};

/* Grants, or refuses, the capabilities in a comma-separated list: CAPABILITY, or for grants of
 * fs-read and fs-write also CAPABILITY=PATH, which restricts the capability to what is below PATH
 * (several add up). Later words win. Fails: false, *what is wrong (a constant text) and *word, the
 * part of list that it is about. GC: never. */
bool vm_policy_change(struct vm_policy *policy, const char *list, bool grant, const char **word,
                      const char **what);
/* Refuses everything except the process itself, its open channels and its arguments. GC: never. */
void vm_policy_pure(struct vm_policy *policy);
/* Frees what the policy holds. GC: never. */
void vm_policy_free(struct vm_policy *policy);

/* The flag that refuses a capability, or NULL if it is granted, at least below some folder.
 * GC: never. */
const char *vm_policy_refusal(const struct vm *vm, enum vm_capability capability);
/* The same, or the flag that grants it below some folders only. GC: never. */
const char *vm_policy_restriction(const struct vm *vm, enum vm_capability capability);
/* Whether fd is a descriptor of the machine itself: a folder of the policy, the program's file,
 * what a profiler writes to, the connection to a debugger. A program must neither close nor use
 * one. GC: never. */
bool vm_is_own_descriptor(const struct vm *vm, int fd);
#endif
