/* W2: a key or data that the program reads while marking is alive from then on; W4: minor
 * collections know the slots that hold young blocks. */
#include "tests/gc/gc_test.h"

static value weak_to_old_list(struct gc_test *t, intptr_t n) {
    t->root[0] = gc_ephe_create(&t->g, 2);
    t->root[1] = gc_test_list(t, n);
    gc_minor_collect(&t->g);
    gc_ephe_set(&t->g, t->root[0], EPHE_FIRST_KEY, t->root[1]);
    t->root[1] = VAL_UNIT;
    return t->root[0];
}

static void read_and_kept_in_a_young_block(void **state) {
    struct gc_test *t = *state;
    value w = weak_to_old_list(t, 500);
    gc_test_reach(t, PHASE_MARK);
    t->root[2] = gc_test_pair(t, gc_ephe_get(&t->g, w, EPHE_FIRST_KEY), VAL_UNIT);
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(field(t->root[2], 0), 500);
    assert_int_equal(gc_ephe_get(&t->g, w, EPHE_FIRST_KEY), field(t->root[2], 0));
}

static void read_and_dropped(void **state) {
    struct gc_test *t = *state;
    value w = weak_to_old_list(t, 500);
    gc_test_reach(t, PHASE_MARK);
    gc_ephe_get(&t->g, w, EPHE_FIRST_KEY);
    gc_test_reach(t, PHASE_IDLE);
    assert_true(gc_ephe_is_set(&t->g, w, EPHE_FIRST_KEY));
    gc_test_cycle(t);
    assert_false(gc_ephe_is_set(&t->g, w, EPHE_FIRST_KEY));
}

static void testing_a_slot_does_not_keep_alive(void **state) {
    struct gc_test *t = *state;
    value w = weak_to_old_list(t, 500);
    gc_test_reach(t, PHASE_MARK);
    assert_true(gc_ephe_is_set(&t->g, w, EPHE_FIRST_KEY));
    gc_test_reach(t, PHASE_IDLE);
    assert_false(gc_ephe_is_set(&t->g, w, EPHE_FIRST_KEY));
}

static void keys_moved_while_marking_stay_weak(void **state) {
    struct gc_test *t = *state;
    value w = weak_to_old_list(t, 500), to = t->root[3] = gc_ephe_create(&t->g, 4);
    gc_ephe_set(&t->g, w, EPHE_FIRST_KEY + 1, val_of_int(1));
    gc_test_reach(t, PHASE_MARK);
    gc_ephe_blit(&t->g, w, EPHE_FIRST_KEY, to, EPHE_FIRST_KEY + 2, 2);
    gc_test_reach(t, PHASE_IDLE);
    assert_false(gc_ephe_is_set(&t->g, to, EPHE_FIRST_KEY + 2));
    assert_int_equal(gc_ephe_get(&t->g, to, EPHE_FIRST_KEY + 3), val_of_int(1));
}

static void data_moved_while_marking_survives(void **state) {
    struct gc_test *t = *state;
    value from = t->root[0] = gc_ephe_create(&t->g, 1), to = t->root[3] = gc_ephe_create(&t->g, 1);
    t->root[1] = gc_test_list(t, 5);
    gc_ephe_set(&t->g, from, EPHE_FIRST_KEY, t->root[1]);
    gc_ephe_set(&t->g, from, EPHE_DATA, gc_test_list(t, 50));
    gc_test_reach(t, PHASE_MARK);
    gc_ephe_blit(&t->g, from, EPHE_DATA, to, EPHE_DATA, 1);
    gc_ephe_set(&t->g, from, EPHE_DATA, gc_ephe_none(&t->g));
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(gc_ephe_get(&t->g, to, EPHE_DATA), 50);
}

static void overlapping_moves(void **state) {
    struct gc_test *t = *state;
    value w = t->root[0] = gc_ephe_create(&t->g, 10);
    for (int i = 0; i < 10; i++) {
        t->root[10 + i] = gc_test_list(t, i);
        gc_ephe_set(&t->g, w, EPHE_FIRST_KEY + i, t->root[10 + i]);
    }
    gc_ephe_blit(&t->g, w, EPHE_FIRST_KEY, w, EPHE_FIRST_KEY + 3, 7);
    gc_minor(&t->g);
    for (int i = 0; i < 10; i++)
        gc_test_check_list(gc_ephe_get(&t->g, w, EPHE_FIRST_KEY + i), i < 3 ? i : i - 3);
    gc_ephe_blit(&t->g, w, EPHE_FIRST_KEY + 3, w, EPHE_FIRST_KEY, 7);
    for (int i = 0; i < 7; i++) gc_test_check_list(gc_ephe_get(&t->g, w, EPHE_FIRST_KEY + i), i);
}

static void forget_young_slot(struct gc_test *t) {
    gc_ephe_set(&t->g, t->root[0], EPHE_FIRST_KEY, t->root[1]);
    t->g.minor.weak_slots.count = 0;
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_an_unknown_young_key(void **state) {
    struct gc_test *t = *state;
    char text[500];
    t->root[0] = gc_ephe_create(&t->g, 1);
    t->root[1] = gc_test_list(t, 1);
    assert_true(gc_test_in_child(forget_young_slot, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "W4 broken"));
}

static void renumber(struct gc_test *t) {
    field(t->root[0], EPHE_LINK) = val_of_int(5);
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_wrong_number(void **state) {
    struct gc_test *t = *state;
    char text[500];
    t->root[0] = gc_ephe_create(&t->g, 1);
    assert_true(gc_test_in_child(renumber, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "W3 broken"));
}

GC_TEST_MAIN(GC_TEST(read_and_kept_in_a_young_block), GC_TEST(read_and_dropped),
             GC_TEST(testing_a_slot_does_not_keep_alive),
             GC_TEST(keys_moved_while_marking_stay_weak),
             GC_TEST(data_moved_while_marking_survives), GC_TEST(overlapping_moves),
             GC_TEST(the_verifier_finds_an_unknown_young_key),
             GC_TEST(the_verifier_finds_a_wrong_number))
