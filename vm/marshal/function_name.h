/* function_name.h - what a function is called in the machine's reports. */
#ifndef BACTRIAN_VM_MARSHAL_FUNCTION_NAME_H
#define BACTRIAN_VM_MARSHAL_FUNCTION_NAME_H

#include <stdint.h>
#include <stdio.h>

struct vm;

/* The name of a function, allocated: of the first event in it, else by symbols (vm_symbol_at), else
 * FOFFSET; `(main)` for the top level of a linked program, which is that of all its modules. Needs:
 * it is prepared. NULL: out of memory. GC: never. */
char *vm_function_name(struct vm *vm, uint32_t function);
/* Prints a name, which is the program's text, with `?` for control characters. GC: never. */
void vm_put_name(FILE *out, const char *name);

#endif
