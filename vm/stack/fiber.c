/* fiber.c - moves words between a stack and a fiber's buffer (vm/stack/fiber.h). */
#include "vm/stack/fiber.h"

#include "gc/containers.h"
#include "gc/heap.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/pc_map.h"
#include "vm/stack/fiber_internal.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/stack.h"
#include "vm/stack/watermarks.h"

#include <string.h>

/* A fiber of at most FIBER_WHOLE_WORDS is resumed as a whole; of a larger one about this number of
 * words is moved back. */
enum { PART_WORDS = IF_SMALL_TABLES(1, 32) };

/* ---- Moving words. ---- */

/* Copies n words one by one, because the words of the stack have just been stored one by one
 * (vm/engine/README.md, What makes the loop fast). */
static inline void copy_words(value *to, const value *from, size_t n) {
    const volatile value *p = from;
    value *end = to + n;
    for (; end - to >= 4; to += 4, p += 4) {
        value a = p[0], b = p[1], c = p[2], e = p[3];
        to[0] = a, to[1] = b, to[2] = c, to[3] = e;
    }
    for (; to < end; to++, p++) *to = *p;
}

/* The same for any n. */
static inline void move_words(value *to, const value *from, size_t n) {
    if (n <= FIBER_WHOLE_WORDS) copy_words(to, from, n);
    else memcpy(to, from, 8 * n);
}

/* ---- Trap frames that move. ---- */

/* Adds `by` to the links of the trap frames from the one at distance `trap` from `end` on, up to
 * the distance `from`; the last one's link becomes `last`. Distances are those before the move. */
static void move_traps(value *end, uintptr_t trap, uintptr_t from, intptr_t by, uintptr_t last) {
    while (trap != 0) {
        value *frame = end - trap;
        uintptr_t link = (uintptr_t)int_of_val(frame[1]);
        ASSERT(is_int(frame[1]) && link < trap); /* S3 */
        bool inside = link > from;
        frame[1] = val_of_int(inside ? (intptr_t)link + by : (intptr_t)last);
        trap = inside ? link : 0;
    }
}

/* ---- Suspending. ---- */

/* Removes the frames inside b from the stack. */
static inline void leave_boundary(struct domain *d, value *b) {
    if (d->stack.lowest_watermark >= b) return;
    value *outside = b + BOUNDARY_WORDS + int_of_val(b[BOUNDARY_EXTRA]);
    vm_watermarks_lift(d, b, outside);
}

/* Moves f's words from sp to its buffer. */
static inline void put_aside(struct domain *d, struct vm_fiber *f, value *b) {
    value *sp = d->stack.sp;
    size_t n = (size_t)(b - sp);
    ASSERT(sp <= b && f->used + n <= f->capacity);
    f->rest = f->used;
    f->used += (uint32_t)n;
    move_words(f->end - f->used, sp, n);
    if (d->stack.trap != 0) {
        /* Distances from the stack's high end become distances from f->end. */
        intptr_t by = (intptr_t)f->rest - (intptr_t)d->stack.boundary;
        uintptr_t trap = (uintptr_t)((intptr_t)d->stack.trap + by);
        value *end = f->end - by;
        move_traps(end, d->stack.trap, 0, by, f->trap);
        f->trap = (uint32_t)trap;
    }
}

/* ---- Resuming. ---- */

/* The return frame of the frame that return frame `at` leads to. */
static value *next_return_frame(value *at) {
    uintptr_t word = frame_word_of(resume_of_word(at[0]));
    ASSERT(is_int((value)word) && is_int(at[2])); /* E1 */
    return at + 3 + height_of_frame_word(word) + int_of_val(at[2]);
}

/* How many of f's innermost words are to be moved to the stack: whole frames. at: the return frame
 * that follows the innermost frame. */
static size_t part_of(const struct vm_fiber *f, value *at) {
    const value *top = f->end - f->used;
    size_t again = f->used - f->rest; /* what was on the stack the last time */
    if (f->used <= FIBER_WHOLE_WORDS) return f->used;
    if (f->rest > 0 && f->rest < f->used && 2 * again >= PART_WORDS && again <= FIBER_WHOLE_WORDS)
        return again;
    while (at - top < PART_WORDS && at < f->end) at = next_return_frame(at);
    ASSERT(at <= f->end); /* FB3 */
    return (size_t)(at - top);
}

/* Moves f's innermost n words to the stack, inside boundary b. */
static inline void put_back(struct domain *d, struct vm_fiber *f, value *b, size_t n) {
    struct vm_fibers *t = d->vm->fibers;
    value *top = f->end - f->used;
    if (d->gc.marking) vm_fiber_preserve(t, f, top, top + n);
    move_words(b - n, top, n);
    f->used -= (uint32_t)n;
    if (f->clean > f->used) f->clean = f->used;
    d->stack.sp = b - n;
    d->stack.trap = 0;
    if (f->trap > f->used) {
        intptr_t by = (intptr_t)d->stack.boundary - (intptr_t)f->used;
        uint32_t innermost = f->trap;
        value *frame = f->end - f->trap; /* still there */
        while ((uintptr_t)int_of_val(frame[1]) > f->used) frame = f->end - int_of_val(frame[1]);
        f->trap = (uint32_t)int_of_val(frame[1]);
        move_traps(b + f->used, innermost, f->used, by, 0);
        d->stack.trap = (uintptr_t)((intptr_t)innermost + by);
    }
}

/* Takes the word off the top of f, which is no longer suspended (FB3). */
static inline value take_top(struct vm_fiber *f) {
    value word = f->end[-(ptrdiff_t)f->used--];
    if (f->clean > f->used) f->clean = f->used;
    return word;
}

/* The first fiber that waits at boundary b becomes the one that runs there, with its extra
 * arguments on top. Its frames stay in the buffer until control returns to them, since a handler
 * often performs again. */
static void run_outer(struct domain *d, value *b, uint32_t index) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *f = &t->table[index];
    ASSERT(t->status[index].state == FIBER_LINKED); /* FB2 */
    if (d->gc.marking) vm_fiber_darken(t, index);
    b[BOUNDARY_FIBER] = (value)f | 1;
    t->status[index].state = FIBER_RUNNING;
    value extra_args = take_top(f);
    d->stack.sp = b;
    d->stack.trap = 0;
    if (extra_args != val_of_int(0))
        put_back(d, f, b, part_of(f, f->end - f->used + int_of_val(extra_args)));
    *--d->stack.sp = extra_args;
}

/* The limit of frames becomes that of the innermost fiber, or of the thread (S8). Returns
 * handler. */
static __attribute__((noinline)) value limit_innermost(struct domain *d, value handler) {
    d->stack.limit_boundary = d->stack.boundary;
    vm_stack_apply_limit(d);
    return handler;
}

/* The same if it is that of a fiber that was left. */
static inline value limit_outside(struct domain *d, value handler) {
    bool left = d->stack.limit_boundary > d->stack.boundary;
    return __builtin_expect(left, 0) ? limit_innermost(d, handler) : handler;
}

/* Control leaves f for its caller: a fiber that waits at the same boundary, or the frames
 * outside. */
static inline void go_outwards(struct domain *d, struct vm_fiber *f, value *b) {
    uint32_t outer = f->outer;
    if (__builtin_expect(outer != NO_FIBER, 0)) {
        f->outer = NO_FIBER;
        run_outer(d, b, outer);
        if (d->stack.limit_boundary == d->stack.boundary) limit_innermost(d, 0);
        return;
    }
    d->stack.trap = (uintptr_t)int_of_val(b[BOUNDARY_TRAP]);
    d->stack.boundary = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
    d->stack.sp = b + BOUNDARY_EXTRA;
}

static inline value handler_of(struct domain *d, const struct vm_fiber *f,
                               enum vm_fiber_handler which) {
    value handler = f->handlers[which];
    if (d->gc.marking) vm_fiber_preserve(d->vm->fibers, f, &handler, &handler + 1);
    return handler;
}

/* Shows the profiler the innermost fiber, which is about to be suspended with its words from
 * `outside` on. Needs: E2. */
static __attribute__((noinline)) void report_suspension(struct domain *d, const value *outside,
                                                        value cont, const struct vm_fiber *inner) {
    struct vm_fibers *t = d->vm->fibers;
    const struct vm_profiler *profiler = &d->vm->profiler;
    const value *b = vm_boundary(d);
    const struct vm_fiber *f = vm_fiber_of_boundary(b);
    uint32_t index = vm_fiber_index(t, f);
    ASSERT(!t->status[index].reported);
    size_t words = f->used + (size_t)(b - outside);
    if (!profiler->fiber_suspended(profiler->state, d, f, cont, words, inner)) return;
    t->status[index].reported = true;
    if (inner != NULL) t->status[vm_fiber_index(t, inner)].reported = true;
}

/* The same when a return frame is at sp. */
static __attribute__((noinline)) void report_performing(struct domain *d, value cont) {
    value *sp = d->stack.sp, return_to = sp[0], env = sp[1];
    sp[0] = env, sp[1] = (value)frame_word_of(resume_of_word(return_to)); /* E2 */
    report_suspension(d, sp, cont, NULL);
    sp[0] = return_to, sp[1] = env;
}

/* Suspends the innermost fiber: sets its state and pushes a word on its top (FB3). */
static inline __attribute__((always_inline)) value suspend(struct domain *d, struct vm_fiber *f,
                                                           uint32_t index, value *b,
                                                           enum vm_fiber_state state, value top) {
    struct vm_fibers *t = d->vm->fibers;
    ASSERT(vm_in_fiber(d) && t->status[index].state == FIBER_RUNNING); /* FB1, FB2 */
    value handler = handler_of(d, f, FIBER_ON_EFFECT);
    leave_boundary(d, b);
    put_aside(d, f, b);
    f->end[-(ptrdiff_t)++f->used] = top;
    ASSERT(f->used <= f->capacity);
    vm_fiber_make_dirty(t, index, state);
    go_outwards(d, f, b);
    return limit_outside(d, handler);
}

static __attribute__((noinline)) value perform(struct domain *d, value cont) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    uint32_t index = vm_fiber_index(d->vm->fibers, f);
    ASSERT(gc_is_young(&d->gc, cont));
    vm_fiber_next_generation(f);
    field(cont, 0) = vm_fiber_handle(f, index);
    f->outermost = index;
    return suspend(d, f, index, b, FIBER_LEADING, cont + 1);
}

/* Rare cases are in another function, so that this one saves no registers. */
value vm_fiber_perform(struct domain *d, value cont) {
    if (__builtin_expect(d->vm->profiler.fiber_suspended != NULL, 0)) report_performing(d, cont);
    return perform(d, cont);
}

value vm_fiber_reperform(struct domain *d, value cont, value *outside, value extra_args) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *first = vm_fiber_leading(t, cont);
    if (first == NULL || !vm_fiber_fits(d, outside)) return 0;
    if (__builtin_expect(d->vm->profiler.fiber_suspended != NULL, 0))
        report_suspension(d, outside, cont, first);
    d->stack.sp = outside;
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    uint32_t index = vm_fiber_index(t, f);
    t->table[first->outermost].outer = index;
    first->outermost = index;
    f->boundary = 0;
    return suspend(d, f, index, b, FIBER_LINKED, extra_args);
}

/* Moves the innermost frames of f to the stack, inside b, to resume it there. */
static inline void go_on(struct domain *d, struct vm_fiber *f, value *b) {
    put_back(d, f, b, part_of(f, f->end - f->used));
}

static __attribute__((noinline)) bool move_limit(struct domain *d) {
    limit_innermost(d, 0);
    return true;
}

/* The limit of frames is that of f, which has just been resumed, if it is too low for it, or was
 * moved for it (vm_stack_reserve_fiber). `outer`: the boundary outside. Returns true. */
static inline bool limit_resumed(struct domain *d, const struct vm_fiber *f, const value *b,
                                 uintptr_t outer) {
    bool moved = d->stack.limit_boundary > outer;
    moved |= (uintptr_t)(b + f->used) > d->gc.mutator_limit_idle + d->fiber_bytes;
    return __builtin_expect(moved, 0) ? move_limit(d) : true;
}

static __attribute__((noinline)) bool resume_frames(struct domain *d, struct vm_fiber *f, value *b,
                                                    uintptr_t outer) {
    take_top(f);
    go_on(d, f, b);
    return limit_resumed(d, f, b, outer);
}

bool vm_fiber_resume(struct domain *d, value handle, value *outside, value extra_args) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *f = vm_fiber_find(t, handle, FIBER_TAKEN);
    uintptr_t low = (uintptr_t)outside - vm_fiber_room_bytes(d->vm);
    if (f == NULL || low < d->gc.mutator_limit_idle) return false;
    value *b = outside - BOUNDARY_WORDS;
    b[BOUNDARY_CODE] = word_of_resume(d->vm->fiber_code);
    b[BOUNDARY_FIBER] = (value)f | 1;
    b[BOUNDARY_CACHED] = val_of_int(0);
    b[BOUNDARY_TRAP] = val_of_int((intptr_t)d->stack.trap);
    uintptr_t outer = d->stack.boundary;
    b[BOUNDARY_OUTER] = val_of_int((intptr_t)outer);
    b[BOUNDARY_EXTRA] = extra_args;
    d->stack.boundary = (uintptr_t)(d->stack.high - b);
    t->table[f->outermost].boundary = (uint32_t)d->stack.boundary;
    t->status[vm_fiber_index(t, f)].state = FIBER_RUNNING;
    d->stack.sp = b;
    d->stack.trap = 0;
    if (f->used != 0) return resume_frames(d, f, b, outer);
    return limit_resumed(d, f, b, outer);
}

/* Ends f, whose boundary is b, and returns its handler of the given kind. */
static inline value end_fiber(struct domain *d, struct vm_fiber *f, value *b,
                              enum vm_fiber_handler which) {
    value handler = handler_of(d, f, which);
    go_outwards(d, f, b);
    vm_fiber_free(d->vm->fibers, f);
    return limit_outside(d, handler);
}

value vm_fiber_returned(struct domain *d) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    if (f->used == 0) return end_fiber(d, f, b, FIBER_ON_VALUE);
    go_on(d, f, b);
    return 0;
}

value vm_fiber_failed(struct domain *d) {
    value *b = vm_boundary(d);
    return end_fiber(d, vm_fiber_of_boundary(b), b, FIBER_ON_EXCEPTION);
}

/* The return frame of the frame that has a trap frame on top. */
static value *after_handler(struct vm *vm, value *trap_frame) {
    struct vm_resume handler = resume_of_word(trap_frame[0]);
    const struct vm_decoded *code = vm_find_decoded(vm, handler);
    ASSERT(code != NULL); /* FB3 */
    return trap_frame + 4 + vm_decoded_row(vm, code, handler).height + int_of_val(trap_frame[3]);
}

bool vm_fiber_fetch_trap(struct domain *d) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    ASSERT(d->stack.trap == 0 && vm_in_fiber(d));
    leave_boundary(d, b);
    if (f->trap == 0) return false;
    f->used = f->trap;
    put_back(d, f, b, part_of(f, after_handler(d->vm, f->end - f->used)));
    return true;
}

/* ---- Moving frames for tests (vm_fiber_shed). ---- */

enum { MOST_SHED_WORDS = 1024 };

/* Whether ordinary frames alone lie between return frame `at` and boundary b. */
static bool only_frames(const struct domain *d, const value *at, const value *b) {
    while (at < b) {
        struct vm_resume to = vm_true_return(d, at);
        uintptr_t word = frame_word_of(to);
        if (gpc_of_frame_word(word) == VM_NO_GPC) return false;
        at += 3 + height_of_frame_word(word) + int_of_val(at[2]);
    }
    return at == b;
}

/* Splits the chain of trap frames in two: those outside the depth `at` go to f's buffer, those
 * inside move by n words towards the boundary. */
static void split_traps(struct domain *d, struct vm_fiber *f, uintptr_t at, size_t n) {
    value *high = d->stack.high;
    uintptr_t innermost = d->stack.trap, leaving = innermost;
    intptr_t by = (intptr_t)f->used - (intptr_t)d->stack.boundary;
    while (leaving > at) leaving = (uintptr_t)int_of_val(high[1 - (ptrdiff_t)leaving]);
    d->stack.trap = innermost > at ? innermost - n : 0;
    if (innermost > at) move_traps(high, innermost, at, -(intptr_t)n, 0);
    if (leaving == 0) return;
    move_traps(high, leaving, 0, by, f->trap);
    f->trap = (uint32_t)((intptr_t)leaving + by);
}

void vm_fiber_shed(struct domain *d) {
    struct vm_frame frame;
    if (!vm_in_fiber(d) || !vm_frames_first(d, &frame)) return;
    value *b = vm_boundary(d), *at = frame.base + frame.height;
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    /* Not in a deep recursion, which must reach the stack's limit. */
    if (at >= b || f->used + (b - at) > MOST_SHED_WORDS || !only_frames(d, at, b)) return;
    vm_fiber_reserve(d);
    leave_boundary(d, b);
    b[BOUNDARY_CACHED] = val_of_int(0);
    size_t n = (size_t)(b - at), kept = (size_t)(at - d->stack.sp);
    split_traps(d, f, (uintptr_t)(d->stack.high - at), n);
    f->used += (uint32_t)n;
    f->rest = 0;
    memcpy(f->end - f->used, at, 8 * n);
    memmove(b - kept, d->stack.sp, 8 * kept);
    d->stack.sp = b - kept;
    vm_fiber_make_dirty(d->vm->fibers, vm_fiber_index(d->vm->fibers, f), FIBER_RUNNING);
    limit_innermost(d, 0);
}

/* ---- Walks. ---- */

value *vm_fiber_next_frame(const struct domain *d, const value *at, const struct vm_fiber **in) {
    const struct vm_fiber *f = vm_fiber_of_boundary(at);
    const value *b = at;
    bool at_end = at == f->end;
    *in = NULL;
    if (!at_end && f->used > 0) {
        *in = f;
        return f->end - f->used;
    }
    if (f->outer != NO_FIBER) {
        *in = f = vm_fiber_at(d->vm, f->outer);
        value *top = f->end - f->used;
        return top + 1 + int_of_val(top[0]); /* FB3 */
    }
    bool leads = vm_fiber_state(d->vm, vm_fiber_index(d->vm->fibers, f)) == FIBER_LEADING;
    if (at_end && (leads || f->boundary == 0)) return NULL;
    if (at_end) b = d->stack.high - f->boundary;
    ASSERT(vm_on_stack(d, b) && b[BOUNDARY_CODE] == word_of_resume(d->vm->fiber_code));
    return (value *)b + BOUNDARY_WORDS + int_of_val(b[BOUNDARY_EXTRA]);
}

size_t vm_fiber_depth(const struct domain *d, const value *at, const struct vm_fiber *in) {
    size_t depth = in == NULL ? (size_t)(d->stack.high - at) : 0;
    bool is_inside = false; /* what lies at the boundary */
    for (uintptr_t boundary = d->stack.boundary; boundary != 0;) {
        const value *b = d->stack.high - boundary;
        const struct vm_fiber *f = vm_fiber_of_boundary(b);
        if (in == NULL && at <= b) is_inside = true;
        for (;; f = vm_fiber_at(d->vm, f->outer)) {
            if (is_inside) depth += f->used;
            if (f == in) {
                depth += (size_t)(f->end - at) + boundary;
                is_inside = true;
            }
            if (f->outer == NO_FIBER) break;
        }
        boundary = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
    }
    return depth;
}
