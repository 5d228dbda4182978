/* labels.c - see labels.h. */
#include "vm/engine/native/labels.h"

#include "gc/value.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/contents.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/loops.h"
#include "vm/engine/native/numbers.h"

/* ---- Moves that happen at once. ---- */

struct move {
    int to, from;
};
enum { MOST_MOVES = 1 + MOST_REGISTER_PINS + MOST_NUMBER_PINS };

static bool is_source(const struct move *moves, uint32_t n, int reg) {
    for (uint32_t i = 0; i < n; i++)
        if (moves[i].from == reg) return true;
    return false;
}

static void move_registers(struct emitter *e, struct move *moves, uint32_t n, bool floats) {
    void (*emit)(struct emitter *, int, int) = floats ? emit_float_move : emit_move;
    const int temp = floats ? X_TEMP : R_TEMP;
    while (n > 0) {
        uint32_t i = 0;
        while (i < n && moves[i].from != moves[i].to && is_source(moves, n, moves[i].to)) i++;
        if (i == n) { /* all of them are in cycles */
            int from = moves[0].from;
            emit(e, temp, from);
            for (uint32_t k = 0; k < n; k++)
                if (moves[k].from == from) moves[k].from = temp;
            continue;
        }
        emit(e, moves[i].to, moves[i].from);
        moves[i] = moves[--n];
    }
}

/* ---- To a label. ---- */

static bool is_number(const struct native_pin *pin) { return pin->facts & FACT_NUMBERS; }

/* Whether the pin's slot or reference exists at the current row, which is in the pin's loop. */
static bool is_there(const struct native_compiler *c, const struct native_pin *pin) {
    if (pin->reference == 0) return pin->slot < c->now.depth;
    return c->rows[c->row].references >> (pin->reference - 1) & 1;
}

static uint16_t pinned(const struct native_compiler *c, const struct native_pin *pin) {
    if (pin->reference == 0) return c->now.slots[pin->slot].v;
    return c->now.contents[pin->reference - 1].v;
}

/* Whether a slot, or a content, is not in memory at the loop's labels. */
static bool is_in_register_only(const struct native_loop *loop, uint32_t slot, uint32_t reference) {
    for (uint32_t i = 0; loop != NULL && i < loop->count; i++) {
        const struct native_pin *pin = &loop->pins[i];
        if (pin->slot == slot && pin->reference == reference && pin->assigned) return true;
    }
    return false;
}

/* Writes the contents that are not in registers at the labels of the loop. */
static void write_contents(struct native_compiler *c, const struct native_loop *loop) {
    for (uint32_t k = 0; k < c->reference_count; k++) {
        if (!is_in_register_only(loop, c->reference_slots[k], k + 1)) native_write_content(c, k);
        c->locked = 0;
    }
}

static void box_if_number(struct native_compiler *c, uint16_t v) {
    const struct native_value *p = nv_at(c, v);
    if (p->xmm != R_NONE && p->home < 0) nv_register(c, v);
}

/* The content becomes a value that the block need not hold: the loop keeps it in a register. */
static void load_content(struct native_compiler *c, uint32_t k) {
    nv_set_content(c, k, native_content(c, k), false);
}

/* The guards, also in unchecked mode: the kinds of the values are guesses. Numbers' xmm registers
 * stay locked. */
static void test_pins(struct native_compiler *c, const struct native_loop *loop) {
    bool checks = c->checks;
    c->checks = true;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct native_pin *pin = &loop->pins[i];
        if (!is_there(c, pin)) continue;
        if (pin->reference != 0) load_content(c, pin->reference - 1);
        uint16_t v = pinned(c, pin);
        if (is_number(pin)) need_number(c, v, native_number_of_fact(pin->facts));
        else if (pin->facts & FACT_INT) need_int(c, v);
        else if (pin->facts & FACT_STRING) need_tag(c, v, TAG_STRING, FACT_STRING);
        else if (pin->facts & FACT_DOUBLES) need_tag(c, v, TAG_DOUBLE_ARRAY, FACT_DOUBLES);
        else if (pin->facts & FACT_MUTABLE) need_mutable_tag(c, v);
        else if (pin->facts & FACT_FIELDS) need_fields_tag(c, v);
        else box_if_number(c, v);
        c->locked = 0;
    }
    c->checks = checks;
}

/* Loads a value that is not in a register, and is no number, into one. */
static void load(struct native_compiler *c, int reg, const struct native_value *p) {
    if (p->kind == VALUE_CONSTANT) emit_constant(&c->e, reg, p->k);
    else if (p->kind == VALUE_ENV) emit_move(&c->e, reg, R_ENV);
    else if (p->home >= 0) emit_load(&c->e, reg, nv_place(c, (uint32_t)p->home));
    else c->failed = true; /* registers were short */
}

/* A value, other than a number, in the register that it is to have. */
struct wanted {
    int to;
    const struct native_value *p;
};

static void move_wanted(struct native_compiler *c, const struct wanted *wanted, uint32_t n) {
    struct move moves[MOST_MOVES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (wanted[i].p->reg != R_NONE)
            moves[count++] = (struct move){wanted[i].to, wanted[i].p->reg};
    move_registers(&c->e, moves, count, false);
    for (uint32_t i = 0; i < n; i++)
        if (wanted[i].p->reg == R_NONE) load(c, wanted[i].to, wanted[i].p);
}

void native_move_to_pins(struct native_compiler *c, const struct native_loop *loop,
                         const uint16_t *values) {
    struct wanted wanted[MOST_MOVES];
    for (uint32_t i = 0; i < loop->count; i++) {
        ASSERT(!is_number(&loop->pins[i]) && loop->pins[i].reference == 0);
        wanted[i] = (struct wanted){loop->pins[i].reg, nv_at(c, values[loop->pins[i].slot])};
    }
    move_wanted(c, wanted, loop->count);
}

static void move_values(struct native_compiler *c, const struct native_loop *loop, bool a_is_live) {
    struct wanted wanted[MOST_MOVES];
    struct move floats[MOST_MOVES];
    uint32_t n = 0, float_count = 0;
    if (a_is_live) wanted[n].to = R_A, wanted[n++].p = nv_at(c, c->now.a);
    for (uint32_t i = 0; loop != NULL && i < loop->count; i++) {
        const struct native_pin *pin = &loop->pins[i];
        if (!is_there(c, pin)) continue;
        const struct native_value *p = nv_at(c, pinned(c, pin));
        if (is_number(pin)) floats[float_count++] = (struct move){pin->reg, p->xmm};
        else wanted[n].to = pin->reg, wanted[n++].p = p;
    }
    move_registers(&c->e, floats, float_count, true);
    move_wanted(c, wanted, n);
}

void native_adapt(struct native_compiler *c, uint32_t row) {
    const struct native_loop *loop = native_loop_of(c, row);
    uint32_t before = c->row;
    bool a_is_live = c->rows[row].a_is_live;
    c->row = row;
    nv_unlock(c);
    ASSERT(c->now.depth == c->ir.rows[row].height); /* IR2 */
    write_contents(c, loop);
    if (loop != NULL) test_pins(c, loop);
    if (a_is_live) box_if_number(c, c->now.a);
    for (uint32_t i = c->now.clean; i < c->now.depth; i++) {
        if (!is_in_register_only(loop, i, 0)) nv_flush_slot(c, i);
        c->locked = 0;
    }
    move_values(c, loop, a_is_live);
    nv_unlock(c);
    nv_set_base(c, c->takes);
    c->row = before;
}

static void pin_content(struct native_compiler *c, const struct native_pin *pin, unsigned facts) {
    uint16_t v = is_number(pin) ? nv_in_xmm(c, pin->reg, native_number_of_fact(facts))
                                : nv_in_register(c, pin->reg, facts);
    nv_set_content(c, pin->reference - 1, v, false);
}

void native_begin_label(struct native_compiler *c, uint32_t row) {
    const struct native_loop *loop = native_loop_of(c, row);
    nv_begin(c, c->ir.rows[row].height, c->takes, c->rows[row].a_is_live);
    for (uint32_t i = 0; loop != NULL && i < loop->count; i++) {
        const struct native_pin *pin = &loop->pins[i];
        if (!is_there(c, pin)) continue;
        unsigned facts = pin->facts & FACT_INT ? FACT_INT
                         : pin->facts != 0     ? pin->facts | FACT_BLOCK
                                               : 0;
        if (pin->reference == 0) nv_pin(c, pin->slot, pin->reg, facts, !pin->assigned);
        else pin_content(c, pin, facts);
        if (is_number(pin))
            nv_at(c, pinned(c, pin))->maker = (struct native_maker){0, (uint16_t)pin->made};
    }
}
