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

/* Without stress, or with little of it, every phase is checked; in small heaps by a budget. */
static void otherwise_every_check_is_due(void **state) {
    for (unsigned level = GC_SMALL_TABLES ? 3 : 0; level <= 4; level += level == 0 ? 3 : 1) {
        const struct gc_params params = {.minor_words = 4096, .stress = level};
        struct gc_test *t = gc_test_open(&params);
        struct gc_check_budget account = {0};
        for (int i = 0; i < 3; i++) assert_true(gc_check_due(&t->g, &account, SIZE_MAX));
        gc_test_close(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_level_finds_it),
                                       cmocka_unit_test(checks_are_earned),
                                       cmocka_unit_test(otherwise_every_check_is_due)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
