/* bigarrays.c - see bigarrays.h. The machine code changes nothing before its last test, so that
 * whatever it does not handle is left to the call, an index out of bounds too. */
#include "vm/engine/native/bigarrays.h"

#include "gc/value.h"
#include "vm/code/prim.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/inlining.h"
#include "vm/engine/native/primitive_calls.h"

#include <string.h>

/* Offsets in the block, which are those of the C ABI (asserted in vm/capi/bigarray.c); the bits of
 * the flags for layout and kind, and their values for C layout and the kinds accessed here. */
enum { DATA = 8, NUM_DIMS = 16, FLAGS = 24, DIMS = 40 };
enum { LAYOUT_AND_KIND = 0x1ff, FLOAT64 = 1, UINT8 = 3, CHAR = 12 };

/* What an access is compiled with: registers of the block, the new value or R_NONE, the number of
 * the element, and the jumps to the call. */
struct access {
    struct native_compiler *c;
    int block, stored, element;
    struct emit_sites refusals;
};

static void refuse_if(struct access *a, enum native_condition condition) {
    emit_jump_if_later(&a->c->e, &a->refusals, condition);
}

/* a->element := the number of the element at the n indices, the first one on top of the stack. */
static void find_element(struct access *a, uint32_t n) {
    struct emitter *e = &a->c->e;
    emit_compare_memory(e, at_base(a->block, NUM_DIMS), (int32_t)n);
    refuse_if(a, C_NOT_EQUAL);
    for (uint32_t k = 0; k < n; k++) {
        struct native_place dim = at_base(a->block, DIMS + 8 * (int32_t)k);
        int index = k == 0 ? a->element : R_TEMP;
        nv_copy_untagged(a->c, index, nv_top(a->c, k));
        emit_alu_load(e, ALU_COMPARE, index, dim);
        refuse_if(a, C_ABOVE_EQUAL);
        if (k == 0) continue;
        emit_load(e, R_TEMP2, dim);
        emit_multiply(e, a->element, R_TEMP2);
        emit_alu(e, ALU_ADD, a->element, R_TEMP);
    }
}

static void get_float(struct access *a) {
    struct emitter *e = &a->c->e;
    emit_address(e, R_TEMP2, at_base(R_YOUNG, -16));
    emit_alu_load(e, ALU_COMPARE, R_TEMP2, DOMAIN(gc.young_limit));
    refuse_if(a, C_BELOW);
    emit_move(e, R_YOUNG, R_TEMP2);
    emit_load(e, R_TEMP2, at_base(a->block, DATA));
    emit_float_load(e, X_TEMP, at_index(R_TEMP2, a->element, 3, 0));
    emit_store_constant(e, at_base(R_YOUNG, 0), (int32_t)make_header(1, TAG_DOUBLE, 0));
    emit_float_store(e, at_base(R_YOUNG, 8), X_TEMP);
    emit_address(e, R_A, at_base(R_YOUNG, 8));
}

static void get_byte(struct access *a) {
    struct emitter *e = &a->c->e;
    emit_load(e, R_TEMP2, at_base(a->block, DATA));
    emit_load_byte(e, R_TEMP, at_index(R_TEMP2, a->element, 0, 0));
    emit_tag(e, R_A, R_TEMP);
}

static void set_float(struct access *a) {
    struct emitter *e = &a->c->e;
    emit_test_byte(e, a->stored, 1);
    refuse_if(a, C_NOT_EQUAL);
    emit_compare_byte(e, at_base(a->stored, -8), TAG_DOUBLE);
    refuse_if(a, C_NOT_EQUAL);
    emit_float_load(e, X_TEMP, at_base(a->stored, 0));
    emit_load(e, R_TEMP2, at_base(a->block, DATA));
    emit_float_store(e, at_index(R_TEMP2, a->element, 3, 0), X_TEMP);
    emit_constant(e, R_A, VAL_UNIT);
}

static void set_byte(struct access *a) {
    struct emitter *e = &a->c->e;
    emit_test_byte(e, a->stored, 1);
    refuse_if(a, C_EQUAL);
    emit_move(e, R_TEMP, a->stored);
    emit_untag(e, R_TEMP);
    emit_load(e, R_TEMP2, at_base(a->block, DATA));
    emit_store_byte(e, at_index(R_TEMP2, a->element, 0, 0), R_TEMP);
    emit_constant(e, R_A, VAL_UNIT);
}

/* Reads or writes the element, according to its kind; the result is in R_A. */
static void access_element(struct access *a) {
    struct emitter *e = &a->c->e;
    bool sets = a->stored != R_NONE;
    emit_load_32(e, R_TEMP, at_base(a->block, FLAGS));
    emit_alu_constant(e, ALU_AND, R_TEMP, LAYOUT_AND_KIND);
    emit_alu_constant(e, ALU_COMPARE, R_TEMP, FLOAT64);
    uint8_t *not_float = emit_jump_if_forward(e, C_NOT_EQUAL);
    if (sets) set_float(a);
    else get_float(a);
    uint8_t *done = emit_jump_forward(e);
    emit_link(e, not_float, emit_here(e));
    emit_alu_constant(e, ALU_COMPARE, R_TEMP, UINT8);
    uint8_t *is_byte = emit_jump_if_forward(e, C_EQUAL);
    emit_alu_constant(e, ALU_COMPARE, R_TEMP, CHAR);
    refuse_if(a, C_NOT_EQUAL);
    emit_link(e, is_byte, emit_here(e));
    if (sets) set_byte(a);
    else get_byte(a);
    emit_link(e, done, emit_here(e));
}

/* How many indices the primitive takes; 0: it accesses no element. */
static uint32_t indices_of(const struct vm_linked_prim *prim, bool *sets) {
    static const char *const names[] = {"caml_ba_get_1", "caml_ba_get_2", "caml_ba_get_3",
                                        "caml_ba_set_1", "caml_ba_set_2", "caml_ba_set_3"};
    const char *name = native_primitive_name(prim);
    for (uint32_t i = 0; i < 6; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *sets = i >= 3;
        return i % 3 + 1;
    }
    return 0;
}

bool native_bigarray(struct native_compiler *c, const struct vm_ir_row *row) {
    const struct vm_linked_prim *prim = &c->vm->prims[row->operands[1]];
    bool sets = false;
    uint32_t n = indices_of(prim, &sets);
    if (n == 0 || row->op == OP_C_CALLN || !native_need_kinds(c, prim, row->operands[0]))
        return false;
    native_write_frame(c);
    nv_register(c, c->now.a);
    nv_flush(c, c->now.depth);
    nv_unlock(c);
    struct access a = {.c = c, .stored = R_NONE, .block = nv_register(c, c->now.a)};
    if (sets) a.stored = nv_register(c, nv_top(c, n));
    a.element = nv_free_register(c);
    find_element(&a, n);
    access_element(&a);
    uint8_t *done = emit_jump_forward(&c->e);
    emit_link_here(&c->e, &a.refusals);
    struct native_late *late = native_add_late(c, emit_jump_forward(&c->e), LATE_CALL);
    emit_link(&c->e, done, emit_here(&c->e));
    late->state = nv_save(c);
    late->back = emit_here(&c->e);
    native_after_primitive(c, row, sets ? FACT_INT : 0);
    return true;
}
