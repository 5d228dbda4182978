/* division.c - see division.h.
 *
 * An integer n of 63 bits, divided by a constant d > 1 that is no power of two: with
 * 2^(l-1) < d < 2^l and M = floor(2^(62+l) / d) + 1, the product n * M / 2^(62+l) exceeds n / d by
 * less than 1 / d, as |n| <= 2^62. Its floor is the quotient if n >= 0, and one less if n < 0; M
 * has 63 bits. (Granlund and Montgomery, Division by Invariant Integers using Multiplication.) */
#include "vm/engine/native/division.h"

#include "gc/value.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/errors.h"
#include "vm/engine/native/facts.h"

static void finish_division(struct native_compiler *c, int untagged, int result) {
    emit_tag(&c->e, result, untagged);
    nv_pop_to_register(c, 1, result, FACT_INT);
}

/* The divisor 0 raises, -1 exits to the loop. */
static void divide_by_any(struct native_compiler *c, uint16_t a, uint16_t b, bool modulo) {
    nv_copy_untagged(c, R_TEMP, b);
    if (!nv_is_constant(c, b) || nv_at(c, b)->k == 1 || nv_at(c, b)->k == -1) {
        emit_address(&c->e, R_TEMP2, at_base(R_TEMP, 1));
        emit_alu_constant(&c->e, ALU_COMPARE, R_TEMP2, 1);
        native_raise_if(c, C_BELOW_EQUAL, ERROR_ZERO_DIVIDE);
    }
    nv_take_register(c, R_A);
    nv_take_register(c, R_ARG3);
    nv_copy_untagged(c, R_A, a);
    emit_divide(&c->e, R_TEMP);
    int result = modulo ? R_ARG3 : R_A;
    finish_division(c, result, result);
}

/* By 2^bits: 2^bits - 1 is added to a negative number, so that the quotient is rounded to 0. */
static void divide_by_power(struct native_compiler *c, uint16_t a, unsigned bits, bool modulo) {
    struct emitter *e = &c->e;
    int reg = native_copy(c, a);
    emit_untag(e, reg);
    emit_move(e, R_TEMP, reg);
    emit_shift(e, SHIFT_RIGHT_SIGNED, R_TEMP, 63);
    emit_shift(e, SHIFT_RIGHT, R_TEMP, 64 - bits);
    emit_alu(e, ALU_ADD, reg, R_TEMP);
    if (modulo) {
        emit_alu_constant(e, ALU_AND, reg, (int32_t)(((int64_t)1 << bits) - 1));
        emit_alu(e, ALU_SUB, reg, R_TEMP);
    } else {
        emit_shift(e, SHIFT_RIGHT_SIGNED, reg, bits);
    }
    finish_division(c, reg, reg);
}

static void divide_by_product(struct native_compiler *c, uint16_t a, int64_t d, bool modulo) {
    struct emitter *e = &c->e;
    unsigned l = 64 - (unsigned)__builtin_clzll((uint64_t)d);
    unsigned __int128 power = (unsigned __int128)1 << (62 + l);
    const int quotient = R_ARG3;
    nv_take_register(c, R_A);
    nv_take_register(c, quotient);
    nv_copy_untagged(c, R_TEMP, a);
    emit_constant(e, R_A, (int64_t)(power / (uint64_t)d) + 1);
    emit_multiply_high(e, R_TEMP);
    emit_shift(e, SHIFT_RIGHT_SIGNED, quotient, l - 2);
    emit_move(e, R_TEMP2, R_TEMP);
    emit_shift(e, SHIFT_RIGHT_SIGNED, R_TEMP2, 63);
    emit_alu(e, ALU_SUB, quotient, R_TEMP2);
    if (modulo) {
        if (fits_32(d)) {
            emit_multiply_constant(e, R_A, quotient, (int32_t)d);
        } else {
            emit_constant(e, R_A, d);
            emit_multiply(e, R_A, quotient);
        }
        emit_alu(e, ALU_SUB, R_TEMP, R_A);
    }
    finish_division(c, modulo ? R_TEMP : quotient, quotient);
}

/* A power that fits into an instruction. */
static bool is_power(int64_t d) { return (d & (d - 1)) == 0 && d <= (int64_t)1 << 30; }

void native_divide(struct native_compiler *c, bool modulo) {
    uint16_t a = c->now.a, b = nv_top(c, 0);
    need_int(c, a);
    need_int(c, b);
    const struct native_value *divisor = nv_at(c, b);
    bool constant = divisor->kind == VALUE_CONSTANT && divisor->facts & FACT_INT;
    int64_t d = constant ? divisor->k >> 1 : 0;
    if (d > 1 && is_power(d)) divide_by_power(c, a, (unsigned)__builtin_ctzll((uint64_t)d), modulo);
    else if (d > 1 && (d & (d - 1)) != 0) divide_by_product(c, a, d, modulo);
    else divide_by_any(c, a, b, modulo);
}
