/* inlining.c - see inlining.h. */
#include "vm/engine/native/inlining.h"

#include "vm/engine/native/callees.h"

#include "gc/value.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/kinds.h"
#include "vm/code/opcodes.h"
#include "vm/engine/native/contents.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/flow.h"
#include "vm/engine/native/integers.h"
#include "vm/engine/native/known.h"
#include "vm/engine/native/multi_byte.h"
#include "vm/engine/native/numbers.h"
#include "vm/engine/native/primitive_calls.h"
#include "vm/engine/prepare.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BODIES = 24,
    MOST_INLINED_ROWS = 32,  /* of a function */
    MOST_INLINED_WORDS = 32, /* of its frame and return frame */
    MOST_DECODED_WORDS = 80, /* of its decoded code: a first test of its size */
    MOST_INLINED_ARGUMENTS = 6,
};

/* ---- Which calls. ---- */

static bool is_tail_call(const struct vm_ir_row *row) {
    return row->op != OP_APPLY && vm_opcodes[row->op].flags & OP_ENDS;
}

/* Instructions whose machine code neither calls OCaml nor is left to the loop. */
static const uint8_t simple[] = {OP_RETURN,
                                 OP_ACC,
                                 OP_PUSH,
                                 OP_PUSHACC,
                                 OP_POP,
                                 OP_ASSIGN,
                                 OP_ENVACC,
                                 OP_PUSHENVACC,
                                 OP_OFFSETCLOSURE,
                                 OP_PUSHOFFSETCLOSURE,
                                 OP_GETGLOBAL,
                                 OP_PUSHGETGLOBAL,
                                 OP_GETGLOBALFIELD,
                                 OP_PUSHGETGLOBALFIELD,
                                 OP_ATOM,
                                 OP_PUSHATOM,
                                 OP_CONSTINT,
                                 OP_PUSHCONSTINT,
                                 OP_GETFIELD,
                                 OP_SETFIELD,
                                 OP_GETFLOATFIELD,
                                 OP_SETFLOATFIELD,
                                 OP_VECTLENGTH,
                                 OP_GETVECTITEM,
                                 OP_SETVECTITEM,
                                 OP_GETBYTESCHAR,
                                 OP_GETSTRINGCHAR,
                                 OP_SETBYTESCHAR,
                                 OP_OFFSETREF,
                                 OP_MAKEBLOCK,
                                 OP_MAKEFLOATBLOCK,
                                 OP_CLOSURE,
                                 OP_GETMETHOD,
                                 OP_GETPUBMET,
                                 OP_ADDINT,
                                 OP_SUBINT,
                                 OP_MULINT,
                                 OP_DIVINT,
                                 OP_MODINT,
                                 OP_ANDINT,
                                 OP_ORINT,
                                 OP_XORINT,
                                 OP_LSLINT,
                                 OP_LSRINT,
                                 OP_ASRINT,
                                 OP_NEGINT,
                                 OP_BOOLNOT,
                                 OP_OFFSETINT,
                                 OP_ISINT,
                                 OP_EQ,
                                 OP_NEQ,
                                 OP_LTINT,
                                 OP_LEINT,
                                 OP_GTINT,
                                 OP_GEINT,
                                 OP_ULTINT,
                                 OP_UGEINT,
                                 OP_BRANCH,
                                 OP_BRANCHIF,
                                 OP_BRANCHIFNOT,
                                 OP_SWITCH,
                                 OP_BEQ,
                                 OP_BNEQ,
                                 OP_BLTINT,
                                 OP_BLEINT,
                                 OP_BGTINT,
                                 OP_BGEINT,
                                 OP_BULTINT,
                                 OP_BUGEINT,
                                 OP_RESTART,
                                 OP_GRAB};

/* Whether machine code computes the primitive without a call. */
static bool is_computed(const struct vm_linked_prim *prim) {
    struct native_integer integer;
    struct native_multi_byte multi_byte;
    return prim->inlined != 0 || native_find_integer(prim, &integer) ||
           native_find_multi_byte(prim, &multi_byte);
}

static bool is_simple(const struct native_compiler *c, struct native_body *b,
                      const struct vm_ir_row *row) {
    if (vm_opcodes[row->op].flags & OP_PRIMITIVE) {
        const struct vm_linked_prim *prim = &c->vm->prims[row->operands[1]];
        if (row->op == OP_C_CALLN || prim->function == NULL) return false;
        b->polls |= !is_computed(prim) && !native_primitive_is_light(prim);
        return true;
    }
    return memchr(simple, vm_opcodes[row->op].long_op, sizeof simple) != NULL;
}

/* Whether all rows are simple and have one predecessor, except RETURNs, and the last is one. */
static bool is_simple_body(struct native_compiler *c, struct native_body *b) {
    const struct vm_ir *ir = &b->ir;
    if (ir->loops || ir->count > MOST_INLINED_ROWS) return false;
    for (uint32_t i = 0; i < ir->count; i++) {
        bool before = ir->rows[i].op == OP_RESTART || ir->rows[i].op == OP_GRAB;
        if (i < b->first && !before) return false;
        if (!is_simple(c, b, &ir->rows[i])) return false;
    }
    b->rows = native_scratch(c, ir->count * sizeof *b->rows);
    native_flow(ir, b->rows, b->first);
    for (uint32_t i = 0; i < ir->count; i++) {
        bool is_return = ir->rows[i].op == OP_RETURN, merges = b->rows[i].entries > 1;
        if (merges && !is_return) return false;
        if (is_return && (merges || i + 1 < ir->count)) b->joins = true;
    }
    return ir->rows[ir->count - 1].op == OP_RETURN;
}

/* Functions that cannot be inlined are remembered. */
static bool is_known_refused(const struct vm_native *n, uint32_t function) {
    return function < n->refusal_count && n->refusals[function];
}

static void note_refused(struct vm_native *n, uint32_t function) {
    if (function >= n->refusal_count) {
        uint32_t count = 2 * function + 64;
        n->refusals = vm_must(realloc(n->refusals, count));
        memset(n->refusals + n->refusal_count, 0, count - n->refusal_count);
        n->refusal_count = count;
    }
    n->refusals[function] = 1;
}

static void set_up_rows(struct native_compiler *c, struct native_body *b) {
    uint32_t offsets[MOST_INLINED_ROWS];
    vm_row_offsets(c->vm, b->function, &b->ir, offsets);
    for (size_t i = 0; i < b->ir.count; i++) {
        b->rows[i].decoded = offsets[i];
        b->rows[i].cell = 0xffff;
        b->ir.rows[i].height += b->below;
    }
}

/* The callee as the body of the call at row i; false: it cannot be inlined. */
static bool make_body(struct native_compiler *c, struct native_body *b,
                      const struct native_callee *callee, uint32_t i) {
    struct vm *vm = c->vm;
    const struct vm_ir_row *call = &c->ir.rows[i];
    uint32_t n = native_arguments_of_call(call);
    b->index = callee->index;
    b->function = &vm->functions[b->index];
    if (vm->decoded_area->capacity - vm->decoded_area->used < 2 * MOST_DECODED_WORDS) return false;
    if (b->function->decoded == 0) return false; /* not called yet, perhaps never verified */
    const struct vm_decoded *decoded = &vm->decoded_area->decoded.items[b->function->decoded - 1];
    if (decoded->word_count > MOST_DECODED_WORDS ||
        b->function->frame_bytes / 8 + 3 > MOST_INLINED_WORDS)
        return false;
    b->words = decoded->words;
    b->code = vm->codes[b->function->fragment];
    uint32_t entry = vm_find_entry(b->code->verifier, b->function->pc);
    b->takes = n;
    if (is_known_refused(c->native, b->index)) return false;
    vm_ir_make(&b->ir, b->code, entry);
    while (b->ir.rows[b->first].pc != b->function->pc) b->first++;
    if (b->ir.rows[b->first].op == OP_GRAB) b->first++;
    if (!is_simple_body(c, b)) {
        note_refused(c->native, b->index);
        return false;
    }
    b->call = i;
    b->is_tail_call = is_tail_call(call);
    bool pushes_frame = !b->is_tail_call && call->op != OP_APPLY;
    b->below = b->is_tail_call ? 0 : call->height - n + (pushes_frame ? 3 : 0);
    set_up_rows(c, b);
    return true;
}

static struct native_body *add_body(struct native_compiler *c) {
    c->bodies = vm_must(realloc(c->bodies, (c->body_count + 1) * sizeof *c->bodies));
    c->bodies[c->body_count] = (struct native_body){0};
    return &c->bodies[c->body_count++];
}

static void remove_last_body(struct native_compiler *c) {
    vm_ir_free(&c->bodies[--c->body_count].ir);
}

void native_find_inlined(struct native_compiler *c) {
    *add_body(c) = (struct native_body){.function = c->function,
                                        .code = c->code,
                                        .index = c->index,
                                        .takes = c->takes,
                                        .first = c->first,
                                        .ir = c->ir,
                                        .words = c->words,
                                        .rows = c->rows};
    uint32_t own = (uint32_t)(c->function->frame_bytes / 8), most = own;
    for (uint32_t i = 1; i < c->ir.count && c->body_count < MOST_BODIES; i++) {
        const struct vm_ir_row *row = &c->ir.rows[i];
        if (c->rows[i].callee == 0 || native_arguments_of_call(row) > MOST_INLINED_ARGUMENTS)
            continue;
        if (!is_tail_call(row) && (i + 1 == c->ir.count || c->rows[i + 1].entries > 1)) continue;
        struct native_body *b = add_body(c);
        if (!make_body(c, b, native_callee_of(c, i), i)) {
            remove_last_body(c);
            continue;
        }
        c->rows[i].inlined = (uint8_t)(c->body_count - 1);
        uint32_t words = b->below + (uint32_t)(b->function->frame_bytes / 8);
        if (words > most) most = words;
    }
    c->more_words = most - own;
}

void native_free_bodies(struct native_compiler *c) {
    while (c->body_count > 0) remove_last_body(c);
    free(c->bodies);
}

void native_enter_body(struct native_compiler *c, uint32_t body) {
    const struct native_body *b = &c->bodies[body];
    c->body = body;
    c->function = b->function;
    c->code = b->code;
    c->index = b->index;
    c->takes = b->takes;
    c->first = b->first;
    c->ir = b->ir;
    c->words = b->words;
    c->rows = b->rows;
    c->changes++;
}

/* ---- The call. ---- */

/* Whether the return frame that PUSH_RETADDR pushed is still known, and leads to the next row. */
static bool knows_return_frame(const struct native_compiler *c, uint32_t n) {
    if (c->now.depth < n + 3) return false;
    const struct native_value *to = nv_at(c, nv_top(c, n)), *env = nv_at(c, nv_top(c, n + 1));
    return to->kind == VALUE_CONSTANT && env->kind == VALUE_ENV &&
           c->ir.rows[c->row + 1].flags & IR_RETURNS &&
           to->k == (int64_t)native_cell(c, c->row + 1);
}

/* The callee's frame: its arguments are the slots above b->below. */
static void push_frame(struct native_compiler *c, const struct native_body *b, uint32_t n) {
    uint16_t arguments[MOST_INLINED_ARGUMENTS];
    for (uint32_t k = 0; k < n; k++) nv_hold(c, arguments[k] = nv_top(c, k));
    uint32_t kept = b->is_tail_call ? 0 : c->now.depth - n;
    nv_pop(c, c->now.depth - kept);
    if (!b->is_tail_call) {
        nv_push(c, nv_constant(c, val_of_int(0)));
        nv_push(c, nv_env(c));
        nv_push(c, nv_constant(c, (int64_t)native_cell(c, c->row + 1)));
    }
    for (uint32_t k = n; k-- > 0;) {
        nv_push(c, arguments[k]);
        nv_release(c, arguments[k]);
    }
}

/* Makes A a value that no slot holds: the body may return another one elsewhere. */
static void make_result_distinct(struct native_compiler *c) {
    uint16_t v = c->now.a;
    struct native_value *p = nv_at(c, v);
    nv_unlock(c);
    if (!c->rows[c->row].a_is_live) {
        nv_set_a(c, nv_constant(c, VAL_UNIT));
        return;
    }
    if (p->xmm != R_NONE && p->reg == R_NONE && p->home < 0) {
        if (p->refs == 1) return;
        int x = nv_free_xmm(c);
        emit_float_move(&c->e, x, nv_at(c, v)->xmm);
        nv_set_a(c, nv_in_xmm(c, x, (enum native_number)p->number));
        return;
    }
    if (p->kind == VALUE_PLAIN && p->refs == 1 && p->reg != R_NONE) return;
    if (p->kind == VALUE_PLAIN) nv_register(c, v);
    unsigned facts = nv_at(c, v)->facts & FACT_INT;
    int reg = nv_free_register(c);
    nv_copy_to(c, reg, v);
    nv_set_a(c, nv_in_register(c, reg, facts));
}

static void forget_finding(struct native_compiler *c, uint16_t v, const struct native_value *was) {
    struct native_value *p = nv_at(c, v);
    if (p->kind != VALUE_PLAIN) return;
    if (!(was->facts & FACT_INT)) p->facts &= (uint16_t)~FACT_INT;
    if (p->xmm == R_NONE || (was->xmm != R_NONE && was->number == p->number)) return;
    if (p->reg == R_NONE && p->home < 0) nv_register(c, v);
    nv_unlock(c);
    c->now.of_xmm[p->xmm] = NO_VALUE;
    p->xmm = R_NONE;
}

/* Forgets what the inlined function has found out about the caller's values, which does not hold
 * after a call of another one. */
static void forget_findings(struct native_compiler *c, const struct native_values *before) {
    nv_forget_facts(c);
    for (uint32_t i = 0; i < c->now.depth; i++)
        forget_finding(c, c->now.slots[i].v, &before->values[before->slots[i].v]);
    for (uint32_t k = 0; k < c->reference_count; k++)
        if (c->now.contents[k].v != NO_VALUE)
            forget_finding(c, c->now.contents[k].v, &before->values[before->contents[k].v]);
}

bool native_inline(struct native_compiler *c, uint32_t n, bool is_tail) {
    uint32_t body = c->rows[c->row].inlined, call = c->row;
    if (c->body != 0 || c->calls_other || body == 0) return false;
    const struct native_body *b = &c->bodies[body];
    ASSERT(b->takes == n && b->is_tail_call == is_tail);
    bool pushed = c->ir.rows[call].op == OP_APPLY;
    if (pushed && !knows_return_frame(c, n)) return false;
    if (b->polls) native_poll(c); /* the C code may have waited for a signal */
    const struct native_values *before = native_guard_callee(c);
    uint16_t closure = c->now.a;
    nv_hold(c, closure);
    if (!pushed) push_frame(c, b, n);
    nv_set_env(c, closure);
    nv_release(c, closure);
    c->returned = false;
    native_enter_body(c, body);
    native_put_rows(c);
    native_enter_body(c, 0);
    c->row = call;
    if (is_tail) return true;
    if (b->joins || !c->returned) {
        c->rows[call + 1].entries = 2;
        return true;
    }
    c->reachable = true;
    c->row = call + 1; /* what allocates now exits there */
    known_drop_all(c);
    make_result_distinct(c);
    forget_findings(c, before);
    c->rows[call + 1].follows_inlined = true;
    return true;
}

/* A becomes a value in a register if it is R_ENV. */
static void move_a_from_env(struct native_compiler *c) {
    if (nv_at(c, c->now.a)->kind != VALUE_ENV) return;
    int reg = nv_free_register(c);
    emit_move(&c->e, reg, R_ENV);
    nv_set_a(c, nv_in_register(c, reg, FACT_BLOCK | FACT_CLOSURE));
}

void native_write_frame(struct native_compiler *c) {
    if (c->now.env == NO_VALUE) return;
    known_drop_all(c); /* R_ENV changes */
    move_a_from_env(c);
    nv_flush(c, c->now.depth);
    for (uint32_t k = 0; k < c->reference_count; k++) nv_set_content(c, k, NO_VALUE, true);
    for (uint32_t i = 0; i < c->now.depth; i++) {
        struct native_value *p = nv_at(c, c->now.slots[i].v);
        if (p->kind == VALUE_ENV) p->kind = VALUE_PLAIN;
        ASSERT(p->kind == VALUE_CONSTANT || p->home >= 0);
    }
    emit_move(&c->e, R_ENV, nv_register(c, c->now.env));
    nv_set_env(c, NO_VALUE);
}

void native_return_inlined(struct native_compiler *c) {
    uint32_t body = c->body;
    const struct native_body *b = &c->bodies[body];
    uint32_t height = c->bodies[0].ir.rows[b->call + 1].height;
    if (c->now.env == NO_VALUE) { /* native_write_frame */
        move_a_from_env(c);
        emit_load(&c->e, R_ENV, nv_place(c, b->below - 2));
    }
    nv_pop(c, c->now.depth - height);
    nv_set_env(c, NO_VALUE);
    /* A number's block, if it is ever needed, is allocated by the call. */
    nv_at(c, c->now.a)->maker = (struct native_maker){0, (uint16_t)b->call};
    if (b->joins) {
        native_enter_body(c, 0);
        c->row = b->call;
        c->rows[b->call + 1].entries = 2;
        native_jump(c, b->call + 1);
        native_enter_body(c, body);
    }
    c->reachable = false;
}

/* ---- Out of line. ---- */

/* Loads the value of a state, other than A's, from its slot, or from the block whose content it
 * is: the call has written both. */
static void load_written(struct native_compiler *c, int reg, const struct native_values *s,
                         uint16_t v) {
    for (uint32_t i = 0; i < s->depth; i++) {
        if (s->slots[i].v != v) continue;
        emit_load(&c->e, reg, nv_place(c, i));
        return;
    }
    uint32_t k = 0;
    while (s->contents[k].v != v) k++;
    ASSERT(k < c->reference_count);
    emit_load(&c->e, reg, nv_place(c, c->reference_slots[k]));
    emit_load(&c->e, reg, at_base(reg, 0));
}

static enum native_number number_in(const struct native_values *s, uint16_t v) {
    return (enum native_number)s->values[v].number;
}

/* Guards that A has the facts of p, the value that the code after the call expects in A. */
static void need_result(struct native_compiler *c, const struct native_value *p) {
    bool checks = c->checks;
    if (p->facts & FACT_INT) need_int(c, c->now.a);
    c->checks = true; /* also in unchecked mode: only this code expects a number */
    if (p->xmm != R_NONE) need_number(c, c->now.a, (enum native_number)p->number);
    c->checks = checks;
}

void native_put_late_return(struct native_compiler *c, const struct native_late *late) {
    const struct native_values *want = late->state;
    uint32_t row = c->row = late->row, height = c->ir.rows[row].height;
    bool live = c->rows[row].a_is_live;
    c->cells[CELL_WORDS * (size_t)c->rows[row].cell] = (uintptr_t)runs_at(&c->e, emit_here(&c->e));
    nv_begin(c, height, height, live);
    nv_unlock(c);
    const struct native_value *a = &want->values[want->a];
    if (live) {
        need_result(c, a);
        nv_copy_to(c, R_TEMP, c->now.a);
    }
    for (int r = 0; r < R_COUNT; r++) {
        if (want->of_reg[r] == NO_VALUE || want->of_reg[r] == want->a) continue;
        load_written(c, r, want, want->of_reg[r]);
    }
    for (int x = 0; x < X_COUNT; x++) {
        if (want->of_xmm[x] == NO_VALUE || want->of_xmm[x] == want->a) continue;
        load_written(c, R_TEMP2, want, want->of_xmm[x]);
        native_load_number(&c->e, x, R_TEMP2, number_in(want, want->of_xmm[x]), R_TEMP2);
    }
    if (live && a->reg != R_NONE) emit_move(&c->e, a->reg, R_TEMP);
    if (live && a->xmm != R_NONE)
        native_load_number(&c->e, a->xmm, R_TEMP, (enum native_number)a->number, R_TEMP);
    nv_set_base(c, want->base);
    emit_jump(&c->e, late->back);
}
