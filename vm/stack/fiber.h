/* fiber.h - fibers: computations that run under a handler of effects.
 *
 * All fibers of a thread run on its one stack. Where one begins there is a boundary; the words
 * inside it are the fiber's, those outside belong to the fiber, or the thread, that runs it.
 *
 *   sp ->  | frames of the fiber                       |
 *          | frames of its first function              |
 *   b[0]   | vm->fiber_code                            |  the boundary begins with the return
 *   b[1]   | the fiber's address + 1                   |  frame of the fiber's first function
 *   b[2]   | 0, tagged; or 1 (CS3)                     |
 *   b[3]   | stack.trap of the frames outside, tagged  |
 *   b[4]   | stack.boundary before, tagged             |
 *   b[5]   | X, tagged                                 |
 *          | X extra arguments                         |  of the frame that was left when the
 *          | return frame                              |  fiber was entered
 *
 * So a function that returns from a fiber needs no test: it arrives at vm->fiber_code. Inside,
 * stack.trap is 0 until a handler is installed; an exception finds no trap frame and then looks for
 * a boundary. When the fiber ends, its value or exception handler is called in place of the
 * boundary, and finds the X extra arguments.
 *
 * PERFORM moves the words inside the boundary into the fiber's buffer, where they wait with a
 * return frame on top, and pops the boundary. RESUME pushes a boundary and moves words back: not
 * all of a deep fiber, only its innermost frames. The rest stays in the buffer until control
 * returns to the boundary or an exception reaches it, so switching costs the same at any depth.
 *
 *   buffer of a fiber with a part of its frames on the stack:
 *          |  free  | return frame | frames ... | fiber_code, fiber |
 *                   ^ end - used                ^ end
 *
 * Fibers that are suspended together form a chain: if a handler does not handle an effect, the
 * fiber in which it runs is suspended, too, outside the one that performed the effect. Resuming the
 * chain resumes the innermost; the others wait in their buffers at the same boundary until control
 * reaches them.
 *
 * A fiber is named by a handle, a tagged integer with its index and generation, which changes each
 * time the fiber is taken from its continuation. So a continuation is used only once, even if a
 * program copies it or forges integers: an invalid handle is refused.
 *
 * FB1  The boundaries of a stack are linked by b[4], from stack.boundary outwards; those at the
 *      depth stack.fiber_base or less belong to activations further out (vm/stack/frame_layout.h)
 *      and cannot be performed to.
 * FB2  The fiber that a boundary names is RUNNING, and RUNNING fibers are named by one boundary.
 *      fiber.outer leads from it to those that wait at the same boundary; the last of them has the
 *      boundary's depth.
 * FB3  A buffer holds whole frames, from a return frame on top to the return frame at its end. If
 *      the fiber is suspended there is more on top: one word, which is the address of its young
 *      continuation + 1 (LEADING; else 0, tagged) or says how many arguments follow (LINKED).
 *      Links of trap frames in it are distances from end.
 * FB4  A suspended fiber with young values is dirty. Its outermost fiber.clean words are not young,
 *      nor are its handlers if status.handlers_clean.
 * FB5  While marking, a fiber that is neither unreached nor being scanned has only values that the
 *      snapshot (M1) has. Words that leave a fiber that is being scanned are preserved (R3). */
#ifndef BACTRIAN_VM_STACK_FIBER_H
#define BACTRIAN_VM_STACK_FIBER_H

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/stack/frame_layout.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

/* The words of a boundary before the extra arguments. */
enum {
    BOUNDARY_CODE,
    BOUNDARY_FIBER,
    BOUNDARY_CACHED,
    BOUNDARY_TRAP,
    BOUNDARY_OUTER,
    BOUNDARY_EXTRA,
    BOUNDARY_WORDS
};

enum {
    /* What a suspended fiber needs on top of its frames: a return frame and a word (FB3). */
    FIBER_TOP_WORDS = 4,
    FIBER_WHOLE_WORDS = IF_SMALL_TABLES(8, 64), /* a fiber that large is resumed as a whole */
};

enum vm_fiber_handler { FIBER_ON_VALUE, FIBER_ON_EXCEPTION, FIBER_ON_EFFECT, FIBER_HANDLERS };

enum vm_fiber_state {
    FIBER_FREE,
    FIBER_TAKEN,   /* new, or taken from its continuation: waits for RESUME */
    FIBER_RUNNING, /* FB2 */
    FIBER_LEADING, /* suspended, the innermost of its chain: a continuation has its handle */
    FIBER_LINKED,  /* suspended, further out in a chain */
};

#define NO_FIBER 0u

/* 64 bytes, a cache line: the fibers of a scheduler are seldom in the cache. */
struct vm_fiber {
    value handlers[FIBER_HANDLERS];
    value *end;              /* of the words in its buffer; NULL: it has none */
    uint32_t used, capacity; /* words before end */
    uint32_t trap;           /* the innermost trap frame in the buffer; 0: none. FB3 */
    uint32_t rest;           /* used, before the fiber was suspended the last time */
    uint32_t clean;          /* FB4 */
    uint32_t generation;
    uint32_t outer; /* the next fiber of the chain, or NO_FIBER; of a free one, the next free */
    union {
        uint32_t outermost; /* LEADING, TAKEN: of its chain */
        uint32_t boundary; /* RUNNING, LINKED: FB2; 0: of a suspended chain. Only the outermost's */
    };
};
_Static_assert(sizeof(struct vm_fiber) == 64, "a fiber is a line of the cache");

struct vm_fibers;

/* The fiber of that index. GC: never. */
struct vm_fiber *vm_fiber_at(const struct vm *vm, uint32_t index);
enum vm_fiber_state vm_fiber_state(const struct vm *vm, uint32_t index);

/* The innermost boundary. Needs: there is one. GC: never. */
static inline value *vm_boundary(const struct domain *d) {
    return d->stack.high - d->stack.boundary;
}
/* Whether an effect performed now, or an exception that no trap frame catches, reaches a handler.
 * GC: never. */
static inline bool vm_in_fiber(const struct domain *d) {
    return d->stack.boundary > d->stack.fiber_base;
}

/* A new fiber with these handlers; its handle. Fails: raises Out_of_memory. GC: may run. */
value vm_fiber_new(struct domain *d, value on_value, value on_exception, value on_effect);
/* Takes the fiber of continuation cont, which may be any value: its handle, which is for RESUME, or
 * the integer 0 if it was taken before. GC: never. */
value vm_fiber_take(struct domain *d, value cont);
/* Replaces the handlers of the outermost fiber of the chain of a taken fiber. GC: never. */
void vm_fiber_set_handlers(struct domain *d, value handle, const value *handlers);
/* The fiber that continuation cont stands for, which stays there; NULL: taken. GC: never. */
struct vm_fiber *vm_fiber_of_cont(const struct vm *vm, value cont);
/* Continuation v, or any block, is about to be copied: the copy keeps the fiber alive, too, until
 * one of them is taken. GC: never. */
void vm_fiber_keep(struct domain *d, value v);
/* Visits the values of fiber f and of those outside it in its chain. GC: never. */
void vm_fiber_visit_chain(const struct vm *vm, struct vm_fiber *f, struct gc_visitor *visitor);
/* The fiber of a handle that was taken. NULL: there is none. GC: never. */
struct vm_fiber *vm_fiber_taken(const struct vm *vm, value handle);
/* Frees a taken fiber and its chain. GC: never. */
void vm_fiber_drop(struct domain *d, struct vm_fiber *f);

/* The fiber that a boundary names. GC: never. */
static inline struct vm_fiber *vm_fiber_of_boundary(const value *b) {
    return (struct vm_fiber *)(b[BOUNDARY_FIBER] - 1);
}
/* Whether the innermost fiber, with sp as the top of the stack and a return frame above it, fits
 * its buffer. False, too, if there is no fiber. GC: never. */
static inline bool vm_fiber_fits(const struct domain *d, const value *sp) {
    const value *b = vm_boundary(d);
    if (!vm_in_fiber(d)) return false;
    const struct vm_fiber *f = vm_fiber_of_boundary(b);
    return f->used + (size_t)(b - sp) + FIBER_TOP_WORDS <= f->capacity;
}
/* The words of the innermost fiber down to `at`. Needs: there is one. GC: never. */
static inline size_t vm_fiber_words(const struct domain *d, const value *at) {
    const value *b = vm_boundary(d);
    return vm_fiber_of_boundary(b)->used + (size_t)(b - at);
}
/* Makes the innermost fiber's buffer that large. Needs: E2. Fails: raises Out_of_memory.
 * GC: may run. */
void vm_fiber_reserve(struct domain *d);
/* PERFORM and REPERFORMTERM: suspends the innermost fiber, whose words from d->stack.sp on leave
 * the stack. Returns the handler for effects, which is to be called: at d->stack.sp is the number
 * of its extra arguments, tagged, then the arguments. Needs: vm_fiber_fits. GC: never. */
/* Its continuation becomes cont, a young block; on top is the return frame. words: of the
 * instruction. */
value vm_fiber_perform(struct domain *d, value effect, value cont, const uintptr_t *words);
/* It is appended to the chain of continuation cont; `outside` the frame that passes the effect on
 * are extra_args arguments, tagged. Needs: E2 if a profiler is to see it. 0: cont has no fiber, or
 * the innermost one does not fit; nothing was done. */
value vm_fiber_reperform(struct domain *d, value effect, value cont, value *outside,
                         value extra_args);
/* Bytes that a resumed fiber may use without a check: the part that is moved back ends with a frame
 * and its arguments, and its innermost frame may grow. GC: never. */
static inline size_t vm_fiber_room_bytes(const struct vm *vm) {
    return 3 * vm->widest_frame_bytes +
           8 * (BOUNDARY_WORDS + FIBER_WHOLE_WORDS + STACK_MARGIN_WORDS);
}
/* Resumes a taken fiber inside `outside`, where extra_args arguments lie, tagged. d->stack.sp is
 * then at the return frame where the fiber continues. False: the handle is invalid, or there is no
 * room. GC: never. */
bool vm_fiber_resume(struct domain *d, value handle, value *outside, value extra_args);
/* The innermost fiber returned that result: its first function, or all of it that was on the stack.
 * Ends it and returns its handler, to be called as that of vm_fiber_perform; or 0: there is more,
 * d->stack.sp is at the next return frame. GC: never. */
value vm_fiber_returned(struct domain *d, value result);
/* An exception is raised in the innermost fiber, where stack.trap is 0. Ends it and returns its
 * handler, as above; or 0: stack.trap is now a trap frame that was in the buffer. GC: never. */
value vm_fiber_raised(struct domain *d, value exn);

/* ---- The same for machine code: the result is in two registers. GC: never. ---- */

struct vm_switch {
    value closure; /* to be called; 0: the loop is to do it */
    value a;       /* if that is 0: A before the switch */
};
struct vm_switch vm_switch_perform(struct domain *d, value effect, const uintptr_t *words);
/* The continuation is at sp. */
struct vm_switch vm_switch_reperform(struct domain *d, value effect, value *outside);
/* RESUMETERM. At sp are a function and its argument. */
struct vm_switch vm_switch_resume(struct domain *d, value handle, value *outside);
/* RESUME, which module Effect does not have. return_to, env: of the frame that resumes. */
struct vm_switch vm_switch_resume_and_return(struct domain *d, value handle, value *outside,
                                             value return_to, value env);
/* The boundary's return frame was popped. Closure 0: d->stack.sp is at the next one, and a is the
 * result. */
struct vm_switch vm_switch_returned(struct domain *d, value result);
/* Where stack.trap is 0, in a fiber or not. */
struct vm_switch vm_switch_raised(struct domain *d, value exn);

/* For tests (--gc-stress=5): moves all frames of the running fiber except the innermost one off the
 * stack, as if it had been suspended and resumed. Needs: E2, outside primitives. Fails: raises
 * Out_of_memory. GC: may run. */
void vm_fiber_shed(struct domain *d);
/* Frees the running fibers of boundaries deeper than that, which are abandoned. GC: never. */
void vm_fibers_abandon(struct domain *d, uintptr_t boundary);
void vm_fibers_destroy(struct vm *vm);

/* For a walk of frames that is at return frame `at`, a boundary or the end of a buffer: the next
 * return frame, and in whose buffer it is (NULL: on the stack). NULL: at the end of a chain that is
 * suspended. GC: never. */
value *vm_fiber_next_frame(const struct domain *d, const value *at, const struct vm_fiber **in);
/* The words from `at`, on the stack or in the buffer of running or linked fiber `in`, to the high
 * end of the stack, if those in buffers were there, too: the same wherever the frames are.
 * GC: never. */
size_t vm_fiber_depth(const struct domain *d, const value *at, const struct vm_fiber *in);
/* The return frame on top of a fiber that leads its chain. GC: never. */
static inline value *vm_fiber_top(const struct vm_fiber *f) { return f->end - f->used + 1; }

#endif
