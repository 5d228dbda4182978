/* opcodes.c - the table behind opcodes.h, and names of the loop's instructions. */
#include "vm/engine.h"

#include <string.h>

#define VARIES OP_VARIES
const struct vm_opcode_info vm_opcodes[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) \
    [OP_##name] = {#name, operands, meaning, delta, flags},
#include "vm/opcodes.def"
#undef OP
};
#undef VARIES

const char *vm_engine_name(unsigned op) {
    static const char *const own[ENGINE_COUNT] = {
#define INTERNAL(name, meaning)                  [ENGINE_##name] = #name,
#define FORM(name)                               [ENGINE_##name] = #name,
#define SPECIAL(name, instruction, operand)      [ENGINE_##name] = #name,
#define INLINED(name, primitive, arity, meaning) [ENGINE_##name] = #name,
#include "vm/engine.def"
    };
    return op < OPCODE_COUNT ? vm_opcodes[op].name : own[op];
}

uint32_t vm_instruction_words(const uint32_t *code, uint32_t at, uint32_t nwords, unsigned count) {
    uint32_t room = nwords - at;
    if (room == 0 || code[at] >= count) return 0;
    const char *operands = vm_opcodes[code[at]].operands;
    uint64_t words;
    if (operands[0] == 'W') {
        if (room < 2) return 0;
        words = 2 + (uint64_t)(code[at + 1] & 0xffff) + (code[at + 1] >> 16);
    } else if (operands[0] == 'R') {
        if (room < 3) return 0;
        words = 3 + (uint64_t)code[at + 1];
    } else {
        words = 1 + strlen(operands);
    }
    return words <= room ? (uint32_t)words : 0;
}
