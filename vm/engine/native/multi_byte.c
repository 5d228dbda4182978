/* multi_byte.c - see multi_byte.h. */
#include "vm/engine/native/multi_byte.h"

#include "gc/value.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/numbers.h"
#include "vm/engine/native/primitive_calls.h"

#include <string.h>

bool native_find_multi_byte(const struct vm_linked_prim *prim, struct native_multi_byte *found) {
    static const struct {
        const char *name;
        struct native_multi_byte is;
    } primitives[] = {
        {"caml_string_get16", {false, 2, FACT_INT}},   {"caml_bytes_get16", {false, 2, FACT_INT}},
        {"caml_string_get32", {false, 4, FACT_INT32}}, {"caml_bytes_get32", {false, 4, FACT_INT32}},
        {"caml_string_get64", {false, 8, FACT_INT64}}, {"caml_bytes_get64", {false, 8, FACT_INT64}},
        {"caml_bytes_set16", {true, 2, FACT_INT}},     {"caml_bytes_set32", {true, 4, FACT_INT32}},
        {"caml_bytes_set64", {true, 8, FACT_INT64}},
    };
    const char *name = native_primitive_name(prim);
    for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; i++) {
        if (strcmp(name, primitives[i].name) != 0) continue;
        *found = primitives[i].is;
        return true;
    }
    return false;
}

/* Guards that a string has that many bytes from the index on; returns the first, at R_TEMP2. */
static struct native_place need_bytes(struct native_compiler *c, uint16_t v, uint16_t index,
                                      unsigned bytes) {
    need_string_byte(c, v, index);
    int length = nv_register(c, length_of_string(c, v));
    /* The index is below the length, so that of the last byte does not overflow. */
    emit_address(&c->e, R_TEMP, at_base(nv_register(c, index), 2 * ((int32_t)bytes - 1)));
    emit_alu(&c->e, ALU_COMPARE, R_TEMP, length);
    need_below(c);
    return at_index(nv_register(c, v), R_TEMP2, 0, 0);
}

static void get_integer(struct native_compiler *c, const struct native_multi_byte *which) {
    struct emitter *e = &c->e;
    struct native_place at = need_bytes(c, c->now.a, nv_top(c, 0), which->bytes);
    if (which->fact == FACT_INT) {
        int reg = nv_free_register(c);
        emit_load_16(e, reg, at);
        emit_tag(e, reg, reg);
        nv_pop_to_register(c, 1, reg, FACT_INT);
        return;
    }
    int xmm = nv_free_xmm(c);
    if (which->bytes == 4) {
        emit_load_signed_32(e, R_TEMP, at);
        emit_float_of_bits(e, xmm, R_TEMP);
    } else {
        emit_float_load(e, xmm, at);
    }
    nv_pop_to_xmm(c, 1, xmm, native_number_of_fact(which->fact));
}

static void set_integer(struct native_compiler *c, const struct native_multi_byte *which) {
    struct emitter *e = &c->e;
    uint16_t v = nv_top(c, 1);
    int xmm = R_NONE;
    if (which->fact == FACT_INT) need_int(c, v);
    else xmm = need_number(c, v, native_number_of_fact(which->fact));
    struct native_place at = need_bytes(c, c->now.a, nv_top(c, 0), which->bytes);
    if (which->fact == FACT_INT) {
        nv_copy_untagged(c, R_TEMP, v);
        emit_store_16(e, at, R_TEMP);
    } else if (which->bytes == 4) {
        emit_bits_of_float(e, R_TEMP, xmm);
        emit_store_32(e, at, R_TEMP);
    } else {
        emit_float_store(e, at, xmm);
    }
    nv_pop_to_unit(c, 2);
}

void native_multi_byte(struct native_compiler *c, const struct native_multi_byte *which) {
    if (which->sets) set_integer(c, which);
    else get_integer(c, which);
}
