/* allocation.c - see allocation.h. */
#include "vm/engine/native/allocation.h"

#include "gc/value.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/numbers.h"

/* The k-th operand: A, then the words from the top on. */
static uint16_t operand(const struct native_compiler *c, uint32_t k) {
    return k == 0 ? c->now.a : nv_top(c, k - 1);
}

/* Boxes the numbers among n operands: nothing may be allocated between the new block's header and
 * its fields. */
static void box_operands(struct native_compiler *c, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const struct native_value *p = nv_at(c, operand(c, k));
        if (p->xmm != R_NONE && p->reg == R_NONE && p->home < 0) nv_register(c, operand(c, k));
        nv_unlock(c);
    }
}

void allocate_words(struct native_compiler *c, uint32_t fields, unsigned tag) {
    const int32_t bytes = 8 * ((int32_t)fields + 1);
    uint32_t exit = native_describe_exit(c);
    native_force_exit(c, exit);
    emit_alu_constant(&c->e, ALU_SUB, R_YOUNG, bytes);
    emit_alu_load(&c->e, ALU_COMPARE, R_YOUNG, DOMAIN(gc.young_limit));
    struct native_late *late = native_add_late(c, emit_jump_if_forward(&c->e, C_BELOW), LATE_FULL);
    late->exit = exit;
    late->constant = bytes;
    emit_store_constant(&c->e, at_base(R_YOUNG, 0), (int32_t)make_header(fields, tag, 0));
}

static struct native_place new_field(uint32_t i) { return at_base(R_YOUNG, 8 * ((int32_t)i + 1)); }

static void set_field(struct native_compiler *c, uint32_t i, uint16_t v) {
    const struct native_value *p = nv_at(c, v);
    if (p->kind == VALUE_CONSTANT && fits_32(p->k))
        emit_store_constant(&c->e, new_field(i), (int32_t)p->k);
    else emit_store(&c->e, new_field(i), nv_register(c, v));
    nv_unlock(c);
}

/* A := the block, after n operands from the stack. */
static void finish_block(struct native_compiler *c, uint32_t pop, unsigned facts, uint32_t fields) {
    nv_unlock(c);
    int reg = nv_free_register(c);
    emit_address(&c->e, reg, at_base(R_YOUNG, 8));
    nv_pop(c, pop);
    uint16_t block = nv_in_register(c, reg, FACT_BLOCK | facts);
    nv_set_a(c, block);
    if (facts & FACT_FIELDS) nv_at(c, block)->fields = (uint16_t)fields;
}

void allocate_block(struct native_compiler *c, uint32_t fields, uint32_t tag) {
    if (fields > MAX_YOUNG_WOSIZE) {
        native_leave(c);
        return;
    }
    box_operands(c, fields);
    allocate_words(c, fields, tag);
    for (uint32_t i = 0; i < fields; i++) set_field(c, i, operand(c, i));
    unsigned facts = tag < TAG_CLOSURE ? FACT_FIELDS | FACT_MUTABLE : 0;
    finish_block(c, fields - 1, facts, fields);
}

void allocate_float_block(struct native_compiler *c, uint32_t fields) {
    if (fields > MAX_YOUNG_WOSIZE) {
        native_leave(c);
        return;
    }
    for (uint32_t k = 0; k < fields; k++) {
        uint16_t v = operand(c, k);
        if (nv_at(c, v)->xmm == R_NONE) need_tag(c, v, TAG_DOUBLE, FACT_DOUBLE);
        else need_double(c, v);
        nv_unlock(c);
    }
    allocate_words(c, fields, TAG_DOUBLE_ARRAY);
    for (uint32_t k = 0; k < fields; k++) {
        int xmm = nv_at(c, operand(c, k))->xmm;
        if (xmm == R_NONE) {
            xmm = X_TEMP;
            emit_float_load(&c->e, xmm, at_base(nv_register(c, operand(c, k)), 0));
        }
        emit_float_store(&c->e, new_field(k), xmm);
        nv_unlock(c);
    }
    finish_block(c, fields - 1, FACT_DOUBLES, 0);
}

void allocate_closure(struct native_compiler *c, uint32_t variables) {
    uint32_t fields = 2 + variables;
    int64_t code = (int64_t)native_words(c, c->row)[2];
    if (fields > MAX_YOUNG_WOSIZE || !fits_32(code)) {
        native_leave(c);
        return;
    }
    box_operands(c, variables);
    allocate_words(c, fields, TAG_CLOSURE);
    emit_store_constant(&c->e, new_field(0), (int32_t)code);
    emit_store_constant(&c->e, new_field(1), (int32_t)make_closinfo(0, 2));
    for (uint32_t i = 0; i < variables; i++) set_field(c, 2 + i, operand(c, i));
    finish_block(c, variables > 0 ? variables - 1 : 0, FACT_CLOSURE, 0);
}

void allocate_closures(struct native_compiler *c, uint32_t functions, uint32_t variables) {
    const uintptr_t *codes = native_words(c, c->row) + 3;
    uint32_t start_env = 3 * functions - 1, fields = start_env + variables;
    bool fits = fields <= MAX_YOUNG_WOSIZE;
    for (uint32_t i = 0; i < functions && fits; i++) fits = fits_32((int64_t)codes[i]);
    if (!fits) {
        native_leave(c);
        return;
    }
    box_operands(c, variables);
    allocate_words(c, fields, TAG_CLOSURE);
    for (uint32_t i = 0; i < functions; i++) {
        if (i > 0)
            emit_store_constant(&c->e, new_field(3 * i - 1),
                                (int32_t)make_header(3 * i, TAG_INFIX, 0));
        emit_store_constant(&c->e, new_field(3 * i), (int32_t)codes[i]);
        emit_store_constant(&c->e, new_field(3 * i + 1),
                            (int32_t)make_closinfo(0, start_env - 3 * i));
    }
    for (uint32_t i = 0; i < variables; i++) set_field(c, start_env + i, operand(c, i));
    finish_block(c, variables > 0 ? variables - 1 : 0, FACT_CLOSURE, 0);
    nv_push(c, c->now.a);
    for (uint32_t i = 1; i < functions; i++) {
        nv_unlock(c);
        int reg = nv_free_register(c);
        emit_address(&c->e, reg, at_base(R_YOUNG, 8 + (int32_t)(24 * i)));
        nv_push(c, nv_in_register(c, reg, FACT_BLOCK | FACT_CLOSURE));
    }
}
