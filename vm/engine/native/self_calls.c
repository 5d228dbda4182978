/* self_calls.c - see self_calls.h. */
#include "vm/engine/native/self_calls.h"

#include "vm/engine/native/callees.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/inlining.h"
#include "vm/engine/native/labels.h"
#include "vm/engine/native/loops.h"

/* All of them are in registers before any is stored. */
enum { MOST_SELF_ARGUMENTS = 6 };

/* ---- Which functions. ---- */

/* Whether the call at row i is one of the function itself, without a jump between the row that
 * loads the closure and the call. */
static bool calls_itself(const struct native_compiler *c, uint32_t i) {
    const struct vm_ir_row *row = &c->ir.rows[i];
    if (native_arguments_of_call(row) != c->takes || row->flags & IR_LEADER) return false;
    const struct vm_ir_row *before = &c->ir.rows[i - 1];
    unsigned op = vm_opcodes[before->op].long_op;
    return (op == OP_OFFSETCLOSURE || op == OP_PUSHOFFSETCLOSURE) && before->operands[0] == 0;
}

/* Whether only RESTART and GRAB precede the first row, which is an ordinary one. */
static bool has_plain_entry(const struct native_compiler *c) {
    const struct native_row *first = &c->rows[c->first];
    if (first->a_is_live || first->loop != 0 || first->cell != 0xffff) return false;
    if (c->ir.rows[c->first].flags & IR_HEAD) return false;
    for (uint32_t i = 0; i < c->first; i++)
        if (c->ir.rows[i].op != OP_RESTART && c->ir.rows[i].op != OP_GRAB) return false;
    return true;
}

void native_find_self_calls(struct native_compiler *c) {
    if (c->takes == 0 || c->takes > MOST_SELF_ARGUMENTS || !has_plain_entry(c)) return;
    for (uint32_t i = c->first + 1; i < c->ir.count; i++) {
        if (!calls_itself(c, i)) continue;
        c->has_self_entry = native_pin_arguments(c);
        if (c->has_self_entry) c->rows[c->first].entries = 2; /* a label */
        return;
    }
}

/* ---- The call. ---- */

static bool is_pinned(const struct native_loop *entry, uint32_t slot) {
    for (uint32_t i = 0; i < entry->count; i++)
        if (entry->pins[i].slot == slot) return true;
    return false;
}

/* Each argument is in a register then, or a constant. The guards are emitted in unchecked mode,
 * too: that an argument is an integer is a guess. */
static void need_arguments(struct native_compiler *c, const struct native_loop *entry,
                           const uint16_t *arguments) {
    bool checks = c->checks;
    c->checks = true;
    for (uint32_t i = 0; i < entry->count; i++)
        if (entry->pins[i].facts & FACT_INT) need_int(c, arguments[entry->pins[i].slot]);
    c->checks = checks;
    for (uint32_t s = 0; s < c->takes; s++)
        if (!nv_is_constant(c, arguments[s])) nv_register(c, arguments[s]);
}

/* Stores an argument that has no register at the entry, unless it is there already. */
static void store_argument(struct native_compiler *c, uint16_t v, uint32_t slot) {
    const struct native_slot *present = &c->now.slots[slot];
    if (slot < c->now.depth && present->v == v && present->in_memory) return;
    int64_t k;
    if (nv_small_constant(c, v, &k)) {
        emit_store_constant(&c->e, nv_place(c, slot), (int32_t)k);
        return;
    }
    nv_copy_to(c, R_TEMP2, v);
    emit_store(&c->e, nv_place(c, slot), R_TEMP2);
}

void native_call_itself(struct native_compiler *c, uint32_t to) {
    const struct native_loop *entry = native_loop_of(c, c->first);
    uint32_t n = c->takes;
    uint16_t arguments[MOST_SELF_ARGUMENTS];
    for (uint32_t s = 0; s < n; s++) arguments[s] = nv_top(c, n - 1 - s);
    need_arguments(c, entry, arguments);
    native_need_own_code(c);
    for (uint32_t s = 0; s < n; s++)
        if (!is_pinned(entry, s)) store_argument(c, arguments[s], to + s);
    if (to > c->now.depth - n) native_store_return_frame(c, c->now.depth - n);
    native_move_to_pins(c, entry, arguments);
    nv_set_base(c, to + n);
    emit_jump(&c->e, c->self_entry);
    c->reachable = false;
}

void native_spill_arguments(struct native_compiler *c) {
    const struct native_loop *entry = native_loop_of(c, c->first);
    for (uint32_t i = 0; i < entry->count; i++) {
        int32_t above = (int32_t)(c->takes - 1 - entry->pins[i].slot);
        emit_store(&c->e, at_base(R_BASE, 8 * above), entry->pins[i].reg);
    }
}
