/* stress.c - mp_stress_start of tracker.h. Checks the events of every sampled block (MT1), and that
 * the frames of call stacks lie in the code. */

#include "gc/containers.h"
#include "memprof/sampling/tracker.h"
#include "vm/stack/callstack.h"
#include "vm/state/vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNBORN, BORN_YOUNG, OLD, DEAD };
enum { SEED = 0x7261636b };
enum { ALWAYS_CHECKED = 256 }; /* frames */

struct stress {
    struct domain *d;
    uint8_t *state; /* of each id */
    size_t capacity;
};

static _Noreturn void complain(uint64_t id, const char *what) {
    fprintf(stderr, "memprof stress: sample %llu %s\n", (unsigned long long)id, what);
    abort();
}

static uint8_t *state_of(struct stress *s, uint64_t id) {
    size_t had = s->capacity;
    if (!vector_widen((void **)&s->state, &s->capacity, id + 1, IF_SMALL_TABLES(2, 4096), 1, NULL))
        complain(id, "cannot be followed: out of memory");
    memset(s->state + had, UNBORN, s->capacity - had);
    return &s->state[id];
}

static void on_born(void *context, uint64_t id, const struct mp_hit *hit) {
    struct stress *s = context;
    const uint64_t *gpcs;
    size_t depth = vm_call_stack(s->d, SIZE_MAX, &gpcs);
    uint8_t *state = state_of(s, id);
    if (*state != UNBORN) complain(id, "is born twice");
    *state = hit->young ? BORN_YOUNG : OLD;
    size_t words = hit->wosize + (hit->source != GC_CUSTOM);
    if (hit->samples == 0 || hit->samples > words) complain(id, "has an impossible multiplicity");
    /* Deep stacks are checked completely only from time to time: mostly the inner frames change. */
    size_t checked = depth <= ALWAYS_CHECKED || id % (depth / ALWAYS_CHECKED) == 0 ? depth
                                                                                   : ALWAYS_CHECKED;
    for (size_t i = depth - checked; i < depth; i++)
        if (gpcs[i] > s->d->vm->next_gpc) complain(id, "has a frame outside the code");
}

static void on_promoted(void *context, const uint64_t *ids, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t *state = state_of(context, ids[i]);
        if (*state != BORN_YOUNG) complain(ids[i], "is promoted, but isn't young");
        *state = OLD;
    }
}

static void on_died(void *context, const uint64_t *ids, size_t count, bool old) {
    for (size_t i = 0; i < count; i++) {
        uint8_t *state = state_of(context, ids[i]);
        if (*state != (old ? OLD : BORN_YOUNG)) complain(ids[i], "dies where it isn't alive");
        *state = DEAD;
    }
}

static void on_close(void *context) {
    struct stress *s = context;
    free(s->state);
    free(s);
}

static const struct mp_tracker_events stress_events = {
    .born = on_born, .promoted = on_promoted, .died = on_died, .close = on_close};

bool mp_stress_start(struct domain *d, double rate) {
    struct stress *s = calloc(1, sizeof *s);
    if (s == NULL) return false;
    s->d = d;
    if (mp_tracker_start(d, rate, SEED, &stress_events, s) != NULL) return true;
    free(s);
    return false;
}
