/* profile.h - profiles: what a program's tracker is told (Gc.Memprof).
 *
 * A profile is a stream of the sampler with a table of entries and the five callbacks of an OCaml tracker.
 * Callbacks of blocks that bytecode allocates run at once, before the block exists; all others wait in the
 * entries' queue for the machine's next safe point.
 *
 * MP1  While a callback of a profile runs, the profile is suspended: it samples nothing, and none of its
 *      callbacks starts.
 * MP2  Callbacks of one profile run in the order of what they tell; of one block: allocation, promotion,
 *      deallocation, each at most once.
 * MP3  When a callback returns None or raises, nothing more is told of its block.
 * MP4  What the engine allocates in the heap for itself (call stacks, records) is sampled by no stream. */
#ifndef BACTRIAN_MEMPROF_PROFILE_H
#define BACTRIAN_MEMPROF_PROFILE_H

#include "memprof/entries.h"
#include "memprof/sampler.h"
#include "vm/vm.h"

/* Which OCaml's semantics stop() has. */
enum mp_style {
    MP_STYLE_4,     /* 4.13, 4.14: stop forgets everything */
    MP_STYLE_5,     /* 5.3: after stop the tracking goes on, until discard */
};
enum mp_status { MP_SAMPLING, MP_STOPPED, MP_DISCARDED };

struct mp_engine;

struct mp_profile {
    struct mp_profile *next;
    struct mp_engine *engine;
    struct mp_stream stream;
    struct mp_entries entries;
    enum mp_style style;
    enum mp_status status;
    value tracker;              /* the block of five callbacks; a registered root */
    uint64_t callstack_size;
    unsigned running;           /* callbacks that are running (MP1: nested only through other profiles) */
    unsigned generation;        /* changes when everything is forgotten */
    bool handle_dead;           /* the program has no value of it any more */
};

struct mp_engine {
    struct domain *d;
    struct mp_sampler *sampler;
    struct mp_profile *profiles;     /* in the order of their starts */
    struct mp_profile *current;      /* the one that Gc.Memprof.start and stop speak of */
    uint64_t next_seed;
};

/* The engine of a machine, made at the first use. Fails: raises Out_of_memory. */
struct mp_engine *mp_engine_of(struct domain *d);

/* Starts a profile. tracker: a block of five closures. Fails: raises Out_of_memory. GC: never. */
struct mp_profile *mp_profile_start(struct mp_engine *engine, enum mp_style style, double rate,
                                    uint64_t callstack_size, value tracker);
/* Stops sampling. Style 4: forgets everything, the profile is gone. Style 5: first runs the callbacks of
 * allocations that are due; on an exception of one of them the profile samples on and the exception is
 * returned as exn_result. GC: may run (style 5). */
value mp_profile_stop(struct mp_profile *profile);
/* Ends a stopped profile of style 5: no callback any more. GC: never. */
void mp_profile_discard(struct mp_profile *profile);
/* Tells that the program's value for the profile was reclaimed. Safe during a collection. */
void mp_profile_handle_died(struct mp_profile *profile);

/* Runs the callbacks that are due, of all profiles. Returns VAL_UNIT or the first exception as exn_result
 * (the rest stays due). GC: may run, and any OCaml code. */
value mp_run_callbacks_exn(void *engine, struct domain *d);

#endif
