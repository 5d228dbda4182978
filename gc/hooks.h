/* hooks.h - by which a profiler is notified of allocation, promotion and death.
 *
 * A client installs one table of functions. Sampling adds no instruction to the allocation fast
 * path: the next sample is folded into young_limit.
 *
 * The clock counts the words allocated in the minor heap, exempt ones excepted. Collections do not
 * change it. The next sample is given as a clock.
 *
 * H1  sample_trigger lies in [young_start, young_end], and no block whose words reach the clock of
 *     the next sample is allocated above it. A collection never consumes a pending sample.
 * H2  No hook allocates in the heap or raises, except sample() called with from_bytecode set. */
#ifndef BACTRIAN_GC_HOOKS_H
#define BACTRIAN_GC_HOOKS_H

#include "gc/heap.h"

/* GC_CUSTOM_AGAIN: memory that was already charged to another block is charged again. */
enum gc_source { GC_NORMAL, GC_MARSHAL, GC_CUSTOM, GC_CUSTOM_AGAIN };

/* What the collector does while the mutator waits. GC_ACT_PAUSE encloses all others, except what
 * --gc-stress adds. */
enum gc_activity { GC_ACT_PAUSE, GC_ACT_MINOR, GC_ACT_MARK, GC_ACT_MARK_END, GC_ACT_SWEEP };

struct gc_hooks {
    void *context;
    /* A small allocation (wosize words, tag) crosses sample_trigger. From bytecode: called before
     * the block exists and has room; may run OCaml code, collect, and raise. From C (from_bytecode
     * false): v is the new, uninitialised block. Returns whether born() is to be called. */
    bool (*sample)(void *context, struct gc_domain *g, size_t wosize, unsigned tag,
                   bool from_bytecode, value v);
    /* The block that sample() was called for exists now; its fields are not yet set. */
    void (*born)(void *context, struct gc_domain *g, value v);
    /* A block of `size` words was allocated in the major heap, or (source GC_CUSTOM and
     * GC_CUSTOM_AGAIN) that many bytes outside the heap were charged to block v. */
    void (*allocated)(void *context, struct gc_domain *g, value v, size_t size,
                      enum gc_source source);
    /* In a collection, before minor_done or inspect finds that v is dead: the memory charged to it
     * stays in use until released is called with that key, in a collection or not. May be NULL,
     * together with released. */
    void (*outlived)(void *context, value v, const void *key);
    void (*released)(void *context, const void *key);
    /* End of a minor collection, the minor heap not yet reused: see gc_promoted_copy. */
    void (*minor_done)(void *context, struct gc_domain *g);
    /* End of marking, weak references and finalisers included. Returns the work, in words marked,
     * of inspecting the major blocks that the client tracks; 0: none. May be NULL, with inspect. */
    size_t (*mark_done)(void *context, struct gc_domain *g);
    /* Then, before any block is swept (M5), in slices between which the program runs: inspects the
     * tracked blocks with gc_is_dead, about `budget` words of work. Returns the work done, less
     * than budget when no block is left. */
    size_t (*inspect)(void *context, struct gc_domain *g, size_t budget);
    /* An activity begins or ends; they nest. words, at the end: promoted (GC_ACT_MINOR), or the
     * work done (GC_ACT_MARK, GC_ACT_SWEEP). May be NULL. */
    void (*activity)(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                     size_t words);
};

/* Clients that see activities only: C stubs (vm/capi), runtime events (stdlib/events.h). */
struct gc_observer {
    struct gc_observer *next;
    void *context;
    /* As in gc_hooks, after the counters of stats.def have changed. GC: never. */
    void (*activity)(void *context, struct gc_domain *g, enum gc_activity what, bool begins);
};
/* Installs and removes one, which outlives the heap unless it is removed. GC: never. */
static inline void gc_add_observer(struct gc_domain *g, struct gc_observer *observer) {
    observer->next = g->observers;
    g->observers = observer;
}
static inline void gc_remove_observer(struct gc_domain *g, struct gc_observer *observer) {
    struct gc_observer **link = &g->observers;
    while (*link != observer) link = &(*link)->next;
    *link = observer->next;
}

#define GC_NO_SAMPLE ((uint64_t)1 << 60) /* beyond any clock */

/* In inspect: the work of one block, with its header prefetched. */
enum { GC_INSPECT_WORK = 4 };

/* Installs hooks (NULL removes them) and draws no sample until gc_set_sample. GC: never. */
void gc_set_hooks(struct gc_domain *g, const struct gc_hooks *hooks);

/* The clock now: the number of the next word to be allocated. GC: never. */
static inline uint64_t gc_clock(const struct gc_domain *g) {
    return (g->clock_end - g->young_ptr) / 8;
}
/* Moves the clock by words. sample_trigger is then wrong until gc_set_sample. GC: never. */
static inline void gc_clock_move(struct gc_domain *g, intptr_t words) {
    g->clock_end += 8 * (uintptr_t)words;
}
/* Computes sample_trigger from sample_at; the caller recomputes the limits. GC: never. */
static inline void gc_place_sample(struct gc_domain *g) {
    uintptr_t room = g->young_ptr - g->young_start;
    uintptr_t above_start = g->clock_end - 8 * g->sample_at - g->young_start;
    if (above_start > room) above_start = g->sample_at < gc_clock(g) ? room : 0;
    g->sample_trigger = g->young_start + above_start;
    ASSERT(g->sample_trigger >= g->young_start && g->sample_trigger <= g->young_end); /* H1 */
}
/* The next sample is the word at clock `at` (GC_NO_SAMPLE: none). GC: never. */
static inline void gc_set_sample(struct gc_domain *g, uint64_t at) {
    g->sample_at = at;
    gc_place_sample(g);
    uintptr_t trigger = g->sample_trigger;
    uintptr_t limit = g->young_trigger > trigger ? g->young_trigger : trigger;
    g->young_limit = g->stress ? UINTPTR_MAX : limit;
    /* A signal handler may have requested an action in between. */
    if (g->action_requested) g->young_limit = UINTPTR_MAX;
}

/* Whether a block of wosize words would be allocated on the fast path. GC: never. */
static inline bool gc_only_bump_due(const struct gc_domain *g, size_t wosize) {
    return g->young_ptr - 8 * (wosize + 1) >= g->young_limit;
}
/* Whether an allocation of wosize words crosses sample_trigger and takes the slow path for no other
 * reason. GC: never. */
static inline bool gc_only_sample_due(const struct gc_domain *g, size_t wosize) {
    uintptr_t p = g->young_ptr - 8 * (wosize + 1);
    return p >= g->young_trigger && p < g->sample_trigger && !g->stress && !g->action_requested;
}

/* Subtracts the last `words` allocated words, which must not have crossed sample_trigger, from the
 * clock. GC: never. */
void gc_sample_exempt(struct gc_domain *g, size_t words);

/* In minor_done: the copy of young block v in the major heap, or 0 if v died. GC: never. */
value gc_promoted_copy(struct gc_domain *g, value v);
/* In inspect: whether major block v was not reached. GC: never. */
bool gc_is_dead(struct gc_domain *g, value v);
/* Prefetches the header that gc_is_dead reads. v: any word. GC: never. */
static inline void gc_prefetch_header(value v) {
    __builtin_prefetch((const char *)(uintptr_t)v - sizeof(header));
}

#endif
