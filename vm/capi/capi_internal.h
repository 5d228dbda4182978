/* capi_internal.h - what the files of the C ABI share. */
#ifndef BACTRIAN_VM_CAPI_CAPI_INTERNAL_H
#define BACTRIAN_VM_CAPI_CAPI_INTERNAL_H

#include "gc/assert.h"
#include "gc/hooks.h"
#include "vm/capi/capi.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"

#include <pthread.h>
#include <stdlib.h>

struct final_ops;

/* The C ABI's state of a machine (vm->abi_state). */
struct capi {
    struct gc_visitor *visitor;  /* of the current scan */
    struct final_ops *final_ops; /* of caml_alloc_final; blocks use them until the end */
    struct gc_observer observer;
    pthread_t thread;            /* the one that runs the machine, if it has no threads */
    _Atomic intptr_t stat_bytes; /* of blocks of caml_stat_alloc and the like */
    size_t stat_counted;         /* of these, by the heap */
};

/* The domain that runs the stub: Caml_state is a part of it. GC: never. */
static inline struct domain *self(void) {
    ASSERT(Caml_state != NULL);
    return (struct domain *)((char *)Caml_state - offsetof(struct domain, abi));
}
/* What caml_channel_mutex_lock and _unlock are at first. */
void capi_lock_channel(struct channel *c);
void capi_unlock_channel(struct channel *c);
/* Frees the operations that caml_alloc_final created. GC: never. */
void capi_free_final_ops(struct capi *capi);
/* Copies the collector's counters to where stubs see them. GC: never. */
void capi_publish_counters(struct domain *d);
/* Raises Out_of_memory for NULL. */
static inline void *must(void *memory) {
    if (memory == NULL) vm_raise_out_of_memory(self());
    return memory;
}

#endif
