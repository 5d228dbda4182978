/* scratch_test.c - the compiler's memory is zeroed whenever it is got. */
#include "vm/engine/native/scratch.h"

/* cmocka.h needs these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* Gets that many bytes, which must be zeros, and fills them. */
static void use(struct native_memory *m, size_t bytes) {
    char *p = native_memory_get(m, bytes);
    assert_int_equal((uintptr_t)p % 16, 0);
    for (size_t i = 0; i < bytes; i++) assert_int_equal(p[i], 0);
    memset(p, 0xa5, bytes);
}

static void it_is_zeroed_after_functions_of_all_sizes(void **state) {
    struct native_memory m = {.newest = NULL};
    static const size_t sizes[] = {40000, 100, 3000000, 8, 33000, 6000000, 32768, 20, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        use(&m, sizes[i]);
        use(&m, 24);
        use(&m, sizes[i] / 2);
        native_memory_reset(&m);
    }
    native_memory_free(&m);
    use(&m, 1000);
    native_memory_free(&m);
}

static void pieces_do_not_overlap(void **state) {
    struct native_memory m = {.newest = NULL};
    unsigned char *pieces[300];
    for (int i = 0; i < 300; i++) {
        pieces[i] = native_memory_get(&m, 20000);
        memset(pieces[i], i % 251, 20000);
    }
    for (int i = 0; i < 300; i++) {
        assert_int_equal(pieces[i][0], i % 251);
        assert_int_equal(pieces[i][19999], i % 251);
    }
    native_memory_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_zeroed_after_functions_of_all_sizes),
        cmocka_unit_test(pieces_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
