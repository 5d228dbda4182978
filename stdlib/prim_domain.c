/* prim_domain.c - module Domain of OCaml 5 (vm/thread/domains.h). */
#include "stdlib/prim.h"
#include "vm/thread/domains.h"
#include "vm/thread/thread.h"

value prim_domain_spawn(struct domain *d, value closure, value sync) {
    return val_of_int(vm_domain_spawn(d, closure, sync));
}

value prim_ml_domain_id(struct domain *d, value unit) { return val_of_int(d->record->id); }

value prim_ml_domain_index(struct domain *d, value unit) {
    return val_of_int((intptr_t)d->record->index);
}

value prim_ml_domain_unique_token(struct domain *d, value unit) { return VAL_UNIT; }

value prim_recommended_domain_count(struct domain *d, value unit) {
    return val_of_int((intptr_t)vm_domain_recommended_count(d->vm));
}

/* A domain waits for what another one is to do: it gets its turn. */
value prim_ml_domain_cpu_relax(struct domain *d, value unit) {
    vm_thread_yield(d);
    return VAL_UNIT;
}

/* ---- Domain.DLS: an array of values by key, which OCaml code makes and replaces. ---- */

value prim_domain_dls_get(struct domain *d, value unit) { return d->record->dls; }

value prim_domain_dls_set(struct domain *d, value dls) {
    d->record->dls = dls;
    return VAL_UNIT;
}

value prim_domain_dls_compare_and_set(struct domain *d, value old, value dls) {
    if (d->record->dls != old) return VAL_FALSE;
    d->record->dls = dls;
    return VAL_TRUE;
}
