/* A program that allocates large blocks and little else has a heap in proportion to its live data.
 * */
#include "tests/gc/gc_test.h"

enum { SLOTS = 1000, WORDS = 300, ROUNDS = 60 };

static void stores_do_not_prolong_marking(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_alloc(&t->g, SLOTS, 0);
    for (int i = 0; i < ROUNDS * SLOTS; i++) {
        value block = gc_alloc(&t->g, WORDS, TAG_STRING);
        field(block, WORDS - 1) = 0;
        gc_store(&t->g, t->root[0], i < SLOTS ? i : gc_test_random(t, SLOTS), block);
    }
    struct gc_stats stats = gc_stats_read(&t->g);
    assert_true(stats.major_collections > 10);
    assert_true(stats.top_heap_words < 4 * SLOTS * (WORDS + 1));
}

/* Everything that is swept is alive, so that sweeping frees nothing. */
static void a_search_for_a_free_run_ends(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_alloc(&t->g, 40 * SLOTS, 0);
    for (int i = 0; i < 20 * SLOTS; i++) {
        value block = gc_alloc(&t->g, WORDS, TAG_STRING);
        field(block, WORDS - 1) = 0;
        gc_store(&t->g, t->root[0], i, block);
    }
    gc_test_reach(t, PHASE_IDLE);
    gc_test_reach(t, PHASE_SWEEP);
    size_t from = t->g.heap->region_cursor;
    gc_alloc(&t->g, 100 * WORDS, TAG_STRING);
    assert_int_equal(t->g.heap->phase, PHASE_SWEEP);
    size_t spans = t->g.heap->region_cursor - from;
    assert_true(spans > 0);
    assert_true(spans < t->g.heap->region_end / 2);
}

GC_TEST_MAIN(GC_TEST(stores_do_not_prolong_marking), GC_TEST(a_search_for_a_free_run_ends))
