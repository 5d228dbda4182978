/* references.c - see references.h.
 *
 * Every way through the function is followed once, with the references that are on the stack and
 * the one in A. A block that is used otherwise, that is there on one way to a row and not on
 * another, or that is never assigned to, is none. */
#include "vm/engine/native/references.h"

#include "gc/value.h"
#include "vm/base/os.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/flow.h"

#include <stdlib.h>

/* Before a row. */
struct state {
    uint32_t on_stack; /* a bit for each reference */
    uint8_t a;         /* the reference in A, + 1; 0: none */
    bool seen;
};
struct walk {
    struct native_compiler *c;
    struct state *states;
    uint32_t *pending, pending_count; /* rows */
    uint32_t made_at[MOST_REFERENCES];
    uint32_t others; /* blocks that are no references after all */
    uint32_t assigned;
};

static uint32_t bit_of_a(unsigned a) { return a == 0 ? 0 : (uint32_t)1 << (a - 1); }

/* Those of a set whose slots are `from` or above, less than `to`. */
static uint32_t in_slots(const struct walk *w, uint32_t set, uint32_t from, uint32_t to) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < w->c->reference_count && set >> k != 0; k++) {
        uint32_t slot = w->c->reference_slots[k];
        if (set >> k & 1 && slot >= from && slot < to) found |= (uint32_t)1 << k;
    }
    return found;
}

/* The reference in a slot, + 1. */
static uint8_t in_slot(const struct walk *w, uint32_t set, uint32_t slot) {
    uint32_t found = in_slots(w, set, slot, slot + 1);
    return found == 0 ? 0 : (uint8_t)(1 + __builtin_ctz(found));
}

static void visit(struct walk *w, uint32_t row, uint32_t on_stack, unsigned a) {
    struct state *s = &w->states[row];
    on_stack = in_slots(w, on_stack, 0, w->c->ir.rows[row].height);
    if (!w->c->rows[row].a_is_live) a = 0;
    if (s->seen) {
        w->others |= s->on_stack ^ on_stack;
        if (s->a != a) w->others |= bit_of_a(s->a) | bit_of_a(a);
        return;
    }
    *s = (struct state){on_stack, (uint8_t)a, true};
    w->pending[w->pending_count++] = row;
}

static bool pushes_a(unsigned long_op) {
    switch (long_op) {
    case OP_PUSH:
    case OP_PUSHACC:
    case OP_PUSHENVACC:
    case OP_PUSHOFFSETCLOSURE:
    case OP_PUSHGETGLOBAL:
    case OP_PUSHGETGLOBALFIELD:
    case OP_PUSHATOM:
    case OP_PUSHCONSTINT: return true;
    default: return false;
    }
}

static bool keeps_a(unsigned long_op) {
    switch (long_op) {
    case OP_POP:
    case OP_POPTRAP:
    case OP_PUSHTRAP:
    case OP_CHECK_SIGNALS:
    case OP_PUSH_RETADDR:
    case OP_BRANCH: return true;
    default: return false;
    }
}

/* Words from the top on that an instruction may read. */
static uint32_t words_read(const struct vm_ir_row *row) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    uint32_t n = row->operands[0];
    switch (info->long_op) {
    case OP_POP:
    case OP_RETURN: return 0;
    case OP_GETMETHOD:
    case OP_GETDYNMET: return 1;
    case OP_APPLY:
    case OP_APPTERM: return n;
    case OP_MAKEBLOCK:
    case OP_MAKEFLOATBLOCK:
    case OP_C_CALLN: return n - 1;
    case OP_CLOSURE: return n > 0 ? n - 1 : 0;
    case OP_CLOSUREREC: return row->operands[1] > 0 ? row->operands[1] - 1 : 0;
    default: break;
    }
    if (info->delta == OP_VARIES) return row->height;
    return info->delta < 0 ? (uint32_t)-info->delta : 0;
}

/* The instruction assigns to the reference in A, or uses it as one. */
static bool is_assignment(const struct vm_ir_row *row) {
    unsigned op = vm_opcodes[row->op].long_op;
    return op == OP_OFFSETREF || (op == OP_SETFIELD && row->operands[0] == 0);
}
static bool is_use(const struct vm_ir_row *row) {
    bool reads = vm_opcodes[row->op].long_op == OP_GETFIELD && row->operands[0] == 0;
    return reads || is_assignment(row);
}

/* The reference that is made at a row, + 1. */
static uint8_t made_at(const struct walk *w, uint32_t row) {
    for (uint32_t k = 0; k < w->c->reference_count; k++)
        if (w->made_at[k] == row) return (uint8_t)(k + 1);
    return 0;
}

/* What an instruction does with the state before it. */
static void execute(struct walk *w, uint32_t i, struct state *s) {
    const struct vm_ir_row *row = &w->c->ir.rows[i];
    unsigned op = vm_opcodes[row->op].long_op;
    uint32_t height = row->height, read = words_read(row);
    ASSERT(read <= height);
    w->others |= in_slots(w, s->on_stack, height - read, height);
    if (pushes_a(op)) {
        bool is_first = s->a != 0 && w->made_at[s->a - 1] + 1 == i;
        if (is_first) s->on_stack |= bit_of_a(s->a);
        else w->others |= bit_of_a(s->a);
        if (op == OP_PUSHACC) s->a = in_slot(w, s->on_stack, height - row->operands[0]);
        else if (op != OP_PUSH) s->a = 0;
    } else if (op == OP_ACC) {
        s->a = in_slot(w, s->on_stack, height - 1 - row->operands[0]);
    } else if (!keeps_a(op)) {
        if (op == OP_ASSIGN)
            w->others |= bit_of_a(in_slot(w, s->on_stack, height - 1 - row->operands[0]));
        if (!is_use(row)) w->others |= bit_of_a(s->a);
        else w->c->rows[i].reference = s->a;
        if (is_assignment(row)) w->assigned |= bit_of_a(s->a);
        s->a = row->op == OP_MAKEBLOCK1 ? made_at(w, i) : 0;
        if (s->a != 0) w->c->rows[i].reference = s->a;
    }
}

static void follow(struct walk *w, uint32_t i) {
    const struct vm_ir *ir = &w->c->ir;
    const struct vm_opcode_info *info = &vm_opcodes[ir->rows[i].op];
    struct state s = w->states[i];
    execute(w, i, &s);
    if (native_jumps(info)) {
        uint32_t n;
        const uint32_t *labels = vm_ir_labels(ir, &ir->rows[i], &n);
        for (uint32_t k = 0; k < n; k++)
            visit(w, labels[k], s.on_stack, info->label == 'l' ? s.a : 0);
    }
    if (!(info->flags & OP_ENDS)) visit(w, i + 1, s.on_stack, s.a);
}

static bool is_candidate(const struct native_compiler *c, uint32_t i) {
    const struct vm_ir_row *row = &c->ir.rows[i], *next = row + 1;
    return row->operands[1] == 0 && pushes_a(vm_opcodes[next->op].long_op) &&
           c->rows[i + 1].entries == 1 && !(next->flags & IR_HEAD);
}

/* Only of functions that assign to a field 0, in the form that ocamlc emits: most do not. */
static void find_candidates(struct walk *w) {
    struct native_compiler *c = w->c;
    uint32_t count = 0;
    bool assigns = false;
    for (uint32_t i = c->first; i < c->ir.count; i++) {
        unsigned op = c->ir.rows[i].op;
        assigns |= op == OP_SETFIELD0 || op == OP_OFFSETREF;
        if (op != OP_MAKEBLOCK1 || count == MOST_REFERENCES || !is_candidate(c, i)) continue;
        w->made_at[count] = i;
        c->reference_slots[count++] = (uint16_t)c->ir.rows[i + 1].height;
    }
    if (assigns) c->reference_count = count;
}

void native_find_references(struct native_compiler *c) {
    struct walk w = {.c = c};
    find_candidates(&w);
    if (c->reference_count == 0) return;
    w.states = native_scratch(c, c->ir.count * sizeof *w.states);
    w.pending = native_scratch(c, c->ir.count * sizeof *w.pending);
    visit(&w, c->first, 0, 0);
    while (w.pending_count > 0) follow(&w, w.pending[--w.pending_count]);
    uint32_t references = w.assigned & ~w.others;
    for (uint32_t i = 0; i < c->ir.count; i++) {
        struct native_row *row = &c->rows[i];
        row->references = w.states[i].on_stack & references;
        if (!(references & bit_of_a(row->reference))) row->reference = 0;
    }
    if (references == 0) c->reference_count = 0;
}
