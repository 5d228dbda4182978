/* profile.h - profiles: what a program's tracker is told (Gc.Memprof).
 *
 * A profile is a stream of the sampler with a table of entries and the five callbacks of an OCaml
 * tracker. Callbacks of blocks that bytecode allocates run at once, before the block exists; all
 * others wait in the table for the machine's next safe point.
 *
 * The profiles that Gc.Memprof.start makes share one lane: in OCaml a thread that runs a callback
 * samples nothing and starts no other. A profile of start_another has a lane of its own, and sees
 * the callbacks of the others as it sees the rest of the program.
 *
 * MP1  While a callback of a lane runs, its streams sample nothing and none of its callbacks
 *      starts.
 * MP2  Of one block at most three callbacks run, each once: allocation, promotion, deallocation, in
 *      this order.
 * MP3  When a callback returns None or raises, nothing more is told of its block.
 * MP4  What the engine allocates in the heap for itself (call stacks, records) is sampled by no
 *      stream.
 * MP5  In a batch, allocations are told in program order, later events by the order in which their
 *      blocks' allocations were told; style 4 tells allocations first, style 5 later events. */
#ifndef BACTRIAN_MEMPROF_PROGRAM_PROFILE_H
#define BACTRIAN_MEMPROF_PROGRAM_PROFILE_H

#include "memprof/sampling/sampler.h"
#include "memprof/sampling/tracked_blocks.h"

/* Which OCaml's semantics stop() has. */
enum mp_style {
    MP_STYLE_4, /* 4.13, 4.14: stop forgets everything */
    MP_STYLE_5, /* 5.3: after stop the tracking goes on, until discard */
};
enum mp_status { MP_SAMPLING, MP_STOPPED, MP_DISCARDED };

struct mp_engine;
struct mp_recorder;
struct mp_counts;

struct mp_profile {
    struct mp_profile *next;
    struct mp_engine *engine;
    struct mp_stream stream;
    struct mp_lane own_lane; /* of start_another; stream.lane points at it or at the engine's */
    struct mp_tracked_blocks entries;
    enum mp_style style;
    enum mp_status status;
    uint64_t id;   /* unlike any other profile's of this machine, ever */
    value tracker; /* the block of five callbacks, a registered root; unit when over */
    uint64_t callstack_size;
    value callstack;            /* the last promised block's, until the next minor collection */
    uint64_t callstack_version; /* vm/stack/callstack.h; 0: there is none */
    unsigned running;           /* its functions that are running: it can't be freed */
    unsigned generation;        /* changes when everything is forgotten */
    bool handle_dead;           /* the program has no value of it any more */
};

struct mp_engine {
    struct domain *d;
    struct mp_sampler *sampler;
    struct mp_lane lane;         /* of the profiles that start makes */
    uint32_t thread;             /* the number of the running one; 0: the first */
    struct mp_profile *profiles; /* the newest first */
    struct mp_profile *current;  /* the one that Gc.Memprof.start and stop speak of */
    uint64_t last_id;
    struct mp_recorder *recorder; /* memprof/recorder/recorder.h; NULL: none */
    struct mp_counts *units;      /* memprof/counts/counts.h; NULL: none */
    struct mp_stress *stress;     /* memprof/sampling/stress.h; NULL: none */
    bool held_back;               /* something was due when its lane was not free */
    bool silenced;                /* the program is over: no callback runs any more */
};

/* The engine of a machine, made at the first use. Fails: raises Out_of_memory. */
struct mp_engine *mp_engine_of(struct domain *d);
/* The profile of that id, NULL if it is gone. */
struct mp_profile *mp_profile_find(struct mp_engine *engine, uint64_t id);

/* Starts a profile, in the common lane or its own. tracker: a block of five closures.
 * Needs: mp_sampler_has_room. Fails: raises Out_of_memory. GC: never. */
struct mp_profile *mp_profile_start(struct mp_engine *engine, enum mp_style style, bool own_lane,
                                    double rate, uint64_t callstack_size, value tracker);
/* Stops sampling: VAL_TRUE. Style 4: forgets everything, the profile is gone. Style 5: first runs
 * the callbacks of allocations that are due; an exception of one of them is returned as exn_result,
 * and the profile samples on. VAL_FALSE: one of them stopped it already. GC: may run (style 5). */
value mp_profile_stop(struct mp_profile *profile);
/* Ends a stopped profile of style 5: no callback any more. GC: never. */
void mp_profile_discard(struct mp_profile *profile);
/* Tells that the program's value for the profile was reclaimed. Safe during a collection. */
void mp_profile_handle_died(struct mp_profile *profile);

/* memprof/program/threads.c; as in struct vm_profiler. */
uintptr_t mp_switch_thread(void *engine, intptr_t number, uintptr_t word);
void mp_thread_ended(void *engine, intptr_t number);

/* Runs the callbacks that are due, of all profiles. Returns VAL_UNIT or the first exception as
 * exn_result (the rest stays due). GC: may run, and any OCaml code. */
value mp_run_callbacks_exn(void *engine, struct domain *d);

#endif
