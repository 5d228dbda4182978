/* alloc.h - allocation functions with short names, for primitives; boxed integers. */
#ifndef BACTRIAN_VM_STATE_ALLOC_H
#define BACTRIAN_VM_STATE_ALLOC_H

#include "vm/state/vm.h"

/* Allocation for primitives. Fuel is charged for allocated blocks only, not for a size that is
 * refused. GC: may run. */
static inline value new_block(struct domain *d, size_t wosize, unsigned tag) {
    value v = gc_alloc(&d->gc, wosize, tag);
    vm_charge_work(d, 8 * wosize);
    return v;
}
static inline value new_small(struct domain *d, size_t wosize, unsigned tag) {
    return gc_alloc_small(&d->gc, wosize, tag);
}
static inline value new_string(struct domain *d, size_t length) {
    value v = gc_alloc_string(&d->gc, length);
    vm_charge_work(d, length);
    return v;
}
static inline value copy_string(struct domain *d, const char *text) {
    return gc_copy_string(&d->gc, text, strlen(text));
}
static inline value copy_bytes(struct domain *d, const char *text, size_t n) {
    return gc_copy_string(&d->gc, text, n);
}
static inline value copy_double(struct domain *d, double x) { return gc_copy_double(&d->gc, x); }
value new_complex(struct domain *d, double re, double im); /* Complex.t */
value new_pair(struct domain *d, value a, value b);        /* tag 0; roots its arguments */
value new_some(struct domain *d, value v);
/* Boxed integers: the operations are those of vm/state/alloc.c (identifiers _i, _j, _n). */
extern const struct gc_custom_ops vm_int32_ops, vm_int64_ops, vm_nativeint_ops;
value copy_int32(struct domain *d, int32_t n);
value copy_int64(struct domain *d, int64_t n);
value copy_nativeint(struct domain *d, intptr_t n);
static inline int32_t int32_of_val(value v) { return *(int32_t *)custom_data(v); }
static inline int64_t int64_of_val(value v) { return *(int64_t *)custom_data(v); }
static inline intptr_t nativeint_of_val(value v) { return *(intptr_t *)custom_data(v); }

#endif
