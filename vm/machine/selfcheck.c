/* selfcheck.c - see selfcheck.h. Each invariant is checked in one place. */
#include "vm/machine/selfcheck.h"

#include "vm/base/md5.h"
#include "vm/code/engine.h"
#include "vm/engine/decode.h"
#include "vm/engine/reexecute.h"
#include "vm/stack/callstack.h"
#include "vm/stack/frames.h"
#include "vm/thread/thread_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_PER_WALK = 256 }; /* of the call stack */

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "machine: %s\n", what);
    abort();
}

static bool is_decoded(const struct vm *vm, const uintptr_t *at) {
    const struct vm_decoded_area *area = vm->decoded_area;
    return at > area->words && at < area->words + area->used;
}

static void check_bounds(const struct domain *d) {
    require(d->stack_low <= d->sp && d->sp <= d->stack_high, "S1: sp is outside the stack");
    if (d->sp == d->stack_high) return;
    value word = d->sp[1];
    require(d->sp + SAVED_WORDS <= d->stack_high && is_int(d->sp[2]),
            "S2: no words of a stopped instruction at sp");
    require(is_int(word) || is_decoded(d->vm, (const uintptr_t *)word),
            "E2: a stopped instruction is neither a place in the code nor a frame word");
}

static void check_traps(const struct domain *d) {
    for (uintptr_t trap = d->trap; trap != 0;) {
        const value *frame = d->stack_high - trap;
        require(frame >= d->sp && frame + 4 <= d->stack_high, "S3: a trap frame outside the stack");
        require(is_decoded(d->vm, (const uintptr_t *)frame[0]), "S3: a handler that is no code");
        uintptr_t outer = (uintptr_t)int_of_val(frame[1]);
        require(is_int(frame[1]) && outer < trap, "S3: a trap frame's link doesn't lead outwards");
        trap = outer;
    }
}

static void check_marks(const struct domain *d) {
    require(d->stack_words == 0 ||
                (size_t)(d->stack_high - d->sp) <= d->stack_words + 2 * (size_t)STACK_MARGIN_WORDS,
            "S7: a stack higher than what was counted of it");
    const value *lowest = d->stack_high;
    for (unsigned i = 0; i < WATERMARK_COUNT; i++) {
        const struct vm_watermark *mark = &d->marks[i];
        if (mark->slot == d->stack_high) continue;
        if (mark->slot < lowest) lowest = mark->slot;
        require(mark->slot >= d->sp, "S4: a mark below the stack's top");
        require(*mark->slot == (value)d->vm->watermark_code &&
                    is_decoded(d->vm, (const uintptr_t *)mark->return_to),
                "S4: a mark's slot or address is not what it should be");
    }
    require(lowest == d->lowest_watermark, "S4: lowest_watermark is not the lowest mark");
    for (const value *p = d->marks[WATERMARK_MINOR].slot; p < d->stack_high; p++)
        require(is_int(*p) || !gc_is_young(&d->gc, *p), "S5: a young block above the mark");
    const value *unread = d->marks[WATERMARK_UNSCANNED].slot;
    if (unread == d->stack_high) return;
    require(d->gc.marking && d->thread == NULL && unread < d->unscanned_end &&
                d->unscanned_end <= d->stack_high,
            "S6: unread words where there are none");
    for (const value *p = unread; p < d->unscanned_end; p++)
        require(is_int(*p) || !gc_is_young(&d->gc, *p), "S6: a young block that is not read");
}

static void check_detour(const struct domain *d, const value *trap_frame) {
    const value *stopped = trap_frame + REEXECUTE_WORDS;
    require(stopped + SAVED_WORDS <= d->stack_high &&
                trap_frame[0] == (value)(d->vm->reexecute_code + 1) && is_int(trap_frame[2]) &&
                is_int(trap_frame[3]) && is_decoded(d->vm, (const uintptr_t *)stopped[1]),
            "E4: a detour without its trap frame or its instruction");
}

/* From the innermost frame every return address has its frame word, and the last frame ends where
 * the stack does. */
static void check_frames(struct domain *d) {
    struct vm_frame frame;
    if (!vm_frames_first(d, &frame)) return;
    do {
        const value *behind = frame.base + frame.height;
        require(behind <= d->stack_high, "E1: a frame that leaves the stack");
        if (behind == d->stack_high) return;
        require(behind + 3 <= d->stack_high, "E1: a frame behind which there is no return frame");
        const uintptr_t *at = vm_true_return(d, behind);
        require(is_decoded(d->vm, at) && is_int((value)at[-1]),
                "E1: a return address without a frame word");
        if (at == d->vm->reexecute_code) check_detour(d, behind + 3);
    } while (vm_frames_next(d, &frame));
}

void vm_selfcheck(struct domain *d) {
    check_bounds(d);
    if (!gc_check_due(&d->gc, &d->checked_stack, (size_t)(d->stack_high - d->sp))) return;
    check_traps(d);
    check_marks(d);
    check_frames(d);
}

void vm_selfcheck_call_stack(struct domain *d, const uint64_t *gpcs, size_t count, size_t limit) {
    struct vm_call_stack *s = d->call_stack;
    struct vm_frame frame;
    s->check_credit += FRAMES_PER_WALK;
    if (s->check_credit < count) return;
    s->check_credit = 0;
    bool more = vm_frames_first(d, &frame);
    for (size_t i = count; i-- > 0; more = vm_frames_next(d, &frame))
        require(more && gpcs[i] == frame.gpc, "CS1: a frame of the kept call stack is not so");
    require(!more || count == limit, "CS1: the kept call stack lacks frames");
}

static void check_no_young(const struct domain *d, const value *from, const value *to) {
    for (; from < to; from++)
        require(is_int(*from) || !gc_is_young(&d->gc, *from),
                "TH2: a young block of a thread that is not dirty");
}

static void check_no_young_roots(const struct domain *d, const struct gc_local_roots *r) {
    for (; r != NULL; r = r->next)
        for (intptr_t i = 0; i < r->ntables; i++)
            check_no_young(d, r->tables[i], r->tables[i] + r->nitems);
}

static void check_clean(const struct domain *d, const struct vm_thread *t) {
    check_no_young(d, t->context.sp, t->context.stack_high);
    check_no_young(d, &t->handle, &t->handle + 1);
    check_no_young_roots(d, t->local_roots);
    check_no_young_roots(d, t->abi_roots);
}

void vm_selfcheck_threads(struct vm_threads *threads) {
    const struct domain *d = threads->vm->domain;
    require(d->thread == threads->owner && d->thread == threads->latest,
            "TH1: the domain's thread is not the one that has the machine");
    size_t words = 0;
    for (const struct vm_thread *t = threads->all; t != NULL; t = t->next)
        words += (size_t)(t->context.stack_high - t->context.sp);
    if (!gc_check_due(&threads->vm->domain->gc, &threads->checked, words)) return;
    for (const struct vm_thread *t = threads->all; t != NULL; t = t->next) {
        if (t == d->thread) continue;
        require(t->context.stack_low != d->stack_low, "TH1: two threads have one stack");
        if (!t->dirty) check_clean(d, t);
    }
}

void vm_selfcheck_code(struct vm *vm) {
    for (uint32_t i = 0; i < vm->function_count; i++) {
        const struct vm_function *f = &vm->functions[i];
        require(f->entry != NULL, "C1: a function without an entry");
        require(i == 0 || (f->entry == vm->prepare_code) == (f->decoded == 0),
                "C2: an entry that is neither \"prepare me\" nor decoded code");
    }
    for (uint32_t i = 0; i < vm->code_count; i++) {
        uint8_t now[16];
        struct vm_code *code = vm->codes[i];
        if (!code->digest_known || code->digest_given) continue;
        vm_code_sum(code, now);
        require(memcmp(now, code->digest, 16) == 0, "C3: the words of a fragment have changed");
    }
}
