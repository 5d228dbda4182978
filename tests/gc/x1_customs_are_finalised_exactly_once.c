/* X1: finalize runs once for each custom block of either heap, or at the end of the heap. */
#include "tests/gc/gc_test.h"

static void count_finalize(value v) { ++**(int **)custom_data(v); }
static const struct gc_custom_ops counted = {.identifier = "counted", .finalize = count_finalize};
static const struct gc_custom_ops plain = {.identifier = "plain"};

static value custom(struct gc_test *t, int *counter, size_t bytes) {
    value v = gc_alloc_custom(&t->g, &counted, bytes, 0, 1);
    *(int **)custom_data(v) = counter;
    return v;
}

static void dead_young_ones(void **state) {
    struct gc_test *t = *state;
    int dead = 0, alive = 0;
    for (int i = 0; i < 30; i++) custom(t, &dead, 8);
    t->root[0] = custom(t, &alive, 24);
    gc_minor(&t->g);
    assert_int_equal(dead, 30);
    assert_int_equal(alive, 0);
    gc_test_cycle(t);
    assert_int_equal(dead, 30);
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    gc_test_cycle(t);
    assert_int_equal(alive, 1);
}

static void large_ones(void **state) {
    struct gc_test *t = *state;
    int count = 0;
    t->root[0] = custom(t, &count, 8 * MAX_YOUNG_WOSIZE);
    assert_false(gc_is_young(&t->g, t->root[0]));
    gc_test_cycle(t);
    assert_int_equal(count, 0);
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    assert_int_equal(count, 1);
}

static void adopted_ones(void **state) {
    struct gc_test *t = *state;
    int count = 0;
    value v = t->root[0] = gc_alloc_major(&t->g, 2, TAG_CUSTOM);
    field(v, 0) = (value)&counted;
    *(int **)custom_data(v) = &count;
    gc_adopt_custom(&t->g, v, 100);
    v = gc_alloc_small(&t->g, 2, TAG_CUSTOM);
    field(v, 0) = (value)&counted;
    *(int **)custom_data(v) = &count;
    gc_adopt_custom(&t->g, v, 0);
    gc_minor(&t->g);
    assert_int_equal(count, 1);
    t->root[0] = VAL_UNIT;
    gc_test_cycle(t);
    assert_int_equal(count, 2);
}

static void at_the_end_of_the_heap(void **state) {
    const struct gc_params params = {.minor_words = 4096};
    struct gc_test *t = gc_test_open(&params);
    int count = 0;
    t->root[0] = custom(t, &count, 8);
    gc_minor(&t->g);
    t->root[1] = custom(t, &count, 8);
    gc_test_close(t);
    assert_int_equal(count, 2);
}

static void external_memory_hastens_collections(void **state) {
    struct gc_test *t = *state;
    struct gc_stats before, after;
    before = gc_stats_read(&t->g);
    for (int i = 0; i < 1000; i++) {
        gc_alloc_custom(&t->g, &plain, 8, 1, 10);
        if (t->g.action_requested) {
            gc_clear_action(&t->g);
            gc_collect_requested(&t->g);
        }
    }
    after = gc_stats_read(&t->g);
    assert_true(after.minor_collections - before.minor_collections >= 90);
}

static void external_memory_of_live_blocks_drives_major_cycles(void **state) {
    struct gc_test *t = *state;
    struct gc_stats before, after;
    before = gc_stats_read(&t->g);
    for (int i = 0; i < 2000; i++) {
        t->root[i % 8] = gc_alloc_custom_mem(&t->g, &plain, 8, 1 << 20);
        if (t->g.action_requested) {
            gc_clear_action(&t->g);
            gc_collect_requested(&t->g);
        }
    }
    after = gc_stats_read(&t->g);
    assert_true(after.major_collections - before.major_collections >= 20);
}

/* What blocks own counts for the limit until they die, with or without a finalize function. */
static void owned_memory_counts_until_death(void **state) {
    const struct gc_params params = {.minor_words = 4096, .max_heap_words = 1 << 20};
    struct gc_test *t = gc_test_open(&params);
    const size_t *taken = &t->g.heap->external_bytes;
    int count = 0;
    custom(t, &count, 8); /* now the tables exist, whose memory counts too */
    size_t before = *taken;
    for (int i = 0; i < 20; i++) {
        t->root[0] = gc_alloc_custom_owning(&t->g, i % 2 == 0 ? &counted : &plain, 8, 1 << 17);
        *(int **)custom_data(t->root[0]) = &count;
        if (i == 10) t->root[1] = t->root[0];
    }
    assert_true(*taken > before + (1 << 18)); /* those that no collection has freed yet */
    gc_minor(&t->g);
    gc_test_cycle(t);
    assert_int_equal(*taken - before, 2 << 17);
    t->root[0] = t->root[1] = VAL_UNIT;
    gc_test_cycle(t);
    gc_test_cycle(t);
    assert_int_equal(*taken, before);
    assert_int_equal(count, 11);
    gc_test_close(t);
}

/* Nothing stays counted for a block that the limit refuses. */
static void refused_memory_does_not_count(void **state) {
    const struct gc_params params = {.minor_words = 4096, .max_heap_words = 1 << 20};
    struct gc_test *t = gc_test_open(&params);
    jmp_buf back;
    t->on_out_of_memory = &back;
    volatile int kept = 0;
    if (setjmp(back) == 0) {
        for (int i = 0; i < ROOT_COUNT; i++) {
            t->root[i] = gc_alloc_custom_owning(&t->g, &plain, 8, 1 << 20);
            kept = i + 1;
        }
        fail();
    }
    t->g.local_roots = NULL;
    assert_true(kept >= 6 && kept <= 9);
    size_t taken = t->g.heap->external_bytes;
    if (setjmp(back) == 0) {
        gc_alloc_custom_owning(&t->g, &plain, 8, 1 << 21);
        fail();
    }
    t->g.local_roots = NULL;
    assert_int_equal(t->g.heap->external_bytes, taken);
    gc_test_close(t);
}

static void enter_twice(struct gc_test *t) {
    gc_minor(&t->g);
    gc_adopt_custom(&t->g, t->root[0], 0);
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_block_registered_twice(void **state) {
    struct gc_test *t = *state;
    char text[500];
    static int count;
    t->root[0] = custom(t, &count, 8);
    assert_true(gc_test_in_child(enter_twice, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "X1 broken"));
}

GC_TEST_MAIN(GC_TEST(dead_young_ones), GC_TEST(large_ones), GC_TEST(adopted_ones),
             cmocka_unit_test(at_the_end_of_the_heap), GC_TEST(external_memory_hastens_collections),
             GC_TEST(external_memory_of_live_blocks_drives_major_cycles),
             cmocka_unit_test(owned_memory_counts_until_death),
             cmocka_unit_test(refused_memory_does_not_count),
             GC_TEST(the_verifier_finds_a_block_registered_twice))
