/* link.h - links the names of a PRIM section to functions; lists the primitives that a program can
 * reach. */
#ifndef BACTRIAN_VM_IMAGE_LINK_H
#define BACTRIAN_VM_IMAGE_LINK_H

#include "vm/state/vm.h"

#include <stdio.h>

/* Builds the machine's table from an image's names: built-in rows first, then the open libraries of
 * C stubs. A name that none of them has gets an entry too: calling it raises an error that names
 * it. Fails: fatally on exhausted memory. */
void vm_link_primitives(struct vm *vm, const char *const *names, uint32_t count);
/* Adds one primitive to the table at run time (Dynlink, toplevels): the stub at function, or if
 * that is NULL the built-in one of that name. Its number, or -1 when the table is full. The name
 * must live as long as the table. GC: never. */
int32_t vm_link_more(struct vm *vm, const char *name, void *function);
/* The built-in row of that name, or NULL. GC: never. */
const struct vm_prim *vm_find_builtin(const struct vm *vm, const char *name);
/* The capability that a C library's function of that name needs: CAP_DYNLINK if it is not listed in
 * stdlib/stubs.def, as it may do anything. GC: never. */
struct vm_stub vm_stub_named(const struct vm *vm, const char *name);
void vm_link_free(struct vm *vm);

/* Prints the primitives that the code of a loaded machine's program can call, grouped by
 * capability; names that the machine does not have are a group of their own.
 * GC: never.  Fails: never (write errors show in ferror(out)). */
void vm_audit(const struct vm *vm, FILE *out);

#endif
