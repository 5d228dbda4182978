/* padding_test.c - jumps of padded code lie within lines (NV6); padding changes nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <string.h>

#include "vm/engine/native/decode.h"
#include "vm/engine/native/emit.h"
#include "vm/engine/native/padding.h"

enum { LINES = 8, LONGEST = 64 };

static void jump_if(struct emitter *e) { emit_jump_if_forward(e, C_EQUAL); }
static void jump(struct emitter *e) { emit_jump_forward(e); }
static void jump_to_register(struct emitter *e) { emit_jump_register(e, R_9); }
static void jump_to_memory(struct emitter *e) { emit_jump_memory(e, at_base(R_ENV, 1000)); }
static void call(struct emitter *e) { emit_call(e, e->start); }
static void compare_registers(struct emitter *e) {
    emit_alu(e, ALU_COMPARE, R_A, R_9);
    jump_if(e);
}
static void compare_with_constant(struct emitter *e) {
    emit_alu_constant(e, ALU_COMPARE, R_A, 1000);
    jump_if(e);
}
static void compare_with_memory(struct emitter *e) {
    emit_alu_load(e, ALU_COMPARE, R_A, at_index(R_9, R_8, 3, -8));
    jump_if(e);
}
static void compare_memory(struct emitter *e) {
    emit_compare_memory(e, at_index(R_9, R_8, 3, 1000), 1000);
    jump_if(e);
}
static void compare_memory_32(struct emitter *e) {
    emit_compare_memory_32(e, at_base(R_9, 1000), 1000);
    jump_if(e);
}
static void compare_byte(struct emitter *e) {
    emit_compare_byte(e, at_base(R_A, -8), 252);
    jump_if(e);
}
static void test_byte(struct emitter *e) {
    emit_test_byte(e, R_A, 1);
    jump_if(e);
}
static void test_memory_byte(struct emitter *e) {
    emit_test_memory_byte(e, at_base(R_8, 16), 1);
    jump_if(e);
}

static void (*const jumps[])(struct emitter *) = {
    jump_if,
    jump,
    jump_to_register,
    jump_to_memory,
    call,
    emit_return,
    compare_registers,
    compare_with_constant,
    compare_with_memory,
    compare_memory,
    compare_memory_32,
    compare_byte,
    test_byte,
    test_memory_byte,
};

static _Alignas(JUMP_LINE) uint8_t bytes[LINES * JUMP_LINE];

static struct emitter emitter_at(unsigned place, bool pads) {
    memset(bytes, 0xcc, sizeof bytes);
    return (struct emitter){
        .start = bytes, .at = bytes + place, .end = bytes + sizeof bytes, .pads = pads};
}

static void nv6_jumps_lie_within_lines(void **state) {
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        uint8_t plain[LONGEST];
        struct emitter e = emitter_at(0, false);
        jumps[i](&e);
        size_t length = (size_t)(e.at - bytes);
        memcpy(plain, bytes, length);
        for (unsigned place = 0; place < JUMP_LINE; place++) {
            e = emitter_at(place, true);
            jumps[i](&e);
            size_t end = (size_t)(e.at - bytes), start = end - length;
            assert_int_equal(start / JUMP_LINE, end / JUMP_LINE);
            assert_int_equal(start, place + length < JUMP_LINE ? place : place ? JUMP_LINE : 0);
            if (jumps[i] != call) assert_memory_equal(bytes + start, plain, length);
        }
    }
}

/* The number of instructions from there to e's; the first one must have `prefixes`. */
static unsigned count_instructions(const struct emitter *e, unsigned place, unsigned prefixes) {
    struct native_decoded d;
    unsigned count = 0;
    for (const uint8_t *at = bytes + place; at < e->at; at += d.length, count++) {
        assert_true(native_decode(at, e->at, &d));
        if (count == 0) assert_int_equal(d.prefixes, prefixes);
    }
    return count;
}

static unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

static void instructions_before_a_jump_become_longer(void **state) {
    enum { MOVE = 3, COMPARE = 4, JUMP_IF = 6 };
    for (unsigned place = 0; place < JUMP_LINE; place++) {
        unsigned padding = jump_padding(bytes + place + 2 * MOVE, COMPARE + JUMP_IF);
        unsigned second = min(padding, LONGEST_ENCODING - MOVE), first = padding - second;
        struct emitter e = emitter_at(place, true);
        emit_move(&e, R_8, R_9);
        emit_move(&e, R_9, R_10);
        emit_alu_constant(&e, ALU_COMPARE, R_8, 1);
        jump_if(&e);
        assert_int_equal(count_instructions(&e, place, first), 4);
        assert_int_equal(count_instructions(&e, place + MOVE + first, second), 3);
    }
}

static void what_has_an_address_is_not_moved(void **state) {
    for (unsigned place = 0; place < JUMP_LINE; place++) {
        struct emitter e = emitter_at(place, true);
        emit_move(&e, R_8, R_9);
        const uint8_t *here = emit_here(&e);
        emit_jump_register(&e, R_9);
        unsigned padding = jump_padding(here, 3);
        assert_ptr_equal(e.at, here + padding + 3);
        assert_int_equal(count_instructions(&e, place, 0), padding > 0 ? 3 : 2);
    }
}

/* Only the last instruction of a row becomes longer for a jump in the next one. */
static void rows_begin_after_the_last_instruction_of_others(void **state) {
    struct emitter e = emitter_at(JUMP_LINE - 6 - 8, true);
    emit_move(&e, R_8, R_9);
    emit_move(&e, R_9, R_10);
    const uint8_t *row = emit_row(&e);
    emit_compare_memory(&e, at_base(R_9, 0), 1000); /* 8 bytes after 6 */
    assert_int_equal(count_instructions(&e, JUMP_LINE - 6 - 8, 0), 3);
    assert_ptr_equal(row, bytes + JUMP_LINE - 8);
}

static void padding_of_a_jump_is_refused(void **state) {
    uint8_t code[] = {PADDING_PREFIX, 0xc3};
    struct native_decoded d;
    assert_true(native_decode(code + 1, code + sizeof code, &d));
    assert_false(native_decode(code, code + sizeof code, &d));
}

static void code_without_padding_is_not_moved(void **state) {
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        struct emitter e = emitter_at(0, false);
        jumps[i](&e);
        ptrdiff_t length = e.at - bytes;
        for (unsigned place = 1; place < JUMP_LINE; place++) {
            e = emitter_at(place, false);
            jumps[i](&e);
            assert_int_equal(e.at - (bytes + place), length);
        }
    }
}

static void padding_without_room_stays_in_its_memory(void **state) {
    for (unsigned room = 40; room < 80; room++) {
        struct emitter e = emitter_at(0, true);
        e.end = bytes + room;
        for (int i = 0; i < 100; i++) compare_memory(&e);
        assert_true(e.full);
        for (size_t i = room; i < sizeof bytes; i++) assert_int_equal(bytes[i], 0xcc);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nv6_jumps_lie_within_lines),
        cmocka_unit_test(instructions_before_a_jump_become_longer),
        cmocka_unit_test(what_has_an_address_is_not_moved),
        cmocka_unit_test(rows_begin_after_the_last_instruction_of_others),
        cmocka_unit_test(padding_of_a_jump_is_refused),
        cmocka_unit_test(code_without_padding_is_not_moved),
        cmocka_unit_test(padding_without_room_stays_in_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
