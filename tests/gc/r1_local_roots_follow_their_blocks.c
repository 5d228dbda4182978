/* R1, R2: variables under GC_ROOT are updated; the function that catches a raise restores the
 * chain. */
#include "tests/gc/gc_test.h"

static void check_five_variables(struct gc_test *t) {
    value a = VAL_UNIT, b = VAL_UNIT, c = VAL_UNIT, d = VAL_UNIT, e = VAL_UNIT;
    GC_ROOT(&t->g, &a, &b, &c, &d, &e);
    a = gc_test_list(t, 1);
    b = gc_test_list(t, 2);
    c = gc_test_list(t, 3);
    d = gc_test_list(t, 4);
    e = a;
    gc_test_cycle(t);
    gc_test_check_list(a, 1);
    gc_test_check_list(b, 2);
    gc_test_check_list(c, 3);
    gc_test_check_list(d, 4);
    assert_int_equal(a, e);
}

static void five_variables(void **state) {
    struct gc_test *t = *state;
    check_five_variables(t);
    assert_null(t->g.local_roots);
}

static intptr_t nested(struct gc_test *t, int depth) {
    value list = gc_test_list(t, depth);
    GC_ROOT(&t->g, &list);
    intptr_t sum = depth > 0 ? nested(t, depth - 1) : 0;
    gc_minor(&t->g);
    gc_test_check_list(list, depth);
    return sum + depth;
}

static void nested_frames(void **state) { assert_int_equal(nested(*state, 50), 1275); }

static void left_by_a_longjmp(void **state) {
    struct gc_test *t = *state;
    value kept = gc_test_list(t, 5);
    GC_ROOT(&t->g, &kept);
    struct gc_local_roots *saved = t->g.local_roots;
    jmp_buf back;
    t->on_out_of_memory = &back;
    if (setjmp(back) == 0) {
        struct gc_local_roots gone = {t->g.local_roots, 1, 1, {&kept}};
        t->g.local_roots = &gone;
        gc_alloc(&t->g, MAX_WOSIZE, 0);
    }
    t->g.local_roots = saved;
    gc_test_cycle(t);
    gc_test_check_list(kept, 5);
}

/* Hundreds of slots that their owner assigns directly, some removed again. */
static void mutable_roots(void **state) {
    enum { COUNT = 300 };
    struct gc_test *t = *state;
    value slots[COUNT];
    for (int i = 0; i < COUNT; i++) {
        slots[i] = VAL_UNIT;
        gc_register_mutable_root(&t->g, &slots[i]);
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) slots[i] = gc_test_list(t, i % 7 + round);
        gc_test_cycle(t);
        for (int i = 0; i < COUNT; i++) gc_test_check_list(slots[i], i % 7 + round);
    }
    for (int i = 0; i < COUNT; i++)
        if (i % 3 != 0) gc_remove_mutable_root(&t->g, &slots[i]);
    gc_test_cycle(t);
    for (int i = 0; i < COUNT; i += 3) {
        gc_test_check_list(slots[i], i % 7 + 2);
        gc_remove_mutable_root(&t->g, &slots[i]);
    }
}

GC_TEST_MAIN(GC_TEST(five_variables), GC_TEST(nested_frames), GC_TEST(left_by_a_longjmp),
             GC_TEST(mutable_roots))
