/* check_code_test.c - the verifier of machine code accepts a small function with each kind of jump,
 * and refuses it with one thing changed (N7 to N9). real_code.c does that with the code of
 * programs. */
#include "vm/engine/native/check_code.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/decode.h"

/* cmocka.h needs these first. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

enum { STUB_BYTES = 64, CODE = 1024, MOST_BYTES = 2048, OTHER_EXIT = EXIT_HEAD_WORDS };

static uint8_t memory[MOST_BYTES]; /* shared code, then the function's */
static struct vm_native native;
static uint32_t exit_words[2 * EXIT_HEAD_WORDS]; /* two exits without moves; the second is its */
static struct emitter e;
static struct vm_native_table table;
static uint32_t entries[2];
static struct native_checked checked;
/* Where the parts of the function begin. */
static uint8_t *jump_if, *jump, *call_constant, *index_test, *table_address, *push, *pop,
    *exit_code, *sharing_exit, *call_shared, *to_callee, *to_cell, *expected_test, *expected_move,
    *to_expected;
/* The closure that is expected, of function 3, and the table's rows. */
enum { CALLEE = 3, EXPECTED_CODE = 2 * CALLEE + 1, EXPECTED_AT = -8 * EXPECTED_WORDS };
static value expected_closure[3];
static value expected_words[1];
static struct native_entry rows[CALLEE + 2];

static void listed(void) {}
static void other(void) {}

static bool may_call(const void *context, uintptr_t function) {
    return function == (uintptr_t)listed;
}

static void set_stubs(void) {
    struct native_stubs *s = &native.stubs;
    const uint8_t **all[] = {&s->run,         &s->leave, &s->exit,
                             &s->slow_entry,  &s->store, &s->store_saving_floats,
                             &s->find_method, &s->call,  &s->string_equal,
                             &s->switched};
    const uint8_t *at = memory;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) *all[i] = at++;
    for (unsigned i = 0; i < ERROR_COUNT; i++) s->errors[i] = at++;
    for (unsigned i = 1; i <= MOST_ARGUMENTS; i++) {
        s->other_arity[i] = memory + STUB_BYTES + i;
        s->calls[i] = memory + 2 * STUB_BYTES + i;
    }
    native.return_body = 0x1234567;
    expected_closure[0] = (value)make_header(2, TAG_CLOSURE, 0);
    expected_closure[1] = EXPECTED_CODE;
    expected_words[0] = (value)&expected_closure[1];
    native.expected = (struct gc_weak_words){.words = expected_words, .count = 1};
    native.entries = rows;
    rows[CALLEE].address = (uintptr_t)memory;
    native.exits = (struct native_exits){exit_words, 2 * EXIT_HEAD_WORDS, 2 * EXIT_HEAD_WORDS};
}

static void put_table_jump(void) {
    index_test = e.at;
    emit_alu_constant(&e, ALU_COMPARE, R_TEMP, 2);
    uint8_t *site = emit_jump_if_forward(&e, C_ABOVE_EQUAL);
    emit_link(&e, site, exit_code);
    uint8_t *lea = emit_code_address(&e, R_TEMP2);
    emit_load_signed_32(&e, R_TEMP, at_index(R_TEMP2, R_TEMP, 2, 0));
    emit_alu(&e, ALU_ADD, R_TEMP, R_TEMP2);
    emit_jump_register(&e, R_TEMP);
    emit_align(&e, 4, 0);
    table_address = e.at;
    emit_link(&e, lea, table_address);
    emit_table_word(&e);
    emit_table_word(&e);
    emit_link_table(&e, table_address, 0, to_callee);
    emit_link_table(&e, table_address, 1, to_cell);
    table = (struct vm_native_table){(uint32_t)(table_address - e.start), 2};
}

static void put_callee(void) {
    to_callee = e.at;
    emit_compare_memory_32(&e, native_entry_of_code(R_TEMP, ENTRY_TAKES), 3);
    emit_jump_if(&e, C_NOT_EQUAL, native.stubs.other_arity[3]);
    emit_jump_memory(&e, native_entry_of_code(R_TEMP, ENTRY_ADDRESS));
    to_cell = e.at;
    emit_compare_memory_32(&e, at_base(R_TEMP, 0), (int32_t)native.return_body);
    emit_jump_if(&e, C_NOT_EQUAL, native.stubs.leave);
    emit_jump_memory(&e, at_base(R_TEMP, -16));
}

static void put_expected_callee(void) {
    expected_test = e.at;
    emit_alu_load(&e, ALU_COMPARE, R_ARG3, at_base(R_TABLE, EXPECTED_AT));
    emit_jump_if(&e, C_NOT_EQUAL, exit_code);
    emit_constant(&e, R_TEMP2, INT64_MAX);
    emit_store(&e, at_base(R_BASE, 8), R_TEMP2);
    expected_move = e.at;
    emit_move(&e, R_ENV, R_ARG3);
    emit_address(&e, R_BASE, at_base(R_BASE, 8));
    to_expected = e.at;
    emit_jump_memory(&e, at_base(R_TABLE, 8 * EXPECTED_CODE + ENTRY_ADDRESS));
}

/* The function: three calls, a jump over a few instructions, then one by a table. */
static void put_function(void) {
    memset(memory, 0, sizeof memory);
    set_stubs();
    e = (struct emitter){.start = memory + CODE, .at = memory + CODE, .end = memory + MOST_BYTES};
    uint8_t *start = emit_jump_forward(&e);
    put_callee();
    exit_code = e.at;
    emit_constant(&e, R_TEMP, OTHER_EXIT);
    const uint8_t *shared = emit_rare_jump(&e, native.stubs.exit, NULL);
    sharing_exit = e.at;
    emit_constant(&e, R_TEMP, OTHER_EXIT);
    emit_rare_jump(&e, native.stubs.exit, shared);
    entries[0] = 0, entries[1] = (uint32_t)(e.at - e.start);
    emit_link(&e, start, e.at);
    emit_alu(&e, ALU_COMPARE, R_A, R_ARG3);
    uint8_t *around = emit_jump_if_forward(&e, C_EQUAL);
    put_expected_callee();
    emit_link(&e, around, e.at);
    push = e.at;
    emit_push_flags(&e);
    emit_add_memory(&e, at_base(R_BASE, 8), 1000);
    pop = e.at;
    emit_pop_flags(&e);
    jump_if = e.at;
    emit_jump_if(&e, C_EQUAL, exit_code);
    call_constant = e.at;
    emit_call_c(&e, (uintptr_t)listed);
    call_shared = e.at;
    emit_call(&e, native.stubs.store);
    jump = e.at;
    uint8_t *site = emit_jump_forward(&e);
    emit_constant(&e, R_A, INT64_MIN);
    emit_link(&e, site, e.at);
    put_table_jump();
    checked = (struct native_checked){.native = &native,
                                      .written = e.start,
                                      .bytes = (uint32_t)(e.at - e.start),
                                      .tests_indexes = true,
                                      .first_exit = OTHER_EXIT,
                                      .tables = &table,
                                      .table_count = 1,
                                      .entries = entries,
                                      .entry_count = 2,
                                      .may_call = may_call};
}

static void expect(const char *id) {
    struct native_violation found = {"none", 0};
    bool good = native_check_code(&checked, &found);
    if (good || strncmp(found.what, id, strlen(id)) != 0)
        fail_msg("%s expected, found: %s", id, found.what);
    put_function();
}

/* Emits other code in that place. */
#define INSTEAD(place, operation)    \
    do {                             \
        uint8_t *end_of_code = e.at; \
        e.at = (place);              \
        operation;                   \
        e.at = end_of_code;          \
    } while (0)

static int set_up(void **state) {
    put_function();
    return 0;
}

static void it_accepts_the_function(void **state) {
    struct native_violation found = {"none", 0};
    if (!native_check_code(&checked, &found)) fail_msg("%s at %u", found.what, found.offset);
}

static void n7_bytes_that_are_no_listed_instruction(void **state) {
    static const uint8_t unlisted[][2] = {{0xcc}, {0x0f, 0x05}, {0xf4}, {0x0f, 0x0b}, {0xc2}};
    for (unsigned i = 0; i < sizeof unlisted / sizeof *unlisted; i++) {
        memcpy(push, unlisted[i], 2);
        expect("N7");
    }
    checked.bytes -= 1;
    expect("N7");
    table.offset += 4;
    expect("N7");
    checked.table_count = 0; /* its words are not decoded */
    expect("N7");
}

static void n8_jumps_that_lead_to_no_instruction(void **state) {
    INSTEAD(jump, emit_jump(&e, jump + 6));
    expect("N8");
    INSTEAD(jump, emit_jump(&e, e.start + checked.bytes));
    expect("N8");
    INSTEAD(jump, emit_jump(&e, e.start - 3));
    expect("N8");
    INSTEAD(jump_if, emit_jump_if(&e, C_EQUAL, exit_code + 1));
    expect("N8");
    INSTEAD(jump_if, emit_jump_if(&e, C_EQUAL, native.stubs.exit));
    expect("N8");
    emit_link_table(&e, table_address, 1, to_cell + 1);
    expect("N8");
    emit_link_table(&e, table_address, 1, table_address);
    expect("N8");
    entries[1] += 2;
    expect("N8");
    entries[1] = checked.bytes;
    expect("N8");
}

static void n8_calls_that_lead_elsewhere(void **state) {
    INSTEAD(call_constant, emit_call_c(&e, (uintptr_t)other));
    expect("N8");
    INSTEAD(call_shared, emit_call(&e, native.stubs.exit));
    expect("N8");
    INSTEAD(call_shared, emit_call(&e, to_callee));
    expect("N8");
    INSTEAD(jump, emit_jump(&e, call_constant + 10)); /* past the constant */
    expect("N8");
}

static void n8_jumps_without_their_comparison(void **state) {
    INSTEAD(to_callee, emit_compare_memory_32(&e, native_entry_of_code(R_TEMP, ENTRY_TAKES), 2));
    expect("N8");
    INSTEAD(to_cell, emit_compare_memory_32(&e, at_base(R_TEMP, 0), 0x1234568));
    expect("N8");
    INSTEAD(to_cell + 6, emit_jump_if(&e, C_EQUAL, native.stubs.leave));
    expect("N8");
    INSTEAD(index_test, emit_alu_constant(&e, ALU_COMPARE, R_TEMP, 3));
    expect("N8");
    INSTEAD(jump, emit_jump(&e, index_test + 4)); /* past the comparison */
    expect("N8");
    INSTEAD(jump, emit_jump(&e, to_cell + 6));
    expect("N8");
    checked.table_count = 1, table.words = 1; /* then the other word is not decoded */
    expect("N7");
}

static void n8_calls_of_another_closure_than_the_expected_one(void **state) {
    INSTEAD(expected_test, emit_alu_load(&e, ALU_COMPARE, R_8, at_base(R_TABLE, EXPECTED_AT)));
    expect("N8");
    INSTEAD(expected_test,
            emit_alu_load(&e, ALU_COMPARE, R_ARG3, at_base(R_TABLE, EXPECTED_AT + 8)));
    expect("N8");
    INSTEAD(expected_test + 7, emit_jump_if(&e, C_EQUAL, exit_code));
    expect("N8");
    INSTEAD(expected_move, emit_move(&e, R_ENV, R_A));
    expect("N8");
    INSTEAD(expected_move, emit_move(&e, R_ARG3, R_ENV));
    expect("N8");
    INSTEAD(to_expected, emit_jump_memory(&e, at_base(R_TABLE, 16 + 8 * EXPECTED_CODE - 8)));
    expect("N8");
    expected_closure[1] += 2;
    expect("N8");
    expected_words[0] = VAL_UNIT;
    expect("N8");
    rows[CALLEE].address = 0;
    expect("N8");
}

static void n8_exits_of_other_functions(void **state) {
    INSTEAD(exit_code, emit_constant(&e, R_TEMP, 0));
    expect("N8");
    INSTEAD(exit_code, emit_constant(&e, R_TEMP, OTHER_EXIT + 1));
    expect("N8");
    INSTEAD(exit_code, emit_constant(&e, R_ARG3, OTHER_EXIT));
    expect("N8");
}

static void n8_exits_that_share_a_jump(void **state) {
    INSTEAD(sharing_exit, emit_constant(&e, R_TEMP, 0));
    expect("N8");
    INSTEAD(sharing_exit, emit_constant(&e, R_A, OTHER_EXIT));
    expect("N8");
    INSTEAD(jump_if, emit_jump_if(&e, C_EQUAL, exit_code + 5)); /* past the constant */
    expect("N8");
    emit_link_table(&e, table_address, 1, sharing_exit + 5);
    expect("N8");
}

static void n9_fixed_registers_that_change(void **state) {
    static const int fixed[] = {R_C_STACK, R_DOMAIN, R_TABLE};
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        INSTEAD(jump + 5, emit_constant(&e, fixed[i], INT64_MIN));
        expect("N9");
    }
}

static void n9_words_left_on_the_c_stack(void **state) {
    INSTEAD(pop, emit_push_flags(&e));
    expect("N9");
    INSTEAD(push, emit_pop_flags(&e));
    expect("N9");
    INSTEAD(push, emit_align(&e, 64, 1 + (unsigned)((uintptr_t)push % 64))); /* one NOP */
    expect("N9");
    INSTEAD(jump, emit_jump(&e, pop));
    expect("N9");
}

static void nv6_jumps_that_are_not_padded(void **state) {
    checked.pads = true;
    expect("NV6");
}

/* Of the changes of one byte, some make another instruction that is listed. */
static void most_other_bytes_are_refused(void **state) {
    unsigned refused = 0, all = 0;
    for (uint32_t i = 0; i < checked.bytes; i++) {
        for (unsigned change = 1; change < 256; change++, all++) {
            struct native_violation found;
            memory[CODE + i] ^= (uint8_t)change;
            refused += !native_check_code(&checked, &found);
            memory[CODE + i] ^= (uint8_t)change;
        }
    }
    assert_true(refused > all / 10 * 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_accepts_the_function, set_up),
        cmocka_unit_test_setup(n7_bytes_that_are_no_listed_instruction, set_up),
        cmocka_unit_test_setup(n8_jumps_that_lead_to_no_instruction, set_up),
        cmocka_unit_test_setup(n8_calls_that_lead_elsewhere, set_up),
        cmocka_unit_test_setup(n8_jumps_without_their_comparison, set_up),
        cmocka_unit_test_setup(n8_calls_of_another_closure_than_the_expected_one, set_up),
        cmocka_unit_test_setup(n8_exits_of_other_functions, set_up),
        cmocka_unit_test_setup(n8_exits_that_share_a_jump, set_up),
        cmocka_unit_test_setup(n9_fixed_registers_that_change, set_up),
        cmocka_unit_test_setup(n9_words_left_on_the_c_stack, set_up),
        cmocka_unit_test_setup(nv6_jumps_that_are_not_padded, set_up),
        cmocka_unit_test_setup(most_other_bytes_are_refused, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
