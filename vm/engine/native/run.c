/* run.c - entering and leaving machine code; the code that all functions share. */
#include "gc/heap.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/engine/emit_threaded.h"
#include "vm/engine/loop.h"
#include "vm/engine/native/arity.h"
#include "vm/engine/native/check_code.h"
#include "vm/engine/native/errors.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/gdb_interface.h"
#include "vm/engine/native/native.h"
#include "vm/engine/native/padding.h"
#include "vm/engine/native/perf_map.h"
#include "vm/engine/slow.h"
#include "vm/stack/frame_layout.h"
#include "vm/state/alloc.h"

#include <stdlib.h>

/* The registers at an exit, which the stub `exit` pushes on the C stack. */
struct native_registers {
    uintptr_t reg[R_COUNT];
    double xmm[X_COUNT];
};
_Static_assert(sizeof(struct native_registers) == NATIVE_EXIT_SAVES, "compiler.h");

typedef void native_enter(struct domain *d, struct vm_native_state *state, uintptr_t address,
                          const struct native_entry *entries);

static void leave(struct domain *d, const struct native_registers *found, uint32_t position,
                  struct vm_native_state *state);

/* ---- Stubs. ---- */

const int native_kept[NATIVE_KEPT] = {R_BP, R_BASE, R_ENV, R_DOMAIN, R_YOUNG, R_TABLE};

#define STATE(member) at_base(R_TEMP2, (int32_t)offsetof(struct vm_native_state, member))

/* The native_enter function. The state's address stays on top of the C stack. */
static void put_run(struct emitter *e) {
    for (int i = 0; i < NATIVE_KEPT; i++) emit_push(e, native_kept[i]);
    emit_push(e, R_ARG2);
    emit_move(e, R_DOMAIN, R_ARG1);
    emit_move(e, R_TABLE, R_TEMP); /* the fourth argument */
    emit_move(e, R_TEMP2, R_ARG2);
    emit_load(e, R_YOUNG, DOMAIN(gc.young_ptr));
    emit_load(e, R_BASE, STATE(sp));
    emit_load(e, R_ENV, STATE(env));
    emit_load(e, R_A, STATE(accu));
    emit_jump_register(e, R_ARG3);
}

/* Returns to the caller of native_enter. */
static void put_end(struct emitter *e) {
    emit_pop(e, R_TEMP);
    for (int i = NATIVE_KEPT; i-- > 0;) emit_pop(e, native_kept[i]);
    emit_return(e);
}

static void put_exit(struct emitter *e) {
    static const int registers[] = {R_A,    R_ARG3, R_BASE, R_BP, R_ARG2,
                                    R_ARG1, R_8,    R_9,    R_10, R_ENV};
    emit_alu_constant(e, ALU_SUB, R_C_STACK, NATIVE_EXIT_SAVES);
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        emit_store(e, at_base(R_C_STACK, 8 * registers[i]), registers[i]);
    for (int x = 0; x < X_VALUES; x++)
        emit_float_store(e, at_base(R_C_STACK, 8 * (R_COUNT + x)), x);
    emit_store(e, DOMAIN(gc.young_ptr), R_YOUNG);
    emit_move(e, R_ARG1, R_DOMAIN);
    emit_move(e, R_ARG2, R_C_STACK);
    emit_move(e, R_ARG3, R_TEMP);
    emit_load(e, R_TEMP, at_base(R_C_STACK, NATIVE_EXIT_SAVES));
    emit_call_c(e, (uintptr_t)leave);
    emit_alu_constant(e, ALU_ADD, R_C_STACK, NATIVE_EXIT_SAVES);
    put_end(e);
}

/* Stores sp, E and young_ptr for the loop, if machine code leaves without an exit. */
static void put_state(struct emitter *e) {
    emit_load(e, R_TEMP2, at_base(R_C_STACK, 0));
    emit_store(e, STATE(sp), R_BASE);
    emit_store(e, STATE(env), R_ENV);
    emit_store(e, DOMAIN(gc.young_ptr), R_YOUNG);
}

/* Returns to the loop, at the return address in R_TEMP; the word below R_BASE is X. */
static void put_return(struct emitter *e) {
    put_state(e);
    emit_store(e, STATE(pc), R_TEMP);
    emit_store(e, STATE(accu), R_A);
    emit_load(e, R_TEMP, at_base(R_BASE, -8));
    emit_store(e, STATE(extra_args), R_TEMP);
    put_end(e);
}

/* Leaves to the loop, which calls E; R_TEMP is X. */
static void put_slow_entry(struct emitter *e) {
    put_state(e);
    emit_store(e, STATE(extra_args), R_TEMP);
    emit_store(e, STATE(accu), R_ENV);
    emit_store_constant(e, STATE(pc), 0);
    put_end(e);
}

/* Calls a C function with the domain, R_TEMP and R_TEMP2, which neither collects nor runs other
 * code; its result is in R_TEMP. Preserves the registers of values, those of floats too if
 * `floats`. */
static void put_light_call(struct emitter *e, uintptr_t function, bool floats) {
    enum { SAVED = NATIVE_LIGHT_SAVES };
    static const int saved[SAVED] = {R_A, R_ARG3, R_ARG2, R_ARG1, R_8, R_9, R_10};
    const int xmms = floats ? X_VALUES : 0;
    for (int i = 0; i < SAVED; i++) emit_push(e, saved[i]);
    emit_alu_constant(e, ALU_SUB, R_C_STACK, 8 * xmms);
    for (int x = 0; x < xmms; x++) emit_float_store(e, at_base(R_C_STACK, 8 * x), x);
    emit_move(e, R_ARG1, R_DOMAIN);
    emit_move(e, R_ARG2, R_TEMP);
    emit_move(e, R_ARG3, R_TEMP2);
    emit_call_c(e, function);
    emit_move(e, R_TEMP, R_A);
    for (int x = 0; x < xmms; x++) emit_float_load(e, x, at_base(R_C_STACK, 8 * x));
    emit_alu_constant(e, ALU_ADD, R_C_STACK, 8 * xmms);
    for (int i = SAVED; i-- > 0;) emit_pop(e, saved[i]);
    emit_return(e);
}

/* R_TEMP2 is a young block. If it is stored in a slot without one, the slot is added to the
 * remembered set, where there is room for it; gives the sites of jumps where there is none, or the
 * old content may have to be marked. */
static void put_store_of_young(struct emitter *e, uint8_t *slow[2]) {
    const int old = R_8, count = R_8;
    emit_push(e, R_8);
    emit_load(e, old, at_base(R_TEMP, 0));
    emit_test_byte(e, old, 1);
    uint8_t *is_int = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_alu_load(e, ALU_COMPARE, old, DOMAIN(gc.young_start));
    uint8_t *below = emit_jump_if_forward(e, C_BELOW);
    emit_alu_load(e, ALU_COMPARE, old, DOMAIN(gc.young_end));
    uint8_t *remembered = emit_jump_if_forward(e, C_BELOW);
    emit_link(e, below, emit_here(e));
    emit_compare_byte(e, DOMAIN(gc.marking), 0);
    slow[0] = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_link(e, is_int, emit_here(e));
    emit_load(e, count, DOMAIN(gc.minor.remembered.count));
    emit_alu_load(e, ALU_COMPARE, count, DOMAIN(gc.minor.remembered.capacity));
    slow[1] = emit_jump_if_forward(e, C_EQUAL);
    emit_store(e, at_base(R_TEMP, 0), R_TEMP2);
    emit_load(e, R_TEMP2, DOMAIN(gc.minor.remembered.items));
    emit_store(e, at_index(R_TEMP2, count, 3, 0), R_TEMP);
    emit_add_memory(e, DOMAIN(gc.minor.remembered.count), 1);
    emit_pop(e, R_8);
    emit_return(e);
    emit_link(e, remembered, emit_here(e));
    emit_store(e, at_base(R_TEMP, 0), R_TEMP2);
    emit_pop(e, R_8);
    emit_return(e);
}

/* Stores R_TEMP2 in the slot R_TEMP of a block that is not young, or an integer in any block, as
 * gc_store_slow does, which it calls in rare cases. Changes both registers. */
static void put_store(struct emitter *e, bool floats) {
    uint8_t *slow[2];
    emit_test_byte(e, R_TEMP2, 1);
    uint8_t *is_int = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_alu_load(e, ALU_COMPARE, R_TEMP2, DOMAIN(gc.young_start));
    uint8_t *below = emit_jump_if_forward(e, C_BELOW);
    emit_alu_load(e, ALU_COMPARE, R_TEMP2, DOMAIN(gc.young_end));
    uint8_t *is_young = emit_jump_if_forward(e, C_BELOW);
    emit_link(e, is_int, emit_here(e));
    emit_link(e, below, emit_here(e));
    emit_compare_byte(e, DOMAIN(gc.marking), 0);
    uint8_t *direct = emit_jump_if_forward(e, C_EQUAL);
    emit_test_memory_byte(e, at_base(R_TEMP, 0), 1);
    uint8_t *replaces_block = emit_jump_if_forward(e, C_EQUAL);
    emit_link(e, direct, emit_here(e));
    emit_store(e, at_base(R_TEMP, 0), R_TEMP2);
    emit_return(e);
    emit_link(e, is_young, emit_here(e));
    put_store_of_young(e, slow);
    emit_link(e, slow[0], emit_here(e));
    emit_link(e, slow[1], emit_here(e));
    emit_pop(e, R_8);
    emit_link(e, replaces_block, emit_here(e));
    put_light_call(e, (uintptr_t)gc_store_slow, floats);
}

/* The public method of the object, whose tag and index are the operands; 0: it has none. */
static value find_method(struct domain *d, value object, uintptr_t *operands) {
    return vm_slow_public_method(object, (value)operands[0], &operands[1]);
}

bool native_is_called_by_stubs(uintptr_t function) {
    return function == (uintptr_t)leave || function == (uintptr_t)gc_store_slow ||
           function == (uintptr_t)find_method;
}

/* Whether the strings R_TEMP and R_TEMP2 are equal, in the flags. Strings of one size in words have
 * one length if their last words are equal. Changes both registers. */
static void put_string_equal(struct emitter *e) {
    const int words = R_8, word = R_9;
    emit_push(e, words);
    emit_push(e, word);
    emit_load(e, words, at_base(R_TEMP, -8));
    emit_load(e, word, at_base(R_TEMP2, -8));
    emit_shift(e, SHIFT_RIGHT, words, 10);
    emit_shift(e, SHIFT_RIGHT, word, 10);
    emit_alu(e, ALU_COMPARE, words, word);
    uint8_t *differ = emit_jump_if_forward(e, C_NOT_EQUAL);
    const uint8_t *next = emit_here(e);
    emit_load(e, word, at_index(R_TEMP, words, 3, -8));
    emit_alu_load(e, ALU_COMPARE, word, at_index(R_TEMP2, words, 3, -8));
    uint8_t *differs = emit_jump_if_forward(e, C_NOT_EQUAL);
    emit_alu_constant(e, ALU_SUB, words, 1);
    emit_jump_if(e, C_NOT_EQUAL, next);
    emit_link(e, differ, emit_here(e));
    emit_link(e, differs, emit_here(e));
    emit_pop(e, word);
    emit_pop(e, words);
    emit_return(e);
}

static void put_stubs(const struct vm *vm, struct vm_native *n) {
    struct emitter e = {.start = n->memory.writable,
                        .at = n->memory.writable,
                        .end = n->memory.writable + CODE_MEMORY_BYTES,
                        .run_offset = n->memory.executable - n->memory.writable,
                        .pads = n->pads};
    n->stubs.run = runs_at(&e, emit_here(&e));
    put_run(&e);
    n->stubs.slow_entry = runs_at(&e, emit_here(&e));
    put_slow_entry(&e);
    n->stubs.leave = runs_at(&e, emit_here(&e));
    emit_constant(&e, R_TEMP2, (int64_t)(uintptr_t)vm->fiber_code.address);
    emit_alu(&e, ALU_COMPARE, R_TEMP, R_TEMP2);
    uint8_t *to_boundary = emit_jump_if_forward(&e, C_EQUAL);
    put_return(&e);
    native_put_arity_stubs(&e, n);
    n->stubs.switched = runs_at(&e, emit_here(&e));
    native_put_switched(&e, n);
    emit_link(&e, to_boundary, emit_here(&e));
    native_put_fiber_returned(&e, n);
    n->stubs.exit = runs_at(&e, emit_here(&e));
    put_exit(&e);
    n->stubs.store = runs_at(&e, emit_here(&e));
    put_store(&e, false);
    n->stubs.store_saving_floats = runs_at(&e, emit_here(&e));
    put_store(&e, true);
    n->stubs.find_method = runs_at(&e, emit_here(&e));
    put_light_call(&e, (uintptr_t)find_method, false);
    n->stubs.string_equal = runs_at(&e, emit_here(&e));
    put_string_equal(&e);
    native_put_error_stubs(&e, n);
    n->memory.used = (size_t)(e.at - e.start);
}

/* ---- The machine's. ---- */

/* Only instructions of x86-64 can be emitted. */
static bool is_wanted(const struct vm *vm) {
#ifndef __x86_64__
    return false;
#endif
    return vm->options.jit != VM_JIT_OFF && !vm_counts_instructions(vm) &&
           !vm->options.track_functions;
}

void vm_native_create(struct vm *vm) {
    if (!is_wanted(vm)) return;
    struct vm_native *n = vm_must(calloc(1, sizeof *n));
    n->always = vm->options.jit == VM_JIT_ALL;
    n->stress = n->stress_left = vm->options.jit_stress;
    n->pads = n->stress > 0 || cpu_needs_padding();
    vm->native = n;
}

bool native_begin(struct vm *vm) {
    struct vm_native *n = vm->native;
    struct vm_decoded_area *area = vm->decoded_area;
    if (n->begun) return !n->forbidden;
    n->begun = n->forbidden = true;
    if (area->capacity - area->used < NATIVE_REST_WORDS * MAX_SPREAD ||
        !code_memory_create(&n->memory, vm->options.perf_map))
        return false;
    n->table_bytes = EXPECTED_WORDS * sizeof *n->expected.words +
                     (vm->function_capacity + (size_t)1) * sizeof *n->entries;
    size_t granule = (size_t)1 << 16;
    n->table_bytes = (n->table_bytes + granule - 1) / granule * granule;
    n->expected.words = vm_reserve(&n->table_bytes, n->table_bytes);
    if (n->expected.words == NULL) return false;
    n->entries = (struct native_entry *)(n->expected.words + EXPECTED_WORDS);
    gc_set_weak_words(&vm->domain->gc, &n->expected);
    n->return_body = (uint32_t)(uintptr_t)vm_loop_bodies(vm)[ENGINE_NATIVE_RETURN];
    native_put_apply_rest(vm, n);
    put_stubs(vm, n);
    if (native_checks_code(vm)) native_require_shared_code(vm);
    if (vm->options.perf_map) n->perf_map = native_perf_map_open(vm_err(vm));
    n->debugged = native_is_debugged();
    native_report_stubs(n);
    n->forbidden = false;
    return true;
}

void vm_native_destroy(struct vm *vm) {
    struct vm_native *n = vm->native;
    if (n == NULL) return;
    native_free_compiling(n);
    native_memory_free(&n->scratch);
    if (n->perf_map != NULL) fclose(n->perf_map);
    native_gdb_remove(&n->gdb_files, NULL);
    code_memory_destroy(&n->memory);
    gc_set_weak_words(&vm->domain->gc, NULL);
    if (n->expected.words != NULL) vm_release(n->expected.words, n->table_bytes);
    gc_external_uncharge(vm->domain->gc.heap, n->charged);
    free(n->exits.words);
    free(n->refusals);
    free(n);
    vm->native = NULL;
}

enum { HOT_COUNT = 1000 };

uintptr_t vm_native_threshold(const struct vm *vm) { return vm->native->always ? 1 : HOT_COUNT; }

bool vm_native_counts(const struct vm *vm) { return vm->native != NULL; }

/* ---- Runs. ---- */

static uint64_t wide(const uint32_t *w) { return (uint64_t)w[2] << 32 | w[1]; }

/* The value that a move stores; unit for a number. */
static value moved(const struct native_registers *found, const value *sp, const uint32_t *w) {
    uint32_t operand = w[0] & 0xfff;
    switch (kind_of_move(w)) {
    case EXIT_REGISTER: return (value)found->reg[operand];
    case EXIT_SMALL: return (value)operand - 2048;
    case EXIT_CONSTANT: return (value)wide(w);
    case EXIT_SLOT: return sp[w[1]];
    case EXIT_XMM: break;
    }
    return VAL_UNIT;
}

/* The destination of a move, in the loop's state or while registers are saved. */
static value *place_of_move(value *a, value *sp, const uint32_t *w) {
    uint32_t slot = w[0] >> 16;
    if (w[0] & EXIT_CONTENT) return &field(sp[slot], 0);
    return slot == EXIT_SLOT_A ? a : &sp[slot];
}

/* Performs a move of v. If it sets the content of a block, that block is in its slot already. */
static void move(struct domain *d, value *a, value *sp, const uint32_t *w, value v) {
    if (w[0] & EXIT_CONTENT) gc_store(&d->gc, sp[w[0] >> 16], 0, v);
    else *place_of_move(a, sp, w) = v;
}

static value boxed(struct domain *d, const struct native_registers *found, uint32_t xmm,
                   enum native_number number) {
    int64_t bits;
    memcpy(&bits, &found->xmm[xmm], sizeof bits);
    switch (number) {
    case NUMBER_INT32: return copy_int32(d, (int32_t)bits);
    case NUMBER_INT64: return copy_int64(d, bits);
    case NUMBER_NATIVEINT: return copy_nativeint(d, bits);
    case NUMBER_DOUBLE: break;
    }
    return copy_double(d, found->xmm[xmm]);
}

/* Boxes a number as an allocation of the instruction that made it, with the loop's registers saved
 * (E2): a collection may run, a sample may be taken. moves: all of the exit. A value that several
 * words hold stays one block. */
static void box(struct domain *d, const struct native_registers *found, const uint32_t *moves,
                const uint32_t *w) {
    uint32_t operand = w[0] & 0xfff;
    for (const uint32_t *before = moves; before < w; before += words_of_move(before)) {
        if (kind_of_move(before) != EXIT_XMM || (before[0] & 0xfff) != operand) continue;
        value *sp = d->stack.sp + SAVED_WORDS;
        move(d, &d->accu, sp, w, *place_of_move(&d->accu, sp, before));
        return;
    }
    d->stack.sp[1] = (value)wide(w);
    value block = boxed(d, found, operand & 15, (enum native_number)(operand >> 4));
    move(d, &d->accu, d->stack.sp + SAVED_WORDS, w, block);
}

static void box_numbers(struct domain *d, const struct native_registers *found,
                        const uint32_t *exit, struct vm_native_state *state) {
    d->stack.sp = state->sp - SAVED_WORDS;
    d->stack.sp[0] = state->env, d->stack.sp[2] = val_of_int(0);
    d->accu = state->accu;
    const uint32_t *w = exit + EXIT_HEAD_WORDS;
    for (uint32_t moves = exit[EXIT_MOVES]; moves > 0; moves--, w += words_of_move(w))
        if (kind_of_move(w) == EXIT_XMM) box(d, found, exit + EXIT_HEAD_WORDS, w);
    state->sp = d->stack.sp + SAVED_WORDS;
    state->env = d->stack.sp[0];
    state->accu = d->accu;
    d->accu = VAL_UNIT;
}

/* N5 */
static void leave(struct domain *d, const struct native_registers *found, uint32_t position,
                  struct vm_native_state *state) {
    struct vm_native *n = d->vm->native;
    uint32_t *exit = n->exits.words + position;
    const uint32_t *w = exit + EXIT_HEAD_WORDS;
    bool numbers = false;
    n->exit_count++;
    exit[EXIT_TAKEN] += exit[EXIT_TAKEN] != UINT32_MAX;
    state->pc = d->vm->decoded_area->words + exit[EXIT_DECODED];
    state->sp = (value *)found->reg[R_BASE] + (int32_t)exit[EXIT_SP];
    state->env = (value)found->reg[R_ENV];
    state->extra_args = val_of_int(0);
    for (uint32_t moves = exit[EXIT_MOVES]; moves > 0; moves--, w += words_of_move(w)) {
        value v = moved(found, state->sp, w);
        if (w[0] >> 16 == EXIT_SLOT_ENV) state->env = v;
        else move(d, &state->accu, state->sp, w, v);
        numbers |= kind_of_move(w) == EXIT_XMM;
    }
    if (numbers) box_numbers(d, found, exit, state);
}

void vm_native_run(struct domain *d, uintptr_t address, struct vm_native_state *state) {
    const struct vm_native *n = d->vm->native;
    native_enter *enter = (native_enter *)(uintptr_t)n->stubs.run;
    ASSERT(state->extra_args == val_of_int(0)); /* N3 */
    enter(d, state, address, n->entries);
}

bool vm_native_spread(struct domain *d, struct vm_native_state *state) {
    const struct vm_function *f = &d->vm->functions[function_of_closure(state->env)];
    intptr_t rest = int_of_val(state->extra_args), takes = f->grabs != 0 ? f->grabs : 1;
    if (rest > MAX_SPREAD || f->kind != FUNCTION_CLOSURE) return false;
    value *sp = state->sp -= 3;
    for (intptr_t i = 0; i < takes; i++) sp[i] = sp[i + 3];
    sp[takes] = (value)d->vm->native->apply_rest[rest];
    sp[takes + 1] = VAL_UNIT, sp[takes + 2] = val_of_int(0);
    state->extra_args = val_of_int(0);
    return true;
}
