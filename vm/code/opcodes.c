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

uint32_t vm_instruction_words(const uint32_t *code, uint32_t at, uint32_t nwords, unsigned count) {
    ASSERT(at <= nwords && count <= OPCODE_COUNT);
    uint32_t room = nwords - at;
    if (room == 0 || code[at] >= count) return 0;
    uint64_t words = vm_fixed_words[code[at]];
    if (words == 0) {
        if (room < (code[at] == OP_SWITCH ? 2 : 3)) return 0;
        words = vm_varying_words(code[at], code[at + 1]);
    }
    return words <= room ? (uint32_t)words : 0;
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
