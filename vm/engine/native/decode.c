/* decode.c - see decode.h.
 *
 *     padding | prefix | REX | 0f | opcode | ModRM | SIB | displacement | constant
 *
 * Only opcode is in each instruction. A REX prefix that changes nothing is refused, and so is the
 * padding of a jump. */
#include "vm/engine/native/decode.h"

#include "vm/engine/native/emit.h"
#include "vm/engine/native/padding.h"

#include <string.h>

enum { ONE, TWO };
enum { NO_OPERAND, IN_OPCODE, REGISTERS, MEMORY, CODE, BYTES, BYTE_MEMORY };
enum { NOTHING, REG, RM, OPCODE, UNLESS_CMP, PRODUCT };
#define DIGIT(n) (1 << (n))
enum {
    ANY = 0,
    ALU_DIGITS = DIGIT(ALU_ADD) | DIGIT(ALU_OR) | DIGIT(ALU_AND) | DIGIT(ALU_SUB) | DIGIT(ALU_XOR) |
                 DIGIT(ALU_COMPARE),
    SHIFT_DIGITS = DIGIT(SHIFT_LEFT) | DIGIT(SHIFT_RIGHT) | DIGIT(SHIFT_RIGHT_SIGNED),
};

struct encoding {
    uint8_t prefix, wide, map, opcode, last, operands, digits, constant, changes, kind;
};

static const struct encoding encodings[] = {
#define ENCODING(prefix, wide, map, opcode, last, operands, digits, constant, changes, kind) \
    {prefix, wide, map, opcode, last, operands, digits, constant, changes, KIND_##kind},
#include "vm/engine/native/encodings.def"
};

size_t native_encoding_count(void) { return sizeof encodings / sizeof *encodings; }

/* The parts of an instruction before its displacement. */
struct parts {
    uint8_t prefix, rex, map, opcode, mode, reg, rm; /* reg, rm: with the bits in REX */
    bool wide;
};

static uint8_t rex_bit(const struct parts *p, unsigned bit) {
    return (uint8_t)((p->rex >> bit & 1) << 3);
}

/* Reads up to the opcode, and ModRM, which may not be there. Returns the byte after the opcode. */
static const uint8_t *read_parts(const uint8_t *at, struct parts *p) {
    *p = (struct parts){.prefix = 0};
    if (*at == 0x66 || *at == 0xf2) p->prefix = *at++;
    if ((*at & 0xf0) == 0x40) p->rex = *at++;
    if (*at == 0x0f) p->map = TWO, at++;
    p->opcode = *at++;
    p->wide = p->rex >> 3 & 1;
    p->mode = *at >> 6;
    p->reg = (uint8_t)((*at >> 3 & 7) | rex_bit(p, 2));
    p->rm = (uint8_t)((*at & 7) | rex_bit(p, 0));
    return at;
}

static bool has_register_in_modrm(const struct encoding *row) {
    return row->operands > IN_OPCODE && row->digits == ANY;
}

static bool operands_match(const struct encoding *row, const struct parts *p) {
    bool relative = p->mode == 0 && (p->rm & 7) == 5;
    if (row->digits != ANY && (row->digits >> (p->reg & 7) & 1) == 0) return false;
    switch (row->operands) {
    case REGISTERS:
    case BYTES: return p->mode == 3;
    case MEMORY:
    case BYTE_MEMORY: return p->mode != 3 && !relative;
    case CODE: return relative;
    default: return true;
    }
}

/* Whether each bit of REX is one that the operands need. index: SIB names one. */
static bool rex_is_needed(const struct encoding *row, const struct parts *p, bool index) {
    bool bytes = row->operands == BYTES || row->operands == BYTE_MEMORY;
    unsigned low = row->operands == BYTES ? p->rm : p->reg; /* the register whose byte it is */
    bool names_byte = bytes && low > R_BASE;
    if (p->rex == 0) return !names_byte;
    if (rex_bit(p, 2) != 0 && !has_register_in_modrm(row)) return false;
    if (rex_bit(p, 1) != 0 && !index) return false;
    if (rex_bit(p, 0) != 0 && (row->operands == NO_OPERAND || row->operands == CODE)) return false;
    return p->rex != 0x40 || names_byte;
}

/* Reads SIB and displacement of a memory operand; at is after ModRM. NULL: a form that is not
 * emitted. */
static const uint8_t *skip_memory(const uint8_t *at, const struct parts *p, bool *index) {
    if ((p->rm & 7) == 4) {
        unsigned sib = *at++, base = sib & 7;
        *index = (sib >> 3 & 7) != 4 || rex_bit(p, 1) != 0;
        if (base == 5 && p->mode == 0) return NULL;
        if (!*index && base != 4) return NULL;
    }
    return at + (p->mode == 1 ? 1 : p->mode == 2 ? 4 : 0);
}

static int64_t read_constant(const uint8_t *at, unsigned bytes, bool is_unsigned) {
    int64_t wide = 0;
    int32_t word;
    switch (bytes) {
    case 0: return 0;
    case 1: return (int8_t)*at;
    case 4: memcpy(&word, at, 4); return is_unsigned ? (int64_t)(uint32_t)word : word;
    default: memcpy(&wide, at, 8); return wide;
    }
}

static unsigned changes_of(const struct encoding *row, const struct parts *p, unsigned in_opcode) {
    switch (row->changes) {
    case REG: return 1u << p->reg;
    case RM: return 1u << p->rm;
    case OPCODE: return 1u << in_opcode;
    case UNLESS_CMP: return (p->reg & 7) == ALU_COMPARE ? 0 : 1u << p->rm;
    case PRODUCT: return 1u << R_A | 1u << R_ARG3;
    default: return 0;
    }
}

/* Decodes by a row that has matched; at: after the opcode. */
static bool decode_by(const struct encoding *row, const struct parts *p, const uint8_t *start,
                      const uint8_t *at, struct native_decoded *out) {
    unsigned in_opcode = (p->opcode & 7u) | rex_bit(p, 0);
    bool index = false;
    if (row->operands > IN_OPCODE) at++;
    if (row->operands == MEMORY || row->operands == BYTE_MEMORY) at = skip_memory(at, p, &index);
    if (at == NULL || !rex_is_needed(row, p, index)) return false;
    bool is_unsigned = row->operands == IN_OPCODE; /* a constant of 32 bits */
    *out = (struct native_decoded){.length = (uint8_t)(at - start + row->constant),
                                   .kind = row->kind,
                                   .reg = p->rm,
                                   .row = (uint8_t)(row - encodings),
                                   .changes = (uint16_t)changes_of(row, p, in_opcode),
                                   .constant = read_constant(at, row->constant, is_unsigned)};
    if (row->operands == IN_OPCODE) out->reg = (uint8_t)in_opcode;
    else if (row->kind == KIND_JUMP_IF) out->reg = p->opcode & 15;
    else if (row->kind == KIND_CODE_ADDRESS) out->reg = p->reg;
    return true;
}

/* Without padding; the bytes beyond the instruction's are zeros. */
static bool decode_bytes(const uint8_t *bytes, struct native_decoded *out) {
    struct parts p;
    const uint8_t *after = read_parts(bytes, &p);
    for (const struct encoding *row = encodings; row < encodings + native_encoding_count(); row++) {
        if (p.opcode < row->opcode || p.opcode > row->last) continue;
        if (p.map != row->map || p.prefix != row->prefix || p.wide != row->wide) continue;
        if (!operands_match(row, &p)) continue;
        return decode_by(row, &p, bytes, after, out);
    }
    return false;
}

bool native_decode(const uint8_t *at, const uint8_t *end, struct native_decoded *out) {
    uint8_t bytes[2 * LONGEST_ENCODING] = {0}, prefixes = 0;
    size_t rest = (size_t)(end - at);
    memcpy(bytes, at, rest < LONGEST_ENCODING ? rest : LONGEST_ENCODING);
    while (bytes[prefixes] == PADDING_PREFIX) prefixes++;
    if (!decode_bytes(bytes + prefixes, out)) return false;
    out->length += prefixes;
    out->prefixes = prefixes;
    bool jumps = out->kind >= KIND_JUMP && out->kind <= KIND_RETURN;
    return out->length <= rest && out->length <= LONGEST_ENCODING && (prefixes == 0 || !jumps);
}
