/* emit_x86_64.c - the operations of emit.h as instructions of x86-64. */
#include "vm/engine/native/emit.h"

#include "gc/assert.h"
#include "vm/engine/native/padding.h"

#include <string.h>

enum { WIDE = 1, NARROW = 0 };
/* The lengths of jumps. */
enum {
    JUMP_IF_BYTES = 6,
    JUMP_BYTES = 5,
    SHORT_JUMP_BYTES = 2,
    CALL_REGISTER_BYTES = 3,
    RETURN_BYTES = 1
};

static inline void byte(struct emitter *e, unsigned x) { *e->at++ = (uint8_t)x; }

static inline void word_32(struct emitter *e, int64_t k) {
    int32_t low = (int32_t)k;
    memcpy(e->at, &low, 4);
    e->at += 4;
}

/* Ensures room for n bytes. Without it the emitter is full and starts again at its first byte: what
 * it has emitted is not used. */
static inline bool has_room(struct emitter *e, unsigned n) {
    if (e->end - e->at >= (ptrdiff_t)n) return true;
    e->full = true;
    e->at = e->start;
    e->latest_count = 0;
    return false;
}

/* Called before each instruction. */
static inline void begin(struct emitter *e) {
    has_room(e, LONGEST_ENCODING);
    if (!e->pads) return;
    if (e->latest_count > 0 && e->latest[(e->latest_count - 1) % MOST_LATEST] == e->at) return;
    e->latest[e->latest_count++ % MOST_LATEST] = e->at;
}

/* Moves the instruction at `start`, the last one or the next, up by `padding` bytes: the latest
 * ones before it get prefixes. */
static void put_padding(struct emitter *e, uint8_t *start, unsigned padding) {
    uint32_t oldest = e->latest_count < MOST_LATEST ? 0 : e->latest_count - MOST_LATEST;
    uint8_t *end = start;
    memmove(start + padding, start, (size_t)(e->at - start));
    e->at += padding;
    for (uint32_t i = e->latest_count; i > oldest && padding > 0; i--) {
        uint8_t *from = e->latest[(i - 1) % MOST_LATEST];
        if (from >= start) continue;
        unsigned length = (unsigned)(end - from), prefixes = LONGEST_ENCODING - length;
        ASSERT(length <= LONGEST_ENCODING);
        if (prefixes > padding) prefixes = padding;
        memmove(from + padding, from, length);
        padding -= prefixes;
        memset(from + padding, PADDING_PREFIX, prefixes);
        end = from;
    }
    put_nops(end, padding);
    e->latest_count = 0;
}

/* Called after an instruction whose first byte is `start`, and which with the next `follows` bytes
 * is a jump: with padding, moves it up to the next line, if it is not within one. */
static inline void keep_in_line(struct emitter *e, uint8_t *start, unsigned follows) {
    if (!e->pads) return;
    unsigned padding = jump_padding(start, (unsigned)(e->at - start) + follows);
    if (padding > 0 && has_room(e, padding + LONGEST_ENCODING)) put_padding(e, start, padding);
}

/* Called before a jump of that length. */
static inline void begin_jump(struct emitter *e, unsigned length) {
    begin(e);
    keep_in_line(e, e->at, length);
}

/* Called before and after a comparison: the CPU executes it and a conditional jump that follows as
 * one instruction. */
static inline uint8_t *begin_comparison(struct emitter *e) {
    begin(e);
    return e->at;
}
static inline void end_comparison(struct emitter *e, uint8_t *start) {
    keep_in_line(e, start, JUMP_IF_BYTES);
}

/* The REX prefix: for 64-bit operands, and for registers 8 to 15. */
static inline void prefix(struct emitter *e, int wide, int reg, int index, int base, bool always) {
    unsigned rex = 0x40u | (unsigned)wide << 3 | ((unsigned)reg >> 3 & 1) << 2 |
                   ((unsigned)index >> 3 & 1) << 1 | ((unsigned)base >> 3 & 1);
    if (rex != 0x40 || always) byte(e, rex);
}

/* Whether the low byte of a register has that name only after a prefix. */
static inline bool needs_prefix(int reg) { return reg > R_BASE; }

static inline void operand_register(struct emitter *e, int reg, int other) {
    byte(e, 0xc0u | ((unsigned)reg & 7) << 3 | ((unsigned)other & 7));
}

static void operand_memory(struct emitter *e, int reg, struct native_place p) {
    int32_t d = p.displacement;
    unsigned base = (unsigned)p.base & 7, mode = 2, field = ((unsigned)reg & 7) << 3;
    if (d == 0 && base != 5) mode = 0;
    else if (d >= -128 && d < 128) mode = 1;
    if (p.index != R_NONE) {
        ASSERT(p.index != R_C_STACK);
        byte(e, mode << 6 | field | 4);
        byte(e, (unsigned)p.scale << 6 | ((unsigned)p.index & 7) << 3 | base);
    } else {
        byte(e, mode << 6 | field | base);
        if (base == 4) byte(e, 0x24);
    }
    if (mode == 1) byte(e, (unsigned)d);
    else if (mode == 2) word_32(e, d);
}

static inline int index_of(struct native_place p) { return p.index == R_NONE ? 0 : p.index; }

/* opcode reg, place */
static inline void with_memory(struct emitter *e, int wide, unsigned opcode, int reg,
                               struct native_place p) {
    begin(e);
    prefix(e, wide, reg, index_of(p), p.base, false);
    byte(e, opcode);
    operand_memory(e, reg, p);
}

static inline void with_register(struct emitter *e, int wide, unsigned opcode, int reg, int other) {
    begin(e);
    prefix(e, wide, reg, 0, other, false);
    byte(e, opcode);
    operand_register(e, reg, other);
}

/* ---- Moves. ---- */

void emit_move(struct emitter *e, int to, int from) {
    if (to != from) with_register(e, WIDE, 0x89, from, to);
}

void emit_constant(struct emitter *e, int to, int64_t k) {
    begin(e);
    if (k >= 0 && k <= UINT32_MAX) {
        prefix(e, NARROW, 0, 0, to, false);
        byte(e, 0xb8u | ((unsigned)to & 7));
        word_32(e, k);
    } else if (fits_32(k)) {
        prefix(e, WIDE, 0, 0, to, false);
        byte(e, 0xc7);
        operand_register(e, 0, to);
        word_32(e, k);
    } else {
        prefix(e, WIDE, 0, 0, to, false);
        byte(e, 0xb8u | ((unsigned)to & 7));
        memcpy(e->at, &k, 8);
        e->at += 8;
    }
}

void emit_load(struct emitter *e, int to, struct native_place from) {
    with_memory(e, WIDE, 0x8b, to, from);
}

static void two_byte_memory(struct emitter *e, int wide, unsigned opcode, int reg,
                            struct native_place p) {
    begin(e);
    prefix(e, wide, reg, index_of(p), p.base, false);
    byte(e, 0x0f);
    byte(e, opcode);
    operand_memory(e, reg, p);
}

void emit_load_byte(struct emitter *e, int to, struct native_place from) {
    two_byte_memory(e, NARROW, 0xb6, to, from);
}

void emit_load_16(struct emitter *e, int to, struct native_place from) {
    two_byte_memory(e, NARROW, 0xb7, to, from);
}

void emit_load_32(struct emitter *e, int to, struct native_place from) {
    with_memory(e, NARROW, 0x8b, to, from);
}

void emit_load_signed_32(struct emitter *e, int to, struct native_place from) {
    with_memory(e, WIDE, 0x63, to, from);
}

void emit_store(struct emitter *e, struct native_place to, int from) {
    with_memory(e, WIDE, 0x89, from, to);
}

void emit_store_byte(struct emitter *e, struct native_place to, int from) {
    begin(e);
    prefix(e, NARROW, from, index_of(to), to.base, needs_prefix(from));
    byte(e, 0x88);
    operand_memory(e, from, to);
}

void emit_store_16(struct emitter *e, struct native_place to, int from) {
    begin(e);
    byte(e, 0x66);
    prefix(e, NARROW, from, index_of(to), to.base, false);
    byte(e, 0x89);
    operand_memory(e, from, to);
}

void emit_store_32(struct emitter *e, struct native_place to, int from) {
    with_memory(e, NARROW, 0x89, from, to);
}

void emit_store_constant(struct emitter *e, struct native_place to, int32_t k) {
    with_memory(e, WIDE, 0xc7, 0, to);
    word_32(e, k);
}

void emit_address(struct emitter *e, int to, struct native_place of) {
    if (of.index == R_NONE && of.displacement == 0) emit_move(e, to, of.base);
    else with_memory(e, WIDE, 0x8d, to, of);
}

uint8_t *emit_code_address(struct emitter *e, int to) {
    begin(e);
    prefix(e, WIDE, to, 0, 0, false);
    byte(e, 0x8d);
    byte(e, ((unsigned)to & 7) << 3 | 5);
    word_32(e, 0);
    return emit_here(e);
}

/* ---- Integers. ---- */

void emit_alu(struct emitter *e, enum native_alu op, int to, int from) {
    uint8_t *start = begin_comparison(e);
    with_register(e, WIDE, (unsigned)op << 3 | 1, from, to);
    if (op == ALU_COMPARE) end_comparison(e, start);
}

/* Group 1: the operand with a constant of 8 or 32 bits. */
static void constant_operand(struct emitter *e, int32_t k, unsigned *opcode) {
    *opcode = k >= -128 && k < 128 ? 0x83 : 0x81;
}
static void put_constant_operand(struct emitter *e, int32_t k) {
    if (k >= -128 && k < 128) byte(e, (unsigned)k);
    else word_32(e, k);
}

void emit_alu_constant(struct emitter *e, enum native_alu op, int to, int32_t k) {
    uint8_t *start = begin_comparison(e);
    unsigned opcode;
    constant_operand(e, k, &opcode);
    with_register(e, WIDE, opcode, (int)op, to);
    put_constant_operand(e, k);
    if (op == ALU_COMPARE) end_comparison(e, start);
}

void emit_alu_load(struct emitter *e, enum native_alu op, int to, struct native_place from) {
    uint8_t *start = begin_comparison(e);
    with_memory(e, WIDE, (unsigned)op << 3 | 3, to, from);
    if (op == ALU_COMPARE) end_comparison(e, start);
}

void emit_alu_byte_constant(struct emitter *e, enum native_alu op, int to, int8_t k) {
    uint8_t *start = begin_comparison(e);
    prefix(e, NARROW, 0, 0, to, needs_prefix(to));
    byte(e, 0x80);
    operand_register(e, (int)op, to);
    byte(e, (unsigned)k);
    if (op == ALU_COMPARE) end_comparison(e, start);
}

void emit_compare_memory(struct emitter *e, struct native_place at, int32_t k) {
    uint8_t *start = begin_comparison(e);
    unsigned opcode;
    constant_operand(e, k, &opcode);
    with_memory(e, WIDE, opcode, ALU_COMPARE, at);
    put_constant_operand(e, k);
    end_comparison(e, start);
}

void emit_replace_constant(struct emitter *e, uint8_t *end, int32_t k) {
    if (!e->full) memcpy(end - sizeof k, &k, sizeof k);
}

void emit_compare_memory_32(struct emitter *e, struct native_place at, int32_t k) {
    uint8_t *start = begin_comparison(e);
    unsigned opcode;
    constant_operand(e, k, &opcode);
    with_memory(e, NARROW, opcode, ALU_COMPARE, at);
    put_constant_operand(e, k);
    end_comparison(e, start);
}

void emit_compare_byte(struct emitter *e, struct native_place at, uint8_t k) {
    uint8_t *start = begin_comparison(e);
    with_memory(e, NARROW, 0x80, ALU_COMPARE, at);
    byte(e, k);
    end_comparison(e, start);
}

void emit_add_memory(struct emitter *e, struct native_place at, int32_t k) {
    unsigned opcode;
    constant_operand(e, k, &opcode);
    with_memory(e, WIDE, opcode, ALU_ADD, at);
    put_constant_operand(e, k);
}

void emit_test_byte(struct emitter *e, int reg, uint8_t bits) {
    uint8_t *start = begin_comparison(e);
    if (reg == R_A) {
        byte(e, 0xa8);
    } else {
        prefix(e, NARROW, 0, 0, reg, needs_prefix(reg));
        byte(e, 0xf6);
        operand_register(e, 0, reg);
    }
    byte(e, bits);
    end_comparison(e, start);
}

void emit_test_memory_byte(struct emitter *e, struct native_place at, uint8_t bits) {
    uint8_t *start = begin_comparison(e);
    with_memory(e, NARROW, 0xf6, 0, at);
    byte(e, bits);
    end_comparison(e, start);
}

static void two_byte_register(struct emitter *e, int wide, unsigned opcode, int reg, int other,
                              bool always) {
    begin(e);
    prefix(e, wide, reg, 0, other, always);
    byte(e, 0x0f);
    byte(e, opcode);
    operand_register(e, reg, other);
}

void emit_multiply(struct emitter *e, int to, int from) {
    two_byte_register(e, WIDE, 0xaf, to, from, false);
}

void emit_multiply_constant(struct emitter *e, int to, int from, int32_t k) {
    with_register(e, WIDE, k >= -128 && k < 128 ? 0x6b : 0x69, to, from);
    put_constant_operand(e, k);
}

void emit_multiply_high(struct emitter *e, int by) { with_register(e, WIDE, 0xf7, 5, by); }

void emit_divide(struct emitter *e, int by) {
    ASSERT(by != R_A && by != R_ARG3);
    begin(e);
    byte(e, 0x48), byte(e, 0x99); /* cqo: the sign of R_A into R_ARG3 */
    with_register(e, WIDE, 0xf7, 7, by);
}

void emit_negate(struct emitter *e, int reg) { with_register(e, WIDE, 0xf7, 3, reg); }

void emit_shift(struct emitter *e, enum native_shift op, int reg, unsigned bits) {
    ASSERT(bits < 64);
    if (bits == 0) return;
    with_register(e, WIDE, 0xc1, (int)op, reg);
    byte(e, bits);
}

void emit_shift_by_temp(struct emitter *e, enum native_shift op, int reg) {
    with_register(e, WIDE, 0xd3, (int)op, reg);
}

void emit_set(struct emitter *e, enum native_condition c, int to) {
    two_byte_register(e, NARROW, 0x90u | (unsigned)c, 0, to, needs_prefix(to));
    two_byte_register(e, NARROW, 0xb6, to, to, needs_prefix(to));
}

/* ---- Floats. ---- */

static void float_register(struct emitter *e, unsigned first, int wide, unsigned opcode, int reg,
                           int other) {
    begin(e);
    byte(e, first);
    prefix(e, wide, reg, 0, other, false);
    byte(e, 0x0f);
    byte(e, opcode);
    operand_register(e, reg, other);
}

static void float_memory(struct emitter *e, unsigned opcode, int reg, struct native_place p) {
    begin(e);
    byte(e, 0xf2);
    prefix(e, NARROW, reg, index_of(p), p.base, false);
    byte(e, 0x0f);
    byte(e, opcode);
    operand_memory(e, reg, p);
}

void emit_float_move(struct emitter *e, int to, int from) {
    if (to != from) float_register(e, 0x66, NARROW, 0x28, to, from);
}

void emit_float_load(struct emitter *e, int to, struct native_place from) {
    float_memory(e, 0x10, to, from);
}

void emit_float_store(struct emitter *e, struct native_place to, int from) {
    float_memory(e, 0x11, from, to);
}

void emit_float_op(struct emitter *e, enum native_float_op op, int to, int from) {
    float_register(e, op == FLOAT_XOR || op == FLOAT_AND ? 0x66 : 0xf2, NARROW, op, to, from);
}

void emit_float_compare(struct emitter *e, int a, int b) {
    float_register(e, 0x66, NARROW, 0x2e, a, b);
}

void emit_float_of_int(struct emitter *e, int to, int from) {
    float_register(e, 0xf2, WIDE, 0x2a, to, from);
}

void emit_float_of_bits(struct emitter *e, int to, int from) {
    float_register(e, 0x66, WIDE, 0x6e, to, from);
}

void emit_bits_of_float(struct emitter *e, int to, int from) {
    float_register(e, 0x66, WIDE, 0x7e, from, to);
}

void emit_packed(struct emitter *e, enum native_packed_op op, int to, int from) {
    float_register(e, 0x66, NARROW, op, to, from);
}

void emit_packed_shift(struct emitter *e, enum native_shift op, int xmm, unsigned bits) {
    ASSERT(bits < 64 && op != SHIFT_RIGHT_SIGNED);
    float_register(e, 0x66, NARROW, 0x73, op == SHIFT_LEFT ? 6 : 2, xmm);
    byte(e, bits);
}

/* ---- Jumps. ---- */

uint8_t *emit_jump_forward(struct emitter *e) {
    begin_jump(e, JUMP_BYTES);
    byte(e, 0xe9);
    word_32(e, 0);
    return emit_here(e);
}

uint8_t *emit_jump_if_forward(struct emitter *e, enum native_condition c) {
    begin_jump(e, JUMP_IF_BYTES);
    byte(e, 0x0f);
    byte(e, 0x80u | (unsigned)c);
    word_32(e, 0);
    return emit_here(e);
}

void emit_link(struct emitter *e, uint8_t *site, const uint8_t *to) {
    if (e->full) return;
    int32_t distance = (int32_t)(to - site);
    memcpy(site - 4, &distance, 4);
}

void emit_jump_if_later(struct emitter *e, struct emit_sites *sites, enum native_condition c) {
    ASSERT(sites->count < MOST_SITES);
    sites->items[sites->count++] = emit_jump_if_forward(e, c);
}

void emit_link_here(struct emitter *e, const struct emit_sites *sites) {
    for (uint32_t i = 0; i < sites->count; i++) emit_link(e, sites->items[i], emit_here(e));
}

void emit_jump(struct emitter *e, const uint8_t *to) { emit_link(e, emit_jump_forward(e), to); }

void emit_jump_if(struct emitter *e, enum native_condition c, const uint8_t *to) {
    emit_link(e, emit_jump_if_forward(e, c), to);
}

const uint8_t *emit_rare_jump(struct emitter *e, const uint8_t *to, const uint8_t *shared) {
    bool pads = e->pads;
    begin(e);
    ASSERT(shared <= e->at || e->full);
    ptrdiff_t distance = shared == NULL ? INT8_MIN : shared - (e->at + SHORT_JUMP_BYTES);
    if (distance > INT8_MIN && !e->full) {
        byte(e, 0xeb);
        byte(e, (unsigned)distance);
        emit_here(e);
        return shared;
    }
    e->pads = false;
    shared = emit_here(e);
    emit_jump(e, to);
    e->pads = pads;
    return shared;
}

void emit_jump_memory(struct emitter *e, struct native_place at) {
    begin(e);
    uint8_t *start = e->at;
    with_memory(e, NARROW, 0xff, 4, at);
    keep_in_line(e, start, 0);
    emit_here(e);
}

void emit_jump_register(struct emitter *e, int reg) {
    begin(e);
    uint8_t *start = e->at;
    with_register(e, NARROW, 0xff, 4, reg);
    keep_in_line(e, start, 0);
    emit_here(e);
}

void emit_call(struct emitter *e, const uint8_t *to) {
    begin_jump(e, JUMP_BYTES);
    byte(e, 0xe8);
    word_32(e, 0);
    emit_link(e, emit_here(e), to);
}

void emit_call_c(struct emitter *e, uintptr_t function) {
    emit_constant(e, R_TEMP2, (int64_t)function);
    begin_jump(e, CALL_REGISTER_BYTES);
    with_register(e, NARROW, 0xff, 2, R_TEMP2);
    emit_here(e);
}

void emit_return(struct emitter *e) {
    begin_jump(e, RETURN_BYTES);
    byte(e, 0xc3);
    emit_here(e);
}

void emit_push(struct emitter *e, int reg) {
    begin(e);
    prefix(e, NARROW, 0, 0, reg, false);
    byte(e, 0x50u | ((unsigned)reg & 7));
}

void emit_pop(struct emitter *e, int reg) {
    begin(e);
    prefix(e, NARROW, 0, 0, reg, false);
    byte(e, 0x58u | ((unsigned)reg & 7));
}

void emit_push_flags(struct emitter *e) {
    begin(e);
    byte(e, 0x9c);
}

void emit_pop_flags(struct emitter *e) {
    begin(e);
    byte(e, 0x9d);
}

void emit_table_word(struct emitter *e) {
    begin(e);
    word_32(e, 0);
    emit_here(e);
}

void emit_link_table(struct emitter *e, uint8_t *table, uint32_t word, const uint8_t *to) {
    if (e->full) return;
    int32_t distance = (int32_t)(to - table);
    memcpy(table + 4 * (size_t)word, &distance, 4);
}

void emit_align(struct emitter *e, unsigned bytes, unsigned offset) {
    ASSERT(offset < bytes);
    unsigned padding = (unsigned)(offset - (uintptr_t)e->at) % bytes;
    if (!has_room(e, padding)) return;
    put_nops(e->at, padding);
    e->at += padding;
    emit_here(e);
}
