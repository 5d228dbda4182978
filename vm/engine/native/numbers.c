/* numbers.c - see numbers.h. */
#include "vm/engine/native/numbers.h"

#include "vm/engine/native/allocation.h"
#include "vm/engine/native/facts.h"
#include "vm/state/alloc.h"

static const struct gc_custom_ops *operations_of(enum native_number number) {
    switch (number) {
    case NUMBER_INT32: return &vm_int32_ops;
    case NUMBER_INT64: return &vm_int64_ops;
    case NUMBER_NATIVEINT: return &vm_nativeint_ops;
    case NUMBER_DOUBLE: break;
    }
    return NULL;
}

unsigned native_number_fact(enum native_number number) {
    static const uint16_t facts[] = {[NUMBER_DOUBLE] = FACT_DOUBLE,
                                     [NUMBER_INT32] = FACT_INT32,
                                     [NUMBER_INT64] = FACT_INT64,
                                     [NUMBER_NATIVEINT] = FACT_NATIVEINT};
    return facts[number];
}

enum native_number native_number_of_fact(unsigned facts) {
    if (facts & FACT_INT32) return NUMBER_INT32;
    if (facts & FACT_INT64) return NUMBER_INT64;
    if (facts & FACT_NATIVEINT) return NUMBER_NATIVEINT;
    return NUMBER_DOUBLE;
}

/* A custom block's first field points to its operations, the second one holds the number. */
void native_load_number(struct emitter *e, int xmm, int reg, enum native_number number, int temp) {
    if (number == NUMBER_DOUBLE) {
        emit_float_load(e, xmm, at_base(reg, 0));
    } else if (number == NUMBER_INT32) {
        emit_load_signed_32(e, temp, at_base(reg, 8));
        emit_float_of_bits(e, xmm, temp);
    } else {
        emit_float_load(e, xmm, at_base(reg, 8));
    }
}

void native_box_number(struct native_compiler *c, uint16_t v, int reg) {
    int xmm = nv_at(c, v)->xmm;
    enum native_number number = (enum native_number)nv_at(c, v)->number;
    if (number == NUMBER_DOUBLE) {
        allocate_words(c, 1, TAG_DOUBLE);
        emit_float_store(&c->e, at_base(R_YOUNG, 8), xmm);
    } else {
        allocate_words(c, 2, TAG_CUSTOM);
        if (number == NUMBER_INT32) { /* as copy_int32 stores it */
            emit_bits_of_float(&c->e, reg, xmm);
            emit_shift(&c->e, SHIFT_LEFT, reg, 32);
            emit_shift(&c->e, SHIFT_RIGHT, reg, 32);
            emit_store(&c->e, at_base(R_YOUNG, 16), reg);
        } else {
            emit_float_store(&c->e, at_base(R_YOUNG, 16), xmm);
        }
        emit_constant(&c->e, reg, (int64_t)(uintptr_t)operations_of(number));
        emit_store(&c->e, at_base(R_YOUNG, 8), reg);
    }
    emit_address(&c->e, reg, at_base(R_YOUNG, 8));
}

static void guard_number(struct native_compiler *c, uint16_t v, enum native_number number) {
    if (number == NUMBER_DOUBLE) need_tag(c, v, TAG_DOUBLE, FACT_DOUBLE);
    else need_operations(c, v, operations_of(number));
}

/* Boxes v, a number of another type. Only a program that no compiler made needs it as this one. */
static void forget_other(struct native_compiler *c, uint16_t v) {
    struct native_value *p = nv_at(c, v);
    uint32_t locked = c->locked;
    nv_register(c, v);
    c->locked = locked;
    c->now.of_xmm[p->xmm] = NO_VALUE;
    p->xmm = R_NONE;
    p->facts &= (uint16_t)~FACT_NUMBERS;
    c->changes++;
}

int need_number(struct native_compiler *c, uint16_t v, enum native_number number) {
    struct native_value *p = nv_at(c, v);
    if (p->xmm != R_NONE && p->number != number) forget_other(c, v);
    if (p->xmm == R_NONE) {
        guard_number(c, v, number);
        int reg = nv_register(c, v), xmm = nv_free_xmm(c);
        native_load_number(&c->e, xmm, reg, number, R_TEMP);
        p->xmm = (int8_t)xmm;
        p->number = (uint8_t)number;
        c->now.of_xmm[xmm] = v;
    }
    c->locked_xmm |= 1u << p->xmm;
    return p->xmm;
}
