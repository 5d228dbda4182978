/* P1, P2: blocks of all small sizes, in both heaps, and the gaps that dead ones leave. */
#include "tests/gc/gc_test.h"

static value filled(struct gc_test *t, size_t wosize, bool old, bool raw) {
    unsigned tag = raw ? TAG_ABSTRACT : 1;
    value v = old ? gc_alloc_major(&t->g, wosize, tag) : gc_alloc(&t->g, wosize, tag);
    for (size_t i = 0; i < wosize; i++) field(v, i) = val_of_int((intptr_t)(wosize * 1000 + i));
    return v;
}

static void check(value v, size_t wosize) {
    assert_int_equal(wosize_of(v), wosize);
    for (size_t i = 0; i < wosize; i++)
        assert_int_equal(field(v, i), val_of_int((intptr_t)(wosize * 1000 + i)));
}

static void every_size_from_every_allocator(void **state) {
    struct gc_test *t = *state;
    for (unsigned door = 0; door < 4; door++) {
        for (size_t n = 1; n < 256; n++) t->root[n] = filled(t, n, door & 1, door & 2);
        gc_test_cycle(t);
        for (size_t n = 1; n < 256; n++) check(t->root[n], n);
        for (size_t n = 1; n < 256; n += 2) t->root[n] = VAL_UNIT;
        gc_test_cycle(t);
        for (size_t n = 1; n < 256; n += 2) t->root[n] = filled(t, n, door & 1, door & 2);
        gc_test_cycle(t);
        for (size_t n = 1; n < 256; n++) check(t->root[n], n);
    }
}

static void gaps_are_filled_before_the_heap_grows(void **state) {
    struct gc_test *t = *state;
    struct gc_stats before, after;
    t->root[0] = gc_test_list(t, 20000);
    t->root[1] = gc_test_list(t, 20000);
    gc_test_cycle(t);
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    before = gc_stats_read(&t->g);
    t->root[0] = gc_test_list(t, 15000);
    gc_minor(&t->g);
    after = gc_stats_read(&t->g);
    assert_int_equal(before.heap_words, after.heap_words);
    gc_test_check_list(t->root[0], 15000);
    gc_test_check_list(t->root[1], 20000);
}

static void break_header(struct gc_test *t) {
    gc_minor(&t->g);
    *header_ptr(t->root[0]) = make_header(5000, 0, t->g.heap->live_colour);
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_header_that_does_not_fit(void **state) {
    struct gc_test *t = *state;
    char text[500];
    t->root[0] = gc_test_pair(t, VAL_UNIT, VAL_UNIT);
    assert_true(gc_test_in_child(break_header, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "P1 broken"));
}

static void break_gaps(struct gc_test *t) {
    gc_minor(&t->g);
    gc_pools_park(t->g.heap);
    gc_span_of(t->g.heap, t->root[0])->gaps = 0;
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_lost_gap(void **state) {
    struct gc_test *t = *state;
    char text[500];
    t->root[0] = gc_test_pair(t, VAL_UNIT, VAL_UNIT);
    assert_true(gc_test_in_child(break_gaps, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "P2 broken"));
}

GC_TEST_MAIN(GC_TEST(every_size_from_every_allocator),
             GC_TEST(gaps_are_filled_before_the_heap_grows),
             GC_TEST(the_verifier_finds_a_header_that_does_not_fit),
             GC_TEST(the_verifier_finds_a_lost_gap))
