/* code_memory_test.c - memory for machine code: written at one address, run at another (N2). */
#include "vm/engine/native/code_memory.h"
#include "vm/engine/native/emit.h"

/* cmocka.h needs these first. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The permissions of the mapping that holds an address, as /proc has them. */
static void permissions_of(const void *address, char *out) {
    char line[512];
    unsigned long start, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    strcpy(out, "none");
    while (fgets(line, sizeof line, maps) != NULL) {
        char found[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, found) != 3) continue;
        if ((unsigned long)address >= start && (unsigned long)address < end) strcpy(out, found);
    }
    fclose(maps);
}

static void n2_no_address_of_it_is_writable_and_executable(bool anonymous) {
    struct code_memory memory;
    char found[8];
    assert_true(code_memory_create(&memory, anonymous));
    for (size_t at = 0; at < CODE_MEMORY_BYTES; at += CODE_MEMORY_BYTES / 4) {
        permissions_of(memory.writable + at, found);
        assert_string_equal(found, "rw-s");
        permissions_of(memory.executable + at, found);
        assert_string_equal(found, "r-xs");
    }
    code_memory_destroy(&memory);
    assert_null(memory.writable);
}

/* Whether the system maps shared memory a second time; valgrind does not. */
static bool can_be_anonymous(void) {
    size_t size = (size_t)getpagesize();
    void *one = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(one, MAP_FAILED);
    void *two = mremap(one, 0, size, MREMAP_MAYMOVE);
    munmap(one, size);
    return two != MAP_FAILED && munmap(two, size) == 0;
}

static void n2_no_address_is_writable_and_executable(void **state) {
    n2_no_address_of_it_is_writable_and_executable(false);
    if (!can_be_anonymous()) skip();
    n2_no_address_of_it_is_writable_and_executable(true);
}

static void code_that_was_written_runs_in(bool anonymous) {
    struct code_memory memory;
    assert_true(code_memory_create(&memory, anonymous));
    struct emitter e = {.start = memory.writable,
                        .at = memory.writable,
                        .end = memory.writable + CODE_MEMORY_BYTES,
                        .run_offset = memory.executable - memory.writable};
    emit_address(&e, R_A, at_index(R_ARG1, R_ARG2, 1, 3));
    emit_return(&e);
    long (*sum)(long a, long b) = (long (*)(long, long))(uintptr_t)runs_at(&e, memory.writable);
    assert_int_equal(sum(100, 20), 143);
    code_memory_destroy(&memory);
}

static void code_that_was_written_runs(void **state) {
    code_that_was_written_runs_in(false);
    if (!can_be_anonymous()) skip();
    code_that_was_written_runs_in(true);
}

static void an_emitter_without_room_stays_in_its_memory(void **state) {
    uint8_t bytes[64];
    memset(bytes, 0xaa, sizeof bytes);
    struct emitter e = {.start = bytes, .at = bytes, .end = bytes + 40};
    for (int i = 0; i < 100; i++) emit_constant(&e, R_A, INT64_MAX);
    assert_true(e.full);
    for (size_t i = 40; i < sizeof bytes; i++) assert_int_equal(bytes[i], 0xaa);
}

static void a_forked_child_does_not_write(void **state) {
    struct code_memory memory;
    int status;
    assert_true(code_memory_create(&memory, false));
    assert_true(code_memory_is_own(&memory));
    pid_t child = fork();
    if (child == 0) _exit(code_memory_is_own(&memory));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    code_memory_destroy(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n2_no_address_is_writable_and_executable),
        cmocka_unit_test(code_that_was_written_runs),
        cmocka_unit_test(an_emitter_without_room_stays_in_its_memory),
        cmocka_unit_test(a_forked_child_does_not_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
