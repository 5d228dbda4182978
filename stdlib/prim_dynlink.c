/* prim_dynlink.c - libraries of C code, from the side of Dynlink and toplevels. This machine opens
 * none: the list of opened libraries is empty, opening one fails with a Failure that names it, and
 * so no symbol is ever found. */
#include "stdlib/prim.h"

value prim_dynlink_open_lib(struct domain *d, value mode, value name) {
    vm_failwith(d, "%s: this machine loads no C libraries", string_bytes(name));
}

value prim_dynlink_close_lib(struct domain *d, value handle) { return VAL_UNIT; }

value prim_dynlink_lookup_symbol(struct domain *d, value handle, value name) { return VAL_UNIT; }

value prim_dynlink_add_primitive(struct domain *d, value handle) {
    vm_failwith(d, "caml_dynlink_add_primitive: no C library is open");
}

value prim_dynlink_get_current_libs(struct domain *d, value unit) { return gc_atom(&d->gc, 0); }
