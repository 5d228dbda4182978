/* padding_test.c - jumps of padded code lie within lines (NV6); padding changes nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <string.h>

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
        cmocka_unit_test(code_without_padding_is_not_moved),
        cmocka_unit_test(padding_without_room_stays_in_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
