/* callees.c - see callees.h. */
#include "vm/engine/native/callees.h"

#include "gc/heap.h"
#include "gc/weak.h"
#include "vm/code/code.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/native.h"

/* ---- Which. ---- */

static bool is_closure(value v) {
    return is_block(v) && (tag_of(v) == TAG_CLOSURE || tag_of(v) == TAG_INFIX);
}

/* Field i of a block of values; 0: there is none. */
static value field_if_any(value block, uint32_t i) {
    if (is_int(block) || tag_of(block) > TAG_OBJECT || i >= wosize_of(block)) return 0;
    return field(block, i);
}

/* What ENVACC, OFFSETCLOSURE or GETGLOBALFIELD at row i loads if the closure is env; 0: unknown. */
static value loaded_at(const struct native_compiler *c, value env, uint32_t i) {
    const struct vm_ir_row *row = &c->ir.rows[i];
    switch (vm_opcodes[row->op].long_op) {
    case OP_ENVACC:
    case OP_PUSHENVACC: return is_closure(env) ? field(env, row->operands[0]) : 0;
    case OP_OFFSETCLOSURE:
    case OP_PUSHOFFSETCLOSURE:
        return is_closure(env) ? env + (value)(8 * (int64_t)(int32_t)row->operands[0]) : 0;
    case OP_GETGLOBALFIELD:
    case OP_PUSHGETGLOBALFIELD:
        return field_if_any(field(c->vm->global_data, row->operands[0]), row->operands[1]);
    case OP_GETFIELD: {
        if (row->flags & IR_LEADER || i == 0) return 0;
        value block = loaded_at(c, env, i - 1);
        return block == 0 ? 0 : field_if_any(block, row->operands[0]);
    }
    default: return 0;
    }
}

uint32_t native_arguments_of_call(const struct vm_ir_row *row) {
    switch (row->op) {
    case OP_APPLY1: return 1;
    case OP_APPLY2: return 2;
    case OP_APPLY3: return 3;
    case OP_APPLY:
    case OP_APPTERM:
    case OP_APPTERM1:
    case OP_APPTERM2:
    case OP_APPTERM3: return row->operands[0];
    default: return 0;
    }
}

/* Its function is verified, and takes n arguments. */
static bool is_callee(const struct native_compiler *c, struct native_callee *callee, value closure,
                      uint32_t n) {
    const struct vm *vm = c->vm;
    if (closure == 0 || !is_closure(closure)) return false;
    value code = field(closure, 0);
    if (!is_int(code) || (uintptr_t)code >> 1 >= vm->function_count) return false;
    uint32_t index = (uint32_t)((uintptr_t)code >> 1);
    const struct vm_function *f = &vm->functions[index];
    if (f->kind != FUNCTION_CLOSURE || f->decoded == 0) return false;
    if (!fits_32(16 * ((int64_t)index + 1))) return false;
    struct vm_verifier *verifier = vm->codes[f->fragment]->verifier;
    if (vm_entry_at(verifier, vm_find_entry(verifier, f->pc))->arity != n) return false;
    *callee = (struct native_callee){closure, index, tag_of(closure) == TAG_INFIX};
    return true;
}

void native_find_callees(struct native_compiler *c, value env) {
    uint32_t calls = 0;
    for (uint32_t i = 1; i < c->ir.count; i++)
        calls += native_arguments_of_call(&c->ir.rows[i]) != 0;
    c->callees = native_scratch(c, calls * sizeof *c->callees);
    for (uint32_t i = 1, count = 0; i < c->ir.count && count < UINT16_MAX; i++) {
        uint32_t n = native_arguments_of_call(&c->ir.rows[i]);
        if (n == 0 || c->ir.rows[i].flags & IR_LEADER) continue;
        if (is_callee(c, &c->callees[count], loaded_at(c, env, i - 1), n))
            c->rows[i].callee = (uint16_t)++count;
    }
}

const struct native_callee *native_callee_of(const struct native_compiler *c, uint32_t row) {
    return &c->callees[c->rows[row].callee - 1];
}

/* ---- Expected blocks. ---- */

static int64_t code_of(const struct native_callee *callee) {
    return 2 * (int64_t)callee->index + 1;
}

/* The weak word of a block, which machine code compares with; false: there is no room. */
static bool expect(struct native_compiler *c, value block, struct native_place *word) {
    struct gc_weak_words *weak = &c->native->expected;
    if (weak->count == EXPECTED_WORDS) return false;
    *word = at_base(R_TABLE, (int32_t)(8 * weak->count) - 8 * EXPECTED_WORDS);
    weak->words[weak->count++] = block;
    return true;
}

/* A guard that may exit under --jit-stress, and only then. */
static void may_exit(struct native_compiler *c) {
    if (c->native->stress > 0) native_force_exit(c, native_describe_exit(c));
}

/* ---- Inlined calls. ---- */

/* Jumps if A, in that register, is not a closure of the callee, and returns the sites. */
static struct emit_sites compare_code(struct native_compiler *c, int reg,
                                      const struct native_callee *callee) {
    struct emit_sites differs = {.count = 0};
    if (c->checks && !(nv_at(c, c->now.a)->facts & FACT_CLOSURE)) {
        emit_test_byte(&c->e, reg, 1);
        emit_jump_if_later(&c->e, &differs, C_NOT_EQUAL);
        emit_compare_byte(&c->e, at_base(reg, -8), callee->is_infix ? TAG_INFIX : TAG_CLOSURE);
        emit_jump_if_later(&c->e, &differs, C_NOT_EQUAL);
    }
    emit_compare_memory(&c->e, at_base(reg, 0), (int32_t)code_of(callee));
    emit_jump_if_later(&c->e, &differs, C_NOT_EQUAL);
    return differs;
}

const struct native_values *native_guard_callee(struct native_compiler *c) {
    const struct native_callee *callee = native_callee_of(c, c->row);
    may_exit(c);
    int reg = nv_register(c, c->now.a);
    struct native_place word;
    struct native_late *late;
    if (expect(c, callee->closure, &word)) {
        emit_alu_load(&c->e, ALU_COMPARE, reg, word);
        uint8_t *site = emit_jump_if_forward(&c->e, C_NOT_EQUAL);
        late = native_add_late(c, site, LATE_OTHER_CALLEE);
        late->back = emit_here(&c->e);
    } else {
        struct emit_sites differs = compare_code(c, reg, callee);
        late = native_add_late(c, differs.items[0], LATE_OTHER_CALLEE);
        for (uint32_t i = 1; i < differs.count; i++) late->more[i - 1] = differs.items[i];
    }
    return late->state = nv_save(c);
}

void native_put_other_callee(struct native_compiler *c, const struct native_late *late) {
    nv_restore(c, late->state);
    c->row = late->row;
    nv_unlock(c);
    if (late->back != NULL) {
        struct emit_sites differs = compare_code(c, nv_register(c, c->now.a),
                                                 native_callee_of(c, c->row));
        emit_jump(&c->e, late->back);
        emit_link_here(&c->e, &differs);
    }
    c->calls_other = true;
    native_call(c, &c->ir.rows[late->row]);
    c->calls_other = false;
}

/* ---- Calls. ---- */

static bool is_known(const struct native_compiler *c) {
    return c->body == 0 && !c->calls_other && c->rows[c->row].callee != 0;
}

bool native_expect_callee(struct native_compiler *c) {
    struct native_place word;
    if (!is_known(c)) return false;
    const struct native_callee *callee = native_callee_of(c, c->row);
    if (!expect(c, callee->closure, &word)) return false;
    may_exit(c);
    emit_alu_load(&c->e, ALU_COMPARE, nv_register(c, c->now.a), word);
    uint8_t *site = emit_jump_if_forward(&c->e, C_NOT_EQUAL);
    native_add_late(c, site, LATE_OTHER_CALLEE)->state = nv_save(c);
    return true;
}

void native_enter_expected(struct native_compiler *c, uint32_t n) {
    const struct native_callee *callee = native_callee_of(c, c->row);
    struct native_entry *entry = &c->native->entries[callee->index];
    if (entry->address == 0) entry->address = (uintptr_t)c->native->stubs.loop_calls[n];
    emit_jump_memory(&c->e, at_base(R_TABLE, 8 * (int32_t)code_of(callee) + ENTRY_ADDRESS));
}

/* A function that was compiled before does not test its own code (native_need_own_code), but its
 * entry tests for a poll: then the loop calls the closure. */
void vm_native_replace_code(struct domain *d, value closure) {
    struct vm_native *n = d->vm->native;
    gc_forget_weak_words(&d->gc, closure);
    if (n == NULL) return;
    n->replaces_code = true;
    bool exists = n->entries != NULL && n->entries[function_of_closure(closure)].takes > 0;
    if (exists) gc_poll_always(&d->gc);
}

/* ---- Globals. ---- */

void native_need_global_field(struct native_compiler *c, int reg, uint32_t global, uint32_t i) {
    value block = field(c->vm->global_data, global);
    struct native_place word;
    if (!c->checks) return;
    if (field_if_any(block, i) == 0 || !expect(c, block, &word)) {
        need_field_of_register(c, reg, i);
        return;
    }
    may_exit(c);
    emit_alu_load(&c->e, ALU_COMPARE, reg, word);
    uint8_t *site = emit_jump_if_forward(&c->e, C_NOT_EQUAL);
    struct native_late *late = native_add_late(c, site, LATE_OTHER_GLOBAL);
    late->back = emit_here(&c->e);
    late->reg = (uint8_t)reg;
    late->constant = (int32_t)i;
    late->state = nv_save(c);
}

void native_put_other_global(struct native_compiler *c, const struct native_late *late) {
    nv_restore(c, late->state);
    c->row = late->row;
    nv_unlock(c);
    need_field_of_register(c, late->reg, (uint32_t)late->constant);
    emit_jump(&c->e, late->back);
}
