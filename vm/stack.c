/* stack.c - see stack.h. */
#include "vm/stack.h"

#include "vm/engine.h"
#include "vm/frames.h"
#include "vm/os.h"

/* Frames between two places of the watermark when control walks back over it. */
enum { WATERMARK_STEP = 64 };

/* Address space for a stack, so that its limit can be raised later; words. */
#define ROOMY_WORDS ((size_t)1 << 27)

bool vm_stack_create(struct domain *d, size_t max_words) {
    size_t least = (max_words + 2 * STACK_MARGIN_WORDS) * 8;
    size_t bytes = least < ROOMY_WORDS * 8 ? ROOMY_WORDS * 8 : least;
    value *low = vm_reserve(&bytes, least);
    if (low == NULL) return false;
    d->stack_low = low;
    d->stack_high = low + bytes / 8;
    d->sp = d->stack_high;
    d->watermark = d->stack_high;
    vm_set_stack_limit(d, max_words);
    return true;
}

size_t vm_stack_limit(const struct domain *d) { return d->stack_limit_words; }

void vm_set_stack_limit(struct domain *d, size_t words) {
    size_t room = (size_t)(d->stack_high - d->stack_low) - 2 * STACK_MARGIN_WORDS;
    if (words > room) words = room;
    d->stack_limit_words = words;
    d->gc.mutator_limit_idle = (uintptr_t)(d->stack_high - words - STACK_MARGIN_WORDS);
    gc_update_limits(&d->gc);
}

void vm_stack_destroy(struct domain *d) {
    if (d->stack_low != NULL) vm_release(d->stack_low, (size_t)(d->stack_high - d->stack_low) * 8);
}

static void lift_watermark(struct domain *d) {
    if (d->watermark == d->stack_high) return;
    d->watermark[0] = (value)d->watermark_return;
    d->watermark = d->stack_high;
}

/* Puts the mark at the return address `steps` frames behind frame. Nothing happens on a short stack. */
static void place_watermark(struct domain *d, struct vm_frame *frame, unsigned steps) {
    for (unsigned i = 0; i < steps; i++)
        if (!vm_frames_next(d, frame)) return;
    value *behind = frame->base + frame->height;
    if (behind + 3 > d->stack_high || (const uintptr_t *)behind[0] == d->vm->leave_code) return;
    d->watermark_return = (uintptr_t)behind[0];
    behind[0] = (value)d->vm->watermark_code;
    d->watermark = behind;
}

/* After a minor collection: the mark moves down to just behind the innermost frames. */
static void renew_watermark(struct domain *d) {
    struct vm_frame frame;
    lift_watermark(d);
    if (d->stack_high - d->sp < 32 * WATERMARK_STEP) return;
    if (vm_frames_first(d, &frame)) place_watermark(d, &frame, WATERMARK_STEP);
}

const uintptr_t *vm_watermark_returned(struct domain *d, value *frame_words) {
    const uintptr_t *to = (const uintptr_t *)d->watermark_return;
    d->watermark = d->stack_high;
    frame_words[0] = (value)to;
    struct vm_frame frame = {
        .gpc = gpc_of_frame_word(to[-1]),
        .height = height_of_frame_word(to[-1]) + (uint32_t)int_of_val(frame_words[2]),
        .base = frame_words + 3,
    };
    place_watermark(d, &frame, WATERMARK_STEP);
    return to;
}

void vm_watermark_unwound(struct domain *d, value *sp) { d->watermark = d->stack_high; }

void vm_stack_scan(void *context, struct gc_visitor *visitor) {
    struct domain *d = context;
    visitor->slots(visitor, d->sp, visitor->young_only ? d->watermark : d->stack_high);
    gc_visit(visitor, &d->exn);
    gc_visit(visitor, &d->accu);
    if (visitor->young_only) renew_watermark(d);
    else gc_visit(visitor, &d->vm->global_data);
}
