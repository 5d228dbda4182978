/* fiber.c - moves words between a stack and a fiber's buffer (vm/stack/fiber.h). */
#include "vm/stack/fiber.h"

#include "gc/containers.h"
#include "gc/heap.h"
#include "gc/hooks.h"
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

/* Copies the n words below `from` to those below `to`, one by one, because the words of the stack
 * have just been stored one by one (vm/engine/README.md, What makes the loop fast). */
static inline void copy_words(value *to, const value *from, size_t n) {
    const volatile value *p = from;
    volatile value *q = to;
    ptrdiff_t i = -(ptrdiff_t)n;
    if (n % 2 != 0) q[i] = p[i], i++;
    for (; i != 0; i += 2) q[i] = p[i], q[i + 1] = p[i + 1];
}

/* The same for any n. */
static inline void move_words(value *to, const value *from, size_t n) {
    if (n <= FIBER_WHOLE_WORDS) copy_words(to, from, n);
    else memcpy(to - n, from - n, 8 * n);
}

/* ---- Common switches, which do less: they call nothing, so they save no registers. Parameter
 * `common`, a constant, says that a switch is one. ---- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NOINLINE      static __attribute__((noinline))

/* Whether leaving the innermost fiber, f, is common. Needs: there is one. */
static inline bool is_common(const struct domain *d, const struct vm_fibers *t,
                             const struct vm_fiber *f, const value *b) {
    if (d->gc.marking || d->stack.lowest_watermark < b) return false;
    if (d->stack.limit_boundary >= d->stack.boundary) return false; /* S8 */
    if (f->outer == NO_FIBER) return true;
    const struct vm_fiber *outer = &t->table[f->outer];
    return outer->end[-(ptrdiff_t)outer->used] == val_of_int(0); /* run_outer moves nothing */
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

/* Whether n words fit f's buffer, and one on top (FB3). */
static inline bool fits(const struct vm_fiber *f, size_t n) { return f->used + n < f->capacity; }

/* Moves f's n innermost words, those below b, to its buffer, and pushes `top` (FB3). */
ALWAYS_INLINE void put_aside(struct domain *d, struct vm_fiber *f, const value *b, size_t n,
                             value top, bool common) {
    uint32_t rest = f->used, used = rest + (uint32_t)n;
    ASSERT(fits(f, n) && (!common || n <= FIBER_WHOLE_WORDS));
    value *end = f->end, *to = end - rest;
    f->rest = rest;
    f->used = used + 1;
    end[-1 - (ptrdiff_t)used] = top;
    if (common) copy_words(to, b, n);
    else move_words(to, b, n);
    if (d->stack.trap != 0) {
        /* Distances from the stack's high end become distances from f->end. */
        intptr_t by = (intptr_t)rest - (intptr_t)d->stack.boundary;
        uintptr_t trap = (uintptr_t)((intptr_t)d->stack.trap + by);
        move_traps(end - by, d->stack.trap, 0, by, f->trap);
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
    move_words(b, top + n, n);
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
 * arguments on top, at the stack pointer that is returned. Its frames stay in the buffer until
 * control returns to them, since a handler often performs again. */
ALWAYS_INLINE value *run_outer(struct domain *d, struct vm_fibers *t, value *b, uint32_t index,
                               bool common) {
    struct vm_fiber *f = &t->table[index];
    ASSERT(t->status[index].state == FIBER_LINKED); /* FB2 */
    if (!common && d->gc.marking) vm_fiber_darken(t, index);
    b[BOUNDARY_FIBER] = (value)f | 1;
    t->status[index].state = FIBER_RUNNING;
    value extra_args = take_top(f), *sp = b;
    ASSERT(!common || extra_args == val_of_int(0));
    if (common) extra_args = val_of_int(0);
    d->stack.trap = 0;
    if (!common && extra_args != val_of_int(0)) {
        put_back(d, f, b, part_of(f, f->end - f->used + int_of_val(extra_args)));
        sp = d->stack.sp;
    }
    *--sp = extra_args;
    return sp;
}

/* The limit of frames becomes that of the innermost fiber, or of the thread (S8). */
static void limit_innermost(struct domain *d) {
    d->stack.limit_boundary = d->stack.boundary;
    vm_stack_apply_limit(d);
}

/* Control leaves f for its caller: a fiber that waits at the same boundary, or the frames outside.
 * Returns where the number of its extra arguments is. */
ALWAYS_INLINE value *go_outwards(struct domain *d, struct vm_fibers *t, struct vm_fiber *f,
                                 value *b, bool common) {
    uint32_t outer = f->outer;
    value *sp = b + BOUNDARY_EXTRA;
    if (outer != NO_FIBER) {
        f->outer = NO_FIBER;
        sp = run_outer(d, t, b, outer, common);
    } else {
        d->stack.trap = (uintptr_t)int_of_val(b[BOUNDARY_TRAP]);
        d->stack.boundary = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
    }
    /* It may be that of f. */
    uintptr_t limit = d->stack.limit_boundary, outside = d->stack.boundary;
    bool left = limit > outside || (outer != NO_FIBER && limit == outside);
    ASSERT(!common || !left);
    if (!common && left) limit_innermost(d);
    return sp;
}

ALWAYS_INLINE value handler_of(struct domain *d, const struct vm_fiber *f,
                               enum vm_fiber_handler which, bool common) {
    value handler = f->handlers[which];
    if (!common && d->gc.marking)
        vm_fiber_preserve(d->vm->fibers, f, &f->handlers[which], &f->handlers[which] + 1);
    return handler;
}

/* ---- Performing. ---- */

/* Shows the profiler the innermost fiber, which is about to be suspended with its words from
 * `outside` on. Needs: E2. */
static void report_suspension(struct domain *d, const value *outside, value cont,
                              const struct vm_fiber *inner) {
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
static void report_performing(struct domain *d, value cont) {
    value *sp = d->stack.sp, return_to = sp[0], env = sp[1];
    sp[0] = env, sp[1] = (value)frame_word_of(resume_of_word(return_to)); /* E2 */
    report_suspension(d, sp, cont, NULL);
    sp[0] = return_to, sp[1] = env;
}

/* Suspends the innermost fiber, which is f, with its n words below b, and pushes a word on its top
 * (FB3). Returns its handler; the arguments are the effect, cont and its handle. */
ALWAYS_INLINE value suspend(struct domain *d, struct vm_fibers *t, struct vm_fiber *f,
                            uint32_t index, value *b, size_t n, enum vm_fiber_state state,
                            value top, value effect, value cont, value handle, bool common) {
    ASSERT(vm_in_fiber(d) && t->status[index].state == FIBER_RUNNING); /* FB1, FB2 */
    if (!common) leave_boundary(d, b);
    put_aside(d, f, b, n, top, common);
    vm_fiber_make_dirty(t, index, state);
    value *out = go_outwards(d, t, f, b, common), extra_args = out[0];
    out[0] = handle, out[-1] = cont, out[-2] = effect, out[-3] = extra_args + 4;
    d->stack.sp = out - 3;
    return handler_of(d, f, FIBER_ON_EFFECT, common);
}

ALWAYS_INLINE value perform(struct domain *d, struct vm_fibers *t, value *b, size_t n, value effect,
                            value cont, const uintptr_t *words, bool common) {
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    uint32_t index = vm_fiber_index(t, f);
    ASSERT(gc_is_young(&d->gc, cont));
    vm_fiber_next_generation(f);
    value handle = vm_fiber_handle(f, index);
    field(cont, 0) = handle;
    if (words[1] != make_header(1, TAG_CONT, 0)) field(cont, 1) = handle & (value)words[2];
    f->outermost = index;
    return suspend(d, t, f, index, b, n, FIBER_LEADING, cont + 1, effect, cont, handle, common);
}

value vm_fiber_perform(struct domain *d, value effect, value cont, const uintptr_t *words) {
    if (__builtin_expect(d->vm->profiler.fiber_suspended != NULL, 0)) report_performing(d, cont);
    value *b = vm_boundary(d);
    size_t n = (size_t)(b - d->stack.sp);
    return perform(d, d->vm->fibers, b, n, effect, cont, words, false);
}

ALWAYS_INLINE value reperform(struct domain *d, struct vm_fibers *t, value *b, size_t n,
                              value effect, value cont, value extra_args, bool common) {
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    uint32_t index = vm_fiber_index(t, f);
    value handle = field(cont, 0);
    struct vm_fiber *first = &t->table[vm_fiber_index_of(handle)];
    t->table[first->outermost].outer = index;
    first->outermost = index;
    f->boundary = 0;
    return suspend(d, t, f, index, b, n, FIBER_LINKED, extra_args, effect, cont, handle, common);
}

value vm_fiber_reperform(struct domain *d, value effect, value cont, value *outside,
                         value extra_args) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *first = vm_fiber_leading(t, cont);
    if (first == NULL || !vm_fiber_fits(d, outside)) return 0;
    if (__builtin_expect(d->vm->profiler.fiber_suspended != NULL, 0))
        report_suspension(d, outside, cont, first);
    value *b = vm_boundary(d);
    return reperform(d, t, b, (size_t)(b - outside), effect, cont, extra_args, false);
}

/* ---- Resuming. ---- */

/* Moves the innermost frames of f to the stack, inside b, to resume it there. */
static inline void go_on(struct domain *d, struct vm_fiber *f, value *b) {
    put_back(d, f, b, part_of(f, f->end - f->used));
}

/* The limit of frames is that of f, which is resumed at b, if it is too low for it, or was moved
 * for it (vm_stack_reserve_fiber). used: its words that stay in the buffer. */
static inline bool moves_limit(const struct domain *d, const value *b, uintptr_t outer,
                               uint32_t used) {
    return d->stack.limit_boundary > outer ||
           (uintptr_t)(b + used) > d->gc.mutator_limit_idle + d->fiber_bytes;
}

/* The taken fiber of handle, if there is room inside `outside`. */
static inline struct vm_fiber *find_taken(const struct domain *d, const struct vm_fibers *t,
                                          value handle, const value *outside) {
    uintptr_t low = (uintptr_t)outside - vm_fiber_room_bytes(d->vm);
    return low < d->gc.mutator_limit_idle ? NULL : vm_fiber_find(t, handle, FIBER_TAKEN);
}

/* f begins to run inside a new boundary, with no frames yet. */
static inline value *push_boundary(struct domain *d, struct vm_fibers *t, struct vm_fiber *f,
                                   uint32_t index, value *outside, value extra_args) {
    value *b = outside - BOUNDARY_WORDS;
    b[BOUNDARY_CODE] = word_of_resume(d->vm->fiber_code);
    b[BOUNDARY_FIBER] = (value)f | 1;
    b[BOUNDARY_CACHED] = val_of_int(0);
    b[BOUNDARY_TRAP] = val_of_int((intptr_t)d->stack.trap);
    b[BOUNDARY_OUTER] = val_of_int((intptr_t)d->stack.boundary);
    b[BOUNDARY_EXTRA] = extra_args;
    d->stack.boundary = (uintptr_t)(d->stack.high - b);
    t->table[f->outermost].boundary = (uint32_t)d->stack.boundary;
    t->status[index].state = FIBER_RUNNING;
    d->stack.trap = 0;
    return b;
}

/* Resumes f in place of the words from `outside` down, where there is room. */
static inline void resume(struct domain *d, struct vm_fiber *f, value *outside, value extra_args) {
    struct vm_fibers *t = d->vm->fibers;
    uintptr_t outer = d->stack.boundary;
    value *b = push_boundary(d, t, f, vm_fiber_index(t, f), outside, extra_args);
    d->stack.sp = b;
    if (f->used != 0) {
        take_top(f);
        go_on(d, f, b);
    }
    if (moves_limit(d, b, outer, f->used)) limit_innermost(d);
}

bool vm_fiber_resume(struct domain *d, value handle, value *outside, value extra_args) {
    struct vm_fiber *f = find_taken(d, d->vm->fibers, handle, outside);
    if (f != NULL) resume(d, f, outside, extra_args);
    return f != NULL;
}

/* Moves all frames of f, which has been suspended, to the stack, inside b. Returns the stack
 * pointer. */
static inline value *put_all_back(struct domain *d, struct vm_fiber *f, value *b) {
    size_t n = f->used - 1;
    ASSERT(n < FIBER_WHOLE_WORDS && !d->gc.marking); /* FB5 */
    const value *end = f->end;
    uint32_t trap = f->trap;
    f->used = f->clean = f->trap = 0;
    copy_words(b, end, n);
    if (trap != 0) {
        move_traps(b, trap, 0, (intptr_t)d->stack.boundary, 0);
        d->stack.trap = trap + d->stack.boundary;
    }
    return b - n;
}

/* ---- The end of a fiber. ---- */

/* Ends f, whose boundary is b, and returns its handler of the given kind, with v as its
 * argument. */
ALWAYS_INLINE value end_fiber(struct domain *d, struct vm_fibers *t, struct vm_fiber *f, value *b,
                              enum vm_fiber_handler which, value v, bool common) {
    value handler = handler_of(d, f, which, common);
    value *out = go_outwards(d, t, f, b, common), extra_args = out[0];
    if (common) vm_fiber_free_common(t, f);
    else vm_fiber_free(t, f);
    out[0] = v, out[-1] = extra_args;
    d->stack.sp = out - 1;
    return handler;
}

value vm_fiber_returned(struct domain *d, value result) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    if (f->used == 0) return end_fiber(d, d->vm->fibers, f, b, FIBER_ON_VALUE, result, false);
    go_on(d, f, b);
    return 0;
}

/* The return frame of the frame that has a trap frame on top. */
static value *after_handler(struct vm *vm, value *trap_frame) {
    struct vm_resume handler = resume_of_word(trap_frame[0]);
    const struct vm_decoded *code = vm_find_decoded(vm, handler);
    ASSERT(code != NULL); /* FB3 */
    return trap_frame + 4 + vm_decoded_row(vm, code, handler).height + int_of_val(trap_frame[3]);
}

value vm_fiber_raised(struct domain *d, value exn) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    ASSERT(d->stack.trap == 0 && vm_in_fiber(d));
    leave_boundary(d, b);
    if (f->trap == 0) return end_fiber(d, d->vm->fibers, f, b, FIBER_ON_EXCEPTION, exn, false);
    f->used = f->trap;
    put_back(d, f, b, part_of(f, after_handler(d->vm, f->end - f->used)));
    return 0;
}

/* ---- For machine code. ---- */

/* The common switches are here; what is in other functions does not make these save registers. */
NOINLINE struct vm_switch perform_rarely(struct domain *d, value effect, const uintptr_t *words) {
    value cont = gc_bump(&d->gc, wosize_of_header(words[1]), TAG_CONT);
    return (struct vm_switch){vm_fiber_perform(d, effect, cont, words), effect};
}

struct vm_switch vm_switch_perform(struct domain *d, value effect, const uintptr_t *words) {
    struct vm_fibers *t = d->vm->fibers;
    value *b = vm_boundary(d);
    size_t n = (size_t)(b - d->stack.sp), fields = wosize_of_header(words[1]);
    if (!vm_in_fiber(d) || !gc_only_bump_due(&d->gc, fields)) return (struct vm_switch){0, effect};
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    if (!fits(f, n)) return (struct vm_switch){0, effect};
    if (!is_common(d, t, f, b) || n > FIBER_WHOLE_WORDS || d->vm->profiler.fiber_suspended != NULL)
        return perform_rarely(d, effect, words);
    value cont = gc_bump(&d->gc, fields, TAG_CONT);
    return (struct vm_switch){perform(d, t, b, n, effect, cont, words, true), effect};
}

NOINLINE struct vm_switch reperform_rarely(struct domain *d, value effect, value *outside) {
    value cont = d->stack.sp[0];
    return (struct vm_switch){vm_fiber_reperform(d, effect, cont, outside, val_of_int(0)), effect};
}

struct vm_switch vm_switch_reperform(struct domain *d, value effect, value *outside) {
    struct vm_fibers *t = d->vm->fibers;
    value cont = d->stack.sp[0], *b = vm_boundary(d);
    size_t n = (size_t)(b - outside);
    if (vm_fiber_leading(t, cont) == NULL || !vm_in_fiber(d)) return (struct vm_switch){0, effect};
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    if (!fits(f, n) || d->vm->profiler.fiber_suspended != NULL)
        return (struct vm_switch){0, effect};
    if (!is_common(d, t, f, b) || n > FIBER_WHOLE_WORDS)
        return reperform_rarely(d, effect, outside);
    return (struct vm_switch){reperform(d, t, b, n, effect, cont, val_of_int(0), true), effect};
}

/* The fiber that was resumed, whose words begin at sp, calls function. */
static inline struct vm_switch call_inside(struct domain *d, value *sp, value function,
                                           value argument) {
    sp[-1] = argument, sp[-2] = val_of_int(0);
    d->stack.sp = sp - 2;
    return (struct vm_switch){function, 0};
}

NOINLINE struct vm_switch resume_rarely(struct domain *d, struct vm_fiber *f, value *outside) {
    value function = d->stack.sp[0], argument = d->stack.sp[1];
    resume(d, f, outside, val_of_int(0));
    return call_inside(d, d->stack.sp, function, argument);
}

struct vm_switch vm_switch_resume(struct domain *d, value handle, value *outside) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *f = find_taken(d, t, handle, outside);
    if (f == NULL) return (struct vm_switch){0, handle};
    uint32_t used = f->used;
    if (used > FIBER_WHOLE_WORDS || (used != 0 && d->gc.marking) ||
        moves_limit(d, outside - BOUNDARY_WORDS, d->stack.boundary, 0))
        return resume_rarely(d, f, outside);
    value function = d->stack.sp[0], argument = d->stack.sp[1];
    value *b = push_boundary(d, t, f, vm_fiber_index_of(handle), outside, val_of_int(0));
    value *sp = used != 0 ? put_all_back(d, f, b) : b;
    return call_inside(d, sp, function, argument);
}

struct vm_switch vm_switch_resume_and_return(struct domain *d, value handle, value *outside,
                                             value return_to, value env) {
    struct vm_fiber *f = find_taken(d, d->vm->fibers, handle, outside);
    if (f == NULL) return (struct vm_switch){0, handle};
    struct vm_switch result = resume_rarely(d, f, outside);
    outside[0] = return_to, outside[1] = env, outside[2] = val_of_int(0);
    return result;
}

NOINLINE struct vm_switch returned_rarely(struct domain *d, value result) {
    d->stack.sp = vm_boundary(d);
    return (struct vm_switch){vm_fiber_returned(d, result), result};
}

struct vm_switch vm_switch_returned(struct domain *d, value result) {
    struct vm_fibers *t = d->vm->fibers;
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    if (f->used != 0 || !is_common(d, t, f, b) || !vm_fiber_is_kept(t, f))
        return returned_rarely(d, result);
    return (struct vm_switch){end_fiber(d, t, f, b, FIBER_ON_VALUE, result, true), result};
}

NOINLINE struct vm_switch raised_rarely(struct domain *d, value exn) {
    d->stack.sp = vm_boundary(d);
    return (struct vm_switch){vm_fiber_raised(d, exn), exn};
}

struct vm_switch vm_switch_raised(struct domain *d, value exn) {
    if (!vm_in_fiber(d)) return (struct vm_switch){0, exn};
    struct vm_fibers *t = d->vm->fibers;
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    if (f->trap != 0 || !is_common(d, t, f, b) || !vm_fiber_is_kept(t, f))
        return raised_rarely(d, exn);
    return (struct vm_switch){end_fiber(d, t, f, b, FIBER_ON_EXCEPTION, exn, true), exn};
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
    limit_innermost(d);
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
