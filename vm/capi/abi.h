/* abi.h - the C ABI as the command line hands it to a machine. */
#ifndef BACTRIAN_VM_CAPI_ABI_H
#define BACTRIAN_VM_CAPI_ABI_H

#include "vm/abi.h"

/* For vm_options.abi. One machine of a process at a time can be attached. */
extern const struct vm_abi capi_abi;

#endif
