/* capi_internal.h - what the files of the C ABI share. */
#ifndef BACTRIAN_VM_CAPI_CAPI_INTERNAL_H
#define BACTRIAN_VM_CAPI_CAPI_INTERNAL_H

#include "vm/capi/capi.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"

#include <stdlib.h>

struct final_ops;

/* What the C ABI keeps for the machine (vm->abi_state). */
struct capi {
    struct gc_visitor *visitor;  /* of the scan that goes on */
    struct final_ops *final_ops; /* of caml_alloc_final; blocks point at them to the end */
};

/* The domain that runs the stub: Caml_state is a part of it. GC: never. */
static inline struct domain *self(void) {
    return (struct domain *)((char *)Caml_state - offsetof(struct domain, abi));
}
/* Frees the operations that caml_alloc_final made. GC: never. */
void capi_free_final_ops(struct capi *capi);
/* Raises Out_of_memory for NULL. */
static inline void *must(void *memory) {
    if (memory == NULL) vm_raise_out_of_memory(self());
    return memory;
}

#endif
