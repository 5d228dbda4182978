/* F1, F2, F3: which finalisers become ready, when, in which order. Integers
 * serve as functions: the collector never calls them. */
#include "tests/gc/gc_test.h"

/* Takes one ready finaliser, which must be that of function number n. Returns its argument. */
static value take(struct gc_test *t, intptr_t n) {
    value f, argument;
    assert_true(gc_next_finaliser(&t->g, &f, &argument));
    assert_int_equal(f, val_of_int(n));
    return argument;
}

static void a_dead_value_is_due_and_alive(void **state) {
    struct gc_test *t = *state;
    gc_finalise(&t->g, val_of_int(1), gc_test_list(t, 40));
    gc_minor(&t->g);
    assert_false(gc_finalisers_ready(&t->g));
    gc_test_cycle(t);
    assert_true(gc_finalisers_ready(&t->g));
    assert_true(t->g.action_requested);
    gc_test_cycle(t);
    t->root[0] = take(t, 1);
    gc_test_check_list(t->root[0], 40);
    assert_false(gc_finalisers_ready(&t->g));
    gc_test_cycle(t);
    gc_test_check_list(t->root[0], 40);
}

static void a_living_value_is_not_due(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 5);
    gc_finalise(&t->g, val_of_int(1), t->root[0]);
    gc_finalise_last(&t->g, val_of_int(2), t->root[0]);
    for (int i = 0; i < 3; i++) gc_test_cycle(t);
    assert_false(gc_finalisers_ready(&t->g));
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    gc_test_check_list(take(t, 1), 5);
    assert_false(gc_finalisers_ready(&t->g)); /* the value is still alive */
    gc_test_cycle(t);
    assert_int_equal(take(t, 2), VAL_UNIT);
}

static void the_newest_comes_first(void **state) {
    struct gc_test *t = *state;
    for (int i = 0; i < 100; i++) {
        if (i % 7 == 0) gc_minor(&t->g);
        gc_finalise(&t->g, val_of_int(i), gc_test_list(t, 1 + i));
    }
    gc_test_cycle(t);
    for (int i = 100; i-- > 0;) gc_test_check_list(take(t, i), 1 + i);
}

static void values_that_refer_to_each_other_are_due_together(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 3);
    gc_finalise(&t->g, val_of_int(1), t->root[0]);
    gc_finalise(&t->g, val_of_int(2), field(t->root[0], 1));
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    take(t, 2);
    take(t, 1);
}

static void last_of_a_young_value_is_due_after_a_minor_collection(void **state) {
    struct gc_test *t = *state;
    value f = gc_test_list(t, 9);
    GC_ROOT(&t->g, &f);
    value v = gc_test_list(t, 4);
    gc_finalise_last(&t->g, f, v);
    f = v = VAL_UNIT;
    t->root[0] = gc_test_list(t, 2);
    gc_finalise_last(&t->g, val_of_int(3), t->root[0]);
    gc_minor(&t->g);
    value argument;
    assert_true(gc_next_finaliser(&t->g, &f, &argument));
    gc_test_check_list(f, 9);
    assert_int_equal(argument, VAL_UNIT);
    assert_false(gc_finalisers_ready(&t->g));
}

static void last_of_a_promoted_value(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 4);
    gc_finalise_last(&t->g, val_of_int(1), t->root[0]);
    gc_minor(&t->g);
    t->root[0] = VAL_UNIT;
    gc_minor(&t->g);
    assert_false(gc_finalisers_ready(&t->g));
    gc_test_cycle(t);
    assert_int_equal(take(t, 1), VAL_UNIT);
    assert_int_equal(t->g.final.last.count, 0);
}

static void weak_keys_stay_while_finalised(void **state) {
    struct gc_test *t = *state;
    value w = t->root[0] = gc_ephe_create(&t->g, 1);
    value v = gc_test_list(t, 4);
    gc_ephe_set(&t->g, w, EPHE_FIRST_KEY, v);
    gc_finalise(&t->g, val_of_int(1), v);
    gc_test_cycle(t);
    assert_true(gc_ephe_is_set(&t->g, w, EPHE_FIRST_KEY));
    take(t, 1);
    gc_test_cycle(t);
    assert_false(gc_ephe_is_set(&t->g, w, EPHE_FIRST_KEY));
}

static void the_same_value_twice(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 2);
    gc_finalise(&t->g, val_of_int(1), t->root[0]);
    gc_finalise(&t->g, val_of_int(2), t->root[0]);
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    t->root[0] = take(t, 2);
    assert_int_equal(take(t, 1), t->root[0]);
}

static void an_infix_closure_is_passed_as_such(void **state) {
    struct gc_test *t = *state;
    value v = gc_alloc(&t->g, 5, TAG_CLOSURE);
    field(v, 0) = val_of_int(1);
    field(v, 1) = make_closinfo(1, 5);
    field(v, 2) = (value)make_header(3, TAG_INFIX, 0);
    field(v, 3) = val_of_int(12);
    field(v, 4) = make_closinfo(1, 2);
    gc_finalise(&t->g, val_of_int(1), v + 24);
    gc_test_cycle(t);
    value argument = take(t, 1);
    assert_int_equal(tag_of(argument), TAG_INFIX);
    assert_int_equal(field(argument, 0), val_of_int(12));
}

GC_TEST_MAIN(GC_TEST(a_dead_value_is_due_and_alive), GC_TEST(a_living_value_is_not_due),
             GC_TEST(the_newest_comes_first),
             GC_TEST(values_that_refer_to_each_other_are_due_together),
             GC_TEST(last_of_a_young_value_is_due_after_a_minor_collection),
             GC_TEST(last_of_a_promoted_value), GC_TEST(weak_keys_stay_while_finalised),
             GC_TEST(the_same_value_twice), GC_TEST(an_infix_closure_is_passed_as_such))
