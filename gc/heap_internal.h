/* heap_internal.h - the heap that domains share, and the interfaces between the files of gc/.
 *
 * Glossary
 *   span     64 KB of the major heap, the unit of the side metadata (struct gc_span).
 *   cell     a piece of a small span; all cells of a span have the size of its class.
 *   class    a cell size: exact for blocks of 1..16 words, then steps of about 12 % to 256 words.
 *   pool     the allocator of one class, for scannable or for pointer-free blocks.
 *   mixed span   a small span for promoted blocks of up to GC_MIXED_WOSIZE words of any size and
 *            kind, one after another; each cell is as large as its block.
 *   gap      adjacent free cells of a small span, with one header of COLOUR_FREE.
 *   region   adjacent spans for blocks of more than 256 words, in granules of 512 bytes.
 *   run      adjacent free spans, or adjacent free granules of a region; in bins by length.
 *   live colour   the colour of new and of marked blocks (heap->live_colour); it flips when marking
 *            starts, so that everything that exists then becomes unmarked at once.
 *
 * P1  Every word of a small span belongs to a cell, to the rest after the last cell, or to a gap;
 *     a cell outside all gaps holds one block whose header is valid.
 * P2  A cell is in at most one gap. The gap that a pool allocates from has no valid header until
 *     gc_pools_park has run; the others have. In mixed spans a gap of one word has a header, too,
 *     and words that were too few for a block stay outside the list of gaps until the next sweep.
 * P3  A region is tiled by blocks and free runs that start at granule boundaries; no block and no
 *     run crosses a region's border. Every free run of a region is in the bins, except the tail
 *     that gc_truncate cut off, until the next sweep.
 * P4  Adjacent runs of free spans are merged. free_span_count counts free spans, committed_spans
 *     those below top_span that have been used and whose memory has not been given back since.
 * P5  Outside minor collections at least minor_spans spans are free and usable: enough to promote
 *     the whole minor heap; or heap->exhausted is set. So promotion never runs out of memory.
 * M1  Snapshot: a block that was reachable when marking started, or was allocated since, is marked
 *     when marking ends. Kept by gc_store_slow (darkens what it overwrites) and by the live colour.
 * M2  While not marking, the mark stack is empty. In every phase but SWEEP every span is swept.
 * M3  In phase SWEEP, a block of the other colour is dead and lies in an unswept span.
 * M4  While marking, the fields of a marked block are marked, on the mark stack, in the queue, or
 *     mark.lost is set. Marking does not end before lost ranges have been rescanned.
 * M5  In phase INSPECT, a block of the other colour was not reached, is unreachable, and is whole;
 *     new blocks have the live colour. So inspecting in slices and at once give the same result. */
#ifndef BACTRIAN_GC_HEAP_INTERNAL_H
#define BACTRIAN_GC_HEAP_INTERNAL_H

#include "gc/assert.h"
#include "gc/bulk.h"
#include "gc/containers.h"
#include "gc/heap.h"
#include "gc/hooks.h"
#include "gc/stats.h"

enum {
    SPAN_SHIFT = 16,
    SPAN_BYTES = 1 << SPAN_SHIFT,
    SPAN_WORDS = SPAN_BYTES / 8,
    GRANULE_BYTES = 512,
    GRANULE_WORDS = GRANULE_BYTES / 8,
    SPAN_GRANULES = SPAN_BYTES / GRANULE_BYTES,
    CLASS_MAX = 48,  /* more than there are classes */
    BIN_COUNT = 320, /* see bin_of in large.c */
    GC_MIXED_WOSIZE = 3,
    MARK_RING = IF_SMALL_TABLES(1, 32), /* prefetches in flight; a power of two */
    COLOUR_BITS = 0x300,                /* of a header */
};
#define MAX_ADAPTIVE_MINOR_WORDS ((size_t)1 << 20)
#define MIN_ADAPTIVE_MINOR_WORDS ((size_t)1 << 16)
/* Of an adaptive minor heap after its first collection, until FEW_MINOR_WORDS were allocated. */
#define EARLY_MINOR_WORDS ((size_t)80 << 10)
#define FEW_MINOR_WORDS   ((size_t)1 << 20)
#define MIN_MINOR_WORDS   ((size_t)IF_SMALL_TABLES(512, 4096))
#define COMMIT_BYTES      ((size_t)2 << 20) /* the heap is committed in steps of this size */

/* ---- Memory of tables (limit.c). ---- */

/* Reserves capacity for n more. False when memory or the limit is exhausted. */
bool gc_words_reserve(struct gc_heap *heap, enum gc_account account, struct gc_words *w, size_t n);
void gc_words_free(struct gc_words *w);
/* Runs a full cycle if there is a limit, which may free memory below it. False: there is none. */
bool gc_cycle_for_limit(struct gc_domain *g);
/* The limit minus what the program holds outside the heap, in words; SIZE_MAX: no limit. */
size_t gc_limit_words(const struct gc_heap *heap);

/* ---- The system (os.c). ----
 *
 * All memory of the collector comes from here, so that fault injection reaches it:
 * BACTRIAN_FAIL_ALLOC=n makes the n-th request fail, n:sticky that and all later ones. */

struct gc_faults {
    uint64_t countdown; /* 0: never */
    bool sticky;
};
/* Reads BACTRIAN_FAIL_ALLOC. */
struct gc_faults gc_os_read_faults(void);
/* Address space without memory, aligned to 2 MB; NULL if refused. bytes: a multiple of 2 MB. */
void *gc_os_reserve(struct gc_faults *faults, size_t bytes);
void gc_os_release(void *start, size_t bytes);
/* Makes pages usable, or unusable again with their content lost. */
bool gc_os_commit(struct gc_faults *faults, void *start, size_t bytes);
void gc_os_protect(void *start, size_t bytes);
/* Gets memory for usable pages, all of which will be written soon: one call instead of a page fault
 * for each. Where the system refuses, page faults remain. */
void gc_os_populate(void *start, size_t bytes);
/* Gives the memory of usable pages back to the system; they read as zero afterwards. */
void gc_os_discard(void *start, size_t bytes);
/* How much address space to ask for first, given ulimit -v. */
size_t gc_os_reservation(void);
/* As realloc, with injected faults. Freed with free. */
void *gc_os_realloc(struct gc_faults *faults, void *old, size_t bytes);
/* Reports that memory ran out while `doing` something, and exits with status 2. */
_Noreturn void gc_fatal_no_memory(const char *doing);
/* Prints a line if `bit` of params.verbose is set (v= of OCAMLRUNPARAM). */
void gc_log(const struct gc_heap *heap, unsigned bit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Side metadata: one entry per span, in address order. ---- */

enum gc_span_kind {
    SPAN_FREE,   /* of a run of free spans; length is valid at its first and last one */
    SPAN_SMALL,  /* cells of one class */
    SPAN_REGION, /* first span of a region */
    SPAN_BODY,   /* the others of a region */
};

/* A node of the bins: for free spans part of struct gc_span, for free granules in the memory. */
struct gc_run {
    struct gc_run *next, *prev;
    size_t length; /* spans or granules */
};

struct gc_span {
    struct gc_run run;    /* SPAN_FREE: the run that starts here. SPAN_REGION: length in spans */
    uintptr_t gaps;       /* SPAN_SMALL, not the pool's current: its first gap, 0: none */
    struct gc_span *next; /* SPAN_SMALL: in the pool's list */
    uint32_t length;      /* SPAN_FREE: of the run, at its first and last span */
    uint16_t cell_words;  /* SPAN_SMALL; 1: mixed */
    uint16_t cells;       /* SPAN_SMALL */
    uint8_t kind;         /* enum gc_span_kind */
    uint8_t class_index;  /* SPAN_SMALL */
    bool no_scan;         /* SPAN_SMALL: blocks without pointers */
    bool unswept;         /* SPAN_SMALL, SPAN_REGION: may hold dead blocks; phase SWEEP only */
    bool discarded;       /* SPAN_FREE: without memory, never used or given back */
};

/* Lists of runs by length, with a bitmap of those that are not empty. */
struct gc_bins {
    struct gc_run *heads[BIN_COUNT];
    uint64_t occupied[BIN_COUNT / 64];
};

/* ---- Tables. Their fields belong to the files that are named. ---- */

enum gc_phase { PHASE_IDLE, PHASE_MARK, PHASE_INSPECT, PHASE_SWEEP };

struct gc_range { /* slots still to be scanned */
    value *from, *to;
};
struct gc_mark { /* mark.c; roots.c scans roots incrementally */
    struct VECTOR(struct gc_range) stack;
    uintptr_t pending[MARK_RING]; /* blocks whose header is being prefetched: a queue */
    unsigned head, tail;          /* free-running; tail - head <= MARK_RING */
    bool lost;                    /* M4 */
    bool roots_left;              /* incrementally scanned roots may be left */
    size_t next_scanner;          /* scanners with a lower index have no roots left */
    size_t deferred_roots;        /* roots left to slices when this cycle started */
    size_t marked_words;          /* headers included, in this cycle */
    size_t root_words;            /* read by scanners and in tables in this cycle */
};

struct gc_weak {             /* weak.c */
    struct gc_words all;     /* every ephemeron; gc_weak_clean drops the dead ones */
    bool resolving;          /* every ephemeron has been examined in this cycle */
    struct gc_words waiting; /* per ephemeron: the next one that waits for the same block, and the
                              * slot to continue at */
    struct word_map watched; /* unmarked blocks -> number + 1 of the first ephemeron that waits */
    struct gc_words woken;   /* watched blocks that were marked since */
    bool refused;            /* no memory for one of these: rounds in this cycle */
    value none;              /* gc_ephe_none: outside the range, even, never followed */
};

struct gc_scanner_entry {
    const char *name; /* of what it scans */
    gc_scanner *scan;
    gc_incremental_scanner *scan_some; /* NULL: no incrementally scanned roots */
    void *context;
};

/* Work is counted in words marked; see pace.c. */
struct gc_pace {
    size_t live_words;      /* live when the last marking ended (estimate) */
    size_t trigger_words;   /* allocation after which marking starts */
    size_t allocated_words; /* in the major heap since the last marking ended */
    size_t before_marking;  /* allocated_words when the current marking started */
    size_t unpaid_words;    /* of these, not yet turned into debt */
    size_t bulk_words;      /* of these, allocated in bulk since the last slice */
    double survival;        /* share of the last cycle's allocation found alive, 0..1 */
    double mark_rate;       /* work per allocated word in this marking */
    double sweep_rate;      /* the same in this sweep */
    double debt;            /* work owed */
    intptr_t ahead;         /* words marked when marking started, which slices need not mark */
    size_t keep_spans;      /* free spans beyond this are given back while idle */
    double external;        /* share of a cycle owed for memory outside the heap */
};

struct gc_stress {    /* stress.c */
    uint64_t steps;   /* allocations, and polls, at the levels that act at each; phases */
    size_t countdown; /* levels 3 and 4: allocations until the next cycle */
    struct gc_check_budget at_phases, at_polls, cycles, moves;
};

struct gc_heap {
    /* Layout. */
    uintptr_t range_start, range_bytes;
    uintptr_t minor_base, minor_bytes;  /* reserved for minor heaps */
    uintptr_t major_start, major_bytes; /* reserved for spans */
    struct gc_span *spans;              /* committed up to spans_committed entries */
    size_t span_limit;                  /* how many fit in the reservation */
    size_t spans_committed;             /* entries of spans that are usable */
    size_t top_span;                    /* spans [0, top_span) exist: usable memory, P4 */
    size_t committed_spans;             /* P4 */
    size_t free_span_count;             /* P4 */
    size_t minor_spans;                 /* P5 */

    /* Allocation. */
    unsigned live_colour;
    unsigned class_count;
    uint16_t class_words[CLASS_MAX];         /* cell size, header included */
    uint8_t class_of[MAX_YOUNG_WOSIZE + 1];  /* by wosize */
    struct gc_pool pools[2][CLASS_MAX];      /* [no_scan][class] */
    struct gc_pool mixed;                    /* of mixed spans */
    struct gc_pool *promotion[2][CLASS_MAX]; /* for promoted blocks: the pool of the class, or the
                                              * mixed one when that has no gap left */
    bool mixing; /* small blocks that are promoted get new mixed spans */
    struct gc_bins free_spans, free_granules;

    /* Collection. */
    enum gc_phase phase;
    bool polls_always; /* gc_poll_always */
    bool exhausted;    /* the next allocation must first run a full cycle: the heap is far above its
                     * limit, or P5 does not hold */
    struct gc_mark mark;
    unsigned sweep_pool;  /* pools below it (counting both kinds) have no unswept spans */
    size_t region_cursor; /* regions below it were swept */
    size_t region_end;    /* regions from it on are newer than this sweep */
    struct gc_pace pace;
    struct word_map roots, mutable_roots; /* addresses of registered slots */
    struct gc_scanner_entry scanners[GC_SCANNERS];
    size_t scanner_count;
    const struct gc_continuations *continuations; /* NULL: the machine has none */
    struct gc_weak weak;
    struct gc_words customs; /* custom.c: major blocks whose operations have finalize; X1 */

    size_t external_bytes;        /* limit.c: held by the program */
    const struct gc_hooks *hooks; /* NULL: none */
    size_t own_bytes;             /* limit.c: of the collector's tables */
    struct gc_params params;      /* zeros replaced by defaults */
    struct gc_upcalls up;
    struct gc_stats stats; /* gc_stats_read completes it */
    struct gc_allocated allocated_at_minor;
    struct gc_faults faults;
    struct gc_stress stress;
};

/* ---- Small helpers. GC: never, for all of them. ---- */

/* Appends x. False when out of memory. */
static inline bool gc_words_push(struct gc_heap *heap, enum gc_account account, struct gc_words *w,
                                 uintptr_t x) {
    if (w->count == w->capacity && !gc_words_reserve(heap, account, w, 1)) return false;
    vector_append(w, x);
    return true;
}
/* A block (or a word that looks like one) of the major heap; false for integers, atoms, young. */
static inline bool gc_is_major_block(const struct gc_heap *heap, value v) {
    return is_block(v) && (uintptr_t)v - heap->major_start < heap->major_bytes;
}
static inline struct gc_span *gc_span_of(const struct gc_heap *heap, value v) {
    ASSERT(gc_is_major_block(heap, v));
    return &heap->spans[((uintptr_t)v - heap->major_start) >> SPAN_SHIFT];
}
static inline uintptr_t gc_span_start(const struct gc_heap *heap, const struct gc_span *span) {
    return heap->major_start + ((uintptr_t)(span - heap->spans) << SPAN_SHIFT);
}
static inline size_t gc_used_spans(const struct gc_heap *heap) {
    ASSERT(heap->free_span_count <= heap->top_span); /* P4 */
    return heap->top_span - heap->free_span_count;
}
static inline unsigned gc_dead_colour(const struct gc_heap *heap) { return heap->live_colour ^ 1; }
/* Granules that a large block of wosize takes. */
static inline size_t gc_granules(size_t wosize) {
    return (wosize + 1 + GRANULE_WORDS - 1) / GRANULE_WORDS;
}
/* Whether v will outlive this cycle, while marking or after. True for integers, atoms, young blocks
 * and words outside the heap. v may be an infix pointer. */
static inline bool gc_survives_cycle(const struct gc_heap *heap, value v) {
    if (!gc_is_major_block(heap, v)) return true;
    return colour_of_header(header_of(block_start(v))) == heap->live_colour;
}
/* Whether v, any word, is a major block that marking found dead and that is not swept yet. */
static inline bool gc_is_unreached(const struct gc_heap *heap, value v) {
    return heap->phase >= PHASE_INSPECT && !gc_survives_cycle(heap, v);
}
/* The number of spans of the free run, region or small span that starts at span. */
static inline size_t gc_spans_from(const struct gc_span *span) {
    ASSERT(span->kind != SPAN_BODY); /* P3 */
    if (span->kind == SPAN_FREE) return span->length;
    return span->kind == SPAN_REGION ? span->run.length : 1;
}
static inline bool gc_is_mixed(const struct gc_span *span) {
    return span->kind == SPAN_SMALL && span->cell_words == 1;
}
/* The pools by number, that of mixed spans last. */
static inline size_t gc_pool_count(const struct gc_heap *heap) { return 2 * heap->class_count + 1; }
static inline struct gc_pool *gc_pool_at(struct gc_heap *heap, size_t i) {
    ASSERT(i < gc_pool_count(heap));
    return i == 2 * heap->class_count ? &heap->mixed : &heap->pools[i & 1][i >> 1];
}
/* Whether a span holds blocks with fields to scan. */
static inline bool gc_is_scannable(const struct gc_span *span) {
    return span->kind == SPAN_REGION || (span->kind == SPAN_SMALL && !span->no_scan);
}

/* A major block that ephemerons wait for at the end of marking: unmarked, but of this colour, so
 * that marking detects it at no cost. Marking it appends it to heap->weak.woken (mark.c). */
#define COLOUR_WATCHED COLOUR_STATIC

/* Fills freed memory under stress or --gc-verify: odd, so it reads as an integer, and no header. */
#define GC_JUNK ((uintptr_t)0xd5d5d5d5d5d5d5d5)
static inline bool gc_fills_junk(const struct gc_heap *heap) {
    return heap->params.stress || heap->params.verify;
}
static inline void gc_fill_junk(uintptr_t from, uintptr_t to) {
    for (uintptr_t p = from; p < to; p += 8) *(uintptr_t *)p = GC_JUNK;
}

/* ---- Minor collection (minor.c). ---- */

/* Replaces a young block in *slot by its copy in the major heap, made now if there is none (the
 * fields of a new copy follow at gc_minor_drain). Leaves other words alone. */
void gc_evacuate(struct gc_domain *g, value *slot);
/* The same for n slots given by address. */
void gc_evacuate_each(struct gc_domain *g, value **slots, size_t n);
/* Evacuates everything reachable from what was evacuated. */
void gc_minor_drain(struct gc_domain *g);
/* Whether young block v, no infix pointer, was evacuated; its copy then is gc_forwarded(v). */
static inline bool gc_is_forwarded(value v) { return header_of(v) == 0; }
static inline value gc_forwarded(value v) { return field(v, 0); }
/* For a weak slot of any value: false if it is a young block that died; else updates *slot. */
bool gc_minor_survives(struct gc_domain *g, value *slot);
/* Evacuates and nothing else: no slice, no requested work. Ends with G3. */
void gc_minor_collect(struct gc_domain *g);
/* How many spans the promotion of `words` may need; P5. */
size_t gc_minor_spans(const struct gc_heap *heap, size_t words);

/* The steps of a minor collection, in this order; young_ptr is still where the program left it.
 * The remembered set (remset.c) and registered slots (roots.c): */
void gc_remembered_evacuate(struct gc_domain *g);
void gc_roots_evacuate(struct gc_domain *g);
/* Evacuates finalisers' functions, `first` arguments and ready finalisers. */
void gc_final_minor_roots(struct gc_domain *g);
/* Evacuates data whose young keys all survive, or all data, and all keys (minor_keeps_data,
 * minor_keeps_keys). True: there was some; call again after draining. */
bool gc_weak_minor_mark(struct gc_domain *g);
/* Dead young `last` arguments become ready; the others are updated. */
void gc_final_minor_last(struct gc_domain *g);
/* The first owner may take the ready finalisers that ended owners left. */
void gc_final_adopt(struct gc_domain *g);
/* Empties dead young keys, and the data with them. */
void gc_weak_minor_clean(struct gc_domain *g);
/* After hooks->minor_done: finalizes dead young custom blocks, registers the promoted ones. */
void gc_custom_minor(struct gc_domain *g);

/* ---- The minor heap's size and address (heap.c). ---- */

/* Gives the empty minor heap the size it should have and establishes P5; a smaller one and
 * short_of_memory if the system refuses, the smallest and exhausted if it refuses that too. */
void gc_minor_heap_resize(struct gc_domain *g);
/* --gc-stress 2: moves the empty minor heap to other addresses and makes the old ones fault. */
void gc_minor_heap_move(struct gc_domain *g);
/* Call when the minor heap was emptied or moved: allocation had reached used_from and continues at
 * young_ptr, with the sampler's clock unchanged (H1). */
void gc_sample_rebase(struct gc_domain *g, uintptr_t used_from);
/* Removes remembered slots in [from, to), which stop being fields (remset.c). */
void gc_remembered_forget(struct gc_domain *g, value *from, value *to);

/* ---- Marking (mark.c). ---- */

/* Needs: phase IDLE, minor heap empty. */
void gc_mark_start(struct gc_domain *g);
/* Marks up to budget words; returns the words done, less when nothing is left. */
intptr_t gc_mark_some(struct gc_domain *g, intptr_t budget);
/* Whether nothing is left to mark, except what ephemerons and finalisers lead to. */
bool gc_mark_is_done(const struct gc_heap *heap);
/* Resolves ephemerons and finalisers; the phase becomes INSPECT, or SWEEP if there is nothing to
 * inspect. Needs: minor heap empty, gc_mark_is_done. */
void gc_mark_finish(struct gc_domain *g);
/* The hooks' client inspects its blocks, budget words of work; at the end the phase becomes SWEEP.
 * Returns the work done. */
intptr_t gc_inspect_some(struct gc_domain *g, intptr_t budget);
/* Marks v, any word, if it is an unmarked major block; its fields follow later. */
void gc_darken(struct gc_heap *heap, value v);
/* The same for all slots of [from, to), faster; the slots are read now. */
void gc_darken_range(struct gc_heap *heap, const value *from, const value *to);
/* Darkens every root: local, registered, scanners (roots.c). */
void gc_roots_darken(struct gc_domain *g);
/* Darkens about budget incrementally scanned roots; returns how many were read (roots.c). */
size_t gc_incremental_roots_darken(struct gc_domain *g, size_t budget);
/* Visits local roots and those of scanners; the visitor's g is set (roots.c). */
void gc_visit_roots(struct gc_visitor *visitor);

/* The steps of marking, in this order. At its start: */
void gc_weak_mark_start(struct gc_domain *g);  /* resets the resolution of ephemerons */
void gc_final_mark_roots(struct gc_domain *g); /* darkens functions and ready finalisers */
/* When nothing is left to mark: darkens the data of marked ephemerons whose keys are marked. True:
 * there was some; called again when that is marked. */
bool gc_weak_mark(struct gc_domain *g);
/* Then: unmarked `first` arguments become ready, and are darkened. True: there was one. */
bool gc_final_mark_first(struct gc_domain *g);
/* At the end: unmarked `last` arguments become ready. */
void gc_final_mark_last(struct gc_domain *g);
void gc_weak_clean(struct gc_domain *g);   /* W1; drops dead ephemerons */
void gc_custom_clean(struct gc_domain *g); /* finalizes and drops unmarked blocks */

/* ---- Sweeping (sweep.c, large.c). ---- */

/* The phase becomes SWEEP: every span with blocks is unswept. */
void gc_sweep_start(struct gc_heap *heap);
/* Sweeps up to `budget` units of work; a unit is 8 swept words, which cost as much as marking one.
 * At the end of the heap the phase becomes IDLE. Returns the work done. */
intptr_t gc_sweep_some(struct gc_domain *g, intptr_t budget);
/* Sweeps one small span, which keeps its gaps, or one region; returns the work done. */
size_t gc_sweep_small(struct gc_heap *heap, struct gc_span *span);
size_t gc_region_sweep(struct gc_heap *heap, struct gc_span *region);
/* Takes the next region that this sweep must visit. NULL: none is left. */
struct gc_span *gc_region_next_unswept(struct gc_heap *heap);

/* ---- Pacing (pace.c). ---- */

/* Charges a share (0..1) of a whole major cycle, for memory outside the heap. */
void gc_pace_external(struct gc_domain *g, double share);
/* Counts words allocated in the major heap, headers included; requests a slice if enough were. */
void gc_pace_allocated(struct gc_domain *g, size_t words);
/* Initialises the pace; recomputes triggers after gc_set_params. */
void gc_pace_reset(struct gc_heap *heap);
/* To be called when marking starts, when it has ended (inspect_work: what is left to inspection),
 * and when sweeping has ended. */
void gc_pace_mark_started(struct gc_heap *heap);
void gc_pace_mark_ended(struct gc_heap *heap, size_t inspect_work);
void gc_pace_cycle_ended(struct gc_heap *heap);
/* A slice, requested by allocation in the middle of the minor heap. */
void gc_pace_mid_slice(struct gc_domain *g, enum gc_cause cause);
/* Sets young_trigger to the next address at which a slice is to run. */
void gc_pace_place_trigger(struct gc_domain *g);
/* Marks, inspects or sweeps budget words of work, nothing when idle; ends marking if may_finish,
 * which needs an empty minor heap. Returns the work done. */
intptr_t gc_pace_work(struct gc_domain *g, intptr_t budget, bool may_finish);
/* A full cycle; calls out_of_memory if the heap is still above its limit. */
void gc_collect_for_limit(struct gc_domain *g);
/* A minor collection, the automatic slice, the heap limit (which may raise). */
void gc_minor_and_slice(struct gc_domain *g, enum gc_cause cause);
/* gc_full_major_cycle, for that cause. */
void gc_full_cycle_for(struct gc_domain *g, enum gc_cause cause);

/* The actions of --gc-stress at an allocation, and at a poll (stress.c). */
void gc_stress_allocation(struct gc_domain *g);
void gc_stress_poll(struct gc_domain *g);
/* Runs the verifier at the end of a phase if --gc-verify is on (stress.c). */
void gc_verify_phase(struct gc_domain *g, const char *when);

/* ---- Major heap allocation (pool.c, large.c). All return 0 / NULL when memory or the limit is
 * exhausted, and never collect. ---- */

/* Computes the size classes and sets up their pools, empty. */
void gc_pools_create(struct gc_heap *heap);
/* The address of a free cell; the caller writes header and fields. */
uintptr_t gc_pool_refill(struct gc_domain *g, struct gc_pool *pool);
static inline uintptr_t gc_pool_alloc(struct gc_domain *g, struct gc_pool *pool) {
    uintptr_t p = pool->bump, next = p + pool->cell_bytes;
    if (__builtin_expect(next > pool->end, 0)) return gc_pool_refill(g, pool);
    pool->bump = next;
    return p;
}
/* The same for a block of that class that is promoted, and for which its pool of promotion has no
 * room. */
uintptr_t gc_promotion_refill(struct gc_domain *g, size_t class, bool no_scan);
/* Promotion begins again with the gaps of each class. */
void gc_pools_unmix(struct gc_heap *heap);
/* Gives every pool's current gap a header and puts it back in its span's list, so that spans can be
 * walked; P2. */
void gc_pools_park(struct gc_heap *heap);
/* Allocates n adjacent usable spans, whose kind the caller sets. populate: nearly all of their
 * pages will be written. */
struct gc_span *gc_spans_alloc(struct gc_domain *g, size_t n, bool populate);
/* Frees n adjacent spans. */
void gc_spans_free(struct gc_heap *heap, struct gc_span *span, size_t n);
/* Ensures that n spans can be allocated one by one without asking the system. */
bool gc_spans_reserve(struct gc_heap *heap, size_t n);
/* Gives at most `most` free spans back to the system, until `keep` of them have memory. */
void gc_spans_discard(struct gc_heap *heap, size_t keep, size_t most);
/* Gives back free spans whose memory exceeds the limit. */
void gc_spans_keep_within_limit(struct gc_heap *heap);

/* The address of wosize + 1 words for a block above MAX_YOUNG_WOSIZE. */
uintptr_t gc_large_alloc(struct gc_domain *g, size_t wosize);
void gc_bins_insert(struct gc_bins *bins, struct gc_run *run);
void gc_bins_remove(struct gc_bins *bins, struct gc_run *run);
/* A run of at least length, nearly the shortest one; it stays in the bins. NULL: none. */
struct gc_run *gc_bins_find(const struct gc_bins *bins, size_t length);

/* Calls f for every block of one span (SMALL or REGION), dead or alive, and for every gap and free
 * run, whose colour is COLOUR_FREE. Needs: gc_pools_park before (heap.c). */
void gc_span_walk(struct gc_heap *heap, struct gc_span *span, void (*f)(void *context, value v),
                  void *context);

/* ---- Set-up and end of the tables. ---- */

/* create: false when out of memory. */
bool gc_mark_create(struct gc_heap *heap);
bool gc_remembered_create(struct gc_domain *g);
void gc_weak_destroy(struct gc_domain *g);
void gc_final_destroy(struct gc_domain *g);
void gc_roots_destroy(struct gc_domain *g);
/* finalize: run the finalize functions of all custom blocks, young ones included. */
void gc_custom_destroy(struct gc_domain *g, bool finalize);

/* ---- Activities. ---- */

/* A pause begins or ends (stats.c). Needs: g->pauses. */
void gc_pause_begins(struct gc_domain *g);
void gc_pause_ends(struct gc_domain *g);

/* Around an activity of the collector: measures it and calls the hooks. */
static inline void gc_begin_activity(struct gc_domain *g, enum gc_activity what) {
    if (what == GC_ACT_PAUSE && g->pauses) gc_pause_begins(g);
    if (g->hooks && g->hooks->activity) g->hooks->activity(g->hooks->context, g, what, true, 0);
    for (const struct gc_observer *o = g->observers; o != NULL; o = o->next)
        o->activity(o->context, g, what, true);
}
static inline void gc_end_activity(struct gc_domain *g, enum gc_activity what, size_t words) {
    if (g->hooks && g->hooks->activity)
        g->hooks->activity(g->hooks->context, g, what, false, words);
    for (const struct gc_observer *o = g->observers; o != NULL; o = o->next)
        o->activity(o->context, g, what, false);
    if (what == GC_ACT_PAUSE && g->pauses) gc_pause_ends(g);
}

#endif
