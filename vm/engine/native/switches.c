/* switches.c - effects: PERFORM, RESUME, RESUMETERM, REPERFORMTERM, and the end of a fiber.
 *
 * C code does the switch, with the operands in the frame and d->stack.sp at the top. Then machine
 * code calls the closure that handles it, whose arguments are on the stack below their number; or,
 * if a collection or a raise is necessary, the loop executes the instruction. */
#include "vm/engine/native/check_code.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/facts.h"
#include "vm/stack/fiber.h"

/* Of the result (struct vm_switch). */
enum { R_CLOSURE = R_A, R_A_BEFORE = R_ARG3 };

bool native_is_called_by_switch(uintptr_t function) {
    return function == (uintptr_t)vm_switch_perform || function == (uintptr_t)vm_switch_resume ||
           function == (uintptr_t)vm_switch_resume_and_return ||
           function == (uintptr_t)vm_switch_reperform ||
           function == (uintptr_t)vm_switch_returned || function == (uintptr_t)vm_switch_raised;
}

/* ---- Stubs. ---- */

/* Calls closure R_CLOSURE; at d->stack.sp lies the number of extra arguments. */
void native_put_switched(struct emitter *e, const struct vm_native *n) {
    emit_move(e, R_ENV, R_CLOSURE);
    emit_load(e, R_YOUNG, DOMAIN(gc.young_ptr));
    emit_load(e, R_BASE, DOMAIN(stack.sp));
    emit_load(e, R_TEMP2, at_base(R_BASE, 0));
    emit_address(e, R_BASE, at_base(R_BASE, 8));
    emit_shift(e, SHIFT_RIGHT, R_TEMP2, 1);
    emit_alu_constant(e, ALU_ADD, R_TEMP2, 1);
    emit_jump(e, n->stubs.call - e->run_offset);
}

/* Calls a switch with A, and the closure that it returns; goes on here if that is 0. */
static void put_switch(struct emitter *e, const struct vm_native *n, uintptr_t function) {
    emit_store(e, DOMAIN(gc.young_ptr), R_YOUNG);
    emit_move(e, R_ARG1, R_DOMAIN);
    emit_move(e, R_ARG2, R_A);
    emit_call_c(e, function);
    emit_alu_constant(e, ALU_COMPARE, R_CLOSURE, 0);
    emit_jump_if(e, C_NOT_EQUAL, n->stubs.switched - e->run_offset);
}

void native_put_fiber_returned(struct emitter *e, const struct vm_native *n) {
    put_switch(e, n, (uintptr_t)vm_switch_returned);
    emit_move(e, R_A, R_A_BEFORE);
    emit_load(e, R_BASE, DOMAIN(stack.sp));
    emit_load(e, R_TEMP, at_base(R_BASE, 0));
    emit_load(e, R_ENV, at_base(R_BASE, 8));
    emit_address(e, R_BASE, at_base(R_BASE, 24));
    native_emit_resume(e, n);
}

void native_put_raised(struct emitter *e, const struct vm_native *n) {
    emit_move(e, R_BP, R_TEMP);
    put_switch(e, n, (uintptr_t)vm_switch_raised);
    emit_move(e, R_A, R_A_BEFORE);
    emit_move(e, R_TEMP, R_BP);
    emit_jump(e, n->stubs.exit - e->run_offset);
}

/* ---- Instructions. ---- */

/* A into a register for C, all slots into the frame; no guards follow (N6). */
static void begin(struct native_compiler *c) {
    if (nv_at(c, c->now.a)->kind == VALUE_PLAIN) nv_register(c, c->now.a); /* boxed, if a float */
    nv_flush(c, c->now.depth);
    nv_copy_to(c, R_ARG2, c->now.a);
}

/* Calls C with what is in R_ARG2 and further; height: of the words on the stack. */
static void make_switch(struct native_compiler *c, uint32_t height, uintptr_t function) {
    struct emitter *e = &c->e;
    emit_address(e, R_ARG1, nv_place(c, height - 1));
    emit_store(e, DOMAIN(stack.sp), R_ARG1);
    emit_store(e, DOMAIN(gc.young_ptr), R_YOUNG);
    emit_move(e, R_ARG1, R_DOMAIN);
    emit_call_c(e, function);
    emit_alu_constant(e, ALU_COMPARE, R_CLOSURE, 0);
    emit_jump_if(e, C_NOT_EQUAL, c->native->stubs.switched - e->run_offset);
    nv_forget(c);
    nv_set_a(c, nv_in_register(c, R_A_BEFORE, 0));
    native_leave(c);
}

static void perform_form(struct native_compiler *c) {
    uint32_t h = c->now.depth;
    begin(c);
    emit_constant(&c->e, R_TEMP, (int64_t)native_cell(c, c->row + 1));
    emit_store(&c->e, nv_place(c, h + 2), R_TEMP);
    emit_store(&c->e, nv_place(c, h + 1), R_ENV);
    emit_store_constant(&c->e, nv_place(c, h), (int32_t)val_of_int(0));
    emit_constant(&c->e, R_ARG3, (int64_t)(uintptr_t)native_words(c, c->row));
    make_switch(c, h + 3, (uintptr_t)vm_switch_perform);
}

/* outside: the height where the fiber's boundary begins. */
static void begin_resume(struct native_compiler *c, int32_t outside) {
    need_closure(c, nv_top(c, 0));
    begin(c);
    emit_address(&c->e, R_ARG3, nv_place(c, (uint32_t)(outside - 1)));
}

static void resume_form(struct native_compiler *c) {
    begin_resume(c, (int32_t)(c->now.depth - c->vm->version->resume_arguments) + 3);
    emit_constant(&c->e, R_TEMP, (int64_t)native_cell(c, c->row + 1));
    emit_move(&c->e, R_8, R_ENV);
    make_switch(c, c->now.depth, (uintptr_t)vm_switch_resume_and_return);
}

static void resume_term_form(struct native_compiler *c, int32_t outside) {
    begin_resume(c, outside);
    make_switch(c, c->now.depth, (uintptr_t)vm_switch_resume);
}

static void reperform_form(struct native_compiler *c, uint32_t outside) {
    begin(c);
    emit_address(&c->e, R_ARG3, nv_place(c, outside - 1));
    make_switch(c, c->now.depth, (uintptr_t)vm_switch_reperform);
}

bool native_switch(struct native_compiler *c, const struct vm_ir_row *row) {
    int32_t height = (int32_t)c->now.depth;
    switch (row->op) {
    case OP_PERFORM: perform_form(c); return true;
    case OP_RESUME: resume_form(c); return true; /* its return frame lies below what remains */
    case OP_RESUMETERM: resume_term_form(c, height - (int32_t)row->operands[0]); return true;
    case OP_REPERFORMTERM:
        reperform_form(c, (uint32_t)(height - (int32_t)row->operands[0]));
        return true;
    default: return false;
    }
}
