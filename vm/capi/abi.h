/* abi.h - the C ABI, for vm_options. */
#ifndef BACTRIAN_VM_CAPI_ABI_H
#define BACTRIAN_VM_CAPI_ABI_H

#include "vm/state/abi.h"

/* For vm_options.abi. Attaching fails while Caml_state is another machine's. */
extern const struct vm_abi capi_abi;

/* Makes state, of an attached machine or NULL, the Caml_state of stubs. Returns the one before.
 * GC: never. */
struct vm_abi_state *capi_show(struct vm_abi_state *state);

#endif
