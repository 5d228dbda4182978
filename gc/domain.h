/* domain.h - what one domain owns: its minor heap, what minor collections keep for it, finalisers.
 *
 *   young_start        young_ptr              young_end
 *     |     free          |  blocks, newest first  |
 *     +-------------------+------------------------+     allocation moves young_ptr down
 *
 * What domains share is in struct gc_heap (heap_internal.h). Functions take the caller's domain.
 *
 * G1  young_start <= young_ptr <= young_end, all word aligned.
 * G2  Every field of a major block that points into the minor heap is in the remembered set.
 * G3  When gc_minor returns, young_ptr == young_end and the remembered set is empty. */
#ifndef BACTRIAN_GC_DOMAIN_H
#define BACTRIAN_GC_DOMAIN_H

#include "gc/containers.h"
#include "gc/value.h"

struct gc_heap;
struct gc_hooks;
struct gc_local_roots;
struct gc_observer;
struct gc_weak_words;
struct gc_pauses;

/* A vector of words. */
struct gc_words VECTOR(uintptr_t);

/* Why the collector stops the program. */
enum gc_cause {
    GC_FOR_ALLOCATION, /* the minor heap is full */
    GC_FOR_PACE,       /* a slice, for what was allocated in the major heap */
    GC_FOR_EXTERNAL,   /* memory outside the heap */
    GC_FOR_PROGRAM,    /* the program requests it: Gc, C stubs */
    GC_FOR_LIMIT,      /* the limit of memory */
    GC_FOR_MACHINE,    /* tables of the collector, primitives, --gc-stress */
};

/* What minor collection keeps for a domain. The fields below `customs` belong to minor.c, heap.c
 * and pace.c, each table to the file that is named. A `lost` flag says that memory for an entry
 * was refused, so that the next minor collection rebuilds the table by a search. */
struct gc_minor {
    struct gc_words remembered; /* remset.c: addresses of major fields with young blocks; G2 */
    bool remembered_lost;
    struct gc_words roots; /* roots.c: registered slots that may hold young blocks; may repeat */
    bool roots_lost;
    struct gc_words weak_slots; /* weak.c: pairs (ephemeron, slot number); W4 */
    size_t weak_work;           /* words read by gc_weak_minor_mark in this collection */
    struct gc_words customs;    /* custom.c: (block, mem, max, taken) */
    double custom_ratio;        /* sum of mem / max since the last collection; 1 requests one */
    bool collecting;            /* no exception may leave; the heap limit is not enforced */
    bool requested;             /* gc_collect_requested runs a minor collection */
    enum gc_cause requested_for;
    bool short_of_memory;      /* P5 did not hold for the wanted size */
    value unscanned;           /* promoted blocks whose copies are still to be scanned */
    size_t promoted_words;     /* by the current or last collection, headers included */
    size_t wanted_words;       /* size from the next collection on, within the heap limit */
    uintptr_t committed_bytes; /* usable memory from young_start on */
    unsigned long_survivals;   /* collections in a row that justify a larger minor heap */
};

struct gc_finaliser {
    value function, argument; /* argument of finalise_last: never a root, unit once it is ready */
    intptr_t offset;          /* bytes from the block to the infix pointer that was registered */
    intptr_t owner;           /* weak.h */
};
struct gc_finalisers {
    struct gc_finaliser *items;
    size_t count, capacity;
    size_t old; /* items[0 .. old-1] refer to no young block; F3 */
};
struct gc_final { /* final.c */
    struct gc_finalisers first, last;
    struct gc_finalisers ready; /* a queue */
    size_t ready_seen;          /* items before it are taken, or of other owners */
    size_t ready_taken;         /* how many are taken */
    intptr_t owner;             /* the current one */
    bool orphans; /* `ready` has items of owners that ended since the last collection */
};

/* The hot words come first. young_limit and mutator_limit are the two poll words: gc_request_action
 * sets both to UINTPTR_MAX, so that the next allocation and the next call or loop iteration take
 * their slow paths. Signal handlers and other threads may write both at any time; reading an atomic
 * word costs no more than reading any other. */
struct gc_domain {
    uintptr_t young_ptr;             /* the newest block's header; G1 */
    _Atomic uintptr_t young_limit;   /* max(young_trigger, sample_trigger), or UINTPTR_MAX */
    _Atomic uintptr_t mutator_limit; /* the owner's stack limit, or UINTPTR_MAX */
    uintptr_t young_start, young_end;
    uintptr_t range_start, range_bytes; /* the heap's reserved range */
    uintptr_t young_trigger;            /* where allocation takes the slow path for the collector */
    uintptr_t sample_trigger;           /* young_start: no sample before the next collection */
    uintptr_t clock_end;                /* the young_ptr of clock 0 (hooks.h) */
    uint64_t sample_at;                 /* the clock of the next sample */
    uintptr_t mutator_limit_idle;       /* of mutator_limit when no action is pending */
    _Atomic bool action_requested;
    bool stress;  /* every allocation takes its slow path (gc_params.stress) */
    bool marking; /* the deletion barrier is on */
    struct gc_local_roots *local_roots;
    struct gc_heap *heap;
    value *atoms;                 /* the atom of tag t is gc_atom(g, t) */
    const struct gc_hooks *hooks; /* NULL: none */
    struct gc_observer *observers;

    /* The collector's own. */
    struct gc_minor minor;
    struct gc_final final;
    struct gc_weak_words *weak_words; /* NULL: none; weak.h */
    bool slice_requested;             /* gc_collect_requested runs a slice */
    enum gc_cause slice_requested_for;
    enum gc_cause cause;      /* of the pause that runs, or of the last one */
    struct gc_pauses *pauses; /* NULL: not measured */
};

#endif
