/* facts.h - guards: what an instruction requires of a value is tested in machine code, unless it is
 * already known. If a guard fails, the code exits. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_FACTS_H
#define BACTRIAN_VM_ENGINE_NATIVE_FACTS_H

#include "vm/engine/native/compiler.h"

/* An OCaml integer. */
void need_int(struct native_compiler *c, uint16_t v);
/* A block. */
void need_block(struct native_compiler *c, uint16_t v);
/* A branch has found out that it is an integer, or a block of a tag below n. */
void learn_int(struct native_compiler *c, uint16_t v);
void learn_tag_below(struct native_compiler *c, uint16_t v, uint32_t n);
/* Its fields, however many, can be read, or written. */
void need_fields_tag(struct native_compiler *c, uint16_t v);
void need_mutable_tag(struct native_compiler *c, uint16_t v);
/* Its field i can be read, or written. */
void need_field(struct native_compiler *c, uint16_t v, uint32_t i);
void need_mutable_field(struct native_compiler *c, uint16_t v, uint32_t i);
/* Its field of that index, an OCaml integer, can be read, or written; returns the field. */
struct native_place need_item(struct native_compiler *c, uint16_t v, uint16_t index, bool mutable);
/* An index is below a size, by the flags of their comparison. */
void need_below(struct native_compiler *c);
/* A block's size as VECTLENGTH gives it, and a string's length. Needs: a block, a string. */
uint16_t size_of_block(struct native_compiler *c, uint16_t v);
uint16_t length_of_string(struct native_compiler *c, uint16_t v);
/* A closure, by any of its functions. */
void need_closure(struct native_compiler *c, uint16_t v);
/* A block of that tag, which the fact records. */
void need_tag(struct native_compiler *c, uint16_t v, unsigned tag, unsigned fact);
/* A flat float array with double i. */
void need_double_field(struct native_compiler *c, uint16_t v, uint32_t i);
/* The same for an index; returns the double. */
struct native_place need_double_item(struct native_compiler *c, uint16_t v, uint16_t index);
/* A string with byte `index`, which R_TEMP2 holds untagged afterwards. */
void need_string_byte(struct native_compiler *c, uint16_t v, uint16_t index);
/* A custom block with these operations. */
void need_operations(struct native_compiler *c, uint16_t v, const struct gc_custom_ops *ops);
/* The block in that register has field i. */
void need_field_of_register(struct native_compiler *c, int reg, uint32_t i);

#endif
