/* integers.h - the primitives of integers.def in machine code. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_INTEGERS_H
#define BACTRIAN_VM_ENGINE_NATIVE_INTEGERS_H

#include <stdbool.h>
#include <stdint.h>

struct native_compiler;
struct vm_linked_prim;

/* A primitive of integers.def: what it computes, the facts of its operands (0: none) and of its
 * result. */
struct native_integer {
    uint8_t operation, number; /* enum native_number: the type */
    uint16_t facts[2], result;
};

/* False: the primitive is not one of them. */
bool native_find_integer(const struct vm_linked_prim *prim, struct native_integer *found);
/* A := the result for A and, if there is a second operand, the top of the stack. */
void native_integer(struct native_compiler *c, const struct native_integer *which);

#endif
