/* R3: marking scans some roots incrementally; a value that the program reads from one, or
 * overwrites, is treated as if all of them had been scanned at the start. */
#include "tests/gc/gc_test.h"

enum { COUNT = 5000 };

struct table {
    value slots[COUNT];
    size_t next; /* to be scanned; COUNT: none is left */
    size_t pieces;
};

static void scan(void *context, struct gc_visitor *visitor) {
    struct table *table = context;
    if (visitor->may_defer) table->next = 0;
    else visitor->slots(visitor, table->slots, table->slots + COUNT);
}

static size_t scan_some(void *context, struct gc_visitor *visitor, size_t budget) {
    struct table *table = context;
    size_t n = COUNT - table->next < budget ? COUNT - table->next : budget;
    visitor->slots(visitor, table->slots + table->next, table->slots + table->next + n);
    table->next += n;
    table->pieces++;
    return n;
}

/* A table of lists, and marking that has just started. */
static struct table *start(struct gc_test *t) {
    struct table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    for (size_t i = 0; i < COUNT; i++) table->slots[i] = VAL_UNIT;
    table->next = COUNT;
    gc_add_incremental_scanner(t->g.heap, "table", scan, scan_some, table);
    for (size_t i = 0; i < COUNT; i++) table->slots[i] = gc_test_list(t, 3);
    gc_test_reach(t, PHASE_IDLE);
    gc_test_reach(t, PHASE_MARK);
    return table;
}

static void end(struct gc_test *t, struct table *table) {
    gc_remove_scanner(t->g.heap, scan, table);
    free(table);
}

static void marking_ends_when_all_were_read(void **state) {
    struct gc_test *t = *state;
    struct table *table = start(t);
    assert_int_equal(table->next, 0);
    assert_false(gc_mark_is_done(t->g.heap));
    size_t slices = 0;
    for (; !gc_mark_is_done(t->g.heap); slices++) {
        assert_true(gc_mark_some(&t->g, 100) < 100 + 1000);
        gc_verify(&t->g, "between slices");
    }
    assert_true(slices > COUNT / 100);
    assert_int_equal(table->next, COUNT);
    gc_test_reach(t, PHASE_IDLE);
    for (size_t i = 0; i < COUNT; i++) gc_test_check_list(table->slots[i], 3);
    end(t, table);
}

static void values_read_survive_and_values_dropped_do_not(void **state) {
    struct gc_test *t = *state;
    struct table *table = start(t);
    struct gc_walk_stats walk;
    gc_mark_some(&t->g, 100);
    assert_true(table->next < COUNT / 2);
    value taken = table->slots[COUNT - 1];
    gc_preserve(&t->g, taken);
    field(t->root[0] = gc_test_pair(t, VAL_UNIT, VAL_UNIT), 0) = taken;
    for (size_t i = COUNT / 2; i < COUNT; i++) table->slots[i] = VAL_UNIT;
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(field(t->root[0], 0), 3);
    for (size_t i = 0; i < COUNT / 2; i++) gc_test_check_list(table->slots[i], 3);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_blocks, 3 * (COUNT / 2 + 1) + 1);
    end(t, table);
}

/* The scanner with roots left moves to a lower index in the table. */
static void removing_a_scanner_loses_no_other_roots(void **state) {
    struct gc_test *t = *state;
    struct table *first = start(t);
    gc_test_reach(t, PHASE_IDLE);
    struct table *second = start(t);
    while (first->next < COUNT) gc_mark_some(&t->g, 100);
    assert_true(second->next < COUNT);
    end(t, first);
    gc_test_reach(t, PHASE_IDLE);
    assert_int_equal(second->next, COUNT);
    for (size_t i = 0; i < COUNT; i++) gc_test_check_list(second->slots[i], 3);
    end(t, second);
}

GC_TEST_MAIN(GC_TEST(marking_ends_when_all_were_read),
             GC_TEST(values_read_survive_and_values_dropped_do_not),
             GC_TEST(removing_a_scanner_loses_no_other_roots))
