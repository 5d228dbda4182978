/* M5: between the end of marking and the first swept block the hooks' client inspects its blocks in
 * slices; whatever the program does meanwhile, the result is the same as in one go. */
#include "tests/gc/gc_test.h"

enum { LISTS = 200, LENGTH = 20, BLOCKS = LISTS * LENGTH };

struct client {
    struct gc_hooks hooks;
    value blocks[BLOCKS];
    bool live[BLOCKS]; /* as the client found */
    size_t next, slices;
};

static size_t on_mark_done(void *context, struct gc_domain *g) { return BLOCKS * GC_INSPECT_WORK; }

static size_t on_inspect(void *context, struct gc_domain *g, size_t budget) {
    struct client *c = context;
    size_t done = 0;
    c->slices++;
    for (; c->next < BLOCKS && done < budget; c->next++, done += GC_INSPECT_WORK) {
        gc_prefetch_header(c->blocks[c->next]);
        c->live[c->next] = !gc_is_dead(g, c->blocks[c->next]);
        if (c->live[c->next]) continue;
        assert_int_equal(wosize_of(c->blocks[c->next]), 2);
        assert_int_equal(int_of_val(field(c->blocks[c->next], 0)), c->next % LENGTH);
    }
    return done;
}

/* Lists whose blocks are tracked, every other one of them dead, and marking at its end. */
static struct client *start(struct gc_test *t) {
    struct client *c = calloc(1, sizeof *c);
    assert_non_null(c);
    for (size_t i = 0; i < LISTS; i++) t->root[i] = gc_test_list(t, LENGTH);
    gc_minor(&t->g);
    for (size_t i = 0; i < LISTS; i++) {
        value v = t->root[i];
        for (size_t k = LENGTH; k-- > 0; v = field(v, 1)) c->blocks[i * LENGTH + k] = v;
        if (i % 2 == 0) t->root[i] = VAL_UNIT;
    }
    c->hooks = (struct gc_hooks){.context = c, .mark_done = on_mark_done, .inspect = on_inspect};
    gc_set_hooks(&t->g, &c->hooks);
    gc_test_reach(t, PHASE_INSPECT);
    return c;
}

static void check(struct gc_test *t, struct client *c) {
    gc_test_reach(t, PHASE_IDLE);
    gc_set_hooks(&t->g, NULL);
    assert_int_equal(c->next, BLOCKS);
    for (size_t i = 0; i < BLOCKS; i++) assert_int_equal(c->live[i], i / LENGTH % 2);
    for (size_t i = 1; i < LISTS; i += 2) gc_test_check_list(t->root[i], LENGTH);
    free(c);
}

/* What becomes unreachable now was reached, so it survives this cycle; new blocks do too. */
static void the_program_runs_between_slices(void **state) {
    struct gc_test *t = *state;
    struct client *c = start(t);
    value kept[LISTS];
    for (size_t i = 1; i < LISTS; i += 2) kept[i] = t->root[i];
    for (size_t n = 0; t->g.heap->phase == PHASE_INSPECT; n++) {
        t->root[LISTS + n % 40] = gc_test_list(t, 50 + gc_test_random(t, 500));
        if (n % 3 == 0) gc_minor(&t->g);
        if (n % 7 == 0) t->root[n % LISTS | 1] = VAL_UNIT;
        if (n % 5 == 0) gc_alloc(&t->g, 300, 0);
        if (t->g.heap->phase == PHASE_INSPECT)
            gc_inspect_some(&t->g, 40); /* allocation does it too */
        gc_verify(&t->g, "between slices");
    }
    assert_true(c->slices > 10);
    for (size_t i = 1; i < LISTS; i += 2) t->root[i] = kept[i];
    check(t, c);
}

static void a_forced_cycle_inspects_all_at_once(void **state) {
    struct gc_test *t = *state;
    struct client *c = start(t);
    gc_inspect_some(&t->g, 40);
    gc_finish_major_cycle(&t->g);
    assert_int_equal(c->slices, 2);
    check(t, c);
}

static void slices_of_allocation_finish(void **state) {
    struct gc_test *t = *state;
    struct client *c = start(t);
    while (t->g.heap->phase == PHASE_INSPECT) gc_test_list(t, 100);
    check(t, c);
}

static void hooks_may_be_removed_meanwhile(void **state) {
    struct gc_test *t = *state;
    struct client *c = start(t);
    gc_inspect_some(&t->g, 40);
    gc_set_hooks(&t->g, NULL);
    gc_inspect_some(&t->g, 1);
    assert_int_equal(t->g.heap->phase, PHASE_SWEEP);
    free(c);
}

/* A root that holds an unreached block. */
static void dig_up(struct gc_test *t) {
    struct client *c = start(t);
    t->root[0] = c->blocks[0];
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_an_unreached_block_in_a_root(void **state) {
    char text[500];
    assert_true(gc_test_in_child(dig_up, *state, text, sizeof text) != 0);
    assert_non_null(strstr(text, "M5 broken"));
}

GC_TEST_MAIN(GC_TEST(the_program_runs_between_slices), GC_TEST(a_forced_cycle_inspects_all_at_once),
             GC_TEST(slices_of_allocation_finish), GC_TEST(hooks_may_be_removed_meanwhile),
             GC_TEST(the_verifier_finds_an_unreached_block_in_a_root))
