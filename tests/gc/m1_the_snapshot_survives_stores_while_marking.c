/* M1: what was reachable when marking started survives the cycle, wherever it is stored meanwhile.
 * */
#include "tests/gc/gc_test.h"

/* A list in the major heap, so that marking has to find it. */
static value old_list(struct gc_test *t, intptr_t n) {
    value list = gc_test_list(t, n);
    GC_ROOT(&t->g, &list);
    gc_minor_collect(&t->g);
    return list;
}

static void moved_to_a_marked_block(void **state) {
    struct gc_test *t = *state;
    t->root[0] = old_list(t, 5000);
    t->root[1] = old_list(t, 1);
    gc_test_reach(t, PHASE_MARK);
    gc_mark_some(&t->g, 1);
    /* The tail goes from a cell not scanned yet into one that is, and is overwritten in the first.
     * */
    value cell = t->root[0];
    for (int i = 0; i < 2000; i++) cell = field(cell, 1);
    gc_store(&t->g, t->root[1], 0, field(cell, 1));
    gc_store(&t->g, cell, 1, VAL_EMPTY_LIST);
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(field(t->root[1], 0), 2999);
}

static void kept_only_by_a_young_block(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_pair(t, old_list(t, 3000), VAL_UNIT);
    gc_minor_collect(&t->g);
    gc_test_reach(t, PHASE_MARK);
    gc_mark_some(&t->g, 1);
    t->root[1] = gc_test_pair(t, field(t->root[0], 0), VAL_UNIT);
    gc_store(&t->g, t->root[0], 0, VAL_UNIT);
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(field(t->root[1], 0), 3000);
}

static void cut_off_while_marking(void **state) {
    struct gc_test *t = *state;
    t->root[0] = gc_test_pair(t, VAL_UNIT, old_list(t, 3000));
    gc_minor_collect(&t->g);
    gc_test_reach(t, PHASE_MARK);
    t->root[1] = gc_test_pair(t, field(t->root[0], 1), VAL_UNIT);
    gc_truncate(&t->g, t->root[0], 1);
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(field(t->root[1], 0), 3000);
}

static void allocated_while_marking(void **state) {
    struct gc_test *t = *state;
    gc_test_reach(t, PHASE_MARK);
    t->root[0] = old_list(t, 300);
    t->root[1] = gc_alloc(&t->g, 400, 0);
    gc_store(&t->g, t->root[1], 7, t->root[0]);
    t->root[0] = VAL_UNIT;
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(field(t->root[1], 7), 300);
}

static void garbage_is_collected_by_the_next_cycle(void **state) {
    struct gc_test *t = *state;
    struct gc_walk_stats walk;
    t->root[0] = old_list(t, 1000);
    gc_test_reach(t, PHASE_MARK);
    t->root[0] = VAL_UNIT;
    gc_test_reach(t, PHASE_IDLE);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_words, 3000);
    gc_test_cycle(t);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_words, 0);
}

static void lose_a_block(struct gc_test *t) {
    gc_test_reach(t, PHASE_MARK);
    value cell = t->root[0], tail = field(cell, 1);
    field(cell, 1) = VAL_UNIT; /* without the barrier, before anything is scanned */
    t->root[1] = tail;
    gc_mark_finish(&t->g);
}

static void the_verifier_finds_a_lost_block(void **state) {
    struct gc_test *t = *state;
    char text[500];
    t->root[0] = old_list(t, 10);
    assert_true(gc_test_in_child(lose_a_block, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "M1 broken"));
}

GC_TEST_MAIN(GC_TEST(moved_to_a_marked_block), GC_TEST(kept_only_by_a_young_block),
             GC_TEST(cut_off_while_marking), GC_TEST(allocated_while_marking),
             GC_TEST(garbage_is_collected_by_the_next_cycle),
             GC_TEST(the_verifier_finds_a_lost_block))
