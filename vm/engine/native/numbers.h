/* numbers.h - boxed numbers that machine code keeps unboxed, in xmm registers: floats, and integers
 * of Int32, Int64 and Nativeint as 64 bits (those of Int32 with their sign extended). */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_NUMBERS_H
#define BACTRIAN_VM_ENGINE_NATIVE_NUMBERS_H

#include "vm/engine/native/compiler.h"

/* The one of FACT_NUMBERS that stands for a number, and the number that it stands for. */
unsigned native_number_fact(enum native_number number);
enum native_number native_number_of_fact(unsigned facts);

/* An xmm register that holds v, after a guard that it is such a number. */
int need_number(struct native_compiler *c, uint16_t v, enum native_number number);
static inline int need_double(struct native_compiler *c, uint16_t v) {
    return need_number(c, v, NUMBER_DOUBLE);
}
/* Loads the number of the block in `reg`; changes `temp`, which may be `reg`. */
void native_load_number(struct emitter *e, int xmm, int reg, enum native_number number, int temp);
/* Allocates a block for v, which is in an xmm register, in `reg`. */
void native_box_number(struct native_compiler *c, uint16_t v, int reg);

#endif
