/* heap.h - the two-generation heap: allocation, stores, collections.
 *
 *   one reserved address range
 *   +-------+---------------------+-----------------------------------------------+
 *   | atoms | minor heaps         | major heap: spans of 64 KB, committed as it   |
 *   |       | (bump allocated,    | grows, one size class each; large blocks in   |
 *   |       |  downwards)         | regions of several spans                      |
 *   +-------+---------------------+-----------------------------------------------+
 *
 * Roots come from scanners (roots.h), a profiler from hooks (hooks.h), and the services of the
 * embedding program from struct gc_upcalls.
 *
 * G4  A heap block is inside the reserved range; a word outside it is never followed. */
#ifndef BACTRIAN_GC_HEAP_H
#define BACTRIAN_GC_HEAP_H

#include "gc/containers.h"
#include "gc/domain.h"
#include "gc/roots.h"
#include "gc/value.h"

#include <stdio.h>

struct gc_stats;

/* What the owner of a heap supplies. context is passed to the functions; out_of_memory is
 * required. */
struct gc_upcalls {
    void *context;
    /* The heap limit or the system's memory is exhausted for a request of words. Does not return:
     * raises Out_of_memory, or ends the process with a message where no exception can be raised. */
    void (*out_of_memory)(void *context, struct gc_domain *g, size_t words);
    FILE *err; /* where gc_params.verbose prints; NULL: standard error */
};

struct gc_params {
    size_t minor_words;                            /* size of the minor heap; 0: 256k, adaptive */
    size_t min_minor_words;                        /* the least of that; 0: 4096 */
    size_t max_minor_words;                        /* the most of that; 0: 256M */
    size_t max_heap_words;                         /* limit: see gc_external_charge; 0: none */
    size_t space_overhead;                         /* o=, percent; 0: 120 */
    size_t max_overhead;                           /* O=, 4.x: kept for Gc.get; 0: 500 */
    size_t custom_major_ratio, custom_minor_ratio; /* M=, m=; 0: 44, 100 */
    size_t custom_minor_max_bytes;                 /* n=; 0: 8192 */
    unsigned stress;                               /* --gc-stress level, 0 off: gc/README.md */
    bool verify;                                   /* --gc-verify: verify the heap each phase */
    size_t verbose;                                /* v= bit mask */
    bool silent;                                   /* v= prints nothing about collections */
    /* i=, a=, w= of 4.x, without effect: kept for Gc.get; 0: 15, 2, 1. */
    size_t heap_increment, allocation_policy, window_size;
    bool counts_empty_minors;     /* a minor collection counts even if nothing is young */
    bool starts_in_a_cycle;       /* the first one, which finds no garbage: gc_next_major_cycle */
    bool minor_keeps_keys;        /* minor collections keep all keys of ephemerons alive */
    bool minor_keeps_data;        /* and all data, whatever becomes of the keys */
    bool large_customs_are_major; /* those of more than custom_minor_max_bytes */
    bool adaptive_minor;          /* the minor heap is small in short runs, and may grow to 1M words
                                     while survival is high */
    bool complete;                /* defaults have replaced zeros */
};

/* Replaces zeros by defaults, unless that was done before: a parameter that is set to zero later
 * stays zero. gc_heap_create calls it too. GC: never. */
void gc_params_complete(struct gc_params *params);

/* Reserves the range and sets up the heap and its first domain. Returns NULL on success, or a
 * static string with what the operating system refused. GC: never. */
const char *gc_heap_create(struct gc_domain *g, const struct gc_params *params,
                           const struct gc_upcalls *up);
/* Runs the finalize functions of all custom blocks if finalize_customs, and unmaps everything. GC:
 * never. */
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

/* ---- Allocation. Uninitialised fields must all be set before the next collection. wosize 0 gives
 * the atom, except in gc_alloc_small. ---- */

/* Slow path of a small allocation in C code: collects if needed, draws a sample; returns the block,
 * header set, fields uninitialised. GC: may run. */
value gc_alloc_small_slow(struct gc_domain *g, size_t wosize, unsigned tag);
/* The same for bytecode, after the machine has run its pending actions; see vm/engine/slow.c. */
value gc_alloc_small_bytecode(struct gc_domain *g, size_t wosize, unsigned tag);
/* Makes room for a small block; returns the block that gc_bump will return if it is called next.
 * GC: may run. */
value gc_prepare_small(struct gc_domain *g, size_t wosize);

/* A block in the minor heap, which must have room for it; not sampled. GC: never. */
static inline value gc_bump(struct gc_domain *g, size_t wosize, unsigned tag) {
    ASSERT(wosize >= 1 && g->young_ptr - g->young_start >= 8 * (wosize + 1)); /* V1, G1 */
    g->young_ptr -= 8 * (wosize + 1);
    *(header *)g->young_ptr = make_header(wosize, tag, 0);
    return (value)(g->young_ptr + 8);
}

/* A block of 1..256 words in the minor heap, fields uninitialised. GC: may run. */
static inline value gc_alloc_small(struct gc_domain *g, size_t wosize, unsigned tag) {
    uintptr_t p = g->young_ptr - 8 * (wosize + 1);
    if (__builtin_expect(p < g->young_limit, 0)) return gc_alloc_small_slow(g, wosize, tag);
    return gc_bump(g, wosize, tag);
}

/* A block of any size, in the minor heap if it is small; scannable fields are set to VAL_UNIT,
 * others uninitialised. Fails: out_of_memory upcall. wosize <= MAX_WOSIZE. GC: may run. */
value gc_alloc(struct gc_domain *g, size_t wosize, unsigned tag);
/* A block in the major heap; fields uninitialised, to be set with gc_init_field. May request a
 * slice. Fails: out_of_memory upcall. GC: never. */
value gc_alloc_major(struct gc_domain *g, size_t wosize, unsigned tag);
/* As gc_alloc_major, without calling the hooks (unmarshalling reports its own). GC: never. */
value gc_alloc_major_unsampled(struct gc_domain *g, size_t wosize, unsigned tag);

/* A string of length bytes, padding set, contents uninitialised. GC: may run. */
value gc_alloc_string(struct gc_domain *g, size_t length);
value gc_copy_string(struct gc_domain *g, const char *text, size_t length);
value gc_copy_double(struct gc_domain *g, double x);

/* A custom block with bytes of uninitialised data after the operations pointer. mem bytes outside
 * the heap are charged to it: mem / max of a collection cycle (gc_alloc_custom), or by the custom
 * ratios of gc_params (gc_alloc_custom_mem). GC: may run. */
value gc_alloc_custom(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                      size_t mem, size_t max);
value gc_alloc_custom_mem(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                          size_t mem);
/* The max of a cycle by these ratios. GC: never. */
size_t gc_custom_major_max(const struct gc_heap *heap);

/* As gc_alloc_custom_mem, for a further block that refers to mem bytes charged to another one: the
 * recorder does not count them again. */
value gc_alloc_custom_again(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                            size_t mem);

/* As gc_alloc_custom_mem, for a block that owns mem bytes which nothing else counts: they count
 * towards max_heap_words (gc_external_charge) until the block dies. Fails: out_of_memory upcall. */
value gc_alloc_custom_owning(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                             size_t mem);

/* Registers v, a custom block allocated otherwise (unmarshalling), so that its finalize function
 * runs when it dies, and charges mem bytes to it as gc_alloc_custom_mem does. GC: never. Fails:
 * out_of_memory upcall, unless gc_custom_reserve has just made room for it. */
void gc_adopt_custom(struct gc_domain *g, value v, size_t mem);
/* Makes room in the tables for one custom block. False when memory is exhausted. GC: never. */
bool gc_custom_reserve(struct gc_domain *g);

/* Charges mem bytes outside the heap to the major cycle, for no block in particular: mem / max of a
 * cycle; max 0: by the custom ratios. GC: never. */
void gc_charge(struct gc_domain *g, size_t mem, size_t max);

/* Memory outside the heap that the program holds: max_heap_words limits the heap together with this
 * memory, except its first megabyte. Takes `bytes` of the limit, after a full cycle if they would
 * exceed it. False: they still do. GC: may run. */
bool gc_external_charge(struct gc_domain *g, size_t bytes);
/* The same without a cycle. GC: never. */
bool gc_external_try_charge(struct gc_heap *heap, size_t bytes);
/* The same where a refusal would lose data: may exceed the limit by an eighth. Then the next minor
 * collection is followed by a full cycle, and by Out_of_memory if that does not help. GC: never. */
bool gc_external_owe(struct gc_heap *heap, size_t bytes);
/* realloc of memory that is charged like this: `bytes` instead of old_bytes. NULL: refused, nothing
 * has changed. GC: may run. */
void *gc_external_realloc(struct gc_domain *g, void *memory, size_t old_bytes, size_t bytes);
/* Uncharges bytes; finalize functions may call it. heap may be NULL. GC: never. */
void gc_external_uncharge(struct gc_heap *heap, size_t bytes);

/* In a finalize function: the memory charged to v, which dies, stays in use until
 * gc_external_released is called with the same key. For the profiler; key is not dereferenced. GC:
 * never. */
void gc_external_outlives(struct gc_heap *heap, value v, const void *key);
void gc_external_released(struct gc_heap *heap, const void *key);

/* Which account a table of containers.h is charged to. */
enum gc_account {
    GC_ACCOUNT_COLLECTOR, /* the collector's: it works without, more slowly */
    GC_ACCOUNT_PROGRAM,   /* the program's: gc_external_try_charge */
    GC_ACCOUNT_OWED,      /* the program's too, where a refusal loses something: gc_external_owe */
    GC_ACCOUNT_NONE       /* none: something else was charged for it */
};
struct gc_memory {
    struct vector_memory base;
    struct gc_heap *heap;
    enum gc_account account;
    size_t weight; /* bytes charged per byte: above 1 if an entry uses memory elsewhere too */
};
/* vector_memory.resize of a gc_memory. GC: never. */
void *gc_resize(const struct vector_memory *memory, void *items, size_t old_bytes, size_t bytes);
/* vector_memory.large_bytes of a gc_memory. GC: never. */
size_t gc_large_bytes(const struct gc_heap *heap, size_t weight);
/* The memory argument of containers.h. */
#define GC_MEMORY(heap, account, weight)                                                         \
    (&(const struct gc_memory){{gc_resize, gc_large_bytes(heap, weight)}, heap, account, weight} \
          .base)

/* Calls out_of_memory for a request of words. Needs: no bulk allocation (bulk.h) in progress. */
void gc_out_of_memory(struct gc_domain *g, size_t words);

/* ---- Stores. GC: never, for all of them. ---- */

/* Stores v in *slot of a block with both barriers: the slow path of gc_store. */
void gc_store_slow(struct gc_domain *g, value *slot, value v);

/* Stores v in field i of block b, which was initialised before. Needs: b scannable, i < wosize(b).
 * Keeps: G2, and M1 (darkens the old content while marking). */
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

/* ---- Collections. GC: may run, for all of them. Finalisers that become ready run when the machine
 * next polls. ---- */

/* A minor collection, for that cause; gc_minor: GC_FOR_PROGRAM, as the cycles and slices below. */
void gc_minor_for(struct gc_domain *g, enum gc_cause cause);
void gc_minor(struct gc_domain *g);
/* One slice; howmuch: words of work, or 0 for as much as the pacing requires. If words of work end
 * the cycle, the next one starts. Returns the work done. */
intptr_t gc_major_slice(struct gc_domain *g, intptr_t howmuch);
/* A minor collection, then the rest of the current cycle, or a whole one if none runs. */
void gc_finish_major_cycle(struct gc_domain *g);
/* A minor collection, the rest of a marking that runs, and a complete marking. Sweeping is left to
 * slices. The cycle does not count as requested by the program. */
void gc_mark_everything(struct gc_domain *g);
/* The rest of the current cycle, and a whole one. */
void gc_full_major_cycle(struct gc_domain *g);
/* Finishes the cycle that runs, or a whole one, and starts the next one, whose roots are marked
 * when it returns: what only finalisers that are ready hold survives that one. With
 * starts_in_a_cycle all values survive the first cycle. There is a minor collection at the cycle's
 * end, too. GC: runs. */
void gc_next_major_cycle(struct gc_domain *g);
/* If no cycle has started yet: starts one, as a minor collection of 4.x does; with
 * starts_in_a_cycle that is the second. Returns false later. GC: runs. */
bool gc_start_first_major_cycle(struct gc_domain *g);
/* Counts a full cycle that the program has requested; compacts: the heap becomes smaller. */
void gc_count_requested_cycles(struct gc_domain *g, bool compacts);
/* After such a cycle: returns free memory to the operating system. */
void gc_end_requested_cycles(struct gc_domain *g, bool compacts);
/* A full cycle; then returns free memory to the operating system. */
void gc_compact(struct gc_domain *g);
/* Request a minor collection, or one with a slice. GC: never. */
void gc_request_minor(struct gc_domain *g, enum gc_cause cause);
void gc_request_slice(struct gc_domain *g, enum gc_cause cause);
/* The minor collection and the slice that were requested. The machine calls it at polls. */
void gc_collect_requested(struct gc_domain *g);

/* ---- Polling. ---- */

/* Makes the next poll and the next allocation of g take their slow path. Async-signal-safe. */
static inline void gc_request_action(struct gc_domain *g) {
    g->action_requested = true;
    g->young_limit = UINTPTR_MAX;
    g->mutator_limit = UINTPTR_MAX;
}
/* Withdraws the request. The machine calls it before it looks for pending actions, so that none is
 * missed. */
void gc_clear_action(struct gc_domain *g);
/* From now on all polls take their slow path. GC: never. */
void gc_poll_always(struct gc_domain *g);
/* Recomputes both limits, after a trigger has changed. */
void gc_update_limits(struct gc_domain *g);

/* Installs new parameters as Gc.set does (minor_words takes effect with a minor collection). GC:
 * may run. */
void gc_set_params(struct gc_domain *g, const struct gc_params *params);
const struct gc_params *gc_get_params(const struct gc_domain *g);
/* The addresses reserved for minor heaps, whatever their sizes: blocks there are young. GC: never.
 * */
void gc_minor_heap_range(const struct gc_domain *g, uintptr_t *start, uintptr_t *end);

/* Whether a check that reads `words` words should be made now. At the levels of --gc-stress that
 * act at every step of the program, each step adds some words to the budget, more in the first
 * steps; otherwise each phase of a collection adds many (gc/stress.c). The check is made when the
 * budget covers it. All zeros is a new budget. GC: never. */
struct gc_check_budget {
    uint64_t spent;
};
bool gc_check_due(struct gc_domain *g, struct gc_check_budget *account, size_t words);

/* Checks every invariant; on a violation prints what and where, then aborts. when: the phase, for
 * the message. GC: never. */
void gc_verify(struct gc_domain *g, const char *when);

#endif
