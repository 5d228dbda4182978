/* emit.h - the operations that the compiler emits: some sixty, on registers and memory, each one or
 * two instructions. emit_x86_64.c encodes them.
 *
 * An emitter writes through the writable mapping of the code memory (code_memory.h); jumps are
 * relative, so that the code runs at its executable address.
 *
 * N1  An operation changes the registers that it names, the flags, and nothing else. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_EMIT_H
#define BACTRIAN_VM_ENGINE_NATIVE_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers of integers and addresses, by their numbers in instructions, and what they hold while
 * machine code runs. The others hold values (R_VALUES) or are scratch (R_TEMP, R_TEMP2). */
enum native_register {
    R_A = 0, /* A at labels, calls and returns */
    R_TEMP = 1,
    R_ARG3 = 2,
    R_BASE = 3, /* a fixed address in the frame (values.h, base) */
    R_C_STACK = 4,
    R_BP = 5,
    R_ARG2 = 6,
    R_ARG1 = 7,
    R_8 = 8,
    R_9 = 9,
    R_10 = 10,
    R_TEMP2 = 11,
    R_ENV = 12,
    R_DOMAIN = 13,
    R_YOUNG = 14, /* gc.young_ptr */
    R_TABLE = 15, /* the table of entries (native.h) */
    R_NONE = -1,
};
enum { R_COUNT = 16, X_COUNT = 16, X_TEMP = 15, X_TEMP2 = 14, X_VALUES = 14 };

/* Conditions, by their numbers in instructions; c ^ 1 is the opposite of c. */
enum native_condition {
    C_BELOW = 2,
    C_ABOVE_EQUAL = 3,
    C_EQUAL = 4,
    C_NOT_EQUAL = 5,
    C_BELOW_EQUAL = 6,
    C_ABOVE = 7,
    C_PARITY = 10,
    C_NO_PARITY = 11,
    C_LESS = 12,
    C_GREATER_EQUAL = 13,
    C_LESS_EQUAL = 14,
    C_GREATER = 15,
};
enum native_alu { ALU_ADD = 0, ALU_OR = 1, ALU_AND = 4, ALU_SUB = 5, ALU_XOR = 6, ALU_COMPARE = 7 };
enum native_shift { SHIFT_LEFT = 4, SHIFT_RIGHT = 5, SHIFT_RIGHT_SIGNED = 7 };
enum native_float_op {
    FLOAT_SQRT = 0x51,
    FLOAT_AND = 0x54,
    FLOAT_XOR = 0x57,
    FLOAT_ADD = 0x58,
    FLOAT_MUL = 0x59,
    FLOAT_SUB = 0x5c,
    FLOAT_DIV = 0x5e,
};

/* Integers of 64 bits in xmm registers. */
enum native_packed_op {
    PACKED_ADD = 0xd4,
    PACKED_AND = 0xdb,
    PACKED_OR = 0xeb,
    PACKED_XOR = 0xef,
    PACKED_SUB = 0xfb,
};

enum { MOST_LATEST = 4 };
struct emitter {
    uint8_t *start, *at, *end;    /* of the writable mapping */
    ptrdiff_t run_offset;         /* from a writable address to the executable one */
    bool full;                    /* there was no room: the code is useless */
    bool pads;                    /* jumps are kept within lines (padding.h) */
    uint8_t *latest[MOST_LATEST]; /* a ring: the latest instructions that may still be moved */
    uint32_t latest_count;
};

/* The address of the next instruction. What is before it stays where it is. */
static inline uint8_t *emit_here(struct emitter *e) {
    e->latest_count = 0;
    return e->at;
}
/* The same for a row, but the last instruction and those of the row may still become longer: the
 * row's first instruction is then the first one that begins there or later. */
static inline uint8_t *emit_row(struct emitter *e) {
    if (e->latest_count > 0) e->latest[0] = e->latest[(e->latest_count - 1) % MOST_LATEST];
    e->latest_count = e->latest_count > 0;
    return e->at;
}

/* A memory operand: base + index * 2^scale + displacement. index R_NONE: none. */
struct native_place {
    int8_t base, index;
    uint8_t scale;
    int32_t displacement;
};
static inline struct native_place at_base(int base, int32_t displacement) {
    return (struct native_place){(int8_t)base, R_NONE, 0, displacement};
}
static inline struct native_place at_index(int base, int index, unsigned scale,
                                           int32_t displacement) {
    return (struct native_place){(int8_t)base, (int8_t)index, (uint8_t)scale, displacement};
}
static inline bool fits_32(int64_t k) { return k == (int32_t)k; }
/* Where the code written at `at` will run. */
static inline const uint8_t *runs_at(const struct emitter *e, const uint8_t *at) {
    return at + e->run_offset;
}

/* ---- Moves. ---- */
void emit_move(struct emitter *e, int to, int from);
void emit_constant(struct emitter *e, int to, int64_t k);
void emit_load(struct emitter *e, int to, struct native_place from);
void emit_load_byte(struct emitter *e, int to, struct native_place from);      /* zero-extended */
void emit_load_16(struct emitter *e, int to, struct native_place from);        /* zero-extended */
void emit_load_32(struct emitter *e, int to, struct native_place from);        /* zero-extended */
void emit_load_signed_32(struct emitter *e, int to, struct native_place from); /* sign-extended */
void emit_store(struct emitter *e, struct native_place to, int from);
void emit_store_byte(struct emitter *e, struct native_place to, int from);
void emit_store_16(struct emitter *e, struct native_place to, int from);
void emit_store_32(struct emitter *e, struct native_place to, int from);
void emit_store_constant(struct emitter *e, struct native_place to, int32_t k);
void emit_address(struct emitter *e, int to, struct native_place of);
/* to := the address where the code at `of` will run, which is set by emit_link. */
uint8_t *emit_code_address(struct emitter *e, int to);

/* ---- Integers. ---- */
void emit_alu(struct emitter *e, enum native_alu op, int to, int from);
void emit_alu_constant(struct emitter *e, enum native_alu op, int to, int32_t k);
void emit_alu_load(struct emitter *e, enum native_alu op, int to, struct native_place from);
void emit_alu_byte_constant(struct emitter *e, enum native_alu op, int to, int8_t k);
void emit_compare_memory(struct emitter *e, struct native_place at, int32_t k);
/* The constant of the emit_compare_memory whose code ends there becomes k. Neither fits into a
 * byte. */
void emit_replace_constant(struct emitter *e, uint8_t *end, int32_t k);
void emit_compare_memory_32(struct emitter *e, struct native_place at, int32_t k);
void emit_compare_byte(struct emitter *e, struct native_place at, uint8_t k);
void emit_add_memory(struct emitter *e, struct native_place at, int32_t k);
void emit_test_byte(struct emitter *e, int reg, uint8_t bits);
void emit_test_memory_byte(struct emitter *e, struct native_place at, uint8_t bits);
void emit_multiply(struct emitter *e, int to, int from);
void emit_multiply_constant(struct emitter *e, int to, int from, int32_t k); /* to := from * k */
/* The upper 64 bits of R_A * by, in R_ARG3; changes R_A. */
void emit_multiply_high(struct emitter *e, int by);
/* R_A := R_A / by, R_ARG3 := R_A mod by; by is another register. */
void emit_divide(struct emitter *e, int by);
void emit_negate(struct emitter *e, int reg);
void emit_shift(struct emitter *e, enum native_shift op, int reg, unsigned bits);
/* An OCaml integer: made of an integer, and the reverse. */
static inline void emit_tag(struct emitter *e, int to, int untagged) {
    emit_address(e, to, at_index(untagged, untagged, 0, 1));
}
static inline void emit_untag(struct emitter *e, int reg) {
    emit_shift(e, SHIFT_RIGHT_SIGNED, reg, 1);
}
/* By the low six bits of R_TEMP. */
void emit_shift_by_temp(struct emitter *e, enum native_shift op, int reg);
/* to := 1 if the condition holds, else 0. */
void emit_set(struct emitter *e, enum native_condition c, int to);

/* ---- Floats. ---- */
void emit_float_move(struct emitter *e, int to, int from);
void emit_float_load(struct emitter *e, int to, struct native_place from);
void emit_float_store(struct emitter *e, struct native_place to, int from);
void emit_float_op(struct emitter *e, enum native_float_op op, int to, int from);
/* Sets the flags as for unsigned integers; C_PARITY: one is not a number. */
void emit_float_compare(struct emitter *e, int a, int b);
void emit_float_of_int(struct emitter *e, int to, int from);
void emit_float_of_bits(struct emitter *e, int to, int from);
void emit_bits_of_float(struct emitter *e, int to, int from);
void emit_packed(struct emitter *e, enum native_packed_op op, int to, int from);
/* SHIFT_LEFT or SHIFT_RIGHT. */
void emit_packed_shift(struct emitter *e, enum native_shift op, int xmm, unsigned bits);

/* ---- Jumps. A jump whose target is not known yet returns its site, for emit_link. ---- */
uint8_t *emit_jump_forward(struct emitter *e);
uint8_t *emit_jump_if_forward(struct emitter *e, enum native_condition c);
void emit_jump(struct emitter *e, const uint8_t *to);
void emit_jump_if(struct emitter *e, enum native_condition c, const uint8_t *to);
/* A jump to `to` that rarely runs and is not padded: a short one to `shared`, the latest such jump,
 * if that is near. Returns the latest jump to `to` itself. NULL: there is none. */
const uint8_t *emit_rare_jump(struct emitter *e, const uint8_t *to, const uint8_t *shared);
void emit_jump_memory(struct emitter *e, struct native_place at);
void emit_jump_register(struct emitter *e, int reg);
/* Calls code of this memory, which returns by emit_return. */
void emit_call(struct emitter *e, const uint8_t *to);
/* Calls a C function; uses R_TEMP2. */
void emit_call_c(struct emitter *e, uintptr_t function);
void emit_return(struct emitter *e);
void emit_push(struct emitter *e, int reg);
void emit_pop(struct emitter *e, int reg);
void emit_push_flags(struct emitter *e);
void emit_pop_flags(struct emitter *e);
/* Makes a site lead to `to`. */
void emit_link(struct emitter *e, uint8_t *site, const uint8_t *to);
/* Jumps whose targets are the same and not known yet. emit_jump_if_later adds one, and
 * emit_link_here makes all lead to the next instruction. */
enum { MOST_SITES = 12 };
struct emit_sites {
    uint8_t *items[MOST_SITES];
    uint32_t count;
};
void emit_jump_if_later(struct emitter *e, struct emit_sites *sites, enum native_condition c);
void emit_link_here(struct emitter *e, const struct emit_sites *sites);
/* A word of a table of jumps, which emit_link_table sets: `to` relative to the table. */
void emit_table_word(struct emitter *e);
void emit_link_table(struct emitter *e, uint8_t *table, uint32_t word, const uint8_t *to);
/* The next instruction lies `offset` bytes after a multiple of `bytes`. */
void emit_align(struct emitter *e, unsigned bytes, unsigned offset);

#endif
