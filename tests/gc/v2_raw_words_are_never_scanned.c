/* V2, V4, V5: blocks from TAG_NO_SCAN on are raw bytes; strings and double arrays keep theirs. */
#include "tests/gc/gc_test.h"

static void words_that_look_like_pointers_keep_nothing_alive(void **state) {
    struct gc_test *t = *state;
    value list = gc_test_list(t, 10);
    t->root[0] = list;
    gc_minor(&t->g);
    t->root[1] = gc_alloc(&t->g, 2, TAG_ABSTRACT);
    field(t->root[1], 0) = t->root[0];
    field(t->root[1], 1) = 0;
    t->root[0] = VAL_UNIT;
    struct gc_walk_stats walk;
    gc_test_cycle(t);
    gc_test_cycle(t);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_words, 3);
}

static void strings_of_every_length(void **state) {
    struct gc_test *t = *state;
    for (size_t n = 0; n < 4000; n += 1 + n / 20) {
        t->root[0] = gc_alloc_string(&t->g, n);
        memset(string_bytes(t->root[0]), 'x', n);
        gc_test_cycle(t);
        assert_int_equal(string_length(t->root[0]), n);
        assert_int_equal(wosize_of(t->root[0]), n / 8 + 1);
        for (size_t i = 0; i < n; i++) assert_int_equal(string_bytes(t->root[0])[i], 'x');
        assert_int_equal(string_bytes(t->root[0])[n], n % 8 == 7 ? 0 : string_bytes(t->root[0])[n]);
    }
}

static void doubles(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_copy_double(&t->g, 1.5);
    t->root[1] = gc_alloc(&t->g, 1000, TAG_DOUBLE_ARRAY);
    for (size_t i = 0; i < 1000; i++) set_double_field(t->root[1], i, (double)i / 3);
    gc_test_cycle(t);
    assert_true(double_of_val(t->root[0]) == 1.5);
    for (size_t i = 0; i < 1000; i++) assert_true(double_field(t->root[1], i) == (double)i / 3);
}

GC_TEST_MAIN(GC_TEST(words_that_look_like_pointers_keep_nothing_alive),
             GC_TEST(strings_of_every_length), GC_TEST(doubles))
