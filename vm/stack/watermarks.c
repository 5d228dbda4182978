/* watermarks.c - see watermarks.h. */
#include "vm/stack/watermarks.h"

#include "gc/assert.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/pc_map.h"
#include "vm/stack/callstack.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/stack.h"
#include "vm/state/vm.h"

static void update_lowest(struct domain *d) {
    struct vm_stack *s = &d->stack;
    s->lowest_watermark = s->high;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++)
        if (s->watermarks[i].slot < s->lowest_watermark)
            s->lowest_watermark = s->watermarks[i].slot;
}

void vm_watermarks_reset(struct domain *d) {
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) d->stack.watermarks[i].slot = d->stack.high;
    d->stack.lowest_watermark = d->stack.high;
}

struct vm_resume vm_true_return(const struct domain *d, const value *slot) {
    struct vm_resume at = resume_of_word(*slot);
    if (!same_resume(at, d->vm->watermark_code)) return at;
    unsigned i = 0;
    while (i < WATERMARK_COUNT && d->stack.watermarks[i].slot != slot) i++;
    ASSERT(i < WATERMARK_COUNT); /* S4 */
    return d->stack.watermarks[i].return_to;
}

void vm_watermark_set_at(struct domain *d, unsigned which, value *slot) {
    ASSERT(which < WATERMARK_COUNT && slot >= d->stack.sp && slot + 3 <= d->stack.high);
    struct vm_resume to = vm_true_return(d, slot);
    const struct vm *vm = d->vm;
    if (same_resume(to, vm->leave_code) || same_resume(to, vm->next_call_code) ||
        same_resume(to, vm->reexecute_code) || same_resume(to, vm->fiber_code))
        return;
    d->stack.watermarks[which] = (struct vm_watermark){slot, to};
    slot[0] = word_of_resume(vm->watermark_code);
    update_lowest(d);
}

void vm_watermark_remove(struct domain *d, unsigned which) {
    struct vm_watermark removed = d->stack.watermarks[which];
    if (!vm_watermark_is_set(d, which)) return;
    ASSERT(*removed.slot == word_of_resume(d->vm->watermark_code)); /* S4 */
    d->stack.watermarks[which].slot = d->stack.high;
    bool shared = false;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++)
        shared |= d->stack.watermarks[i].slot == removed.slot;
    if (!shared) removed.slot[0] = word_of_resume(removed.return_to);
    update_lowest(d);
}

void vm_watermark_set(struct domain *d, unsigned which, struct vm_frame *frame, unsigned steps) {
    value *return_frame = frame->base + frame->height;
    for (unsigned i = 0; i < steps; i++) {
        if (step_to_caller(&return_frame, &frame->gpc)) continue;
        frame->base = return_frame;
        frame->height = 0;
        if (!vm_frames_next(d, frame)) return;
        return_frame = frame->base + frame->height;
    }
    if (vm_on_stack(d, return_frame) && return_frame + 3 <= d->stack.high)
        vm_watermark_set_at(d, which, return_frame);
}

void vm_watermark_renew_minor(struct domain *d) {
    struct vm_frame frame;
    vm_watermark_remove(d, WATERMARK_MINOR);
    if (d->stack.high - d->stack.sp < WATERMARK_WORTHWHILE) return;
    if (vm_frames_first(d, &frame)) vm_watermark_set(d, WATERMARK_MINOR, &frame, WATERMARK_STEP);
}

/* ---- Words that marking scans in slices (S6). ---- */

value *vm_watermark_leave_unscanned(struct domain *d) {
    struct vm_frame frame;
    struct vm_stack *s = &d->stack;
    vm_watermark_remove(d, WATERMARK_UNSCANNED);
    s->unscanned_end = s->high;
    if (d->thread != NULL || s->high - s->sp < WATERMARK_WORTHWHILE) return s->high;
    if (vm_frames_first(d, &frame))
        vm_watermark_set(d, WATERMARK_UNSCANNED, &frame, WATERMARK_STEP);
    return s->watermarks[WATERMARK_UNSCANNED].slot;
}

void vm_stack_scan_rest(struct domain *d) {
    if (!vm_watermark_is_set(d, WATERMARK_UNSCANNED)) return;
    value *from = d->stack.watermarks[WATERMARK_UNSCANNED].slot;
    vm_watermark_remove(d, WATERMARK_UNSCANNED);
    gc_preserve_slots(&d->gc, from, d->stack.unscanned_end);
}

/* The words at `from` are about to become active, and the unscanned ones begin there or below:
 * scans them up to a new watermark some frames further out, or all where none can be set. */
static void scan_next(struct domain *d, value *from, struct vm_frame *frame) {
    if (frame != NULL) vm_watermark_set(d, WATERMARK_UNSCANNED, frame, WATERMARK_STEP);
    value *to = d->stack.watermarks[WATERMARK_UNSCANNED].slot;
    if (to >= d->stack.unscanned_end) {
        vm_watermark_remove(d, WATERMARK_UNSCANNED);
        to = d->stack.unscanned_end;
    }
    if (from < to) gc_preserve_slots(&d->gc, from, to);
}

/* The same after an exception unwound the stack to sp, past the watermark. */
static void scan_after_unwinding(struct domain *d, value *sp) {
    struct vm_frame frame;
    struct vm_resume handler = resume_of_word(sp[0]);
    const struct vm_decoded *f = NULL;
    if (d->stack.trap != 0 && sp == d->stack.high - d->stack.trap)
        f = vm_find_decoded(d->vm, handler);
    if (f != NULL) {
        const struct vm_code *code = d->vm->codes[d->vm->functions[f->function].fragment];
        struct vm_pc_row row = vm_decoded_row(d->vm, f, handler);
        frame.gpc = code->base + row.pc;
        frame.base = sp + 4;
        frame.height = row.height + (uint32_t)int_of_val(sp[3]);
    }
    scan_next(d, sp, f != NULL ? &frame : NULL);
}

/* ---- Control reaches a watermark. ---- */

struct vm_resume vm_watermark_returned(struct domain *d, value *return_frame) {
    struct vm_resume to = vm_true_return(d, return_frame);
    uintptr_t word = frame_word_of(to);
    bool reached[WATERMARK_COUNT];
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) {
        reached[i] = d->stack.watermarks[i].slot == return_frame;
        if (reached[i]) d->stack.watermarks[i].slot = d->stack.high;
    }
    update_lowest(d);
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) {
        struct vm_frame frame = {
            .gpc = gpc_of_frame_word(word),
            .height = height_of_frame_word(word) + (uint32_t)int_of_val(return_frame[2]),
            .base = return_frame + 3,
        };
        if (!reached[i]) continue;
        if (i == WATERMARK_CALL_STACK) vm_call_stack_passed_watermark(d);
        else if (i == WATERMARK_UNSCANNED) scan_next(d, return_frame, &frame);
        else vm_watermark_set(d, i, &frame, WATERMARK_STEP);
    }
    return to;
}

void vm_watermarks_lift(struct domain *d, value *end, value *outside) {
    struct vm_frame frame = {.base = outside, .height = 0};
    value *unscanned = d->stack.watermarks[WATERMARK_UNSCANNED].slot;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++)
        if (d->stack.watermarks[i].slot < end) vm_watermark_remove(d, i);
    if (unscanned >= end) return;
    value *unscanned_end = d->stack.unscanned_end;
    gc_preserve_slots(&d->gc, unscanned, unscanned_end < end ? unscanned_end : end);
    if (end < unscanned_end) scan_next(d, end, &frame);
}

void vm_watermarks_unwound(struct domain *d, value *sp) {
    bool unscanned = d->stack.watermarks[WATERMARK_UNSCANNED].slot < sp;
    bool call_stack = d->stack.watermarks[WATERMARK_CALL_STACK].slot < sp;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++)
        if (d->stack.watermarks[i].slot < sp) d->stack.watermarks[i].slot = d->stack.high;
    update_lowest(d);
    if (call_stack) vm_call_stack_unwound(d, sp);
    if (unscanned) scan_after_unwinding(d, sp);
}
