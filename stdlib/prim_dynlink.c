/* prim_dynlink.c - libraries of C code, from the side of Dynlink and toplevels.
 *
 * A handle, of a library or of a symbol in one, is an abstract block of one word: an address that
 * vm/image/dll.c looks up in its lists before it follows it, since a program can make such
 * blocks. */
#include "stdlib/prim.h"
#include "vm/image/dll.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

static value new_handle(struct domain *d, const void *what) {
    value handle = new_small(d, 1, TAG_ABSTRACT);
    field(handle, 0) = (value)what;
    return handle;
}

/* The address in a handle; NULL: it is none. */
static const void *address_in(value handle) {
    bool good = is_block(handle) && tag_of(handle) == TAG_ABSTRACT && wosize_of(handle) == 1;
    return good ? (const void *)field(handle, 0) : NULL;
}

/* mode: whether its code is to run; a library is opened the same way to be looked at. */
value prim_dynlink_open_lib(struct domain *d, value mode, value name) {
    const char *why;
    struct vm_dll *dll = vm_dll_open(d->vm, string_bytes(name), &why);
    if (dll == NULL) vm_failwith(d, "%s", why);
    return new_handle(d, dll);
}

/* A library stays (DL1), as it does under ocamlrun. */
value prim_dynlink_close_lib(struct domain *d, value handle) { return VAL_UNIT; }

value prim_dynlink_lookup_symbol(struct domain *d, value handle, value name) {
    const struct vm_dll_symbol *symbol = vm_dll_symbol(d->vm, address_in(handle),
                                                       string_bytes(name));
    return symbol == NULL ? VAL_UNIT : new_handle(d, symbol);
}

value prim_dynlink_add_primitive(struct domain *d, value handle) {
    int32_t number = vm_dll_add_primitive(d->vm, address_in(handle));
    if (number < 0) vm_failwith(d, "caml_dynlink_add_primitive: no symbol, or the table is full");
    return val_of_int(number);
}

value prim_dynlink_get_current_libs(struct domain *d, value unit) {
    size_t n = 0;
    while (vm_dll_at(d->vm, n) != NULL) n++;
    value libraries = new_block(d, n, 0);
    GC_ROOT(&d->gc, &libraries);
    for (size_t i = 0; i < n; i++) {
        value handle = new_handle(d, vm_dll_at(d->vm, i));
        gc_store(&d->gc, libraries, i, handle);
    }
    return libraries;
}
