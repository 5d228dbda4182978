/* The size of an adaptive minor heap: small after the first collections and while everything
 * survives, larger beside a large heap of which much survives, fixed if a size was set. */
#include "tests/gc/gc_test.h"

enum { NORMAL = 256 * 1024, EARLY = 80 * 1024, SMALLEST = 64 * 1024 };

static size_t size(const struct gc_test *t) { return (t->g.young_end - t->g.young_start) / 8; }

static struct gc_test *open_adaptive(bool adaptive) {
    const struct gc_params params = {.minor_words = NORMAL, .adaptive_minor = adaptive};
    struct gc_test *t = gc_test_open(&params);
    t->g.heap->params.verify = false; /* these heaps are large */
    return t;
}

/* Allocates pairs, of which one in `share` is kept. */
static void allocate(struct gc_test *t, size_t pairs, size_t share) {
    for (size_t i = 0; i < pairs; i++) {
        value pair = gc_test_pair(t, val_of_int((intptr_t)i), t->root[0]);
        if (i % share == 0) t->root[0] = pair;
    }
}

static void it_is_small_from_its_first_collection_until_a_million_words_were_allocated(
    void **state) {
    struct gc_test *t = open_adaptive(true);
    allocate(t, 80000, 100);
    assert_int_equal(size(t), NORMAL);
    allocate(t, 20000, 100);
    assert_int_equal(size(t), EARLY);
    allocate(t, 220000, 100);
    assert_int_equal(size(t), EARLY);
    allocate(t, 60000, 100);
    assert_int_equal(size(t), NORMAL);
    gc_test_close(t);
}

static void a_collection_that_the_program_requests_leaves_its_size(void **state) {
    struct gc_test *t = open_adaptive(true);
    allocate(t, 80000, 100);
    gc_minor(&t->g);
    assert_int_equal(size(t), NORMAL);
    allocate(t, 80000, 100);
    assert_int_equal(size(t), NORMAL);
    gc_test_close(t);
}

static void it_shrinks_while_all_survives_and_grows_again(void **state) {
    struct gc_test *t = open_adaptive(true);
    allocate(t, 600000, 1);
    assert_int_equal(size(t), SMALLEST);
    allocate(t, 600000, 100);
    assert_int_equal(size(t), NORMAL);
    gc_test_close(t);
}

static void it_grows_beside_a_large_heap_of_which_much_survives(void **state) {
    struct gc_test *t = open_adaptive(true);
    for (int i = 0; i < 90; i++) t->root[1 + i] = gc_alloc_major(&t->g, 100000, TAG_STRING);
    allocate(t, 600000, 5);
    assert_int_equal(size(t), 2 * NORMAL);
    gc_test_close(t);
}

static void it_stays_beside_a_small_heap(void **state) {
    struct gc_test *t = open_adaptive(true);
    allocate(t, 600000, 5);
    assert_int_equal(size(t), NORMAL);
    gc_test_close(t);
}

static void a_size_that_was_set_stays(void **state) {
    struct gc_test *t = open_adaptive(false);
    allocate(t, 600000, 1);
    assert_int_equal(size(t), NORMAL);
    gc_test_close(t);
}

GC_TEST_MAIN(
    cmocka_unit_test(it_is_small_from_its_first_collection_until_a_million_words_were_allocated),
    cmocka_unit_test(a_collection_that_the_program_requests_leaves_its_size),
    cmocka_unit_test(it_shrinks_while_all_survives_and_grows_again),
    cmocka_unit_test(it_grows_beside_a_large_heap_of_which_much_survives),
    cmocka_unit_test(it_stays_beside_a_small_heap), cmocka_unit_test(a_size_that_was_set_stays))
