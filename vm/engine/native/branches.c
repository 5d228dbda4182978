/* branches.c - comparisons and branches as machine code. */
#include "gc/value.h"
#include "vm/base/os.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"

/* ---- Comparisons. ---- */

static bool branches_next(const struct native_compiler *c) {
    uint32_t next = c->row + 1;
    if (next >= c->ir.count || c->rows[next].entries > 1) return false;
    if (c->ir.rows[next].flags & IR_HEAD) return false;
    return c->ir.rows[next].op == OP_BRANCHIF || c->ir.rows[next].op == OP_BRANCHIFNOT;
}

void native_set_or_branch(struct native_compiler *c, enum native_condition condition) {
    if (!branches_next(c)) {
        int reg = nv_free_register(c);
        emit_set(&c->e, condition, reg);
        emit_tag(&c->e, reg, reg);
        nv_set_a(c, nv_in_register(c, reg, FACT_INT));
        return;
    }
    const struct vm_ir_row *branch = &c->ir.rows[++c->row];
    bool if_true = branch->op == OP_BRANCHIF;
    nv_set_a(c, nv_constant(c, val_of_bool(if_true)));
    native_jump_if(c, if_true ? condition : condition ^ 1, branch->operands[0]);
    nv_set_a(c, nv_constant(c, val_of_bool(!if_true)));
}

/* Sets the flags of a - b. */
static void compare_with(struct native_compiler *c, uint16_t a, uint16_t b) {
    int64_t k;
    if (nv_small_constant(c, b, &k)) {
        emit_alu_constant(&c->e, ALU_COMPARE, nv_register(c, a), (int32_t)k);
        return;
    }
    int x = nv_register(c, a), y = nv_register(c, b);
    emit_alu(&c->e, ALU_COMPARE, x, y);
}

static void compare(struct native_compiler *c, enum native_condition condition) {
    compare_with(c, c->now.a, nv_top(c, 0));
    /* What follows only moves values, which keeps the flags (N1). */
    nv_pop(c, 1);
    native_set_or_branch(c, condition);
}

static void is_int_form(struct native_compiler *c) {
    emit_test_byte(&c->e, nv_register(c, c->now.a), 1);
    native_set_or_branch(c, C_NOT_EQUAL);
}

/* ---- Branches. ---- */

/* A branch whose condition compares A with a constant. */
static void compare_branch(struct native_compiler *c, const struct vm_ir_row *row,
                           enum native_condition condition) {
    int64_t k = val_of_int((int32_t)row->operands[0]);
    int reg = nv_register(c, c->now.a);
    if (fits_32(k)) emit_alu_constant(&c->e, ALU_COMPARE, reg, (int32_t)k);
    else {
        emit_constant(&c->e, R_TEMP, k);
        emit_alu(&c->e, ALU_COMPARE, reg, R_TEMP);
    }
    native_jump_if(c, condition, row->operands[1]);
}

static void branch_if(struct native_compiler *c, const struct vm_ir_row *row, bool if_true) {
    const struct native_value *a = nv_at(c, c->now.a);
    if (a->kind == VALUE_CONSTANT) {
        if ((a->k != VAL_FALSE) == if_true) native_jump(c, row->operands[0]);
        return;
    }
    emit_alu_constant(&c->e, ALU_COMPARE, nv_register(c, c->now.a), VAL_FALSE);
    native_jump_if(c, if_true ? C_NOT_EQUAL : C_EQUAL, row->operands[0]);
}

/* ---- SWITCH: what it finds out about A is known at its labels. ---- */

enum { MOST_COMPARED = 4 };

/* Whether one of n labels is the next row, and which. */
static bool leads_on(const struct native_compiler *c, const uint32_t *labels, uint32_t n,
                     uint32_t *which) {
    for (*which = 0; *which < n; ++*which)
        if (labels[*which] == c->row + 1) return true;
    *which = 0;
    return false;
}

/* Compares the integer, or the tag, of the value in a register with case i; loaded: the tag is in
 * R_TEMP. */
static void compare_case(struct native_compiler *c, int a, bool by_tag, bool loaded, uint32_t i) {
    if (loaded) emit_alu_byte_constant(&c->e, ALU_COMPARE, R_TEMP, (int8_t)i);
    else if (by_tag) emit_compare_byte(&c->e, at_base(a, -8), (uint8_t)i);
    else emit_alu_constant(&c->e, ALU_COMPARE, a, (int32_t)val_of_int((int32_t)i));
}

/* The part of a SWITCH for a few labels; last: the code of the next row follows. */
static void jump_by_comparisons(struct native_compiler *c, int a, bool by_tag,
                                const uint32_t *labels, uint32_t n, bool last) {
    uint32_t rest;
    bool falls = leads_on(c, labels, n, &rest) && last;
    /* A comparison of a register and its jump are one operation of the CPU. */
    bool loaded = by_tag && n > (c->checks && rest == n - 1 ? 1 : 2);
    if (loaded) emit_load_byte(&c->e, R_TEMP, at_base(a, -8));
    for (uint32_t i = n; i-- > 0;) {
        bool in_range = !c->checks || i != n - 1;
        if (i == rest && in_range) continue;
        compare_case(c, a, by_tag, loaded, i);
        if (!in_range) native_exit_if(c, C_ABOVE);
        if (i != rest) native_jump_if(c, C_EQUAL, labels[i]);
    }
    if (!falls) native_jump(c, labels[rest]);
}

/* By the number in R_TEMP. */
static void jump_by_table(struct native_compiler *c, const uint32_t *labels, uint32_t n) {
    struct emitter *e = &c->e;
    if (c->checks) {
        emit_alu_constant(e, ALU_COMPARE, R_TEMP, (int32_t)n);
        native_exit_if(c, C_ABOVE_EQUAL);
    }
    uint8_t *table_site = emit_code_address(e, R_TEMP2);
    emit_load_signed_32(e, R_TEMP, at_index(R_TEMP2, R_TEMP, 2, 0));
    emit_alu(e, ALU_ADD, R_TEMP, R_TEMP2);
    emit_jump_register(e, R_TEMP);
    emit_align(e, 4, 0);
    uint8_t *table = emit_here(e);
    struct vm_native_table noted = {(uint32_t)(table - e->start), n};
    if (!vector_push(&c->tables, noted, 8, NULL)) vm_must(NULL);
    emit_link(e, table_site, table);
    for (uint32_t i = 0; i < n; i++) emit_table_word(e);
    native_jump_from_table(c, table, labels, n);
}

static void switch_on_constant(struct native_compiler *c, int a, const uint32_t *labels, uint32_t n,
                               bool last) {
    learn_int(c, c->now.a);
    if (n <= MOST_COMPARED) {
        jump_by_comparisons(c, a, false, labels, n, last);
        return;
    }
    emit_move(&c->e, R_TEMP, a);
    emit_untag(&c->e, R_TEMP);
    jump_by_table(c, labels, n);
}

static void switch_on_tag(struct native_compiler *c, int a, const uint32_t *labels, uint32_t n,
                          bool last) {
    learn_tag_below(c, c->now.a, n); /* control reaches none of the labels with another one */
    if (n <= MOST_COMPARED) {
        jump_by_comparisons(c, a, true, labels, n, last);
        return;
    }
    emit_load_byte(&c->e, R_TEMP, at_base(a, -8));
    jump_by_table(c, labels, n);
}

static void switch_form(struct native_compiler *c, const struct vm_ir_row *row) {
    uint32_t count, which, constants = row->operands[0], tags = row->operands[1];
    const uint32_t *labels = vm_ir_labels(&c->ir, row, &count), *of_tags = labels + constants;
    if (constants == 0 && tags == 0) {
        native_leave(c);
        return;
    }
    int a = nv_register(c, c->now.a);
    emit_test_byte(&c->e, a, 1);
    if (constants == 0 || tags == 0) {
        native_exit_if(c, constants == 0 ? C_NOT_EQUAL : C_EQUAL);
        if (constants == 0) switch_on_tag(c, a, of_tags, tags, true);
        else switch_on_constant(c, a, labels, constants, true);
        return;
    }
    bool tags_last = leads_on(c, of_tags, tags, &which);
    uint8_t *site = emit_jump_if_forward(&c->e, tags_last ? C_EQUAL : C_NOT_EQUAL);
    struct native_values *state = nv_save(c);
    if (tags_last) switch_on_constant(c, a, labels, constants, false);
    else switch_on_tag(c, a, of_tags, tags, false);
    emit_link(&c->e, site, emit_here(&c->e));
    nv_restore(c, state);
    c->reachable = true;
    if (tags_last) switch_on_tag(c, a, of_tags, tags, true);
    else switch_on_constant(c, a, labels, constants, true);
}

/* In branches that compare, the constant is the left operand. */
bool native_branch(struct native_compiler *c, const struct vm_ir_row *row) {
    switch (row->op) {
    case OP_ISINT: is_int_form(c); return true;
    case OP_EQ: compare(c, C_EQUAL); return true;
    case OP_NEQ: compare(c, C_NOT_EQUAL); return true;
    case OP_LTINT: compare(c, C_LESS); return true;
    case OP_LEINT: compare(c, C_LESS_EQUAL); return true;
    case OP_GTINT: compare(c, C_GREATER); return true;
    case OP_GEINT: compare(c, C_GREATER_EQUAL); return true;
    case OP_ULTINT: compare(c, C_BELOW); return true;
    case OP_UGEINT: compare(c, C_ABOVE_EQUAL); return true;
    case OP_BRANCH: native_jump(c, row->operands[0]); return true;
    case OP_BRANCHIF: branch_if(c, row, true); return true;
    case OP_BRANCHIFNOT: branch_if(c, row, false); return true;
    case OP_SWITCH: switch_form(c, row); return true;
    case OP_BEQ: compare_branch(c, row, C_EQUAL); return true;
    case OP_BNEQ: compare_branch(c, row, C_NOT_EQUAL); return true;
    case OP_BLTINT: compare_branch(c, row, C_GREATER); return true;
    case OP_BLEINT: compare_branch(c, row, C_GREATER_EQUAL); return true;
    case OP_BGTINT: compare_branch(c, row, C_LESS); return true;
    case OP_BGEINT: compare_branch(c, row, C_LESS_EQUAL); return true;
    case OP_BULTINT: compare_branch(c, row, C_ABOVE); return true;
    case OP_BUGEINT: compare_branch(c, row, C_BELOW_EQUAL); return true;
    default: return false;
    }
}
