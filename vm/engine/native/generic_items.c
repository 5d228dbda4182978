/* generic_items.c - elements of arrays that may be of floats, which only the array's tag shows: in
 * late code they are boxed, or stored without their block. Nothing is learnt about the array. It
 * may be an object: the one that CamlinternalOO creates gets its table of methods so. */
#include "vm/engine/native/generic_items.h"

#include "gc/value.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/known.h"

/* The operands of the current row in registers: the element is the result. */
static struct native_place item_of(struct native_compiler *c, uint16_t array, uint16_t index) {
    need_block(c, array);
    need_int(c, index);
    int block = nv_register(c, array);
    return at_index(block, nv_register(c, index), 2, -4);
}

/* Compares the index, which is odd, with twice the size, plus 1 or not, in R_TEMP. */
static void compare_with_size(struct emitter *e, struct native_place item) {
    emit_load(e, R_TEMP, at_base(item.base, -8));
    emit_shift(e, SHIFT_RIGHT, R_TEMP, 9);
    emit_alu(e, ALU_COMPARE, item.index, R_TEMP);
}

/* Goes to late code, which continues after the current row or at late->again, if the array's tag
 * is `first` or above; in the array of another tag the index is then tested, from there on. */
static uint32_t test_array(struct native_compiler *c, struct native_place item, unsigned first,
                           unsigned kind) {
    /* No register is loaded here: late code may continue after the row. */
    uint16_t size = known_find(c, c->now.a, KNOWN_SIZE);
    int size_reg = size == NO_VALUE ? R_NONE : nv_at(c, size)->reg;
    uint32_t exit = native_describe_exit(c);
    native_force_exit(c, exit);
    emit_compare_byte(&c->e, at_base(item.base, -8), (uint8_t)first);
    struct native_late *late = native_add_late(c, emit_jump_if_forward(&c->e, C_ABOVE_EQUAL), kind);
    uint32_t number = (uint32_t)(late - c->late);
    late->exit = exit;
    late->place = item;
    late->again = emit_here(&c->e);
    if (size_reg != R_NONE) emit_alu(&c->e, ALU_COMPARE, item.index, size_reg);
    else compare_with_size(&c->e, item);
    need_below(c);
    return number;
}

void native_get_generic_item(struct native_compiler *c) {
    if (nv_at(c, c->now.a)->facts & FACT_FIELDS) {
        native_get_item(c);
        return;
    }
    struct native_place item = item_of(c, c->now.a, nv_top(c, 0));
    int reg = nv_free_register(c);
    uint32_t late = test_array(c, item, TAG_OBJECT + 1, LATE_FLOAT_ITEM);
    emit_load(&c->e, reg, item);
    c->late[late].reg = (uint8_t)reg;
    c->late[late].back = emit_here(&c->e);
    nv_pop_to_register(c, 1, reg, 0);
}

void native_set_generic_item(struct native_compiler *c) {
    uint16_t v = nv_top(c, 1);
    if (nv_is_constant(c, v) || nv_at(c, c->now.a)->facts & FACT_MUTABLE) {
        native_set_item(c);
        return;
    }
    int reg = nv_register(c, v); /* boxed */
    struct native_place item = item_of(c, c->now.a, nv_top(c, 0));
    uint32_t late = test_array(c, item, TAG_CLOSURE, LATE_SET_FLOAT_ITEM);
    native_store_at(c, item.base, item, v);
    c->late[late].reg = (uint8_t)reg;
    c->late[late].back = emit_here(&c->e);
    nv_pop_to_unit(c, 2);
}

/* ---- Late code. ---- */

static void need_floats(struct native_compiler *c, struct emit_sites *refusals,
                        struct native_place item) {
    emit_compare_byte(&c->e, at_base(item.base, -8), TAG_DOUBLE_ARRAY);
    emit_jump_if_later(&c->e, refusals, C_NOT_EQUAL);
    compare_with_size(&c->e, item);
    emit_jump_if_later(&c->e, refusals, C_ABOVE_EQUAL);
}

static void put_end(struct native_compiler *c, const struct emit_sites *refusals,
                    const struct native_late *late) {
    emit_jump(&c->e, late->back);
    emit_link_here(&c->e, refusals);
}

void native_put_float_item(struct native_compiler *c, const struct native_late *late) {
    struct emit_sites refusals = {.count = 0};
    need_floats(c, &refusals, late->place);
    emit_address(&c->e, R_TEMP, at_base(R_YOUNG, -16));
    emit_alu_load(&c->e, ALU_COMPARE, R_TEMP, DOMAIN(gc.young_limit));
    emit_jump_if_later(&c->e, &refusals, C_BELOW);
    emit_float_load(&c->e, X_TEMP, late->place);
    emit_move(&c->e, R_YOUNG, R_TEMP);
    emit_store_constant(&c->e, at_base(R_YOUNG, 0), (int32_t)make_header(1, TAG_DOUBLE, 0));
    emit_float_store(&c->e, at_base(R_YOUNG, 8), X_TEMP);
    emit_address(&c->e, late->reg, at_base(R_YOUNG, 8));
    put_end(c, &refusals, late);
}

void native_put_set_float_item(struct native_compiler *c, const struct native_late *late) {
    struct emit_sites refusals = {.count = 0};
    emit_compare_byte(&c->e, at_base(late->place.base, -8), TAG_OBJECT);
    emit_jump_if(&c->e, C_EQUAL, late->again);
    need_floats(c, &refusals, late->place);
    emit_test_byte(&c->e, late->reg, 1);
    emit_jump_if_later(&c->e, &refusals, C_NOT_EQUAL);
    emit_compare_byte(&c->e, at_base(late->reg, -8), TAG_DOUBLE);
    emit_jump_if_later(&c->e, &refusals, C_NOT_EQUAL);
    emit_float_load(&c->e, X_TEMP, at_base(late->reg, 0));
    emit_float_store(&c->e, late->place, X_TEMP);
    put_end(c, &refusals, late);
}
