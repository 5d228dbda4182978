/* pace.c - when the major collector works, and how much.
 *
 *   allocation since the last marking ended:
 *   0 ............ trigger/2 ............. trigger ............ + o/6 % of live
 *   | inspect, sweep slices | idle         | mark slices        | inspect, sweep ...
 *
 * Work is counted in words marked; sweeping a word counts as an eighth, in proportion to its cost.
 * Every word allocated in the major heap adds to the debt at the rate of the phase; slices reduce
 * it. A slice does at most SLICE_WORDS (about 1 ms) or a DEBT_PARTS-th of the debt, whichever is
 * more; the rest is carried, and slices are spread over the minor heap until it is paid.
 *
 * With o = SPACE_SHARE * space_overhead the heap peaks near live * (1 + o * 5/6 %): o/2 % until
 * marking starts, o/6 % allocated while marking, and the same amount of garbage that the previous
 * marking kept (M1). SPACE_SHARE adapts to OCaml's collector, which collects more often than its o
 * requires: its heap stays near 1.7 times the live data where o = 120 would allow 2.2.
 *
 * While a program builds its data structures, marking would start again and again. So if most of
 * what was allocated in the last cycle survived, marking starts later, at up to 0.8 o % of live, or
 * 1.3 o % while less than 3 MB are live: a short run of a large program then ends before it. The
 * work is estimated from that survival, not from what was live before.
 *
 * Small heaps are collected as well, so that small programs stay small. But with many roots (a deep
 * stack) marking starts only when an eighth of their number, in words, has been allocated.
 *
 * A program that only unmarshals large values polls once per value, and does not fill the minor
 * heap, over which slices are normally spread. So a slice may do BULK_SHARE times as much work as
 * words were allocated in bulk before it: that allocation took about as long, so the pause is not
 * noticeable beside it. Marking then ends at the next poll.
 *
 * Memory outside the heap adds its share of a whole cycle to the debt (gc_pace_external). */
#include "gc/heap_internal.h"
#include "gc/weak.h"

enum {
    SLICE_WORDS = IF_SMALL_TABLES(100, 100000),
    DEBT_PARTS = 32,
    SLICE_DISCARDS = IF_SMALL_TABLES(1, 64), /* spans */
    LONG_COPY_WORDS = 100000, /* a minor collection that promotes this takes 1 ms or more */
    MIN_TRIGGER_WORDS = IF_SMALL_TABLES(64, 32 * 1024),
    SMALL_HEAP_WORDS = IF_SMALL_TABLES(256, 384 * 1024),
    ROOTS_PER_WORD = 8, /* read for each word allocated, at most */
    MIN_ALLOWANCE_WORDS = IF_SMALL_TABLES(64, 8 * 1024),
    BULK_SHARE = 2,
    EMERGENCY_WORDS = 128 * 1024, /* beyond the limit, for handlers of Out_of_memory */
};
#define SPACE_SHARE 0.7
/* Of what was allocated in the last cycle: promotion then adds mixed spans, where blocks lie next
 * to those that lead to them. Where more dies, spans of one size are swept and filled faster. */
#define MIN_SURVIVAL_TO_MIX 0.8

/* A program may set any space_overhead. */
#define MAX_OVERHEAD 1e7

static double overhead(const struct gc_heap *heap) {
    double percent = (double)heap->params.space_overhead;
    return SPACE_SHARE * (percent < MAX_OVERHEAD ? percent : MAX_OVERHEAD) / 100.0;
}

static double sweep_work(const struct gc_heap *heap) {
    return (double)gc_used_spans(heap) * (SPAN_WORDS / 8);
}

static double at_least(double x, double minimum) { return x > minimum ? x : minimum; }
static double at_most(double x, double maximum) { return x < maximum ? x : maximum; }

/* ---- Triggers and rates. ---- */

static void set_trigger(struct gc_heap *heap) {
    struct gc_pace *pace = &heap->pace;
    double building = at_least(pace->survival - 0.5, 0) * 2;
    double live = (double)pace->live_words, share = live * overhead(heap);
    double missing = at_least(SMALL_HEAP_WORDS - live, 0);
    double words = share * (0.5 + building * 0.3) + building * at_most(share, missing) / 2;
    double least = at_least((double)heap->mark.root_words / ROOTS_PER_WORD, MIN_TRIGGER_WORDS);
    pace->trigger_words = (size_t)at_least(words, least);
}

void gc_pace_reset(struct gc_heap *heap) {
    if (heap->pace.keep_spans == 0) heap->pace.keep_spans = SIZE_MAX;
    if (heap->stats.major_collections == 0) heap->pace.survival = 1;
    set_trigger(heap);
}

void gc_pace_mark_started(struct gc_heap *heap) {
    struct gc_pace *pace = &heap->pace;
    double live = (double)pace->live_words + pace->survival * (double)pace->allocated_words;
    double allowance = at_least(live * overhead(heap) / 6, MIN_ALLOWANCE_WORDS);
    double work = live * 1.1 + (double)heap->mark.deferred_roots;
    pace->mark_rate = at_least(work / allowance, 1);
    pace->before_marking = pace->allocated_words;
    pace->ahead = 0;
    pace->unpaid_words = 0;
    pace->debt = BULK_SHARE * (double)pace->bulk_words;
}

void gc_pace_mark_ended(struct gc_heap *heap, size_t inspect_work) {
    struct gc_pace *pace = &heap->pace;
    ASSERT(heap->phase == PHASE_INSPECT && pace->before_marking <= pace->allocated_words);
    size_t live = heap->mark.marked_words + (pace->allocated_words - pace->before_marking);
    double kept = (double)live - (double)pace->live_words;
    if (kept <= 0 || pace->allocated_words == 0) pace->survival = 0;
    else pace->survival = kept / (double)pace->allocated_words;
    if (pace->survival > 1) pace->survival = 1;
    heap->mixing = pace->survival >= MIN_SURVIVAL_TO_MIX;
    pace->live_words = live;
    pace->allocated_words = 0;
    pace->ahead = 0;
    pace->unpaid_words = 0;
    pace->debt = 0;
    set_trigger(heap);
    double work = (double)inspect_work + sweep_work(heap);
    pace->sweep_rate = work / ((double)pace->trigger_words / 2);
    gc_log(heap, 0x40, "Marked: %zu KB live, survival %.2f, next after %zu KB\n", live / 128,
           pace->survival, pace->trigger_words / 128);
}

void gc_pace_cycle_ended(struct gc_heap *heap) {
    ASSERT(heap->phase == PHASE_IDLE);
    heap->stats.major_collections++;
    gc_pools_unmix(heap);
    heap->pace.debt = 0;
    heap->pace.unpaid_words = 0;
    /* Spans that the next cycle may need are kept: returning memory and faulting it in again costs
     * more than allocating from it. The others are returned, a few with each slice: many at once
     * would be a pause of 0.1 ms per megabyte. */
    heap->pace.keep_spans = heap->pace.trigger_words * 3 / 2 / SPAN_WORDS +
                            COMMIT_BYTES / SPAN_BYTES;
    gc_log(heap, 0x01, "Major cycle done: %zu KB\n", heap->committed_spans * (SPAN_BYTES / 1024));
}

/* ---- Requests. ---- */

/* The first of several requests is the cause. */
void gc_request_minor(struct gc_domain *g, enum gc_cause cause) {
    if (!g->minor.requested) g->minor.requested_for = cause;
    g->minor.requested = true;
    gc_request_action(g);
}

void gc_request_slice(struct gc_domain *g, enum gc_cause cause) {
    if (!g->slice_requested) g->slice_requested_for = cause;
    g->slice_requested = true;
    gc_request_action(g);
}

void gc_pace_external(struct gc_domain *g, double share) {
    struct gc_pace *pace = &g->heap->pace;
    ASSERT(share >= 0 && share <= 1);
    pace->external += share;
    if (pace->external > 1) {
        pace->external = 1;
        gc_request_slice(g, GC_FOR_EXTERNAL);
    }
}

static bool cycle_due(const struct gc_heap *heap) {
    const struct gc_pace *pace = &heap->pace;
    double external = 2 * pace->external * (double)pace->trigger_words;
    return (double)pace->allocated_words + external >= (double)pace->trigger_words;
}

static double rate(const struct gc_heap *heap) {
    return heap->phase == PHASE_MARK ? heap->pace.mark_rate : heap->pace.sweep_rate;
}

/* Whether enough was allocated in the major heap for a slice. */
static bool slice_due(const struct gc_heap *heap) {
    if (heap->phase == PHASE_IDLE) return cycle_due(heap);
    return rate(heap) * (double)heap->pace.unpaid_words + heap->pace.debt >= SLICE_WORDS;
}

void gc_pace_allocated(struct gc_domain *g, size_t words) {
    struct gc_heap *heap = g->heap;
    heap->stats.major_words += words;
    heap->pace.allocated_words += words;
    heap->pace.unpaid_words += words;
    if (!g->slice_requested && slice_due(heap)) gc_request_slice(g, GC_FOR_PACE);
}

/* ---- Slices. ---- */

/* Turns the allocation since the last slice into debt. */
static void accrue(struct gc_heap *heap) {
    struct gc_pace *pace = &heap->pace;
    pace->debt += rate(heap) * (double)pace->unpaid_words;
    pace->unpaid_words = 0;
    if (pace->external > 0) {
        pace->debt += pace->external * (1.1 * (double)pace->live_words + sweep_work(heap));
        pace->external = 0;
    }
}

static intptr_t pace_do(struct gc_domain *g, enum gc_activity what, intptr_t budget) {
    gc_begin_activity(g, what);
    intptr_t done = what == GC_ACT_MARK ? gc_mark_some(g, budget) : gc_sweep_some(g, budget);
    gc_end_activity(g, what, (size_t)done);
    return done;
}

intptr_t gc_pace_work(struct gc_domain *g, intptr_t budget, bool may_finish) {
    struct gc_heap *heap = g->heap;
    ASSERT(heap->phase != PHASE_IDLE && budget > 0);
    ASSERT(!may_finish || g->young_ptr == g->young_end);
    if (heap->phase == PHASE_SWEEP) return pace_do(g, GC_ACT_SWEEP, budget);
    if (heap->phase == PHASE_INSPECT) return gc_inspect_some(g, budget);
    intptr_t done = pace_do(g, GC_ACT_MARK, budget);
    if (gc_mark_is_done(heap) && may_finish) gc_mark_finish(g);
    return done;
}

/* The automatic slice: a bounded part of the debt. may_finish: the minor heap is empty. */
static intptr_t pace_slice(struct gc_domain *g, bool may_finish) {
    struct gc_heap *heap = g->heap;
    struct gc_pace *pace = &heap->pace;
    if (heap->phase == PHASE_IDLE) {
        pace->unpaid_words = pace->bulk_words = 0;
        gc_spans_discard(heap, pace->keep_spans, SLICE_DISCARDS);
        if (!may_finish || !cycle_due(heap)) return 0;
        gc_mark_start(g);
    }
    accrue(heap);
    if (pace->debt <= 0) return 0;
    double budget = at_least(SLICE_WORDS, pace->debt / DEBT_PARTS);
    budget = at_least(budget, BULK_SHARE * (double)pace->bulk_words);
    pace->bulk_words = 0;
    /* After a long minor collection half of the work is left to later slices. Not all of it:
     * marking can end only here, and the write barrier keeps adding to its work. */
    if (may_finish && g->minor.promoted_words > LONG_COPY_WORDS) budget /= 2;
    if (budget > pace->debt) budget = pace->debt;
    enum gc_phase phase = heap->phase;
    intptr_t done = gc_pace_work(g, (intptr_t)budget + 1, may_finish);
    /* The end of marking or of sweeping has cleared the debt. */
    if (heap->phase == phase || phase == PHASE_INSPECT) pace->debt -= (double)done;
    gc_log(heap, 0x40, "Slice: %ld words of work, %.0f owed\n", (long)done, pace->debt);
    return done;
}

/* Whether marking can end at the next minor collection: only blocks that the write barrier has
 * queued are left. */
static bool can_finish(const struct gc_heap *heap) {
    return heap->phase == PHASE_MARK && heap->mark.stack.count == 0 && !heap->mark.lost;
}

void gc_pace_place_trigger(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    g->young_trigger = heap->exhausted ? g->young_ptr : g->young_start;
    if (heap->exhausted || heap->phase == PHASE_IDLE || heap->pace.debt < SLICE_WORDS ||
        can_finish(heap))
        return;
    double slices = heap->pace.debt / SLICE_WORDS;
    if (slices > 2 * DEBT_PARTS) slices = 2 * DEBT_PARTS;
    uintptr_t space = g->young_ptr - g->young_start;
    uintptr_t step = (uintptr_t)((double)(space / 8) / (slices + 1)) * 8;
    const uintptr_t largest_block = 8 * (MAX_YOUNG_WOSIZE + 1);
    if (step < largest_block) step = largest_block;
    if (step < space) g->young_trigger = g->young_ptr - step;
}

/* ---- Cycles on demand. ---- */

static void begin_pause(struct gc_domain *g, enum gc_cause cause) {
    g->cause = cause;
    gc_begin_activity(g, GC_ACT_PAUSE);
}

static void end_pause(struct gc_domain *g) {
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    if (gc_finalisers_ready(g)) gc_request_action(g);
    gc_end_activity(g, GC_ACT_PAUSE, 0);
}

/* Needs: minor heap empty. */
static void mark_to_end(struct gc_domain *g) {
    const struct gc_heap *heap = g->heap;
    ASSERT(g->young_ptr == g->young_end);
    if (heap->phase == PHASE_MARK) {
        pace_do(g, GC_ACT_MARK, INTPTR_MAX);
        gc_mark_finish(g);
    }
    if (heap->phase == PHASE_INSPECT) gc_inspect_some(g, INTPTR_MAX);
}

/* Needs: minor heap empty. */
static void run_to_idle(struct gc_domain *g) {
    const struct gc_heap *heap = g->heap;
    mark_to_end(g);
    if (heap->phase == PHASE_SWEEP) pace_do(g, GC_ACT_SWEEP, INTPTR_MAX);
    ASSERT(heap->phase == PHASE_IDLE);
}

void gc_finish_major_cycle(struct gc_domain *g) {
    begin_pause(g, GC_FOR_PROGRAM);
    gc_minor_collect(g);
    if (g->heap->phase == PHASE_IDLE) gc_mark_start(g);
    run_to_idle(g);
    end_pause(g);
}

/* Nothing has started a cycle yet. */
static bool in_first_cycle(const struct gc_heap *heap) {
    return heap->phase == PHASE_IDLE && heap->stats.major_collections == 0;
}

bool gc_start_first_major_cycle(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    if (!in_first_cycle(heap)) return false;
    begin_pause(g, GC_FOR_PROGRAM);
    gc_minor_collect(g);
    if (heap->params.starts_in_a_cycle) heap->stats.major_collections++;
    gc_mark_start(g);
    end_pause(g);
    return true;
}

/* After a cycle that the program requested. Small heaps are marked at once, since a program that
 * only stores from now on has no slices. */
static void start_next(struct gc_domain *g) {
    gc_mark_start(g);
    g->heap->pace.ahead = pace_do(g, GC_ACT_MARK, SLICE_WORDS);
}

void gc_next_major_cycle(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    begin_pause(g, GC_FOR_PROGRAM);
    gc_minor_collect(g);
    if (in_first_cycle(heap) && heap->params.starts_in_a_cycle) {
        heap->stats.major_collections++;
    } else {
        if (heap->phase == PHASE_IDLE) gc_mark_start(g);
        run_to_idle(g);
    }
    gc_minor_collect(g);
    start_next(g);
    end_pause(g);
}

void gc_count_requested_cycles(struct gc_domain *g, bool compacts) {
    g->heap->stats.forced_major_collections++;
    if (compacts) g->heap->stats.compactions++;
}

void gc_end_requested_cycles(struct gc_domain *g, bool compacts) {
    struct gc_heap *heap = g->heap;
    gc_spans_discard(heap, compacts ? 0 : heap->pace.keep_spans, SIZE_MAX);
    heap->pace.external = 0;
}

static void full_cycle(struct gc_domain *g, enum gc_cause cause, bool compacts) {
    begin_pause(g, cause);
    gc_minor_collect(g);
    run_to_idle(g);
    gc_mark_start(g);
    run_to_idle(g);
    gc_count_requested_cycles(g, compacts);
    gc_end_requested_cycles(g, compacts);
    end_pause(g);
}

void gc_full_cycle_for(struct gc_domain *g, enum gc_cause cause) { full_cycle(g, cause, false); }
void gc_full_major_cycle(struct gc_domain *g) { full_cycle(g, GC_FOR_PROGRAM, false); }
void gc_compact(struct gc_domain *g) { full_cycle(g, GC_FOR_PROGRAM, true); }

void gc_mark_everything(struct gc_domain *g) {
    begin_pause(g, GC_FOR_MACHINE);
    gc_minor_collect(g);
    run_to_idle(g);
    gc_mark_start(g);
    mark_to_end(g);
    end_pause(g);
}

/* Marking begins and ends with an empty minor heap; a slice that does neither leaves it alone. */
static bool needs_minor(const struct gc_heap *heap) {
    if (heap->phase == PHASE_IDLE) return true;
    return heap->phase == PHASE_MARK && gc_mark_is_done(heap);
}

intptr_t gc_major_slice(struct gc_domain *g, intptr_t howmuch) {
    struct gc_heap *heap = g->heap;
    begin_pause(g, GC_FOR_PROGRAM);
    intptr_t done = 0;
    if (howmuch <= 0) {
        if (slice_due(heap) && (heap->phase == PHASE_IDLE || can_finish(heap))) gc_minor_collect(g);
        done = pace_slice(g, g->young_ptr == g->young_end);
    } else {
        done = howmuch < heap->pace.ahead ? howmuch : heap->pace.ahead;
        heap->pace.ahead -= done;
        while (done < howmuch) {
            if (needs_minor(heap)) gc_minor_collect(g);
            if (heap->phase == PHASE_IDLE) gc_mark_start(g);
            done += gc_pace_work(g, howmuch - done, g->young_ptr == g->young_end) + 1;
            if (heap->phase != PHASE_IDLE) continue;
            if (g->young_ptr < g->young_end) gc_minor_collect(g);
            start_next(g);
            break;
        }
    }
    end_pause(g);
    return done;
}

/* ---- Collections requested by allocation. ---- */

/* Whether the heap exceeds its limit by more than that number of words. */
static bool too_large(const struct gc_heap *heap, size_t words) {
    size_t used = gc_used_spans(heap) * SPAN_WORDS;
    size_t limit = gc_limit_words(heap);
    return used > limit && used - limit > words;
}

void gc_collect_for_limit(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    gc_full_cycle_for(g, GC_FOR_LIMIT);
    heap->exhausted = too_large(heap, EMERGENCY_WORDS);
    gc_minor_heap_resize(g);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    if (g->minor.short_of_memory || too_large(heap, 0)) gc_out_of_memory(g, g->minor.wanted_words);
}

void gc_minor_and_slice(struct gc_domain *g, enum gc_cause cause) {
    g->slice_requested = false;
    begin_pause(g, cause);
    gc_minor_collect(g);
    pace_slice(g, true);
    end_pause(g);
    /* The minor collection ignored the limit. */
    if (g->minor.short_of_memory || too_large(g->heap, 0)) gc_collect_for_limit(g);
}

void gc_pace_mid_slice(struct gc_domain *g, enum gc_cause cause) {
    begin_pause(g, cause);
    pace_slice(g, false);
    end_pause(g);
}

void gc_minor_for(struct gc_domain *g, enum gc_cause cause) {
    begin_pause(g, cause);
    gc_minor_collect(g);
    end_pause(g);
}

void gc_minor(struct gc_domain *g) { gc_minor_for(g, GC_FOR_PROGRAM); }

void gc_collect_requested(struct gc_domain *g) {
    gc_stress_poll(g);
    struct gc_heap *heap = g->heap;
    bool bulky = heap->pace.bulk_words >= SLICE_WORDS;
    bool needs_empty_minor = heap->phase == PHASE_IDLE ? cycle_due(heap) : can_finish(heap);
    enum gc_cause slice_cause = g->slice_requested_for;
    if (g->minor.requested) gc_minor_and_slice(g, g->minor.requested_for);
    else if (g->slice_requested && needs_empty_minor) gc_minor_and_slice(g, slice_cause);
    else if (g->slice_requested) {
        g->slice_requested = false;
        gc_pace_mid_slice(g, slice_cause);
        if (bulky && can_finish(heap)) gc_request_slice(g, slice_cause);
    }
}
