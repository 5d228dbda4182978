/* stress.c - see stress.h. Every block's story is followed (MT1); call stacks must have frames that
 * lie in the code. */
#include "memprof/sampling/stress.h"

#include "gc/small_tables.h"
#include "memprof/program/profile.h"
#include "memprof/sampling/tracker.h"
#include "vm/stack/callstack.h"
#include "vm/state/vm.h"

#include <stdio.h>
#include <stdlib.h>

enum { UNBORN, BORN_YOUNG, OLD, DEAD };
enum { SEED = 0x7261636b };
enum { ALWAYS_CHECKED = 256 }; /* frames */

struct mp_stress {
    struct domain *d;
    struct mp_tracker *tracker;
    uint8_t *state; /* of each id */
    uint64_t capacity;
};

static _Noreturn void complain(uint64_t id, const char *what) {
    fprintf(stderr, "memprof stress: sample %llu %s\n", (unsigned long long)id, what);
    abort();
}

static uint8_t *state_of(struct mp_stress *s, uint64_t id) {
    if (id >= s->capacity) {
        uint64_t wider = s->capacity == 0 ? IF_SMALL_TABLES(2, 4096) : 2 * s->capacity;
        uint8_t *moved = realloc(s->state, wider);
        if (moved == NULL) complain(id, "cannot be followed: no memory");
        memset(moved + s->capacity, UNBORN, wider - s->capacity);
        s->state = moved;
        s->capacity = wider;
    }
    return &s->state[id];
}

static void on_born(void *context, uint64_t id, const struct mp_hit *hit) {
    struct mp_stress *s = context;
    const uint64_t *gpcs;
    size_t depth = vm_call_stack(s->d, SIZE_MAX, &gpcs);
    uint8_t *state = state_of(s, id);
    if (*state != UNBORN) complain(id, "is born twice");
    *state = hit->young ? BORN_YOUNG : OLD;
    size_t words = hit->wosize + (hit->source != GC_CUSTOM);
    if (hit->samples == 0 || hit->samples > words) complain(id, "has an impossible multiplicity");
    /* All of a deep stack now and then: it is the inner frames that change. */
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

static const struct mp_tracker_events stress_events = {on_born, on_promoted, on_died, NULL};

struct mp_stress *mp_stress_start(struct domain *d, double rate) {
    struct mp_stress *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->d = d;
    s->tracker = mp_tracker_start(d, rate, SEED, &stress_events, s);
    if (s->tracker == NULL) {
        free(s);
        return NULL;
    }
    mp_engine_of(d)->stress = s;
    return s;
}

void mp_stress_release(struct mp_stress *s) {
    if (s == NULL) return;
    mp_tracker_release(s->tracker);
    free(s->state);
    free(s);
}
