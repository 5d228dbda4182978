/* audit.h - which primitives a program can reach, by what they let it do. Runs none of its code. */
#ifndef BACTRIAN_VM_IMAGE_AUDIT_H
#define BACTRIAN_VM_IMAGE_AUDIT_H

#include <stdio.h>

struct vm;

/* Prints the primitives that the code of a loaded machine's program can call, grouped by
 * capability; names that the machine does not have are a group of their own.
 * GC: never.  Fails: never (write errors show in ferror(out)). */
void vm_audit(const struct vm *vm, FILE *out);

#endif
