/* M4: marking finds everything when its stack may not grow, and resolves ephemerons when their
 * lists may not. W1 holds there too. */
#include "tests/gc/gc_test.h"

enum { WIDTH = 5000, DEPTH = 4000, LINKS = 700 };

/* From now on the system refuses every request of the collector. */
static void refuse(struct gc_test *t) { t->g.heap->faults = (struct gc_faults){1, true}; }
static void refuse_from(struct gc_test *t, uint64_t n) {
    t->g.heap->faults = (struct gc_faults){n, true};
}

static value major_block(struct gc_test *t, size_t wosize) {
    value v = gc_alloc_major(&t->g, wosize, 0);
    for (size_t i = 0; i < wosize; i++) gc_init_field(&t->g, v, i, VAL_UNIT);
    return v;
}

/* A wide block of chains, so that more blocks are found at once than the stack has room for; and
 * blocks that each hold the next one first, so that all wait for their second field. */
static void build(struct gc_test *t) {
    t->root[0] = major_block(t, WIDTH);
    for (size_t i = 0; i < WIDTH; i++) {
        value head = major_block(t, 2), tail = major_block(t, 300);
        gc_store(&t->g, head, 1, tail);
        gc_store(&t->g, tail, 299, val_of_int((intptr_t)i));
        gc_store(&t->g, t->root[0], i, head);
    }
    t->root[1] = VAL_UNIT;
    for (size_t i = 0; i < DEPTH; i++) {
        value v = major_block(t, 40);
        for (size_t k = 0; k < 39; k++) gc_store(&t->g, v, k, major_block(t, 1));
        gc_store(&t->g, v, 39, t->root[1]);
        t->root[1] = v;
    }
}

static void check(struct gc_test *t) {
    for (size_t i = 0; i < WIDTH; i++) {
        value tail = field(field(t->root[0], i), 1);
        assert_int_equal(wosize_of(tail), 300);
        assert_int_equal(field(tail, 299), val_of_int((intptr_t)i));
    }
    size_t depth = 0;
    for (value v = t->root[1]; v != VAL_UNIT; v = field(v, 39), depth++)
        assert_int_equal(wosize_of(field(v, 0)), 1);
    assert_int_equal(depth, DEPTH);
}

static void a_stack_that_does_not_grow(void **state) {
    struct gc_test *t = *state;
    build(t);
    refuse(t);
    size_t capacity = t->g.heap->mark.stack.capacity;
    gc_test_reach(t, PHASE_IDLE);
    gc_test_reach(t, PHASE_MARK);
    gc_mark_some(&t->g, 1000);
    while (!t->g.heap->mark.lost && !gc_mark_is_done(t->g.heap)) gc_mark_some(&t->g, 1000);
    assert_true(t->g.heap->mark.lost);
    assert_false(gc_mark_is_done(t->g.heap));
    gc_test_reach(t, PHASE_IDLE);
    assert_int_equal(t->g.heap->mark.stack.capacity, capacity);
    check(t);
}

static void stores_and_allocations_meanwhile(void **state) {
    struct gc_test *t = *state;
    build(t);
    refuse(t);
    for (int round = 0; round < 3; round++) {
        gc_test_reach(t, PHASE_MARK);
        while (!gc_mark_is_done(t->g.heap)) {
            gc_mark_some(&t->g, 300);
            size_t i = gc_test_random(t, WIDTH), k = gc_test_random(t, WIDTH);
            t->g.heap->faults = (struct gc_faults){0, false};
            value list = gc_test_list(t, 20);
            refuse(t);
            gc_store(&t->g, field(t->root[0], i), 0, list);
            value one = field(field(t->root[0], i), 0);
            gc_store(&t->g, field(t->root[0], k), 0, one);
        }
        gc_test_reach(t, PHASE_IDLE);
        check(t);
    }
    for (size_t i = 0; i < WIDTH; i++)
        if (is_block(field(field(t->root[0], i), 0)))
            gc_test_check_list(field(field(t->root[0], i), 0), 20);
}

/* Ephemerons whose keys depend on each other's data, made in an order in which one round resolves
 * one: of LINKS, all but the last two of each seven are alive. */
static void chain_of_ephemerons(struct gc_test *t, value w) {
    value next = major_block(t, 1);
    for (size_t i = 0; i < LINKS; i++) {
        value e = gc_ephe_create(&t->g, 2);
        value key = i % 7 == 6 ? major_block(t, 1) : next;
        gc_store(&t->g, w, i, e);
        if (i == 0) t->root[1] = key;
        value data = major_block(t, 2);
        gc_ephe_set(&t->g, e, EPHE_FIRST_KEY, key);
        gc_ephe_set(&t->g, e, EPHE_FIRST_KEY + 1, t->root[0]);
        gc_ephe_set(&t->g, e, EPHE_DATA, data);
        next = i % 7 == 6 ? t->root[0] : data;
    }
}

static void ephemerons_without_their_lists(void **state) {
    struct gc_test *t = *state;
    /* The requests for the lists: of waiting, of watched blocks, of woken ones. */
    for (uint64_t n = 1; n <= 8; n++) {
        t->g.heap->faults = (struct gc_faults){0, false};
        value w = t->root[0] = major_block(t, LINKS);
        chain_of_ephemerons(t, w);
        gc_test_reach(t, PHASE_IDLE);
        gc_words_free(&t->g.heap->weak.waiting);
        gc_words_free(&t->g.heap->weak.woken);
        refuse_from(t, n);
        gc_test_cycle(t);
        if (n == 1) assert_true(t->g.heap->weak.refused);
        for (size_t i = 0; i < LINKS; i++) {
            bool alive = i % 7 != 6;
            assert_int_equal(gc_ephe_is_set(&t->g, field(w, i), EPHE_DATA), alive);
            assert_int_equal(gc_ephe_is_set(&t->g, field(w, i), EPHE_FIRST_KEY), alive);
        }
    }
}

GC_TEST_MAIN(GC_TEST(a_stack_that_does_not_grow), GC_TEST(stores_and_allocations_meanwhile),
             GC_TEST(ephemerons_without_their_lists))
