/* F1, F2, F3: the verifier finds finalisers with a dead value or a young one. */
#include "tests/gc/gc_test.h"

static char text[500];

static void claim_old(struct gc_test *t) {
    gc_finalise(&t->g, VAL_UNIT, gc_test_list(t, 1));
    t->g.final.first.old = 1;
    gc_verify(&t->g, "test");
}

static void a_young_value_among_promoted_ones(void **state) {
    assert_true(gc_test_in_child(claim_old, *state, text, sizeof text) != 0);
    assert_non_null(strstr(text, "F3 broken"));
}

static void lose_value(struct gc_test *t) {
    gc_finalise(&t->g, VAL_UNIT, t->root[0]);
    gc_minor(&t->g);
    t->g.final.first.items[0].argument += 8;
    gc_verify(&t->g, "test");
}

static void a_finalised_value_that_is_no_block(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 1);
    assert_true(gc_test_in_child(lose_value, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "F1 broken"));
}

static void lose_last(struct gc_test *t) {
    gc_finalise_last(&t->g, VAL_UNIT, t->root[0]);
    gc_minor(&t->g);
    t->g.final.last.items[0].argument += 8;
    gc_verify(&t->g, "test");
}

static void a_last_value_that_is_no_block(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 1);
    assert_true(gc_test_in_child(lose_last, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "F2 broken"));
}

static void functions_move_with_minor_collections(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 5);
    for (int i = 0; i < 200; i++) {
        if (i % 2) gc_finalise(&t->g, gc_test_list(t, i), t->root[0]);
        else gc_finalise_last(&t->g, gc_test_list(t, i), t->root[0]);
        if (i % 13 == 0) gc_minor(&t->g);
    }
    for (int i = 0; i < 3; i++) gc_test_cycle(t);
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    gc_test_cycle(t);
    value f, v;
    for (int i = 199; i > 0; i -= 2) {
        assert_true(gc_next_finaliser(&t->g, &f, &v));
        gc_test_check_list(f, i);
        gc_test_check_list(v, 5);
    }
    gc_test_cycle(t);
    for (int i = 198; i >= 0; i -= 2) {
        assert_true(gc_next_finaliser(&t->g, &f, &v));
        gc_test_check_list(f, i);
        assert_int_equal(v, VAL_UNIT);
    }
    assert_false(gc_finalisers_ready(&t->g));
}

GC_TEST_MAIN(GC_TEST(a_young_value_among_promoted_ones),
             GC_TEST(a_finalised_value_that_is_no_block), GC_TEST(a_last_value_that_is_no_block),
             GC_TEST(functions_move_with_minor_collections))
