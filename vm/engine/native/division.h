/* division.h - DIVINT and MODINT: by a constant without a division. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_DIVISION_H
#define BACTRIAN_VM_ENGINE_NATIVE_DIVISION_H

#include <stdbool.h>

struct native_compiler;

/* A divided by the top of the stack, or the remainder. GC: never. */
void native_divide(struct native_compiler *c, bool modulo);

#endif
