/* opcodes.c - the table behind opcodes.h, and names of the loop's instructions. */
#include "vm/code/opcodes.h"

#define VARIES OP_VARIES
const struct vm_opcode_info vm_opcodes[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) \
    [OP_##name] = {#name, operands, meaning, delta, flags},
#include "vm/code/opcodes.def"
#undef OP
};
#undef VARIES
const uint8_t vm_fixed_words[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) \
    [OP_##name] = operands[0] == 'W' || operands[0] == 'R' ? 0 : sizeof operands,
#include "vm/code/opcodes.def"
#undef OP
};

const char *vm_engine_name(unsigned op) {
    static const char *const own[ENGINE_COUNT] = {
#define INTERNAL(name, meaning)                  [ENGINE_##name] = #name,
#define FORM(name)                               [ENGINE_##name] = #name,
#define SPECIAL(name, instruction, operand)      [ENGINE_##name] = #name,
#define INLINED(name, primitive, arity, meaning) [ENGINE_##name] = #name,
#include "vm/code/engine.def"
    };
    return op < OPCODE_COUNT ? vm_opcodes[op].name : own[op];
}

uint32_t vm_instruction_words(const uint32_t *code, uint32_t at, uint32_t nwords, unsigned count) {
    uint32_t room = nwords - at;
    if (room == 0 || code[at] >= count) return 0;
    uint64_t words = vm_fixed_words[code[at]];
    if (words == 0) {
        if (room < (code[at] == OP_SWITCH ? 2 : 3)) return 0;
        words = vm_varying_words(code[at], code[at + 1]);
    }
    return words <= room ? (uint32_t)words : 0;
}
