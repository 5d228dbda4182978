/* frames.c - walking frames (vm/stack/frames.h, vm/stack/frame_layout.h). */
#include "vm/stack/frames.h"

#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/code/pc_map.h"
#include "vm/stack/callstack.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/reexecute.h"

/* RAISE and its like stand for themselves, other instructions for the point they would go on at. */
static bool names_itself(unsigned op) {
    return op == OP_RAISE || op == OP_RERAISE || op == OP_RAISE_NOTRACE;
}

static bool find_place(const struct vm *vm, value word, struct vm_stopped_code *place) {
    const uintptr_t *at = (const uintptr_t *)word;
    const struct vm_decoded *f = vm_find_decoded(vm, at);
    if (f == NULL) return false;
    struct vm_pc_row row = vm_decoded_row(f, at);
    const struct vm_code *code = vm->codes[vm->functions[f->function].fragment];
    unsigned op = vm_word(&code->words, row.pc);
    *place = (struct vm_stopped_code){
        .word = word,
        .gpc = code->base + row.pc + (names_itself(op) ? 0 : vm_width_at(&code->words, row.pc)),
        /* C_CALLN has pushed its first argument. */
        .height = row.height + (op == OP_C_CALLN),
    };
    return true;
}

/* The frame of the instruction that left the loop: its word is sp[1] (E2). */
static bool stopped_frame(struct domain *d, value *sp, struct vm_frame *frame) {
    value word = sp[1];
    uint32_t extra_args = (uint32_t)int_of_val(sp[2]);
    frame->base = sp + SAVED_WORDS;
    if (is_int(word)) {
        frame->gpc = gpc_of_frame_word((uintptr_t)word);
        frame->height = height_of_frame_word((uintptr_t)word) + extra_args;
        return true;
    }
    struct vm_stopped_code found = {.word = 0}, *place = &found;
    if (d->stack.call_stack != NULL) place = vm_stopped_code_of(d->stack.call_stack, word);
    if (place->word != word && !find_place(d->vm, word, place)) return false;
    frame->gpc = place->gpc;
    frame->height = place->height + extra_args;
    return true;
}

bool vm_frames_first(struct domain *d, struct vm_frame *frame) {
    if (d->stack.sp >= d->stack.high) return false;
    return stopped_frame(d, d->stack.sp, frame);
}

bool vm_frames_next(struct domain *d, struct vm_frame *frame) {
    for (;;) {
        value *behind = frame->base + frame->height;
        if (behind + 3 > d->stack.high) return false;
        const uintptr_t *at = vm_true_return(d, behind);
        if (at == d->vm->leave_code || at == d->vm->next_call_code) {
            if (behind + 3 + SAVED_WORDS > d->stack.high) return false;
            return stopped_frame(d, behind + 3, frame);
        }
        if (at == d->vm->reexecute_code)
            return stopped_frame(d, behind + 3 + REEXECUTE_WORDS, frame);
        frame->gpc = gpc_of_frame_word(at[-1]);
        frame->height = height_of_frame_word(at[-1]) + (uint32_t)int_of_val(behind[2]);
        frame->base = behind + 3;
        if (frame->gpc != VM_NO_GPC) return true;
    }
}
