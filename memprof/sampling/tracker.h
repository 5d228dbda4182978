/* tracker.h - a client of the sampler that is written in C and follows its blocks: no OCaml code
 * runs, nothing is allocated in the heap, and the program's own profiles don't notice it.
 *
 * What it is told it may only note: it must not allocate in the heap, raise, or call back.
 *
 * MT1  Each sampled block has an id, counted from 0 in the order of births; of each id it hears
 *      born, then at most one promoted, then at most one died.
 * MT2  After marking each old block is looked at once, in slices: those that were old then.
 * MT3  It never hears of a block that a program's callback refused, nor of one that there was no
 *      memory to follow (those are counted as lost). */
#ifndef BACTRIAN_MEMPROF_SAMPLING_TRACKER_H
#define BACTRIAN_MEMPROF_SAMPLING_TRACKER_H

#include "memprof/sampling/sampler.h"

struct domain;
struct mp_tracker;

enum { MP_TRACKER_BATCH = 512 };

struct mp_tracker_events {
    /* vm_call_stack tells where; hit->block is not to be used. */
    void (*born)(void *context, uint64_t id, const struct mp_hit *hit);
    /* At most MP_TRACKER_BATCH blocks, in the order of their ids; old: they died in the major
     * heap. */
    void (*promoted)(void *context, const uint64_t *ids, size_t count);
    void (*died)(void *context, const uint64_t *ids, size_t count, bool old);
    /* As in gc/hooks.h; may be NULL. */
    void (*activity)(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                     size_t words);
};

/* Starts sampling with that rate. NULL: no memory, or too many streams. events and context outlive
 * the tracker. GC: never. */
struct mp_tracker *mp_tracker_start(struct domain *d, double rate, uint64_t seed,
                                    const struct mp_tracker_events *events, void *context);
/* Ends sampling; what is tracked goes on. GC: never. */
void mp_tracker_stop(struct mp_tracker *tracker);
/* Forgets every block; ids start again from 0. GC: never. */
void mp_tracker_forget(struct mp_tracker *tracker);
/* Frees the tracker. Before the machine is destroyed. GC: never. */
void mp_tracker_free(struct mp_tracker *tracker);
/* The same when the heap is gone already. GC: never. */
void mp_tracker_release(struct mp_tracker *tracker);
/* Blocks that were sampled and are not known to be dead; blocks that were sampled, and those that
 * were not followed for lack of memory. */
size_t mp_tracker_live(const struct mp_tracker *tracker);
uint64_t mp_tracker_count(const struct mp_tracker *tracker);
uint64_t mp_tracker_lost(const struct mp_tracker *tracker);

#endif
