/* gc_test.h - what every test of the collector starts from: a heap that verifies itself after each
 * phase, some roots, and blocks to put in them. */
#ifndef BACTRIAN_TESTS_GC_GC_TEST_H
#define BACTRIAN_TESTS_GC_GC_TEST_H

#include "gc/heap.h"
#include "gc/heap_internal.h"
#include "gc/hooks.h"
#include "gc/stats.h"
#include "gc/weak.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOT_COUNT = 256 };

struct gc_test {
    struct gc_domain g;
    value root[ROOT_COUNT]; /* scanned; VAL_UNIT at first */
    jmp_buf *on_out_of_memory;
    uint64_t random;
};

/* A heap with these parameters (verify is switched on); a cmocka state points at it. */
struct gc_test *gc_test_open(const struct gc_params *params);
void gc_test_close(struct gc_test *t);
/* cmocka set-up with default parameters and a minor heap of 4k words; tear-down. */
int gc_test_setup(void **state);
int gc_test_teardown(void **state);

/* One whole cycle from an idle collector. */
void gc_test_cycle(struct gc_test *t);
/* Brings the collector into the phase, from whatever phase it is in. LOOK needs hooks. */
void gc_test_reach(struct gc_test *t, enum gc_phase phase);

/* A block of tag 0 with fields a and b; roots them. GC: may run. */
value gc_test_pair(struct gc_test *t, value a, value b);
/* A list of the integers n-1 .. 0. GC: may run. */
value gc_test_list(struct gc_test *t, intptr_t n);
void gc_test_check_list(value list, intptr_t n);
/* Pseudo-random number below n, the same sequence in each run. */
size_t gc_test_random(struct gc_test *t, size_t n);
/* Runs f in a child process and returns its wait status; its standard error is read into text. */
int gc_test_in_child(void (*f)(struct gc_test *t), struct gc_test *t, char *text, size_t size);

#define GC_TEST(f) cmocka_unit_test_setup_teardown(f, gc_test_setup, gc_test_teardown)
#define GC_TEST_MAIN(...)                                 \
    int main(void) {                                      \
        const struct CMUnitTest tests[] = {__VA_ARGS__};  \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

#endif
