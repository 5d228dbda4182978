/* gc_test.c - the fixture of the collector's tests. */
#include "tests/gc/gc_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void scan_roots(void *context, struct gc_visitor *visitor) {
    struct gc_test *t = context;
    visitor->slots(visitor, t->root, t->root + ROOT_COUNT);
}

static void out_of_memory(void *context, struct gc_domain *g, size_t words) {
    struct gc_test *t = context;
    if (t->on_out_of_memory != NULL) longjmp(*t->on_out_of_memory, 1);
    fprintf(stderr, "out of memory for %zu words\n", words);
    abort();
}

struct gc_test *gc_test_open(const struct gc_params *params) {
    struct gc_test *t = calloc(1, sizeof *t);
    struct gc_params p = *params;
    struct gc_upcalls up = {.context = t, .out_of_memory = out_of_memory};
    p.verify = true;
    t->random = 88172645463325252u;
    for (size_t i = 0; i < ROOT_COUNT; i++) t->root[i] = VAL_UNIT;
    const char *problem = gc_heap_create(&t->g, &p, &up);
    if (problem != NULL) {
        fprintf(stderr, "no heap: %s\n", problem);
        abort();
    }
    gc_add_scanner(t->g.heap, "test", scan_roots, t);
    return t;
}

void gc_test_close(struct gc_test *t) {
    gc_heap_destroy(&t->g, true);
    free(t);
}

int gc_test_setup(void **state) {
    const struct gc_params params = {.minor_words = 4096};
    *state = gc_test_open(&params);
    return 0;
}

int gc_test_teardown(void **state) {
    gc_test_close(*state);
    return 0;
}

void gc_test_cycle(struct gc_test *t) {
    gc_test_reach(t, PHASE_IDLE);
    gc_full_major_cycle(&t->g);
    gc_test_reach(t, PHASE_IDLE);
}

void gc_test_reach(struct gc_test *t, enum gc_phase phase) {
    struct gc_heap *heap = t->g.heap;
    assert_true(phase != PHASE_INSPECT || t->g.hooks != NULL);
    while (heap->phase != phase) {
        gc_minor_collect(&t->g);
        if (heap->phase == PHASE_IDLE) gc_mark_start(&t->g);
        else if (heap->phase == PHASE_MARK) gc_mark_finish(&t->g);
        else if (heap->phase == PHASE_INSPECT) gc_inspect_some(&t->g, INTPTR_MAX);
        else gc_sweep_some(&t->g, INTPTR_MAX);
    }
}

value gc_test_pair(struct gc_test *t, value a, value b) {
    GC_ROOT(&t->g, &a, &b);
    value pair = gc_alloc_small(&t->g, 2, 0);
    field(pair, 0) = a;
    field(pair, 1) = b;
    return pair;
}

value gc_test_list(struct gc_test *t, intptr_t n) {
    value list = VAL_EMPTY_LIST;
    for (intptr_t i = 0; i < n; i++) list = gc_test_pair(t, val_of_int(i), list);
    return list;
}

void gc_test_check_list(value list, intptr_t n) {
    for (intptr_t i = n - 1; i >= 0; i--) {
        assert_true(is_block(list));
        assert_int_equal(wosize_of(list), 2);
        assert_int_equal(int_of_val(field(list, 0)), i);
        list = field(list, 1);
    }
    assert_int_equal(list, VAL_EMPTY_LIST);
}

size_t gc_test_random(struct gc_test *t, size_t n) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return t->random % n;
}

int gc_test_in_child(void (*f)(struct gc_test *t), struct gc_test *t, char *text, size_t size) {
    int ends[2], status = 0;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], 2);
        f(t);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; length + 1 < size && (n = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}
