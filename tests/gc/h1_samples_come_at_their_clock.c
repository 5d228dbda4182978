/* H1, H2: a client of the hooks sees each sampled block once, at the clock it set; collections and
 * resizes do not lose a sample; promotion and death are reported. */
#include "tests/gc/gc_test.h"

struct client {
    struct gc_hooks hooks;
    size_t interval; /* words between samples; SIZE_MAX: stop */
    size_t samples, from_bytecode, large, large_words, custom_bytes;
    size_t last_wosize;
    value tracked[100];
    size_t tracked_count, to_inspect, promoted, dead_young, dead_old;
};

static void set_sample(struct gc_domain *g, size_t words) {
    gc_set_sample(g, words == SIZE_MAX ? GC_NO_SAMPLE : gc_clock(g) + words);
}

static bool on_sample(void *context, struct gc_domain *g, size_t wosize, unsigned tag,
                      bool from_bytecode, value v) {
    struct client *c = context;
    c->samples++;
    c->from_bytecode += from_bytecode;
    c->last_wosize = wosize;
    if (!from_bytecode) assert_int_equal(wosize_of(v), wosize);
    /* From bytecode the block does not exist yet, so the count starts after it. */
    size_t ahead = from_bytecode ? wosize + 1 : 0;
    set_sample(g, c->interval == SIZE_MAX ? SIZE_MAX : c->interval + ahead);
    return false;
}

static void on_allocated(void *context, struct gc_domain *g, value v, size_t words,
                         enum gc_source source) {
    struct client *c = context;
    if (source == GC_CUSTOM) {
        c->custom_bytes += words;
        return;
    }
    c->large++;
    c->large_words += words;
    assert_int_equal(wosize_of(v), words);
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct client *c = context;
    for (size_t i = 0; i < c->tracked_count; i++) {
        if (!gc_is_young(g, c->tracked[i])) continue;
        c->tracked[i] = gc_promoted_copy(g, c->tracked[i]);
        if (c->tracked[i] != 0) c->promoted++;
        else {
            c->dead_young++;
            c->tracked[i--] = c->tracked[--c->tracked_count];
        }
    }
}

static size_t on_mark_done(void *context, struct gc_domain *g) {
    struct client *c = context;
    c->to_inspect = c->tracked_count;
    return c->to_inspect * GC_INSPECT_WORK;
}

static size_t on_inspect(void *context, struct gc_domain *g, size_t budget) {
    struct client *c = context;
    size_t done = 0;
    for (; c->to_inspect > 0 && done < budget; done += GC_INSPECT_WORK) {
        size_t i = --c->to_inspect;
        if (!gc_is_dead(g, c->tracked[i])) continue;
        c->dead_old++;
        c->tracked[i] = c->tracked[--c->tracked_count];
    }
    return done;
}

static void install(struct client *c, struct gc_test *t, size_t interval) {
    *c = (struct client){.interval = interval};
    c->hooks = (struct gc_hooks){.context = c,
                                 .sample = on_sample,
                                 .allocated = on_allocated,
                                 .minor_done = on_minor_done,
                                 .mark_done = on_mark_done,
                                 .inspect = on_inspect};
    gc_set_hooks(&t->g, &c->hooks);
    if (interval != SIZE_MAX) set_sample(&t->g, interval);
}

static void every_block_when_each_word_is_sampled(void **state) {
    struct gc_test *t = *state;
    struct client c;
    install(&c, t, 0);
    for (int i = 0; i < 5000; i++) gc_alloc_small(&t->g, 1 + i % 9, TAG_ABSTRACT);
    assert_int_equal(c.samples, 5000);
    for (int i = 0; i < 5000; i++) gc_alloc_small_bytecode(&t->g, 2, TAG_ABSTRACT);
    assert_int_equal(c.samples, 10000);
    assert_int_equal(c.from_bytecode, 5000);
    gc_set_hooks(&t->g, NULL);
    for (int i = 0; i < 5000; i++) gc_alloc_small(&t->g, 2, TAG_ABSTRACT);
    assert_int_equal(c.samples, 10000);
}

/* Blocks of 4 words each; a sample at the 40th word after each sampled block. */
static void samples_keep_their_distance_across_collections(void **state) {
    struct gc_test *t = *state;
    struct client c;
    for (int collect = 0; collect < 3; collect++) {
        install(&c, t, 40);
        for (int i = 1; i <= 1100; i++) {
            gc_alloc_small(&t->g, 3, TAG_ABSTRACT);
            /* The trigger is passed by the 11th block: 40 words fit before it. */
            assert_int_equal(c.samples, i / 11);
            if (collect == 1 && i % 7 == 0) gc_minor(&t->g);
            if (collect == 2 && i % 50 == 0) {
                struct gc_params p = *gc_get_params(&t->g);
                p.minor_words = i % 100 == 0 ? 4096 : 8192;
                gc_set_params(&t->g, &p);
            }
        }
    }
    gc_set_hooks(&t->g, NULL);
}

static void a_distance_larger_than_the_minor_heap_is_kept(void **state) {
    struct gc_test *t = *state;
    struct client c;
    install(&c, t, 20000);
    int blocks = 0;
    while (c.samples == 0) {
        gc_alloc_small(&t->g, 3, TAG_ABSTRACT);
        blocks++;
    }
    assert_int_equal(blocks, 20000 / 4 + 1);
    gc_set_hooks(&t->g, NULL);
}

static void major_and_custom_allocations_are_reported(void **state) {
    static const struct gc_custom_ops ops = {.identifier = "plain"};
    struct gc_test *t = *state;
    struct client c;
    install(&c, t, SIZE_MAX);
    gc_alloc(&t->g, 300, TAG_ABSTRACT);
    value v = gc_alloc_major(&t->g, 5, TAG_ABSTRACT);
    gc_alloc_major_unsampled(&t->g, 5, TAG_ABSTRACT);
    gc_alloc_custom_mem(&t->g, &ops, 8, 83);
    assert_int_equal(c.large, 2);
    assert_int_equal(c.large_words, 305);
    assert_int_equal(c.custom_bytes, 83);
    assert_true(gc_is_heap_block(&t->g, v));
    gc_set_hooks(&t->g, NULL);
}

static void promotion_and_death(void **state) {
    struct gc_test *t = *state;
    struct client c;
    install(&c, t, SIZE_MAX);
    for (int i = 0; i < 90; i++) {
        value v = c.tracked[c.tracked_count++] = gc_test_list(t, 1);
        if (i % 3 == 0) t->root[i] = v;
    }
    gc_minor(&t->g);
    assert_int_equal(c.promoted, 30);
    assert_int_equal(c.dead_young, 60);
    for (size_t i = 0; i < c.tracked_count; i++) gc_test_check_list(c.tracked[i], 1);
    for (int i = 0; i < 45; i++) t->root[i] = VAL_UNIT;
    gc_test_cycle(t);
    assert_int_equal(c.dead_old, 15);
    assert_int_equal(c.tracked_count, 15);
    gc_set_hooks(&t->g, NULL);
}

static void displace(struct gc_test *t) {
    t->g.sample_trigger = t->g.young_end + 8;
    gc_verify(&t->g, "test");
}

static void the_verifier_finds_a_trigger_outside(void **state) {
    char text[500];
    assert_true(gc_test_in_child(displace, *state, text, sizeof text) != 0);
    assert_non_null(strstr(text, "H1 broken"));
}

GC_TEST_MAIN(GC_TEST(every_block_when_each_word_is_sampled),
             GC_TEST(samples_keep_their_distance_across_collections),
             GC_TEST(a_distance_larger_than_the_minor_heap_is_kept),
             GC_TEST(major_and_custom_allocations_are_reported), GC_TEST(promotion_and_death),
             GC_TEST(the_verifier_finds_a_trigger_outside))
