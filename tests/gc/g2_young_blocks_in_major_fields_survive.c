/* G2: a young block to which only a field of a major block points survives a minor collection. */
#include "tests/gc/gc_test.h"

static value major_block(struct gc_test *t, size_t wosize) {
    value v = gc_alloc_major(&t->g, wosize, 0);
    for (size_t i = 0; i < wosize; i++) gc_init_field(&t->g, v, i, VAL_UNIT);
    return v;
}

static void stored_with_gc_store(void **state) {
    struct gc_test *t = *state;
    t->root[0] = major_block(t, 3);
    gc_store(&t->g, t->root[0], 1, gc_test_list(t, 100));
    gc_minor(&t->g);
    assert_false(gc_is_young(&t->g, field(t->root[0], 1)));
    gc_test_check_list(field(t->root[0], 1), 100);
}

static void stored_with_gc_init_field(void **state) {
    struct gc_test *t = *state;
    value list = gc_test_list(t, 10);
    t->root[0] = gc_alloc_major(&t->g, 2, 0);
    gc_init_field(&t->g, t->root[0], 0, list);
    gc_init_field(&t->g, t->root[0], 1, list);
    gc_minor(&t->g);
    gc_test_check_list(field(t->root[0], 0), 10);
    assert_int_equal(field(t->root[0], 0), field(t->root[0], 1));
}

static void copied_with_gc_blit_fields(void **state) {
    struct gc_test *t = *state;
    t->root[0] = major_block(t, 600);
    t->root[1] = gc_test_list(t, 5);
    for (size_t i = 0; i < 10; i++) gc_store(&t->g, t->root[0], i, t->root[1]);
    gc_blit_fields(&t->g, t->root[0], 0, t->root[0], 5, 500);
    t->root[1] = VAL_UNIT;
    gc_minor(&t->g);
    gc_test_check_list(field(t->root[0], 0), 5);
    gc_test_check_list(field(t->root[0], 14), 5);
    assert_int_equal(field(t->root[0], 15), VAL_UNIT);
}

static void young_replaced_by_young_and_by_integer(void **state) {
    struct gc_test *t = *state;
    t->root[0] = major_block(t, 2);
    gc_store(&t->g, t->root[0], 0, gc_test_list(t, 3));
    gc_store(&t->g, t->root[0], 0, gc_test_list(t, 4));
    gc_store(&t->g, t->root[0], 1, gc_test_list(t, 3));
    gc_store(&t->g, t->root[0], 1, val_of_int(7));
    gc_minor(&t->g);
    gc_test_check_list(field(t->root[0], 0), 4);
    assert_int_equal(field(t->root[0], 1), val_of_int(7));
}

static void registered_slots(void **state) {
    struct gc_test *t = *state;
    static value slots[300];
    for (int i = 0; i < 300; i++) {
        slots[i] = VAL_UNIT;
        gc_register_root(&t->g, &slots[i]);
    }
    for (int i = 0; i < 300; i++) gc_modify_root(&t->g, &slots[i], gc_test_list(t, i));
    for (int i = 0; i < 300; i += 3) gc_remove_root(&t->g, &slots[i]);
    gc_test_cycle(t);
    for (int i = 0; i < 300; i++)
        if (i % 3 != 0) gc_test_check_list(slots[i], i);
    for (int i = 0; i < 300; i++) gc_remove_root(&t->g, &slots[i]);
}

GC_TEST_MAIN(GC_TEST(stored_with_gc_store), GC_TEST(stored_with_gc_init_field),
             GC_TEST(copied_with_gc_blit_fields), GC_TEST(young_replaced_by_young_and_by_integer),
             GC_TEST(registered_slots))
