/* stress.c - the levels of --gc-stress, at allocations and at polls (table in gc/README.md).
 *
 * Levels 1, 2, 5 and 6 act at every step of the program. Checks whose cost is proportional to the
 * heap or the stack (the verifier, the machine's own checks, reading the roots for a major cycle)
 * would make them quadratic, and moving the minor heap costs system calls. So each kind of check
 * has a budget: every step adds some words to it, and the check is made when the budget covers the
 * words that it reads. In a short program nearly every step is followed by a check; a program of
 * millions of steps takes a few times as long as without. At the other levels, and without one,
 * each phase adds as many words as many steps do: a check of a heap of up to 8 MB is made at each
 * of the first 128 phases, of one of 0.5 MB always. Builds with small tables, whose phases are as
 * frequent as steps, add less. */
#include "gc/heap_internal.h"

enum {
    SLICE_WORDS = 200,      /* of marking and sweeping, while the program is short */
    SHORT_SLICE_WORDS = 40, /* later */
    MOVE_WORDS = 1024,      /* the cost of moving the minor heap: two system calls */
    CYCLE_INTERVAL = 1000,  /* allocations between full cycles at levels 3 and 4 */
    SHORT_STEPS = 1 << 14,  /* steps that add RICH words each */
    RICH = 1024,
    LONG_STEPS = 1 << 17,                 /* steps that add FAIR words each; the others add LEAN */
    PHASE_STEPS = 128,                    /* what a phase counts for, */
    PHASE_FACTOR = IF_SMALL_TABLES(1, 8), /* and how much more each of them adds */
    FAIR = 256,
    LEAN = 64,
};

static uint64_t earned(uint64_t steps) {
    if (steps <= SHORT_STEPS) return steps * RICH;
    uint64_t words = (uint64_t)SHORT_STEPS * RICH;
    if (steps <= LONG_STEPS) return words + (steps - SHORT_STEPS) * FAIR;
    words += (uint64_t)(LONG_STEPS - SHORT_STEPS) * FAIR;
    return words + (steps - LONG_STEPS) * LEAN;
}

static bool at_each_step(const struct gc_heap *heap) {
    unsigned level = heap->params.stress;
    return level != 0 && level != 3 && level != 4;
}

bool gc_check_due(struct gc_domain *g, struct gc_check_budget *account, size_t words) {
    struct gc_heap *heap = g->heap;
    uint64_t now = at_each_step(heap) ? earned(heap->stress.steps)
                                      : earned(heap->stress.steps + PHASE_STEPS) * PHASE_FACTOR;
    ASSERT(account->spent <= now);
    if (now - account->spent < words) return false;
    account->spent = now;
    return true;
}

/* What the verifier reads; gaps of spans cost almost nothing. */
static size_t words_to_verify(const struct gc_domain *g) {
    const struct gc_heap *heap = g->heap;
    size_t young = (g->young_end - g->young_ptr) / 8;
    return heap->pace.live_words + heap->pace.allocated_words + young + heap->mark.root_words +
           heap->top_span * (SPAN_WORDS / 64);
}

void gc_verify_phase(struct gc_domain *g, const char *when) {
    struct gc_heap *heap = g->heap;
    if (heap->params.verify && gc_check_due(g, &heap->stress.at_phases, words_to_verify(g)))
        gc_verify(g, when);
    if (!at_each_step(heap)) heap->stress.steps += PHASE_STEPS;
}

/* A few words of work of the current phase. */
static void stress_slice(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    if (heap->phase == PHASE_IDLE) {
        if (!gc_check_due(g, &heap->stress.cycles, heap->mark.root_words)) return;
        gc_minor_collect(g);
        gc_mark_start(g);
        return;
    }
    if (heap->phase == PHASE_MARK && gc_mark_is_done(heap)) gc_minor_collect(g);
    intptr_t words = heap->stress.steps < LONG_STEPS ? SLICE_WORDS : SHORT_SLICE_WORDS;
    gc_pace_work(g, words, g->young_ptr == g->young_end);
}

void gc_stress_poll(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    if (heap->params.stress < 5) return;
    heap->stress.steps++;
    stress_slice(g);
    if (heap->params.stress == 6 && gc_check_due(g, &heap->stress.at_polls, words_to_verify(g)))
        gc_verify(g, "at a poll");
}

/* Levels 3 and 4. Larger heaps are collected less often, so that the cost per allocation is
 * bounded. */
static void cycle_sometimes(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    if (heap->stress.countdown > 0) {
        heap->stress.countdown--;
        return;
    }
    gc_full_cycle_for(g, GC_FOR_MACHINE);
    if (heap->params.stress == 4) gc_verify(g, "at a stress point");
    heap->stress.countdown = CYCLE_INTERVAL + heap->pace.live_words / 16;
}

void gc_stress_allocation(struct gc_domain *g) {
    unsigned level = g->heap->params.stress;
    if (level >= 5) gc_stress_poll(g);
    else if (level >= 3) cycle_sometimes(g);
    else {
        struct gc_stress *stress = &g->heap->stress;
        stress->steps++;
        gc_minor_and_slice(g, GC_FOR_MACHINE);
        if (level == 2 && gc_check_due(g, &stress->moves, MOVE_WORDS)) gc_minor_heap_move(g);
    }
}
