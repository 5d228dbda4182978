/* custom.c - custom blocks of stubs: the operations have the collector's own layout. */
#include "gc/heap.h"
#include "stdlib/customs.h"
#include "vm/capi/capi_internal.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

_Static_assert(offsetof(struct gc_custom_ops, deserialize) == 40 &&
                   offsetof(struct gc_custom_ops, fixed_length) == 56 &&
                   sizeof(struct gc_custom_ops) == 64,
               "the layout of custom operations");

value caml_alloc_custom(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem,
                        uintptr_t max) {
    return gc_alloc_custom(&self()->gc, ops, bytes, mem, max);
}

value caml_alloc_custom_mem(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem) {
    return gc_alloc_custom_mem(&self()->gc, ops, bytes, mem);
}

void caml_register_custom_operations(const struct gc_custom_ops *ops) {
    if (!customs_register(self(), ops)) vm_raise_out_of_memory(self());
}

/* Operations that do nothing but finalise, one set for each function. */
struct final_ops {
    struct final_ops *next;
    struct gc_custom_ops ops;
};

void capi_free_final_ops(struct capi *capi) {
    for (struct final_ops *next; capi->final_ops != NULL; capi->final_ops = next) {
        next = capi->final_ops->next;
        free(capi->final_ops);
    }
}

value caml_alloc_final(uintptr_t words, void (*finalize)(value v), uintptr_t mem, uintptr_t max) {
    struct capi *capi = self()->vm->abi_state;
    struct final_ops *set = capi->final_ops;
    while (set != NULL && set->ops.finalize != finalize) set = set->next;
    if (set == NULL) {
        set = must(calloc(1, sizeof *set));
        set->ops = (struct gc_custom_ops){.identifier = "_final", .finalize = finalize};
        set->next = capi->final_ops;
        capi->final_ops = set;
    }
    return caml_alloc_custom(&set->ops, 8 * words, mem, max);
}
