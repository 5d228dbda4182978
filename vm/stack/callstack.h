/* callstack.h - the call stack as a list of code locations, cached so that it is cheap to take
 * often.
 *
 * The frames of the last whole call stack are cached. A watermark (vm/stack/watermarks.h) shows
 * which of them cannot have changed, so the next call stack costs only the frames that differ.
 *
 * CS1  While WATERMARK_CALL_STACK is set, cached[0 .. watermarked-1] are the frames outside its
 * return frame, and cached[watermarked] is the one inside it, except for its code location.
 * CS2  A struct vm_visible_stack (vm/stack/backtrace.h) has what vm_backtrace_walk visits.
 * CS3  The frames outside a boundary with BOUNDARY_CACHED set (vm/stack/fiber.h), in the buffers of
 * its fibers and on the stack, are cached, each further out than what else is cached. */
#ifndef BACTRIAN_VM_STACK_CALLSTACK_H
#define BACTRIAN_VM_STACK_CALLSTACK_H

#include "gc/containers.h"
#include "vm/state/domain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The location of an instruction that left the loop, by the address of its decoded word. Decoded
 * code does not move, and once there are call stacks it does not change, so an entry stays
 * valid. */
struct vm_stopped_code {
    value word;
    uintptr_t frame; /* a frame word (vm/stack/frame_layout.h) */
};
enum { STOPPED_CODE_BITS = IF_SMALL_TABLES(1, 11) };

/* The words of a return frame. Where they are unchanged, so is the next frame. */
struct vm_return {
    value address;    /* 0: that of a watermark, callback, boundary, or in a buffer: not compared */
    value extra_args; /* of one in a buffer: the fiber and the place */
};

struct vm_frames {
    uint64_t *gpcs;
    struct vm_return *returns;
    uint32_t *slots; /* of their return frames: the low half of the address in words */
    size_t count, capacity;
};

/* The last short stack, and the words that determine it: while these are unchanged, at the same
 * distances from sp, a walk would have the same result. */
enum { VM_SHORT_STACK = 64 };
struct vm_short_stack {
    size_t limit; /* of the request; 0: there is no short stack */
    size_t count;
    value word, extra_args;        /* of the saved registers (E2) */
    const value *whole_from;       /* sp, if these are all frames; else NULL */
    uint64_t gpcs[VM_SHORT_STACK]; /* innermost first */
    struct vm_link {               /* the return frame between two of its frames */
        size_t at;                 /* words from sp */
        value return_to, extra_args;
    } links[VM_SHORT_STACK];
};

struct vm_call_stack {
    struct vm_stopped_code stopped[1 << STOPPED_CODE_BITS]; /* a cache for vm/stack/frames.c */
    struct vm_frames cached;                                /* outermost frame first */
    struct vm_frames fresh; /* those of a walk, at the end of the arrays */
    size_t watermarked;     /* CS1 */
    /* The outermost entries, at most this many, are unchanged since it was last set to SIZE_MAX: a
     * client that derives data from each entry has to process only the others. */
    size_t unchanged;
    uint64_t visited; /* how many frames walks have visited so far: tests bound it */
    uint64_t version; /* changes when the cached stack does */
    struct vm_short_stack short_stack;
    uint64_t short_version; /* of it and its limit: changes when either does; not 0 */
    /* For vm_visible_call_stack: what its last walk visited, empty where the frames are all there
     * is; of the stack of which version (0: of none) and limit. */
    struct vm_gpcs VECTOR(uint64_t) visible;
    uint64_t visible_version;
    size_t visible_limit;
    /* Frames that --gc-verify may read (vm/stack/selfcheck.c). */
    size_t check_credit, visible_check_credit;
};

/* Whether a short stack with the last one's limit would be the same. GC: never. */
static inline bool vm_is_short_stack_again(const struct domain *d, const struct vm_call_stack *s) {
    const struct vm_short_stack *b = &s->short_stack;
    const value *sp = d->stack.sp;
    if (b->limit == 0 || sp[1] != b->word || sp[2] != b->extra_args) return false;
    if (b->whole_from != NULL && b->whole_from != sp) return false;
    const struct vm_link *link = b->links, *end = link + b->count - 1;
    for (; link < end; link++)
        if (sp[link->at] != link->return_to || sp[link->at + 2] != link->extra_args) return false;
    return true;
}

/* The cache entry for the word of an instruction that left the loop. */
static inline struct vm_stopped_code *vm_stopped_code_of(struct vm_call_stack *s, value word) {
    return &s->stopped[(uintptr_t)word * 0x9e3779b97f4a7c15u >> (64 - STOPPED_CODE_BITS)];
}

/* The return points of the active calls (vm/stack/frames.h), outermost first; of more than limit,
 * the innermost. *gpcs is valid until the next call. Returns their number; 0 also when out of
 * memory. GC: never. */
size_t vm_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs);
/* The same for limit <= VM_SHORT_STACK, the innermost frame first; the cached stack is unchanged.
 * Stacks with one short_version are the same. GC: never. */
size_t vm_short_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs);
/* Control returned through the watermark, which is no longer set: sets it again, where possible,
 * further out. GC: never. */
void vm_call_stack_passed_watermark(struct domain *d);
/* An exception unwound the stack to sp, past the watermark, which is no longer set: sets it again,
 * where possible, at the innermost return frame that is left. GC: never. */
void vm_call_stack_unwound(struct domain *d, const value *sp);
void vm_call_stack_free(struct domain *d);
/* With --gc-verify: checks such a call stack against the frames, a short one each time, a deep one
 * as often as its depth allows. GC: never. */
void vm_selfcheck_call_stack(struct domain *d, const uint64_t *gpcs, size_t count, size_t limit);

#endif
