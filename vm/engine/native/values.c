/* values.c - see values.h. */
#include "vm/engine/native/values.h"

#include "gc/value.h"
#include "vm/base/os.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/contents.h"
#include "vm/engine/native/known.h"
#include "vm/engine/native/numbers.h"

#include <stdlib.h>
#include <string.h>

static const int8_t value_registers[] = {R_A, R_ARG3, R_ARG2, R_ARG1, R_8, R_9, R_10, R_BP};
enum { VALUE_REGISTERS = sizeof value_registers };

struct native_value *nv_at(const struct native_compiler *c, uint16_t v) {
    ASSERT(v < c->now.used_values);
    return &c->now.values[v];
}

bool nv_is_constant(const struct native_compiler *c, uint16_t v) {
    return nv_at(c, v)->kind == VALUE_CONSTANT;
}

bool nv_small_constant(const struct native_compiler *c, uint16_t v, int64_t *k) {
    const struct native_value *p = nv_at(c, v);
    *k = p->k;
    return p->kind == VALUE_CONSTANT && fits_32(p->k - 1) && fits_32(p->k + 1);
}

struct native_place nv_place(const struct native_compiler *c, uint32_t slot) {
    return at_base(R_BASE, 8 * ((int32_t)c->now.base - 1 - (int32_t)slot));
}

/* ---- Values. Each is put into A or a slot before the next one is made. ---- */

static uint16_t new_value(struct native_compiler *c, unsigned kind) {
    struct native_values *s = &c->now;
    uint32_t v = s->first_free;
    while (v < s->used_values && s->values[v].refs != 0) v++;
    if (v == s->used_values) {
        ASSERT(s->used_values < c->value_capacity);
        s->used_values++;
    }
    s->first_free = v + 1;
    s->values[v] = (struct native_value){
        .home = -1, .reg = R_NONE, .xmm = R_NONE, .kind = (uint8_t)kind};
    return (uint16_t)v;
}

uint16_t nv_constant(struct native_compiler *c, int64_t k) {
    uint16_t v = new_value(c, VALUE_CONSTANT);
    c->now.values[v].k = k;
    if (k & 1) c->now.values[v].facts = FACT_INT;
    return v;
}

uint16_t nv_env(struct native_compiler *c) {
    if (c->now.env != NO_VALUE) return c->now.env;
    uint16_t v = new_value(c, VALUE_ENV);
    c->now.values[v].facts = FACT_BLOCK | FACT_CLOSURE;
    return v;
}

uint16_t nv_in_register(struct native_compiler *c, int reg, unsigned facts) {
    ASSERT(c->now.of_reg[reg] == NO_VALUE);
    uint16_t v = new_value(c, VALUE_PLAIN);
    c->now.values[v].reg = (int8_t)reg;
    c->now.values[v].facts = (uint16_t)facts;
    c->now.of_reg[reg] = v;
    c->changes++;
    return v;
}

uint16_t nv_in_xmm(struct native_compiler *c, int xmm, enum native_number number) {
    ASSERT(c->now.of_xmm[xmm] == NO_VALUE);
    uint16_t v = new_value(c, VALUE_PLAIN);
    c->now.values[v].xmm = (int8_t)xmm;
    c->now.values[v].maker = (struct native_maker){(uint16_t)c->body, (uint16_t)c->row};
    c->now.values[v].facts = (uint16_t)(FACT_BLOCK | native_number_fact(number));
    c->now.values[v].number = (uint8_t)number;
    c->now.of_xmm[xmm] = v;
    c->changes++;
    return v;
}

static void unref(struct native_compiler *c, uint16_t v) {
    struct native_value *p = &c->now.values[v];
    ASSERT(p->refs > 0);
    if (--p->refs > 0) return;
    if (p->reg != R_NONE) c->now.of_reg[p->reg] = NO_VALUE;
    if (p->xmm != R_NONE) c->now.of_xmm[p->xmm] = NO_VALUE;
    p->reg = p->xmm = R_NONE;
    if (v < c->now.first_free) c->now.first_free = v;
    if (c->now.known_count > 0) known_drop_about(c, v);
}

void nv_set_a(struct native_compiler *c, uint16_t v) {
    c->now.values[v].refs++;
    if (c->now.a != NO_VALUE) unref(c, c->now.a);
    c->now.a = v;
    c->changes++;
}

void nv_set_env(struct native_compiler *c, uint16_t v) {
    uint16_t old = c->now.env;
    if (v != NO_VALUE) c->now.values[v].refs++;
    c->now.env = v;
    if (old != NO_VALUE) unref(c, old);
    c->changes++;
}

void nv_hold(struct native_compiler *c, uint16_t v) { nv_at(c, v)->refs++; }

void nv_release(struct native_compiler *c, uint16_t v) { unref(c, v); }

void nv_push(struct native_compiler *c, uint16_t v) {
    struct native_values *s = &c->now;
    ASSERT(s->depth < c->max_depth);
    s->values[v].refs++;
    s->slots[s->depth++] = (struct native_slot){v, false};
    c->changes++;
}

void nv_set_content(struct native_compiler *c, uint32_t k, uint16_t v, bool written) {
    struct native_content *content = &c->now.contents[k];
    uint16_t old = content->v;
    if (v != NO_VALUE) c->now.values[v].refs++;
    *content = (struct native_content){v, written};
    if (old != NO_VALUE) unref(c, old);
    c->changes++;
}

/* Forgets that references contain v, where their blocks do. */
static void forget_written(struct native_compiler *c, uint16_t v) {
    for (uint32_t k = 0; k < c->reference_count; k++)
        if (c->now.contents[k].v == v && c->now.contents[k].written)
            nv_set_content(c, k, NO_VALUE, true);
}

/* Whether only machine code knows that a reference contains v. */
static bool is_unwritten(const struct native_compiler *c, uint16_t v) {
    for (uint32_t k = 0; k < c->reference_count; k++)
        if (c->now.contents[k].v == v && !c->now.contents[k].written) return true;
    return false;
}

uint16_t nv_top(const struct native_compiler *c, uint32_t k) {
    ASSERT(k < c->now.depth);
    return c->now.slots[c->now.depth - 1 - k].v;
}

/* Called before slot k is overwritten: if its value is still used, it gets another home or a
 * register. */
static void leave_home(struct native_compiler *c, uint32_t k) {
    struct native_values *s = &c->now;
    uint16_t v = s->slots[k].v;
    struct native_value *p = &s->values[v];
    if (p->home != (int16_t)k) return;
    p->home = -1;
    if (p->refs == 1) return;
    for (uint32_t i = 0; i < s->depth; i++) {
        if (i != k && s->slots[i].v == v && s->slots[i].in_memory) {
            p->home = (int16_t)i;
            return;
        }
    }
    if (p->kind != VALUE_PLAIN || p->reg != R_NONE || p->xmm != R_NONE) return;
    forget_written(c, v);
    known_drop(c, v);
    if (p->refs == 1) return;
    p->home = (int16_t)k; /* until it is loaded */
    nv_register(c, v);
    p->home = -1;
}

void nv_pop(struct native_compiler *c, uint32_t n) {
    struct native_values *s = &c->now;
    ASSERT(n <= s->depth);
    if (n == 0) return;
    for (; n > 0; n--) {
        uint32_t k = s->depth - 1;
        leave_home(c, k);
        s->depth--;
        unref(c, s->slots[k].v);
    }
    if (s->clean > s->depth) s->clean = s->depth;
    for (uint32_t k = 0; k < c->reference_count; k++)
        if (c->reference_slots[k] >= s->depth) nv_set_content(c, k, NO_VALUE, true);
    c->changes++;
}

void nv_pop_to_register(struct native_compiler *c, uint32_t n, int reg, unsigned facts) {
    nv_pop(c, n);
    nv_set_a(c, nv_in_register(c, reg, facts));
}

void nv_pop_to_xmm(struct native_compiler *c, uint32_t n, int xmm, enum native_number number) {
    nv_pop(c, n);
    nv_set_a(c, nv_in_xmm(c, xmm, number));
}

void nv_pop_to_unit(struct native_compiler *c, uint32_t n) {
    nv_pop(c, n);
    nv_set_a(c, nv_constant(c, VAL_UNIT));
}

void nv_assign(struct native_compiler *c, uint32_t slot, uint16_t v) {
    struct native_values *s = &c->now;
    uint16_t old = s->slots[slot].v;
    leave_home(c, slot);
    s->values[v].refs++;
    s->slots[slot] = (struct native_slot){v, false};
    if (s->clean > slot) s->clean = slot;
    unref(c, old);
    c->changes++;
}

/* ---- Registers. ---- */

void nv_unlock(struct native_compiler *c) { c->locked = c->locked_xmm = 0; }

static void lock(struct native_compiler *c, int reg) { c->locked |= 1u << reg; }

static int slot_not_written(const struct native_compiler *c, uint16_t v) {
    for (uint32_t i = c->now.clean; i < c->now.depth; i++)
        if (c->now.slots[i].v == v && !c->now.slots[i].in_memory) return (int)i;
    return -1;
}

static void wrote_slot(struct native_compiler *c, uint32_t i) {
    struct native_value *p = nv_at(c, c->now.slots[i].v);
    c->now.slots[i].in_memory = true;
    if (p->home < 0) p->home = (int16_t)i;
    c->changes++;
}

/* Whether a value is available without its register. */
static bool is_elsewhere(const struct native_value *p) {
    return p->kind == VALUE_CONSTANT || p->home >= 0 || p->xmm != R_NONE;
}

/* Makes the register free, unless its value is in A only. */
static bool evict(struct native_compiler *c, int reg) {
    forget_written(c, c->now.of_reg[reg]);
    if (c->now.of_reg[reg] == NO_VALUE) return true;
    known_drop(c, c->now.of_reg[reg]);
    if (c->now.of_reg[reg] == NO_VALUE) return true;
    struct native_value *p = nv_at(c, c->now.of_reg[reg]);
    if (!is_elsewhere(p)) {
        int slot = slot_not_written(c, c->now.of_reg[reg]);
        if (slot < 0) return false;
        emit_store(&c->e, nv_place(c, (uint32_t)slot), reg);
        wrote_slot(c, (uint32_t)slot);
    }
    p->reg = R_NONE;
    c->now.of_reg[reg] = NO_VALUE;
    c->changes++;
    return true;
}

int nv_free_register(struct native_compiler *c) {
    for (int i = 0; i < VALUE_REGISTERS; i++) {
        int reg = value_registers[i];
        if (c->now.of_reg[reg] != NO_VALUE || c->locked >> reg & 1) continue;
        lock(c, reg);
        return reg;
    }
    for (int i = VALUE_REGISTERS; i-- > 0;) {
        int reg = value_registers[i];
        if (c->locked >> reg & 1 || !known_only(c, c->now.of_reg[reg])) continue;
        known_drop(c, c->now.of_reg[reg]);
        lock(c, reg);
        return reg;
    }
    /* Prefers registers whose value needs no store. */
    for (int i = 2 * VALUE_REGISTERS; i-- > 0;) {
        int reg = value_registers[i % VALUE_REGISTERS];
        if (c->locked >> reg & 1) continue;
        if (i >= VALUE_REGISTERS && !is_elsewhere(nv_at(c, c->now.of_reg[reg]))) continue;
        if (!evict(c, reg)) continue;
        lock(c, reg);
        return reg;
    }
    c->failed = true;
    return R_BP;
}

void nv_take_register(struct native_compiler *c, int reg) {
    lock(c, reg);
    uint16_t v = c->now.of_reg[reg];
    if (v == NO_VALUE || evict(c, reg)) return;
    int other = nv_free_register(c);
    emit_move(&c->e, other, reg);
    nv_at(c, v)->reg = (int8_t)other;
    c->now.of_reg[other] = v;
    c->now.of_reg[reg] = NO_VALUE;
    c->changes++;
}

int nv_register(struct native_compiler *c, uint16_t v) {
    struct native_value *p = nv_at(c, v);
    if (p->kind == VALUE_ENV) return R_ENV;
    if (p->reg != R_NONE) {
        lock(c, p->reg);
        return p->reg;
    }
    int reg;
    if (p->kind == VALUE_CONSTANT) emit_constant(&c->e, reg = nv_free_register(c), p->k);
    else if (p->home >= 0)
        emit_load(&c->e, reg = nv_free_register(c), nv_place(c, (uint32_t)p->home));
    else if (p->xmm != R_NONE) {
        native_box_number(c, v, reg = nv_free_register(c));
        c->changes++; /* later exits of the row pass on this block, and box nothing */
    } else {
        ASSERT(c->failed); /* NV1 */
        return R_BP;
    }
    p->reg = (int8_t)reg;
    c->now.of_reg[reg] = v;
    return reg;
}

int nv_free_xmm(struct native_compiler *c) {
    for (int x = 0; x < X_VALUES; x++) {
        if (c->now.of_xmm[x] != NO_VALUE || c->locked_xmm >> x & 1) continue;
        c->locked_xmm |= 1u << x;
        return x;
    }
    for (int x = 0; x < X_VALUES; x++) {
        if (c->locked_xmm >> x & 1 || is_unwritten(c, c->now.of_xmm[x])) continue;
        struct native_value *p = nv_at(c, c->now.of_xmm[x]);
        uint32_t locked = c->locked;
        if (p->reg == R_NONE && p->home < 0) nv_register(c, c->now.of_xmm[x]);
        c->locked = locked;
        p->xmm = R_NONE;
        c->now.of_xmm[x] = NO_VALUE;
        c->locked_xmm |= 1u << x;
        c->changes++;
        return x;
    }
    c->failed = true;
    return 0;
}

void nv_copy_to(struct native_compiler *c, int reg, uint16_t v) {
    const struct native_value *p = nv_at(c, v);
    if (p->kind == VALUE_CONSTANT) emit_constant(&c->e, reg, p->k);
    else if (p->kind != VALUE_ENV && p->reg == R_NONE && p->home >= 0)
        emit_load(&c->e, reg, nv_place(c, (uint32_t)p->home));
    else emit_move(&c->e, reg, nv_register(c, v));
}

void nv_copy_untagged(struct native_compiler *c, int reg, uint16_t v) {
    nv_copy_to(c, reg, v);
    emit_untag(&c->e, reg);
}

/* ---- Between pieces of code. ---- */

void nv_flush_slot(struct native_compiler *c, uint32_t i) {
    struct native_values *s = &c->now;
    if (s->slots[i].in_memory) return;
    const struct native_value *p = nv_at(c, s->slots[i].v);
    uint32_t locked = c->locked;
    if (p->kind == VALUE_CONSTANT && fits_32(p->k))
        emit_store_constant(&c->e, nv_place(c, i), (int32_t)p->k);
    else {
        int reg = nv_register(c, s->slots[i].v);
        emit_store(&c->e, nv_place(c, i), reg);
    }
    c->locked = locked;
    wrote_slot(c, i);
}

void nv_flush(struct native_compiler *c, uint32_t n) {
    native_write_contents(c);
    for (uint32_t i = c->now.clean; i < n; i++) nv_flush_slot(c, i);
    if (c->now.clean < n) c->now.clean = n;
}

void nv_pin(struct native_compiler *c, uint32_t slot, int reg, unsigned facts, bool in_memory) {
    struct native_values *s = &c->now;
    uint16_t v = s->slots[slot].v;
    struct native_value *p = nv_at(c, v);
    if (facts & FACT_NUMBERS) {
        p->xmm = (int8_t)reg, s->of_xmm[reg] = v;
        p->number = (uint8_t)native_number_of_fact(facts);
    } else p->reg = (int8_t)reg, s->of_reg[reg] = v;
    p->facts = (uint16_t)facts;
    c->changes++;
    if (in_memory) return;
    p->home = -1;
    s->slots[slot].in_memory = false;
    if (s->clean > slot) s->clean = slot;
}

void nv_forget_facts(struct native_compiler *c) {
    known_drop_all(c);
    for (uint32_t v = 0; v < c->now.used_values; v++) {
        struct native_value *p = &c->now.values[v];
        p->facts = p->kind == VALUE_ENV ? FACT_BLOCK | FACT_CLOSURE : p->facts & FACT_INT;
        p->fields = 0;
    }
}

void nv_forget(struct native_compiler *c) {
    ASSERT(c->now.env == NO_VALUE);
    known_drop_all(c);
    for (int r = 0; r < R_COUNT; r++) {
        if (c->now.of_reg[r] != NO_VALUE) nv_at(c, c->now.of_reg[r])->reg = R_NONE;
        if (c->now.of_xmm[r] != NO_VALUE) nv_at(c, c->now.of_xmm[r])->xmm = R_NONE;
        c->now.of_reg[r] = c->now.of_xmm[r] = NO_VALUE;
    }
    for (uint32_t k = 0; k < c->reference_count; k++) {
        ASSERT(c->now.contents[k].v == NO_VALUE || c->now.contents[k].written);
        nv_set_content(c, k, NO_VALUE, true);
    }
    nv_forget_facts(c);
    c->changes++;
}

void nv_begin(struct native_compiler *c, uint32_t depth, uint32_t base, bool a_is_live) {
    struct native_values *s = &c->now;
    s->depth = s->used_values = s->known_count = 0;
    s->first_free = depth;
    s->a = s->env = NO_VALUE;
    for (uint32_t k = 0; k < c->reference_count; k++)
        s->contents[k] = (struct native_content){NO_VALUE, true};
    for (int r = 0; r < R_COUNT; r++) s->of_reg[r] = s->of_xmm[r] = NO_VALUE;
    for (uint32_t i = 0; i < depth; i++) {
        uint16_t v = (uint16_t)s->used_values++;
        s->values[v] = (struct native_value){
            .home = (int16_t)i, .reg = R_NONE, .xmm = R_NONE, .refs = 1};
        s->slots[i] = (struct native_slot){v, true};
    }
    s->depth = s->clean = depth;
    s->base = base;
    nv_set_a(c, a_is_live ? nv_in_register(c, R_A, 0) : nv_constant(c, VAL_UNIT));
    c->changes++;
}

void nv_set_base(struct native_compiler *c, uint32_t base) {
    int32_t words = (int32_t)c->now.base - (int32_t)base;
    emit_address(&c->e, R_BASE, at_base(R_BASE, 8 * words));
    c->now.base = base;
    c->changes++;
}

struct native_values *nv_save(struct native_compiler *c) {
    const struct native_values *s = &c->now;
    size_t slots = s->depth * sizeof *s->slots, values = s->used_values * sizeof *s->values;
    size_t head = (sizeof *s + slots + 7) & ~(size_t)7;
    struct native_values *saved = native_scratch(c, head + values);
    *saved = *s;
    saved->slots = (struct native_slot *)(saved + 1);
    saved->values = (struct native_value *)((char *)saved + head);
    memcpy(saved->slots, s->slots, slots);
    memcpy(saved->values, s->values, values);
    return saved;
}

void nv_restore(struct native_compiler *c, const struct native_values *saved) {
    struct native_values *s = &c->now;
    struct native_slot *slots = s->slots;
    struct native_value *values = s->values;
    memcpy(slots, saved->slots, saved->depth * sizeof *slots);
    memcpy(values, saved->values, saved->used_values * sizeof *values);
    *s = *saved;
    s->slots = slots;
    s->values = values;
    c->changes++;
}
