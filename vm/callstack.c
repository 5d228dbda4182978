/* callstack.c - see callstack.h. */
#include "vm/callstack.h"

#include "vm/domain.h"
#include "vm/frames.h"
#include "vm/stack.h"

#include <stdlib.h>

enum {
    MARK_DEPTH = 16, /* frames between the innermost one and the mark */
    SHARE_FROM = 64, /* stacks that are asked for to a smaller depth are walked without sharing */
};

static bool widen(uint64_t **gpcs, uint32_t **positions, size_t *capacity, size_t count) {
    size_t wider = *capacity == 0 ? 256 : *capacity;
    while (wider < count) wider *= 2;
    uint64_t *g = realloc(*gpcs, wider * sizeof *g);
    if (g != NULL) *gpcs = g;
    uint32_t *p = realloc(*positions, wider * sizeof *p);
    if (p != NULL) *positions = p;
    if (g == NULL || p == NULL) return false;
    *capacity = wider;
    return true;
}

static inline bool reserve(uint64_t **gpcs, uint32_t **positions, size_t *capacity, size_t count) {
    return count <= *capacity || widen(gpcs, positions, capacity, count);
}

/* How many kept frames lie above a slot at that position. */
static size_t frames_above(const struct vm_call_stack *s, uint32_t position) {
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->positions[middle] < position) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Walks from the innermost frame to the mark, the bottom, or limit frames; *shared: the kept
 * frames that go on from there. Returns the number of fresh frames; SIZE_MAX: no memory. */
static size_t walk(struct domain *d, struct vm_call_stack *s, size_t limit, size_t *shared) {
    struct vm_frame frame;
    size_t n = 0;
    *shared = 0;
    for (bool more = vm_frames_first(d, &frame); more && n < limit;
         more = vm_frames_next(d, &frame)) {
        value *behind = frame.base + frame.height;
        uint32_t position = (uint32_t)(d->stack_high - behind);
        if (!reserve(&s->fresh_gpcs, &s->fresh_positions, &s->fresh_capacity, n + 1))
            return SIZE_MAX;
        s->fresh_gpcs[n] = frame.gpc;
        s->fresh_positions[n++] = position;
        if (behind == d->marks[MARK_CALL_STACK].slot && behind != d->stack_high) {
            *shared = frames_above(s, position);
            break;
        }
    }
    return n;
}

/* Moves the mark to MARK_DEPTH frames from the innermost one. */
static void renew_mark(struct domain *d, const struct vm_call_stack *s) {
    vm_mark_lift(d, MARK_CALL_STACK);
    if (s->count <= 2 * MARK_DEPTH) return;
    value *slot = d->stack_high - s->positions[s->count - 1 - MARK_DEPTH];
    if (slot < d->stack_high) vm_mark_place_at(d, MARK_CALL_STACK, slot);
}

static size_t give(const struct vm_call_stack *s, size_t limit, const uint64_t **gpcs) {
    size_t n = s->count < limit ? s->count : limit;
    *gpcs = s->gpcs + (s->count - n);
    return n;
}

size_t vm_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs) {
    if (d->call_stack == NULL) d->call_stack = calloc(1, sizeof *d->call_stack);
    struct vm_call_stack *s = d->call_stack;
    if (s == NULL || limit == 0) return 0;
    size_t shared;
    bool sharing = limit >= SHARE_FROM;
    if (!sharing) vm_mark_lift(d, MARK_CALL_STACK);
    size_t fresh = walk(d, s, sharing ? SIZE_MAX : limit, &shared);
    if (fresh == SIZE_MAX || !reserve(&s->gpcs, &s->positions, &s->capacity, shared + fresh)) {
        vm_mark_lift(d, MARK_CALL_STACK);
        return 0;
    }
    s->count = shared + fresh;
    if (shared < s->unchanged) s->unchanged = shared;
    for (size_t i = 0; i < fresh; i++) {
        s->gpcs[s->count - 1 - i] = s->fresh_gpcs[i];
        s->positions[s->count - 1 - i] = s->fresh_positions[i];
    }
    if (sharing) renew_mark(d, s);
    return give(s, limit, gpcs);
}

void vm_call_stack_free(struct domain *d) {
    struct vm_call_stack *s = d->call_stack;
    if (s == NULL) return;
    free(s->gpcs);
    free(s->positions);
    free(s->fresh_gpcs);
    free(s->fresh_positions);
    free(s);
}
