/* W1, W3: after marking, unreached keys are empty, and the data of their ephemerons too. */
#include "tests/gc/gc_test.h"

#include <time.h>

static value key(struct gc_test *t, value e, size_t i) {
    return gc_ephe_get(&t->g, e, EPHE_FIRST_KEY + i);
}
static void set_key(struct gc_test *t, value e, size_t i, value v) {
    gc_ephe_set(&t->g, e, EPHE_FIRST_KEY + i, v);
}
static bool has_data(struct gc_test *t, value e) { return gc_ephe_is_set(&t->g, e, EPHE_DATA); }
static bool has_key(struct gc_test *t, value e, size_t i) {
    return gc_ephe_is_set(&t->g, e, EPHE_FIRST_KEY + i);
}

static void a_weak_array_drops_what_is_not_reachable_otherwise(void **state) {
    struct gc_test *t = *state;
    for (int old = 0; old < 2; old++) {
        value w = t->root[0] = gc_ephe_create(&t->g, 3);
        t->root[1] = gc_test_list(t, 10);
        set_key(t, w, 0, t->root[1]);
        set_key(t, w, 1, gc_test_list(t, 20));
        set_key(t, w, 2, val_of_int(5));
        assert_true(has_key(t, w, 1));
        if (old) {
            t->root[2] = key(t, w, 1);
            gc_minor(&t->g);
            t->root[2] = VAL_UNIT;
            gc_test_cycle(t);
        } else gc_minor(&t->g);
        assert_int_equal(key(t, w, 0), t->root[1]);
        gc_test_check_list(key(t, w, 0), 10);
        assert_false(has_key(t, w, 1));
        assert_int_equal(key(t, w, 2), val_of_int(5));
    }
}

static void data_lives_as_long_as_all_keys(void **state) {
    struct gc_test *t = *state;
    for (int old = 0; old < 2; old++) {
        t->root[1] = gc_test_list(t, 1);
        t->root[2] = gc_test_list(t, 2);
        value e = t->root[0] = gc_ephe_create(&t->g, 3);
        set_key(t, e, 0, t->root[1]);
        set_key(t, e, 1, t->root[2]);
        gc_ephe_set(&t->g, e, EPHE_DATA, gc_test_list(t, 30));
        if (old) gc_test_cycle(t);
        else gc_minor(&t->g);
        gc_test_check_list(gc_ephe_get(&t->g, e, EPHE_DATA), 30);
        t->root[2] = VAL_UNIT;
        gc_test_cycle(t);
        assert_true(has_key(t, e, 0));
        assert_false(has_key(t, e, 1));
        assert_false(has_data(t, e));
    }
}

static void young_data_dies_with_its_young_key(void **state) {
    struct gc_test *t = *state;
    value e = t->root[0] = gc_ephe_create(&t->g, 2);
    t->root[1] = gc_test_list(t, 3);
    set_key(t, e, 0, t->root[1]);
    set_key(t, e, 1, gc_test_list(t, 4));
    gc_ephe_set(&t->g, e, EPHE_DATA, gc_test_list(t, 30));
    gc_minor(&t->g);
    assert_true(has_key(t, e, 0));
    assert_false(has_key(t, e, 1));
    assert_false(has_data(t, e));
}

static void data_that_refers_to_its_key_does_not_keep_it(void **state) {
    struct gc_test *t = *state;
    value e = t->root[0] = gc_ephe_create(&t->g, 1);
    t->root[1] = gc_test_list(t, 3);
    set_key(t, e, 0, t->root[1]);
    gc_ephe_set(&t->g, e, EPHE_DATA, gc_test_pair(t, t->root[1], VAL_UNIT));
    gc_test_cycle(t);
    assert_true(has_data(t, e));
    t->root[1] = VAL_UNIT;
    gc_test_cycle(t);
    assert_false(has_data(t, e));
    assert_false(has_key(t, e, 0));
}

static void an_ephemeron_that_is_dead_keeps_nothing(void **state) {
    struct gc_test *t = *state;
    struct gc_walk_stats walk;
    t->root[0] = gc_test_list(t, 1);
    value e = t->root[1] = gc_ephe_create(&t->g, 1);
    set_key(t, e, 0, t->root[0]);
    gc_ephe_set(&t->g, e, EPHE_DATA, gc_test_list(t, 100));
    gc_minor(&t->g);
    t->root[1] = VAL_UNIT;
    gc_test_cycle(t);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_words, 3);
    assert_int_equal(t->g.heap->weak.all.count, 0);
}

/* n ephemerons in random order, the data of each the key of the next. */
static void make_chain(struct gc_test *t, size_t n) {
    size_t *order = malloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t i = n; i-- > 1;) {
        size_t j = gc_test_random(t, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    t->root[0] = gc_alloc(&t->g, n, 0);     /* the ephemerons */
    t->root[1] = gc_alloc(&t->g, n + 1, 0); /* the keys */
    for (size_t i = 0; i < n; i++) gc_store(&t->g, t->root[0], i, gc_ephe_create(&t->g, 1));
    for (size_t i = 0; i <= n; i++) gc_store(&t->g, t->root[1], i, gc_test_list(t, 1));
    for (size_t i = 0; i < n; i++) {
        value e = field(t->root[0], order[i]);
        set_key(t, e, 0, field(t->root[1], i));
        gc_ephe_set(&t->g, e, EPHE_DATA, field(t->root[1], i + 1));
    }
    t->root[2] = field(t->root[1], 0);
    gc_minor(&t->g);
    t->root[1] = VAL_UNIT;
    free(order);
}

static void chains_are_followed_in_linear_time(void **state) {
    struct gc_test *t = *state;
    const size_t n = 50000;
    make_chain(t, n);
    t->g.heap->params.verify = false;
    clock_t start = clock();
    gc_test_cycle(t);
    assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
    for (size_t i = 0; i < n; i++) assert_true(has_data(t, field(t->root[0], i)));
    t->root[2] = VAL_UNIT;
    gc_test_cycle(t);
    gc_verify(&t->g, "chain is gone");
    for (size_t i = 0; i < n; i++) assert_false(has_key(t, field(t->root[0], i), 0));
}

static void chains_of_young_blocks(void **state) {
    struct gc_test *t = *state;
    make_chain(t, 200);
    for (size_t i = 0; i < 200; i++) assert_true(has_data(t, field(t->root[0], i)));
}

static void an_ephemeron_reached_only_through_data(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 1);
    t->root[1] = gc_test_list(t, 2);
    value outer = t->root[2] = gc_ephe_create(&t->g, 1), inner = gc_ephe_create(&t->g, 1);
    set_key(t, inner, 0, t->root[1]);
    gc_ephe_set(&t->g, inner, EPHE_DATA, gc_test_list(t, 7));
    set_key(t, outer, 0, t->root[0]);
    gc_ephe_set(&t->g, outer, EPHE_DATA, inner);
    gc_test_cycle(t);
    gc_test_cycle(t);
    inner = gc_ephe_get(&t->g, t->root[2], EPHE_DATA);
    gc_test_check_list(gc_ephe_get(&t->g, inner, EPHE_DATA), 7);
}

static void copies_are_not_ephemerons(void **state) {
    struct gc_test *t = *state;
    value e = t->root[0] = gc_ephe_create(&t->g, 1);
    value copy = t->root[1] = gc_alloc_major(&t->g, wosize_of(e), TAG_ABSTRACT);
    memcpy((void *)copy, (void *)e, 8 * wosize_of(e));
    assert_true(gc_is_ephe(&t->g, e));
    assert_false(gc_is_ephe(&t->g, copy));
    assert_false(gc_is_ephe(&t->g, VAL_UNIT));
    assert_false(gc_is_ephe(&t->g, gc_atom(&t->g, TAG_ABSTRACT)));
}

GC_TEST_MAIN(GC_TEST(a_weak_array_drops_what_is_not_reachable_otherwise),
             GC_TEST(data_lives_as_long_as_all_keys), GC_TEST(young_data_dies_with_its_young_key),
             GC_TEST(data_that_refers_to_its_key_does_not_keep_it),
             GC_TEST(an_ephemeron_that_is_dead_keeps_nothing),
             GC_TEST(chains_are_followed_in_linear_time), GC_TEST(chains_of_young_blocks),
             GC_TEST(an_ephemeron_reached_only_through_data), GC_TEST(copies_are_not_ephemerons))
