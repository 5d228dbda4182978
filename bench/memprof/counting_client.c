/* counting_client.c - the least that a client in C does, for bench/memprof/run: it counts births,
 * promotions and deaths, and takes a call stack of ten frames at each birth, as the trackers of
 * allocate.ml do.
 *
 *     counting_client RATE PROGRAM ARGUMENTS...      rate 0: no client at all
 *
 * Prints what it counted on standard error. */
#include "memprof/memprof.h"
#include "memprof/sampling/tracker.h"
#include "stdlib/state.h"
#include "vm/image/image.h"
#include "vm/machine/machine.h"
#include "vm/stack/callstack.h"
#include "vm/state/vm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 10, SEED = 1 };

struct counts {
    struct domain *d;
    uint64_t births, frames, promotions, deaths;
};

static void on_born(void *context, uint64_t id, const struct mp_hit *hit) {
    struct counts *c = context;
    const uint64_t *gpcs;
    c->births++;
    c->frames += vm_short_call_stack(c->d, FRAMES, &gpcs);
}

static void on_promoted(void *context, const uint64_t *ids, size_t count) {
    ((struct counts *)context)->promotions += count;
}

static void on_died(void *context, const uint64_t *ids, size_t count, bool old) {
    ((struct counts *)context)->deaths += count;
}

static const struct mp_tracker_events events = {
    .born = on_born, .promoted = on_promoted, .died = on_died};

static int fail(const char *subject, const char *what) {
    fprintf(stderr, "%s: %s\n", subject, what);
    return 1;
}

int main(int argc, char **argv) {
    struct vm_error error = {0};
    struct vm_image image;
    struct counts counts = {0};
    struct mp_tracker *tracker = NULL;
    if (argc < 3)
        return fail("counting_client", "usage: counting_client RATE PROGRAM ARGUMENTS...");
    double rate = strtod(argv[1], NULL);
    struct vm_options options = {.argv = argv + 2,
                                 .executable_name = argv[2],
                                 .profiler_rows = mp_prim_rows,
                                 .profiler_row_count = mp_prim_row_count};
    if (vm_image_open(argv[2], &image, &error) != VM_OK) return fail(argv[2], "is not bytecode");
    struct vm *vm = vm_create(&options, image.version, &prim_library, &error);
    if (vm == NULL || vm_load(vm, &image, &error) != VM_OK) return fail(argv[2], "does not load");
    counts.d = vm->domain;
    if (rate > 0) {
        tracker = mp_tracker_start(vm->domain, rate, SEED, &events, &counts);
        if (tracker == NULL) return fail("counting_client", "no memory");
    }
    struct vm_result result = vm_run(vm);
    if (tracker != NULL) mp_tracker_free(tracker);
    vm_destroy(vm);
    fprintf(stderr,
            "%" PRIu64 " births, %" PRIu64 " promotions, %" PRIu64 " deaths, %" PRIu64 " frames\n",
            counts.births, counts.promotions, counts.deaths, counts.frames);
    return result.outcome == VM_RETURNED ? 0 : result.outcome == VM_EXITED ? result.exit_status : 2;
}
