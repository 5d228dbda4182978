/* G4: a word outside the reserved range is data to the collector, whatever it looks like. */
#include "tests/gc/gc_test.h"

static void naked_pointers_in_roots_and_fields(void **state) {
    struct gc_test *t = *state;
    static const uintptr_t outside[4] = {0};
    t->root[0] = (value)&outside[1];
    t->root[1] = (value)8;
    t->root[2] = gc_test_pair(t, (value)&outside[1], (value)(UINTPTR_MAX & ~(uintptr_t)7));
    gc_test_cycle(t);
    assert_int_equal(t->root[0], (value)&outside[1]);
    assert_int_equal(field(t->root[2], 0), (value)&outside[1]);
    assert_false(gc_is_heap_block(&t->g, t->root[0]));
    assert_true(gc_is_heap_block(&t->g, t->root[2]));
}

static void corrupt(struct gc_test *t) {
    gc_minor(&t->g);
    field(t->root[0], 0) = t->root[0] + 16;
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_pointer_into_a_block(void **state) {
    struct gc_test *t = *state;
    char text[500];
    t->root[0] = gc_test_pair(t, VAL_UNIT, VAL_UNIT);
    assert_true(gc_test_in_child(corrupt, t, text, sizeof text) != 0);
    assert_non_null(strstr(text, "G4 broken (test)"));
}

GC_TEST_MAIN(GC_TEST(naked_pointers_in_roots_and_fields),
             GC_TEST(the_verifier_finds_a_pointer_into_a_block))
