/* arity.c - see arity.h.
 *
 * A call site compares the number of arguments with the arity of the function; if they differ, the
 * last jump of the call leads to a stub here instead:
 *
 *     fewer arguments     a closure of them is made and returned, as GRAB does
 *     a RESTART           its arguments are pushed, then the function is called with all of them
 *     more                a frame that applies the result to the rest goes between (native.h, N3)
 *     no machine code, no room, a pending poll    the loop makes the call
 *
 * At a stub R_BASE is sp, R_ENV the closure, R_TEMP its code, and R_TEMP2 the number of arguments;
 * the other registers are free. */
#include "vm/engine/native/arity.h"

#include "gc/value.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/engine/emit_threaded.h"
#include "vm/engine/native/compiler.h"
#include "vm/stack/frame_layout.h"

/* The words of a frame that applies a result to k arguments: where the loop continues if that is
 * not a closure, then a cell (N4). */
enum { APPLY_WORDS = 3 };
_Static_assert(NATIVE_REST_WORDS == APPLY_WORDS + CELL_WORDS, "both");

void native_put_apply_rest(struct vm *vm, struct vm_native *n) {
    struct vm_decoded_area *area = vm->decoded_area;
    const void *const *bodies = vm_loop_bodies(vm);
    for (uint32_t k = 1; k <= MAX_SPREAD; k++) {
        uintptr_t *w = area->words + area->used;
        w[0] = w[4] = frame_word(VM_NO_GPC, k);
        w[1] = (uintptr_t)bodies[ENGINE_NOT_APPLICABLE];
        w[2] = (uintptr_t)val_of_int((intptr_t)k);
        w[5] = (uintptr_t)bodies[ENGINE_NATIVE_RETURN];
        n->apply_rest[k] = w + 5;
        area->used += NATIVE_REST_WORDS;
    }
}

/* To the loop, which calls R_ENV with R_TEMP2 arguments. */
static void put_leave(struct emitter *e, const struct vm_native *n) {
    emit_address(e, R_TEMP, at_index(R_TEMP2, R_TEMP2, 0, -1));
    emit_jump(e, n->stubs.slow_entry - e->run_offset);
}

/* Few words are copied without a loop, after comparisons of their number: the exit of a loop of few
 * iterations is mispredicted. No other words are read, since a load waits for a recent store to its
 * word that cannot be forwarded to it. */
enum { FEW = 4, MOST_EXACT = 6 };

/* Copies R_8 words, at least one, from R_9 on to R_10 on, and advances both past them. Changes R_8
 * and R_A. */
static void put_copy(struct emitter *e) {
    emit_address(e, R_9, at_index(R_9, R_8, 3, 0));
    emit_address(e, R_10, at_index(R_10, R_8, 3, 0));
    emit_negate(e, R_8);
    const uint8_t *next = emit_here(e);
    emit_load(e, R_A, at_index(R_9, R_8, 3, 0));
    emit_store(e, at_index(R_10, R_8, 3, 0), R_A);
    emit_alu_constant(e, ALU_ADD, R_8, 1);
    emit_jump_if(e, C_NOT_EQUAL, next);
}

static void put_exact_copy(struct emitter *e, struct native_place from, struct native_place to,
                           uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        emit_load(e, R_A, from);
        emit_store(e, to, R_A);
        from.displacement += 8;
        to.displacement += 8;
    }
}

/* C_BELOW holds if the call has no room, or a poll is pending; code: of the function's RESTART. */
static void compare_room(struct emitter *e, int code) {
    emit_move(e, R_10, R_BASE);
    emit_alu_load(e, ALU_SUB, R_10, native_entry_of_code(code, ENTRY_ADDRESS));
    emit_alu_load(e, ALU_COMPARE, R_10, DOMAIN(gc.mutator_limit));
}

static void put_room_test(struct emitter *e, int code, const uint8_t *leave) {
    compare_room(e, code);
    emit_jump_if(e, C_BELOW, leave);
}

/* Words of a partial application before its arguments: the header, the code, its information, the
 * function. */
enum { CLOSURE_HEAD = 4 };

/* The function takes more arguments than it is given. */
static void put_partial(struct emitter *e, const struct vm_native *n, const uint8_t *leave) {
    emit_load_32(e, R_9, native_entry_of_code(R_TEMP, ENTRY_RESTART));
    put_room_test(e, R_9, leave);
    emit_move(e, R_TEMP, R_9);
    emit_move(e, R_8, R_TEMP2);
    emit_negate(e, R_8);
    emit_address(e, R_10, at_index(R_YOUNG, R_8, 3, -8 * CLOSURE_HEAD));
    emit_alu_load(e, ALU_COMPARE, R_10, DOMAIN(gc.young_limit));
    emit_jump_if(e, C_BELOW, leave);
    emit_negate(e, R_8);
    emit_move(e, R_YOUNG, R_10);
    emit_address(e, R_10, at_base(R_YOUNG, 8 * CLOSURE_HEAD));
    emit_move(e, R_9, R_BASE);
    put_copy(e);
    emit_address(e, R_8, at_base(R_TEMP2, CLOSURE_HEAD - 1));
    emit_shift(e, SHIFT_LEFT, R_8, 10);
    emit_alu_constant(e, ALU_OR, R_8, TAG_CLOSURE);
    emit_store(e, at_base(R_YOUNG, 0), R_8);
    emit_store(e, at_base(R_YOUNG, 8), R_TEMP);
    emit_store_constant(e, at_base(R_YOUNG, 16), (int32_t)make_closinfo(0, 2));
    emit_store(e, at_base(R_YOUNG, 24), R_ENV);
    emit_address(e, R_A, at_base(R_YOUNG, 8));
    emit_load(e, R_TEMP, at_base(R_9, 0));
    emit_load(e, R_ENV, at_base(R_9, 8));
    emit_address(e, R_BASE, at_base(R_9, 24));
    native_emit_resume(e, n);
}

/* Pushes the arguments of the partial application R_ENV, if there are `held` of them, and calls its
 * function. */
static void put_restart_with(struct emitter *e, uint32_t held, const uint8_t *again) {
    emit_alu_constant(e, ALU_COMPARE, R_8, (int32_t)held);
    uint8_t *others = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_address(e, R_BASE, at_base(R_BASE, -8 * (int32_t)held));
    put_exact_copy(e, at_base(R_ENV, 8 * (CLOSURE_HEAD - 1)), at_base(R_BASE, 0), held);
    emit_load(e, R_ENV, at_base(R_ENV, 16));
    emit_load(e, R_TEMP, at_base(R_ENV, 0));
    emit_load_32(e, R_8, native_entry_of_code(R_TEMP, ENTRY_TAKES));
    emit_alu(e, ALU_COMPARE, R_8, R_TEMP2);
    emit_jump_if(e, C_NOT_EQUAL, again);
    emit_jump_memory(e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
    emit_link(e, others, emit_here(e));
}

static void put_restart(struct emitter *e, const uint8_t *leave, const uint8_t *again) {
    put_room_test(e, R_TEMP, leave);
    emit_load(e, R_8, at_base(R_ENV, -8));
    emit_shift(e, SHIFT_RIGHT, R_8, 10);
    emit_alu_constant(e, ALU_SUB, R_8, CLOSURE_HEAD - 1);
    emit_alu(e, ALU_ADD, R_TEMP2, R_8);
    for (uint32_t held = 1; held <= FEW; held++) put_restart_with(e, held, again);
    emit_move(e, R_9, R_8);
    emit_negate(e, R_9);
    emit_address(e, R_10, at_index(R_BASE, R_9, 3, 0));
    emit_move(e, R_BASE, R_10);
    emit_address(e, R_9, at_base(R_ENV, 8 * (CLOSURE_HEAD - 1)));
    put_copy(e);
    emit_load(e, R_ENV, at_base(R_ENV, 16));
    emit_jump(e, again);
}

/* The function takes R_8 arguments, fewer than it is given. */
static void put_more(struct emitter *e, const struct vm_native *n, const uint8_t *leave) {
    emit_alu_constant(e, ALU_COMPARE, R_8, 0);
    emit_jump_if(e, C_EQUAL, leave);
    emit_move(e, R_9, R_TEMP2);
    emit_alu(e, ALU_SUB, R_9, R_8);
    emit_alu_constant(e, ALU_COMPARE, R_9, MAX_SPREAD);
    emit_jump_if(e, C_ABOVE, leave);
    emit_address(e, R_10, at_base(R_BASE, -24));
    emit_alu_load(e, ALU_COMPARE, R_10, DOMAIN(gc.mutator_limit));
    emit_jump_if(e, C_BELOW, leave);
    _Static_assert(8 * NATIVE_REST_WORDS == 3 << 4, "multiplied so");
    emit_address(e, R_TEMP, at_index(R_9, R_9, 1, 0));
    emit_shift(e, SHIFT_LEFT, R_TEMP, 4);
    emit_constant(e, R_TEMP2, (int64_t)(uintptr_t)(n->apply_rest[1] - NATIVE_REST_WORDS));
    emit_alu(e, ALU_ADD, R_TEMP2, R_TEMP);
    emit_move(e, R_9, R_BASE);
    emit_move(e, R_BASE, R_10);
    uint8_t *done[MOST_EXACT];
    for (uint32_t words = 1; words <= MOST_EXACT; words++) {
        emit_alu_constant(e, ALU_COMPARE, R_8, (int32_t)words);
        uint8_t *others = emit_jump_if_forward(e, C_NOT_EQUAL);
        put_exact_copy(e, at_base(R_9, 0), at_base(R_10, 0), words);
        emit_address(e, R_10, at_base(R_10, 8 * (int32_t)words));
        done[words - 1] = emit_jump_forward(e);
        emit_link(e, others, emit_here(e));
    }
    put_copy(e);
    for (uint32_t i = 0; i < MOST_EXACT; i++) emit_link(e, done[i], emit_here(e));
    emit_store(e, at_base(R_10, 0), R_TEMP2);
    emit_store_constant(e, at_base(R_10, 8), (int32_t)VAL_UNIT);
    emit_store_constant(e, at_base(R_10, 16), (int32_t)val_of_int(0));
    emit_load(e, R_TEMP, at_base(R_ENV, 0));
    emit_jump_memory(e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
}

/* ---- The same for a known number of arguments, at most FEW. ---- */

static void put_partial_of(struct emitter *e, const struct vm_native *n, uint32_t arguments,
                           struct emit_sites *refusals) {
    const int32_t words = CLOSURE_HEAD + (int32_t)arguments, frame = 8 * (int32_t)arguments;
    emit_load_32(e, R_9, native_entry_of_code(R_TEMP, ENTRY_RESTART));
    compare_room(e, R_9);
    emit_jump_if_later(e, refusals, C_BELOW);
    emit_address(e, R_10, at_base(R_YOUNG, -8 * words));
    emit_alu_load(e, ALU_COMPARE, R_10, DOMAIN(gc.young_limit));
    emit_jump_if_later(e, refusals, C_BELOW);
    emit_move(e, R_YOUNG, R_10);
    emit_store_constant(e, at_base(R_YOUNG, 0),
                        (int32_t)make_header((uint32_t)words - 1, TAG_CLOSURE, 0));
    emit_store(e, at_base(R_YOUNG, 8), R_9);
    emit_store_constant(e, at_base(R_YOUNG, 16), (int32_t)make_closinfo(0, 2));
    emit_store(e, at_base(R_YOUNG, 24), R_ENV);
    put_exact_copy(e, at_base(R_BASE, 0), at_base(R_YOUNG, 8 * CLOSURE_HEAD), arguments);
    emit_address(e, R_A, at_base(R_YOUNG, 8));
    emit_load(e, R_TEMP, at_base(R_BASE, frame));
    emit_load(e, R_ENV, at_base(R_BASE, frame + 8));
    emit_address(e, R_BASE, at_base(R_BASE, frame + 24));
    native_emit_resume(e, n);
}

/* The function takes fewer arguments than it is given. */
static void put_more_than(struct emitter *e, const struct vm_native *n, uint32_t arguments,
                          uint32_t takes, struct emit_sites *refusals) {
    const int32_t frame = 8 * (int32_t)takes;
    emit_address(e, R_10, at_base(R_BASE, -24));
    emit_alu_load(e, ALU_COMPARE, R_10, DOMAIN(gc.mutator_limit));
    emit_jump_if_later(e, refusals, C_BELOW);
    put_exact_copy(e, at_base(R_BASE, 0), at_base(R_10, 0), takes);
    emit_move(e, R_BASE, R_10);
    emit_constant(e, R_10, (int64_t)(uintptr_t)n->apply_rest[arguments - takes]);
    emit_store(e, at_base(R_BASE, frame), R_10);
    emit_store_constant(e, at_base(R_BASE, frame + 8), (int32_t)VAL_UNIT);
    emit_store_constant(e, at_base(R_BASE, frame + 16), (int32_t)val_of_int(0));
    emit_jump_memory(e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
}

/* restart, leave: with R_TEMP2 arguments. */
static void put_other_arity(struct emitter *e, const struct vm_native *n, uint32_t arguments,
                            const uint8_t *restart, const uint8_t *leave) {
    struct emit_sites refusals = {.count = 0};
    uint8_t *takes[FEW];
    emit_constant(e, R_TEMP2, arguments);
    emit_load_32(e, R_8, native_entry_of_code(R_TEMP, ENTRY_TAKES));
    emit_alu_constant(e, ALU_COMPARE, R_8, TAKES_RESTART);
    emit_jump_if(e, C_EQUAL, restart);
    for (uint32_t t = 1; t < arguments; t++) {
        emit_alu_constant(e, ALU_COMPARE, R_8, (int32_t)t);
        takes[t] = emit_jump_if_forward(e, C_EQUAL);
    }
    emit_alu_constant(e, ALU_COMPARE, R_8, 0);
    emit_jump_if_later(e, &refusals, C_EQUAL);
    put_partial_of(e, n, arguments, &refusals);
    for (uint32_t t = 1; t < arguments; t++) {
        emit_link(e, takes[t], emit_here(e));
        put_more_than(e, n, arguments, t, &refusals);
    }
    emit_link_here(e, &refusals);
    emit_jump(e, leave);
}

/* To the function of R_ENV, if it takes k arguments. R_TEMP := its code. */
static void put_call_of_few(struct emitter *e, uint32_t k) {
    emit_load(e, R_TEMP, at_base(R_ENV, 0));
    emit_compare_memory_32(e, native_entry_of_code(R_TEMP, ENTRY_TAKES), (int32_t)k);
    uint8_t *other = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_jump_memory(e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
    emit_link(e, other, emit_here(e));
}

/* Where a result, R_A, is applied to k arguments: a closure that is no INFIX and takes as many. */
static void put_apply_to_few(struct emitter *e, const struct vm_native *n, uint32_t k) {
    emit_test_byte(e, R_A, 1);
    uint8_t *is_int = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_compare_byte(e, at_base(R_A, -8), TAG_CLOSURE);
    uint8_t *other = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_load(e, R_TEMP, at_base(R_A, 0));
    emit_move(e, R_ENV, R_A);
    emit_compare_memory_32(e, native_entry_of_code(R_TEMP, ENTRY_TAKES), (int32_t)k);
    emit_jump_if(e, C_NOT_EQUAL, n->stubs.other_arity[k] - e->run_offset);
    emit_jump_memory(e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
    emit_link(e, is_int, emit_here(e));
    emit_link(e, other, emit_here(e));
}

/* Where a result, R_A, is applied to k arguments. */
static void put_apply(struct emitter *e, const struct vm_native *n, const uint8_t *call) {
    const uint8_t *leave = n->stubs.leave - e->run_offset, *common = emit_here(e);
    emit_test_byte(e, R_A, 1);
    emit_jump_if(e, C_NOT_EQUAL, leave);
    emit_move(e, R_ENV, R_A);
    emit_compare_byte(e, at_base(R_A, -8), TAG_CLOSURE);
    emit_jump_if(e, C_EQUAL, call);
    emit_compare_byte(e, at_base(R_A, -8), TAG_INFIX);
    emit_jump_if(e, C_EQUAL, call);
    emit_jump(e, leave);
    for (uint32_t k = 1; k <= MAX_SPREAD; k++) {
        uintptr_t *cell = (uintptr_t *)n->apply_rest[k] - (CELL_WORDS - 1);
        cell[0] = (uintptr_t)runs_at(e, emit_here(e));
        if (k <= FEW) put_apply_to_few(e, n, k);
        emit_constant(e, R_TEMP2, k);
        emit_constant(e, R_TEMP, (int64_t)(uintptr_t)(cell - (APPLY_WORDS - 1)));
        emit_jump(e, common);
    }
}

void native_put_arity_stubs(struct emitter *e, struct vm_native *n) {
    const uint8_t *leave = emit_here(e);
    put_leave(e, n);
    const uint8_t *call = emit_here(e);
    n->stubs.call = runs_at(e, call);
    emit_load(e, R_TEMP, at_base(R_ENV, 0));
    emit_load_32(e, R_8, native_entry_of_code(R_TEMP, ENTRY_TAKES));
    emit_alu(e, ALU_COMPARE, R_8, R_TEMP2);
    uint8_t *differs = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_jump_memory(e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
    emit_link(e, differs, emit_here(e));
    uint8_t *more = emit_jump_if_forward(e, C_BELOW);
    emit_alu_constant(e, ALU_COMPARE, R_8, TAKES_RESTART);
    uint8_t *restart = emit_jump_if_forward(e, C_EQUAL);
    put_partial(e, n, leave);
    emit_link(e, restart, emit_here(e));
    const uint8_t *to_restart = emit_here(e);
    put_restart(e, leave, call);
    emit_link(e, more, emit_here(e));
    put_more(e, n, leave);
    for (uint32_t k = 1; k <= FEW; k++) {
        n->stubs.calls[k] = runs_at(e, emit_here(e));
        put_call_of_few(e, k);
        emit_align(e, 16, 0);
        n->stubs.other_arity[k] = runs_at(e, emit_here(e));
        put_other_arity(e, n, k, to_restart, leave);
    }
    put_apply(e, n, call);
    for (uint32_t k = 1; k <= MOST_ARGUMENTS; k++) {
        n->stubs.loop_calls[k] = runs_at(e, emit_here(e));
        emit_constant(e, R_TEMP, (int64_t)val_of_int((intptr_t)k - 1));
        emit_jump(e, n->stubs.slow_entry - e->run_offset);
    }
    for (uint32_t k = FEW + 1; k <= MOST_ARGUMENTS; k++) {
        n->stubs.calls[k] = n->stubs.other_arity[k] = runs_at(e, emit_here(e));
        emit_constant(e, R_TEMP2, k);
        emit_jump(e, call);
    }
}
