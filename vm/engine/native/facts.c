/* facts.c - see facts.h. The conditions are those of vm/code/checks.h. */
#include "vm/engine/native/facts.h"

#include "gc/value.h"
#include "vm/engine/native/errors.h"
#include "vm/engine/native/known.h"

static bool knows(const struct native_compiler *c, uint16_t v, unsigned fact) {
    return !c->checks || (nv_at(c, v)->facts & fact) != 0;
}

static void learn(struct native_compiler *c, uint16_t v, unsigned facts) {
    nv_at(c, v)->facts |= (uint16_t)facts;
}

void learn_int(struct native_compiler *c, uint16_t v) { learn(c, v, FACT_INT); }

void learn_tag_below(struct native_compiler *c, uint16_t v, uint32_t n) {
    learn(c, v, FACT_BLOCK);
    if (n <= TAG_CLOSURE) learn(c, v, FACT_MUTABLE | FACT_FIELDS);
}

void need_int(struct native_compiler *c, uint16_t v) {
    if (knows(c, v, FACT_INT)) return;
    emit_test_byte(&c->e, nv_register(c, v), 1);
    native_exit_if(c, C_EQUAL);
    learn(c, v, FACT_INT);
}

void need_block(struct native_compiler *c, uint16_t v) {
    if (knows(c, v, FACT_BLOCK)) return;
    emit_test_byte(&c->e, nv_register(c, v), 1);
    native_exit_if(c, C_NOT_EQUAL);
    learn(c, v, FACT_BLOCK);
}

/* loaded: the block's header is in R_TEMP. */
static void compare_tag(struct native_compiler *c, int block, uint8_t tag, bool loaded) {
    if (loaded) emit_alu_byte_constant(&c->e, ALU_COMPARE, R_TEMP, (int8_t)tag);
    else emit_compare_byte(&c->e, at_base(block, -8), tag);
}

/* Whether the latest test of v's size can become stricter instead of another test. */
static bool can_be_stricter(const struct native_compiler *c, const struct native_value *p) {
    return p->kind == VALUE_PLAIN && p->fields > 0 && p->size_test.site != 0 &&
           p->size_test.block == c->block;
}

/* The test of a size becomes stricter if its block of instructions needs more fields: the exit is
 * then taken a little earlier. */
static void need_index(struct native_compiler *c, uint16_t v, uint32_t i, bool loaded) {
    struct native_value *p = nv_at(c, v);
    if (!c->checks || p->fields > i) return;
    if (i >= UINT16_MAX) { /* the header does not fit */
        native_exit_always(c);
        return;
    }
    uint32_t fields = i + 1;
    int32_t smallest = (int32_t)(fields << 10);
    if (can_be_stricter(c, p)) {
        emit_replace_constant(&c->e, c->e.start + p->size_test.site, smallest);
    } else {
        if (loaded) emit_alu_constant(&c->e, ALU_COMPARE, R_TEMP, smallest);
        else emit_compare_memory(&c->e, at_base(nv_register(c, v), -8), smallest);
        if (p->kind == VALUE_PLAIN)
            p->size_test = (struct native_size_test){(uint32_t)(emit_here(&c->e) - c->e.start),
                                                     c->block};
        native_exit_if(c, C_BELOW);
    }
    p->fields = (uint16_t)fields;
}

/* Before the test of block v's tag, unless the fact is known, and of its size: if it does both,
 * loads the header once, since a comparison of a register and its jump are one operation of the
 * CPU, and returns true. */
static bool load_header(struct native_compiler *c, uint16_t v, uint32_t i, unsigned fact) {
    const struct native_value *p = nv_at(c, v);
    if (knows(c, v, fact) || p->fields > i || i >= UINT16_MAX || can_be_stricter(c, p))
        return false;
    emit_load(&c->e, R_TEMP, at_base(nv_register(c, v), -8));
    return true;
}

static void need_fields_of_block(struct native_compiler *c, uint16_t v, bool loaded) {
    if (knows(c, v, FACT_FIELDS)) return;
    compare_tag(c, nv_register(c, v), TAG_OBJECT, loaded);
    native_exit_if(c, C_ABOVE);
    learn(c, v, FACT_FIELDS);
}

/* The tag, compared already, is right if the condition does not hold, or if it is `other`. */
static void or_other_tag(struct native_compiler *c, enum native_condition wrong, int reg,
                         unsigned other) {
    uint32_t exit = native_describe_exit(c);
    native_force_exit(c, exit);
    struct native_late *late = native_add_late(c, emit_jump_if_forward(&c->e, wrong), LATE_TAG);
    late->exit = exit;
    late->reg = (uint8_t)reg;
    late->tag = (uint8_t)other;
    late->back = emit_here(&c->e);
}

static void need_mutable_block(struct native_compiler *c, uint16_t v, bool loaded) {
    if (knows(c, v, FACT_MUTABLE)) return;
    int reg = nv_register(c, v);
    compare_tag(c, reg, TAG_CLOSURE, loaded);
    or_other_tag(c, C_ABOVE_EQUAL, reg, TAG_OBJECT);
    learn(c, v, FACT_MUTABLE | FACT_FIELDS);
}

/* A block with one field or more may be what a lazy value became. */
static void need_first_field_of_block(struct native_compiler *c, uint16_t v, bool loaded) {
    if (knows(c, v, FACT_FIELDS)) return;
    int reg = nv_register(c, v);
    compare_tag(c, reg, TAG_OBJECT, loaded);
    or_other_tag(c, C_ABOVE, reg, TAG_FORWARD);
    learn(c, v, FACT_FIELDS);
}

void need_fields_tag(struct native_compiler *c, uint16_t v) {
    need_block(c, v);
    need_fields_of_block(c, v, false);
}

void need_mutable_tag(struct native_compiler *c, uint16_t v) {
    need_block(c, v);
    need_mutable_block(c, v, false);
}

void need_field(struct native_compiler *c, uint16_t v, uint32_t i) {
    need_block(c, v);
    bool loaded = load_header(c, v, i, FACT_FIELDS);
    if (i == 0) need_first_field_of_block(c, v, loaded);
    else need_fields_of_block(c, v, loaded);
    need_index(c, v, i, loaded);
}

void need_mutable_field(struct native_compiler *c, uint16_t v, uint32_t i) {
    need_block(c, v);
    bool loaded = load_header(c, v, i, FACT_MUTABLE);
    need_mutable_block(c, v, loaded);
    need_index(c, v, i, loaded);
}

/* Twice the block's size, plus 1 or not, which makes no difference to an odd number: all tagged
 * indices of its fields are below. */
static int bound_of_block(struct native_compiler *c, uint16_t v) {
    uint16_t bound = known_find(c, v, KNOWN_SIZE);
    if (bound == NO_VALUE) bound = known_find(c, v, KNOWN_BOUND);
    if (bound != NO_VALUE) return nv_register(c, bound);
    int block = nv_register(c, v), reg = nv_free_register(c);
    emit_load(&c->e, reg, at_base(block, -8));
    emit_shift(&c->e, SHIFT_RIGHT, reg, 9);
    known_add(c, v, KNOWN_BOUND, nv_in_register(c, reg, FACT_INT));
    return reg;
}

/* As VECTLENGTH gives it. */
uint16_t size_of_block(struct native_compiler *c, uint16_t v) {
    uint16_t size = known_find(c, v, KNOWN_SIZE);
    if (size != NO_VALUE) return size;
    int block = nv_register(c, v), reg = nv_free_register(c);
    emit_load(&c->e, reg, at_base(block, -8));
    emit_shift(&c->e, SHIFT_RIGHT, reg, 9);
    emit_alu_constant(&c->e, ALU_OR, reg, 1);
    size = nv_in_register(c, reg, FACT_INT);
    known_add(c, v, KNOWN_SIZE, size);
    return size;
}

uint16_t length_of_string(struct native_compiler *c, uint16_t v) {
    uint16_t length = known_find(c, v, KNOWN_LENGTH);
    if (length != NO_VALUE) return length;
    int block = nv_register(c, v), reg = nv_free_register(c);
    emit_load(&c->e, reg, at_base(block, -8));
    emit_shift(&c->e, SHIFT_RIGHT, reg, 10);
    emit_load_byte(&c->e, R_TEMP, at_index(block, reg, 3, -1));
    emit_shift(&c->e, SHIFT_LEFT, reg, 3);
    emit_alu(&c->e, ALU_SUB, reg, R_TEMP); /* the length plus 1 */
    emit_address(&c->e, reg, at_index(reg, reg, 0, -1));
    length = nv_in_register(c, reg, FACT_INT);
    known_add(c, v, KNOWN_LENGTH, length);
    return length;
}

/* Whether an index is a constant that a block can have. */
static bool is_small_constant(const struct native_compiler *c, uint16_t index) {
    const struct native_value *p = nv_at(c, index);
    return p->kind == VALUE_CONSTANT && p->facts & FACT_INT && p->k >= 1 && p->k < 2 * UINT16_MAX;
}

void need_below(struct native_compiler *c) {
    if (c->raises_bound_errors) native_raise_if(c, C_ABOVE_EQUAL, ERROR_BOUND);
    else native_exit_if(c, C_ABOVE_EQUAL);
}

static struct native_place item(struct native_compiler *c, uint16_t v, uint16_t index) {
    if (is_small_constant(c, index)) {
        uint32_t i = (uint32_t)(nv_at(c, index)->k >> 1);
        need_index(c, v, i, false);
        return at_base(nv_register(c, v), (int32_t)(8 * i));
    }
    need_int(c, index);
    int block = nv_register(c, v), at = nv_register(c, index);
    if (c->checks) {
        emit_alu(&c->e, ALU_COMPARE, at, bound_of_block(c, v));
        need_below(c);
    }
    return at_index(block, at, 2, -4);
}

struct native_place need_item(struct native_compiler *c, uint16_t v, uint16_t index, bool mutable) {
    if (mutable) need_mutable_tag(c, v);
    else need_fields_tag(c, v);
    return item(c, v, index);
}

void need_closure(struct native_compiler *c, uint16_t v) {
    if (knows(c, v, FACT_CLOSURE)) return;
    need_block(c, v);
    int reg = nv_register(c, v);
    emit_compare_byte(&c->e, at_base(reg, -8), TAG_CLOSURE);
    or_other_tag(c, C_NOT_EQUAL, reg, TAG_INFIX);
    learn(c, v, FACT_CLOSURE);
}

void need_tag(struct native_compiler *c, uint16_t v, unsigned tag, unsigned fact) {
    need_block(c, v);
    if (knows(c, v, fact)) return;
    emit_compare_byte(&c->e, at_base(nv_register(c, v), -8), (uint8_t)tag);
    native_exit_if(c, C_NOT_EQUAL);
    learn(c, v, fact);
}

void need_double_field(struct native_compiler *c, uint16_t v, uint32_t i) {
    need_tag(c, v, TAG_DOUBLE_ARRAY, FACT_DOUBLES);
    need_index(c, v, i, false);
}

struct native_place need_double_item(struct native_compiler *c, uint16_t v, uint16_t index) {
    need_tag(c, v, TAG_DOUBLE_ARRAY, FACT_DOUBLES);
    return item(c, v, index);
}

void need_string_byte(struct native_compiler *c, uint16_t v, uint16_t index) {
    need_tag(c, v, TAG_STRING, FACT_STRING);
    need_int(c, index);
    int at = nv_register(c, index);
    if (c->checks) {
        emit_alu(&c->e, ALU_COMPARE, at, nv_register(c, length_of_string(c, v)));
        need_below(c);
    }
    emit_move(&c->e, R_TEMP2, at);
    emit_untag(&c->e, R_TEMP2);
}

void need_operations(struct native_compiler *c, uint16_t v, const struct gc_custom_ops *ops) {
    need_tag(c, v, TAG_CUSTOM, 0);
    emit_constant(&c->e, R_TEMP, (int64_t)(uintptr_t)ops);
    emit_alu_load(&c->e, ALU_COMPARE, R_TEMP, at_base(nv_register(c, v), 0));
    native_exit_if(c, C_NOT_EQUAL);
}

void need_field_of_register(struct native_compiler *c, int reg, uint32_t i) {
    if (!c->checks) return;
    emit_test_byte(&c->e, reg, 1);
    native_exit_if(c, C_NOT_EQUAL);
    emit_load(&c->e, R_TEMP, at_base(reg, -8));
    compare_tag(c, reg, TAG_OBJECT, true);
    native_exit_if(c, C_ABOVE);
    if (i >= UINT16_MAX) {
        native_exit_always(c);
        return;
    }
    emit_alu_constant(&c->e, ALU_COMPARE, R_TEMP, (int32_t)((i + 1) << 10));
    native_exit_if(c, C_BELOW);
}
