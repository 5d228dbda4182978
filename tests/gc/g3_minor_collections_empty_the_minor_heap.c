/* G3: after a minor collection the minor heap and the remembered set are empty. */
#include "tests/gc/gc_test.h"

static void nothing_is_young_or_remembered(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_alloc_major(&t->g, 1, 0);
    gc_init_field(&t->g, t->root[0], 0, VAL_UNIT);
    gc_store(&t->g, t->root[0], 0, gc_test_list(t, 50));
    assert_true(t->g.minor.remembered.count > 0);
    gc_minor(&t->g);
    assert_int_equal(t->g.young_ptr, t->g.young_end);
    assert_int_equal(t->g.minor.remembered.count, 0);
}

static void dead_blocks_are_not_promoted(void **state) {
    struct gc_test *t = *state;
    struct gc_stats before, after;
    t->root[0] = gc_test_list(t, 10);
    gc_test_list(t, 1000);
    before = gc_stats_read(&t->g);
    gc_minor(&t->g);
    after = gc_stats_read(&t->g);
    assert_int_equal(after.promoted_words - before.promoted_words, 30);
    assert_int_equal(after.minor_words, before.minor_words);
    gc_test_check_list(t->root[0], 10);
}

GC_TEST_MAIN(GC_TEST(nothing_is_young_or_remembered), GC_TEST(dead_blocks_are_not_promoted))
