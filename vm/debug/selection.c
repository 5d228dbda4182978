/* selection.c - frames as the debugger sees them.
 *
 *     start[0 .. 2]   innermost frame: environment, instruction, extra arguments (E2)
 *                     other frames:    return address, environment, extra arguments
 *     start[3 ..]     locals, temporaries, trap frames, arguments, extra arguments
 *
 * The debugger identifies a frame by the words from its start to the base of the stack. A frame has
 * the same start when it waits for a call and when it is stopped after that call has returned. */
#include "gc/assert.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/code/pc_map.h"
#include "vm/debug/debug_internal.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/watermarks.h"
#include "vm/thread/thread.h"

struct debug_frame debug_innermost(struct domain *d) {
    value *sp = d->stack.sp;
    struct vm_resume at = resume_of_word(sp[1]);
    const struct vm_decoded *decoded = vm_find_decoded(d->vm, at);
    ASSERT(decoded != NULL && is_int(sp[2])); /* E2 */
    struct vm_pc_row row = vm_decoded_row(d->vm, decoded, at);
    const struct vm_code *code = d->vm->codes[d->vm->functions[decoded->function].fragment];
    uint32_t op = vm_word(&code->words, row.pc);
    /* The verifier's height there counts arguments that are still extra. */
    uint32_t height = op == OP_GRAB || op == OP_RESTART ? 1 : row.height;
    return (struct debug_frame){
        .start = sp,
        .words = height + (uint32_t)int_of_val(sp[2]),
        .env = sp[0],
        .gpc = code->base + row.pc,
    };
}

struct debug_frame debug_caller(struct domain *d, const struct debug_frame *frame) {
    const struct debug_frame none = {.start = NULL};
    if (frame->start == NULL || frame->gpc == VM_NO_GPC) return none;
    value *start = frame->start + 3 + frame->words;
    const struct vm_fiber *in = frame->in;
    while (same_resume(vm_true_return(d, start), d->vm->fiber_code)) {
        start = vm_fiber_next_frame(d, start, &in);
        ASSERT(start != NULL); /* FB2 */
    }
    /* The first thread's outermost frame is the program; another one's was called from C. */
    if (in == NULL && start + 3 >= d->stack.high && vm_thread_is_main(d)) return none;
    uintptr_t word = frame_word_of(vm_true_return(d, start));
    if (gpc_of_frame_word(word) == VM_NO_GPC)
        return (struct debug_frame){.in = in, .start = start, .env = VAL_UNIT, .gpc = VM_NO_GPC};
    ASSERT(is_int(start[2]));
    return (struct debug_frame){
        .in = in,
        .start = start,
        .words = height_of_frame_word(word) + (uint32_t)int_of_val(start[2]),
        .env = start[1],
        .gpc = gpc_of_frame_word(word),
    };
}

uint32_t debug_depth(struct domain *d, const struct debug_frame *frame) {
    if (frame->start == NULL) return DEBUG_NO_FRAME;
    return (uint32_t)vm_fiber_depth(d, frame->start, frame->in);
}
