/* mark.c - finding what is alive in the major heap.
 *
 *     roots ---> queue of 32 blocks whose headers are on their way into the cache
 *                  | oldest first: unmarked? mark it
 *                  v
 *     stack of ranges of slots ---> each block found goes into the queue
 *
 * A block's header is prefetched when a pointer to it is met and read 32 pointers later, which
 * hides most of the memory's latency (28-36 ns an object on a random graph instead of 58-75).
 * Blocks without pointers never reach the stack. Ranges let a huge array be scanned a piece at a
 * time.
 *
 * Marking is incremental and works on a snapshot (M1): roots are read once, at the start, with the
 * young area empty, late ones (R3) in slices; gc_store_slow darkens every pointer that is
 * overwritten meanwhile, and everything born is born marked. Young pointers that a slice meets
 * between two minor collections are therefore skipped: what they lead to is either new or part of
 * the snapshot.
 *
 * When the stack is full and memory for a larger one is refused, ranges are dropped (M4), and
 * marking looks through all marked blocks when it has nothing else left: a long pause, in a process
 * that has worse to fear. */
#include "gc/heap_internal.h"

#include <stdlib.h>

enum {
    RANGE_PIECE = IF_SMALL_TABLES(1, 4096), /* words of a range scanned at a time */
    FIRST_CAPACITY = IF_SMALL_TABLES(1, 1024),
    LATE_PIECE = IF_SMALL_TABLES(1, 1024), /* late roots looked at before what they lead to */
};

static bool grow_stack(struct gc_heap *heap) {
    struct gc_mark *m = &heap->mark;
    const struct gc_growth growth = {GC_OWN, FIRST_CAPACITY, sizeof *m->stack, sizeof *m->stack};
    return gc_table_grow(heap, &growth, (void **)&m->stack, &m->capacity, m->capacity + 1);
}

bool gc_mark_create(struct gc_heap *heap) { return grow_stack(heap); }

static inline void push_range(struct gc_heap *heap, value *from, value *to) {
    struct gc_mark *m = &heap->mark;
    if (__builtin_expect(m->count == m->capacity, 0) && !grow_stack(heap)) {
        m->lost = true;
        return;
    }
    m->stack[m->count++] = (struct gc_range){from, to};
}

/* Marks block v of the major heap unless it is marked. dead: the unmarked colour's header bits.
 * Returns the words of it that need no scanning: work done. */
static inline size_t mark_block(struct gc_heap *heap, uintptr_t v, uintptr_t dead) {
    header h = header_of((value)v);
    if (__builtin_expect(tag_of_header(h) == TAG_INFIX, 0)) {
        v -= 8 * wosize_of_header(h);
        h = header_of((value)v);
    }
    if ((h & 0x300) != dead) {
        if (__builtin_expect((h & 0x300) != COLOUR_WATCHED << 8, 1)) return 0;
        if (!gc_words_push(heap, GC_COUNTED, &heap->weak.woken, v)) heap->weak.refused = true;
        h = (h & ~(header)0x300) | dead;
    }
    *header_ptr((value)v) = h ^ 0x100;
    size_t wosize = wosize_of_header(h);
    heap->mark.marked_words += wosize + 1;
    if (tag_of_header(h) >= TAG_NO_SCAN) return wosize + 1;
    push_range(heap, (value *)v, (value *)v + wosize);
    return 1;
}

void gc_darken(struct gc_heap *heap, value v) {
    if (gc_is_major_block(heap, v))
        mark_block(heap, (uintptr_t)v, (uintptr_t)gc_dead_colour(heap) << 8);
}

/* Sends the blocks that the slots hold through the queue. Returns the work done at its other end.
 * */
static inline size_t feed(struct gc_heap *heap, const value *from, const value *to,
                          uintptr_t dead) {
    struct gc_mark *m = &heap->mark;
    const uintptr_t base = heap->major_start, bytes = heap->major_bytes;
    unsigned head = m->head, tail = m->tail;
    size_t work = 0;
    for (; from < to; from++) {
        uintptr_t v = (uintptr_t)*from;
        if ((v & 1) || v - base >= bytes) continue;
        __builtin_prefetch((void *)(v - 8), 1);
        if (tail - head == MARK_RING) {
            uintptr_t oldest = m->pending[head++ % MARK_RING];
            m->pending[tail++ % MARK_RING] = v;
            work += mark_block(heap, oldest, dead);
        } else m->pending[tail++ % MARK_RING] = v;
    }
    m->head = head;
    m->tail = tail;
    return work;
}

void gc_darken_range(struct gc_heap *heap, const value *from, const value *to) {
    feed(heap, from, to, (uintptr_t)gc_dead_colour(heap) << 8);
}

bool gc_mark_exhausted(const struct gc_heap *heap) {
    const struct gc_mark *m = &heap->mark;
    return m->count == 0 && m->head == m->tail && !m->lost && !m->late_left;
}

/* Marks from the stack and the queue, up to budget words; returns the words done. */
static intptr_t drain(struct gc_heap *heap, intptr_t budget) {
    struct gc_mark *m = &heap->mark;
    const uintptr_t dead = (uintptr_t)gc_dead_colour(heap) << 8;
    intptr_t work = 0;
    while (work < budget) {
        if (m->count > 0) {
            struct gc_range *top = &m->stack[m->count - 1];
            value *from = top->from, *to = top->to;
            if (to - from > RANGE_PIECE) {
                to = from + RANGE_PIECE;
                top->from = to;
            } else m->count--;
            work += to - from + (intptr_t)feed(heap, from, to, dead);
        } else if (m->head != m->tail) {
            work += (intptr_t)mark_block(heap, m->pending[m->head++ % MARK_RING], dead);
        } else if (m->late_left) {
            size_t left = (size_t)(budget - work);
            work += (intptr_t)gc_incremental_roots_darken(heap,
                                                          left < LATE_PIECE ? left : LATE_PIECE);
        } else break;
    }
    return work;
}

static void scan_again(void *context, value v) {
    struct gc_heap *heap = context;
    header h = header_of(v);
    if (colour_of_header(h) != heap->live_colour || tag_of_header(h) >= TAG_NO_SCAN) return;
    push_range(heap, (value *)v, (value *)v + wosize_of_header(h));
    drain(heap, INTPTR_MAX);
}

/* Ranges were lost: scans all marked blocks, in one go. It ends, since whatever is lost again now
 * is a block that was marked now. */
static void scan_marked(struct gc_heap *heap) {
    heap->mark.lost = false;
    gc_pools_park(heap);
    for (size_t i = 0; i < heap->top_span; i++) {
        struct gc_span *span = &heap->spans[i];
        if (span->kind == SPAN_REGION || (span->kind == SPAN_SMALL && !span->no_scan))
            gc_span_walk(heap, span, scan_again, heap);
    }
}

intptr_t gc_mark_some(struct gc_domain *g, intptr_t budget) {
    struct gc_heap *heap = g->heap;
    struct gc_mark *m = &heap->mark;
    intptr_t work = drain(heap, budget);
    while (work < budget && m->late_left) {
        size_t left = (size_t)(budget - work);
        work += (intptr_t)gc_incremental_roots_darken(heap, left < LATE_PIECE ? left : LATE_PIECE);
        work += drain(heap, budget - work);
    }
    while (work < budget && m->lost) {
        scan_marked(heap);
        work += (intptr_t)heap->pace.live_words;
    }
    return work;
}

void gc_mark_start(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    ASSERT(heap->phase == PHASE_IDLE && g->young_ptr == g->young_end);
    gc_say(heap, 0x01, "Starting a major cycle: %zu KB\n",
           heap->committed_spans * (SPAN_BYTES / 1024));
    gc_begin_activity(g, GC_ACT_MARK);
    heap->live_colour ^= 1;
    heap->phase = PHASE_MARK;
    heap->mark.marked_words = heap->mark.root_words = 0;
    g->marking = true;
    gc_weak_mark_start(g);
    gc_roots_darken(g);
    gc_final_mark_roots(g);
    gc_pace_mark_started(heap);
    gc_end_activity(g, GC_ACT_MARK, 0);
}

void gc_mark_finish(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    ASSERT(g->young_ptr == g->young_end);
    bool firsts_done = false;
    gc_begin_activity(g, GC_ACT_SETTLE);
    for (;;) {
        gc_mark_some(g, INTPTR_MAX);
        if (gc_weak_mark(g)) continue;
        if (firsts_done) break;
        firsts_done = true;
        if (!gc_final_mark_first(g)) break;
    }
    ASSERT(gc_mark_exhausted(heap));
    gc_final_mark_last(g);
    gc_weak_clean(g);
    gc_custom_clean(g);
    g->marking = false;
    heap->phase = PHASE_LOOK;
    bool followed = g->hooks && g->hooks->mark_done;
    size_t look_work = followed ? g->hooks->mark_done(g->hooks->context, g) : 0;
    gc_pace_mark_ended(heap, look_work);
    if (look_work == 0) gc_sweep_start(heap);
    gc_end_activity(g, GC_ACT_SETTLE, 0);
    gc_verify_phase(g, "after mark");
}

/* The hooks may be other ones by now, or none. */
intptr_t gc_look_some(struct gc_domain *g, intptr_t budget) {
    const struct gc_hooks *hooks = g->hooks;
    ASSERT(g->heap->phase == PHASE_LOOK);
    gc_begin_activity(g, GC_ACT_SETTLE);
    size_t done = hooks && hooks->look ? hooks->look(hooks->context, g, (size_t)budget) : 0;
    bool through = done < (size_t)budget;
    if (through) gc_sweep_start(g->heap);
    gc_end_activity(g, GC_ACT_SETTLE, 0);
    if (through) gc_verify_phase(g, "before sweeping");
    return (intptr_t)done;
}

bool gc_is_dead(struct gc_domain *g, value v) { return !gc_is_marked(g->heap, v); }

void gc_mark_destroy(struct gc_heap *heap) {
    free(heap->mark.stack);
    heap->mark.stack = NULL;
}
