/* abi.h - the C ABI, for vm_options. */
#ifndef BACTRIAN_VM_CAPI_ABI_H
#define BACTRIAN_VM_CAPI_ABI_H

#include "vm/state/abi.h"

/* For vm_options.abi. Attaching fails while Caml_state is another machine's. */
extern const struct vm_abi capi_abi;

/* Sets Caml_state to the state of an attached machine, or NULL. Returns the previous one. GC:
 * never. */
struct vm_abi_state *capi_show(struct vm_abi_state *state);

#endif
