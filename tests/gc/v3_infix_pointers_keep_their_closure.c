/* V3: every word of a closure is a value; a pointer to an inner function keeps the whole block. */
#include "tests/gc/gc_test.h"

/* Two mutually recursive functions with one captured variable. */
static value two_functions(struct gc_test *t, value captured) {
    GC_ROOT(&t->g, &captured);
    value v = gc_alloc(&t->g, 6, TAG_CLOSURE);
    gc_init_field(&t->g, v, 0, val_of_int(11));
    gc_init_field(&t->g, v, 1, make_closinfo(1, 5));
    gc_init_field(&t->g, v, 2, (value)make_header(3, TAG_INFIX, 0));
    gc_init_field(&t->g, v, 3, val_of_int(12));
    gc_init_field(&t->g, v, 4, make_closinfo(1, 2));
    gc_init_field(&t->g, v, 5, captured);
    return v;
}

static void check(value infix) {
    assert_int_equal(tag_of(infix), TAG_INFIX);
    value closure = block_start(infix);
    assert_int_equal(tag_of(closure), TAG_CLOSURE);
    assert_int_equal(field(closure, 0), val_of_int(11));
    assert_int_equal(field(infix, 0), val_of_int(12));
    gc_test_check_list(field(closure, 5), 20);
}

static void through_promotion_and_cycles(void **state) {
    struct gc_test *t = *state;
    value list = gc_test_list(t, 20);
    value closure = two_functions(t, list);
    t->root[0] = closure + 24;
    t->root[1] = closure;
    gc_minor(&t->g);
    assert_int_equal(t->root[0], t->root[1] + 24);
    t->root[1] = VAL_UNIT;
    for (int i = 0; i < 3; i++) {
        gc_test_cycle(t);
        check(t->root[0]);
    }
}

static void infix_first_in_scan_order(void **state) {
    struct gc_test *t = *state;
    value closure = two_functions(t, gc_test_list(t, 20));
    t->root[0] = closure + 24;
    gc_minor(&t->g);
    check(t->root[0]);
}

static void weak_pointers_to_inner_functions(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_ephe_create(&t->g, 1);
    t->root[1] = two_functions(t, gc_test_list(t, 20)) + 24;
    gc_ephe_set(&t->g, t->root[0], EPHE_FIRST_KEY, t->root[1]);
    gc_minor(&t->g);
    for (int i = 0; i < 3; i++) {
        value key = gc_ephe_get(&t->g, t->root[0], EPHE_FIRST_KEY);
        assert_int_equal(key, t->root[1]);
        check(key);
        gc_test_cycle(t);
    }
    t->root[1] = VAL_UNIT;
    gc_test_cycle(t);
    assert_false(gc_ephe_is_set(&t->g, t->root[0], EPHE_FIRST_KEY));
}

static void break_closure(struct gc_test *t) {
    gc_minor(&t->g);
    field(t->root[0], 1) = make_closinfo(1, 100);
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_bad_environment(void **state) {
    struct gc_test *t = *state;
    char text[500];
    t->root[0] = two_functions(t, VAL_UNIT);
    assert_true(gc_test_in_child(break_closure, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "V3 broken"));
}

GC_TEST_MAIN(GC_TEST(through_promotion_and_cycles), GC_TEST(infix_first_in_scan_order),
             GC_TEST(weak_pointers_to_inner_functions),
             GC_TEST(the_verifier_finds_a_bad_environment))
