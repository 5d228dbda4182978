/* contents.c - see contents.h. The tests of blocks are not needed: the slot holds the reference. */
#include "vm/engine/native/contents.h"

#include "gc/value.h"
#include "vm/engine/native/allocation.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/loops.h"
#include "vm/engine/native/numbers.h"

/* A register that holds reference k. */
static int block_of(struct native_compiler *c, uint32_t k) {
    return nv_register(c, c->now.slots[c->reference_slots[k]].v);
}

uint16_t native_content(struct native_compiler *c, uint32_t k) {
    if (c->now.contents[k].v == NO_VALUE) {
        int block = block_of(c, k), reg = nv_free_register(c);
        emit_load(&c->e, reg, at_base(block, 0));
        nv_set_content(c, k, nv_in_register(c, reg, 0), true);
    }
    return c->now.contents[k].v;
}

void native_write_content(struct native_compiler *c, uint32_t k) {
    struct native_content *content = &c->now.contents[k];
    if (content->v == NO_VALUE || content->written) return;
    uint32_t locked = c->locked;
    native_store(c, block_of(c, k), 0, content->v);
    nv_set_content(c, k, content->v, true);
    c->locked = locked;
}

void native_write_contents(struct native_compiler *c) {
    for (uint32_t k = 0; k < c->reference_count; k++) native_write_content(c, k);
}

/* The pin of the content in the loop of the current row, or NULL. */
static const struct native_pin *pin_of(const struct native_compiler *c, uint32_t k) {
    const struct native_loop *loop = native_loop_of(c, c->row);
    for (uint32_t i = 0; loop != NULL && i < loop->count; i++)
        if (loop->pins[i].reference == k + 1) return &loop->pins[i];
    return NULL;
}

/* The test, also in unchecked mode: only the compiler expects a number. */
static void expect_number(struct native_compiler *c, uint16_t v, enum native_number number) {
    bool checks = c->checks;
    c->checks = true;
    need_number(c, v, number);
    c->checks = checks;
}

static void set(struct native_compiler *c, uint32_t k) {
    uint16_t v = nv_top(c, 0);
    const struct native_pin *pin = pin_of(c, k);
    if (pin == NULL) {
        if (!nv_is_constant(c, v)) nv_register(c, v); /* boxed before the store */
        native_store(c, block_of(c, k), 0, v);
    } else if (pin->facts & FACT_NUMBERS) {
        expect_number(c, v, native_number_of_fact(pin->facts));
    }
    nv_set_content(c, k, v, pin == NULL);
    nv_pop_to_unit(c, 1);
}

static void offset(struct native_compiler *c, uint32_t k, int32_t n) {
    int64_t twice = 2 * (int64_t)n;
    if (!fits_32(twice)) {
        native_leave(c);
        return;
    }
    uint16_t v = native_content(c, k);
    need_int(c, v);
    int from = nv_register(c, v), reg = nv_free_register(c);
    emit_address(&c->e, reg, at_base(from, (int32_t)twice));
    nv_set_content(c, k, nv_in_register(c, reg, FACT_INT), false);
    if (pin_of(c, k) == NULL) native_write_content(c, k);
    nv_set_a(c, nv_constant(c, VAL_UNIT));
}

/* The block will be in the slot after the next instruction, its content is known already. */
static void make(struct native_compiler *c, uint32_t k) {
    nv_set_content(c, k, c->now.a, true);
    allocate_block(c, 1, 0);
}

void native_reference(struct native_compiler *c, const struct vm_ir_row *row, uint32_t k) {
    switch (vm_opcodes[row->op].long_op) {
    case OP_GETFIELD: nv_set_a(c, native_content(c, k)); break;
    case OP_SETFIELD: set(c, k); break;
    case OP_OFFSETREF: offset(c, k, (int32_t)row->operands[0]); break;
    default: make(c, k); break;
    }
}
