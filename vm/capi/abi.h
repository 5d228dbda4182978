/* abi.h - the C ABI as the command line hands it to a machine. */
#ifndef BACTRIAN_VM_CAPI_ABI_H
#define BACTRIAN_VM_CAPI_ABI_H

#include "vm/state/abi.h"

/* For vm_options.abi. A machine can be attached while stubs see no other one. */
extern const struct vm_abi capi_abi;

/* Makes stubs see the machine whose domain has this state, which is attached, or none (NULL).
 * Returns what they saw before. GC: never. */
struct vm_abi_state *capi_show(struct vm_abi_state *state);

#endif
