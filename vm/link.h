/* link.h - from the names of a PRIM section to functions. Private to vm/. */
#ifndef BACTRIAN_VM_LINK_H
#define BACTRIAN_VM_LINK_H

#include "vm/vm.h"

/* Builds the machine's table from an image's names. A name that no row has is linked all the same:
 * calling it raises an error that names it. Fails: fatally on exhausted memory. */
void vm_link_primitives(struct vm *vm, const char *const *names, uint32_t count);
/* Adds one primitive to the live table (Dynlink, toplevel); its number, or -1 when the table is
 * full. */
int32_t vm_link_one(struct vm *vm, const char *name);
void vm_link_free(struct vm *vm);

#endif
