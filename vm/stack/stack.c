/* stack.c - see stack.h. */
#include "vm/stack/stack.h"

#include "gc/small_tables.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/pc_map.h"
#include "vm/stack/callstack.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/raise.h"
#include "vm/stack/selfcheck.h"
#include "vm/stack/watermarks.h"
#include "vm/state/vm.h"

/* Frames between two places of a mark when control walks back over it. */
enum { MARK_STEP = IF_SMALL_TABLES(1, 64), WORTH_A_MARK = 32 * MARK_STEP /* words */ };
/* So many words of a stack are read while marking follows one block: 1 ns each. */
enum { WORDS_A_ROOT = 8 };

/* Words of its stack that a thread has to begin with, and what a call stack may take for each word
 * of the stack (vm/stack/callstack.h). */
enum { FIRST_WORDS = 1024, CALL_STACK_BYTES = 12 };

/* Limits below and above these are shown, but not kept: what OCaml begins with, and 32 GB. */
enum { LEAST_WORDS = 4096 };
#define MOST_WORDS ((size_t)1 << 32)

static size_t within_bounds(size_t words) {
    return words < LEAST_WORDS ? LEAST_WORDS : words > MOST_WORDS ? MOST_WORDS : words;
}

bool vm_stack_create(struct domain *d, size_t max_words, size_t room_words) {
    const size_t margins = 2 * STACK_MARGIN_WORDS;
    size_t words = within_bounds(max_words) + margins;
    size_t bytes = 8 * (words < room_words ? room_words : words);
    value *low = vm_reserve(&bytes, 8 * (LEAST_WORDS + margins));
    if (low == NULL) return false;
    d->stack.low = low;
    d->stack.high = low + bytes / 8;
    d->stack.sp = d->stack.high;
    vm_watermarks_reset(d);
    return true;
}

size_t vm_stack_limit(const struct domain *d) { return d->stack_limit_words; }

static size_t room_of(const struct domain *d) {
    return (size_t)(d->stack.high - d->stack.low) - 2 * STACK_MARGIN_WORDS;
}

void vm_set_stack_limit(struct domain *d, size_t words) {
    d->stack_limit_words = words;
    vm_stack_apply_limit(d);
}

static size_t limit_in_force(const struct domain *d) {
    size_t words = within_bounds(d->stack_limit_words);
    return words < room_of(d) ? words : room_of(d);
}

void vm_stack_apply_limit(struct domain *d) {
    size_t words = limit_in_force(d);
    if (d->stack.counted_words != 0 && d->stack.counted_words < words)
        words = d->stack.counted_words;
    d->gc.mutator_limit_idle = (uintptr_t)(d->stack.high - words - STACK_MARGIN_WORDS);
    gc_update_limits(&d->gc);
}

/* ---- What counts for the heap's limit. ---- */

static bool count(struct domain *d, size_t bytes) {
    if (!gc_external_try(d->gc.heap, bytes)) return false;
    d->stack.counted_bytes += bytes;
    return true;
}

bool vm_stack_count(struct domain *d) {
    if (gc_get_params(&d->gc)->max_heap_words == 0) return true;
    d->stack.counted_words = FIRST_WORDS;
    return count(d, VM_THREAD_BYTES);
}

bool vm_stack_grow(struct domain *d, uintptr_t low) {
    size_t had = d->stack.counted_words, most = limit_in_force(d);
    size_t wanted = ((uintptr_t)d->stack.high - low) / 8;
    if (had == 0 || wanted > most + STACK_MARGIN_WORDS) return false;
    size_t wider = 2 * had > wanted ? 2 * had : wanted;
    if (wider > most) wider = most;
    size_t bytes = (wider - had) * (8 + CALL_STACK_BYTES);
    if (!gc_external_take(&d->gc, bytes)) vm_raise_out_of_memory(d);
    d->stack.counted_bytes += bytes;
    d->stack.counted_words = wider;
    vm_stack_apply_limit(d);
    return true;
}

bool vm_c_stack_count(struct domain *d) {
    if (d->stack.counted_words == 0 || d->stack.c_stack_counted) return true;
    return d->stack.c_stack_counted = count(d, VM_C_STACK_BYTES);
}

void vm_stack_destroy(struct domain *d) {
    if (d->stack.low != NULL) vm_release(d->stack.low, (size_t)(d->stack.high - d->stack.low) * 8);
}

/* ---- Marks. ---- */

static bool placed(const struct domain *d, unsigned which) {
    return d->stack.watermarks[which].slot != d->stack.high;
}

static void find_lowest(struct domain *d) {
    d->stack.lowest_watermark = d->stack.high;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++)
        if (d->stack.watermarks[i].slot < d->stack.lowest_watermark)
            d->stack.lowest_watermark = d->stack.watermarks[i].slot;
}

void vm_watermarks_reset(struct domain *d) {
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) d->stack.watermarks[i].slot = d->stack.high;
    d->stack.lowest_watermark = d->stack.high;
}

const uintptr_t *vm_true_return(const struct domain *d, const value *slot) {
    if ((const uintptr_t *)*slot == d->vm->watermark_code)
        for (unsigned i = 0; i < WATERMARK_COUNT; i++)
            if (d->stack.watermarks[i].slot == slot)
                return (const uintptr_t *)d->stack.watermarks[i].return_to;
    return (const uintptr_t *)*slot;
}

void vm_watermark_set_at(struct domain *d, unsigned which, value *slot) {
    const uintptr_t *to = vm_true_return(d, slot);
    const struct vm *vm = d->vm;
    if (to == vm->leave_code || to == vm->next_call_code || to == vm->reexecute_code) return;
    d->stack.watermarks[which] = (struct vm_watermark){slot, (uintptr_t)to};
    slot[0] = (value)d->vm->watermark_code;
    find_lowest(d);
}

void vm_watermark_remove(struct domain *d, unsigned which) {
    struct vm_watermark mark = d->stack.watermarks[which];
    if (!placed(d, which)) return;
    d->stack.watermarks[which].slot = d->stack.high;
    bool shared = false;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++)
        shared |= d->stack.watermarks[i].slot == mark.slot;
    if (!shared) mark.slot[0] = (value)mark.return_to;
    find_lowest(d);
}

void vm_watermark_set(struct domain *d, unsigned which, struct vm_frame *frame, unsigned steps) {
    value *behind = frame->base + frame->height;
    for (unsigned i = 0; i < steps; i++) {
        if (step_to_caller(&behind, &frame->gpc)) continue;
        frame->base = behind;
        frame->height = 0;
        if (!vm_frames_next(d, frame)) return;
        behind = frame->base + frame->height;
    }
    if (behind + 3 <= d->stack.high) vm_watermark_set_at(d, which, behind);
}

/* ---- Marking. ---- */

void vm_stack_scan_rest(struct domain *d) {
    if (!placed(d, WATERMARK_UNSCANNED)) return;
    value *from = d->stack.watermarks[WATERMARK_UNSCANNED].slot;
    vm_watermark_remove(d, WATERMARK_UNSCANNED);
    gc_keep_slots(&d->gc, from, d->stack.unscanned_end);
}

/* The words at `from` are next to be active, and the unread ones begin there or below: reads them
 * up to a new mark some frames behind, or all of them where there is none. */
static void keep_next(struct domain *d, value *from, struct vm_frame *frame) {
    if (frame != NULL) vm_watermark_set(d, WATERMARK_UNSCANNED, frame, MARK_STEP);
    value *to = d->stack.watermarks[WATERMARK_UNSCANNED].slot;
    if (to >= d->stack.unscanned_end) {
        vm_watermark_remove(d, WATERMARK_UNSCANNED);
        to = d->stack.unscanned_end;
    }
    if (from < to) gc_keep_slots(&d->gc, from, to);
}

/* The same where an exception unwound the stack to sp, past the mark. */
static void keep_after_unwinding(struct domain *d, value *sp) {
    struct vm_frame frame;
    const uintptr_t *handler = (const uintptr_t *)sp[0];
    const struct vm_decoded *f = NULL;
    if (d->stack.trap != 0 && sp == d->stack.high - d->stack.trap)
        f = vm_find_decoded(d->vm, handler);
    if (f != NULL) {
        const struct vm_code *code = d->vm->codes[d->vm->functions[f->function].fragment];
        struct vm_pc_row row = vm_decoded_row(f, handler);
        frame.gpc = code->base + row.pc;
        frame.base = sp + 4;
        frame.height = row.height + (uint32_t)int_of_val(sp[3]);
    }
    keep_next(d, sp, f != NULL ? &frame : NULL);
}

/* At the start of marking: words further out may wait. Gives where these begin. */
static value *leave_unread(struct domain *d) {
    struct vm_frame frame;
    vm_watermark_remove(d, WATERMARK_UNSCANNED);
    d->stack.unscanned_end = d->stack.high;
    if (d->thread != NULL || d->stack.high - d->stack.sp < WORTH_A_MARK) return d->stack.high;
    if (vm_frames_first(d, &frame)) vm_watermark_set(d, WATERMARK_UNSCANNED, &frame, MARK_STEP);
    return d->stack.watermarks[WATERMARK_UNSCANNED].slot;
}

size_t vm_stack_scan_some(void *context, struct gc_visitor *visitor, size_t budget) {
    struct domain *d = context;
    if (!placed(d, WATERMARK_UNSCANNED)) return 0;
    value *from = d->stack.watermarks[WATERMARK_UNSCANNED].slot;
    size_t left = (size_t)(d->stack.unscanned_end - from);
    size_t n = left / WORDS_A_ROOT < budget ? left : budget * WORDS_A_ROOT;
    d->stack.unscanned_end -= n;
    visitor->slots(visitor, d->stack.unscanned_end, d->stack.unscanned_end + n);
    if (n == left) vm_watermark_remove(d, WATERMARK_UNSCANNED);
    return n / WORDS_A_ROOT;
}

/* ---- Passing marks. ---- */

const uintptr_t *vm_watermark_returned(struct domain *d, value *frame_words) {
    const uintptr_t *to = vm_true_return(d, frame_words);
    bool passed[WATERMARK_COUNT];
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) {
        passed[i] = d->stack.watermarks[i].slot == frame_words;
        if (passed[i]) d->stack.watermarks[i].slot = d->stack.high;
    }
    find_lowest(d);
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) {
        struct vm_frame frame = {
            .gpc = gpc_of_frame_word(to[-1]),
            .height = height_of_frame_word(to[-1]) + (uint32_t)int_of_val(frame_words[2]),
            .base = frame_words + 3,
        };
        if (!passed[i]) continue;
        if (i == WATERMARK_CALL_STACK) vm_call_stack_passed_watermark(d, MARK_STEP);
        else if (i == WATERMARK_UNSCANNED) keep_next(d, frame_words, &frame);
        else vm_watermark_set(d, i, &frame, MARK_STEP);
    }
    return to;
}

void vm_watermarks_unwound(struct domain *d, value *sp) {
    bool unread = d->stack.watermarks[WATERMARK_UNSCANNED].slot < sp;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++)
        if (d->stack.watermarks[i].slot < sp) d->stack.watermarks[i].slot = d->stack.high;
    find_lowest(d);
    if (unread) keep_after_unwinding(d, sp);
}

/* After a minor collection: its mark moves down to just behind the innermost frames. */
static void renew_minor_mark(struct domain *d) {
    struct vm_frame frame;
    vm_watermark_remove(d, WATERMARK_MINOR);
    if (d->stack.high - d->stack.sp < WORTH_A_MARK) return;
    if (vm_frames_first(d, &frame)) vm_watermark_set(d, WATERMARK_MINOR, &frame, MARK_STEP);
}

void vm_stack_scan(void *context, struct gc_visitor *visitor) {
    struct domain *d = context;
    if (gc_get_params(&d->gc)->verify) vm_selfcheck(d);
    value *end = d->stack.high;
    if (visitor->young_only) end = d->stack.watermarks[WATERMARK_MINOR].slot;
    else if (visitor->may_defer) end = leave_unread(d);
    if (!visitor->young_only) visitor->deferred += (size_t)(d->stack.high - end) / WORDS_A_ROOT;
    visitor->slots(visitor, d->stack.sp, end);
    gc_visit(visitor, &d->exn);
    gc_visit(visitor, &d->accu);
    if (visitor->young_only) renew_minor_mark(d);
    else gc_visit(visitor, &d->vm->global_data);
}
