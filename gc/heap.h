/* heap.h - the two-generation heap: allocation, stores, collections.
 *
 *   one reserved address range
 *   +-------+---------------------+----------------------------------------------+
 *   | atoms | young area          | major heap: spans of 64 KB, committed as it   |
 *   |       | (bump allocated,    | grows, one size class each; page runs above  |
 *   |       |  downwards)         |                                              |
 *   +-------+---------------------+----------------------------------------------+
 *
 * struct gc_heap is the heap; struct gc_domain is what one mutator needs to allocate in it. Every
 * function takes the domain. The collector knows nothing of the machine: roots come from scanners
 * (roots.h), a profiler from hooks (hooks.h), and what must happen outside it through struct
 * gc_upcalls.
 *
 * G1  young_start <= young_ptr <= young_end, all word aligned; allocation moves young_ptr down.
 * G2  Every field of an old block that points into the young area is in the remembered set.
 * G3  When gc_minor returns, young_ptr == young_end and the remembered set is empty.
 * G4  A heap block is inside the reserved range; a word outside it is never followed. */
#ifndef BACTRIAN_GC_HEAP_H
#define BACTRIAN_GC_HEAP_H

#include "gc/roots.h"
#include "gc/value.h"

#include <stdio.h>

struct gc_heap;
struct gc_stats;
struct gc_hooks;

/* What the owner of a heap supplies. context is handed back; out_of_memory must be there. */
struct gc_upcalls {
    void *context;
    /* The heap limit or the system's memory is exhausted for a request of words. Does not return:
     * raises Out_of_memory, or ends the process with a message where no exception can be raised. */
    void (*out_of_memory)(void *context, struct gc_domain *g, size_t words);
    FILE *err; /* where gc_params.verbose speaks; NULL: standard error */
};

struct gc_params {
    size_t minor_words;                            /* size of the young area; 0: 256k, adaptive */
    size_t max_heap_words;                         /* limit: see gc_external_take; 0: none */
    size_t space_overhead;                         /* o=, percent; 0: 120 */
    size_t max_overhead;                           /* O=, 4.x: kept for Gc.get; 0: 500 */
    size_t custom_major_ratio, custom_minor_ratio; /* M=, m=; 0: 44, 100 */
    size_t custom_minor_max_bytes;                 /* n=; 0: 8192 */
    unsigned stress;                               /* --gc-stress level, 0 off: see gc/README.md */
    bool verify;    /* --gc-verify: run the heap verifier after every phase */
    size_t verbose; /* v= bit mask */
    size_t heap_increment, allocation_policy, window_size; /* i=, a=, w= of 4.x, without effect:
                                                              kept for Gc.get; 0: 15, 2, 1 */
    bool adaptive_minor; /* the young area may grow to 1M words while survival is high */
    bool complete;       /* no zero stands for a default any more */
};

/* Puts the defaults in the place of zeros, unless that was done before: what is set to zero later
 * is zero. gc_heap_create does it too. GC: never. */
void gc_params_complete(struct gc_params *params);

/* A mutator's side. The first words are the hot ones. young_limit and mutator_limit are the two
 * poll words (D8): gc_request_action sets both to UINTPTR_MAX, so that the next allocation and the
 * next call or loop iteration take their slow paths. Signal handlers and other threads may write
 * both at any time; reading an atomic word costs what reading any other does. */
struct gc_domain {
    uintptr_t young_ptr;             /* the newest block's header; G1 */
    _Atomic uintptr_t young_limit;   /* max(trigger, sample_trigger), or UINTPTR_MAX: action due */
    _Atomic uintptr_t mutator_limit; /* the owner's stack limit, or UINTPTR_MAX */
    uintptr_t young_start, young_end;
    uintptr_t range_start, range_bytes; /* the reserved range */
    uintptr_t young_trigger;            /* where the collector wants its slow path */
    uintptr_t sample_trigger;           /* young_start: no sample in this minor cycle */
    uintptr_t clock_end;                /* where young_ptr would stand at clock 0 (hooks.h) */
    uint64_t sample_at;                 /* the clock of the next sample */
    uintptr_t mutator_limit_idle;       /* what mutator_limit returns to when no action is due */
    _Atomic bool action_requested;
    bool stress;  /* every allocation takes its slow path (gc_params.stress) */
    bool marking; /* the deletion barrier is on */
    struct gc_local_roots *local_roots;
    struct gc_heap *heap;
    value *atoms;                 /* atom of tag t: gc_atom(g, t) */
    const struct gc_hooks *hooks; /* NULL: none */
};

/* Reserves the range and sets up heap and first domain. Returns NULL on success, or a static text
 * that says what the system refused. */
const char *gc_heap_create(struct gc_domain *g, const struct gc_params *params,
                           const struct gc_upcalls *up);
/* Runs the finalize functions of all custom blocks if asked to and unmaps everything. */
void gc_heap_destroy(struct gc_domain *g, bool finalize_customs);

/* How much address space ulimit -v leaves to the process; SIZE_MAX: no limit. GC: never. */
size_t gc_address_space_left(void);

/* Where a value is. GC: never. */
static inline bool gc_is_young(const struct gc_domain *g, value v) {
    return (uintptr_t)v - g->young_start < g->young_end - g->young_start;
}
static inline bool gc_in_range(const struct gc_domain *g, value v) {
    return (uintptr_t)v - g->range_start < g->range_bytes;
}
/* A block of this heap (atoms included). v: any word. */
static inline bool gc_is_heap_block(const struct gc_domain *g, value v) {
    return is_block(v) && gc_in_range(g, v);
}
static inline value gc_atom(const struct gc_domain *g, unsigned tag) {
    return (value)&g->atoms[tag + 1];
}

/* ---- Allocation. Fields are uninitialised where it says so and then must all be set, without a
 * collection in between. wosize 0 gives the atom everywhere but in gc_alloc_small. ---- */

/* Slow path of a small allocation for C code: collects if needed, draws a sample; returns the
 * block, header set, fields uninitialised. GC: may run. */
value gc_alloc_small_slow(struct gc_domain *g, size_t wosize, unsigned tag);
/* The same for bytecode: the machine has run its pending actions before; see vm/engine/slow.c. */
value gc_alloc_small_bytecode(struct gc_domain *g, size_t wosize, unsigned tag);
/* Makes room for a small block; returns what gc_bump will give if it comes next. GC: may run. */
value gc_prepare_small(struct gc_domain *g, size_t wosize);

/* A young block where its room is known to be; the sampler does not see it. GC: never. */
static inline value gc_bump(struct gc_domain *g, size_t wosize, unsigned tag) {
    g->young_ptr -= 8 * (wosize + 1);
    *(header *)g->young_ptr = make_header(wosize, tag, 0);
    return (value)(g->young_ptr + 8);
}

/* A block of 1..256 words in the young area, fields uninitialised. GC: may run. */
static inline value gc_alloc_small(struct gc_domain *g, size_t wosize, unsigned tag) {
    uintptr_t p = g->young_ptr - 8 * (wosize + 1);
    if (__builtin_expect(p < g->young_limit, 0)) return gc_alloc_small_slow(g, wosize, tag);
    return gc_bump(g, wosize, tag);
}

/* A block of any size, young if it fits; scannable fields are set to VAL_UNIT, others
 * uninitialised. Fails: out_of_memory upcall. wosize <= MAX_WOSIZE. GC: may run. */
value gc_alloc(struct gc_domain *g, size_t wosize, unsigned tag);
/* A block born in the major heap; fields uninitialised, to be set with gc_init_field. Never
 * collects (it may request a slice), so values held in C variables stay valid. GC: never. */
value gc_alloc_major(struct gc_domain *g, size_t wosize, unsigned tag);
/* As gc_alloc_major, without telling the hooks (for unmarshalling, which reports its own). GC:
 * never. */
value gc_alloc_major_unsampled(struct gc_domain *g, size_t wosize, unsigned tag);

/* A string of length bytes, padding set, contents uninitialised. GC: may run. */
value gc_alloc_string(struct gc_domain *g, size_t length);
value gc_copy_string(struct gc_domain *g, const char *text, size_t length);
value gc_copy_double(struct gc_domain *g, double x);

/* A custom block with room for bytes of data (uninitialised) behind the operations pointer; mem
 * bytes outside the heap are charged to it: mem / max of a collection cycle (gc_alloc_custom), or
 * by the custom ratios of gc_params (gc_alloc_custom_mem). GC: may run. */
value gc_alloc_custom(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                      size_t mem, size_t max);
value gc_alloc_custom_mem(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                          size_t mem);

/* Makes v, a custom block allocated in another way (unmarshalling), one whose finalize function
 * runs when it dies, and charges mem bytes to it as gc_alloc_custom_mem does. GC: never. Fails:
 * out_of_memory upcall, unless gc_custom_reserve has just made room for it. */
void gc_adopt_custom(struct gc_domain *g, value v, size_t mem);
/* Makes room in the tables for one custom block. False when memory is exhausted. GC: never. */
bool gc_custom_reserve(struct gc_domain *g);

/* Charges mem bytes outside the heap to the major cycle, for no block in particular: mem / max of a
 * cycle; max 0: by the custom ratios. GC: never. */
void gc_charge(struct gc_domain *g, size_t mem, size_t max);

/* Memory outside the heap that the program holds: but for the first megabyte max_heap_words limits
 * the heap and it together. Takes bytes of it, if need be after a full cycle. False: there is no
 * room, nothing was taken. GC: may run. */
bool gc_external_take(struct gc_domain *g, size_t bytes);
/* The same without a cycle. GC: never. */
bool gc_external_try(struct gc_heap *heap, size_t bytes);
/* The same where a refusal would lose something: up to an eighth beyond the limit, for which the
 * heap answers at the next minor collection, with a full cycle, and Out_of_memory if that doesn't
 * help. GC: never. */
bool gc_external_owe(struct gc_heap *heap, size_t bytes);
/* Gives back what was taken; custom blocks may, when they are finalised. NULL: the heap is gone.
 * GC: never. */
void gc_external_give(struct gc_heap *heap, size_t bytes);

/* Calls out_of_memory for a request of words. Needs: no bulk (bulk.h) under way. */
void gc_out_of_memory(struct gc_domain *g, size_t words);

/* ---- Stores. GC: never, for all of them. ---- */

/* Stores v in *slot of an old block with both barriers: what gc_store does when it must. */
void gc_store_slow(struct gc_domain *g, value *slot, value v);

/* Stores v in field i of block b, which was initialised before.
 * Needs: b scannable, i < wosize(b).  Keeps: G2, and M1 (darkens the old content while marking). */
static inline void gc_store(struct gc_domain *g, value b, size_t i, value v) {
    value *slot = &field(b, i);
    if (gc_is_young(g, b) || (is_int(v) && is_int(*slot))) *slot = v;
    else gc_store_slow(g, slot, v);
}
/* First store into field i of a block fresh from gc_alloc_major or gc_alloc. Keeps: G2. */
void gc_init_field(struct gc_domain *g, value b, size_t i, value v);
/* Copies n fields with the barrier, overlap allowed (memmove). Both blocks scannable. */
void gc_blit_fields(struct gc_domain *g, value from, size_t from_i, value to, size_t to_i,
                    size_t n);

/* Shortens block v to wosize fields (Obj.truncate): 1 <= wosize <= wosize_of(v). */
void gc_truncate(struct gc_domain *g, value v, size_t wosize);

/* ---- Collections. GC: may run, for all of them. Finalisers become due; they run at the machine's
 * next gc_run_finalisers. ---- */
void gc_minor(struct gc_domain *g);
/* One paced slice; howmuch 0: as much as pacing says, else words of work. Returns the work done. */
intptr_t gc_major_slice(struct gc_domain *g, intptr_t howmuch);
void gc_finish_major_cycle(
    struct gc_domain *g); /* Gc.major: minor, then the current cycle to its end */
void gc_full_major_cycle(struct gc_domain *g); /* one whole cycle; Gc.full_major runs it until no
                                         finaliser becomes due, with the machine in between */
void gc_compact(struct gc_domain *g); /* a full cycle, then free memory back to the system */
/* Whatever is due now: minor collection and slice as requested. Called by the machine at polls. */
void gc_do_due_work(struct gc_domain *g);

/* ---- Polling. ---- */
/* Makes the next poll and the next allocation of g take their slow path. Async-signal-safe. */
static inline void gc_request_action(struct gc_domain *g) {
    g->action_requested = true;
    g->young_limit = UINTPTR_MAX;
    g->mutator_limit = UINTPTR_MAX;
}
/* Takes the request back before the machine looks at what is due (so that nothing is missed). */
void gc_clear_action(struct gc_domain *g);
/* Recomputes both limits; called after any trigger changed. */
void gc_update_limits(struct gc_domain *g);

/* Installs new parameters as Gc.set does (minor_words takes effect with a minor collection). GC:
 * may run. */
void gc_set_params(struct gc_domain *g, const struct gc_params *params);
const struct gc_params *gc_get_params(const struct gc_domain *g);
/* Where young areas lie, however large the present one is: what is there is young. GC: never. */
void gc_young_range(const struct gc_domain *g, uintptr_t *start, uintptr_t *end);

/* Calls f for every block of the heap (after a minor collection; v: block start, never an infix).
 * f must not allocate. GC: may run, before the walk. */
void gc_walk(struct gc_domain *g, void (*f)(void *context, value v), void *context);

/* Whether a check that reads so many words should be made now: always, but for the levels of
 * --gc-stress that act at every step of the program. There each step earns the account some words,
 * many while the program is short, and the check is due when its words have been earned. Zeros are
 * a new account. GC: never. */
struct gc_check_account {
    uint64_t spent;
};
bool gc_check_due(struct gc_domain *g, struct gc_check_account *account, size_t words);

/* Checks every invariant; on a violation prints what and where, then aborts. when: names the phase
 * in the message. GC: never. */
void gc_verify(struct gc_domain *g, const char *when);

#endif
