/* W5: weak words follow their blocks, do not keep them alive, and end with them. */
#include "tests/gc/gc_test.h"

enum { WORDS = 4 };

static value list_of(struct gc_test *t, size_t n) { return gc_test_list(t, n); }

static void weak_words_follow_and_end(void **state) {
    struct gc_test *t = *state;
    value words[WORDS];
    struct gc_weak_words w = {.words = words};
    gc_set_weak_words(&t->g, &w);
    t->root[0] = list_of(t, 5);
    words[w.count++] = t->root[0];
    words[w.count++] = list_of(t, 6);
    words[w.count++] = val_of_int(7);
    value young = t->root[0];
    gc_minor(&t->g);
    assert_int_not_equal(t->root[0], young);
    assert_int_equal(words[0], t->root[0]);
    assert_int_equal(words[1], gc_no_block(&t->g));
    assert_int_equal(words[2], val_of_int(7));
    assert_int_equal(w.old, 3);
    words[w.count++] = t->root[1] = list_of(t, 8);
    gc_test_cycle(t);
    assert_int_equal(words[0], t->root[0]);
    assert_int_equal(words[3], t->root[1]);
    gc_test_check_list(words[3], 8);
    t->root[1] = VAL_UNIT;
    gc_test_cycle(t);
    assert_int_equal(words[0], t->root[0]);
    assert_int_equal(words[3], gc_no_block(&t->g));
    gc_set_weak_words(&t->g, NULL);
}

static void words_of_a_changed_block_end(void **state) {
    struct gc_test *t = *state;
    value words[WORDS];
    struct gc_weak_words w = {.words = words};
    t->root[0] = list_of(t, 1), t->root[1] = list_of(t, 2);
    gc_forget_weak_words(&t->g, t->root[0]); /* there are none */
    gc_set_weak_words(&t->g, &w);
    words[w.count++] = t->root[0];
    words[w.count++] = t->root[1];
    words[w.count++] = t->root[0];
    gc_forget_weak_words(&t->g, t->root[0]);
    assert_int_equal(words[0], gc_no_block(&t->g));
    assert_int_equal(words[1], t->root[1]);
    assert_int_equal(words[2], gc_no_block(&t->g));
    gc_set_weak_words(&t->g, NULL);
}

GC_TEST_MAIN(GC_TEST(weak_words_follow_and_end), GC_TEST(words_of_a_changed_block_end))
