/* allocation.h - instructions that allocate blocks. Each tests the minor heap's limit once; if it
 * is reached, for a collection, a sample or a pending action, the code exits and the loop executes
 * the instruction. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_ALLOCATION_H
#define BACTRIAN_VM_ENGINE_NATIVE_ALLOCATION_H

#include "vm/engine/native/compiler.h"

/* R_YOUNG := the address of a new block's header, which is written; its fields come next. */
void allocate_words(struct native_compiler *c, uint32_t fields, unsigned tag);
/* MAKEBLOCK, MAKEFLOATBLOCK, CLOSURE, CLOSUREREC. */
void allocate_block(struct native_compiler *c, uint32_t fields, uint32_t tag);
void allocate_float_block(struct native_compiler *c, uint32_t fields);
void allocate_closure(struct native_compiler *c, uint32_t variables);
void allocate_closures(struct native_compiler *c, uint32_t functions, uint32_t variables);

#endif
