/* tracked_blocks.h - the sampled blocks that a profile tracks, and their pending callbacks.
 *
 *   blocks    the tracked blocks; each has a fixed number, reused through a free list; 0 is none
 *   young     numbers of those in the minor heap, in order of allocation
 *   old       numbers of those in the major heap
 *   allocs    those whose allocation callback is pending: a queue, in order of allocation
 *   fates     those whose promotion or deallocation callback is pending, the least seq first
 *
 * A block's fate is its promotion or its death. GC: never, for all functions.
 *
 * ME1  block is a weak reference that the collector does not know: minor_done and inspect keep it
 *      valid. user is a strong root, scanned incrementally (R3): mp_tracked_take_user reads it.
 * ME2  A number is reused only when its block was dropped and nothing names it: lists, queues,
 *      promises and running callbacks each have a reference to it.
 * ME3  A tracked block with an address is in exactly one of young and old. A minor collection costs
 *      the length of young, plus the user values that are new since the last one.
 * ME4  A tracked block is in fates iff its allocation was reported, another callback of it is
 *      pending, and none is running.
 * ME5  After marking each block that was in old then is examined once, in slices; those added
 *      meanwhile are alive and are not. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_TRACKED_BLOCKS_H
#define BACTRIAN_MEMPROF_SAMPLING_TRACKED_BLOCKS_H

#include "gc/assert.h"
#include "gc/containers.h"
#include "gc/hooks.h"
#include "gc/roots.h"
#include "memprof/sampling/sliced_scan.h"

#include <stddef.h>
#include <stdint.h>

struct domain;

enum {
    TRACKED_BORN_YOUNG = 1,
    TRACKED_WAS_PROMOTED = 2,
    TRACKED_REPORTED = 4, /* the allocation callback has begun */
    TRACKED_DROPPED = 8,  /* no further callback */
    TRACKED_FREE = 16,
    TRACKED_RUNNING = 32, /* one of its callbacks is running */
    TRACKED_QUEUED = 64,  /* in fates; ME4 */
    TRACKED_PROMOTION_PENDING = 128,
    TRACKED_DEATH_PENDING = 256,
};

struct mp_callstack { /* return points of the active calls, innermost first */
    size_t depth;
    uint64_t gpcs[];
};

struct mp_tracked_block {
    value block; /* ME1; 0 while promised and after death */
    value user;
    struct mp_callstack *stack; /* owned; until the allocation callback runs */
    size_t wosize, samples;
    uint64_t seq;        /* the order in which allocations were reported */
    uint32_t references; /* ME2 */
    uint32_t next_free;
    uint16_t flags;
    uint8_t source;
    uint32_t thread; /* that allocated it, and runs its allocation callback */
};

/* Numbers of tracked blocks. */
struct mp_numbers VECTOR(uint32_t);

struct mp_tracked_blocks {
    struct gc_heap *heap; /* its limit counts all memory of this table; NULL: the heap is gone */
    struct mp_tracked_block *blocks;
    size_t capacity;            /* of blocks */
    uint32_t count, first_free; /* numbers 1 .. count */
    size_t live;                /* neither free nor dropped */
    struct mp_numbers young, old, fresh_users, allocs, fates;
    struct mp_sliced_scan scan;   /* of old; ME5 */
    uint32_t user_next, user_end; /* whose user values marking has still to visit */
    size_t allocs_taken;          /* allocs.items[0 .. allocs_taken-1] were taken */
    size_t fates_taken;           /* fates.items[0 .. fates_taken-1] were taken */
    bool fates_unsorted;          /* the others are not in the order of their seq */
    uint64_t last_seq;
};

/* The innermost entries, at most limit, of the call stack (vm_visible_call_stack). Owned by the
 * caller; counted in the heap's limit. NULL: out of memory, or no frames. */
struct mp_callstack *mp_callstack_take(struct domain *d, uint64_t limit);
/* stack: may be NULL. */
void mp_callstack_free(struct gc_heap *heap, struct mp_callstack *stack);

/* A new tracked block, all other fields zero. Returns its number; 0: out of memory, the sample is
 * lost. */
uint32_t mp_tracked_new(struct mp_tracked_blocks *t, size_t wosize, size_t samples,
                        enum gc_source source, bool born_young);
/* The block of a number; valid until the next mp_tracked_new. */
static inline struct mp_tracked_block *mp_tracked_at(struct mp_tracked_blocks *t, uint32_t number) {
    ASSERT(number > 0 && number <= t->count && (t->blocks[number].flags & TRACKED_FREE) == 0);
    return &t->blocks[number];
}
/* Sets its address. False: out of memory; it was dropped. */
bool mp_tracked_set_block(struct mp_tracked_blocks *t, uint32_t number, value block, bool young);
/* Sets its user value (a root from now on). When out of memory it is dropped. */
void mp_tracked_set_user(struct mp_tracked_blocks *t, uint32_t number, value user);
/* Takes its user value, which is no longer a root. */
value mp_tracked_take_user(struct mp_tracked_blocks *t, struct gc_domain *g, uint32_t number);
/* The callback that began with mp_tracked_take_alloc or _take_fate has ended; drop: it is tracked
 * no longer. */
void mp_tracked_end_callback(struct mp_tracked_blocks *t, uint32_t number, bool drop);

/* A new tracked block for a small block of bytecode whose allocation callback has run. block: where
 * it will be; 0: it is held as promised until mp_tracked_born, or mp_tracked_unborn, when it is
 * known never to exist. 0: out of memory. */
uint32_t mp_tracked_promised(struct mp_tracked_blocks *t, size_t wosize, size_t samples, value user,
                             value block);
void mp_tracked_born(struct mp_tracked_blocks *t, uint32_t number, value block);
/* True: its deallocation callback can run now. */
bool mp_tracked_unborn(struct mp_tracked_blocks *t, uint32_t number);

/* Puts a block into allocs. False: out of memory; it was dropped. */
bool mp_tracked_queue_alloc(struct mp_tracked_blocks *t, uint32_t number);
/* Takes the first block of allocs that is the thread's, or of fates; its callback begins. 0: there
 * is none. */
uint32_t mp_tracked_take_alloc(struct mp_tracked_blocks *t, uint32_t thread);
uint32_t mp_tracked_take_fate(struct mp_tracked_blocks *t);
/* Whether allocs has one of that thread; whether it has any. */
bool mp_tracked_alloc_pending(const struct mp_tracked_blocks *t, uint32_t thread);
static inline bool mp_tracked_has_allocs(const struct mp_tracked_blocks *t) {
    return t->allocs.count > t->allocs_taken;
}
/* Whether the two functions above would take one (or none, if all were dropped). */
static inline bool mp_tracked_callback_pending(const struct mp_tracked_blocks *t, uint32_t thread) {
    return t->fates.count > t->fates_taken ||
           (mp_tracked_has_allocs(t) && mp_tracked_alloc_pending(t, thread));
}
/* Drops the blocks whose allocation callback is that thread's. */
void mp_tracked_drop_allocs(struct mp_tracked_blocks *t, uint32_t thread);
/* Drops every block whose allocation callback has not run. */
void mp_tracked_drop_unreported(struct mp_tracked_blocks *t);

/* After a minor collection: records the fates of young blocks; true: a callback can run now.
 * GC: never. */
bool mp_tracked_minor_done(struct mp_tracked_blocks *t, struct gc_domain *g);
/* After marking (gc/hooks.h): the work of examining blocks in old; examines some, and sets *pending
 * as above. */
size_t mp_tracked_mark_done(struct mp_tracked_blocks *t);
size_t mp_tracked_inspect(struct mp_tracked_blocks *t, struct gc_domain *g, size_t budget,
                          bool *pending);
/* Visits user values: all, or for a minor collection those that may be young. At the start of
 * marking it visits none, and mp_tracked_visit_some visits them later. */
void mp_tracked_visit(struct mp_tracked_blocks *t, struct gc_visitor *visitor);
size_t mp_tracked_visit_some(struct mp_tracked_blocks *t, struct gc_visitor *visitor,
                             size_t budget);
/* Forgets everything except the heap and frees the memory. GC: never. */
void mp_tracked_clear(struct mp_tracked_blocks *t);

#endif
