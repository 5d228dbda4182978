/* opcodes.h - the rows of vm/code/opcodes.def, as an enum and a table. */
#ifndef BACTRIAN_VM_CODE_OPCODES_H
#define BACTRIAN_VM_CODE_OPCODES_H

#include "gc/assert.h"

#include <stdbool.h>
#include <stdint.h>

enum vm_opcode {
#define OP(name, operands, delta, flags, meaning) OP_##name,
#include "vm/code/opcodes.def"
    OPCODE_COUNT
};
enum { OPCODE_COUNT_4X = OP_GETSTRINGCHAR + 1 }; /* OCaml 4.13 and 4.14 have no effects */
_Static_assert(OPCODE_COUNT == 153 && OPCODE_COUNT_4X == 149,
               "OCaml's instruction numbers are fixed");

enum {
    OP_ENDS = 1,      /* control does not continue with the next instruction */
    OP_CALLS = 2,     /* enters an OCaml function, which polls */
    OP_PRIMITIVE = 4, /* calls a primitive */
    OP_ALLOCATES = 8, /* may allocate in the heap */
    OP_POLLS = 16,    /* lets pending actions run */
    OP_DEBUG = 32,    /* never in a file */
    OP_STORES = 64,   /* may store a young block in a major one, as primitives may */
};

enum { OP_VARIES = -128 };

struct vm_opcode_info {
    const char *name, *operands, *meaning;
    int8_t delta;
    uint8_t flags;
    uint8_t long_op; /* itself, unless it is SHORT */
    int8_t first;    /* the operand that a SHORT one fixes */
    char label;      /* the letter of its labels, or 0: l, h, r, x; also for W and R */
};
extern const struct vm_opcode_info vm_opcodes[OPCODE_COUNT];

/* Words of an instruction, its opcode included, by the opcode; 0 for the two of variable length. */
extern const uint8_t vm_fixed_words[OPCODE_COUNT];
/* Words of an instruction of variable length, by the word after its opcode. */
static inline uint64_t vm_varying_words(uint32_t op, uint32_t sizes) {
    ASSERT(op == OP_SWITCH || op == OP_CLOSUREREC);
    return op == OP_SWITCH ? 2 + (uint64_t)(sizes & 0xffff) + (sizes >> 16) : 3 + (uint64_t)sizes;
}
/* Words of any instruction; sizes: the word after its opcode, if there is one. 0: it has no such
 * opcode, or more than `left` words. For code that the verifier has not seen. */
uint32_t vm_instruction_words(uint32_t op, uint32_t sizes, uint32_t left);
/* Words before its labels, which are its last words, relative to the first of them. */
uint32_t vm_words_before_labels(uint32_t op, uint32_t width);

/* Change of the stack's height by an instruction after which control continues: its delta, or
 * computed from its first two operands (SHORT ones: the fixed one first). Needs: a verified
 * instruction of a supported version, not RESTART. */
int32_t vm_stack_delta(unsigned op, uint32_t first, uint32_t second);

/* Instructions of the loop: the bytecode's, under the same numbers, then these. */
enum vm_engine_op {
    ENGINE_FIRST_INTERNAL = OPCODE_COUNT - 1, /* so the next one is OPCODE_COUNT */
#define INTERNAL(name, meaning)                  ENGINE_##name,
#define FORM(name)                               ENGINE_##name,
#define SPECIAL(name, instruction, operand)      ENGINE_##name,
#define INLINED(name, primitive, arity, meaning) ENGINE_##name,
#include "vm/code/engine.def"
    ENGINE_COUNT
};

/* Whether an instruction of the loop may store a young block in a major one. Folded where op is
 * constant. */
static inline __attribute__((always_inline)) bool vm_may_store(unsigned op) {
    switch (op) {
#define OP(name, operands, delta, flags, meaning) \
    case OP_##name:                               \
        return ((flags) & (OP_STORES | OP_PRIMITIVE)) != 0;
#include "vm/code/opcodes.def"
    default: return true;
    }
}

/* Its name for messages: that of engine.def; a fused form's has two underscores between its parts.
 * GC: never. */
const char *vm_engine_name(unsigned op);

#endif
