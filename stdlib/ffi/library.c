/* library.c - libraries of C code that a program opens.
 *
 * Only Ffi.close_library closes a library, never the collector: addresses of its functions may be
 * anywhere. A bound function tests before each call that its library is open. */
#include "stdlib/ffi/ffi.h"
#include "stdlib/prim.h"
#include "vm/image/dll.h"

#include <dlfcn.h>

struct library {
    void *handle; /* NULL: closed */
};

static const struct gc_custom_ops library_ops = {.identifier = "bactrian.ffi.library"};

static struct library *library_of(value v) {
    return is_custom_of(v, &library_ops) ? custom_data(v) : NULL;
}

static struct library *open_library(struct domain *d, value v) {
    struct library *library = library_of(v);
    if (library == NULL) vm_invalid_argument(d, "Ffi: not a library");
    if (library->handle == NULL) vm_invalid_argument(d, "Ffi: the library is closed");
    return library;
}

bool ffi_library_is_open(value library) {
    if (is_int(library)) return true;
    const struct library *own = library_of(library);
    return own != NULL && own->handle != NULL;
}

/* The program itself is named "". */
value prim_ffi_library_open(struct domain *d, value name, value global) {
    const char *path = string_bytes(name);
    if (!is_c_string(name)) vm_invalid_argument(d, "Ffi: a zero byte in a library's name");
    if (vm_dll_none() != NULL) vm_failwith(d, "Ffi: %s", vm_dll_none());
    int scope = bool_of_val(global) ? RTLD_GLOBAL : RTLD_LOCAL;
    void *handle = vm_dll_load(path[0] == 0 ? NULL : path, RTLD_NOW | scope);
    if (handle == NULL) vm_failwith(d, "Ffi: %s", dlerror());
    value v = gc_alloc_custom(&d->gc, &library_ops, sizeof(struct library), 0, 1);
    ((struct library *)custom_data(v))->handle = handle;
    return v;
}

value prim_ffi_library_close(struct domain *d, value v) {
    struct library *library = open_library(d, v);
    ASSERT(library->handle != NULL);
    dlclose(library->handle);
    library->handle = NULL;
    return VAL_UNIT;
}

value prim_ffi_library_symbol(struct domain *d, value v, value name) {
    struct library *library = open_library(d, v);
    if (!is_c_string(name)) vm_invalid_argument(d, "Ffi: a zero byte in a symbol's name");
    dlerror();
    void *address = dlsym(library->handle, string_bytes(name));
    const char *problem = address == NULL ? dlerror() : NULL;
    if (problem != NULL) vm_failwith(d, "Ffi: %s", problem);
    if (address == NULL) vm_failwith(d, "Ffi: %s is null", string_bytes(name));
    return val_of_int((intptr_t)address);
}
