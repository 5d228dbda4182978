/* symbols.h - names for code without debug information, and of functions in reports.
 *
 * The linker concatenates the units of a program. A unit begins with a branch over its functions to
 * its top level, and ends by setting its global, which section SYMB names: so the module of each pc
 * of the program's code is known. Its functions are named by the offsets at which they begin, as in
 * the labels of `bactrian dis`.
 *
 * SY1  The rows are by ascending end; row i covers [rows[i - 1].end, rows[i].end). */
#ifndef BACTRIAN_VM_IMAGE_SYMBOLS_H
#define BACTRIAN_VM_IMAGE_SYMBOLS_H

#include "vm/marshal/constants.h"

#include <stdio.h>

struct vm;

struct vm_symbols {
    struct vm_symbol {
        uint32_t top_level, end; /* words of the program's code */
        const char *module;      /* lives as long as the table */
    } * rows;
    size_t count;
    const char **names; /* of the globals, their texts in the same allocation; NULL: no name */
    size_t name_count;
};

/* The module whose code is at gpc, and as text, truncated to size - 1 bytes, the function:
 * MODULE.FOFFSET by its first byte in the code, MODULE alone for the top level. The table is made
 * at the first call and belongs to the machine. NULL: not known (code loaded at run time, a file
 * without SYMB, no memory). GC: never. */
const char *vm_symbol_at(struct vm *vm, uint64_t gpc, char *function, size_t size);
/* The start of the function of an active call, or of the top level of its unit; gpc: of the call.
 * GC: never. */
uint64_t vm_function_start(struct vm *vm, uint64_t gpc);
/* The module, or the predefined exception, that is in a global, a field of vm->global_data. NULL:
 * not known, as above. GC: never. */
const char *vm_global_name(struct vm *vm, uint32_t global);
/* A gpc of the unit that sets a global; VM_NO_GPC (vm/code/code.h): not known. GC: never. */
uint64_t vm_global_code(struct vm *vm, uint32_t global);
void vm_symbols_free(struct vm *vm);

/* The name of a function, allocated: of the first event in it, else by symbols (vm_symbol_at), else
 * FOFFSET; `(main)` for the top level of a linked program, which is that of all its modules. Needs:
 * it is prepared. NULL: out of memory. GC: never. */
char *vm_function_name(struct vm *vm, uint32_t function);
/* Prints a name, which is the program's text, with `?` for control characters. GC: never. */
void vm_put_name(FILE *out, const char *name);

/* Whether that row of SYMB's value is a node of its map (left, identifier, slot, right, height),
 * for a unit or a predefined exception; then the global, and the row
 * of its name. GC: never. */
bool vm_symbol_of_node(const struct vm_constants *c, uint32_t node, uint32_t *global,
                       const struct vm_constant **name);

#endif
