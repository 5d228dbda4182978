/* audit.h - which primitives a program can reach, by what they let it do. Nothing of it runs. */
#ifndef BACTRIAN_VM_AUDIT_H
#define BACTRIAN_VM_AUDIT_H

#include <stdio.h>

struct vm_image;
struct vm_library;
struct vm_verified;

/* Prints the primitives that verified code of image can call, grouped by capability; names that
 * library does not have stand under their own heading.
 * GC: never.  Fails: never (write errors show in ferror(out)). */
void vm_audit(const struct vm_image *image, const struct vm_verified *verified,
              const struct vm_library *library, FILE *out);

#endif
