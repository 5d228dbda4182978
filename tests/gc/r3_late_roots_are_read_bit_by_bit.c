/* R3: marking reads late roots in pieces; what the program takes from one, or forgets, before it
 * was read is treated as if all of them had been read at the start. */
#include "tests/gc/gc_test.h"

enum { LATE = 5000 };

struct table {
    value slots[LATE];
    size_t next; /* of the late scan; LATE: it is through */
    size_t pieces;
};

static void scan(void *context, struct gc_visitor *visitor) {
    struct table *table = context;
    if (visitor->may_defer) table->next = 0;
    else visitor->slots(visitor, table->slots, table->slots + LATE);
}

static size_t scan_late(void *context, struct gc_visitor *visitor, size_t budget) {
    struct table *table = context;
    size_t n = LATE - table->next < budget ? LATE - table->next : budget;
    visitor->slots(visitor, table->slots + table->next, table->slots + table->next + n);
    table->next += n;
    table->pieces++;
    return n;
}

/* A table of lists, and a marking that has just begun. */
static struct table *start(struct gc_test *t) {
    struct table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    for (size_t i = 0; i < LATE; i++) table->slots[i] = VAL_UNIT;
    table->next = LATE;
    gc_add_incremental_scanner(t->g.heap, scan, scan_late, table);
    for (size_t i = 0; i < LATE; i++) table->slots[i] = gc_test_list(t, 3);
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
    assert_false(gc_mark_exhausted(t->g.heap));
    size_t slices = 0;
    for (; !gc_mark_exhausted(t->g.heap); slices++) {
        assert_true(gc_mark_some(&t->g, 100) < 100 + 1000);
        gc_verify(&t->g, "between slices");
    }
    assert_true(slices > LATE / 100);
    assert_int_equal(table->next, LATE);
    gc_test_reach(t, PHASE_IDLE);
    for (size_t i = 0; i < LATE; i++) gc_test_check_list(table->slots[i], 3);
    end(t, table);
}

static void what_is_taken_stays_and_what_is_forgotten_does_not(void **state) {
    struct gc_test *t = *state;
    struct table *table = start(t);
    struct gc_walk_stats walk;
    gc_mark_some(&t->g, 100);
    assert_true(table->next < LATE / 2);
    value taken = table->slots[LATE - 1];
    gc_keep(&t->g, taken);
    field(t->root[0] = gc_test_pair(t, VAL_UNIT, VAL_UNIT), 0) = taken;
    for (size_t i = LATE / 2; i < LATE; i++) table->slots[i] = VAL_UNIT;
    gc_test_reach(t, PHASE_IDLE);
    gc_test_check_list(field(t->root[0], 0), 3);
    for (size_t i = 0; i < LATE / 2; i++) gc_test_check_list(table->slots[i], 3);
    gc_stats_walk(&t->g, &walk);
    assert_int_equal(walk.live_blocks, 3 * (LATE / 2 + 1) + 1);
    end(t, table);
}

/* The one that is still to be read takes a lower place in the list. */
static void a_scanner_that_goes_loses_no_other_s_roots(void **state) {
    struct gc_test *t = *state;
    struct table *first = start(t);
    gc_test_reach(t, PHASE_IDLE);
    struct table *second = start(t);
    while (first->next < LATE) gc_mark_some(&t->g, 100);
    assert_true(second->next < LATE);
    end(t, first);
    gc_test_reach(t, PHASE_IDLE);
    assert_int_equal(second->next, LATE);
    for (size_t i = 0; i < LATE; i++) gc_test_check_list(second->slots[i], 3);
    end(t, second);
}

GC_TEST_MAIN(GC_TEST(marking_ends_when_all_were_read),
             GC_TEST(what_is_taken_stays_and_what_is_forgotten_does_not),
             GC_TEST(a_scanner_that_goes_loses_no_other_s_roots))
