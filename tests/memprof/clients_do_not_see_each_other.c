/* A C client of the sampler beside a program's own Gc.Memprof: neither changes what the other sees,
 * and the C client leaves no trace in the heap. The program is the test's argument. */
#include "gc/stats.h"
#include "memprof/memprof.h"
#include "memprof/sampling/tracker.h"
#include "stdlib/state.h"
#include "vm/image/image.h"
#include "vm/machine/machine.h"
#include "vm/stack/callstack.h"
#include "vm/state/vm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK_FIELDS = 57, REFUSED_FIELDS = 61 };

/* What one run came to. */
struct run {
    int status;
    uint64_t minor_words;
    uint64_t births, promotions, deaths; /* of the C client */
    uint64_t blocks, blocks_words, frames, refused;
    struct domain *d;
    uint8_t *state;
    uint64_t capacity;
};

static uint8_t *state_of(struct run *run, uint64_t id) {
    if (id >= run->capacity) {
        uint64_t wider = 2 * id + 100;
        run->state = realloc(run->state, wider);
        assert_non_null(run->state);
        memset(run->state + run->capacity, 0, wider - run->capacity);
        run->capacity = wider;
    }
    return &run->state[id];
}

static void born(void *context, uint64_t id, const struct mp_hit *hit) {
    struct run *run = context;
    const uint64_t *gpcs;
    assert_int_equal(id, run->births);
    assert_int_equal(*state_of(run, id), 0);
    *state_of(run, id) = 1;
    run->births++;
    if (hit->wosize == REFUSED_FIELDS) run->refused++;
    if (hit->wosize != BLOCK_FIELDS) return;
    run->blocks++;
    run->blocks_words += hit->samples;
    run->frames += vm_call_stack(run->d, SIZE_MAX, &gpcs);
}

static void promoted(void *context, const uint64_t *ids, size_t count) {
    struct run *run = context;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(*state_of(run, ids[i]), 1);
        *state_of(run, ids[i]) = 2;
    }
    run->promotions += count;
}

static void died(void *context, const uint64_t *ids, size_t count, bool old) {
    struct run *run = context;
    for (size_t i = 0; i < count; i++) {
        uint8_t *state = state_of(run, ids[i]);
        assert_true(*state == 1 || (old && *state == 2));
        *state = 3;
    }
    run->deaths += count;
}

static const struct mp_tracker_events events = {.born = born, .promoted = promoted, .died = died};

static const char *program;

static struct run run_program(char *own_rate, double rate) {
    struct run run = {0};
    struct vm_error error = {0};
    struct vm_image image;
    char *argv[] = {(char *)program, own_rate, NULL};
    struct vm_options options = {.argv = argv,
                                 .executable_name = program,
                                 .profiler_rows = mp_prim_rows,
                                 .profiler_row_count = mp_prim_row_count};
    assert_int_equal(vm_image_open(program, &image, &error), VM_OK);
    struct vm *vm = vm_create(&options, image.version, &prim_library, &error);
    assert_non_null(vm);
    assert_int_equal(vm_load(vm, &image, &error), VM_OK);
    struct mp_tracker *tracker = NULL;
    if (rate > 0) {
        run.d = vm->domain;
        tracker = mp_tracker_start(vm->domain, rate, 1, &events, &run);
        assert_non_null(tracker);
    }
    struct vm_result result = vm_run(vm);
    assert_int_equal(result.outcome, VM_EXITED);
    run.status = result.exit_status;
    struct gc_stats stats = gc_stats_read(&vm->domain->gc);
    run.minor_words = stats.minor_words;
    if (tracker != NULL) {
        mp_tracker_stop(tracker);
        mp_tracker_free(tracker);
    }
    vm_destroy(vm);
    free(run.state);
    return run;
}

static void the_c_client_leaves_no_trace_in_the_heap(void **state) {
    (void)state;
    struct run alone = run_program("1", 0), watched = run_program("1", 1);
    assert_int_equal(alone.status, 0);
    assert_int_equal(watched.status, 0);
    assert_int_equal(alone.minor_words, watched.minor_words);
}

static void the_program_s_profile_is_invisible(void **state) {
    (void)state;
    struct run off = run_program("0", 1), on = run_program("1", 1);
    assert_int_equal(off.status, 0);
    assert_int_equal(on.status, 0);
    assert_int_equal(off.births, on.births + 1); /* the refused one */
    assert_int_equal(off.blocks, 10000);
    assert_int_equal(on.blocks, 10000);
    assert_int_equal(on.blocks_words, 580000);
    assert_int_equal(off.frames, on.frames);
    /* deep: 0 to 15 frames in turn; then that of block, and the main one. */
    assert_int_equal(on.frames, 10000 / 16 * (16 * 15 / 2) + 10000 * 2);
}

static void every_story_is_whole(void **state) {
    (void)state;
    for (double rate = 0.01; rate <= 1; rate *= 10) {
        struct run run = run_program("1", rate);
        assert_int_equal(run.status, 0);
        assert_true(run.promotions > 0);
        if (rate == 1) assert_true(run.births - run.deaths < 3000); /* the library's own data */
    }
}

static void a_refused_block_is_not_heard_of(void **state) {
    (void)state;
    struct run off = run_program("0", 1), on = run_program("1", 1);
    assert_int_equal(off.refused, 1);
    assert_int_equal(on.refused, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_c_client_leaves_no_trace_in_the_heap),
        cmocka_unit_test(the_program_s_profile_is_invisible),
        cmocka_unit_test(every_story_is_whole),
        cmocka_unit_test(a_refused_block_is_not_heard_of),
    };
    if (argc < 2) return 77;
    program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
