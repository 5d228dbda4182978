/* When marking starts again after a cycle in which nothing died. */
#include "tests/gc/gc_test.h"

enum { BLOCKS = 100 };

/* Allocates that many words, which stay alive, and ends a marking. Returns how much is allocated
 * until the next one, in proportion to live words and space_overhead. */
static double next_marking(struct gc_test *t, value *roots, size_t words) {
    const struct gc_heap *heap = t->g.heap;
    for (int i = 0; i < BLOCKS; i++) {
        roots[i] = gc_alloc_major(&t->g, words / BLOCKS, TAG_STRING);
        field(roots[i], words / BLOCKS - 1) = 0;
    }
    gc_test_reach(t, PHASE_IDLE);
    gc_test_reach(t, PHASE_SWEEP);
    return (double)heap->pace.trigger_words / (double)heap->pace.live_words * 100 /
           (double)heap->params.space_overhead;
}

static void longer_below_three_megabytes(void **state) {
    struct gc_test *t = *state;
    if (GC_SMALL_TABLES) return;
    double small = next_marking(t, t->root, 200000);
    double large = next_marking(t, t->root + BLOCKS, 800000);
    assert_true(small > 0.85 && small < 0.95);
    assert_true(large > 0.5 && large < 0.6);
}

GC_TEST_MAIN(GC_TEST(longer_below_three_megabytes))
