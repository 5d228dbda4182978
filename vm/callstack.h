/* callstack.h - the whole call stack as a list of places in the code, cheap to take again and
 * again.
 *
 * The frames of the last whole call stack are kept; a mark (vm/stack.h) tells which of them can't
 * have changed, so taking the next one costs only the frames that differ.
 *
 * CS1  While MARK_CALL_STACK is placed, kept[0 .. marked-1] are the frames outside of its return
 *      frame, and kept[marked] is the one inside of it, but for its place in the code. */
#ifndef BACTRIAN_VM_CALLSTACK_H
#define BACTRIAN_VM_CALLSTACK_H

#include "gc/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct domain;

/* Where an instruction that left the loop stands, by its decoded word: decoded code never moves and
 * never changes its meaning, so what was found once stays true. */
struct vm_stopped_place {
    value word;
    uint64_t gpc;
    uint32_t height; /* without extra arguments */
};
enum { STOPPED_PLACES = 64 };

struct vm_frames {
    uint64_t *gpcs;
    uint32_t *slots; /* of their return frames: the low half of the address in words */
    size_t count, capacity;
};

struct vm_call_stack {
    struct vm_stopped_place stopped[STOPPED_PLACES]; /* a cache for vm/frames.c */
    struct vm_frames kept;                           /* outermost frame first */
    struct vm_frames fresh; /* the walk's, innermost first, before they are put in place */
    size_t marked;          /* CS1 */
    /* At most so many of the outermost entries are what they were when it was last set to SIZE_MAX:
     * whoever derives something of each entry needs to look only at the others. */
    size_t unchanged;
    uint64_t version;       /* changes when the kept stack does */
    size_t brief;           /* fresh.gpcs[0 .. brief-1] are the last short stack; 0: no more */
    uint64_t brief_version; /* changes when that is another one, but for its length; not 0 */
};

/* The cache's entry for a stopped instruction's word. */
static inline struct vm_stopped_place *vm_stopped_place_of(struct vm_call_stack *s, value word) {
    return &s->stopped[(uintptr_t)word / 8 % STOPPED_PLACES];
}

/* The return points of the active calls (vm/frames.h), outermost first; of more than limit the
 * innermost. *gpcs stays valid until the next call. Returns their number; 0 also when memory is
 * exhausted. GC: never. */
size_t vm_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs);
/* The same for limit <= VM_SHORT_STACK, the innermost frame first; the kept stack is left alone.
 * Stacks of one length and one brief_version are the same. */
enum { VM_SHORT_STACK = 64 };
size_t vm_short_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs);
/* Control returned through the mark, which is no longer placed: places it again, if it can, at the
 * return frame that is so many frames further out. */
void vm_call_stack_passed_mark(struct domain *d, size_t frames);
void vm_call_stack_free(struct domain *d);

#endif
