/* profile.h - profiles: the implementation of Gc.Memprof.
 *
 * A profile is a stream of the sampler with a table of tracked blocks and the five callbacks of an
 * OCaml tracker. The callback of a block that bytecode allocates runs immediately, before the block
 * exists (the block is promised); all others wait in the table for the machine's next safe point.
 *
 * The profiles of Gc.Memprof.start share one lane: in OCaml a thread that runs a callback samples
 * nothing and starts no other callback. A profile of start_another has a lane of its own, and sees
 * the callbacks of the others as part of the program.
 *
 * MP1  While a callback of a lane runs, its streams sample nothing and none of its callbacks
 *      starts.
 * MP2  Of one block at most three callbacks run, each once: allocation, promotion, deallocation, in
 *      this order.
 * MP3  When a callback returns None or raises, no further callback runs for its block.
 * MP4  What the profiler itself allocates in the heap (call stacks, records) is not sampled by any
 *      stream.
 * MP5  In a batch, allocations are reported in program order, promotions and deaths in the order in
 *      which the blocks' allocations were reported; style 4 reports allocations first, style 5 the
 *      others. */
#ifndef BACTRIAN_MEMPROF_PROGRAM_PROFILE_H
#define BACTRIAN_MEMPROF_PROGRAM_PROFILE_H

#include "memprof/sampling/sampler.h"
#include "memprof/sampling/tracked_blocks.h"

/* The version of OCaml whose semantics stop() has. */
enum mp_style {
    MP_STYLE_4, /* 4.13, 4.14: stop forgets everything */
    MP_STYLE_5, /* 5.3: after stop, tracking continues until discard */
};
enum mp_status { MP_SAMPLING, MP_STOPPED, MP_DISCARDED }; /* as OCaml numbers them */

/* The field of a profile's value that has its status. */
enum { MP_HANDLE_STATUS = 0 };

struct mp_profile {
    struct mp_profile *next;
    struct mp_program *program;
    struct mp_stream stream;
    struct mp_lane own_lane; /* of start_another; stream.lane points to it or to the program's */
    struct mp_tracked_blocks blocks;
    enum mp_style style;
    enum mp_status status;
    uint64_t id;   /* unique in this machine, never reused */
    value tracker; /* the block of five callbacks, a registered root; unit when over */
    uint64_t callstack_size;
    value callstack;            /* the last promised block's, until the next minor collection */
    uint64_t callstack_version; /* vm/stack/callstack.h; 0: there is none */
    unsigned running;           /* its functions that are active: it can't be freed */
    uint32_t thread;            /* the number of the one that suspended own_lane last */
    unsigned epoch;             /* changes when everything is forgotten */
    value handle;               /* its value in the program, a registered root; unit: none */
};

/* The profiles of a machine. */
struct mp_program {
    struct domain *d;
    struct mp_sampler *sampler;
    struct mp_lane lane;                   /* of the profiles that start makes */
    uint32_t thread;                       /* the number of the running one; 0: the first */
    struct mp_profile *profiles;           /* the newest first */
    const struct vm_domain_record *domain; /* the running one */
    uint64_t last_id;
    bool callbacks_postponed; /* some were pending while their lane was suspended */
    bool silenced;            /* the program is over: no more callbacks run */
};

/* The profiles of the domain's machine, created at the first use. Fails: raises Out_of_memory. GC:
 * never. */
struct mp_program *mp_program_of(struct domain *d);
/* The profile that samples the running domain, to which stop refers; NULL: there is none. GC:
 * never. */
struct mp_profile *mp_profile_current(struct mp_program *program);
/* The profile with that value, NULL if it was freed. GC: never. */
struct mp_profile *mp_profile_of_handle(struct mp_program *program, value handle);

/* Starts a profile, in the common lane, where it samples the running domain and those that it
 * spawns, or in its own, where it samples all. tracker: a block of five closures.
 * Needs: mp_sampler_has_room. Fails: raises Out_of_memory. GC: never. */
struct mp_profile *mp_profile_start(struct mp_program *program, enum mp_style style, bool own_lane,
                                    double rate, uint64_t callstack_size, value tracker);
/* Stops sampling: VAL_TRUE. Style 4: forgets everything and frees the profile. Style 5: first runs
 * the pending allocation callbacks; an exception of one of them is returned as exn_result, and the
 * profile continues sampling. VAL_FALSE: one of them stopped it already. GC: may run (style 5). */
value mp_profile_stop(struct mp_profile *profile);
/* Ends a stopped profile of style 5: no more callbacks run. GC: never. */
void mp_profile_discard(struct mp_profile *profile);
/* Its value in the program, a block whose field MP_HANDLE_STATUS will follow its status. GC:
 * never. */
void mp_profile_set_handle(struct mp_profile *profile, value handle);

/* Gc.Memprof's primitives: of 4.13 and 4.14, of 5.0 to 5.2, where it doesn't work, and of 5.3, also
 * for module Bactrian.Memprof. */
value mp_prim_start_4(struct domain *d, value rate, value callstack_size, value tracker);
value mp_prim_stop_4(struct domain *d, value unit);
value mp_prim_refuse_start(struct domain *d, value rate, value callstack_size, value tracker);
value mp_prim_refuse_stop(struct domain *d, value unit);
value mp_prim_refuse_discard(struct domain *d, value profile);
value mp_prim_start(struct domain *d, value rate, value callstack_size, value tracker);
value mp_prim_start_another(struct domain *d, value rate, value callstack_size, value tracker);
value mp_prim_stop(struct domain *d, value unit);
value mp_prim_stop_another(struct domain *d, value handle);
value mp_prim_discard(struct domain *d, value handle);
value mp_prim_is_sampling(struct domain *d, value unit);

#endif
