/* hooks.h - where a profiler sees allocation, promotion and death.
 *
 * A client hands in one table of functions. While none is installed nothing is called and the
 * allocation fast path has no extra instruction: the next sample is folded into young_limit (D8).
 *
 * The clock counts the words that were bumped in the young area. It moves on evenly through
 * collections, and what is exempt doesn't move it; the next sample is a clock.
 *
 * H1  sample_trigger lies in [young_start, young_end], and no block whose words reach the clock of
 *     the next sample is bumped above it. A collection never consumes a pending sample.
 * H2  No hook allocates in the heap or raises, except sample() called with from_bytecode set. */
#ifndef BACTRIAN_GC_HOOKS_H
#define BACTRIAN_GC_HOOKS_H

#include "gc/heap.h"

enum gc_source { GC_NORMAL, GC_MARSHAL, GC_CUSTOM };

/* What the collector does while the mutator waits. GC_ACT_STOP is around everything else, but for
 * what happens at --gc-stress. */
enum gc_activity { GC_ACT_STOP, GC_ACT_MINOR, GC_ACT_MARK, GC_ACT_SETTLE, GC_ACT_SWEEP };

struct gc_hooks {
    void *context;
    /* The small block about to be bumped (wosize words, tag) crosses sample_trigger. From bytecode:
     * called before the block exists, with room for it not yet made; may run OCaml code, collect,
     * and raise. From C (from_bytecode false): called with v = the new, uninitialised block.
     * Returns whether born() is to be called. */
    bool (*sample)(void *context, struct gc_domain *g, size_t wosize, unsigned tag,
                   bool from_bytecode, value v);
    /* The block that sample() announced from bytecode exists now, its fields not yet set. */
    void (*born)(void *context, struct gc_domain *g, value v);
    /* A block of wosize words was born outside the bumped area, or (source GC_CUSTOM) that many
     * bytes of memory outside the heap were charged to block v. */
    void (*allocated)(void *context, struct gc_domain *g, value v, size_t size,
                      enum gc_source source);
    /* End of a minor collection, the young area not yet reused: gc_young_fate tells where a block
     * went. */
    void (*minor_done)(void *context, struct gc_domain *g);
    /* End of marking, after weak references and finalisers were settled. Returns the work, in words
     * marked, that looking at the old blocks the client follows will be; 0: it follows none. May be
     * NULL, with look. */
    size_t (*mark_done)(void *context, struct gc_domain *g);
    /* After that and before any block is swept (M5), slice by slice, between which the program
     * runs: looks at such blocks, for some `budget` words of work; gc_is_dead tells. Returns the
     * work that was done, less than budget when there is nothing left to look at. */
    size_t (*look)(void *context, struct gc_domain *g, size_t budget);
    /* An activity begins or ends; they nest. words, at the end: promoted (GC_ACT_MINOR), or the
     * work done (GC_ACT_MARK, GC_ACT_SWEEP). May be NULL. */
    void (*activity)(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                     size_t words);
};

#define GC_NO_SAMPLE ((uint64_t)1 << 60) /* beyond any clock */

/* In look: the work that one block is, whose header is fetched ahead of its turn. */
enum { GC_LOOK_WORK = 4 };

/* Installs hooks (NULL removes them) and draws no sample until gc_set_sample. GC: never. */
void gc_set_hooks(struct gc_domain *g, const struct gc_hooks *hooks);

/* The clock now: the number of the next word that will be bumped. GC: never. */
static inline uint64_t gc_clock(const struct gc_domain *g) {
    return (g->clock_end - g->young_ptr) / 8;
}
/* Moves the clock by words, with the next sample's trigger left behind: gc_set_sample must follow
 * before the machine runs on. GC: never. */
static inline void gc_clock_move(struct gc_domain *g, intptr_t words) {
    g->clock_end += 8 * (uintptr_t)words;
}
/* Puts sample_trigger where sample_at says; the limits are then to be recomputed. GC: never. */
static inline void gc_place_sample(struct gc_domain *g) {
    uintptr_t room = g->young_ptr - g->young_start;
    uintptr_t above_start = g->clock_end - 8 * g->sample_at - g->young_start;
    if (above_start > room) above_start = g->sample_at < gc_clock(g) ? room : 0;
    g->sample_trigger = g->young_start + above_start;
}
/* The next sample is the word whose clock is at (GC_NO_SAMPLE: none). GC: never. */
static inline void gc_set_sample(struct gc_domain *g, uint64_t at) {
    g->sample_at = at;
    gc_place_sample(g);
    uintptr_t trigger = g->sample_trigger;
    uintptr_t limit = g->young_trigger > trigger ? g->young_trigger : trigger;
    g->young_limit = g->stress ? UINTPTR_MAX : limit;
    /* A signal handler may have asked in between. */
    if (g->action_requested) g->young_limit = UINTPTR_MAX;
}

/* Whether a block of wosize words would be bumped at once. GC: never. */
static inline bool gc_only_bump_due(const struct gc_domain *g, size_t wosize) {
    return g->young_ptr - 8 * (wosize + 1) >= g->young_limit;
}
/* Whether bytecode's block of wosize words has room and crosses sample_trigger, and nothing else is
 * due. GC: never. */
static inline bool gc_only_sample_due(const struct gc_domain *g, size_t wosize) {
    uintptr_t p = g->young_ptr - 8 * (wosize + 1);
    return p >= g->young_trigger && p < g->sample_trigger && !g->stress && !g->action_requested;
}

/* The last words that were bumped, none of which crossed sample_trigger when they came or will be
 * looked at, don't count: the clock goes back by them. GC: never. */
void gc_sample_exempt(struct gc_domain *g, size_t words);

/* In minor_done: the address a young block was promoted to, or 0 if it died. v: young. */
value gc_young_fate(struct gc_domain *g, value v);
/* In look: whether old block v was not reached. */
bool gc_is_dead(struct gc_domain *g, value v);
/* Fetches what gc_is_dead will read of v, which may be any word. GC: never. */
static inline void gc_prefetch_header(value v) {
    __builtin_prefetch((const char *)(uintptr_t)v - sizeof(header));
}

#endif
