/* M2, M3: the mark stack is empty outside marking, dead blocks exist only in unswept spans. */
#include "tests/gc/gc_test.h"

static void mark_stack_is_empty_outside_marking(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_list(t, 3000);
    gc_test_reach(t, PHASE_MARK);
    assert_false(gc_mark_is_done(t->g.heap));
    gc_test_reach(t, PHASE_SWEEP);
    assert_true(gc_mark_is_done(t->g.heap));
    gc_test_reach(t, PHASE_IDLE);
    assert_true(gc_mark_is_done(t->g.heap));
    gc_test_check_list(t->root[0], 3000);
}

static void allocation_while_sweeping_reuses_the_dead(void **state) {
    struct gc_test *t = *state;
    struct gc_stats before, after;
    for (int i = 0; i < 100; i++) t->root[i] = gc_test_list(t, 500);
    gc_minor_collect(&t->g);
    for (int i = 0; i < 100; i += 2) t->root[i] = VAL_UNIT;
    gc_test_reach(t, PHASE_IDLE);
    before = gc_stats_read(&t->g);
    gc_test_reach(t, PHASE_SWEEP);
    for (int i = 0; i < 90; i += 2) {
        t->root[i] = gc_test_list(t, 500);
        gc_minor_collect(&t->g);
        gc_verify(&t->g, "while sweeping");
    }
    after = gc_stats_read(&t->g);
    assert_int_equal(before.heap_words, after.heap_words);
    gc_test_reach(t, PHASE_IDLE);
    for (int i = 0; i < 90; i++) gc_test_check_list(t->root[i], 500);
}

static void paced_slices_complete_cycles(void **state) {
    struct gc_test *t = *state;
    for (int i = 0; i < 4000; i++) {
        t->root[i % 64] = gc_test_list(t, 200);
        if (t->g.action_requested) {
            gc_clear_action(&t->g);
            gc_collect_requested(&t->g);
        }
    }
    struct gc_stats stats = gc_stats_read(&t->g);
    assert_true(stats.major_collections >= 3);
    assert_true(stats.heap_words < 64 * 600 * 6 + 64 * SPAN_WORDS);
    for (int i = 0; i < 64; i++) gc_test_check_list(t->root[i], 200);
}

GC_TEST_MAIN(GC_TEST(mark_stack_is_empty_outside_marking),
             GC_TEST(allocation_while_sweeping_reuses_the_dead),
             GC_TEST(paced_slices_complete_cycles))
