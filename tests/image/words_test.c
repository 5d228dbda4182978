/* words_test.c - the words of a fragment come back as they were given, by one and by group. */
#include "vm/code/words.h"

/* cmocka.h needs these first. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { COUNT = 20000 };

static uint32_t words[COUNT];

static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill(uint32_t seed) {
    static const uint32_t edges[] = {
        0,       1,          254,      255, 256, 0x7fff,   0x8000,   0xffff,
        0x10000, 0x7fffffff, 1u << 31, ~1u, ~0u, -0x7fffu, -0x8000u, -0x8001u,
    };
    enum { EDGES = sizeof edges / sizeof edges[0] };
    uint32_t state = seed, wide = seed % 3; /* of 4 */
    for (uint32_t pc = 0; pc < COUNT; pc++) {
        words[pc] = draw(&state) % 4 < wide ? edges[draw(&state) % EDGES] : draw(&state) % 200;
    }
}

static void check(uint32_t count) {
    struct vm_words kept;
    uint32_t group[WORD_GROUP];
    assert_true(vm_words_make(&kept, words, count));
    for (uint32_t pc = 0; pc < count; pc++) {
        assert_int_equal(vm_word(&kept, pc), words[pc]);
        if (pc % WORD_GROUP == 0) vm_words_of_group(&kept, pc / WORD_GROUP, group);
        assert_int_equal(group[pc % WORD_GROUP], words[pc]);
    }
    vm_words_free(&kept);
}

static void words_come_back(void **state) {
    for (uint32_t seed = 1; seed <= 20; seed++) {
        fill(seed);
        check(COUNT - seed % 3 * 31);
    }
}

static void one_word_is_a_fragment(void **state) { check(1); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_back),
        cmocka_unit_test(one_word_is_a_fragment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
