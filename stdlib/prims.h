/* prims.h - the prototypes of prims.def, and the table that a machine is created with. */
#ifndef BACTRIAN_STDLIB_PRIMS_H
#define BACTRIAN_STDLIB_PRIMS_H

#include "vm/code/prim.h"

/* All built-in primitives; their state in a machine is a struct prim_state (stdlib/state.h). */
extern const struct vm_library prim_library;

#endif
