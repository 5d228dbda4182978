/* contents.h - what references (references.h) contain: values that the compiler knows, in registers
 * for instance, and need not be in the block (NV3).
 *
 * In a loop that has a pin for it (loops.h) a content that is assigned is written to the block
 * where other code may run, and where the loop ends; elsewhere it is written at once. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_CONTENTS_H
#define BACTRIAN_VM_ENGINE_NATIVE_CONTENTS_H

#include <stdint.h>

struct native_compiler;
struct vm_ir_row;

/* The content of reference k, loaded if it is not known. GC: never, for all of them. */
uint16_t native_content(struct native_compiler *c, uint32_t k);
/* Writes the content into its block, if it is not there; of all references. Floats are boxed first,
 * which may exit. Changes the flags, R_TEMP and R_TEMP2. */
void native_write_content(struct native_compiler *c, uint32_t k);
void native_write_contents(struct native_compiler *c);
/* The code of the current row, which makes or uses reference k. */
void native_reference(struct native_compiler *c, const struct vm_ir_row *row, uint32_t k);

#endif
