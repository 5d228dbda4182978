/* dll.h - libraries of C stubs: the search for them, opening, their symbols.
 *
 * DL1  An opened library stays in the process until it ends: custom blocks point to its operations,
 *      decoded code to its functions. */
#ifndef BACTRIAN_VM_IMAGE_DLL_H
#define BACTRIAN_VM_IMAGE_DLL_H

#include "vm/base/status.h"
#include "vm/state/vm.h"

struct vm_dll;
struct vm_dll_symbol;

/* Why this binary cannot open libraries of C code; NULL: it can. GC: never. */
const char *vm_dll_none(void);

/* dlopen, after libm was made global: libraries may use its functions without naming it, since
 * ocamlrun is linked with it. GC: never. */
void *vm_dll_load(const char *path, int flags);

/* Opens the libraries that the image names in DLLS, in that order, so that each sees the names of
 * those before it. Those that the machine replaces are not opened. GC: never. Fails: VM_DLL,
 * VM_NO_MEMORY. */
enum vm_status vm_dlls_open(struct vm *vm, struct vm_error *error);
/* Opens one more (Dynlink, toplevels). Fails: NULL, with the reason in *why. GC: never. */
struct vm_dll *vm_dll_open(struct vm *vm, const char *file, const char **why);
/* Calls visit with each folder that is searched for libraries, of length characters, in order,
 * until it returns true; whether it did. GC: visit's. */
typedef bool vm_dll_folder(void *context, const char *folder, size_t length);
bool vm_dll_folders(const struct vm *vm, vm_dll_folder *visit, void *context);
/* The i-th library in the order of opening, or NULL. */
struct vm_dll *vm_dll_at(const struct vm *vm, size_t i);

/* The function of that name in the first library that defines it, or NULL. GC: never. */
void *vm_dlls_function(const struct vm *vm, const char *name);
/* The same in one library, as a symbol for vm_dll_add_primitive; NULL: there is none (or no
 * memory). dll may be any word: NULL if it is not a library of vm. GC: never. */
struct vm_dll_symbol *vm_dll_symbol(struct vm *vm, const struct vm_dll *dll, const char *name);
/* Adds a symbol to the table of primitives; its number, or -1 when the table is full or symbol is
 * none of vm. GC: never. */
int32_t vm_dll_add_primitive(struct vm *vm, const struct vm_dll_symbol *symbol);

/* Frees the lists; the libraries stay (DL1). GC: never. */
void vm_dlls_free(struct vm *vm);

#endif
