/* backtrace.c - recording, walking and printing; see backtrace.h.
 *
 * The stack from the innermost frame outwards:
 *
 *     sp[0..2]   base[0] ... base[height-1]   return frame   base[0] ...
 *     saved      locals and arguments;        of the         of the
 *     registers  also return frames pushed    caller         caller
 *                for calls not yet made
 *
 * A word of a frame is an integer, a heap block, or (outside the heap, even) a control word: a
 * return address or the address of a handler. Handlers are found by the chain of trap frames. */
#include "vm/stack/backtrace.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "gc/heap.h"
#include "gc/roots.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/code/pc_map.h"
#include "vm/marshal/debuginfo.h"
#include "vm/stack/callstack.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"

#include <stdlib.h>

struct vm_backtrace *vm_backtrace_create(struct domain *d) {
    struct vm_backtrace *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->last_exn = VAL_UNIT;
    gc_register_root(&d->gc, &b->last_exn);
    return b;
}

void vm_backtrace_destroy(struct domain *d) {
    if (d->backtrace != NULL && d->gc.heap != NULL) gc_remove_root(&d->gc, &d->backtrace->last_exn);
    free(d->backtrace);
    d->backtrace = NULL;
}

/* ---- Walking. ---- */

/* The trap frames, from the innermost outwards, across fibers and activations; and those in the
 * buffer of the fiber where the walk is. */
struct traps {
    struct domain *d;
    struct vm_activation *activation;
    uintptr_t boundary; /* of the fiber whose frames the walk has not left yet */
    value *at;          /* the next one on the stack; stack_high: none */
    const struct vm_fiber *fiber;
    value *suspended; /* the next one in its buffer; its end: none */
};

static void find_trap(struct traps *t, uintptr_t offset) {
    while (offset == 0) {
        const value *b = t->d->stack.high - t->boundary;
        if (t->boundary > (t->activation == NULL ? 0 : t->activation->base)) {
            offset = (uintptr_t)int_of_val(b[BOUNDARY_TRAP]);
            t->boundary = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
        } else if (t->activation != NULL) {
            offset = t->activation->outer_trap;
            t->activation = t->activation->outer;
        } else break;
    }
    t->at = t->d->stack.high - offset;
}

static struct traps first_trap(struct domain *d) {
    struct traps t = {.d = d, .activation = d->activation, .boundary = d->stack.boundary};
    find_trap(&t, d->stack.trap);
    return t;
}

/* Whether the word at p is the handler of a trap frame. fiber: p is in its buffer; NULL: on the
 * stack. Called from the innermost word outwards. */
static bool is_handler(struct traps *t, const struct vm_fiber *fiber, const value *p) {
    if (fiber == NULL) {
        while (t->at < p && t->at < t->d->stack.high) find_trap(t, (uintptr_t)int_of_val(t->at[1]));
        return t->at == p && p < t->d->stack.high;
    }
    if (fiber != t->fiber) t->suspended = fiber->end - fiber->trap;
    t->fiber = fiber;
    while (t->suspended < p) t->suspended = fiber->end - int_of_val(t->suspended[1]);
    return t->suspended == p;
}

struct walk {
    struct domain *d;
    struct traps traps;
    const value *stop; /* where the walk ends */
    size_t limit, count;
    void (*visit)(void *context, uint64_t gpc);
    void *context;
    /* For call stacks of 5.x, as programs see them (version.def, call_stacks_have_handlers). Where
     * the walk is, and the innermost trap frame of that fiber or callback (NULL: there is none). */
    bool visits_handlers;
    bool knows_plain_frames; /* for is_plain_frame */
    uintptr_t boundary;
    const struct vm_fiber *fiber;
    const value *innermost;
};

static void visit_gpc(struct walk *w, uint64_t gpc) {
    if (w->count == w->limit) return;
    w->visit(w->context, gpc);
    w->count++;
}

/* Whether the walk ends at p or before. A stop in a buffer is in that of the innermost fiber. */
static bool reached(const struct walk *w, const value *p) {
    return vm_on_stack(w->d, p) == vm_on_stack(w->d, w->stop) && p >= w->stop;
}

/* The innermost trap frame in f's buffer, or NULL. */
static const value *trap_in_buffer(const struct vm_fiber *f) {
    return f->trap == 0 ? NULL : f->end - f->trap;
}

/* Advances the walk to a frame, which may be in another fiber. False: it ends before. */
static bool enter_frame(struct walk *w, const struct vm_frame *frame) {
    const struct domain *d = w->d;
    if (!w->visits_handlers) return true;
    bool in_callback = w->boundary != 0 && w->boundary <= d->stack.fiber_base;
    if (frame->fiber == NULL) {
        while (w->boundary != 0 && frame->base > d->stack.high - w->boundary) {
            if (w->boundary <= d->stack.fiber_base) return false;
            const value *b = d->stack.high - w->boundary;
            intptr_t trap = int_of_val(b[BOUNDARY_TRAP]);
            w->innermost = trap == 0 ? NULL : d->stack.high - trap;
            w->boundary = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
        }
    } else if (frame->fiber != w->fiber) {
        bool rest = w->boundary != 0 &&
                    frame->fiber == vm_fiber_of_boundary(d->stack.high - w->boundary);
        if (in_callback && !rest) return false;
        if (!rest || (w->innermost == NULL && !in_callback))
            w->innermost = trap_in_buffer(frame->fiber);
    }
    w->fiber = frame->fiber;
    return true;
}

static void visit_handler(struct walk *w, const value *p, struct vm_resume at) {
    const struct vm_decoded *decoded = vm_find_decoded(w->d->vm, at);
    if (p == w->innermost || decoded == NULL) return;
    const struct vm_code *code = w->d->vm->codes[w->d->vm->functions[decoded->function].fragment];
    visit_gpc(w, code->base + vm_decoded_row(w->d->vm, decoded, at).pc);
}

enum { PLAIN_BITS = 64 }; /* in a word of plain_frames */

/* Whether a frame that waits at gpc is known to hold no code address that a walk visits. That
 * depends on the gpc alone (Q3, vm/code/verify_flow.c), except where it waits for a callback from
 * C. */
static inline bool is_plain_frame(const uint64_t *known, uint64_t gpc) {
    return known[gpc / PLAIN_BITS] >> gpc % PLAIN_BITS & 1;
}

/* Visits the return points of calls whose arguments the frame is still pushing, and its
 * handlers. */
static void visit_pending(struct walk *w, const struct vm_frame *frame) {
    bool plain = true;
    for (value *p = frame->base; p < frame->base + frame->height && !reached(w, p); p++) {
        if (is_int(*p) || gc_in_range(&w->d->gc, *p)) continue;
        struct vm_resume at = resume_of_word(*p);
        if (is_handler(&w->traps, frame->fiber, p)) {
            if (!w->visits_handlers) continue;
            visit_handler(w, p, at);
            plain = false;
            continue;
        }
        if (vm_find_decoded(w->d->vm, at) == NULL) continue;
        uintptr_t word = frame_word_of(at);
        if (is_int((value)word)) visit_gpc(w, gpc_of_frame_word(word));
        plain = false;
    }
    if (plain && w->knows_plain_frames)
        w->d->vm->plain_frames.items[frame->gpc / PLAIN_BITS] |= (uint64_t)1
                                                                 << frame->gpc % PLAIN_BITS;
}

/* Whether exn is Stack_overflow at a function's entry, which in 4.x is not in the backtrace. */
static bool at_entry_of_overflow(const struct domain *d, value exn) {
    return !d->vm->version->overflow_is_in_callee && d->stack.sp + SAVED_WORDS <= d->stack.high &&
           is_int(d->stack.sp[1]) && is_block(d->vm->global_data) &&
           exn == field(d->vm->global_data, EXN_STACK_OVERFLOW);
}

/* As vm_frames_next. */
static inline bool next_frame(const struct walk *w, struct vm_frame *frame) {
    value *return_frame = frame->base + frame->height, *outer = return_frame;
    if (frame->fiber != NULL || return_frame + 3 > w->d->stack.high ||
        !step_to_caller(&outer, &frame->gpc))
        return vm_frames_next(w->d, frame);
    frame->base = return_frame + 3;
    frame->height = (uint32_t)(outer - frame->base);
    return true;
}

/* Walks from a frame outwards. */
static void walk_from(struct walk *w, struct vm_frame frame) {
    const uint64_t *known = w->knows_plain_frames ? w->d->vm->plain_frames.items : NULL;
    bool more = enter_frame(w, &frame);
    while (more && w->count < w->limit) {
        if (known == NULL || !is_plain_frame(known, frame.gpc)) visit_pending(w, &frame);
        if (reached(w, frame.base + frame.height)) break;
        more = next_frame(w, &frame) && enter_frame(w, &frame);
        if (more) visit_gpc(w, frame.gpc);
    }
}

static void walk(struct walk *w, bool skip_first) {
    struct vm_frame frame;
    if (!vm_frames_first(w->d, &frame)) return;
    if (!skip_first) visit_gpc(w, frame.gpc);
    walk_from(w, frame);
}

static struct walk whole_walk(struct domain *d, size_t limit,
                              void (*visit)(void *context, uint64_t gpc), void *context) {
    return (struct walk){
        .d = d, .stop = d->stack.high, .limit = limit, .visit = visit, .context = context};
}

/* A walk of what programs see of a call stack. */
static struct walk visible_walk(struct domain *d, size_t limit,
                                void (*visit)(void *context, uint64_t gpc), void *context) {
    struct walk w = whole_walk(d, limit, visit, context);
    w.traps = first_trap(d);
    w.visits_handlers = d->vm->version->call_stacks_have_handlers;
    w.boundary = d->stack.boundary;
    if (d->stack.trap != 0) w.innermost = d->stack.high - d->stack.trap;
    return w;
}

size_t vm_backtrace_walk(struct domain *d, size_t limit, void (*visit)(void *context, uint64_t gpc),
                         void *context) {
    struct walk w = visible_walk(d, limit, visit, context);
    walk(&w, false);
    return w.count;
}

size_t vm_backtrace_walk_suspended(struct domain *d, const struct vm_fiber *f, size_t limit,
                                   void (*visit)(void *context, uint64_t gpc), void *context) {
    struct walk w = whole_walk(d, limit, visit, context);
    w.visits_handlers = true;
    walk_from(&w, (struct vm_frame){.base = vm_fiber_top(f), .fiber = f});
    return w.count;
}

/* ---- Call stacks for Gc.Memprof. ---- */

/* Makes plain_frames cover all code. */
static bool cover_code(struct vm *vm) {
    struct vm_plain_frames *known = &vm->plain_frames;
    size_t wanted = vm->next_gpc / PLAIN_BITS + 1;
    if (known->count >= wanted) return true;
    size_t more = wanted - known->count;
    if (!vector_reserve(known, more, 1, NULL)) return false;
    memset(known->items + known->count, 0, more * sizeof *known->items);
    known->count = wanted;
    return true;
}

/* Ends the walk where memory does not suffice. */
static void collect(void *context, uint64_t gpc) {
    struct walk *w = context;
    struct vm_gpcs *visible = &w->d->stack.call_stack->visible;
    if (vector_reserve(visible, 1, VM_SHORT_STACK, NULL)) vector_append(visible, gpc);
    else w->limit = w->count + 1;
}

/* Whether the frames of a stack, whose version is not 0, are all there is to visit. */
static bool is_plain(struct domain *d, const struct vm_visible_stack *frames) {
    const uint64_t *known = d->vm->plain_frames.items;
    for (size_t i = 0; i < frames->count; i++)
        if (!is_plain_frame(known, frames->gpcs[i])) return false;
    return true;
}

/* Fills s->visible, which stays empty where the frames are all there is. False: it is cut, out of
 * memory. */
static bool walk_visible(struct domain *d, size_t limit, const struct vm_visible_stack *frames) {
    struct vm_call_stack *s = d->stack.call_stack;
    s->visible.count = 0;
    s->visible_version = frames->version;
    s->visible_limit = limit;
    if (frames->version != 0 && is_plain(d, frames)) return true;
    struct walk w = visible_walk(d, limit, collect, &w);
    w.knows_plain_frames = frames->version != 0;
    walk(&w, false);
    if (w.limit == limit) return true;
    s->visible_version = 0;
    return false;
}

void vm_visible_call_stack(struct domain *d, size_t limit, struct vm_visible_stack *seen) {
    const uint64_t *gpcs;
    bool whole = limit > VM_SHORT_STACK;
    size_t n = whole ? vm_call_stack(d, limit, &gpcs) : vm_short_call_stack(d, limit, &gpcs);
    struct vm_call_stack *s = d->stack.call_stack;
    *seen = (struct vm_visible_stack){.gpcs = gpcs, .count = n, .outermost_first = whole};
    if (n == 0 || !cover_code(d->vm)) return;
    if (whole && d->stack.boundary == 0 && d->activation->outer == NULL) seen->version = s->version;
    if (!whole && s->short_stack.limit != 0) seen->version = s->short_version;
    bool complete = true;
    if (seen->version == 0 || s->visible_version != seen->version || s->visible_limit != limit)
        complete = walk_visible(d, limit, seen);
    if (!complete) seen->version = 0;
    if (s->visible.count > 0) {
        seen->gpcs = s->visible.items;
        seen->count = s->visible.count;
        seen->outermost_first = false;
    }
    if (complete && gc_get_params(&d->gc)->verify) vm_selfcheck_visible_stack(d, limit, seen);
}

/* ---- The view of C stubs (vm/state/abi.h). ---- */

void vm_backtrace_publish(struct domain *d) {
    *abi_backtrace_active(d) = d->backtrace_active;
    *abi_backtrace_pos(d) = (intptr_t)d->backtrace->count;
    *abi_backtrace_last_exn(d) = d->backtrace->last_exn;
}

size_t vm_backtrace_count(struct domain *d) {
    if (*abi_backtrace_pos(d) == 0) d->backtrace->count = 0;
    return d->backtrace->count;
}

/* ---- Recording. ---- */

static void append(void *context, uint64_t gpc) {
    struct vm_backtrace *b = context;
    ASSERT(b->count < VM_BACKTRACE_LIMIT); /* BT1 */
    b->gpcs[b->count++] = gpc;
}

/* Where a backtrace ends: at the innermost trap frame, or at the end of the fiber. */
static const value *end_of_backtrace(struct domain *d, const struct traps *traps) {
    if (d->stack.trap != 0 || !vm_in_fiber(d)) return traps->at;
    const value *b = vm_boundary(d);
    const struct vm_fiber *f = vm_fiber_of_boundary(b);
    return f->used > 0 ? f->end - f->trap : b;
}

void vm_backtrace_note_division(struct domain *d) { d->backtrace->division = d->backtrace_active; }

/* Where C code raised, OCaml looks for the location after an instruction with one operand. DIVINT
 * and MODINT have none, so for them it looks one word too far, in the next instruction, which may
 * have a debug event of its own. */
static bool is_word_too_far(struct domain *d, value exn) {
    bool noted = d->backtrace->division;
    d->backtrace->division = false;
    return noted && is_block(d->vm->global_data) &&
           exn == field(d->vm->global_data, EXN_DIVISION_BY_ZERO);
}

void vm_backtrace_record(struct domain *d, value exn, bool reraise) {
    struct vm_backtrace *b = d->backtrace;
    bool too_far = is_word_too_far(d, exn);
    if (!reraise || exn != b->last_exn) {
        b->count = 0;
        gc_modify_root(&d->gc, &b->last_exn, exn);
    }
    struct walk w = {.d = d,
                     .traps = first_trap(d),
                     .limit = VM_BACKTRACE_LIMIT - vm_backtrace_count(d),
                     .visit = append,
                     .context = b};
    w.stop = end_of_backtrace(d, &w.traps);
    size_t first = b->count;
    walk(&w, !reraise && at_entry_of_overflow(d, exn));
    if (too_far && b->count > first) b->gpcs[first]++;
    vm_backtrace_publish(d);
}

void vm_backtrace_record_stop(struct domain *d) {
    d->backtrace->count = 0;
    struct walk w = whole_walk(d, VM_BACKTRACE_LIMIT, append, d->backtrace);
    w.traps = first_trap(d);
    walk(&w, false);
    vm_backtrace_publish(d);
}

void vm_backtrace_switch(struct domain *d, bool active) {
    d->backtrace_active = d->record->backtrace_active = active;
}

void vm_backtrace_set_active(struct domain *d, bool active) {
    if (active == d->backtrace_active) return;
    vm_backtrace_switch(d, active);
    d->backtrace->count = 0;
    gc_modify_root(&d->gc, &d->backtrace->last_exn, VAL_UNIT);
    vm_backtrace_publish(d);
}

void vm_backtrace_restore(struct domain *d, value exn, const uint64_t *gpcs, size_t n) {
    struct vm_backtrace *b = d->backtrace;
    if (n > VM_BACKTRACE_LIMIT) n = VM_BACKTRACE_LIMIT;
    gc_modify_root(&d->gc, &b->last_exn, exn);
    memcpy(b->gpcs, gpcs, n * sizeof *gpcs);
    b->count = n;
    vm_backtrace_publish(d);
}

/* ---- Printing. ---- */

bool vm_backtrace_is_raise(struct vm *vm, uint64_t gpc) {
    unsigned op = vm_opcode_at(vm, gpc);
    return op == OP_RAISE || op == OP_RERAISE;
}

static void print_entry(struct vm *vm, size_t i, const char *first, uint64_t gpc, FILE *out) {
    struct vm_location where;
    bool known = vm_debuginfo_find(vm, gpc, &where), raise = vm_backtrace_is_raise(vm, gpc);
    if (!known && raise) return; /* inserted by the compiler */
    const char *what = i == 0 ? first : "Called from";
    if (raise) what = i == 0 ? "Raised at" : "Re-raised at";
    if (!known) {
        fprintf(out, "%s unknown location\n", what);
        return;
    }
    fprintf(out, "%s %s in file \"%s\", ", what, where.definition, where.file);
    if (!vm->version->has_end_lines || where.line == where.end_line)
        fprintf(out, "line %d, characters %d-%d\n", where.line, where.start, where.end);
    else
        fprintf(out, "lines %d-%d, characters %d-%d\n", where.line, where.end_line, where.start,
                where.end_column);
}

void vm_backtrace_print(struct domain *d, bool stopped, FILE *out) {
    const struct vm_backtrace *b = d->backtrace;
    size_t count = vm_backtrace_count(d);
    const char *first = stopped ? "Stopped at" : "Raised by primitive operation at";
    for (size_t i = 0; i < count; i++) print_entry(d->vm, i, first, b->gpcs[i], out);
    const char *failure = d->vm->debug_status == VM_DEBUG_NO_FILE       ? "not found"
                          : d->vm->debug_status == VM_DEBUG_DAMAGED     ? "appears to be corrupt"
                          : d->vm->debug_status == VM_DEBUG_WRONG_MAGIC ? "has wrong magic number"
                                                                        : NULL;
    if (failure != NULL)
        fprintf(out, "(Cannot print locations:\n bytecode executable program file %s)\n", failure);
}
