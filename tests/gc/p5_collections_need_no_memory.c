/* P5, F4, X2 and G2: once allocation has succeeded, no collection needs the system's memory; an
 * operation that would make one need some is refused. */
#include "tests/gc/gc_test.h"

enum { MANY = 3000, SOME = 900 };

static void refuse(struct gc_test *t) { t->g.heap->faults = (struct gc_faults){1, true}; }
static void allow(struct gc_test *t) { t->g.heap->faults = (struct gc_faults){0, false}; }

static value major_block(struct gc_test *t, size_t wosize) {
    value v = gc_alloc_major(&t->g, wosize, 0);
    for (size_t i = 0; i < wosize; i++) gc_init_field(&t->g, v, i, VAL_UNIT);
    return v;
}

/* Whether step is refused for lack of memory, within `most` attempts. */
static bool refused(struct gc_test *t, void (*step)(struct gc_test *t), int most) {
    jmp_buf escape;
    volatile bool out = false;
    t->on_out_of_memory = &escape;
    if (setjmp(escape) == 0)
        for (int i = 0; i < most; i++) step(t);
    else out = true;
    t->on_out_of_memory = NULL;
    t->g.local_roots = NULL;
    return out;
}

/* ---- Promotion. ---- */

static void keep_a_pair(struct gc_test *t) {
    t->root[0] = gc_test_pair(t, val_of_int(1), t->root[0]);
}
static void keep_a_large_block(struct gc_test *t) {
    value v = major_block(t, 1000);
    gc_init_field(&t->g, v, 0, t->root[1]);
    t->root[1] = v;
}
static void keep_blocks_of_all_sizes(struct gc_test *t) {
    for (size_t n = 1; n <= MAX_YOUNG_WOSIZE; n += 1 + n / 8) {
        value v = gc_alloc_small(&t->g, n, n % 2 ? 0 : TAG_ABSTRACT);
        for (size_t i = 0; i < n; i++) field(v, i) = VAL_UNIT;
        if (n % 2) field(v, 0) = t->root[2], t->root[2] = v;
    }
}

static void promotion_finds_its_spans(void **state) {
    struct gc_test *t = *state;
    refuse(t);
    assert_true(refused(t, keep_a_pair, 100000000));
    assert_true(refused(t, keep_a_large_block, 100000000));
    assert_true(refused(t, keep_blocks_of_all_sizes, 100000000));
    gc_verify(&t->g, "out of memory");
    t->root[0] = t->root[1] = t->root[2] = VAL_UNIT;
    gc_test_cycle(t);
    assert_false(refused(t, keep_a_pair, 10000)); /* from memory that was freed */
    allow(t);
    assert_false(refused(t, keep_a_pair, 1000000));
    assert_false(refused(t, keep_a_large_block, 10000));
}

static void large_blocks_leave_the_reserve(void **state) {
    struct gc_test *t = *state;
    refuse(t);
    assert_true(refused(t, keep_a_large_block, 100000000));
    t->root[1] = VAL_UNIT;
    for (int i = 0; i < SOME; i++) keep_a_pair(t);
    gc_minor_collect(&t->g);
    gc_test_cycle(t);
    assert_true(t->g.heap->free_span_count >= t->g.heap->minor_spans);
}

/* ---- The remembered set and registered slots. ---- */

/* Stores young pairs in both kinds of blocks, without an allocation in between. */
static void fill_with_young(struct gc_test *t) {
    value pairs[MANY / 10];
    gc_minor_collect(&t->g);
    for (intptr_t i = 0; i < MANY / 10; i++)
        pairs[i] = gc_test_pair(t, val_of_int(i * 10), VAL_UNIT);
    for (size_t i = 0; i < MANY; i++) {
        gc_store(&t->g, t->root[1], i, pairs[i / 10]);
        gc_store(&t->g, field(t->root[0], i), 1, pairs[i / 10]);
    }
}

static void check_young(struct gc_test *t) {
    for (size_t i = 0; i < MANY; i++) {
        value pair = field(t->root[1], i);
        assert_int_equal(field(pair, 0), val_of_int((intptr_t)(i - i % 10)));
        assert_ptr_equal(field(field(t->root[0], i), 1), pair);
    }
}

/* A client of the hooks with blocks to inspect, so that there is a phase INSPECT. */
static size_t on_mark_done(void *context, struct gc_domain *g) { return GC_INSPECT_WORK; }
static size_t on_inspect(void *context, struct gc_domain *g, size_t budget) { return 0; }

static void slots_that_could_not_be_remembered(void **state) {
    struct gc_test *t = *state;
    const struct gc_hooks hooks = {.mark_done = on_mark_done, .inspect = on_inspect};
    gc_set_hooks(&t->g, &hooks);
    for (enum gc_phase phase = PHASE_IDLE; phase <= PHASE_SWEEP; phase++) {
        allow(t);
        t->root[0] = major_block(t, MANY);
        t->root[1] = major_block(t, MANY);
        for (size_t i = 0; i < MANY; i++) {
            if (i % 3 == 0) major_block(t, 3); /* soon a gap */
            gc_store(&t->g, t->root[0], i, major_block(t, i % 2 ? 3 : 400));
        }
        gc_test_reach(t, phase);
        refuse(t);
        fill_with_young(t);
        assert_true(t->g.minor.remembered_lost);
        assert_true(t->g.minor.requested);
        gc_minor_collect(&t->g);
        assert_false(t->g.minor.remembered_lost);
        check_young(t);
        gc_test_reach(t, PHASE_IDLE);
        check_young(t);
    }
    gc_set_hooks(&t->g, NULL);
}

static void registered_slots_that_could_not_be_listed(void **state) {
    struct gc_test *t = *state;
    static value slots[SOME];
    for (int i = 0; i < SOME; i++) {
        slots[i] = VAL_UNIT;
        gc_register_root(&t->g, &slots[i]);
    }
    refuse(t);
    for (int i = 0; i < SOME; i++)
        gc_modify_root(&t->g, &slots[i], gc_test_pair(t, val_of_int(i), VAL_UNIT));
    assert_true(t->g.minor.roots_lost);
    gc_minor_collect(&t->g);
    for (int i = 0; i < SOME; i++) {
        assert_false(gc_is_young(&t->g, slots[i]));
        assert_int_equal(field(slots[i], 0), val_of_int(i));
        gc_remove_root(&t->g, &slots[i]);
    }
}

static value more_slots[10000];
static size_t more_count;
static void register_a_slot(struct gc_test *t) {
    gc_register_root(&t->g, &more_slots[more_count++]);
}

static void registering_is_refused(void **state) {
    struct gc_test *t = *state;
    refuse(t);
    for (size_t i = 0; i < 10000; i++) more_slots[i] = VAL_UNIT;
    assert_true(refused(t, register_a_slot, 10000));
    gc_test_cycle(t);
}

/* ---- Custom blocks, finalisers, ephemerons. ---- */

static int born, died;
static void count_finalize(value v) { died++; }
static const struct gc_custom_ops counted = {.identifier = "counted", .finalize = count_finalize};

static void make_a_custom(struct gc_test *t) {
    value v = gc_alloc_custom(&t->g, &counted, born % 100 == 7 ? 3000 : 8, 0, 1);
    if (born++ % 3 == 0) t->root[gc_test_random(t, ROOT_COUNT)] = v;
}

static void customs_are_refused_before_they_exist(void **state) {
    struct gc_test *t = *state;
    born = died = 0;
    for (int i = 0; i < 70; i++) make_a_custom(t);
    refuse(t);
    while (!refused(t, make_a_custom, 200)) gc_minor_collect(&t->g);
    gc_verify(&t->g, "out of memory");
    gc_test_cycle(t);
    assert_true(died < born);
    allow(t);
    for (int i = 0; i < 1000; i++) make_a_custom(t);
    for (size_t i = 0; i < ROOT_COUNT; i++) t->root[i] = VAL_UNIT;
    gc_test_cycle(t);
    gc_test_cycle(t);
    assert_int_equal(died, born);
}

static void finalise_something(struct gc_test *t) {
    gc_finalise(&t->g, val_of_int(1), gc_test_pair(t, VAL_UNIT, VAL_UNIT));
    gc_finalise_last(&t->g, val_of_int(2), gc_test_pair(t, VAL_UNIT, VAL_UNIT));
    born += 2;
}

static void finalisers_are_refused_before_they_are_due(void **state) {
    struct gc_test *t = *state;
    born = died = 0;
    for (int i = 0; i < 20; i++) finalise_something(t);
    refuse(t);
    assert_true(refused(t, finalise_something, 100000));
    gc_test_cycle(t);
    value f, argument;
    for (; gc_next_finaliser(&t->g, &f, &argument); died++) continue;
    assert_true(died == born ||
                died == born + 1); /* the last `first` may have been registered alone */
}

static void fill_an_ephemeron(struct gc_test *t) {
    value v = gc_test_pair(t, VAL_UNIT, VAL_UNIT);
    gc_ephe_set(&t->g, t->root[0], EPHE_FIRST_KEY + (size_t)born++ % MANY, v);
}
static void make_an_ephemeron(struct gc_test *t) { gc_ephe_create(&t->g, 1); }

static void ephemerons_are_refused_before_they_are_changed(void **state) {
    struct gc_test *t = *state;
    born = 0;
    t->root[0] = gc_ephe_create(&t->g, MANY);
    refuse(t);
    assert_true(refused(t, fill_an_ephemeron, MANY));
    gc_verify(&t->g, "out of memory");
    gc_minor_collect(&t->g);
    assert_true(refused(t, make_an_ephemeron, 100000));
    gc_test_cycle(t);
}

GC_TEST_MAIN(GC_TEST(promotion_finds_its_spans), GC_TEST(large_blocks_leave_the_reserve),
             GC_TEST(slots_that_could_not_be_remembered),
             GC_TEST(registered_slots_that_could_not_be_listed), GC_TEST(registering_is_refused),
             GC_TEST(customs_are_refused_before_they_exist),
             GC_TEST(finalisers_are_refused_before_they_are_due),
             GC_TEST(ephemerons_are_refused_before_they_are_changed))
