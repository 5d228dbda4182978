/* pace.c - when the major collector works, and how much.
 *
 *   allocation since the last marking ended:
 *   0 ............ trigger/2 ............. trigger ............ + o/6 % of live
 *   | look, sweep slices    | idle         | mark slices        | settle, look, sweep ...
 *
 * Work is counted in words marked; sweeping a word counts an eighth of that, which is what it
 * costs. Every word allocated in the major heap owes work at the rate of the phase; slices pay. A
 * slice never does more than SLICE_WORDS (about 1 ms) or a DEBT_PARTS-th of the debt, whichever is
 * more; the rest is carried, and slices are spread over the young area until it is paid.
 *
 * With o = SPACE_SHARE * space_overhead the heap peaks near live * (1 + o * 5/6 %): o/2 % until
 * marking starts, o/6 % allocated while marking, and the same amount left over from the marking
 * before (M1 keeps it). The share makes up for what OCaml's collector does more than its o asks
 * for: its heap stays near 1.7 times what is live where o = 120 would allow 2.2.
 *
 * Ramp-up: a program that builds up data would be marked over and over. If most of what was
 * allocated in the last cycle survived, marking starts later, at 0.8 o % of live in the extreme;
 * and the size of the work is estimated with that survival, not with what was live before.
 *
 * A small heap is collected all the same: its program should not be large for the collector's sake.
 * But where the roots are many (a deep stack), marking starts only when their eighth was allocated.
 *
 * A program that does nothing but read large messages polls once a message, and no young area fills
 * up over which slices could be spread. So a slice may do BULK_SHARE times as much as was born in
 * bulk before it, which took as long, and marking ends at the next poll once it is through.
 *
 * Memory outside the heap (gc_pace_external) owes its share of a whole cycle. */
#include "gc/final.h"
#include "gc/heap_internal.h"

enum {
    SLICE_WORDS = IF_SMALL_TABLES(100, 100000),
    DEBT_PARTS = 32,
    SLICE_DISCARDS = IF_SMALL_TABLES(1, 64), /* spans */
    LONG_COPY_WORDS = 100000, /* a minor collection that promotes as much takes 1 ms or more */
    MIN_TRIGGER_WORDS = IF_SMALL_TABLES(64, 32 * 1024),
    ROOTS_A_WORD = 8, /* read for each word allocated, at most */
    MIN_ALLOWANCE_WORDS = IF_SMALL_TABLES(64, 8 * 1024),
    BULK_SHARE = 2,
    EMERGENCY_WORDS = 128 * 1024, /* what handlers of Out_of_memory may use beyond the limit */
};
#define SPACE_SHARE 0.7

/* A program may set any space_overhead; what is above all heaps is none. */
#define MAX_OVERHEAD 1e7

static double overhead(const struct gc_heap *heap) {
    double percent = (double)heap->params.space_overhead;
    return SPACE_SHARE * (percent < MAX_OVERHEAD ? percent : MAX_OVERHEAD) / 100.0;
}

static double sweep_work(const struct gc_heap *heap) {
    return (double)(heap->top_span - heap->free_span_count) * (SPAN_WORDS / 8);
}

static double at_least(double x, double minimum) { return x > minimum ? x : minimum; }

/* ---- The marks along a cycle. ---- */

static void set_trigger(struct gc_heap *heap) {
    struct gc_pace *pace = &heap->pace;
    double stretch = 0.5 + at_least(pace->survival - 0.5, 0) * 0.6;
    double words = (double)pace->live_words * overhead(heap) * stretch;
    double least = at_least((double)heap->mark.root_words / ROOTS_A_WORD, MIN_TRIGGER_WORDS);
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
    double work = live * 1.1 + (double)heap->mark.late_words;
    pace->mark_rate = at_least(work / allowance, 1);
    pace->before_marking = pace->allocated_words;
    pace->unpaid_words = 0;
    pace->debt = BULK_SHARE * (double)pace->bulk_words;
}

void gc_pace_mark_ended(struct gc_heap *heap, size_t look_work) {
    struct gc_pace *pace = &heap->pace;
    size_t live = heap->mark.marked_words + (pace->allocated_words - pace->before_marking);
    double kept = (double)live - (double)pace->live_words;
    pace->survival = kept <= 0 || pace->allocated_words == 0 ? 0
                                                             : kept / (double)pace->allocated_words;
    if (pace->survival > 1) pace->survival = 1;
    pace->live_words = live;
    pace->allocated_words = 0;
    pace->unpaid_words = 0;
    pace->debt = 0;
    set_trigger(heap);
    double work = (double)look_work + sweep_work(heap);
    pace->sweep_rate = work / ((double)pace->trigger_words / 2);
    gc_say(heap, 0x40, "Marked: %zu KB live, survival %.2f, next after %zu KB\n", live / 128,
           pace->survival, pace->trigger_words / 128);
}

void gc_pace_cycle_ended(struct gc_heap *heap) {
    heap->stats.major_collections++;
    heap->pace.debt = 0;
    heap->pace.unpaid_words = 0;
    /* What the next cycle may want is kept: giving it back and faulting it in again costs more than
     * allocating from it. The rest of a peak goes, a little with each slice: a large piece at once
     * would be a pause of 0.1 ms a megabyte. */
    heap->pace.keep_spans = heap->pace.trigger_words * 3 / 2 / SPAN_WORDS +
                            COMMIT_BYTES / SPAN_BYTES;
    gc_say(heap, 0x01, "Major cycle done: %zu KB\n", heap->committed_spans * (SPAN_BYTES / 1024));
}

/* ---- Charges and requests. ---- */

void gc_request_minor(struct gc_domain *g) {
    g->heap->minor_requested = true;
    gc_request_action(g);
}

void gc_request_slice(struct gc_domain *g) {
    g->heap->slice_requested = true;
    gc_request_action(g);
}

void gc_pace_external(struct gc_domain *g, double share) {
    struct gc_pace *pace = &g->heap->pace;
    pace->external += share;
    if (pace->external > 1) {
        pace->external = 1;
        gc_request_slice(g);
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

/* Has what was allocated directly in the major heap earned a slice? */
static bool slice_due(const struct gc_heap *heap) {
    if (heap->phase == PHASE_IDLE) return cycle_due(heap);
    return rate(heap) * (double)heap->pace.unpaid_words + heap->pace.debt >= SLICE_WORDS;
}

void gc_pace_allocated(struct gc_domain *g, size_t words) {
    struct gc_heap *heap = g->heap;
    heap->stats.major_words += words;
    heap->pace.allocated_words += words;
    heap->pace.unpaid_words += words;
    if (!heap->slice_requested && slice_due(heap)) gc_request_slice(g);
}

/* ---- Slices. ---- */

/* Turns what was allocated since the last slice into debt. */
static void accrue(struct gc_heap *heap) {
    struct gc_pace *pace = &heap->pace;
    pace->debt += rate(heap) * (double)pace->unpaid_words;
    pace->unpaid_words = 0;
    if (pace->external > 0) {
        pace->debt += pace->external * (1.1 * (double)pace->live_words + sweep_work(heap));
        pace->external = 0;
    }
}

static intptr_t mark_some(struct gc_domain *g, intptr_t budget) {
    gc_begin_activity(g, GC_ACT_MARK);
    intptr_t done = gc_mark_some(g, budget);
    gc_end_activity(g, GC_ACT_MARK, (size_t)done);
    return done;
}

static intptr_t sweep_some(struct gc_domain *g, intptr_t budget) {
    gc_begin_activity(g, GC_ACT_SWEEP);
    intptr_t done = gc_sweep_some(g, budget);
    gc_end_activity(g, GC_ACT_SWEEP, (size_t)done);
    return done;
}

intptr_t gc_pace_work(struct gc_domain *g, intptr_t budget, bool may_settle) {
    struct gc_heap *heap = g->heap;
    if (heap->phase == PHASE_SWEEP) return sweep_some(g, budget);
    if (heap->phase == PHASE_LOOK) return gc_look_some(g, budget);
    intptr_t done = mark_some(g, budget);
    if (gc_mark_exhausted(heap) && may_settle) gc_mark_finish(g);
    return done;
}

intptr_t gc_pace_slice(struct gc_domain *g, bool may_settle) {
    struct gc_heap *heap = g->heap;
    struct gc_pace *pace = &heap->pace;
    if (heap->phase == PHASE_IDLE) {
        pace->unpaid_words = pace->bulk_words = 0;
        gc_spans_discard(heap, pace->keep_spans, SLICE_DISCARDS);
        if (!may_settle || !cycle_due(heap)) return 0;
        gc_mark_start(g);
    }
    accrue(heap);
    if (pace->debt <= 0) return 0;
    double budget = at_least(SLICE_WORDS, pace->debt / DEBT_PARTS);
    budget = at_least(budget, BULK_SHARE * (double)pace->bulk_words);
    pace->bulk_words = 0;
    /* After a long copy most is left to the slices in mid-area. Some marking is due here: only now
     * can it end, and the barrier adds to it all the time. */
    if (may_settle && heap->promoted_words > LONG_COPY_WORDS) budget /= 2;
    if (budget > pace->debt) budget = pace->debt;
    enum gc_phase phase = heap->phase;
    intptr_t done = gc_pace_work(g, (intptr_t)budget + 1, may_settle);
    /* The ends of marking and of sweeping settle it. */
    if (heap->phase == phase || phase == PHASE_LOOK) pace->debt -= (double)done;
    gc_say(heap, 0x20, "Slice: %ld words of work, %.0f owed\n", (long)done, pace->debt);
    return done;
}

/* Marking needs no further slices, but for what stores leave in the queue now and then: it waits
 * for an empty young area to end. */
static bool is_through(const struct gc_heap *heap) {
    return heap->phase == PHASE_MARK && heap->mark.count == 0 && !heap->mark.lost;
}

void gc_pace_place_trigger(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    g->young_trigger = heap->exhausted ? g->young_ptr : g->young_start;
    if (heap->exhausted || heap->phase == PHASE_IDLE || heap->pace.debt < SLICE_WORDS ||
        is_through(heap))
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

/* What every collection that began with GC_ACT_STOP ends with. */
static void settle_limits(struct gc_domain *g) {
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    if (gc_finalisers_due(g)) gc_request_action(g);
    gc_end_activity(g, GC_ACT_STOP, 0);
}

/* Needs: young area empty. */
static void run_to_idle(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    if (heap->phase == PHASE_MARK) {
        mark_some(g, INTPTR_MAX);
        gc_mark_finish(g);
    }
    if (heap->phase == PHASE_LOOK) gc_look_some(g, INTPTR_MAX);
    if (heap->phase == PHASE_SWEEP) sweep_some(g, INTPTR_MAX);
}

void gc_finish_major_cycle(struct gc_domain *g) {
    gc_begin_activity(g, GC_ACT_STOP);
    gc_minor_collect(g);
    if (g->heap->phase == PHASE_IDLE) gc_mark_start(g);
    run_to_idle(g);
    settle_limits(g);
}

void gc_full_major_cycle(struct gc_domain *g) {
    gc_begin_activity(g, GC_ACT_STOP);
    gc_minor_collect(g);
    run_to_idle(g);
    gc_mark_start(g);
    run_to_idle(g);
    gc_spans_discard(g->heap, g->heap->pace.keep_spans, SIZE_MAX);
    g->heap->pace.external = 0;
    g->heap->stats.forced_major_collections++;
    settle_limits(g);
}

void gc_compact(struct gc_domain *g) {
    gc_full_major_cycle(g);
    gc_spans_discard(g->heap, 0, SIZE_MAX);
    g->heap->stats.compactions++;
}

intptr_t gc_major_slice(struct gc_domain *g, intptr_t howmuch) {
    struct gc_heap *heap = g->heap;
    gc_begin_activity(g, GC_ACT_STOP);
    gc_minor_collect(g);
    intptr_t done = 0;
    if (howmuch <= 0) done = gc_pace_slice(g, true);
    else {
        if (heap->phase == PHASE_IDLE) gc_mark_start(g);
        while (done < howmuch && heap->phase != PHASE_IDLE)
            done += gc_pace_work(g, howmuch - done, true) + 1;
    }
    settle_limits(g);
    return done;
}

/* ---- Collections that allocation asks for. ---- */

/* Does the heap exceed its limit by more than words? */
static bool too_large(const struct gc_heap *heap, size_t words) {
    size_t used = (heap->top_span - heap->free_span_count) * SPAN_WORDS;
    size_t limit = gc_limit_words(heap);
    return used > limit && used - limit > words;
}

void gc_collect_for_limit(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    gc_full_major_cycle(g);
    heap->exhausted = too_large(heap, EMERGENCY_WORDS);
    gc_young_settle(g);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    if (heap->memory_short || too_large(heap, 0))
        heap->up.out_of_memory(heap->up.context, g, heap->young_words_wanted);
}

void gc_collect_young(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    heap->slice_requested = false;
    gc_begin_activity(g, GC_ACT_STOP);
    gc_minor_collect(g);
    gc_pace_slice(g, true);
    settle_limits(g);
    /* The minor collection ignored the limit. */
    if (heap->memory_short || too_large(heap, 0)) gc_collect_for_limit(g);
}

void gc_pace_mid_slice(struct gc_domain *g) {
    gc_begin_activity(g, GC_ACT_STOP);
    gc_pace_slice(g, false);
    settle_limits(g);
}

void gc_minor(struct gc_domain *g) {
    gc_begin_activity(g, GC_ACT_STOP);
    gc_minor_collect(g);
    settle_limits(g);
}

void gc_do_due_work(struct gc_domain *g) {
    gc_stress_poll(g);
    struct gc_heap *heap = g->heap;
    bool bulky = heap->pace.bulk_words >= SLICE_WORDS;
    bool turn = heap->phase == PHASE_IDLE ? cycle_due(heap) : is_through(heap);
    if (heap->minor_requested || (heap->slice_requested && turn)) gc_collect_young(g);
    else if (heap->slice_requested) {
        heap->slice_requested = false;
        gc_pace_mid_slice(g);
        if (bulky && is_through(heap)) gc_request_slice(g);
    }
}
