/* primitive_calls.c - see primitive_calls.h.
 *
 * During the call all slots are in the frame and the loop's registers are saved above them (E2), so
 * for the collector, call stacks and callbacks the state is the same as when the loop calls. */
#include "vm/engine/native/primitive_calls.h"

#include "vm/code/kinds.h"
#include "vm/engine/native/facts.h"
#include "vm/engine/native/inlining.h"
#include "vm/stack/frame_layout.h"
#include "vm/state/alloc.h"

#include <string.h>

/* ---- Kinds of arguments (vm/code/kinds.c). ---- */

/* A kind that is a set of tags. */
static void need_kind_of_tag(struct native_compiler *c, uint16_t v, unsigned bit) {
    need_block(c, v);
    emit_load_byte(&c->e, R_TEMP, at_base(nv_register(c, v), -8));
    emit_constant(&c->e, R_TEMP2, (int64_t)(uintptr_t)vm_kinds_of_tag);
    emit_test_memory_byte(&c->e, at_index(R_TEMP2, R_TEMP, 0, 0), (uint8_t)bit);
    native_exit_if(c, C_EQUAL);
}

/* A custom block of that identifier, of three letters or more, compared four bytes at a time. */
static void need_identifier(struct native_compiler *c, uint16_t v, const char *identifier) {
    size_t bytes = strlen(identifier) + 1;
    need_tag(c, v, TAG_CUSTOM, 0);
    emit_load(&c->e, R_TEMP, at_base(nv_register(c, v), 0));
    emit_load(&c->e, R_TEMP, at_base(R_TEMP, (int32_t)offsetof(struct gc_custom_ops, identifier)));
    for (size_t i = 0; i < bytes; i += 4) {
        size_t at = i + 4 <= bytes ? i : bytes - 4;
        int32_t part;
        memcpy(&part, identifier + at, 4);
        emit_compare_memory_32(&c->e, at_base(R_TEMP, (int32_t)at), part);
        native_exit_if(c, C_NOT_EQUAL);
    }
}

/* False: machine code cannot check that kind. */
static bool need_kind(struct native_compiler *c, uint16_t v, char kind, unsigned bit) {
    if (bit == KIND_ANY) return true;
    if (bit == KIND_i) need_int(c, v);
    else if (bit == KIND_s) need_tag(c, v, TAG_STRING, FACT_STRING);
    else if (bit == KIND_f) need_tag(c, v, TAG_DOUBLE, FACT_DOUBLE);
    else if (bit == KIND_k) need_closure(c, v);
    else if (bit != 0) need_kind_of_tag(c, v, bit);
    else if (kind == 'j') need_operations(c, v, &vm_int32_ops);
    else if (kind == 'l') need_operations(c, v, &vm_int64_ops);
    else if (kind == 'n') need_operations(c, v, &vm_nativeint_ops);
    else if (kind == 'c') need_identifier(c, v, "_chan");
    else if (kind == 'B') need_identifier(c, v, "_bigarr02");
    else if (kind == 'm') need_identifier(c, v, "_mutex");
    else if (kind == 'h') need_identifier(c, v, "_condition");
    else return false;
    return true;
}

bool native_need_kinds(struct native_compiler *c, const struct vm_linked_prim *prim, uint32_t n) {
    if (!c->checks || prim->stub || vm_kinds_are_any(prim->kinds)) return true;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t v = i == 0 ? c->now.a : nv_top(c, i - 1);
        if (!need_kind(c, v, prim->kinds[i], prim->kind_bits[i])) return false;
        nv_unlock(c);
    }
    return true;
}

/* ---- The call. ---- */

/* The saved registers lie on `height` words; then d->stack.sp leads to them. */
static void save_registers(struct native_compiler *c, uint32_t height) {
    emit_constant(&c->e, R_TEMP, (int64_t)(uintptr_t)native_words(c, c->row));
    emit_store_constant(&c->e, nv_place(c, height), (int32_t)val_of_int(0));
    emit_store(&c->e, nv_place(c, height + 1), R_TEMP);
    emit_store(&c->e, nv_place(c, height + 2), R_ENV);
    emit_address(&c->e, R_TEMP, nv_place(c, height + 2));
    emit_store(&c->e, DOMAIN(stack.sp), R_TEMP);
    emit_store(&c->e, DOMAIN(gc.young_ptr), R_YOUNG);
}

static void restore_registers(struct native_compiler *c, uint32_t height) {
    emit_load(&c->e, R_BASE, DOMAIN(stack.sp));
    emit_load(&c->e, R_ENV, at_base(R_BASE, 0));
    emit_load(&c->e, R_YOUNG, DOMAIN(gc.young_ptr));
    c->now.base = height + SAVED_WORDS;
}

/* Arguments of a primitive of the tables follow the domain; a stub has none before them. */
static void put_arguments(struct native_compiler *c, bool stub, uint32_t n) {
    static const int registers[] = {R_ARG1, R_ARG2, R_ARG3, R_TEMP, R_8, R_9};
    const int *reg = stub ? registers : registers + 1;
    nv_copy_to(c, reg[0], c->now.a);
    for (uint32_t i = 1; i < n; i++) emit_load(&c->e, reg[i], nv_place(c, c->now.depth - i));
    if (!stub) emit_move(&c->e, R_ARG1, R_DOMAIN);
}

/* C_CALLN: the address of the arguments and their number. */
static void put_argument_array(struct native_compiler *c, bool stub, uint32_t n) {
    struct native_place array = nv_place(c, c->now.depth - 1);
    if (stub) {
        emit_address(&c->e, R_ARG1, array);
        emit_constant(&c->e, R_ARG2, n);
    } else {
        emit_address(&c->e, R_ARG2, array);
        emit_constant(&c->e, R_ARG3, n);
        emit_move(&c->e, R_ARG1, R_DOMAIN);
    }
}

static unsigned facts_of_result(const struct vm_linked_prim *prim) {
    if (prim->row == NULL) return 0;
    return prim->row->result == 'i' || prim->row->result == 'u' ? FACT_INT : 0;
}

/* Words of the arguments on the stack that the call pops. */
static uint32_t popped(const struct vm_ir_row *row) { return row->operands[0] - 1; }

void native_after_primitive(struct native_compiler *c, const struct vm_ir_row *row,
                            unsigned facts) {
    nv_forget(c);
    nv_set_a(c, nv_in_register(c, R_A, facts));
    nv_pop(c, popped(row));
}

const char *native_primitive_name(const struct vm_linked_prim *prim) {
    return prim->function == NULL || prim->row == NULL ? "" : prim->row->name;
}

/* Of another capability a primitive may read the saved registers: those of the collector read
 * young_ptr, to count words. */
bool native_primitive_is_light(const struct vm_linked_prim *prim) {
    const struct vm_prim *row = prim->row;
    return row != NULL && (row->flags & PRIM_EFFECT) == PRIM_LEAF && row->capability == CAP_PURE;
}

void native_call_primitive(struct native_compiler *c, const struct vm_ir_row *row) {
    const struct vm_linked_prim *prim = &c->vm->prims[row->operands[1]];
    uint32_t n = row->operands[0];
    bool by_array = row->op == OP_C_CALLN;
    if (!by_array && !native_need_kinds(c, prim, n)) {
        native_leave(c);
        return;
    }
    native_write_frame(c);
    if (nv_at(c, c->now.a)->kind == VALUE_PLAIN) nv_register(c, c->now.a); /* boxed, if a float */
    nv_flush(c, c->now.depth);
    if (by_array) {
        nv_push(c, c->now.a);
        nv_flush(c, c->now.depth);
    }
    uint32_t height = c->now.depth;
    bool light = native_primitive_is_light(prim);
    if (!light) save_registers(c, height);
    if (by_array) put_argument_array(c, prim->stub, n);
    else put_arguments(c, prim->stub, n);
    emit_call_c(&c->e, (uintptr_t)prim->function);
    if (!light) restore_registers(c, height);
    native_after_primitive(c, row, facts_of_result(prim));
    if (by_array) nv_pop(c, 1);
}

void native_call_primitive_late(struct native_compiler *c, const struct vm_ir_row *row) {
    uint32_t base = c->now.base;
    native_call_primitive(c, row);
    nv_set_base(c, base);
}
