/* frames.c - walking frames (vm/stack/frames.h; E1, E2). */
#include "vm/stack/frames.h"

#include "gc/assert.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/code/pc_map.h"
#include "vm/stack/callstack.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/reexecute.h"
#include "vm/stack/watermarks.h"

/* The gpc of a raising instruction is its own; that of any other is the next instruction's. */
static bool raises(unsigned op) {
    return op == OP_RAISE || op == OP_RERAISE || op == OP_RAISE_NOTRACE;
}

static bool find_code(struct vm *vm, value word, struct vm_stopped_code *code_at) {
    struct vm_resume at = resume_of_word(word);
    const struct vm_decoded *f = vm_find_decoded(vm, at);
    if (f == NULL) return false;
    struct vm_pc_row row = vm_decoded_row(vm, f, at);
    const struct vm_code *code = vm->codes[vm->functions[f->function].fragment];
    unsigned op = vm_word(&code->words, row.pc);
    const uint64_t gpc = code->base + row.pc + (raises(op) ? 0 : vm_width_at(&code->words, row.pc));
    /* C_CALLN has pushed its first argument. */
    *code_at = (struct vm_stopped_code){word, frame_word(gpc, row.height + (op == OP_C_CALLN))};
    return true;
}

/* The frame of the instruction that left the loop: its word is sp[1] (E2). */
static bool stopped_frame(struct domain *d, value *sp, struct vm_frame *frame) {
    ASSERT(sp + SAVED_WORDS <= d->stack.high && is_int(sp[2])); /* E2 */
    value word = sp[1];
    uint32_t extra_args = (uint32_t)int_of_val(sp[2]);
    frame->base = sp + SAVED_WORDS;
    frame->fiber = NULL;
    if (is_int(word)) {
        frame->gpc = gpc_of_frame_word((uintptr_t)word);
        frame->height = height_of_frame_word((uintptr_t)word) + extra_args;
        return true;
    }
    struct vm_stopped_code found = {.word = 0}, *stopped = &found;
    if (d->stack.call_stack != NULL) stopped = vm_stopped_code_of(d->stack.call_stack, word);
    if (stopped->word != word && !find_code(d->vm, word, stopped)) return false;
    frame->gpc = gpc_of_frame_word(stopped->frame);
    frame->height = height_of_frame_word(stopped->frame) + extra_args;
    return true;
}

bool vm_frames_first(struct domain *d, struct vm_frame *frame) {
    if (d->stack.sp >= d->stack.high || !stopped_frame(d, d->stack.sp, frame)) return false;
    return frame->gpc != VM_NO_GPC || vm_frames_next(d, frame);
}

bool vm_frames_first_suspended(struct domain *d, const struct vm_fiber *f, struct vm_frame *frame) {
    *frame = (struct vm_frame){.base = vm_fiber_top(f), .fiber = f};
    return vm_frames_next(d, frame);
}

bool vm_frames_next(struct domain *d, struct vm_frame *frame) {
    for (;;) {
        value *return_frame = frame->base + frame->height;
        /* The outermost return frame is on the stack, others may be in buffers of fibers. */
        if (vm_on_stack(d, return_frame) && return_frame + 3 > d->stack.high) return false;
        struct vm_resume at = vm_true_return(d, return_frame);
        if (same_resume(at, d->vm->fiber_code)) {
            frame->base = vm_fiber_next_frame(d, return_frame, &frame->fiber);
            frame->height = 0;
            if (frame->base == NULL) return false;
            continue;
        }
        if (same_resume(at, d->vm->leave_code) || same_resume(at, d->vm->next_call_code)) {
            if (return_frame + 3 + SAVED_WORDS > d->stack.high) return false;
            if (!stopped_frame(d, return_frame + 3, frame)) return false;
            if (frame->gpc != VM_NO_GPC) return true;
            continue;
        }
        if (same_resume(at, d->vm->reexecute_code))
            return stopped_frame(d, return_frame + 3 + REEXECUTE_WORDS, frame);
        uintptr_t word = frame_word_of(at);
        ASSERT(is_int((value)word) && is_int(return_frame[2])); /* E1 */
        frame->gpc = gpc_of_frame_word(word);
        frame->height = height_of_frame_word(word) + (uint32_t)int_of_val(return_frame[2]);
        frame->base = return_frame + 3;
        if (frame->gpc != VM_NO_GPC) return true;
    }
}
