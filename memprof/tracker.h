/* tracker.h - a client of the sampler that is written in C: no OCaml code runs, nothing is
 * allocated in the heap, and the program's own profiles don't notice it.
 *
 * What it is told it may only note: it must not allocate in the heap, raise, or call back.
 *
 * MT1  Each sampled block has an id, in the order of allocation; of each id it hears born, then at
 *      most one promoted, then at most one died.
 * MT2  A block that a program's callback refused is told born and at once died. */
#ifndef BACTRIAN_MEMPROF_TRACKER_H
#define BACTRIAN_MEMPROF_TRACKER_H

#include "memprof/sampler.h"

struct domain;
struct mp_tracker;

struct mp_tracker_events {
    /* gpcs: the active calls, outermost first, depth of them (vm/callstack.h); valid during the
     * call. hit->block is not to be used. */
    void (*born)(void *context, uint64_t id, const struct mp_hit *hit, const uint64_t *gpcs,
                 size_t depth);
    void (*promoted)(void *context, uint64_t id);
    void (*died)(void *context, uint64_t id, bool old);
};

/* Starts sampling with that rate, at most callstack_size frames a stack. NULL: no memory, or too
 * many streams. events and context outlive the tracker. GC: never. */
struct mp_tracker *mp_tracker_start(struct domain *d, double rate, size_t callstack_size,
                                    const struct mp_tracker_events *events, void *context);
/* Ends sampling; what is tracked goes on. GC: never. */
void mp_tracker_stop(struct mp_tracker *tracker);
/* Forgets what is tracked and frees the tracker. Before the machine is destroyed. GC: never. */
void mp_tracker_free(struct mp_tracker *tracker);
/* The same when the heap is gone already. GC: never. */
void mp_tracker_release(struct mp_tracker *tracker);
/* Blocks that were sampled and are not known to be dead. */
size_t mp_tracker_live(const struct mp_tracker *tracker);

#endif
