/* known.h - what has been loaded and is loaded again without a call between: fields of blocks and
 * closures, sizes, lengths.
 *
 * NV5  An entry is what its field holds, or its block's size is, as long as no other code runs. An
 *      entry whose value is only in a register ends when the register is needed. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_KNOWN_H
#define BACTRIAN_VM_ENGINE_NATIVE_KNOWN_H

#include "vm/engine/native/compiler.h"

/* A field of a block, by its number, or one of these. */
enum {
    KNOWN_SIZE = -1 /* a block's, as VECTLENGTH gives it */,
    KNOWN_LENGTH = -2 /* a string's */,
    KNOWN_BOUND = -3 /* a block's size, of which the lowest bit may be missing */
};

/* The value of that kind, or NO_VALUE. */
uint16_t known_find(const struct native_compiler *c, uint16_t block, int32_t what);
void known_add(struct native_compiler *c, uint16_t block, int32_t what, uint16_t v);
/* The block of entries for the current closure's fields. */
uint16_t known_closure(const struct native_compiler *c);
/* Ends the entries that hold that value. */
void known_drop(struct native_compiler *c, uint16_t v);
/* Ends the entries for fields and the size of that block. */
void known_drop_about(struct native_compiler *c, uint16_t block);
/* A field was written, whose block may be any: ends the entries for fields of blocks. */
void known_drop_fields(struct native_compiler *c);
void known_drop_all(struct native_compiler *c);
/* Whether nothing but entries has the value. */
bool known_only(const struct native_compiler *c, uint16_t v);

#endif
