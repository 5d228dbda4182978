/* prim_callback.c - values that the machine finds by name (module Callback). */
#include "stdlib/prim.h"
#include "vm/engine/callback.h"
#include "vm/stack/raise.h"

/* What the machine keeps for one, but its name. */
enum { NAMED_VALUE_BYTES = 100 };

value prim_register_named_value(struct domain *d, value name, value v) {
    /* A name is never forgotten. */
    bool is_new = vm_named_value(d->vm, string_bytes(name)) == NULL;
    GC_ROOT(&d->gc, &name, &v);
    bool room = !is_new || gc_external_take(&d->gc, NAMED_VALUE_BYTES + string_length(name));
    if (!room) vm_raise_out_of_memory(d);
    vm_register_named_value(d, string_bytes(name), v);
    return VAL_UNIT;
}
