/* integers.c - see integers.h. An operation without an instruction for xmm registers takes its
 * operands to R_TEMP and R_TEMP2. */
#include "vm/engine/native/integers.h"

#include "gc/value.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/numbers.h"
#include "vm/engine/native/primitive_calls.h"

#include <string.h>

enum operation {
#define INTEGER(NAME, name, operands, result, meaning) OPERATION_##NAME,
#include "vm/engine/native/integers.def"
};

static const struct {
    const char *name, *operands;
    char result;
} operations[] = {
#define INTEGER(NAME, name, operands, result, meaning) {#name, operands, result},
#include "vm/engine/native/integers.def"
};

static const struct {
    const char *prefix;
    enum native_number number;
} types[] = {{"caml_int32_", NUMBER_INT32},
             {"caml_int64_", NUMBER_INT64},
             {"caml_nativeint_", NUMBER_NATIVEINT}};

static uint16_t fact_of_kind(char kind, enum native_number type) {
    switch (kind) {
    case 'I': return FACT_INT;
    case 'D': return FACT_DOUBLE;
    case 'J': return FACT_INT32;
    case 'P': return FACT_NATIVEINT;
    case 'N': return (uint16_t)native_number_fact(type);
    default: return 0;
    }
}

static bool find_operation(const char *name, enum native_number type,
                           struct native_integer *found) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (strcmp(name, operations[i].name) != 0) continue;
        const char *operands = operations[i].operands;
        *found = (struct native_integer){
            .operation = (uint8_t)i,
            .number = (uint8_t)type,
            .facts = {fact_of_kind(operands[0], type), fact_of_kind(operands[1], type)},
            .result = fact_of_kind(operations[i].result, type)};
        return true;
    }
    return false;
}

bool native_find_integer(const struct vm_linked_prim *prim, struct native_integer *found) {
    const char *name = native_primitive_name(prim);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t length = strlen(types[i].prefix);
        if (strncmp(name, types[i].prefix, length) == 0)
            return find_operation(name + length, types[i].number, found);
    }
    return false;
}

/* ---- Operands and results. ---- */

/* reg := the integer v, which is in an xmm register or an OCaml integer (need_operand). */
static void load_operand(struct native_compiler *c, uint16_t v, int reg) {
    const struct native_value *p = nv_at(c, v);
    if (p->xmm != R_NONE) {
        emit_bits_of_float(&c->e, reg, p->xmm);
        return;
    }
    nv_copy_untagged(c, reg, v);
}

static void need_operand(struct native_compiler *c, uint16_t v, unsigned fact) {
    if (fact == FACT_INT) need_int(c, v);
    else need_number(c, v, native_number_of_fact(fact));
}

static void finish_in_xmm(struct native_compiler *c, const struct native_integer *which, int xmm) {
    nv_pop_to_xmm(c, which->facts[1] != 0, xmm, native_number_of_fact(which->result));
}

/* The result, which R_TEMP holds. */
static void finish_integer(struct native_compiler *c, const struct native_integer *which) {
    struct emitter *e = &c->e;
    if (which->result == FACT_INT) {
        int reg = nv_free_register(c);
        emit_tag(e, reg, R_TEMP);
        nv_pop_to_register(c, which->facts[1] != 0, reg, FACT_INT);
        return;
    }
    if (which->result == FACT_INT32) {
        emit_shift(e, SHIFT_LEFT, R_TEMP, 32);
        emit_shift(e, SHIFT_RIGHT_SIGNED, R_TEMP, 32);
    }
    int xmm = nv_free_xmm(c);
    emit_float_of_bits(e, xmm, R_TEMP);
    finish_in_xmm(c, which, xmm);
}

/* ---- Operations. ---- */

/* Whether the operation has an instruction for xmm registers that is right for its type. */
static bool packed_op(const struct native_integer *which, enum native_packed_op *op) {
    bool wide = which->number != NUMBER_INT32;
    switch ((enum operation)which->operation) {
    case OPERATION_ADD: *op = PACKED_ADD; return wide;
    case OPERATION_SUB: *op = PACKED_SUB; return wide;
    case OPERATION_AND: *op = PACKED_AND; return true;
    case OPERATION_OR: *op = PACKED_OR; return true;
    case OPERATION_XOR: *op = PACKED_XOR; return true;
    default: return false;
    }
}

static void packed(struct native_compiler *c, const struct native_integer *which,
                   enum native_packed_op op) {
    int a = nv_at(c, c->now.a)->xmm, b = nv_at(c, nv_top(c, 0))->xmm, xmm = nv_free_xmm(c);
    emit_float_move(&c->e, xmm, a);
    emit_packed(&c->e, op, xmm, b);
    finish_in_xmm(c, which, xmm);
}

/* A shift of 64 bits by a constant, in xmm registers. False: it is another one. */
static bool shift_packed(struct native_compiler *c, const struct native_integer *which) {
    const struct native_value *count = nv_at(c, nv_top(c, 0));
    bool left = which->operation == OPERATION_SHIFT_LEFT;
    if (!left && which->operation != OPERATION_SHIFT_RIGHT_UNSIGNED) return false;
    if (which->number == NUMBER_INT32 || count->kind != VALUE_CONSTANT) return false;
    int xmm = nv_free_xmm(c);
    emit_float_move(&c->e, xmm, nv_at(c, c->now.a)->xmm);
    emit_packed_shift(&c->e, left ? SHIFT_LEFT : SHIFT_RIGHT, xmm, (unsigned)(count->k >> 1) & 63);
    finish_in_xmm(c, which, xmm);
    return true;
}

/* R_TEMP := A shifted by the top of the stack. */
static void shift_integer(struct native_compiler *c, const struct native_integer *which) {
    struct emitter *e = &c->e;
    enum native_shift op = which->operation == OPERATION_SHIFT_LEFT    ? SHIFT_LEFT
                           : which->operation == OPERATION_SHIFT_RIGHT ? SHIFT_RIGHT_SIGNED
                                                                       : SHIFT_RIGHT;
    load_operand(c, c->now.a, R_TEMP2);
    load_operand(c, nv_top(c, 0), R_TEMP);
    if (which->number == NUMBER_INT32) emit_alu_constant(e, ALU_AND, R_TEMP, 31);
    if (which->number == NUMBER_INT32 && op == SHIFT_RIGHT) {
        emit_shift(e, SHIFT_LEFT, R_TEMP2, 32);
        emit_shift(e, SHIFT_RIGHT, R_TEMP2, 32);
    }
    emit_shift_by_temp(e, op, R_TEMP2);
    emit_move(e, R_TEMP, R_TEMP2);
}

/* R_TEMP := the quotient or remainder. Divisors 0 and -1 exit: the first raises, and the quotient
 * by the second may not fit. */
static void divide(struct native_compiler *c, bool modulo) {
    struct emitter *e = &c->e;
    load_operand(c, nv_top(c, 0), R_TEMP);
    emit_address(e, R_TEMP2, at_base(R_TEMP, 1));
    emit_alu_constant(e, ALU_COMPARE, R_TEMP2, 1);
    native_exit_if(c, C_BELOW_EQUAL);
    nv_take_register(c, R_A);
    nv_take_register(c, R_ARG3);
    load_operand(c, c->now.a, R_A);
    emit_divide(e, R_TEMP);
    emit_move(e, R_TEMP, modulo ? R_ARG3 : R_A);
}

/* R_TEMP := the result of another operation. */
static void compute(struct native_compiler *c, const struct native_integer *which) {
    struct emitter *e = &c->e;
    load_operand(c, c->now.a, R_TEMP);
    if (which->facts[1] != 0) load_operand(c, nv_top(c, 0), R_TEMP2);
    switch ((enum operation)which->operation) {
    case OPERATION_ADD: emit_alu(e, ALU_ADD, R_TEMP, R_TEMP2); break;
    case OPERATION_SUB: emit_alu(e, ALU_SUB, R_TEMP, R_TEMP2); break;
    case OPERATION_MUL: emit_multiply(e, R_TEMP, R_TEMP2); break;
    case OPERATION_NEG: emit_negate(e, R_TEMP); break;
    case OPERATION_COMPARE:
        emit_alu(e, ALU_COMPARE, R_TEMP, R_TEMP2);
        emit_set(e, C_GREATER, R_TEMP);
        emit_set(e, C_LESS, R_TEMP2);
        emit_alu(e, ALU_SUB, R_TEMP, R_TEMP2);
        break;
    case OPERATION_TO_FLOAT:
        emit_float_of_int(e, X_TEMP, R_TEMP);
        emit_bits_of_float(e, R_TEMP, X_TEMP);
        break;
    default: break; /* a conversion: finish_integer takes the bits that the result has */
    }
}

void native_integer(struct native_compiler *c, const struct native_integer *which) {
    enum native_packed_op op;
    need_operand(c, c->now.a, which->facts[0]);
    if (which->facts[1] != 0) need_operand(c, nv_top(c, 0), which->facts[1]);
    if (packed_op(which, &op)) {
        packed(c, which, op);
        return;
    }
    switch ((enum operation)which->operation) {
    case OPERATION_SHIFT_LEFT:
    case OPERATION_SHIFT_RIGHT:
    case OPERATION_SHIFT_RIGHT_UNSIGNED:
        if (shift_packed(c, which)) return;
        shift_integer(c, which);
        break;
    case OPERATION_DIV: divide(c, false); break;
    case OPERATION_MOD: divide(c, true); break;
    default: compute(c, which); break;
    }
    finish_integer(c, which);
}
