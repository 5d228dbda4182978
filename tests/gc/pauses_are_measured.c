/* gc_measure_pauses: every stop is counted, and percentiles are in order. */
#include "tests/gc/gc_test.h"

static void nothing_is_measured_by_default(void **state) {
    struct gc_test *t = *state;
    struct gc_pause_stats p;
    gc_minor(&t->g);
    gc_pauses_read(&t->g, &p);
    assert_int_equal(p.count, 0);
    assert_int_equal(p.longest_ns, 0);
}

static void every_stop_counts_once(void **state) {
    struct gc_test *t = *state;
    struct gc_pause_stats p;
    assert_true(gc_measure_pauses(&t->g));
    for (int i = 0; i < 40; i++) gc_minor(&t->g);
    gc_full_major_cycle(&t->g);
    gc_pauses_read(&t->g, &p);
    assert_int_equal(p.count, 41);
    /* Asking again must not forget what was measured. */
    assert_true(gc_measure_pauses(&t->g));
    gc_major_slice(&t->g, 0);
    gc_pauses_read(&t->g, &p);
    assert_int_equal(p.count, 42);
}

static void percentiles_are_in_order(void **state) {
    struct gc_test *t = *state;
    struct gc_pause_stats p;
    assert_true(gc_measure_pauses(&t->g));
    for (int i = 0; i < 200; i++) {
        t->root[0] = gc_test_list(t, i == 100 ? 30000 : 10);
        gc_minor(&t->g);
    }
    gc_pauses_read(&t->g, &p);
    assert_true(p.median_ns > 0);
    assert_true(p.median_ns <= p.p99_ns && p.p99_ns <= p.p999_ns);
    assert_true(p.p999_ns <= p.longest_ns && p.longest_ns <= p.total_ns);
    assert_true(p.total_ns >= p.median_ns * p.count / 2);
}

static void slices_between_minor_collections_are_pauses(void **state) {
    const struct gc_params params = {.minor_words = 256 * 1024};
    struct gc_test *t = gc_test_open(&params);
    struct gc_pause_stats p;
    for (int i = 0; i < 60; i++) t->root[i] = gc_test_list(t, 10000);
    assert_true(gc_measure_pauses(&t->g));
    struct gc_stats stats = gc_stats_read(&t->g);
    size_t before = stats.minor_collections;
    for (int i = 0; i < 200; i++) t->root[i % 60] = gc_test_list(t, 10000);
    gc_pauses_read(&t->g, &p);
    stats = gc_stats_read(&t->g);
    assert_true(p.count > stats.minor_collections - before);
    gc_test_close(t);
}

GC_TEST_MAIN(GC_TEST(nothing_is_measured_by_default), GC_TEST(every_stop_counts_once),
             GC_TEST(percentiles_are_in_order),
             cmocka_unit_test(slices_between_minor_collections_are_pauses))
