/* heap_internal.h - the collector's own data, shared by the files of gc/ and nobody else.
 *
 * Glossary
 *   span     64 KB of the major heap, the unit of the side metadata (struct gc_span).
 *   cell     a piece of a small span; all cells of a span have the size of its class.
 *   class    a cell size: exact for blocks of 1..16 words, then steps of about 12 % to 256 words.
 *   pool     the allocator of one class, for scannable or for pointer-free blocks.
 *   gap      adjacent free cells of a small span, one header of COLOUR_FREE over all of them.
 *   region   adjacent spans for blocks of more than 256 words, cut into granules of 512 bytes.
 *   run      adjacent free spans, or adjacent free granules of a region; kept in bins by length.
 *   live colour   the colour of new and of marked blocks (heap->live_colour); it flips when marking
 *            starts, so that everything that exists then becomes unmarked at once.
 *
 * P1  Every word of a small span belongs to a cell, to the rest behind the last cell, or to a gap;
 *     a cell outside all gaps holds one block whose header is valid.
 * P2  A cell is in at most one gap. The gap that a pool allocates from has no valid header until
 *     gc_pools_park has run; the others have.
 * P3  A region is tiled by blocks and free runs that start at granule boundaries; no block and no
 *     run crosses a region's border. Every free run of a region is in the bins, but for the tail
 *     that gc_truncate cut off, which waits for the next sweep.
 * P4  Adjacent runs of free spans are merged. free_span_count counts free spans, committed_spans
 *     those below top_span that have been used and whose memory was not given back since.
 * P5  At least minor_spans spans are free and usable outside a minor collection: enough for all of
 *     the young area, or heap->exhausted. So promotion finds memory whatever the system refuses.
 * M1  Snapshot: a block that was reachable when marking started, or was born since, is marked when
 *     marking ends. Kept by gc_store_slow (darkens what it overwrites) and by birth in live_colour.
 * M2  While not marking, the mark stack is empty. In every phase but SWEEP every span is swept.
 * M3  In phase SWEEP, a block of the other colour is dead and sits in a span still to be swept.
 * M4  While marking, the fields of a marked block are marked, on the mark stack, in the queue, or
 *     mark.lost is set. Then marking has not ended before all marked blocks were scanned again.
 * M5  In phase LOOK, a block of the other colour was not reached, nothing can reach it any more,
 *     and it is whole; what is born is of the live colour. So the hooks' client learns the same in
 *     slices as it would all at once. */
#ifndef BACTRIAN_GC_HEAP_INTERNAL_H
#define BACTRIAN_GC_HEAP_INTERNAL_H

#include "gc/assert.h"
#include "gc/bulk.h"
#include "gc/heap.h"
#include "gc/hooks.h"
#include "gc/small_tables.h"
#include "gc/stats.h"

enum {
    SPAN_SHIFT = 16,
    SPAN_BYTES = 1 << SPAN_SHIFT,
    SPAN_WORDS = SPAN_BYTES / 8,
    GRANULE_BYTES = 512,
    GRANULE_WORDS = GRANULE_BYTES / 8,
    SPAN_GRANULES = SPAN_BYTES / GRANULE_BYTES,
    CLASS_MAX = 48,                     /* more than the classes there are */
    BIN_COUNT = 320,                    /* see gc_bin_of in large.c */
    MARK_RING = IF_SMALL_TABLES(1, 32), /* prefetches under way; a power of two */
};
#define MAX_ADAPTIVE_YOUNG_WORDS ((size_t)1 << 20)
#define MIN_ADAPTIVE_YOUNG_WORDS ((size_t)1 << 16)
#define MIN_YOUNG_WORDS          ((size_t)IF_SMALL_TABLES(512, 4096)) /* at least */
#define COMMIT_BYTES             ((size_t)2 << 20) /* the heap is committed in steps of this size */

/* ---- Growable arrays of words, in C memory. ---- */

struct gc_words {
    uintptr_t *items;
    size_t count, capacity;
};

/* Which account of limit.c a table stands in. */
enum gc_payer {
    GC_OWN,     /* the collector needs it while it works, and can do without */
    GC_PROGRAM, /* it grows with what the program registers */
    GC_COUNTED  /* none: something else was counted for it */
};
/* Makes room for n more. False when memory or the limit is exhausted; the array is then
 * unchanged. */
bool gc_words_reserve(struct gc_heap *heap, enum gc_payer payer, struct gc_words *w, size_t n);
void gc_words_free(struct gc_words *w);

/* A table that grows in larger and larger steps. */
struct gc_growth {
    enum gc_payer payer;
    size_t first; /* items that it begins with */
    size_t item_bytes;
    size_t counted_bytes; /* of an item: as large as what it entails elsewhere makes it */
};
/* Makes *items an array of n items at least. False as above. */
bool gc_table_grow(struct gc_heap *heap, const struct gc_growth *growth, void **items,
                   size_t *capacity, size_t n);
/* If there is a limit, a full cycle, which may make room below it. False: there is none. */
bool gc_cycle_for_limit(struct gc_domain *g);
/* Takes bytes from the collector's own account. False: it has none left. */
bool gc_own_try(struct gc_heap *heap, size_t bytes);
/* What the limit leaves to the major heap beside what the program holds outside; SIZE_MAX: there is
 * no limit. */
size_t gc_limit_words(const struct gc_heap *heap);

/* ---- The system (os.c). All memory of the collector comes through these, so that fault injection
 * reaches it: BACTRIAN_FAIL_ALLOC=n makes the n-th request fail, n:sticky that and all later. ----
 * */

struct gc_faults {
    uint64_t countdown; /* 0: never */
    bool sticky;
};
/* Reads BACTRIAN_FAIL_ALLOC. */
struct gc_faults gc_os_read_faults(void);
/* Address space without memory; NULL if refused. bytes: a multiple of 2 MB; result aligned to it.
 * */
void *gc_os_reserve(struct gc_faults *faults, size_t bytes);
void gc_os_release(void *start, size_t bytes);
/* Makes pages usable, or unusable again with their content lost. */
bool gc_os_commit(struct gc_faults *faults, void *start, size_t bytes);
void gc_os_protect(void *start, size_t bytes);
/* Gives the memory of usable pages back; they read as zero afterwards. */
void gc_os_discard(void *start, size_t bytes);
/* How much address space to ask for first: below the limit of ulimit -v if there is one. */
size_t gc_os_reservation(void);
/* As malloc and realloc, with faults. NULL on failure. Freed with free. */
void *gc_os_alloc(struct gc_faults *faults, size_t bytes);
void *gc_os_realloc(struct gc_faults *faults, void *old, size_t bytes);
/* Says "Fatal error: out of memory" with what was being done, and exits with status 2. */
_Noreturn void gc_fatal_no_memory(const char *doing);

/* ---- Side metadata: one entry a span, in address order. ---- */

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
    uint16_t cell_words;  /* SPAN_SMALL */
    uint16_t cells;       /* SPAN_SMALL: how many */
    uint8_t kind;         /* enum gc_span_kind */
    uint8_t class_index;  /* SPAN_SMALL */
    bool no_scan;         /* SPAN_SMALL: blocks without pointers */
    bool unswept;         /* SPAN_SMALL, SPAN_REGION: may hold dead blocks; phase SWEEP only */
    bool discarded;       /* it has no memory: never used, or given back (free spans only) */
};

/* Lists of runs by length, with a bitmap of those that are not empty. */
struct gc_bins {
    struct gc_run *heads[BIN_COUNT];
    uint64_t occupied[BIN_COUNT / 64];
};

/* ---- Marking. ---- */

enum gc_phase { PHASE_IDLE, PHASE_MARK, PHASE_LOOK, PHASE_SWEEP };

struct gc_range { /* slots still to be scanned */
    value *from, *to;
};

struct gc_mark {
    struct gc_range *stack; /* grows by realloc */
    size_t count, capacity;
    uintptr_t pending[MARK_RING]; /* blocks whose header is being prefetched: a queue */
    unsigned head, tail;          /* free-running; tail - head <= MARK_RING */
    bool late_left;               /* there may be late roots that were not read */
    size_t late_next;             /* scanners below it have none left */
    size_t late_words;            /* late roots of this cycle */
    size_t marked_words;          /* headers included, in this cycle */
    bool lost;                    /* M4 */
    size_t root_words;            /* read by scanners and in tables in this cycle */
};

/* ---- Tables of weak.c, final.c and custom.c. Their fields belong to those files. ---- */

/* Ephemerons that wait for an unmarked block; see weak.c. */
struct gc_watch {
    value block;  /* 0: this entry of the hash table is free */
    size_t first; /* number of the ephemeron at the head of its list, plus 1 */
};

/* Ephemerons and weak arrays. */
struct gc_weak {
    struct gc_words all;      /* every ephemeron; gc_weak_clean drops the dead ones */
    struct gc_words young;    /* pairs (ephemeron, slot number) where a young block was stored */
    size_t minor_work;        /* pairs looked at by gc_weak_minor_mark in this minor collection */
    size_t unsettled;         /* while marking ends: all[0 .. unsettled-1] were not looked at yet */
    struct gc_words waiting;  /* of each ephemeron of all: next of its list, slot to go on from */
    struct gc_watch *watched; /* hash table of the blocks waited for */
    size_t watched_count, watched_capacity;
    struct gc_words woken; /* watched blocks that were marked since */
    bool refused;          /* memory for one of the three was: done without them in this cycle */
    value none;            /* gc_ephe_none: outside the range, even, never followed */
};

struct gc_finaliser {
    value function, argument; /* argument of a `last` one: never a root, gone when due */
    intptr_t offset;          /* bytes from the block to the infix pointer that was registered */
};
struct gc_final_table {
    struct gc_finaliser *items;
    size_t count, capacity;
    size_t old; /* items[0 .. old-1] have no young argument */
};
struct gc_final {
    struct gc_final_table first, last;
    struct gc_final_table due; /* a queue: taken from due_taken on */
    size_t due_taken;
    size_t hold; /* first.items[hold ..] stay alive through the next end of marking */
};

/* Custom blocks with a finalize function. */
struct gc_custom {
    struct gc_words young; /* triples (block, mem, max) born in this minor cycle */
    struct gc_words old;   /* blocks in the major heap whose ops have finalize */
    double minor_ratio;    /* mem / max charged to the current minor cycle; at 1 one is requested */
};

/* Slots registered one by one (roots.c): a set of addresses, and those that may hold young ones. */
struct gc_root_set {
    value **slots; /* open addressing; NULL: never used, (value *)1: removed */
    size_t used, live, capacity;
    struct gc_words young; /* addresses, maybe removed since, maybe twice */
    bool young_lost;       /* memory for more was refused: all slots may hold young ones */
};

struct gc_scanner_entry {
    gc_scanner *scan;
    gc_incremental_scanner *late; /* NULL: has no late roots */
    void *context;
};

/* ---- Pacing (pace.c). Work is counted in words marked; see gc/README.md. ---- */

struct gc_pace {
    size_t live_words;       /* live when the last marking ended (estimate) */
    size_t trigger_words;    /* allocation after which marking starts */
    size_t allocated_words;  /* in the major heap since the last marking ended */
    size_t before_marking;   /* allocated_words when the current marking started */
    size_t unpaid_words;     /* of these, not yet turned into debt */
    size_t bulk_words;       /* of these, born in bulk since the last slice */
    double survival;         /* share of the last cycle's allocation found alive, 0..1 */
    double mark_rate;        /* work per allocated word in this marking */
    double sweep_rate;       /* the same in this sweep */
    double debt;             /* work owed */
    size_t keep_spans;       /* free spans beyond this are given back while idle */
    double external;         /* share of a cycle owed for memory outside the heap */
    unsigned long_survivals; /* minor collections in a row that justify a larger young area */
};

/* What --gc-stress keeps (stress.c). */
struct gc_stress {
    uint64_t steps;   /* allocations, and polls, at the levels that act at each */
    size_t countdown; /* levels 3 and 4: allocations until the next cycle */
    struct gc_check_account at_phases, at_polls, cycles, moves;
};

struct gc_heap {
    /* Where things are. */
    uintptr_t range_start, range_bytes;
    uintptr_t young_base, young_reserved; /* where young areas may lie */
    uintptr_t young_committed;            /* bytes usable from young_start */
    uintptr_t major_start, major_bytes;   /* reserved for spans */
    struct gc_span *spans;                /* committed up to spans_committed entries */
    size_t span_limit;                    /* how many fit in the reservation */
    size_t spans_committed;               /* entries of spans that are usable */
    size_t top_span;                      /* spans [0, top_span) exist: usable memory, P4 */
    size_t committed_spans;               /* P4 */
    size_t free_span_count;               /* P4 */

    /* Allocation. */
    unsigned live_colour;
    unsigned class_count;
    uint16_t class_words[CLASS_MAX];        /* cell size, header included */
    uint8_t class_of[MAX_YOUNG_WOSIZE + 1]; /* by wosize */
    struct gc_pool pools[2][CLASS_MAX];     /* [no_scan][class] */
    struct gc_bins free_spans, free_granules;

    /* Collection. */
    enum gc_phase phase;
    bool exhausted;       /* far above the limit, or P5 does not hold: nothing is allocated before
                             something was freed */
    bool memory_short;    /* P5 could not be had for the young area that was wanted */
    bool in_minor;        /* evacuating: no exception may leave, limits are soft */
    bool minor_requested; /* what gc_do_due_work should do */
    bool slice_requested;
    value todo;                 /* minor.c: forwarded young blocks whose copies are to be scanned */
    size_t promoted_words;      /* in the current minor collection, headers included */
    size_t minor_spans;         /* free spans that the next minor collection may need: P5 */
    struct gc_words remembered; /* addresses of old slots that hold young blocks; G2 */
    bool remembered_lost;       /* memory for more was refused: not all of them are there */
    struct gc_mark mark;
    unsigned sweep_pool;  /* pools below it (counting both kinds) have no unswept spans */
    size_t region_cursor; /* regions below it were swept */
    size_t region_end;    /* regions from it on are newer than this sweep */
    struct gc_pace pace;

    struct gc_root_set roots, plain_roots; /* the list of young ones: of roots only */
    struct gc_scanner_entry scanners[GC_SCANNERS];
    size_t scanner_count;
    struct gc_weak weak;
    struct gc_final final;
    struct gc_custom custom;
    size_t external_bytes; /* taken for the program and not given back; limit.c */
    size_t own_bytes;      /* of the collector's tables */

    struct gc_params params; /* zeros replaced by defaults */
    struct gc_upcalls up;
    struct gc_stats stats;    /* see the accessors in stats.c for what is added on reading */
    struct gc_pauses *pauses; /* NULL: not measured */
    struct gc_faults faults;
    size_t young_words_wanted; /* takes effect at the end of the next minor collection, as far as
                                  the heap's limit allows */
    struct gc_stress stress;
};

/* ---- Small helpers. GC: never, for all of them. ---- */

/* Appends x. Needs: room for it. */
static inline void gc_words_append(struct gc_words *w, uintptr_t x) {
    ASSERT(w->count < w->capacity);
    w->items[w->count++] = x;
}
/* Appends x, with new room if need be. False when memory is exhausted: x is not there then. */
static inline bool gc_words_push(struct gc_heap *heap, enum gc_payer payer, struct gc_words *w,
                                 uintptr_t x) {
    if (w->count == w->capacity && !gc_words_reserve(heap, payer, w, 1)) return false;
    w->items[w->count++] = x;
    return true;
}
/* A block (or a word that looks like one) of the major heap; false for integers, atoms, young. */
static inline bool gc_is_major_block(const struct gc_heap *heap, value v) {
    return is_block(v) && (uintptr_t)v - heap->major_start < heap->major_bytes;
}
static inline struct gc_span *gc_span_of(const struct gc_heap *heap, value v) {
    return &heap->spans[((uintptr_t)v - heap->major_start) >> SPAN_SHIFT];
}
static inline uintptr_t gc_span_start(const struct gc_heap *heap, const struct gc_span *span) {
    return heap->major_start + ((uintptr_t)(span - heap->spans) << SPAN_SHIFT);
}
static inline unsigned gc_dead_colour(const struct gc_heap *heap) { return heap->live_colour ^ 1; }
/* Granules that a large block of wosize takes. */
static inline size_t gc_granules(size_t wosize) {
    return (wosize + 1 + GRANULE_WORDS - 1) / GRANULE_WORDS;
}
/* While marking or at its end: will v outlive this cycle? True for integers, atoms, young blocks
 * and words outside the heap. v may be an infix pointer. */
static inline bool gc_is_marked(const struct gc_heap *heap, value v) {
    if (!gc_is_major_block(heap, v)) return true;
    return colour_of_header(header_of(block_start(v))) == heap->live_colour;
}

/* Was v, a block of the major heap, found dead by marking, and not swept yet? */
static inline bool gc_is_unreached(const struct gc_heap *heap, value v) {
    return (heap->phase == PHASE_LOOK || heap->phase == PHASE_SWEEP) && !gc_is_marked(heap, v);
}

/* A block of the major heap that ephemerons wait for while marking ends: unmarked, but of this
 * colour, so that marking can tell with the test that it makes anyway. Whoever marks such a block
 * appends it to heap->weak.woken (mark.c). */
#define COLOUR_WATCHED COLOUR_STATIC

/* What freed memory and the left young area are filled with under stress or --gc-verify: odd, so it
 * reads as an integer, and no valid header. */
#define GC_JUNK ((uintptr_t)0xd5d5d5d5d5d5d5d5)
static inline bool gc_fills_junk(const struct gc_heap *heap) {
    return heap->params.stress || heap->params.verify;
}

/* ---- Minor collection (minor.c), for weak.c, final.c and custom.c. ---- */

/* Replaces a young block in *slot by its copy in the major heap, made now if need be (the fields of
 * a new copy follow at gc_minor_drain). Other words are left alone. */
void gc_evacuate(struct gc_domain *g, value *slot);
/* Evacuates until everything reachable from what was evacuated is. */
void gc_minor_drain(struct gc_domain *g);
/* Was young block v evacuated (v: not an infix pointer)? Then its copy is gc_forwarded(v). */
static inline bool gc_is_forwarded(value v) { return header_of(v) == 0; }
static inline value gc_forwarded(value v) { return field(v, 0); }
/* The same for any value of a weak kind: false if *slot is a young block that died, otherwise true
 * with *slot updated. */
bool gc_minor_survives(struct gc_domain *g, value *slot);

/* The same for all slots of [from, to), and for n slots given by address. */
void gc_evacuate_range(struct gc_domain *g, value *from, value *to);
void gc_evacuate_each(struct gc_domain *g, value **slots, size_t n);

/* Called by gc_minor in this order; young_ptr still stands where the program left it. */
void gc_final_minor_roots(
    struct gc_domain *g);                     /* evacuate functions, due queue, `first` arguments */
bool gc_weak_minor_mark(struct gc_domain *g); /* evacuate data whose young keys all survive; true:
                                                   something was, and call again after draining */
void gc_final_minor_last(struct gc_domain *g); /* dead young `last` arguments: due; update others */
void gc_weak_minor_clean(struct gc_domain *g); /* dead young keys: empty them and their data */
/* hooks->minor_done runs here */
void gc_custom_minor(struct gc_domain *g); /* finalize dead young ones, move others to `old` */

/* ---- Major collection (mark.c), for weak.c and final.c. ---- */

/* Marks v if it is an unmarked block of the major heap (its fields follow later). Any word may be
 * passed. Needs: phase MARK. */
void gc_darken(struct gc_heap *heap, value v);

/* The same for all slots of [from, to), faster. The slots are read now, so they may change after.
 * */
void gc_darken_range(struct gc_heap *heap, const value *from, const value *to);

/* At the start of marking, with the young area empty: darken functions and the due queue. */
void gc_final_mark_roots(struct gc_domain *g);
void gc_weak_mark_start(struct gc_domain *g); /* every ephemeron is unsettled again */
/* Called when nothing is left to mark: darken the data of marked ephemerons whose keys are marked.
 * True: something was darkened; called again when marking is through with it. */
bool gc_weak_mark(struct gc_domain *g);
/* Then: unmarked `first` arguments become due, and are darkened. True: something was. */
bool gc_final_mark_first(struct gc_domain *g);
/* Then, marking finished for good: unmarked `last` arguments become due (without the argument). */
void gc_final_mark_last(struct gc_domain *g);
void gc_weak_clean(struct gc_domain *g);   /* W1; forget dead ephemerons */
void gc_custom_clean(struct gc_domain *g); /* finalize unmarked old ones and forget them */
/* hooks->mark_done runs here */

/* ---- Set-up and end of the tables. create: false when memory is exhausted. ---- */
bool gc_mark_create(struct gc_heap *heap);
bool gc_remembered_create(struct gc_heap *heap);
void gc_weak_create(struct gc_heap *heap);
void gc_weak_destroy(struct gc_heap *heap);
void gc_final_create(struct gc_heap *heap);
void gc_final_destroy(struct gc_heap *heap);
/* finalize: run the finalize functions of all custom blocks, young ones included. */
void gc_custom_destroy(struct gc_domain *g, bool finalize);

/* ---- Pacing (pace.c), for custom.c and alloc.c. ---- */

/* Charges a share (0..1) of a whole major cycle, for memory outside the heap; from 1 on a slice is
 * requested at once. */
void gc_pace_external(struct gc_domain *g, double share);
/* Notes words allocated in the major heap, headers included; requests a slice if many. */
void gc_pace_allocated(struct gc_domain *g, size_t words);
/* Makes the next poll run a minor collection (and a slice). */
void gc_request_minor(struct gc_domain *g);
void gc_request_slice(struct gc_domain *g);
/* Starts the first cycle's count; recomputes triggers after gc_set_params. */
void gc_pace_reset(struct gc_heap *heap);
/* Marking starts, has ended: measure survival; sweeping has ended: set the next trigger. */
void gc_pace_mark_started(struct gc_heap *heap);
void gc_pace_mark_ended(struct gc_heap *heap, size_t look_work); /* of the hooks */
void gc_pace_cycle_ended(struct gc_heap *heap);
/* The automatic slice: at most a clamp's worth of the debt. may_settle: the young area is empty. */
intptr_t gc_pace_slice(struct gc_domain *g, bool may_settle);
/* The slice that is due when allocation reaches young_trigger in mid-area. */
void gc_pace_mid_slice(struct gc_domain *g);
/* Puts young_trigger at the next place in the young area where a slice is wanted. */
void gc_pace_place_trigger(struct gc_domain *g);

/* Marks, looks or sweeps budget words' worth, not when idle; settles at the end of marking if it
 * may (then the young area must be empty). Returns the work done. */
intptr_t gc_pace_work(struct gc_domain *g, intptr_t budget, bool may_settle);

/* ---- Minor collection's parts. ---- */

/* Collects, and calls out_of_memory if the heap is still above its limit. */
void gc_collect_for_limit(struct gc_domain *g);
/* A minor collection with everything that goes with it: the automatic slice, the heap limit (which
 * may raise), finalisers due. */
void gc_collect_young(struct gc_domain *g);
/* Whatever level of --gc-stress asks for at an allocation, and at a poll (stress.c). */
void gc_stress_allocation(struct gc_domain *g);
void gc_stress_poll(struct gc_domain *g);
/* The verifier at the end of a phase, if --gc-verify asks for it and it is due. */
void gc_verify_phase(struct gc_domain *g, const char *when);

/* Evacuates and nothing else: no slice, no due work. Ends with G3. */
void gc_minor_collect(struct gc_domain *g);
/* How many spans a minor collection of words may need; P5. */
size_t gc_minor_spans(const struct gc_heap *heap, size_t words);
/* Gives the empty young area the size it should have now and makes P5 true for it; a smaller one
 * and memory_short if the system refuses, the smallest and exhausted if it refuses that too. */
void gc_young_settle(struct gc_domain *g);
/* Visits remembered set and registered roots for a minor collection (remset.c, roots.c). */
void gc_remembered_evacuate(struct gc_domain *g);
void gc_roots_evacuate(struct gc_domain *g);
/* Forgets remembered slots in [from, to), which stop being fields. */
void gc_remembered_forget(struct gc_domain *g, value *from, value *to);
/* Darkens every root: local, registered, scanners (roots.c). */
void gc_roots_darken(struct gc_domain *g);
/* Darkens late roots, some budget of them; returns how many were looked at. */
size_t gc_incremental_roots_darken(struct gc_heap *heap, size_t budget);
void gc_roots_destroy(struct gc_heap *heap);
/* The size that the young area should have now: as wanted, but with no more in it than the limit of
 * the heap leaves room for. */
size_t gc_young_words(const struct gc_heap *heap);
/* Changes the size of the empty young area; keeps the old one if memory is refused. */
bool gc_young_resize(struct gc_domain *g, size_t words);
/* The young area was emptied or moved: allocation, which had come down to used_from, goes on from
 * young_ptr at the same clock (H1). */
void gc_sample_rebase(struct gc_domain *g, uintptr_t used_from);
/* --gc-stress 2: moves the empty young area to other addresses and makes the old ones fault. */
void gc_young_move(struct gc_domain *g);

/* ---- Major heap allocation (pool.c, large.c). All return 0 / NULL when memory or the limit is
 * exhausted, and never collect. ---- */

/* Computes the size classes and sets up their pools, empty. */
void gc_pools_create(struct gc_heap *heap);
/* The address of a free cell; the caller writes header and fields. */
uintptr_t gc_pool_refill(struct gc_heap *heap, struct gc_pool *pool);
static inline uintptr_t gc_pool_alloc(struct gc_heap *heap, struct gc_pool *pool) {
    uintptr_t p = pool->bump, next = p + pool->cell_bytes;
    if (__builtin_expect(next > pool->end, 0)) return gc_pool_refill(heap, pool);
    pool->bump = next;
    return p;
}
/* Gives every pool's current gap a header and puts it back in its span's list, so that spans can be
 * walked; P2. */
void gc_pools_park(struct gc_heap *heap);
/* Spans: n adjacent ones, usable; kind to be set by the caller. And back. */
struct gc_span *gc_spans_alloc(struct gc_heap *heap, size_t n);
void gc_spans_free(struct gc_heap *heap, struct gc_span *span, size_t n);
/* Makes sure that n spans can be handed out one by one without asking the system. */
bool gc_spans_reserve(struct gc_heap *heap, size_t n);
/* Gives free spans back to the system, at most `most`, until keep of them still have memory. */
void gc_spans_discard(struct gc_heap *heap, size_t keep, size_t most);
/* Free spans count too while they hold memory: those that exceed the limit give it back. */
void gc_spans_keep_within_limit(struct gc_heap *heap);

/* The address of wosize + 1 words for a block above MAX_YOUNG_WOSIZE. */
uintptr_t gc_large_alloc(struct gc_heap *heap, size_t wosize);
/* Takes the next region off this sweep's list. NULL: none is left. */
struct gc_span *gc_region_next_unswept(struct gc_heap *heap);
/* Sweeps one region; returns the work done. */
size_t gc_region_sweep(struct gc_heap *heap, struct gc_span *region);
void gc_bins_insert(struct gc_bins *bins, struct gc_run *run);
void gc_bins_remove(struct gc_bins *bins, struct gc_run *run);
/* A run of at least length, close to the shortest there is; stays in the bins. NULL: none. */
struct gc_run *gc_bins_find(const struct gc_bins *bins, size_t length);

/* ---- Walks (heap.c). ---- */

/* Calls f for every block of one span (SMALL or REGION) that is not free; dead ones included. */
void gc_span_walk(struct gc_heap *heap, struct gc_span *span, void (*f)(void *context, value v),
                  void *context);
/* Calls f for every free piece of one span: gaps of cells, free granules. words: header included.
 * */
void gc_span_walk_free(struct gc_heap *heap, struct gc_span *span,
                       void (*f)(void *context, uintptr_t start, size_t words), void *context);
/* Calls f for every span in use and for every run of free spans (by its first span). Needs:
 * gc_pools_park before, if f looks into the spans. */
void gc_spans_walk(struct gc_heap *heap, void (*f)(void *context, struct gc_span *span),
                   void *context);

/* ---- Marking and sweeping, for pace.c. ---- */

void gc_mark_start(struct gc_domain *g); /* needs: phase IDLE, young area empty */
/* Marks up to budget words; returns the words done. Done early when nothing is left. */
intptr_t gc_mark_some(struct gc_domain *g, intptr_t budget);
bool gc_mark_exhausted(const struct gc_heap *heap);
/* Settles ephemerons and finalisers and turns to phase LOOK, or to SWEEP if there is nothing to
 * look at. Needs: young area empty, exhausted. */
void gc_mark_finish(struct gc_domain *g);
/* The hooks' client looks at its blocks, budget words' worth; when it is through the phase becomes
 * SWEEP. Returns the work done. */
intptr_t gc_look_some(struct gc_domain *g, intptr_t budget);
void gc_mark_destroy(struct gc_heap *heap);
void gc_sweep_start(struct gc_heap *heap);
/* Sweeps up to budget units of work (an eighth of a word each); at the end of the heap the phase
 * becomes IDLE. Returns the work done. */
intptr_t gc_sweep_some(struct gc_domain *g, intptr_t budget);
/* Sweeps one small span and leaves its gaps in it; returns the work done. */
size_t gc_sweep_small(struct gc_heap *heap, struct gc_span *span);

/* A pause begins or ends (pauses.c). Needs: heap->pauses. */
void gc_pause_begins(struct gc_heap *heap);
void gc_pause_ends(struct gc_heap *heap);
void gc_pauses_destroy(struct gc_heap *heap);

/* Around an activity of the collector: measures it and tells the hooks. */
static inline void gc_begin_activity(struct gc_domain *g, enum gc_activity what) {
    if (what == GC_ACT_STOP && g->heap->pauses) gc_pause_begins(g->heap);
    if (g->hooks && g->hooks->activity) g->hooks->activity(g->hooks->context, g, what, true, 0);
}
static inline void gc_end_activity(struct gc_domain *g, enum gc_activity what, size_t words) {
    if (g->hooks && g->hooks->activity)
        g->hooks->activity(g->hooks->context, g, what, false, words);
    if (what == GC_ACT_STOP && g->heap->pauses) gc_pause_ends(g->heap);
}

/* A line on stderr if bit of params.verbose is set (v= of OCAMLRUNPARAM). */
void gc_say(const struct gc_heap *heap, unsigned bit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
