/* When a minor collection begins, gc_walk_young shows each block that it will promote, once, and
 * the root that leads to it first. */
#include "gc/walk.h"
#include "tests/gc/gc_test.h"

enum { BLOCKS_MAX = 8192 };

struct walk {
    struct gc_test *t;
    size_t words, direct, blocks;
    value seen[BLOCKS_MAX];
    enum gc_root_kind kind; /* of the last block, with: */
    value holder;           /* of GC_ROOT_FIELD: the major block */
    size_t number;
};

static void on_block(void *context, const struct gc_root *root, value v, bool direct) {
    struct walk *w = context;
    w->words += wosize_of(v) + 1;
    w->direct += direct;
    assert_true(w->blocks < BLOCKS_MAX);
    for (size_t i = 0; i < w->blocks; i++) assert_int_not_equal(w->seen[i], v);
    w->seen[w->blocks++] = v;
    w->kind = root->kind;
    w->number = root->number;
    w->holder = root->kind == GC_ROOT_FIELD ? gc_block_of_field(&w->t->g, root->slot) : 0;
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins) {
    if (what == GC_ACT_MINOR && begins) assert_true(gc_walk_young(g, on_block, context));
}

/* A minor collection with a walk, which must see as many words as are promoted. */
static struct walk *collect(struct gc_test *t) {
    static struct walk w;
    struct gc_observer observer = {.context = &w, .activity = on_activity};
    w = (struct walk){.t = t};
    size_t before = gc_stats_read(&t->g).promoted_words;
    gc_add_observer(&t->g, &observer);
    gc_minor(&t->g);
    gc_remove_observer(&t->g, &observer);
    assert_int_equal(w.words, gc_stats_read(&t->g).promoted_words - before);
    return &w;
}

static value major_block(struct gc_test *t, size_t wosize) {
    value v = gc_alloc_major(&t->g, wosize, 0);
    for (size_t i = 0; i < wosize; i++) gc_init_field(&t->g, v, i, VAL_UNIT);
    return v;
}

static void a_slot_leads_to_a_list(void **state) {
    struct gc_test *t = *state;
    t->root[3] = gc_test_list(t, 50);
    gc_test_list(t, 20); /* dead */
    const struct walk *w = collect(t);
    assert_int_equal(w->blocks, 50);
    assert_int_equal(w->direct, 1);
    assert_int_equal(w->kind, GC_ROOT_SCANNED);
}

static void a_field_is_known_by_its_block_and_its_store(void **state) {
    static const size_t sizes[] = {1, 3, 16, 17, 200, 300, 5000, 100000};
    struct gc_test *t = *state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < 3; k++) t->root[3 * i + k] = major_block(t, sizes[i]);
    gc_minor(&t->g);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const value block = t->root[3 * i + 1];
        gc_store(&t->g, t->root[0], 0, gc_test_pair(t, VAL_UNIT, VAL_UNIT));
        size_t number = gc_remembered_count(&t->g);
        if (block != t->root[0])
            gc_store(&t->g, block, sizes[i] - 1, gc_test_pair(t, VAL_UNIT, VAL_UNIT));
        const struct walk *w = collect(t);
        assert_int_equal(w->kind, GC_ROOT_FIELD);
        assert_int_equal(w->holder, block);
        assert_int_equal(w->number, number);
        assert_int_equal(w->blocks, 2);
    }
}

static void variables_of_c_and_finalisers_come_after(void **state) {
    struct gc_test *t = *state;
    value pair = gc_test_pair(t, VAL_UNIT, VAL_UNIT);
    GC_ROOT(&t->g, &pair);
    assert_int_equal(collect(t)->kind, GC_ROOT_IN_C);
    pair = VAL_UNIT;
    gc_finalise(&t->g, VAL_UNIT, gc_test_pair(t, VAL_UNIT, VAL_UNIT));
    assert_int_equal(collect(t)->kind, GC_ROOT_FINALISER);
}

static void each_block_of_a_graph_is_seen_once(void **state) {
    struct gc_test *t = *state;
    for (int round = 0; round < 30; round++) {
        for (int i = 0; i < 900; i++) {
            value a = t->root[gc_test_random(t, 40)], b = t->root[gc_test_random(t, 40)];
            value old = t->root[gc_test_random(t, 40)];
            if (is_block(old)) gc_store(&t->g, old, gc_test_random(t, 2), a);
            t->root[gc_test_random(t, 40)] = gc_test_pair(t, a, b);
        }
        assert_true(collect(t)->blocks > 0);
    }
}

GC_TEST_MAIN(GC_TEST(a_slot_leads_to_a_list), GC_TEST(a_field_is_known_by_its_block_and_its_store),
             GC_TEST(variables_of_c_and_finalisers_come_after),
             GC_TEST(each_block_of_a_graph_is_seen_once))
