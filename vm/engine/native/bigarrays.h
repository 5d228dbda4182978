/* bigarrays.h - elements of bigarrays of one to three dimensions. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_BIGARRAYS_H
#define BACTRIAN_VM_ENGINE_NATIVE_BIGARRAYS_H

#include <stdbool.h>

struct native_compiler;
struct vm_ir_row;

/* The row as Bigarray.get or set, if its primitive is one of them. The kind and layout are tested
 * each time: floats of 64 bits and bytes in C layout are accessed here, others by the call. */
bool native_bigarray(struct native_compiler *c, const struct vm_ir_row *row);

#endif
