/* callstack.c - see callstack.h. */
#include "vm/stack/callstack.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/code/code.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/watermarks.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

enum {
    WATERMARK_DEPTH = IF_SMALL_TABLES(1, 8), /* innermost frames below a new watermark */
    /* With more frames below it the watermark is set again. */
    WATERMARK_DISTANCE = IF_SMALL_TABLES(1, 16),
    /* With more new frames than this, the stack is treated as a different one. */
    MAX_COMPARED = IF_SMALL_TABLES(2, 64),
};

/* Makes the arrays count frames long. The `recorded` frames of a walk, at the end of the arrays,
 * are moved to the new end. Fails: false, out of memory; the arrays are as before. */
static bool widen(struct vm_frames *f, size_t count, size_t recorded) {
    size_t wider = f->capacity == 0 ? IF_SMALL_TABLES(1, 256) : f->capacity;
    while (wider < count) wider *= 2;
    uint64_t *gpcs = realloc(f->gpcs, wider * sizeof *gpcs);
    if (gpcs != NULL) f->gpcs = gpcs;
    uint32_t *slots = realloc(f->slots, wider * sizeof *slots);
    if (slots != NULL) f->slots = slots;
    struct vm_return *returns = realloc(f->returns, wider * sizeof *returns);
    if (returns != NULL) f->returns = returns;
    if (gpcs == NULL || slots == NULL || returns == NULL) return false;
    size_t from = f->capacity - recorded, to = wider - recorded;
    memmove(gpcs + to, gpcs + from, recorded * sizeof *gpcs);
    memmove(slots + to, slots + from, recorded * sizeof *slots);
    memmove(returns + to, returns + from, recorded * sizeof *returns);
    f->capacity = wider;
    return true;
}

static void free_stack(struct vm_call_stack *s) {
    struct vm_frames *both[] = {&s->cached, &s->fresh};
    for (int i = 0; i < 2; i++) {
        free(both[i]->gpcs);
        free(both[i]->slots);
        free(both[i]->returns);
    }
    free(s->visible.items);
    free(s);
}

static struct vm_call_stack *create(struct domain *d) {
    struct vm_call_stack *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    if (!widen(&s->fresh, VM_SHORT_STACK, 0) || !widen(&s->cached, VM_SHORT_STACK, 0)) {
        free_stack(s);
        return NULL;
    }
    /* Versions of different threads' stacks differ, and those of whole and short ones. */
    s->version = (uint64_t)++d->vm->call_stacks << 40;
    s->short_version = s->version | (uint64_t)1 << 39;
    return d->stack.call_stack = s;
}

/* Slots are stored as the low half of their address in words, which is unique in a stack. */
static uint32_t word_address(const value *slot) { return (uint32_t)((uintptr_t)slot / 8); }
static value *slot_at(const struct domain *d, uint32_t address) {
    return d->stack.high - (uint32_t)(word_address(d->stack.high) - address);
}

/* ---- Walking. ---- */

/* A walk: its next frame, and its result. */
struct walker {
    value *return_frame; /* the return frame of the innermost frame */
    uint64_t gpc;
    const struct vm_fiber *fiber; /* in whose buffer the return frame is, if it is in one */
    size_t count;                 /* frames recorded so far */
    bool at_watermark;            /* the last of them is the one inside the watermark */
    const value *boundary; /* the walk met it: the frames outside are cached (CS3); NULL: none */
    bool at_end;           /* the last of them is the outermost */
    bool is_cached;        /* the frames outside them are cached */
    bool no_memory;
};

static bool take_frame(struct walker *w, const struct vm_frame *frame) {
    w->return_frame = frame->base + frame->height;
    w->gpc = frame->gpc;
    w->fiber = frame->fiber;
    return true;
}

/* Starts a walk at the innermost frame. */
static inline bool start(struct domain *d, struct vm_call_stack *s, struct walker *w) {
    struct vm_frame frame;
    *w = (struct walker){.count = 0};
    if (d->stack.sp >= d->stack.high) return false;
    value word = d->stack.sp[1];
    const struct vm_stopped_code *stopped = vm_stopped_code_of(s, word);
    if (stopped->word != word) return vm_frames_first(d, &frame) && take_frame(w, &frame);
    w->return_frame = d->stack.sp + SAVED_WORDS + height_of_frame_word(stopped->frame) +
                      int_of_val(d->stack.sp[2]);
    w->gpc = gpc_of_frame_word(stopped->frame);
    return true;
}

/* Steps to the caller across a watermark or a callback; false at the outermost frame. */
static bool step_slowly(struct domain *d, value **return_frame, uint64_t *gpc,
                        const struct vm_fiber **fiber) {
    /* The outermost frame is followed by its return frame only. */
    if (vm_on_stack(d, *return_frame) && *return_frame + 3 + SAVED_WORDS > d->stack.high)
        return false;
    struct vm_frame frame = {.base = *return_frame, .height = 0, .fiber = *fiber};
    if (!vm_frames_next(d, &frame)) return false;
    *return_frame = frame.base + frame.height;
    *gpc = frame.gpc;
    *fiber = frame.fiber;
    return true;
}

/* Whether return frame `at` is a boundary on the stack. */
static bool is_boundary(const struct domain *d, const value *at) {
    return at != NULL && vm_on_stack(d, at) &&
           at[BOUNDARY_CODE] == word_of_resume(d->vm->fiber_code);
}

/* The first boundary from return frame `at` outwards that has BOUNDARY_CACHED set; NULL: a frame
 * comes before it. Of a fiber whose only function was left by a tail call there is no frame. */
static value *cached_boundary(struct domain *d, value *at) {
    const struct vm_fiber *in;
    while (is_boundary(d, at) && at[BOUNDARY_CACHED] == val_of_int(0)) {
        d->stack.call_stack->visited++;
        at = vm_fiber_next_frame(d, at, &in);
    }
    return is_boundary(d, at) ? at : NULL;
}

/* A return frame in a buffer, as vm_return has it: the fiber, and the words from it to the end. */
static value place_in_buffer(const struct vm_fiber *f, const value *at) {
    return (value)((uintptr_t)f / sizeof *f << 32 | (uint32_t)(f->end - at));
}

/* Records frames in buffers of fibers, up to `limit`, until the walk is back on the stack. Their
 * slots are 0, which no slot of the stack is, so they are never mistaken for cached ones. */
static __attribute__((noinline)) void walk_suspended(struct domain *d, struct vm_frames *f,
                                                     struct walker *to, size_t limit) {
    bool more = true;
    while (more && to->count < limit && !vm_on_stack(d, to->return_frame)) {
        if (to->count == f->capacity && !widen(f, to->count + 1, to->count)) {
            to->no_memory = true;
            return;
        }
        size_t at = f->capacity - ++to->count;
        f->gpcs[at] = to->gpc;
        f->slots[at] = 0;
        f->returns[at] = (struct vm_return){0, place_in_buffer(to->fiber, to->return_frame)};
        more = step_to_caller(&to->return_frame, &to->gpc) ||
               step_slowly(d, &to->return_frame, &to->gpc, &to->fiber);
    }
    if (!more) to->at_end = true;
}

/* Whether the walk's next frame is the innermost of the *left outermost cached frames. Those inside
 * it are left out, because they have been popped. */
static inline bool meets_cached(const struct vm_frames *cached, size_t *left, uint32_t slot,
                                uint64_t gpc) {
    const uint32_t *slots = cached->slots - 1;
    size_t i = *left;
    /* A frame in a fiber's buffer is never left out, nor are those outside it. */
    while (i > 0 && slots[i] != 0 && (int32_t)(slots[i] - slot) < 0) i--;
    bool meets = i > 0 && slots[i] == slot && cached->gpcs[i - 1] == gpc;
    *left = i;
    return meets;
}

/* Records frames up to `limit`, the outermost one, or the one inside the watermark. Where `cached`
 * is not NULL the walk also stops before a frame that is the innermost of its *left outermost
 * ones. */
static inline __attribute__((always_inline)) void walk(struct domain *d, struct vm_frames *f,
                                                       struct walker *to, size_t limit,
                                                       const value *watermark,
                                                       const struct vm_frames *cached,
                                                       size_t *left) {
    value *return_frame = to->return_frame;
    uint64_t gpc = to->gpc;
    size_t n = to->count;
    bool more = true, met = false;
    while (more && !met && n < limit) {
        if (__builtin_expect(!vm_on_stack(d, return_frame), 0)) {
            to->return_frame = return_frame, to->gpc = gpc, to->count = n;
            walk_suspended(d, f, to, limit);
            return_frame = to->return_frame, gpc = to->gpc, n = to->count;
            if (to->at_end || to->no_memory) break;
            continue;
        }
        if (n == f->capacity && !widen(f, n + 1, n)) {
            to->no_memory = true;
            break;
        }
        size_t room = limit < f->capacity ? limit : f->capacity;
        uint64_t *gpcs = f->gpcs + f->capacity - n;
        uint32_t *slots = f->slots + f->capacity - n;
        struct vm_return *returns = f->returns + f->capacity - n;
        while (n < room) {
            const uint32_t slot = word_address(return_frame);
            if (cached != NULL && (met = meets_cached(cached, left, slot, gpc))) break;
            n++;
            *--gpcs = gpc;
            *--slots = slot;
            *--returns = (struct vm_return){return_frame[0], return_frame[2]};
            if (return_frame == watermark) {
                returns->address = 0;
                to->at_watermark = true;
                more = false;
                break;
            }
            if (step_to_caller(&return_frame, &gpc)) continue;
            returns->address = 0;
            if (cached != NULL && (to->boundary = cached_boundary(d, return_frame)) != NULL) {
                more = false;
                break;
            }
            /* Copies, because a variable whose address is taken cannot stay in a register. */
            value *slow_frame = return_frame;
            uint64_t slow_gpc;
            if (!(more = step_slowly(d, &slow_frame, &slow_gpc, &to->fiber))) break;
            return_frame = slow_frame;
            gpc = slow_gpc;
            if (!vm_on_stack(d, return_frame)) break;
        }
    }
    to->return_frame = return_frame;
    to->gpc = gpc;
    to->count = n;
    to->at_end |= !more && !to->at_watermark && to->boundary == NULL;
}

/* ---- Short stacks. ---- */

/* Caches the short stack in fresh, with the words that determine it. A stack that crosses a
 * watermark or a callback is not cached, since more words would have to be compared. */
static void cache_short_stack(struct domain *d, struct vm_call_stack *s, size_t limit,
                              size_t count) {
    struct vm_short_stack *b = &s->short_stack;
    const uint64_t *gpcs = s->fresh.gpcs + s->fresh.capacity;
    const uint32_t *slots = s->fresh.slots + s->fresh.capacity;
    b->limit = 0;
    s->short_version++;
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) b->gpcs[i] = *--gpcs;
    b->count = count;
    b->word = d->stack.sp[1];
    b->extra_args = d->stack.sp[2];
    b->whole_from = count < limit ? d->stack.sp : NULL;
    for (size_t i = 0; i + 1 < count; i++) {
        const value *return_frame = slot_at(d, *--slots);
        if (gpc_of_frame_word(frame_word_of(resume_of_word(return_frame[0]))) == VM_NO_GPC) return;
        b->links[i] = (struct vm_link){(size_t)(return_frame - d->stack.sp), return_frame[0],
                                       return_frame[2]};
    }
    b->limit = limit;
}

static __attribute__((noinline)) size_t short_stack(struct domain *d, size_t limit,
                                                    const uint64_t **gpcs) {
    struct vm_call_stack *s = d->stack.call_stack;
    struct walker w;
    if (s == NULL && (s = create(d)) == NULL) return 0;
    if (start(d, s, &w) && limit > 0) walk(d, &s->fresh, &w, limit, NULL, NULL, NULL);
    cache_short_stack(d, s, limit, w.count);
    *gpcs = s->short_stack.gpcs;
    return w.count;
}

size_t vm_short_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs) {
    const struct vm_call_stack *s = d->stack.call_stack;
    if (s == NULL || limit != s->short_stack.limit || !vm_is_short_stack_again(d, s))
        return short_stack(d, limit, gpcs);
    *gpcs = s->short_stack.gpcs;
    return s->short_stack.count;
}

/* ---- The cached stack. ---- */

/* The return frame on top of the next frame outside boundary b; *in: the fiber in whose buffer it
 * is, or NULL. Fibers without frames are skipped. */
static const value *next_outside(const struct domain *d, const value *b,
                                 const struct vm_fiber **in) {
    do b = vm_fiber_next_frame(d, b, in);
    while (b[BOUNDARY_CODE] == word_of_resume(d->vm->fiber_code));
    return b;
}

/* The number of cached frames that are outside boundary b, which has BOUNDARY_CACHED set. */
static size_t cached_outside(const struct domain *d, struct vm_call_stack *s, const value *b) {
    const struct vm_fiber *in = NULL;
    const value *next = NULL; /* needed only if there are frames in buffers */
    size_t i = s->cached.count;
    for (; i > 0; i--) {
        const uint32_t slot = s->cached.slots[i - 1];
        if (slot != 0) {
            if ((int32_t)(slot - word_address(b)) > 0) break;
            continue;
        }
        if (next == NULL) next = next_outside(d, b, &in);
        if (in == NULL) continue;
        const uint64_t first = (uint64_t)place_in_buffer(in, next);
        const uint64_t place = (uint64_t)s->cached.returns[i - 1].extra_args;
        if (place >> 32 == first >> 32 && (uint32_t)place < (uint32_t)first) break;
    }
    ASSERT(i > 0); /* CS3 */
    s->visited += s->cached.count - i;
    return i;
}

/* Steps outwards as long as the frames are cached ones, of which the walk's next frame may be
 * cached[i - 1]. Returns how many cached frames are left outside; w->is_cached: all the others are
 * the cached ones. */
static inline size_t follow_cached(struct domain *d, struct vm_call_stack *s, struct walker *w,
                                   size_t i, const value *watermark) {
    const uint64_t *gpcs = s->cached.gpcs;
    const uint32_t *slots = s->cached.slots;
    struct vm_return *returns = s->cached.returns;
    value *return_frame = w->return_frame, *left = NULL; /* the return frame before it */
    uint64_t gpc = w->gpc;
    bool more = vm_on_stack(d, return_frame);
    while (more && i > 0 && gpcs[i - 1] == gpc && slots[i - 1] == word_address(return_frame)) {
        if (left != NULL) returns[i] = (struct vm_return){left[0], left[2]};
        i--;
        while (i > 0 && return_frame[0] == returns[i].address &&
               return_frame[2] == returns[i].extra_args)
            return_frame = slot_at(d, slots[--i]);
        gpc = gpcs[i];
        if (return_frame == watermark) {
            ASSERT(i == s->watermarked); /* CS1 */
            w->is_cached = true;
            break;
        }
        left = return_frame;
        if (step_to_caller(&return_frame, &gpc)) continue;
        if ((w->boundary = cached_boundary(d, return_frame)) != NULL) {
            w->is_cached = cached_outside(d, s, w->boundary) == i;
            break;
        }
        left = NULL;
        value *slow_frame = return_frame;
        uint64_t slow_gpc = gpc;
        w->at_end = !step_slowly(d, &slow_frame, &slow_gpc, &w->fiber);
        w->is_cached = w->at_end && i == 0;
        more = !w->at_end && vm_on_stack(d, slow_frame);
        return_frame = slow_frame;
        gpc = slow_gpc;
    }
    w->return_frame = return_frame;
    w->gpc = gpc;
    return i;
}

/* Records the cached frames from..to-1, which the walk has passed. */
static void record_cached(struct vm_call_stack *s, struct walker *w, size_t from, size_t to) {
    const size_t n = to - from;
    if (n == 0) return;
    if (w->count + n > s->fresh.capacity && !widen(&s->fresh, w->count + n, w->count)) {
        w->no_memory = true;
        return;
    }
    size_t at = s->fresh.capacity - (w->count += n);
    memcpy(s->fresh.gpcs + at, s->cached.gpcs + from, n * sizeof *s->fresh.gpcs);
    memcpy(s->fresh.slots + at, s->cached.slots + from, n * sizeof *s->fresh.slots);
    memcpy(s->fresh.returns + at, s->cached.returns + from, n * sizeof *s->fresh.returns);
    s->fresh.returns[at].address = 0; /* the next frame differs */
}

/* Walks outwards to a frame that is cached with all frames outside it, and records those before it.
 * Returns the number of cached frames from there on; 0: all are recorded. */
static size_t walk_to_cached(struct domain *d, struct vm_call_stack *s, struct walker *w,
                             const value *watermark) {
    size_t left = s->cached.count;
    for (;;) {
        const size_t before = w->count;
        walk(d, &s->fresh, w, SIZE_MAX, watermark, &s->cached, &left);
        s->visited += w->count - before;
        if (w->at_watermark) return s->watermarked;
        if (w->boundary != NULL) return cached_outside(d, s, w->boundary);
        if (w->at_end || w->no_memory) return 0;
        const size_t met = left;
        left = follow_cached(d, s, w, met, watermark);
        s->visited += met - left;
        if (w->is_cached) return met;
        record_cached(s, w, left, met);
        if (w->boundary != NULL && !w->no_memory) return cached_outside(d, s, w->boundary);
        if (w->at_end || w->no_memory) return 0;
    }
}

/* Appends the fresh frames to the outermost `shared` cached ones. */
static void append_fresh(struct vm_call_stack *s, size_t shared, size_t fresh) {
    size_t count = shared + fresh;
    ASSERT(count <= s->cached.capacity && fresh <= s->fresh.capacity && shared <= s->cached.count);
    const uint64_t *gpcs = s->fresh.gpcs + s->fresh.capacity - fresh;
    const uint32_t *slots = s->fresh.slots + s->fresh.capacity - fresh;
    bool same = count == s->cached.count && fresh <= MAX_COMPARED &&
                memcmp(s->cached.gpcs + shared, gpcs, fresh * sizeof *gpcs) == 0;
    s->version += !same;
    if (shared < s->unchanged) s->unchanged = shared;
    s->cached.count = count;
    memcpy(s->cached.gpcs + shared, gpcs, fresh * sizeof *gpcs);
    memcpy(s->cached.slots + shared, slots, fresh * sizeof *slots);
    memcpy(s->cached.returns + shared, s->fresh.returns + s->fresh.capacity - fresh,
           fresh * sizeof *s->cached.returns);
}

/* Sets BOUNDARY_CACHED in the boundaries that the `fresh` innermost frames return to (CS3). */
static void mark_boundaries(const struct domain *d, const struct vm_call_stack *s, size_t fresh) {
    const struct vm_fiber *in;
    for (size_t i = s->cached.count - fresh; i < s->cached.count; i++) {
        if (s->cached.returns[i].address != 0 || s->cached.slots[i] == 0) continue;
        value *at = slot_at(d, s->cached.slots[i]);
        while (is_boundary(d, at) && at[BOUNDARY_CACHED] == val_of_int(0)) {
            at[BOUNDARY_CACHED] = val_of_int(1);
            at = vm_fiber_next_frame(d, at, &in);
        }
    }
}

/* The innermost limit frames. */
static size_t innermost(const struct vm_call_stack *s, size_t limit, const uint64_t **gpcs) {
    size_t n = s->cached.count < limit ? s->cached.count : limit;
    *gpcs = s->cached.gpcs + (s->cached.count - n);
    return n;
}

/* Sets the watermark at the return frame of cached frame i. */
static void set_watermark(struct domain *d, struct vm_call_stack *s, size_t i) {
    ASSERT(i < s->cached.count);
    if (s->cached.slots[i] == 0) return; /* in a fiber's buffer */
    vm_watermark_set_at(d, WATERMARK_CALL_STACK, slot_at(d, s->cached.slots[i]));
    s->watermarked = i;
}

static size_t whole_stack(struct domain *d, struct vm_call_stack *s, size_t limit,
                          const uint64_t **gpcs) {
    struct walker w;
    const value *watermark = d->stack.watermarks[WATERMARK_CALL_STACK].slot;
    if (watermark == d->stack.high) watermark = NULL;
    if (!start(d, s, &w)) return 0;
    const size_t shared = walk_to_cached(d, s, &w, watermark);
    if (w.no_memory ||
        (s->cached.capacity < shared + w.count && !widen(&s->cached, shared + w.count, 0))) {
        vm_watermark_remove(d, WATERMARK_CALL_STACK);
        return 0;
    }
    if (w.count > 0 || shared != s->cached.count) append_fresh(s, shared, w.count);
    mark_boundaries(d, s, w.count);
    if (s->cached.count - (watermark == NULL ? 0 : s->watermarked) > WATERMARK_DISTANCE) {
        vm_watermark_remove(d, WATERMARK_CALL_STACK);
        if (s->cached.count > 2 * WATERMARK_DEPTH)
            set_watermark(d, s, s->cached.count - 1 - WATERMARK_DEPTH);
    }
    return innermost(s, limit, gpcs);
}

size_t vm_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs) {
    struct vm_call_stack *s = d->stack.call_stack;
    if (s == NULL && (s = create(d)) == NULL) return 0;
    if (limit > VM_SHORT_STACK) {
        size_t whole = whole_stack(d, s, limit, gpcs);
        if (gc_get_params(&d->gc)->verify) vm_selfcheck_call_stack(d, *gpcs, whole, limit);
        return whole;
    }
    size_t n = vm_short_call_stack(d, limit, gpcs);
    const uint64_t *innermost_first = *gpcs;
    for (size_t i = 0; i < n; i++) s->fresh.gpcs[n - 1 - i] = innermost_first[i];
    *gpcs = s->fresh.gpcs;
    return n;
}

void vm_call_stack_passed_watermark(struct domain *d) {
    struct vm_call_stack *s = d->stack.call_stack;
    if (s->watermarked > WATERMARK_DISTANCE)
        set_watermark(d, s, s->watermarked - WATERMARK_DISTANCE);
}

void vm_call_stack_unwound(struct domain *d, const value *sp) {
    struct vm_call_stack *s = d->stack.call_stack;
    size_t i = s->watermarked;
    ASSERT(i < s->cached.count); /* CS1 */
    while (i > 0 && s->cached.slots[i] != 0 && slot_at(d, s->cached.slots[i]) < sp) i--;
    if (s->cached.slots[i] != 0 && slot_at(d, s->cached.slots[i]) >= sp) set_watermark(d, s, i);
}

void vm_call_stack_free(struct domain *d) {
    if (d->stack.call_stack != NULL) free_stack(d->stack.call_stack);
}
