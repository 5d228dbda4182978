/* Random programs on a graph of blocks, and on a model of it in C memory: whatever the collector
 * does, the two agree. Run for several parameters and all stress levels. */
#include "tests/gc/gc_test.h"

enum { MAX_BLOCKS = 60000, MAX_FIELDS = 6, LIVE_ROOTS = 200, WEAK_SLOTS = 40 };

/* Field 0 of each block is its number; the others hold blocks. Numbers are never used again. */
struct model {
    struct {
        uint32_t children[MAX_FIELDS]; /* 0: none */
        uint32_t seen;                 /* in the last comparison */
        uint8_t fields;
    } blocks[MAX_BLOCKS];
    uint32_t roots[LIVE_ROOTS];
    uint32_t weak[WEAK_SLOTS]; /* content of the weak array */
    uint32_t count, comparison;
};

static size_t fields_of(const struct model *m, uint32_t n) { return m->blocks[n].fields; }

static void new_block(struct gc_test *t, struct model *m, size_t at) {
    if (m->count + 1 >= MAX_BLOCKS) return;
    uint32_t n = ++m->count;
    size_t fields = gc_test_random(t, MAX_FIELDS + 1);
    /* The fields of the model may be in a large block. */
    size_t wosize = gc_test_random(t, 50) == 0 ? 300 + gc_test_random(t, 1000) : 1 + fields;
    value v = gc_test_random(t, 4) == 0 ? gc_alloc_major(&t->g, wosize, 2)
                                        : gc_alloc(&t->g, wosize, 2);
    gc_init_field(&t->g, v, 0, val_of_int(n));
    for (size_t i = 1; i < wosize; i++) gc_init_field(&t->g, v, i, VAL_UNIT);
    m->blocks[n].fields = (uint8_t)fields;
    for (size_t i = 0; i < fields; i++) {
        size_t from = gc_test_random(t, LIVE_ROOTS);
        gc_init_field(&t->g, v, 1 + i, t->root[from]);
        m->blocks[n].children[i] = m->roots[from];
    }
    t->root[at] = v;
    m->roots[at] = n;
}

static void store(struct gc_test *t, struct model *m, size_t at, size_t from) {
    uint32_t n = m->roots[at];
    if (n == 0 || fields_of(m, n) == 0) return;
    size_t i = gc_test_random(t, fields_of(m, n));
    gc_store(&t->g, t->root[at], 1 + i, t->root[from]);
    m->blocks[n].children[i] = m->roots[from];
}

static void load(struct gc_test *t, struct model *m, size_t at, size_t to) {
    uint32_t n = m->roots[at];
    if (n == 0 || fields_of(m, n) == 0) return;
    size_t i = gc_test_random(t, fields_of(m, n));
    t->root[to] = field(t->root[at], 1 + i);
    m->roots[to] = m->blocks[n].children[i];
}

static void weak_step(struct gc_test *t, struct model *m, size_t at) {
    size_t i = gc_test_random(t, WEAK_SLOTS), slot = EPHE_FIRST_KEY + i;
    value e = t->root[LIVE_ROOTS];
    if (gc_test_random(t, 2) == 0) {
        gc_ephe_set(&t->g, e, slot, t->root[at]);
        m->weak[i] = m->roots[at];
        return;
    }
    value v = gc_ephe_get(&t->g, e, slot);
    if (v == gc_ephe_none(&t->g)) return;
    if (is_block(v)) assert_int_equal(int_of_val(field(v, 0)), m->weak[i]);
    t->root[at] = v;
    m->roots[at] = m->weak[i];
}

static void finaliser_step(struct gc_test *t, struct model *m, size_t at) {
    value f, v;
    if (m->roots[at] != 0 && gc_test_random(t, 2) == 0) {
        value number = val_of_int(m->roots[at]);
        if (gc_test_random(t, 2) == 0) gc_finalise(&t->g, number, t->root[at]);
        else gc_finalise_last(&t->g, number, t->root[at]);
    } else if (gc_next_finaliser(&t->g, &f, &v) && is_block(v)) {
        assert_int_equal(int_of_val(f), int_of_val(field(v, 0)));
        t->root[at] = v;
        m->roots[at] = (uint32_t)int_of_val(f);
    }
}

static void collect_step(struct gc_test *t) {
    switch (gc_test_random(t, 60)) {
    case 0: gc_full_major_cycle(&t->g); break;
    case 1: gc_finish_major_cycle(&t->g); break;
    case 2: gc_compact(&t->g); break;
    case 3:
    case 4:
    case 5: gc_minor(&t->g); break;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
    case 13: gc_major_slice(&t->g, 1 + (intptr_t)gc_test_random(t, 3000)); break;
    default:
        if (!t->g.action_requested) break;
        gc_clear_action(&t->g);
        gc_collect_requested(&t->g);
    }
}

static void compare(struct model *m, value root, uint32_t root_number) {
    static value values[MAX_BLOCKS];
    static uint32_t numbers[MAX_BLOCKS];
    size_t count = 0;
    if (root_number == 0) return;
    values[count] = root;
    numbers[count++] = root_number;
    while (count > 0) {
        value v = values[--count];
        uint32_t n = numbers[count];
        assert_int_equal(int_of_val(field(v, 0)), n);
        if (m->blocks[n].seen == m->comparison) continue;
        m->blocks[n].seen = m->comparison;
        for (size_t i = 0; i < fields_of(m, n); i++) {
            uint32_t child = m->blocks[n].children[i];
            if (child == 0) {
                assert_int_equal(field(v, 1 + i), VAL_UNIT);
            } else if (m->blocks[child].seen != m->comparison && count < MAX_BLOCKS) {
                values[count] = field(v, 1 + i);
                numbers[count++] = child;
            } else assert_int_equal(int_of_val(field(field(v, 1 + i), 0)), child);
        }
    }
}

static void run(const struct gc_params *params, int steps, uint64_t seed) {
    struct gc_test *t = gc_test_open(params);
    struct model *m = calloc(1, sizeof *m);
    t->random ^= seed * 0x9e3779b97f4a7c15u;
    t->root[LIVE_ROOTS] = gc_ephe_create(&t->g, WEAK_SLOTS);
    for (int step = 0; step < steps; step++) {
        size_t at = gc_test_random(t, LIVE_ROOTS), other = gc_test_random(t, LIVE_ROOTS);
        switch (gc_test_random(t, 10)) {
        case 0:
        case 1:
        case 2:
        case 3: new_block(t, m, at); break;
        case 4:
        case 5: store(t, m, at, other); break;
        case 6: load(t, m, at, other); break;
        case 7: weak_step(t, m, at); break;
        case 8: finaliser_step(t, m, at); break;
        default:
            if (gc_test_random(t, 3) == 0) {
                t->root[at] = VAL_UNIT;
                m->roots[at] = 0;
            }
        }
        if (gc_test_random(t, 20) == 0) collect_step(t);
        if (step % 5000 == 0 || step == steps - 1) {
            m->comparison++;
            for (size_t i = 0; i < LIVE_ROOTS; i++) compare(m, t->root[i], m->roots[i]);
        }
    }
    gc_verify(&t->g, "end of the program");
    free(m);
    gc_test_close(t);
}

static void small_minor_heap(void **state) {
    for (unsigned seed = 1; seed <= 4; seed++)
        run(&(struct gc_params){.minor_words = 4096}, 40000, seed);
}
static void default_minor_heap(void **state) {
    run(&(struct gc_params){.adaptive_minor = true}, 40000, 7);
}
static void tight_heap(void **state) {
    run(&(struct gc_params){.minor_words = 4096, .space_overhead = 1}, 40000, 8);
}
static void stress_1(void **state) {
    run(&(struct gc_params){.minor_words = 4096, .stress = 1}, 4000, 11);
}
static void stress_2(void **state) {
    run(&(struct gc_params){.minor_words = 4096, .stress = 2}, 3000, 12);
}
static void stress_3(void **state) {
    run(&(struct gc_params){.minor_words = 4096, .stress = 3}, 20000, 13);
}
static void stress_4(void **state) {
    run(&(struct gc_params){.minor_words = 4096, .stress = 4}, 20000, 14);
}
static void stress_5(void **state) {
    run(&(struct gc_params){.minor_words = 4096, .stress = 5}, 4000, 15);
}

GC_TEST_MAIN(cmocka_unit_test(small_minor_heap), cmocka_unit_test(default_minor_heap),
             cmocka_unit_test(tight_heap), cmocka_unit_test(stress_1), cmocka_unit_test(stress_2),
             cmocka_unit_test(stress_3), cmocka_unit_test(stress_4), cmocka_unit_test(stress_5))
