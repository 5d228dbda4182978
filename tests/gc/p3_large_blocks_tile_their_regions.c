/* P3, P4: blocks above 256 words, and the spans that they take and free. */
#include "tests/gc/gc_test.h"

static void stamp(value v, size_t wosize) {
    field(v, 0) = field(v, wosize - 1) = val_of_int((intptr_t)wosize);
}
static void check(value v) {
    if (is_int(v)) return;
    assert_int_equal(field(v, 0), val_of_int((intptr_t)wosize_of(v)));
    assert_int_equal(field(v, wosize_of(v) - 1), field(v, 0));
}

static void random_sizes_are_allocated_and_freed(void **state) {
    struct gc_test *t = *state;
    for (int round = 0; round < 40; round++) {
        for (int k = 0; k < 40; k++) {
            size_t wosize = 257 + gc_test_random(t, k % 10 == 0 ? 60000 : 3000);
            size_t i = gc_test_random(t, 64);
            t->root[i] = gc_alloc(&t->g, wosize, gc_test_random(t, 2) ? 0 : TAG_ABSTRACT);
            stamp(t->root[i], wosize);
        }
        if (round % 3 == 0) gc_test_cycle(t);
        if (round % 5 == 0) gc_test_reach(t, PHASE_SWEEP);
        gc_verify(&t->g, "round");
        for (int i = 0; i < 64; i++) check(t->root[i]);
    }
}

static void memory_of_dead_blocks_is_used_again(void **state) {
    struct gc_test *t = *state;
    for (int i = 0; i < 60; i++) {
        t->root[0] = gc_alloc(&t->g, 100000, TAG_ABSTRACT);
        gc_test_cycle(t);
    }
    struct gc_stats stats = gc_stats_read(&t->g);
    assert_true(stats.heap_words < 10 * 100000);
}

static void truncation_frees_the_tail(void **state) {
    struct gc_test *t = *state;
    struct gc_walk_stats walk;
    t->root[0] = gc_alloc(&t->g, 20000, 0);
    gc_store(&t->g, t->root[0], 15000, gc_test_list(t, 10));
    gc_truncate(&t->g, t->root[0], 300);
    gc_verify(&t->g, "truncated");
    gc_minor_collect(&t->g);
    struct gc_stats stats = gc_stats_read(&t->g);
    assert_int_equal(stats.promoted_words, 0); /* the list died with the tail */
    t->root[1] = gc_test_pair(t, VAL_UNIT, VAL_UNIT);
    t->root[2] = gc_alloc(&t->g, 9, 0);
    gc_truncate(&t->g, t->root[2], 1);
    gc_verify(&t->g, "truncated young");
    gc_test_cycle(t);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_words, 301 + 3 + 2);
}

static void compaction_gives_memory_back(void **state) {
    struct gc_test *t = *state;
    struct gc_stats before, after;
    t->root[1] = gc_test_list(t, 100);
    for (int i = 0; i < 30; i++)
        t->root[0] = gc_test_pair(t, gc_alloc(&t->g, 100000, TAG_ABSTRACT), t->root[0]);
    before = gc_stats_read(&t->g);
    t->root[0] = VAL_UNIT;
    gc_compact(&t->g);
    gc_verify(&t->g, "compacted");
    after = gc_stats_read(&t->g);
    assert_int_equal(after.compactions, before.compactions + 1);
    assert_true(after.heap_words < before.heap_words / 4);
    assert_true(after.top_heap_words >= before.heap_words);
    gc_test_check_list(t->root[1], 100);
    t->root[0] = gc_alloc(&t->g, 1000000, 0);
    gc_verify(&t->g, "grown again");
}

static void break_count(struct gc_test *t) {
    t->g.heap->free_span_count++;
    gc_verify(&t->g, "test");
}

static void the_verifier_counts_spans(void **state) {
    char text[500];
    assert_true(gc_test_in_child(break_count, *state, text, sizeof text) != 0);
    assert_non_null(strstr(text, "P4 broken"));
}

GC_TEST_MAIN(GC_TEST(random_sizes_are_allocated_and_freed),
             GC_TEST(memory_of_dead_blocks_is_used_again), GC_TEST(truncation_frees_the_tail),
             GC_TEST(compaction_gives_memory_back), GC_TEST(the_verifier_counts_spans))
