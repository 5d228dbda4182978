/* primitive_calls.h - calls of C functions, as the loop makes them. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_PRIMITIVE_CALLS_H
#define BACTRIAN_VM_ENGINE_NATIVE_PRIMITIVE_CALLS_H

#include "vm/engine/native/compiler.h"

struct vm_linked_prim;

/* The name of a primitive of the tables; "": it is a stub, or cannot be called. */
const char *native_primitive_name(const struct vm_linked_prim *prim);
/* Whether a primitive only computes: it does not read the saved registers, and the call needs no
 * poll. */
bool native_primitive_is_light(const struct vm_linked_prim *prim);
/* In checked mode, guards that the n arguments are of the kinds that the primitive takes. False:
 * machine code cannot check them. */
bool native_need_kinds(struct native_compiler *c, const struct vm_linked_prim *prim, uint32_t n);
/* The call of a C_CALL row: arguments of another kind than the primitive takes exit first. */
void native_call_primitive(struct native_compiler *c, const struct vm_ir_row *row);
/* The same, out of line; R_BASE is restored. */
void native_call_primitive_late(struct native_compiler *c, const struct vm_ir_row *row);
/* The state after the call, with the result in R_A: no value is in a register, and no facts are
 * known. */
void native_after_primitive(struct native_compiler *c, const struct vm_ir_row *row, unsigned facts);

#endif
