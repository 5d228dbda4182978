/* forms_primitives.c - primitives: the INLINED ones of vm/code/engine.def and those of
 * integers.def, multi_byte.h and bigarrays.h as machine code, the others as calls. Arguments that
 * the machine code does not handle exit; those of comparisons, which are often not integers, and
 * of bigarrays take the call. */
#include "vm/code/kinds.h"
#include "vm/engine/native/bigarrays.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/generic_items.h"
#include "vm/engine/native/inlining.h"
#include "vm/engine/native/integers.h"
#include "vm/engine/native/multi_byte.h"
#include "vm/engine/native/numbers.h"
#include "vm/engine/native/primitive_calls.h"

/* ---- Strings. ---- */

static void string_length_form(struct native_compiler *c) {
    need_tag(c, c->now.a, TAG_STRING, FACT_STRING);
    uint16_t length = length_of_string(c, c->now.a);
    nv_set_a(c, length);
}

static void string_equal_form(struct native_compiler *c, enum native_condition condition) {
    need_tag(c, c->now.a, TAG_STRING, FACT_STRING);
    need_tag(c, nv_top(c, 0), TAG_STRING, FACT_STRING);
    int a = nv_register(c, c->now.a), b = nv_register(c, nv_top(c, 0));
    emit_move(&c->e, R_TEMP, a);
    emit_move(&c->e, R_TEMP2, b);
    emit_call(&c->e, c->native->stubs.string_equal - c->e.run_offset);
    nv_pop(c, 1);
    native_set_or_branch(c, condition);
}

/* ---- Floats. ---- */

static void float_binary(struct native_compiler *c, enum native_float_op op) {
    int a = need_double(c, c->now.a), b = need_double(c, nv_top(c, 0)), x = nv_free_xmm(c);
    emit_float_move(&c->e, x, a);
    emit_float_op(&c->e, op, x, b);
    nv_pop_to_xmm(c, 1, x, NUMBER_DOUBLE);
}

/* A's bits combined with constant ones. */
static void float_bits(struct native_compiler *c, enum native_float_op op, uint64_t bits) {
    int a = need_double(c, c->now.a), x = nv_free_xmm(c);
    emit_constant(&c->e, R_TEMP, (int64_t)bits);
    emit_float_of_bits(&c->e, X_TEMP, R_TEMP);
    emit_float_move(&c->e, x, a);
    emit_float_op(&c->e, op, x, X_TEMP);
    nv_pop_to_xmm(c, 0, x, NUMBER_DOUBLE);
}

static void float_root(struct native_compiler *c) {
    int a = need_double(c, c->now.a), x = nv_free_xmm(c);
    emit_float_op(&c->e, FLOAT_SQRT, x, a);
    nv_pop_to_xmm(c, 0, x, NUMBER_DOUBLE);
}

static void float_of_int(struct native_compiler *c) {
    need_int(c, c->now.a);
    nv_copy_untagged(c, R_TEMP, c->now.a);
    int x = nv_free_xmm(c);
    emit_float_of_int(&c->e, x, R_TEMP);
    nv_pop_to_xmm(c, 0, x, NUMBER_DOUBLE);
}

/* The condition of a comparison of the greater operand with the lesser one: false for nan. */
static void float_compare(struct native_compiler *c, bool swapped, enum native_condition which) {
    int a = need_double(c, c->now.a), b = need_double(c, nv_top(c, 0));
    emit_float_compare(&c->e, swapped ? b : a, swapped ? a : b);
    nv_pop(c, 1);
    native_set_or_branch(c, which);
}

static void float_equal(struct native_compiler *c, bool equal) {
    int a = need_double(c, c->now.a), b = need_double(c, nv_top(c, 0)), reg = nv_free_register(c);
    emit_float_compare(&c->e, a, b);
    emit_set(&c->e, C_EQUAL, reg);
    emit_set(&c->e, C_NO_PARITY, R_TEMP);
    emit_alu(&c->e, ALU_AND, reg, R_TEMP);
    if (!equal) emit_alu_constant(&c->e, ALU_XOR, reg, 1);
    emit_tag(&c->e, reg, reg);
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

static void float_item(struct native_compiler *c) {
    struct native_place at = need_double_item(c, c->now.a, nv_top(c, 0));
    int x = nv_free_xmm(c);
    emit_float_load(&c->e, x, at);
    nv_pop_to_xmm(c, 1, x, NUMBER_DOUBLE);
}

static void set_float_item(struct native_compiler *c) {
    int x = need_double(c, nv_top(c, 1));
    emit_float_store(&c->e, need_double_item(c, c->now.a, nv_top(c, 0)), x);
    nv_pop_to_unit(c, 2);
}

/* ---- Comparisons of values of all kinds. ---- */

/* A := -1, 0 or 1, from the flags. */
static void set_order(struct native_compiler *c, int reg) {
    emit_set(&c->e, C_GREATER, reg);
    emit_set(&c->e, C_LESS, R_TEMP);
    emit_alu(&c->e, ALU_SUB, reg, R_TEMP);
    emit_tag(&c->e, reg, reg);
}

enum { ORDER = -1 };

static bool are_ints(const struct native_compiler *c) {
    return nv_at(c, c->now.a)->facts & nv_at(c, nv_top(c, 0))->facts & FACT_INT;
}

/* Of two operands, by the flags. */
static void finish_comparison(struct native_compiler *c, int condition) {
    if (condition != ORDER) {
        nv_pop(c, 1);
        native_set_or_branch(c, (enum native_condition)condition);
        return;
    }
    int reg = nv_free_register(c);
    set_order(c, reg);
    nv_pop_to_register(c, 1, reg, FACT_INT);
}

/* Of two integers. */
static void compare_ints(struct native_compiler *c, int condition) {
    int a = nv_register(c, c->now.a), b = nv_register(c, nv_top(c, 0));
    emit_alu(&c->e, ALU_COMPARE, a, b);
    finish_comparison(c, condition);
}

/* Integers of one type, at least one of which is in an xmm register. False: they are not. */
static bool compare_integers(struct native_compiler *c, int condition) {
    const struct native_value *a = nv_at(c, c->now.a), *b = nv_at(c, nv_top(c, 0));
    const struct native_value *known = a->xmm != R_NONE ? a : b;
    enum native_number number = (enum native_number)known->number;
    if (known->xmm == R_NONE || number == NUMBER_DOUBLE) return false;
    int x = need_number(c, c->now.a, number), y = need_number(c, nv_top(c, 0), number);
    emit_bits_of_float(&c->e, R_TEMP, x);
    emit_bits_of_float(&c->e, R_TEMP2, y);
    emit_alu(&c->e, ALU_COMPARE, R_TEMP, R_TEMP2);
    finish_comparison(c, condition);
    return true;
}

/* Both paths join where the call ends: all slots in the frame, the result in R_A. */
static void compare_any(struct native_compiler *c, const struct vm_ir_row *row, int condition) {
    if (are_ints(c)) {
        compare_ints(c, condition);
        return;
    }
    if (compare_integers(c, condition)) return;
    native_write_frame(c);
    nv_flush(c, c->now.depth);
    int a = nv_register(c, c->now.a), b = nv_register(c, nv_top(c, 0));
    emit_move(&c->e, R_TEMP, a);
    emit_alu(&c->e, ALU_AND, R_TEMP, b);
    emit_test_byte(&c->e, R_TEMP, 1);
    struct native_late *late = native_add_late(c, emit_jump_if_forward(&c->e, C_EQUAL), LATE_CALL);
    late->state = nv_save(c);
    uint32_t index = (uint32_t)(late - c->late);
    emit_alu(&c->e, ALU_COMPARE, a, b);
    if (condition == ORDER) {
        set_order(c, R_A);
    } else {
        emit_set(&c->e, (enum native_condition)condition, R_A);
        emit_tag(&c->e, R_A, R_A);
    }
    c->late[index].back = emit_here(&c->e);
    native_after_primitive(c, row, FACT_INT);
}

static void int_compare(struct native_compiler *c) {
    need_int(c, c->now.a);
    need_int(c, nv_top(c, 0));
    compare_ints(c, ORDER);
}

/* ---- By the primitive. ---- */

static bool integer_form(struct native_compiler *c, const struct vm_linked_prim *prim) {
    struct native_integer integer;
    if (!native_find_integer(prim, &integer)) return false;
    native_integer(c, &integer);
    return true;
}

static bool multi_byte_form(struct native_compiler *c, const struct vm_linked_prim *prim) {
    struct native_multi_byte which;
    if (!native_find_multi_byte(prim, &which)) return false;
    c->raises_bound_errors = true;
    native_multi_byte(c, &which);
    return true;
}

static bool array_or_string(struct native_compiler *c, unsigned inlined) {
    switch (inlined) {
    case ENGINE_ARRAY_GET_ADDR: native_get_item(c); return true;
    case ENGINE_ARRAY_GET:
    case ENGINE_ARRAY_UNSAFE_GET: native_get_generic_item(c); return true;
    case ENGINE_ARRAY_SET_ADDR: native_set_item(c); return true;
    case ENGINE_ARRAY_SET:
    case ENGINE_ARRAY_UNSAFE_SET: native_set_generic_item(c); return true;
    case ENGINE_STRING_GET:
    case ENGINE_BYTES_GET: native_get_byte(c); return true;
    case ENGINE_BYTES_SET: native_set_byte(c); return true;
    case ENGINE_STRING_LENGTH:
    case ENGINE_BYTES_LENGTH: string_length_form(c); return true;
    case ENGINE_STRING_EQUAL: string_equal_form(c, C_EQUAL); return true;
    case ENGINE_STRING_NOTEQUAL: string_equal_form(c, C_NOT_EQUAL); return true;
    case ENGINE_STRING_OF_BYTES:
    case ENGINE_BYTES_OF_STRING: need_tag(c, c->now.a, TAG_STRING, FACT_STRING); return true;
    case ENGINE_FLOATARRAY_GET: float_item(c); return true;
    case ENGINE_FLOATARRAY_SET: set_float_item(c); return true;
    default: return false;
    }
}

static bool comparison(struct native_compiler *c, const struct vm_ir_row *row, unsigned inlined) {
    switch (inlined) {
    case ENGINE_INT_COMPARE: int_compare(c); return true;
    case ENGINE_COMPARE: compare_any(c, row, ORDER); return true;
    case ENGINE_EQUAL: compare_any(c, row, C_EQUAL); return true;
    case ENGINE_NOTEQUAL: compare_any(c, row, C_NOT_EQUAL); return true;
    case ENGINE_LESSTHAN: compare_any(c, row, C_LESS); return true;
    case ENGINE_LESSEQUAL: compare_any(c, row, C_LESS_EQUAL); return true;
    case ENGINE_GREATERTHAN: compare_any(c, row, C_GREATER); return true;
    case ENGINE_GREATEREQUAL: compare_any(c, row, C_GREATER_EQUAL); return true;
    default: return false;
    }
}

static bool float_form(struct native_compiler *c, unsigned inlined) {
    const uint64_t sign = (uint64_t)1 << 63;
    switch (inlined) {
    case ENGINE_ADD_FLOAT: float_binary(c, FLOAT_ADD); return true;
    case ENGINE_SUB_FLOAT: float_binary(c, FLOAT_SUB); return true;
    case ENGINE_MUL_FLOAT: float_binary(c, FLOAT_MUL); return true;
    case ENGINE_DIV_FLOAT: float_binary(c, FLOAT_DIV); return true;
    case ENGINE_NEG_FLOAT: float_bits(c, FLOAT_XOR, sign); return true;
    case ENGINE_ABS_FLOAT: float_bits(c, FLOAT_AND, sign - 1); return true;
    case ENGINE_SQRT_FLOAT: float_root(c); return true;
    case ENGINE_LT_FLOAT: float_compare(c, true, C_ABOVE); return true;
    case ENGINE_LE_FLOAT: float_compare(c, true, C_ABOVE_EQUAL); return true;
    case ENGINE_GT_FLOAT: float_compare(c, false, C_ABOVE); return true;
    case ENGINE_GE_FLOAT: float_compare(c, false, C_ABOVE_EQUAL); return true;
    case ENGINE_EQ_FLOAT: float_equal(c, true); return true;
    case ENGINE_NEQ_FLOAT: float_equal(c, false); return true;
    case ENGINE_FLOAT_OF_INT: float_of_int(c); return true;
    default: return false;
    }
}

/* Whether the primitive raises if its index is out of bounds. */
static bool checks_index(unsigned inlined) {
    switch (inlined) {
    case ENGINE_ARRAY_GET_ADDR:
    case ENGINE_ARRAY_GET:
    case ENGINE_ARRAY_SET_ADDR:
    case ENGINE_ARRAY_SET:
    case ENGINE_STRING_GET:
    case ENGINE_BYTES_GET:
    case ENGINE_BYTES_SET:
    case ENGINE_FLOATARRAY_GET:
    case ENGINE_FLOATARRAY_SET: return true;
    default: return false;
    }
}

void native_primitive(struct native_compiler *c, const struct vm_ir_row *row) {
    const struct vm_linked_prim *prim = &c->vm->prims[row->operands[1]];
    unsigned inlined = row->op == OP_C_CALLN ? 0 : prim->inlined;
    bool checks = c->checks;
    if (prim->function == NULL) {
        native_leave(c);
        return;
    }
    c->raises_bound_errors = checks_index(inlined);
    c->checks = true; /* also in unchecked mode: the code is right only for the kinds it tests */
    bool done = array_or_string(c, inlined) || comparison(c, row, inlined) ||
                float_form(c, inlined) || integer_form(c, prim) || multi_byte_form(c, prim);
    c->checks = checks;
    c->raises_bound_errors = false;
    if (!done && !native_bigarray(c, row)) native_call_primitive(c, row);
}
