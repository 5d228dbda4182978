/* P1, P2: while nearly everything survives, small blocks of all sizes and kinds are promoted next
 * to the blocks that lead to them, and what dies among them becomes gaps. */
#include "gc/walk.h"
#include "tests/gc/gc_test.h"

enum { ITEMS = 6000, KINDS = 4 };

/* A block of three fields, with a reference, a float and a string of two words. */
static value item(struct gc_test *t, intptr_t i) {
    value ref = VAL_UNIT, number = VAL_UNIT, text = VAL_UNIT;
    GC_ROOT(&t->g, &ref, &number, &text);
    ref = gc_alloc_small(&t->g, 1, 7);
    field(ref, 0) = val_of_int(i);
    number = gc_copy_double(&t->g, (double)i);
    text = gc_copy_string(&t->g, "fifteen letters", 15);
    value v = gc_alloc_small(&t->g, 3, 0);
    field(v, 0) = ref;
    field(v, 1) = number;
    field(v, 2) = text;
    return v;
}

static void check_item(value v, intptr_t i) {
    assert_int_equal(wosize_of(v), 3);
    assert_int_equal(field(field(v, 0), 0), val_of_int(i));
    assert_true(double_of_val(field(v, 1)) == (double)i);
    assert_string_equal(string_bytes(field(v, 2)), "fifteen letters");
}

static value items(struct gc_test *t, intptr_t n) {
    value list = VAL_EMPTY_LIST;
    GC_ROOT(&t->g, &list);
    for (intptr_t i = 0; i < n; i++) {
        value v = item(t, i);
        list = gc_test_pair(t, v, list);
    }
    return list;
}

/* Integers stand for items that were removed. */
static void check_items(value list, intptr_t n) {
    for (intptr_t i = n - 1; i >= 0; i--, list = field(list, 1))
        if (is_block(field(list, 0))) check_item(field(list, 0), i);
    assert_int_equal(list, VAL_EMPTY_LIST);
}

static bool is_mixed(const struct gc_test *t, value v) {
    return gc_is_mixed(gc_span_of(t->g.heap, v));
}

/* All that the first cycle finds survives, so new items get mixed spans when the others are full.
 * root[0] and root[1] are the lists. */
static void fill_mixed_spans(struct gc_test *t) {
    t->root[0] = items(t, ITEMS);
    gc_test_reach(t, PHASE_SWEEP);
    t->root[1] = items(t, ITEMS);
    gc_minor(&t->g);
    gc_verify(&t->g, "while mixed spans are filled");
}

static void blocks_of_all_kinds_share_mixed_spans(void **state) {
    struct gc_test *t = *state;
    fill_mixed_spans(t);
    assert_true(t->g.heap->mixing);
    size_t mixed[KINDS] = {0}, together = 0;
    for (value list = t->root[1]; is_block(list); list = field(list, 1)) {
        value v = field(list, 0);
        mixed[0] += is_mixed(t, v);
        for (unsigned i = 0; i < 3; i++) mixed[i + 1] += is_mixed(t, field(v, i));
        together += gc_span_of(t->g.heap, v) == gc_span_of(t->g.heap, field(v, 0));
    }
    for (unsigned kind = 0; kind < KINDS; kind++) assert_true(mixed[kind] > ITEMS / 8);
    assert_true(together > ITEMS / 8);
    check_items(t->root[0], ITEMS);
    check_items(t->root[1], ITEMS);
}

static void what_dies_in_mixed_spans_becomes_gaps(void **state) {
    struct gc_test *t = *state;
    fill_mixed_spans(t);
    for (value list = t->root[1]; is_block(list); list = field(list, 1)) {
        value v = field(list, 0);
        intptr_t i = int_of_val(field(field(v, 0), 0));
        if (i % 3 == 0) gc_store(&t->g, list, 0, VAL_UNIT);
    }
    gc_test_reach(t, PHASE_IDLE);
    gc_test_cycle(t);
    gc_verify(&t->g, "after the items died");
    struct gc_stats before = gc_stats_read(&t->g);
    t->root[2] = items(t, ITEMS / 4);
    gc_minor(&t->g);
    gc_verify(&t->g, "after the gaps were filled");
    assert_int_equal(gc_stats_read(&t->g).heap_words, before.heap_words);
    gc_test_cycle(t);
    for (int i = 0; i < 2; i++) check_items(t->root[i], ITEMS);
    check_items(t->root[2], ITEMS / 4);
}

/* Items are promoted into mixed spans until these shall get no more; meanwhile blocks of their
 * sizes were allocated in the major heap, in spans of their classes. */
static void classes_follow_mixed_spans(void **state) {
    struct gc_test *t = *state;
    fill_mixed_spans(t);
    gc_test_reach(t, PHASE_IDLE);
    t->g.heap->mixing = true;
    t->root[0] = items(t, ITEMS);
    gc_minor(&t->g);
    assert_ptr_equal(t->g.heap->promotion[0][2], &t->g.heap->mixed);
    for (size_t i = 0; i < 100; i++) {
        t->root[i + 2] = gc_alloc_major(&t->g, 3, 0);
        for (size_t k = 0; k < 3; k++) gc_init_field(&t->g, t->root[i + 2], k, VAL_UNIT);
    }
    t->g.heap->mixing = false;
    t->root[0] = items(t, ITEMS);
    gc_minor(&t->g);
    gc_verify(&t->g, "after the last mixed span");
    check_items(t->root[0], ITEMS);
    check_items(t->root[1], ITEMS);
}

/* An item in a mixed span. */
static value mixed_item(struct gc_test *t) {
    fill_mixed_spans(t);
    value list = t->root[1];
    while (!is_mixed(t, field(list, 0))) list = field(list, 1);
    return field(list, 0);
}

static void a_truncated_block_leaves_a_gap(void **state) {
    struct gc_test *t = *state;
    for (size_t wosize = 1; wosize < 3; wosize++) {
        value v = t->root[3] = mixed_item(t);
        assert_int_equal(gc_block_of_field(&t->g, &field(v, 2)), v);
        gc_truncate(&t->g, v, wosize);
        gc_verify(&t->g, "after the truncation");
        t->root[0] = t->root[1] = VAL_UNIT;
        gc_test_cycle(t);
        gc_verify(&t->g, "after a cycle");
        assert_int_equal(wosize_of(t->root[3]), wosize);
    }
}

static void break_header(struct gc_test *t) {
    *header_ptr(mixed_item(t)) = make_header(9000, 0, t->g.heap->live_colour);
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_header_that_does_not_fit(void **state) {
    struct gc_test *t = *state;
    char text[500];
    assert_true(gc_test_in_child(break_header, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "P1 broken"));
}

GC_TEST_MAIN(GC_TEST(blocks_of_all_kinds_share_mixed_spans),
             GC_TEST(what_dies_in_mixed_spans_becomes_gaps), GC_TEST(classes_follow_mixed_spans),
             GC_TEST(a_truncated_block_leaves_a_gap),
             GC_TEST(the_verifier_finds_a_header_that_does_not_fit))
