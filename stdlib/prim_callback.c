/* prim_callback.c - values that the machine finds by name (module Callback). */
#include "stdlib/prim.h"
#include "vm/callback.h"

value prim_register_named_value(struct domain *d, value name, value v) {
    vm_register_named_value(d, string_bytes(name), v);
    return VAL_UNIT;
}
