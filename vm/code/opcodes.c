/* opcodes.c - the tables of opcodes.h, and names of the loop's instructions. */
#include "vm/code/opcodes.h"

#include "gc/assert.h"

#define VARIES OP_VARIES
/* Labels are an instruction's last operands. */
#define LAST(operands) (operands)[sizeof(operands) > 1 ? sizeof(operands) - 2 : 0]
#define LABEL(operands)                                                          \
    LAST(operands) == 'W'   ? 'l'                                                \
    : LAST(operands) == 'R' ? 'x'                                                \
    : LAST(operands) == 'l' || LAST(operands) == 'h' || LAST(operands) == 'r' || \
            LAST(operands) == 'x'                                                \
        ? LAST(operands)                                                         \
        : 0
const struct vm_opcode_info vm_opcodes[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) \
    [OP_##name] = {#name, operands, meaning, delta, flags, OP_##name, 0, LABEL(operands)},
#define SHORT(name, long_name, first, operands, delta, flags, meaning) \
    [OP_##name] = {#name, operands, meaning, delta, flags, OP_##long_name, first, 0},
#include "vm/code/opcodes.def"
};
const uint8_t vm_fixed_words[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) \
    [OP_##name] = operands[0] == 'W' || operands[0] == 'R' ? 0 : sizeof operands,
#include "vm/code/opcodes.def"
};
#undef VARIES

const char *vm_engine_name(unsigned op) {
    static const char *const own[ENGINE_COUNT] = {
#define INTERNAL(name, meaning)                  [ENGINE_##name] = #name,
#define FORM(name)                               [ENGINE_##name] = #name,
#define SPECIAL(name, instruction, operand)      [ENGINE_##name] = #name,
#define INLINED(name, primitive, arity, meaning) [ENGINE_##name] = #name,
#include "vm/code/engine.def"
    };
    ASSERT(op < ENGINE_COUNT);
    return op < OPCODE_COUNT ? vm_opcodes[op].name : own[op];
}

uint32_t vm_instruction_words(uint32_t op, uint32_t sizes, uint32_t left) {
    if (op >= OPCODE_COUNT) return 0;
    uint64_t width = vm_fixed_words[op];
    if (width == 0 && left > 1) width = vm_varying_words(op, sizes);
    return width <= left ? (uint32_t)width : 0;
}

uint32_t vm_words_before_labels(uint32_t op, uint32_t width) {
    ASSERT(op < OPCODE_COUNT && width > 0);
    switch (vm_opcodes[op].operands[0]) {
    case 'W': return 2;
    case 'R': return 3;
    default: return vm_opcodes[op].label != 0 ? width - 1 : width;
    }
}

/* Words that a block of A and stacked values takes off the stack. */
static int32_t taken(uint32_t values) { return values > 0 ? (int32_t)values - 1 : 0; }

int32_t vm_stack_delta(unsigned op, uint32_t first, uint32_t second) {
    ASSERT(op < OPCODE_COUNT && op != OP_RESTART);
    if (vm_opcodes[op].delta != OP_VARIES) return vm_opcodes[op].delta;
    switch (op) {
    case OP_POP: return -(int32_t)first;
    case OP_CLOSUREREC: return (int32_t)first - taken(second);
    default: return -taken(first); /* CLOSURE, MAKEBLOCK, MAKEFLOATBLOCK, C_CALLN */
    }
}
