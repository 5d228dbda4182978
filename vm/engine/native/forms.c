/* forms.c - instructions as machine code: the stack, integers, blocks.
 *
 * N6  A form emits all its guards, and boxes the floats that it needs boxed, before it changes the
 * virtual stack or memory: so every exit leads to the state before the instruction. */
#include "gc/heap.h"
#include "vm/base/os.h"
#include "vm/engine/native/allocation.h"
#include "vm/engine/native/callees.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/contents.h"
#include "vm/engine/native/division.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/known.h"
#include "vm/engine/native/numbers.h"

#include <stdlib.h>

static void set_a_register(struct native_compiler *c, int reg, unsigned facts) {
    nv_set_a(c, nv_in_register(c, reg, facts));
}

static void push_a(struct native_compiler *c) { nv_push(c, c->now.a); }

static void set_unit(struct native_compiler *c) { nv_set_a(c, nv_constant(c, VAL_UNIT)); }

int native_copy(struct native_compiler *c, uint16_t v) {
    if (nv_at(c, v)->kind != VALUE_CONSTANT) nv_register(c, v);
    int reg = nv_free_register(c);
    nv_copy_to(c, reg, v);
    return reg;
}

/* ---- Loads. ---- */

/* A register that holds the current closure. */
static int env_register(struct native_compiler *c) {
    return c->now.env == NO_VALUE ? R_ENV : nv_register(c, c->now.env);
}

/* A := the field of the block, which is not known yet, and is at that place. */
static void load_field(struct native_compiler *c, uint16_t block, uint32_t i,
                       struct native_place at) {
    int reg = nv_free_register(c);
    emit_load(&c->e, reg, at);
    uint16_t v = nv_in_register(c, reg, 0);
    known_add(c, block, (int32_t)i, v);
    nv_set_a(c, v);
}

static void env_field(struct native_compiler *c, uint32_t n) {
    uint16_t closure = known_closure(c), known = known_find(c, closure, (int32_t)n);
    if (known != NO_VALUE) nv_set_a(c, known);
    else load_field(c, closure, n, at_base(env_register(c), (int32_t)(8 * n)));
}

static void offset_closure(struct native_compiler *c, int32_t words) {
    if (words == 0) {
        nv_set_a(c, nv_env(c));
        return;
    }
    int from = env_register(c), reg = nv_free_register(c);
    emit_address(&c->e, reg, at_base(from, 8 * words));
    set_a_register(c, reg, FACT_BLOCK | FACT_CLOSURE);
}

/* A register that holds global g. */
static int global(struct native_compiler *c, uint32_t g) {
    int reg = nv_free_register(c);
    emit_constant(&c->e, reg, (int64_t)(uintptr_t)&c->vm->global_data);
    emit_load(&c->e, reg, at_base(reg, 0));
    emit_load(&c->e, reg, at_base(reg, (int32_t)(8 * g)));
    return reg;
}

/* GETGLOBALFIELD; the push comes after the test. */
static void global_field(struct native_compiler *c, const struct vm_ir_row *row, bool push) {
    int reg = global(c, row->operands[0]);
    native_need_global_field(c, reg, row->operands[0], row->operands[1]);
    emit_load(&c->e, reg, at_base(reg, (int32_t)(8 * row->operands[1])));
    if (push) push_a(c);
    set_a_register(c, reg, 0);
}

static void get_field(struct native_compiler *c, uint32_t i) {
    uint16_t block = c->now.a, known = known_find(c, block, (int32_t)i);
    if (known != NO_VALUE) {
        nv_set_a(c, known);
        return;
    }
    need_field(c, block, i);
    load_field(c, block, i, at_base(nv_register(c, block), (int32_t)(8 * i)));
}

static void get_float_field(struct native_compiler *c, uint32_t i) {
    need_double_field(c, c->now.a, i);
    int from = nv_register(c, c->now.a), xmm = nv_free_xmm(c);
    emit_float_load(&c->e, xmm, at_base(from, (int32_t)(8 * i)));
    nv_set_a(c, nv_in_xmm(c, xmm, NUMBER_DOUBLE));
}

void native_get_item(struct native_compiler *c) {
    struct native_place at = need_item(c, c->now.a, nv_top(c, 0), false);
    int reg = nv_free_register(c);
    emit_load(&c->e, reg, at);
    nv_pop_to_register(c, 1, reg, 0);
}

void native_get_byte(struct native_compiler *c) {
    need_string_byte(c, c->now.a, nv_top(c, 0));
    int from = nv_register(c, c->now.a), reg = nv_free_register(c);
    emit_load_byte(&c->e, reg, at_index(from, R_TEMP2, 0, 0));
    emit_tag(&c->e, reg, reg);
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

static void vector_length(struct native_compiler *c) {
    need_block(c, c->now.a);
    uint16_t size = size_of_block(c, c->now.a);
    nv_set_a(c, size);
}

/* ---- Stores. ---- */

static bool floats_in_use(const struct native_compiler *c) {
    for (int x = 0; x < X_VALUES; x++)
        if (c->now.of_xmm[x] != NO_VALUE) return true;
    return false;
}

void native_store_at(struct native_compiler *c, int block, struct native_place place, uint16_t v) {
    int64_t k;
    bool constant = nv_small_constant(c, v, &k);
    int reg = constant ? R_NONE : nv_register(c, v);
    uint8_t *sites[2];
    int n = 0;
    if (nv_at(c, v)->facts & FACT_INT) {
        emit_test_memory_byte(&c->e, place, 1);
        sites[n++] = emit_jump_if_forward(&c->e, C_EQUAL);
    } else {
        emit_alu_load(&c->e, ALU_COMPARE, block, DOMAIN(gc.young_start));
        sites[n++] = emit_jump_if_forward(&c->e, C_BELOW);
        emit_alu_load(&c->e, ALU_COMPARE, block, DOMAIN(gc.young_end));
        sites[n++] = emit_jump_if_forward(&c->e, C_ABOVE_EQUAL);
    }
    if (constant) emit_store_constant(&c->e, place, (int32_t)k);
    else emit_store(&c->e, place, reg);
    known_drop_fields(c);
    bool floats = floats_in_use(c);
    for (int i = 0; i < n; i++) {
        struct native_late *late = native_add_late(c, sites[i], LATE_STORE);
        late->back = emit_here(&c->e);
        late->place = place;
        late->reg = (uint8_t)reg;
        late->constant = constant ? (int32_t)k : 0;
        late->is_constant = constant;
        late->saves_floats = floats;
    }
}

void native_store(struct native_compiler *c, int block, uint32_t i, uint16_t v) {
    native_store_at(c, block, at_base(block, (int32_t)(8 * i)), v);
}

static void set_field(struct native_compiler *c, uint32_t i) {
    uint16_t v = nv_top(c, 0);
    need_mutable_field(c, c->now.a, i);
    if (!nv_is_constant(c, v)) nv_register(c, v); /* boxed before the store */
    native_store(c, nv_register(c, c->now.a), i, v);
    nv_pop_to_unit(c, 1);
}

void native_set_item(struct native_compiler *c) {
    uint16_t index = nv_top(c, 0), v = nv_top(c, 1);
    if (!nv_is_constant(c, v)) nv_register(c, v);
    struct native_place at = need_item(c, c->now.a, index, true);
    native_store_at(c, nv_register(c, c->now.a), at, v);
    nv_pop_to_unit(c, 2);
}

static void set_float_field(struct native_compiler *c, uint32_t i) {
    need_double_field(c, c->now.a, i);
    int xmm = need_double(c, nv_top(c, 0));
    emit_float_store(&c->e, at_base(nv_register(c, c->now.a), (int32_t)(8 * i)), xmm);
    nv_pop_to_unit(c, 1);
}

void native_set_byte(struct native_compiler *c) {
    uint16_t v = nv_top(c, 1);
    need_int(c, v);
    nv_register(c, v);
    need_string_byte(c, c->now.a, nv_top(c, 0));
    nv_copy_untagged(c, R_TEMP, v);
    emit_store_byte(&c->e, at_index(nv_register(c, c->now.a), R_TEMP2, 0, 0), R_TEMP);
    nv_pop_to_unit(c, 2);
}

static void offset_ref(struct native_compiler *c, int32_t n) {
    need_mutable_field(c, c->now.a, 0);
    int block = nv_register(c, c->now.a);
    int64_t twice = 2 * (int64_t)n;
    if (!fits_32(twice)) {
        native_leave(c);
        return;
    }
    if (c->checks) {
        emit_test_memory_byte(&c->e, at_base(block, 0), 1);
        native_exit_if(c, C_EQUAL);
    }
    emit_add_memory(&c->e, at_base(block, 0), (int32_t)twice);
    known_drop_fields(c);
    set_unit(c);
}

/* ---- Integers: a is A, b the top of the stack. ---- */

static void both_ints(struct native_compiler *c) {
    need_int(c, c->now.a);
    need_int(c, nv_top(c, 0));
}

/* A + k, of a tagged operand and an even k. */
static void add_constant(struct native_compiler *c, uint16_t v, int32_t k, uint32_t pop) {
    int from = nv_register(c, v), reg = nv_free_register(c);
    emit_address(&c->e, reg, at_base(from, k));
    nv_pop_to_register(c, pop, reg, FACT_INT);
}

static void add(struct native_compiler *c) {
    uint16_t a = c->now.a, b = nv_top(c, 0);
    int64_t k;
    both_ints(c);
    if (nv_small_constant(c, b, &k)) add_constant(c, a, (int32_t)(k - 1), 1);
    else if (nv_small_constant(c, a, &k)) add_constant(c, b, (int32_t)(k - 1), 1);
    else {
        int x = nv_register(c, a), y = nv_register(c, b), reg = nv_free_register(c);
        emit_address(&c->e, reg, at_index(x, y, 0, -1));
        nv_pop_to_register(c, 1, reg, FACT_INT);
    }
}

static void subtract(struct native_compiler *c) {
    uint16_t a = c->now.a, b = nv_top(c, 0);
    int64_t k;
    both_ints(c);
    if (nv_small_constant(c, b, &k) && fits_32(1 - k)) {
        add_constant(c, a, (int32_t)(1 - k), 1);
        return;
    }
    int y = nv_register(c, b), reg = native_copy(c, a);
    emit_alu(&c->e, ALU_SUB, reg, y);
    emit_alu_constant(&c->e, ALU_ADD, reg, 1);
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

/* v * n, where v is tagged: v n - n + 1. One instruction can do that for 2, 3, 5 and 9. */
static void multiply_by(struct native_compiler *c, uint16_t v, int32_t n) {
    int from = nv_register(c, v), reg = nv_free_register(c);
    if (n == 2 || n == 3 || n == 5 || n == 9) {
        unsigned scale = (unsigned)__builtin_ctz((unsigned)n - 1);
        emit_address(&c->e, reg, at_index(from, from, scale, 1 - n));
    } else {
        emit_multiply_constant(&c->e, reg, from, n);
        emit_alu_constant(&c->e, ALU_ADD, reg, 1 - n);
    }
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

static void multiply(struct native_compiler *c) {
    uint16_t a = c->now.a, b = nv_top(c, 0);
    int64_t k;
    both_ints(c);
    if (nv_small_constant(c, b, &k)) {
        multiply_by(c, a, (int32_t)(k >> 1));
        return;
    }
    if (nv_small_constant(c, a, &k)) {
        multiply_by(c, b, (int32_t)(k >> 1));
        return;
    }
    int x = nv_register(c, a), reg = nv_free_register(c);
    nv_copy_untagged(c, R_TEMP, b);
    emit_address(&c->e, reg, at_base(x, -1));
    emit_multiply(&c->e, reg, R_TEMP);
    emit_alu_constant(&c->e, ALU_ADD, reg, 1);
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

static void bitwise(struct native_compiler *c, enum native_alu op) {
    uint16_t a = c->now.a, b = nv_top(c, 0);
    int64_t k;
    both_ints(c);
    bool constant = nv_small_constant(c, b, &k);
    int y = constant ? R_NONE : nv_register(c, b), reg = native_copy(c, a);
    if (constant) emit_alu_constant(&c->e, op, reg, (int32_t)k);
    else emit_alu(&c->e, op, reg, y);
    if (op == ALU_XOR) emit_alu_constant(&c->e, ALU_OR, reg, 1);
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

static void shift(struct native_compiler *c, enum native_shift op) {
    uint16_t a = c->now.a, b = nv_top(c, 0);
    int64_t k;
    both_ints(c);
    int reg = native_copy(c, a);
    if (op == SHIFT_LEFT) emit_alu_constant(&c->e, ALU_SUB, reg, 1);
    if (nv_small_constant(c, b, &k)) {
        emit_shift(&c->e, op, reg, (unsigned)(k >> 1) & 63);
    } else {
        nv_copy_untagged(c, R_TEMP, b);
        emit_shift_by_temp(&c->e, op, reg);
    }
    emit_alu_constant(&c->e, ALU_OR, reg, 1);
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

/* k - A. */
static void subtract_from(struct native_compiler *c, int32_t k) {
    need_int(c, c->now.a);
    int reg = native_copy(c, c->now.a);
    emit_negate(&c->e, reg);
    emit_alu_constant(&c->e, ALU_ADD, reg, k);
    set_a_register(c, reg, FACT_INT);
}

static void offset_int(struct native_compiler *c, int32_t n) {
    int64_t twice = 2 * (int64_t)n;
    need_int(c, c->now.a);
    if (fits_32(twice)) {
        add_constant(c, c->now.a, (int32_t)twice, 0);
        return;
    }
    emit_constant(&c->e, R_TEMP, twice);
    int reg = native_copy(c, c->now.a);
    emit_alu(&c->e, ALU_ADD, reg, R_TEMP);
    set_a_register(c, reg, FACT_INT);
}

/* ---- Methods. ---- */

/* Method A, an index, of the object on the stack. */
static void get_method(struct native_compiler *c) {
    uint16_t object = nv_top(c, 0);
    need_field(c, object, 0);
    need_int(c, c->now.a);
    int from = nv_register(c, object), at = nv_register(c, c->now.a), reg = nv_free_register(c);
    emit_load(&c->e, reg, at_base(from, 0));
    if (c->checks) {
        need_field_of_register(c, reg, 0);
        emit_load(&c->e, R_TEMP, at_base(reg, -8));
        emit_shift(&c->e, SHIFT_RIGHT, R_TEMP, 9);
        emit_alu_constant(&c->e, ALU_OR, R_TEMP, 1);
        emit_alu(&c->e, ALU_COMPARE, at, R_TEMP);
        native_exit_if(c, C_ABOVE_EQUAL);
    }
    emit_load(&c->e, reg, at_index(reg, at, 2, -4));
    set_a_register(c, reg, 0);
}

/* The method of a public tag: at the index of the inline cache, or else found out of line. */
static void get_public_method(struct native_compiler *c) {
    const uintptr_t *words = native_words(c, c->row);
    int64_t tag = (int64_t)words[1];
    if (!fits_32(tag)) {
        native_leave(c);
        return;
    }
    need_field(c, c->now.a, 0);
    int from = nv_register(c, c->now.a), table = nv_free_register(c);
    emit_load(&c->e, table, at_base(from, 0));
    need_field_of_register(c, table, 0);
    emit_constant(&c->e, R_TEMP, (int64_t)(uintptr_t)&words[2]);
    emit_load(&c->e, R_TEMP, at_base(R_TEMP, 0));
    emit_load(&c->e, R_TEMP2, at_base(table, -8));
    emit_shift(&c->e, SHIFT_RIGHT, R_TEMP2, 10);
    emit_alu(&c->e, ALU_COMPARE, R_TEMP, R_TEMP2);
    uint32_t exit = native_describe_exit(c);
    native_force_exit(c, exit);
    uint8_t *outside = emit_jump_if_forward(&c->e, C_ABOVE_EQUAL);
    emit_alu_load(&c->e, ALU_COMPARE, R_TEMP, at_base(table, 0));
    uint8_t *beyond_last = emit_jump_if_forward(&c->e, C_ABOVE);
    emit_compare_memory(&c->e, at_index(table, R_TEMP, 3, 0), (int32_t)tag);
    uint8_t *other = emit_jump_if_forward(&c->e, C_NOT_EQUAL);
    emit_load(&c->e, table, at_index(table, R_TEMP, 3, -8));
    unsigned kind = floats_in_use(c) ? LATE_EXIT : LATE_METHOD;
    struct native_late *late = native_add_late(c, other, kind);
    late->more[0] = outside, late->more[1] = beyond_last;
    late->exit = exit;
    late->reg = (uint8_t)table, late->object = (uint8_t)from;
    late->back = emit_here(&c->e);
    push_a(c);
    set_a_register(c, table, 0);
}

/* ---- One case for each instruction. ---- */

static bool stack_form(struct native_compiler *c, const struct vm_ir_row *row) {
    uint32_t n = row->operands[0];
    switch (vm_opcodes[row->op].long_op) {
    case OP_ACC: nv_set_a(c, nv_top(c, n)); return true;
    case OP_PUSH: push_a(c); return true;
    case OP_PUSHACC:
        push_a(c);
        nv_set_a(c, nv_top(c, n));
        return true;
    case OP_POP: nv_pop(c, n); return true;
    case OP_ASSIGN:
        nv_assign(c, c->now.depth - 1 - n, c->now.a);
        set_unit(c);
        return true;
    case OP_PUSHENVACC: push_a(c); /* fall through */
    case OP_ENVACC: env_field(c, n); return true;
    case OP_PUSHOFFSETCLOSURE: push_a(c); /* fall through */
    case OP_OFFSETCLOSURE: offset_closure(c, (int32_t)n); return true;
    case OP_PUSHGETGLOBAL: push_a(c); /* fall through */
    case OP_GETGLOBAL: set_a_register(c, global(c, n), 0); return true;
    case OP_GETGLOBALFIELD: global_field(c, row, false); return true;
    case OP_PUSHGETGLOBALFIELD: global_field(c, row, true); return true;
    case OP_PUSHATOM: push_a(c); /* fall through */
    case OP_ATOM: nv_set_a(c, nv_constant(c, gc_atom(&c->vm->domain->gc, n))); return true;
    case OP_PUSHCONSTINT: push_a(c); /* fall through */
    case OP_CONSTINT: nv_set_a(c, nv_constant(c, val_of_int((int32_t)n))); return true;
    default: return false;
    }
}

static bool block_form(struct native_compiler *c, const struct vm_ir_row *row) {
    uint32_t n = row->operands[0];
    switch (vm_opcodes[row->op].long_op) {
    case OP_GETFIELD: get_field(c, n); return true;
    case OP_SETFIELD: set_field(c, n); return true;
    case OP_GETFLOATFIELD: get_float_field(c, n); return true;
    case OP_SETFLOATFIELD: set_float_field(c, n); return true;
    case OP_VECTLENGTH: vector_length(c); return true;
    case OP_GETVECTITEM: native_get_item(c); return true;
    case OP_SETVECTITEM: native_set_item(c); return true;
    case OP_GETBYTESCHAR:
    case OP_GETSTRINGCHAR: native_get_byte(c); return true;
    case OP_SETBYTESCHAR: native_set_byte(c); return true;
    case OP_OFFSETREF: offset_ref(c, (int32_t)n); return true;
    case OP_MAKEBLOCK: allocate_block(c, n, row->operands[1]); return true;
    case OP_MAKEFLOATBLOCK: allocate_float_block(c, n); return true;
    case OP_CLOSURE: allocate_closure(c, n); return true;
    case OP_CLOSUREREC: allocate_closures(c, n, row->operands[1]); return true;
    case OP_GETMETHOD: get_method(c); return true;
    case OP_GETPUBMET: get_public_method(c); return true;
    default: return false;
    }
}

static bool integer_form(struct native_compiler *c, const struct vm_ir_row *row) {
    switch (row->op) {
    case OP_ADDINT: add(c); return true;
    case OP_SUBINT: subtract(c); return true;
    case OP_MULINT: multiply(c); return true;
    case OP_DIVINT: native_divide(c, false); return true;
    case OP_MODINT: native_divide(c, true); return true;
    case OP_ANDINT: bitwise(c, ALU_AND); return true;
    case OP_ORINT: bitwise(c, ALU_OR); return true;
    case OP_XORINT: bitwise(c, ALU_XOR); return true;
    case OP_LSLINT: shift(c, SHIFT_LEFT); return true;
    case OP_LSRINT: shift(c, SHIFT_RIGHT); return true;
    case OP_ASRINT: shift(c, SHIFT_RIGHT_SIGNED); return true;
    case OP_NEGINT: subtract_from(c, 2); return true;
    case OP_BOOLNOT: subtract_from(c, VAL_FALSE + VAL_TRUE); return true;
    case OP_OFFSETINT: offset_int(c, (int32_t)row->operands[0]); return true;
    default: return false;
    }
}

void native_form(struct native_compiler *c, const struct vm_ir_row *row) {
    uint32_t reference = c->rows[c->row].reference;
    if (reference != 0) {
        native_reference(c, row, reference - 1);
        return;
    }
    if (stack_form(c, row) || block_form(c, row) || integer_form(c, row) || native_branch(c, row))
        return;
    if (vm_opcodes[row->op].flags & OP_PRIMITIVE) native_primitive(c, row);
    else if (!native_call(c, row) && !native_switch(c, row)) native_leave(c); /* the loop does it */
}
