/* tracker.h - a client of the sampler that is written in C and follows sampled blocks. It runs no
 * OCaml code and allocates nothing in the heap, and the program's own profiles are unaffected.
 *
 * The functions of struct mp_tracker_events may only record: they must not allocate in the heap,
 * raise, or run the machine.
 *
 * MT1  Each sampled block has an id, counted from 0 in the order of births; of each id born is
 *      reported, then at most one promoted, then at most one died.
 * MT2  After marking each block that was in the major heap then is examined once, in slices.
 *      A suspended fiber is such a block: it is born when it is suspended, moves with its
 *      continuation, and dies when that dies or is used.
 *      A sample of memory outside the heap lives as long as that memory: if its block dies before,
 *      it moves with it to the major heap, and dies when the memory is released (shared_memory.h).
 * MT3  A block that a program's callback refused is not reported, nor is one that there was no
 *      memory to follow (these are counted as lost). */
#ifndef BACTRIAN_MEMPROF_SAMPLING_TRACKER_H
#define BACTRIAN_MEMPROF_SAMPLING_TRACKER_H

#include "memprof/sampling/sampler.h"

struct gc_root;
struct mp_tracker;
struct vm_fiber;

enum { MP_TRACKER_BATCH = 512 };

struct mp_tracker_events {
    /* vm_call_stack gives the allocation's call stack; hit->block must not be used. */
    void (*born)(void *context, uint64_t id, const struct mp_hit *hit);
    /* A fiber is suspended (vm_profiler.fiber_suspended has the arguments). hit->wosize is its
     * words, all of them trials. NULL: fibers are not followed. */
    void (*suspended)(void *context, uint64_t id, const struct mp_hit *hit,
                      const struct vm_fiber *fiber, const struct vm_fiber *inner);
    /* At most MP_TRACKER_BATCH blocks, ids ascending; old: they died in the major heap. */
    void (*promoted)(void *context, const uint64_t *ids, size_t count);
    void (*died)(void *context, const uint64_t *ids, size_t count, bool old);
    /* As in struct mp_client; may be NULL. After close the tracker is freed. */
    void (*activity)(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                     size_t words);
    void (*close)(void *context);
};

/* Starts sampling. events and context outlive the tracker, which is freed with the machine at the
 * latest. NULL: out of memory, or too many streams. GC: never. */
struct mp_tracker *mp_tracker_start(struct domain *d, double rate, uint64_t seed,
                                    const struct mp_tracker_events *events, void *context);
/* Ends sampling; tracking goes on. GC: never. */
void mp_tracker_stop(struct mp_tracker *tracker);
/* What vm_profiler.fiber_suspended and fiber_left do, for a tracker with events.suspended.
 * GC: never. */
bool mp_tracker_suspended(struct mp_tracker *tracker, const struct vm_fiber *fiber, value cont,
                          size_t words, const struct vm_fiber *inner);
void mp_tracker_left(struct mp_tracker *tracker, const struct vm_fiber *fiber);
/* Forgets every block; ids start again from 0. GC: never. */
void mp_tracker_forget(struct mp_tracker *tracker);
/* Frees the tracker, before the machine is destroyed. GC: never. */
void mp_tracker_free(struct mp_tracker *tracker);
/* In events.born: a number is kept with the block, 0 without this call, if it is below 2^23.
 * GC: never. */
void mp_tracker_note(struct mp_tracker *tracker, uint64_t note);
/* Calls f with each block that is followed: its id and its number. GC: never. */
void mp_tracker_visit(const struct mp_tracker *tracker,
                      void (*f)(void *context, value block, uint64_t id, uint32_t note),
                      void *context);
/* When a minor collection begins: calls f with each followed block that it will promote, and the
 * root that leads to it first (gc_walk_young), with few exceptions: those named there, blocks for
 * which there is no memory, and suspended fibers. GC: never. */
void mp_tracker_visit_young(const struct mp_tracker *tracker,
                            void (*f)(void *context, uint64_t id, const struct gc_root *root,
                                      bool direct),
                            void *context);
/* Gives every block a new id, in the same order, that number_of returns for its id; UINT32_MAX: it
 * is followed no longer. Ids go on from `next`. Needs: no marking whose dead blocks are not all
 * reported yet. GC: never. */
void mp_tracker_renumber(struct mp_tracker *tracker, uint64_t next,
                         uint32_t (*number_of)(void *context, uint64_t id), void *context);
/* Whether a marking has ended whose dead blocks are not all reported yet. GC: never. */
bool mp_tracker_is_examining(const struct mp_tracker *tracker);
/* Sampled blocks; blocks lost for lack of memory. */
uint64_t mp_tracker_count(const struct mp_tracker *tracker);
uint64_t mp_tracker_lost(const struct mp_tracker *tracker);

/* Starts a tracker that checks the sampler while any program runs (--memprof-stress, stress.c),
 * until the machine is destroyed: the process aborts when a block's events contradict each other.
 * False when out of memory. GC: never. */
bool mp_stress_start(struct domain *d, double rate);

#endif
