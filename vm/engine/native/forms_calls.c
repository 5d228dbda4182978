/* forms_calls.c - calls, returns, handlers, polls.
 *
 * A call compares the number of arguments with the arity in the closure's row of the table of
 * entries; if they differ, its last jump goes elsewhere (arity.c). */
#include "gc/value.h"
#include "vm/engine/native/callees.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/errors.h"
#include "vm/engine/native/contents.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/inlining.h"
#include "vm/engine/native/loops.h"
#include "vm/engine/native/self_calls.h"

/* A, which is called with n arguments, is this very function. */
static bool calls_itself(const struct native_compiler *c, uint32_t n) {
    return nv_at(c, c->now.a)->kind == VALUE_ENV && c->takes == n;
}

void native_need_own_code(struct native_compiler *c) {
    if (!c->native->replaces_code) return;
    emit_compare_memory(&c->e, at_base(R_ENV, 0), (int32_t)(2 * c->index + 1));
    native_exit_if(c, C_NOT_EQUAL);
}

/* What a call calls, once its guards have been made. */
struct target {
    enum { CALLS_ITSELF, CALLS_EXPECTED, CALLS_CODE, CALLS_RARELY } kind;
    int closure; /* its register. CALLS_CODE: its code is in R_TEMP */
};

/* Guards that A is a closure. */
static struct target need_callee(struct native_compiler *c, uint32_t n) {
    if (calls_itself(c, n)) {
        native_need_own_code(c);
        return (struct target){CALLS_ITSELF, R_NONE};
    }
    if (native_expect_callee(c)) return (struct target){CALLS_EXPECTED, nv_register(c, c->now.a)};
    need_closure(c, c->now.a);
    native_force_exit(c, native_describe_exit(c));
    int closure = nv_register(c, c->now.a);
    if (c->calls_other) return (struct target){CALLS_RARELY, closure};
    emit_load(&c->e, R_TEMP, at_base(closure, 0));
    return (struct target){CALLS_CODE, closure};
}

/* R_BASE becomes sp: `height` words are on the stack; then to the callee, with n arguments. */
static void enter(struct native_compiler *c, struct target callee, uint32_t height, uint32_t n) {
    nv_set_base(c, height);
    c->reachable = false;
    if (callee.kind != CALLS_ITSELF) emit_move(&c->e, R_ENV, callee.closure);
    switch (callee.kind) {
    case CALLS_ITSELF: emit_jump(&c->e, c->entry); break;
    case CALLS_EXPECTED: native_enter_expected(c, n); break;
    case CALLS_CODE:
        emit_compare_memory_32(&c->e, native_entry_of_code(R_TEMP, ENTRY_TAKES), (int32_t)n);
        emit_jump_if(&c->e, C_NOT_EQUAL, c->native->stubs.other_arity[n] - c->e.run_offset);
        emit_jump_memory(&c->e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
        break;
    case CALLS_RARELY: emit_jump(&c->e, c->native->stubs.calls[n] - c->e.run_offset); break;
    }
}

/* Loads n arguments, from the top on, and returns their registers; R_NONE for a small constant. */
static void load_arguments(struct native_compiler *c, uint32_t n, int *regs) {
    for (uint32_t k = 0; k < n; k++) {
        const struct native_value *p = nv_at(c, nv_top(c, k));
        bool constant = p->kind == VALUE_CONSTANT && fits_32(p->k);
        regs[k] = constant ? R_NONE : nv_register(c, nv_top(c, k));
    }
}

static void store_argument(struct native_compiler *c, uint32_t k, int reg, uint32_t slot) {
    if (reg != R_NONE) emit_store(&c->e, nv_place(c, slot), reg);
    else emit_store_constant(&c->e, nv_place(c, slot), (int32_t)nv_at(c, nv_top(c, k))->k);
}

enum { MOST_LOADED = 6 };

void native_store_return_frame(struct native_compiler *c, uint32_t slot) {
    int64_t cell = (int64_t)native_cell(c, c->row + 1);
    if (fits_32(cell)) {
        emit_store_constant(&c->e, nv_place(c, slot + 2), (int32_t)cell);
    } else {
        emit_constant(&c->e, R_TEMP2, cell);
        emit_store(&c->e, nv_place(c, slot + 2), R_TEMP2);
    }
    emit_store(&c->e, nv_place(c, slot + 1), R_ENV);
    emit_store_constant(&c->e, nv_place(c, slot), (int32_t)val_of_int(0));
}

/* Whether A, which is called with n arguments, is this function, which has an entry for that. */
static bool enters_itself(const struct native_compiler *c, uint32_t n) {
    return c->has_self_entry && calls_itself(c, n);
}

/* APPLY1 to APPLY3: the return frame goes below the arguments. */
static void apply(struct native_compiler *c, uint32_t n) {
    if (native_inline(c, n, false)) return;
    uint32_t h = c->now.depth;
    int regs[MOST_LOADED];
    c->called_before = c->row + 1;
    nv_flush(c, h - n);
    if (enters_itself(c, n)) {
        native_call_itself(c, h - n + 3);
        return;
    }
    load_arguments(c, n, regs);
    struct target callee = need_callee(c, n);
    for (uint32_t k = 0; k < n; k++) store_argument(c, k, regs[k], h + 2 - k);
    native_store_return_frame(c, h - n);
    enter(c, callee, h + 3, n);
}

/* APPLY: the return frame was pushed before the arguments. */
static void apply_pushed(struct native_compiler *c, uint32_t n) {
    if (native_inline(c, n, false)) return;
    if (n > MOST_ARGUMENTS) {
        native_leave(c);
        return;
    }
    if (enters_itself(c, n)) {
        nv_flush(c, c->now.depth - n);
        native_call_itself(c, c->now.depth - n);
        return;
    }
    nv_flush(c, c->now.depth);
    struct target callee = need_callee(c, n);
    enter(c, callee, c->now.depth, n);
}

/* More arguments than registers: they are moved in memory. */
static void tail_call_of_many(struct native_compiler *c, uint32_t n) {
    uint32_t from = c->now.depth - n;
    nv_flush(c, c->now.depth);
    struct target callee = need_callee(c, n);
    for (uint32_t i = 0; i < n && from > 0; i++) {
        emit_load(&c->e, R_TEMP2, nv_place(c, from + i));
        emit_store(&c->e, nv_place(c, i), R_TEMP2);
    }
    enter(c, callee, n, n);
}

static void tail_call(struct native_compiler *c, uint32_t n) {
    if (native_inline(c, n, true)) return;
    int regs[MOST_LOADED];
    if (n > MOST_ARGUMENTS) {
        native_leave(c);
        return;
    }
    if (n > MOST_LOADED) {
        tail_call_of_many(c, n);
        return;
    }
    if (n > MOST_LOADED - MOST_CONTENT_PINS) native_write_contents(c);
    if (enters_itself(c, n)) {
        native_call_itself(c, 0);
        return;
    }
    load_arguments(c, n, regs);
    struct target callee = need_callee(c, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t to = n - 1 - k;
        const struct native_slot *slot = &c->now.slots[to];
        if (!(slot->v == nv_top(c, k) && slot->in_memory)) store_argument(c, k, regs[k], to);
    }
    enter(c, callee, n, n);
}

void native_emit_resume(struct emitter *e, const struct vm_native *n) {
    emit_compare_memory_32(e, at_base(R_TEMP, 0), (int32_t)n->return_body);
    emit_jump_if(e, C_NOT_EQUAL, n->stubs.leave - e->run_offset);
    emit_jump_memory(e, at_base(R_TEMP, -16));
}

static void resume(struct native_compiler *c) {
    native_emit_resume(&c->e, c->native);
    c->reachable = false;
}

static void return_form(struct native_compiler *c) {
    c->returned = true;
    if (c->body != 0 && !c->bodies[c->body].is_tail_call) {
        native_return_inlined(c);
        return;
    }
    int32_t frame = 8 * (int32_t)c->now.base;
    if (nv_at(c, c->now.a)->reg != R_A) nv_copy_to(c, R_A, c->now.a);
    emit_load(&c->e, R_TEMP, at_base(R_BASE, frame));
    emit_load(&c->e, R_ENV, at_base(R_BASE, frame + 8));
    emit_address(&c->e, R_BASE, at_base(R_BASE, frame + 24));
    resume(c);
}

static void push_return_frame(struct native_compiler *c, uint32_t label) {
    nv_push(c, nv_constant(c, val_of_int(0)));
    nv_push(c, nv_env(c));
    nv_push(c, nv_constant(c, (int64_t)native_cell(c, label)));
}

/* ---- Handlers (S3). ---- */

static void push_trap(struct native_compiler *c, uint32_t handler) {
    int link = nv_free_register(c);
    emit_load(&c->e, link, DOMAIN(stack.trap));
    emit_tag(&c->e, link, link);
    nv_push(c, nv_constant(c, val_of_int(0)));
    nv_push(c, nv_env(c));
    nv_push(c, nv_in_register(c, link, FACT_INT));
    nv_push(c, nv_constant(c, (int64_t)native_cell(c, handler)));
    emit_address(&c->e, R_TEMP, nv_place(c, c->now.depth - 1));
    emit_load(&c->e, R_TEMP2, DOMAIN(stack.high));
    emit_alu(&c->e, ALU_SUB, R_TEMP2, R_TEMP);
    emit_shift(&c->e, SHIFT_RIGHT, R_TEMP2, 3);
    emit_store(&c->e, DOMAIN(stack.trap), R_TEMP2);
}

void native_poll(struct native_compiler *c) {
    emit_compare_byte(&c->e, DOMAIN(gc.action_requested), 0);
    native_exit_if(c, C_NOT_EQUAL);
}

static void pop_trap(struct native_compiler *c) {
    native_poll(c);
    nv_copy_untagged(c, R_TEMP, nv_top(c, 1));
    emit_store(&c->e, DOMAIN(stack.trap), R_TEMP);
    nv_pop(c, 4);
}

void native_emit_to_handler(struct emitter *e, const struct vm_native *n) {
    emit_load(e, R_TEMP, at_base(R_TEMP2, 8));
    emit_untag(e, R_TEMP);
    emit_store(e, DOMAIN(stack.trap), R_TEMP);
    emit_load(e, R_TEMP, at_base(R_TEMP2, 0));
    emit_load(e, R_ENV, at_base(R_TEMP2, 16));
    emit_address(e, R_BASE, at_base(R_TEMP2, 32));
    native_emit_resume(e, n);
}

/* Jumps to the innermost handler of this run of the loop; backtraces and watermarks are left to the
 * loop. */
static void raise(struct native_compiler *c, bool traced) {
    struct emitter *e = &c->e;
    nv_flush(c, c->now.depth);
    int exn = nv_register(c, c->now.a);
    if (traced) {
        emit_compare_byte(e, DOMAIN(backtrace_active), 0);
        native_exit_if(c, C_NOT_EQUAL);
    }
    emit_load(e, R_TEMP, DOMAIN(stack.trap));
    emit_alu_constant(e, ALU_COMPARE, R_TEMP, 0);
    native_raise_if(c, C_EQUAL, ERROR_RAISED);
    emit_shift(e, SHIFT_LEFT, R_TEMP, 3);
    emit_load(e, R_TEMP2, DOMAIN(stack.high));
    emit_alu(e, ALU_SUB, R_TEMP2, R_TEMP);
    emit_alu_load(e, ALU_COMPARE, R_TEMP2, DOMAIN(stack.lowest_watermark));
    native_exit_if(c, C_ABOVE);
    emit_move(e, R_A, exn);
    native_emit_to_handler(e, c->native);
    c->reachable = false;
}

bool native_call(struct native_compiler *c, const struct vm_ir_row *row) {
    switch (row->op) {
    case OP_APPLY1: apply(c, 1); return true;
    case OP_APPLY2: apply(c, 2); return true;
    case OP_APPLY3: apply(c, 3); return true;
    case OP_APPLY: apply_pushed(c, row->operands[0]); return true;
    case OP_APPTERM:
    case OP_APPTERM1:
    case OP_APPTERM2:
    case OP_APPTERM3: tail_call(c, row->operands[0]); return true;
    case OP_RETURN: return_form(c); return true;
    case OP_PUSH_RETADDR: push_return_frame(c, row->operands[0]); return true;
    case OP_PUSHTRAP: push_trap(c, row->operands[0]); return true;
    case OP_POPTRAP: pop_trap(c); return true;
    case OP_CHECK_SIGNALS: native_poll(c); return true;
    case OP_RAISE:
    case OP_RERAISE: raise(c, true); return true;
    case OP_RAISE_NOTRACE: raise(c, false); return true;
    default: return false;
    }
}
