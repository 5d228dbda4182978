/* callstack.h - the whole call stack as a list of places in the code, cheap to take again and
 * again.
 *
 * The frames of the last whole call stack are kept; a mark (vm/stack/stack.h) tells which of them
 * can't have changed, so taking the next one costs only the frames that differ.
 *
 * CS1  While WATERMARK_CALL_STACK is placed, kept[0 .. marked-1] are the frames outside of its
 * return frame, and kept[marked] is the one inside of it, but for its place in the code. */
#ifndef BACTRIAN_VM_STACK_CALLSTACK_H
#define BACTRIAN_VM_STACK_CALLSTACK_H

#include "vm/state/domain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an instruction that left the loop stands, by its decoded word: decoded code never moves and
 * never changes its meaning, so what was found once stays true. */
struct vm_stopped_code {
    value word;
    uint64_t gpc;
    uint32_t height; /* without extra arguments */
};
enum { STOPPED_CODES = 64 };

/* The words through which a frame is left. Where they stand unchanged, so does the next frame. */
struct vm_return {
    value address; /* 0: that of a mark or a callback, which tells nothing */
    value extra_args;
};

struct vm_frames {
    uint64_t *gpcs;
    struct vm_return *returns;
    uint32_t *slots; /* of their return frames: the low half of the address in words */
    size_t count, capacity;
};

/* The last short stack, by the words that made it: as long as they stand where they stood, seen
 * from sp, a walk would find the same. */
enum { VM_SHORT_STACK = 64 };
struct vm_short_stack {
    size_t limit; /* that was asked for; 0: there is no such stack */
    size_t count;
    value word, extra_args;        /* of the stopped instruction (vm/stack/frame_layout.h, E2) */
    const value *whole_from;       /* sp, if there are no more frames; else NULL */
    uint64_t gpcs[VM_SHORT_STACK]; /* innermost first */
    struct vm_link {               /* the return frame between two of its frames */
        size_t at;                 /* words from sp */
        value return_to, extra_args;
    } links[VM_SHORT_STACK];
};

struct vm_call_stack {
    struct vm_stopped_code stopped[STOPPED_CODES]; /* a cache for vm/stack/frames.c */
    struct vm_frames kept;                         /* outermost frame first */
    struct vm_frames fresh; /* the walk's, at the end of the arrays, before they are put in place */
    size_t marked;          /* CS1 */
    /* At most so many of the outermost entries are what they were when it was last set to SIZE_MAX:
     * whoever derives something of each entry needs to look only at the others. */
    size_t unchanged;
    uint64_t version; /* changes when the kept stack does */
    struct vm_short_stack brief;
    uint64_t brief_version; /* of it and its limit: changes when either does; not 0 */
    size_t check_credit;    /* frames that --gc-verify may look at (vm/stack/selfcheck.h) */
};

/* Whether a short stack for the limit of the last one would be the same (0: there is no last one).
 * GC: never. */
static inline bool vm_is_short_stack_again(const struct domain *d, const struct vm_call_stack *s) {
    const struct vm_short_stack *b = &s->brief;
    const value *sp = d->stack.sp;
    if (b->limit == 0 || sp[1] != b->word || sp[2] != b->extra_args) return false;
    if (b->whole_from != NULL && b->whole_from != sp) return false;
    const struct vm_link *link = b->links, *end = link + b->count - 1;
    for (; link < end; link++)
        if (sp[link->at] != link->return_to || sp[link->at + 2] != link->extra_args) return false;
    return true;
}

/* The cache's entry for a stopped instruction's word. */
static inline struct vm_stopped_code *vm_stopped_code_of(struct vm_call_stack *s, value word) {
    return &s->stopped[(uintptr_t)word / 8 % STOPPED_CODES];
}

/* The return points of the active calls (vm/stack/frames.h), outermost first; of more than limit
 * the innermost. *gpcs stays valid until the next call. Returns their number; 0 also when memory is
 * exhausted. GC: never. */
size_t vm_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs);
/* The same for limit <= VM_SHORT_STACK, the innermost frame first; the kept stack is left alone.
 * Stacks of one brief_version are the same. */
size_t vm_short_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs);
/* Control returned through the mark, which is no longer placed: places it again, if it can, at the
 * return frame that is so many frames further out. */
void vm_call_stack_passed_watermark(struct domain *d, size_t frames);
void vm_call_stack_free(struct domain *d);

#endif
