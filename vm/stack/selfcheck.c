/* selfcheck.c - the checks of --gc-verify beside the heap verifier. Each invariant is checked in
 * one place. */
#include "vm/base/os.h"
#include "vm/code/decoded.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/callstack.h"
#include "vm/stack/fiber_internal.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/reexecute.h"
#include "vm/stack/stack.h"
#include "vm/stack/watermarks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_PER_WALK = 256 }; /* of the call stack */

static bool is_decoded(const struct vm *vm, struct vm_resume at) {
    const struct vm_decoded_area *area = vm->decoded_area;
    return at.address > (uintptr_t)area->words &&
           at.address < (uintptr_t)(area->words + area->used);
}

static void check_bounds(const struct domain *d) {
    vm_require(d->stack.low <= d->stack.sp && d->stack.sp <= d->stack.high,
               "S1: sp is outside the stack");
    if (d->stack.sp == d->stack.high) return;
    value word = d->stack.sp[1];
    vm_require(d->stack.sp + SAVED_WORDS <= d->stack.high && is_int(d->stack.sp[2]),
               "S2: no saved registers at sp");
    vm_require(is_int(word) || is_decoded(d->vm, resume_of_word(word)),
               "E2: a saved instruction is neither decoded code nor a frame word");
}

static void check_traps_from(const struct domain *d, uintptr_t trap) {
    while (trap != 0) {
        const value *frame = d->stack.high - trap;
        vm_require(frame >= d->stack.sp && frame + 4 <= d->stack.high,
                   "S3: a trap frame outside the stack");
        vm_require(is_decoded(d->vm, resume_of_word(frame[0])),
                   "S3: a handler that is not decoded code");
        uintptr_t outer = (uintptr_t)int_of_val(frame[1]);
        vm_require(is_int(frame[1]) && outer < trap,
                   "S3: a trap frame whose link does not lead outwards");
        trap = outer;
    }
}

static void check_suspended(const struct vm_fiber *f) {
    vm_require(f->used <= f->capacity && f->clean <= f->used && f->trap <= f->used,
               "FB3: a fiber with more words than it has");
    for (uint32_t trap = f->trap; trap != 0;) {
        value link = f->end[1 - (ptrdiff_t)trap];
        vm_require(is_int(link) && link > 0 && (uintptr_t)int_of_val(link) < trap,
                   "FB3: a trap frame whose link does not lead outwards");
        trap = (uint32_t)int_of_val(link);
    }
}

/* The fiber at boundary b and those that wait there. */
static void check_boundary(const struct domain *d, const value *b) {
    vm_require(b[BOUNDARY_CODE] == word_of_resume(d->vm->fiber_code) && is_int(b[BOUNDARY_FIBER]),
               "FB1: no boundary where one is linked");
    uint32_t index = vm_fiber_index(d->vm->fibers, vm_fiber_of_boundary(b));
    vm_require(vm_fiber_state(d->vm, index) == FIBER_RUNNING,
               "FB2: a boundary names a fiber that does not run");
    for (;;) {
        const struct vm_fiber *f = vm_fiber_at(d->vm, index);
        check_suspended(f);
        vm_require(f->outer != NO_FIBER || f->boundary == (uintptr_t)(d->stack.high - b),
                   "FB2: a fiber that is not where its boundary is");
        index = f->outer;
        if (index == NO_FIBER) return;
        vm_require(vm_fiber_state(d->vm, index) == FIBER_LINKED,
                   "FB2: a fiber that waits at a boundary and is not suspended");
    }
}

/* The trap frames of the running fiber, and of those outside. */
static void check_traps(const struct domain *d) {
    check_traps_from(d, d->stack.trap);
    uintptr_t limiting = d->stack.limit_boundary;
    bool limits = limiting == 0 || limiting > d->stack.boundary;
    for (uintptr_t boundary = d->stack.boundary; boundary != 0;) {
        const value *b = d->stack.high - boundary;
        if (boundary == limiting) limits = true;
        vm_require(b >= d->stack.sp && b + BOUNDARY_WORDS < d->stack.high,
                   "FB1: a boundary outside the stack");
        check_boundary(d, b);
        check_traps_from(d, (uintptr_t)int_of_val(b[BOUNDARY_TRAP]));
        uintptr_t outer = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
        vm_require(outer < boundary, "FB1: a boundary whose link does not lead outwards");
        boundary = outer;
    }
    vm_require(limits, "S8: the limit of frames is for a fiber that does not run");
}

static void check_watermarks(const struct domain *d) {
    vm_require(d->stack.counted_words == 0 ||
                   (size_t)(d->stack.high - d->stack.sp) <=
                       d->stack.counted_words + (size_t)STACK_EXTRA_WORDS,
               "S7: a stack higher than what was counted of it");
    const value *lowest = d->stack.high;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) {
        const struct vm_watermark *w = &d->stack.watermarks[i];
        if (w->slot == d->stack.high) continue;
        if (w->slot < lowest) lowest = w->slot;
        vm_require(w->slot >= d->stack.sp, "S4: a watermark below the top of the stack");
        vm_require(*w->slot == word_of_resume(d->vm->watermark_code) &&
                       is_decoded(d->vm, w->return_to),
                   "S4: a watermark's slot or return address is wrong");
    }
    vm_require(lowest == d->stack.lowest_watermark, "S4: lowest_watermark is not the lowest");
    for (const value *p = d->stack.watermarks[WATERMARK_MINOR].slot; p < d->stack.high; p++)
        vm_require(is_int(*p) || !gc_is_young(&d->gc, *p), "S5: a young block above the watermark");
    const value *unscanned = d->stack.watermarks[WATERMARK_UNSCANNED].slot;
    if (unscanned == d->stack.high) return;
    vm_require(d->gc.marking && d->thread == NULL && unscanned < d->stack.unscanned_end &&
                   d->stack.unscanned_end <= d->stack.high,
               "S6: unscanned words that cannot be");
    for (const value *p = unscanned; p < d->stack.unscanned_end; p++)
        vm_require(is_int(*p) || !gc_is_young(&d->gc, *p),
                   "S6: a young block among the unscanned words");
}

static void check_reexecution(const struct domain *d, const value *trap_frame) {
    const value *stopped = trap_frame + REEXECUTE_WORDS;
    vm_require(stopped + SAVED_WORDS <= d->stack.high &&
                   trap_frame[0] == word_of_resume(d->vm->reexecute_handler) &&
                   is_int(trap_frame[2]) && is_int(trap_frame[3]) &&
                   is_decoded(d->vm, resume_of_word(stopped[1])),
               "E4: a re-executed instruction without its trap frame");
}

/* From the innermost frame every return address has its frame word, and the last frame ends where
 * the stack does. Returns how many frames there are, those in fibers' buffers included. */
static size_t check_frames(struct domain *d) {
    struct vm_frame frame;
    size_t count = 0;
    if (!vm_frames_first(d, &frame)) return 0;
    do {
        count++;
        const value *return_frame = frame.base + frame.height;
        if (frame.fiber == NULL) {
            vm_require(vm_on_stack(d, return_frame), "E1: a frame outside the stack");
            if (return_frame == d->stack.high) return count;
            vm_require(return_frame + 3 <= d->stack.high, "E1: a frame without a return frame");
        }
        struct vm_resume at = vm_true_return(d, return_frame);
        vm_require(is_decoded(d->vm, at) && is_int((value)frame_word_of(at)),
                   "E1: a return address without a frame word");
        if (same_resume(at, d->vm->reexecute_code)) check_reexecution(d, return_frame + 3);
    } while (vm_frames_next(d, &frame));
    return count;
}

void vm_selfcheck(struct domain *d) {
    check_bounds(d);
    size_t words = (size_t)(d->stack.high - d->stack.sp) + d->checked_frames;
    if (!gc_check_due(&d->gc, &d->checked_stack, words)) return;
    check_traps(d);
    check_watermarks(d);
    d->checked_frames = check_frames(d);
}

void vm_selfcheck_call_stack(struct domain *d, const uint64_t *gpcs, size_t count, size_t limit) {
    struct vm_call_stack *s = d->stack.call_stack;
    struct vm_frame frame;
    s->check_credit += FRAMES_PER_WALK;
    if (s->check_credit < count) return;
    s->check_credit = 0;
    bool more = vm_frames_first(d, &frame);
    for (size_t i = count; i-- > 0; more = vm_frames_next(d, &frame))
        vm_require(more && gpcs[i] == frame.gpc,
                   "CS1: the kept call stack differs from the frames");
    vm_require(!more || count == limit, "CS1: the kept call stack lacks frames");
}

struct comparison {
    const struct vm_visible_stack *seen;
    size_t next;
};

static void compare_gpc(void *context, uint64_t gpc) {
    struct comparison *c = context;
    size_t n = c->seen->count, i = c->next++;
    vm_require(i < n && gpc == c->seen->gpcs[c->seen->outermost_first ? n - 1 - i : i],
               "CS2: a visible call stack differs from a walk");
}

void vm_selfcheck_visible_stack(struct domain *d, size_t limit,
                                const struct vm_visible_stack *seen) {
    struct vm_call_stack *s = d->stack.call_stack;
    s->visible_check_credit += FRAMES_PER_WALK;
    if (s->visible_check_credit < seen->count) return;
    s->visible_check_credit = 0;
    struct comparison comparison = {.seen = seen};
    size_t visited = vm_backtrace_walk(d, limit, compare_gpc, &comparison);
    vm_require(visited == seen->count, "CS2: a visible call stack lacks entries");
}
