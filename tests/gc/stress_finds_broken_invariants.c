/* Each level of --gc-stress, and --gc-verify without one, soon finds that the heap is broken, in
 * long programs too, where checks are less frequent. */
#include "tests/gc/gc_test.h"

#include <signal.h>
#include <sys/wait.h>

enum { LONG = 300000, SOON = 20000 };

static void allocate(struct gc_test *t, size_t count) {
    for (size_t i = 0; i < count; i++) {
        gc_test_pair(t, val_of_int(1), val_of_int(2));
        gc_collect_requested(&t->g);
    }
}

/* A store without the barrier. */
static void hide_a_young_block(struct gc_test *t) {
    field(t->root[0], 0) = gc_test_pair(t, val_of_int(1), val_of_int(2));
    allocate(t, SOON);
}

static void each_level_finds_it(void **state) {
    for (unsigned level = 0; level <= 6; level++) {
        for (unsigned steps = 100; steps <= LONG; steps += LONG - 100) {
            const struct gc_params params = {.minor_words = 4096, .stress = level};
            struct gc_test *t = gc_test_open(&params);
            char text[400];
            t->root[0] = gc_alloc_major(&t->g, 1, 0);
            gc_init_field(&t->g, t->root[0], 0, VAL_UNIT);
            allocate(t, steps);
            int status = gc_test_in_child(hide_a_young_block, t, text, sizeof text);
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
            assert_non_null(strstr(text, "heap verifier: "));
            gc_test_close(t);
        }
    }
}

/* Steps earn the words that checks read; no step pays for two checks. */
static void checks_are_earned(void **state) {
    const struct gc_params params = {.minor_words = 4096, .stress = 1};
    struct gc_test *t = gc_test_open(&params);
    struct gc_check_budget account = {0};
    assert_false(gc_check_due(&t->g, &account, 5000));
    allocate(t, 10);
    assert_true(gc_check_due(&t->g, &account, 5000));
    assert_false(gc_check_due(&t->g, &account, 5000));
    allocate(t, LONG);
    assert_true(gc_check_due(&t->g, &account, 5000));
    allocate(t, 10);
    assert_false(gc_check_due(&t->g, &account, 5000));
    gc_test_close(t);
}

/* Without stress, or with little of it, phases earn them: enough to check small heaps each time. */
static void phases_earn_more(void **state) {
    const unsigned levels[] = {0, 3, 4};
    const size_t small = 100000, large = 1 << 24;
    for (unsigned i = 0; i < 3; i++) {
        const struct gc_params params = {.minor_words = 4096, .stress = levels[i]};
        struct gc_test *t = gc_test_open(&params);
        struct gc_check_budget often = {0}, seldom = {0};
        int large_checks = 0;
        for (int phase = 0; phase < 64; phase++) {
            assert_true(gc_check_due(&t->g, &often, small));
            large_checks += gc_check_due(&t->g, &seldom, large);
            gc_verify_phase(&t->g, "in a test");
        }
        assert_in_range(large_checks, GC_SMALL_TABLES ? 0 : 2, 8);
        gc_test_close(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_level_finds_it),
                                       cmocka_unit_test(checks_are_earned),
                                       cmocka_unit_test(phases_earn_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
