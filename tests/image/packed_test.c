/* packed_test.c - what vm_unpack_group gives is what vm_pack was given: words of every length, all
 * codes of heights, instructions that reach over groups. */
#include "vm/code/opcodes.h"
#include "vm/code/packed.h"
#include "vm/code/verify.h"

/* cmocka.h needs these first. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>

enum { COUNT = 20000 };

static uint32_t words[COUNT];
static uint8_t heights[COUNT];

static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint32_t draw_operand(uint32_t *state) {
    static const uint32_t edges[] = {0,     1,     223,    224,    4319,       4320,      65535,
                                     65536, ~0u,   ~2047u, ~2048u, ~65535u,    ~65536u,   1u << 31,
                                     255,   4351u, 100000, ~1u,    0x7fffffff, 0x01020304};
    return edges[draw(state) % (sizeof edges / sizeof edges[0])];
}

/* Instructions of all kinds up to the end of the words, with any operands and heights. */
static void fill(uint32_t seed) {
    uint32_t state = seed, width;
    for (uint32_t pc = 0; pc < COUNT; pc += width) {
        uint32_t op = draw(&state) % OPCODE_COUNT;
        if (vm_fixed_words[op] == 0 && pc + 1 == COUNT) op = OP_PUSH;
        words[pc] = op;
        heights[pc] = (uint8_t)(draw(&state) % 8 == 0 ? draw(&state) % HEIGHT_NONE : pc % 5);
        width = vm_fixed_words[op];
        for (uint32_t i = pc + 1; i < COUNT && (width == 0 || i < pc + width); i++) {
            words[i] = width == 0 ? draw(&state) % 200 : draw_operand(&state);
            heights[i] = HEIGHT_NONE;
            if (width == 0) width = (uint32_t)vm_varying_words(op, words[i]);
        }
    }
}

static void told(void *context, uint32_t count) {
    uint32_t *last = context;
    assert_true(count > *last && count <= COUNT);
    *last = count;
}

static void check(uint32_t count) {
    struct vm_packed packed;
    struct vm_unpacked unpacked;
    uint32_t last = 0;
    assert_true(vm_pack(&packed, words, heights, count, told, &last));
    assert_true(vm_unpacked_create(&unpacked, &packed));
    for (uint32_t pc = 0; pc < count; pc++) {
        vm_unpacked_need(&unpacked, &packed, pc, pc);
        assert_int_equal(unpacked.words[pc], words[pc]);
        assert_int_equal(unpacked.heights[pc], heights[pc]);
        if (pc % 700 == 0) vm_unpacked_settle(&unpacked, &packed);
        if (pc % 7 != 0) continue;
        assert_int_equal(vm_packed_word(&packed, pc), words[pc]);
        uint32_t width = heights[pc] == HEIGHT_NONE
                             ? 0
                             : vm_instruction_words(words, pc, COUNT + 1000, OPCODE_COUNT);
        if (pc + 1 < count) assert_int_equal(vm_packed_look(&packed, pc).width, width);
    }
    vm_unpacked_free(&unpacked);
    vm_packed_free(&packed);
}

static void unpacking_gives_what_was_packed(void **state) {
    for (uint32_t seed = 1; seed <= 20; seed++) {
        fill(seed);
        check(COUNT - seed % 3 * 31);
    }
}

static void one_word_is_a_fragment(void **state) {
    words[0] = OP_STOP;
    heights[0] = 0;
    check(1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacking_gives_what_was_packed),
        cmocka_unit_test(one_word_is_a_fragment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
