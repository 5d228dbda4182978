/* gc_params: defaults, changes while running, the heap's limit, memory refused by the system. */
#include "tests/gc/gc_test.h"

static void zeros_become_defaults(void **state) {
    const struct gc_params none = {0};
    struct gc_test *t = gc_test_open(&none);
    const struct gc_params *p = gc_get_params(&t->g);
    assert_int_equal(p->minor_words, 256 * 1024);
    assert_int_equal(t->g.young_end - t->g.young_start, 8 * 256 * 1024);
    assert_int_equal(p->space_overhead, 120);
    assert_int_equal(p->max_overhead, 500);
    assert_int_equal(p->custom_major_ratio, 44);
    assert_int_equal(p->custom_minor_ratio, 100);
    assert_int_equal(p->custom_minor_max_bytes, 8192);
    assert_int_equal(p->heap_increment, 15);
    assert_int_equal(p->allocation_policy, 2);
    assert_int_equal(p->window_size, 1);
    gc_test_close(t);
}

static void the_minor_heap_changes_its_size(void **state) {
    struct gc_test *t = *state;
    static const size_t sizes[] = {5000, 1 << 20, 4096, 300000, 65536};
    t->root[0] = gc_test_list(t, 100);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct gc_params p = *gc_get_params(&t->g);
        p.minor_words = sizes[i];
        gc_set_params(&t->g, &p);
        size_t words = (t->g.young_end - t->g.young_start) / 8;
        assert_true(words >= sizes[i] && words < sizes[i] + 512);
        assert_int_equal(gc_get_params(&t->g)->minor_words, words);
        t->root[1] = gc_test_list(t, 30000);
        gc_test_check_list(t->root[0], 100);
        gc_test_check_list(t->root[1], 30000);
    }
}

static void zero_is_kept_when_set_later(void **state) {
    struct gc_test *t = *state;
    struct gc_params p = *gc_get_params(&t->g);
    p.custom_minor_max_bytes = 0;
    p.allocation_policy = 0;
    gc_set_params(&t->g, &p);
    assert_int_equal(gc_get_params(&t->g)->custom_minor_max_bytes, 0);
    assert_int_equal(gc_get_params(&t->g)->allocation_policy, 0);
}

static void zero_is_zero_in_complete_parameters(void **state) {
    struct gc_params params = {0};
    gc_params_complete(&params);
    params.custom_minor_max_bytes = params.max_overhead = params.allocation_policy = 0;
    gc_params_complete(&params);
    struct gc_test *t = gc_test_open(&params);
    const struct gc_params *p = gc_get_params(&t->g);
    assert_int_equal(p->custom_minor_max_bytes, 0);
    assert_int_equal(p->max_overhead, 0);
    assert_int_equal(p->allocation_policy, 0);
    assert_int_equal(p->space_overhead, 120);
    gc_test_close(t);
}

static void the_heap_limit_is_kept(void **state) {
    const struct gc_params params = {.minor_words = 4096, .max_heap_words = 1 << 20};
    struct gc_test *t = gc_test_open(&params);
    struct gc_stats stats;
    jmp_buf back;
    volatile int lists = 0;
    t->on_out_of_memory = &back;
    if (setjmp(back) == 0) {
        for (int i = 0; i < ROOT_COUNT; i++) {
            t->root[i] = gc_test_list(t, 10000);
            lists = i;
        }
        fail();
    }
    t->g.local_roots = NULL;
    assert_true(lists >= 15 && lists < 40);
    stats = gc_stats_read(&t->g);
    assert_true(stats.heap_words < (1 << 20) + (1 << 19));
    for (int i = 0; i <= lists; i++) gc_test_check_list(t->root[i], 10000);
    for (int i = 0; i < ROOT_COUNT; i++) t->root[i] = VAL_UNIT;
    for (int round = 0; round < 60; round++) t->root[round % 10] = gc_test_list(t, 10000);
    if (setjmp(back) == 0) {
        gc_alloc(&t->g, 1 << 21, 0);
        fail();
    }
    gc_test_close(t);
}

/* A program that continues after each Out_of_memory and frees nothing. */
static void the_limit_holds_for_programs_that_catch_out_of_memory(void **state) {
    const struct gc_params params = {.max_heap_words = 1 << 20};
    struct gc_test *t = gc_test_open(&params);
    t->g.heap->params.verify = false; /* there are hundreds of full cycles */
    jmp_buf back;
    volatile int refused = 0;
    t->on_out_of_memory = &back;
    for (volatile int round = 0; round < 300; round++) {
        if (setjmp(back) == 0) {
            for (int i = 0; i < 10000; i++) t->root[0] = gc_test_pair(t, VAL_UNIT, t->root[0]);
        } else refused++;
        t->g.local_roots = NULL;
    }
    assert_true(refused > 200);
    struct gc_stats stats = gc_stats_read(&t->g);
    assert_true(stats.top_heap_words <= (1 << 20) + (128 << 10) + 2 * SPAN_WORDS);
    t->root[0] = VAL_UNIT;
    if (setjmp(back) != 0) fail();
    t->root[0] = gc_test_list(t, 10000);
    gc_test_check_list(t->root[0], 10000);
    gc_test_close(t);
}

/* Free memory counts: freeing does not allow the heap to hold more than the limit. */
static void the_limit_counts_free_memory_too(void **state) {
    const struct gc_params params = {.minor_words = 4096, .max_heap_words = 1 << 20};
    struct gc_test *t = gc_test_open(&params);
    for (size_t words = 10000; words < 1000000; words += words / 3) {
        t->root[0] = VAL_UNIT;
        t->root[0] = gc_alloc(&t->g, words, TAG_STRING);
    }
    struct gc_stats stats = gc_stats_read(&t->g);
    assert_true(stats.top_heap_words <= 1 << 20);
    gc_test_close(t);
}

static void fail_early(struct gc_test *unused) {
    const struct gc_params params = {.minor_words = 4096};
    struct gc_upcalls up = {0};
    struct gc_domain g;
    char number[32];
    for (int n = 1; n < 100; n++) {
        /* The collector survives one refusal by requesting less, but not the refusal of
         * everything. */
        snprintf(number, sizeof number, n % 2 ? "%d:sticky" : "%d", n / 2 + 1);
        setenv("BACTRIAN_FAIL_ALLOC", number, 1);
        if (gc_heap_create(&g, &params, &up) == NULL) {
            gc_heap_destroy(&g, true);
            if (n < 5 && n % 2) abort();
            if (n > 20) return;
        }
    }
    abort();
}

static void a_refusing_system_is_reported(void **state) {
    char text[500];
    assert_int_equal(gc_test_in_child(fail_early, NULL, text, sizeof text), 0);
}

GC_TEST_MAIN(cmocka_unit_test(zeros_become_defaults), GC_TEST(the_minor_heap_changes_its_size),
             GC_TEST(zero_is_kept_when_set_later),
             cmocka_unit_test(zero_is_zero_in_complete_parameters),
             cmocka_unit_test(the_heap_limit_is_kept),
             cmocka_unit_test(the_limit_holds_for_programs_that_catch_out_of_memory),
             cmocka_unit_test(the_limit_counts_free_memory_too),
             cmocka_unit_test(a_refusing_system_is_reported))
