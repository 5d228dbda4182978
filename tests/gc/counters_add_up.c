/* The counters of stats.def and the heap walk agree with what was allocated and with each other. */
#include "tests/gc/gc_test.h"

static void words_are_conserved(void **state) {
    struct gc_test *t = *state;
    struct gc_stats a, b;
    size_t words = 0;
    a = gc_stats_read(&t->g);
    for (int i = 0; i < 20000; i++) {
        size_t wosize = 1 + gc_test_random(t, i % 100 == 0 ? 2000 : 30);
        value v = gc_alloc(&t->g, wosize, 0);
        words += wosize + 1;
        t->root[gc_test_random(t, ROOT_COUNT)] = v;
    }
    b = gc_stats_read(&t->g);
    size_t counted = (b.minor_words - a.minor_words) + (b.major_words - a.major_words) -
                     (b.promoted_words - a.promoted_words);
    assert_int_equal(counted, words);
    assert_true(b.minor_collections > a.minor_collections);
    assert_true(b.top_heap_words >= b.heap_words);
}

static void live_free_and_fragments_are_the_heap(void **state) {
    struct gc_test *t = *state;
    struct gc_stats stats;
    struct gc_walk_stats walk;
    size_t live = 0, blocks = 0;
    for (int i = 0; i < ROOT_COUNT; i++) {
        size_t wosize = 1 + gc_test_random(t, i % 10 == 0 ? 5000 : 250);
        t->root[i] = gc_alloc(&t->g, wosize, 0);
        if (i % 2 == 0) {
            t->root[i] = VAL_UNIT;
            continue;
        }
        live += wosize + 1;
        blocks++;
    }
    gc_test_cycle(t);
    gc_stats_walk(&t->g, &walk);
    stats = gc_stats_read(&t->g);
    assert_int_equal(walk.live_words, live);
    assert_int_equal(walk.live_blocks, blocks);
    assert_int_equal(walk.live_words + walk.free_words + walk.fragments, stats.heap_words);
    assert_true(walk.largest_free_words <= walk.free_words);
    assert_true(walk.fragments < walk.live_words / 4 + 48 * 300);
}

struct count {
    size_t blocks, words;
};
static void the_walk_meets_every_block(void **state) {
    struct gc_test *t = *state;
    struct gc_walk_stats walk;
    t->root[0] = gc_test_list(t, 1000);
    t->root[1] = gc_alloc(&t->g, 700, 0);
    gc_test_list(t, 30);
    gc_minor(&t->g);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_blocks, 1001);
    assert_int_equal(walk.live_words, 3000 + 701);
}

static void cycles_and_collections_are_counted(void **state) {
    struct gc_test *t = *state;
    struct gc_stats a, b;
    a = gc_stats_read(&t->g);
    gc_test_list(t, 1);
    gc_minor(&t->g);
    gc_full_major_cycle(&t->g);
    gc_test_list(t, 1);
    gc_finish_major_cycle(&t->g);
    gc_compact(&t->g);
    b = gc_stats_read(&t->g);
    assert_int_equal(b.minor_collections - a.minor_collections, 2);
    assert_int_equal(b.major_collections - a.major_collections, 3);
    assert_int_equal(b.compactions - a.compactions, 1);
    assert_int_equal(b.forced_major_collections - a.forced_major_collections, 2);
}

GC_TEST_MAIN(GC_TEST(words_are_conserved), GC_TEST(live_free_and_fragments_are_the_heap),
             GC_TEST(the_walk_meets_every_block), GC_TEST(cycles_and_collections_are_counted))
