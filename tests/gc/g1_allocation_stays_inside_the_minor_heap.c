/* G1: young_ptr stays aligned and between its bounds, whatever is allocated. */
#include "tests/gc/gc_test.h"

static void pointers_are_ordered(void **state) {
    struct gc_test *t = *state;
    for (int i = 0; i < 20000; i++) {
        size_t wosize = 1 + gc_test_random(t, MAX_YOUNG_WOSIZE);
        value v = gc_alloc_small(&t->g, wosize, TAG_STRING);
        assert_true(gc_is_young(&t->g, v));
        assert_true(t->g.young_start <= t->g.young_ptr && t->g.young_ptr <= t->g.young_end);
        assert_int_equal(t->g.young_ptr % 8, 0);
        assert_int_equal(wosize_of(v), wosize);
        string_bytes(v)[8 * wosize - 1] = 7;
    }
}

static void blocks_follow_each_other_downwards(void **state) {
    struct gc_test *t = *state;
    gc_minor(&t->g);
    value a = gc_alloc_small(&t->g, 2, TAG_STRING), b = gc_alloc_small(&t->g, 3, TAG_STRING);
    assert_int_equal(a - b, 8 * 4);
    field(a, 1) = field(b, 2) = 0;
}

GC_TEST_MAIN(GC_TEST(pointers_are_ordered), GC_TEST(blocks_follow_each_other_downwards))
