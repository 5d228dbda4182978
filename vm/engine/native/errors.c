/* errors.c - see errors.h.
 *
 * The stubs do what vm_raise does with the exception (vm/stack/raise.c); backtraces, pending
 * signals, handlers of other runs of the loop, watermarks and collections are left to the loop. */
#include "vm/engine/native/errors.h"

#include "gc/value.h"
#include "vm/engine/native/compiler.h"
#include "vm/stack/raise.h"

#include <string.h>

/* ---- In functions. ---- */

void native_raise_if(struct native_compiler *c, enum native_condition condition,
                     enum native_error error) {
    uint32_t exit = native_describe_exit(c);
    native_force_exit(c, exit);
    struct native_values *state = nv_save(c);
    struct native_late *late = native_add_late(c, emit_jump_if_forward(&c->e, condition),
                                               LATE_ERROR);
    late->exit = exit;
    late->state = state;
    late->error = (uint8_t)error;
}

void native_put_error(struct native_compiler *c, const struct native_late *late) {
    nv_restore(c, late->state);
    c->row = late->row;
    nv_unlock(c);
    if (late->error == ERROR_ZERO_DIVIDE) { /* the divisor is 0 or -1 */
        emit_alu_constant(&c->e, ALU_COMPARE, R_TEMP, 0);
        uint8_t *is_zero = emit_jump_if_forward(&c->e, C_EQUAL);
        native_put_exit(c, late->exit);
        emit_link(&c->e, is_zero, emit_here(&c->e));
    }
    nv_flush(c, c->now.depth);
    if (late->error == ERROR_RAISED) {
        nv_copy_to(c, R_A, c->now.a);
        nv_forget(c);
        nv_set_a(c, nv_in_register(c, R_A, 0));
    }
    emit_constant(&c->e, R_TEMP, native_describe_exit(c));
    emit_jump(&c->e, c->native->stubs.errors[late->error] - c->e.run_offset);
}

/* ---- Stubs. R_TEMP is the exit at which the loop raises the same exception. ---- */

enum { TEXT_WORDS = 3 };

/* R_TEMP2 := the innermost trap frame, whose depth it holds. The condition C_ABOVE then holds if
 * the frame is outside a watermark. */
static void find_handler(struct emitter *e) {
    emit_shift(e, SHIFT_LEFT, R_TEMP2, 3);
    emit_negate(e, R_TEMP2);
    emit_alu_load(e, ALU_ADD, R_TEMP2, DOMAIN(stack.high));
    emit_alu_load(e, ALU_COMPARE, R_TEMP2, DOMAIN(stack.lowest_watermark));
}

static void need_handler(struct emitter *e, struct emit_sites *refusals) {
    emit_compare_byte(e, DOMAIN(gc.action_requested), 0);
    emit_jump_if_later(e, refusals, C_NOT_EQUAL);
    emit_compare_byte(e, DOMAIN(backtrace_active), 0);
    emit_jump_if_later(e, refusals, C_NOT_EQUAL);
    emit_load(e, R_TEMP2, DOMAIN(stack.trap));
    emit_alu_constant(e, ALU_COMPARE, R_TEMP2, 0);
    emit_jump_if_later(e, refusals, C_EQUAL);
    find_handler(e);
    emit_jump_if_later(e, refusals, C_ABOVE);
}

/* reg := the table of globals. */
static void load_globals(struct emitter *e, int reg) {
    emit_load(e, reg, DOMAIN(vm));
    emit_load(e, reg, at_base(reg, (int32_t)offsetof(struct vm, global_data)));
}

/* Leaves to the loop where predefined() in raise.c would not find the exception. */
static void need_global(struct emitter *e, struct emit_sites *refusals, enum vm_exception which) {
    load_globals(e, R_TEMP2);
    emit_test_byte(e, R_TEMP2, 1);
    emit_jump_if_later(e, refusals, C_NOT_EQUAL);
    emit_compare_memory(e, at_base(R_TEMP2, -8), (int32_t)EXN_COUNT << 10);
    emit_jump_if_later(e, refusals, C_BELOW);
    emit_test_memory_byte(e, at_base(R_TEMP2, 8 * (int32_t)which), 1);
    emit_jump_if_later(e, refusals, C_NOT_EQUAL);
}

/* R_A := the pair of R_A and the text, as two young blocks; R_TEMP2 holds the new young_ptr. */
static void put_pair_with_text(struct emitter *e, const char *text) {
    union {
        char bytes[8 * TEXT_WORDS];
        int64_t words[TEXT_WORDS];
    } string = {.bytes = {0}};
    size_t length = strlen(text);
    memcpy(string.bytes, text, length);
    string.bytes[sizeof string - 1] = (char)(sizeof string - 1 - length);
    emit_move(e, R_YOUNG, R_TEMP2);
    emit_store_constant(e, at_base(R_YOUNG, 0), (int32_t)make_header(2, 0, 0));
    emit_store(e, at_base(R_YOUNG, 8), R_A);
    emit_address(e, R_TEMP2, at_base(R_YOUNG, 32));
    emit_store(e, at_base(R_YOUNG, 16), R_TEMP2);
    emit_store_constant(e, at_base(R_YOUNG, 24), (int32_t)make_header(TEXT_WORDS, TAG_STRING, 0));
    for (int32_t i = 0; i < TEXT_WORDS; i++) {
        emit_constant(e, R_TEMP2, string.words[i]);
        emit_store(e, at_base(R_YOUNG, 32 + 8 * i), R_TEMP2);
    }
    emit_address(e, R_A, at_base(R_YOUNG, 8));
}

/* text: the exception's argument, of 16 to 23 bytes, or NULL. */
static void put_raise(struct emitter *e, const struct vm_native *n, enum vm_exception which,
                      const char *text) {
    struct emit_sites refusals = {.count = 0};
    need_handler(e, &refusals);
    need_global(e, &refusals, which);
    if (text != NULL) {
        emit_address(e, R_TEMP2, at_base(R_YOUNG, -8 * (3 + 1 + TEXT_WORDS)));
        emit_alu_load(e, ALU_COMPARE, R_TEMP2, DOMAIN(gc.young_limit));
        emit_jump_if_later(e, &refusals, C_BELOW);
    }
    load_globals(e, R_A);
    emit_load(e, R_A, at_base(R_A, 8 * (int32_t)which));
    if (text != NULL) put_pair_with_text(e, text);
    emit_load(e, R_TEMP2, DOMAIN(stack.trap));
    find_handler(e);
    native_emit_to_handler(e, n);
    emit_link_here(e, &refusals);
    emit_jump(e, n->stubs.exit - e->run_offset);
}

void native_put_error_stubs(struct emitter *e, struct vm_native *n) {
    n->stubs.errors[ERROR_BOUND] = runs_at(e, emit_here(e));
    put_raise(e, n, EXN_INVALID_ARGUMENT, "index out of bounds");
    n->stubs.errors[ERROR_ZERO_DIVIDE] = runs_at(e, emit_here(e));
    put_raise(e, n, EXN_DIVISION_BY_ZERO, NULL);
    n->stubs.errors[ERROR_RAISED] = runs_at(e, e->at);
    native_put_raised(e, n);
}
