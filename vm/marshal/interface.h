/* interface.h - compiled interfaces: the fields of a module's block, from its .cmi file.
 *
 * A .cmi file is a magic number and marshalled values, the first of them a pair: the module's name
 * and its signature, a list of items. Values, exceptions, modules and classes have a field each, in
 * the order of the items; types, and externals, have none. */
#ifndef BACTRIAN_VM_MARSHAL_INTERFACE_H
#define BACTRIAN_VM_MARSHAL_INTERFACE_H

#include "gc/value.h"
#include "vm/base/arena.h"

/* Starts as {0}; empty after a failure. */
struct vm_interface {
    struct vm_arena arena;
    value signature; /* of no checked shape */
};

/* Reads the interface of a module from FOLDER/module.cmi or FOLDER/Module.cmi. False: there is
 * none, or it is of no use. GC: never, like all below. */
bool vm_interface_read(struct vm_interface *interface, const char *folder, const char *module);
/* Calls f with the name of each field of a module with that signature, and the item that describes
 * it. Returns their number. */
uint32_t vm_interface_fields(value signature,
                             void (*f)(void *context, const char *name, uint32_t field, value item),
                             void *context);
void vm_interface_free(struct vm_interface *interface);

#endif
