/* mark.c - marking: finds what is alive in the major heap.
 *
 *     roots ---> queue of 32 blocks whose headers are being prefetched
 *                  | oldest first: mark it if it is unmarked
 *                  v
 *     stack of ranges of slots ---> each block found enters the queue
 *
 * A block's header is prefetched when a pointer to it is found and read 32 pointers later, which
 * hides most of the memory latency (28-36 ns per object on a random graph instead of 58-75). Blocks
 * without pointers never enter the stack. Ranges let a huge array be scanned in pieces.
 *
 * Marking is incremental and works on a snapshot (M1): roots are read once, at the start, with the
 * minor heap empty, and incrementally scanned roots (R3) in slices; gc_store_slow darkens every
 * pointer that is overwritten meanwhile, and new blocks are marked. Young pointers that a slice
 * finds are therefore skipped: they lead to new blocks or to the snapshot.
 *
 * When the stack is full and memory for a larger one is refused, ranges are dropped (M4). Marking
 * then scans all marked blocks again, in one long pause. */
#include "gc/heap_internal.h"

enum {
    RANGE_PIECE = IF_SMALL_TABLES(1, 4096), /* words of a range scanned at a time */
    FIRST_CAPACITY = IF_SMALL_TABLES(1, 1024),
    ROOTS_PIECE = IF_SMALL_TABLES(1, 1024), /* incremental roots read before what they lead to */
};

static bool grow_stack(struct gc_heap *heap) {
    return vector_reserve(&heap->mark.stack, 1, FIRST_CAPACITY,
                          GC_MEMORY(heap, GC_ACCOUNT_COLLECTOR, 1));
}

bool gc_mark_create(struct gc_heap *heap) { return grow_stack(heap); }

static inline void push_range(struct gc_heap *heap, value *from, value *to) {
    struct gc_mark *m = &heap->mark;
    ASSERT(heap->phase == PHASE_MARK && from < to); /* M2 */
    if (__builtin_expect(m->stack.count == m->stack.capacity, 0) && !grow_stack(heap))
        m->lost = true;
    else m->stack.items[m->stack.count++] = (struct gc_range){from, to};
}

/* Marks major block v unless it is marked. dead: the unmarked colour, shifted as in a header.
 * Returns the words of it that need no scanning: work done. */
static inline size_t mark_block(struct gc_heap *heap, uintptr_t v, uintptr_t dead) {
    header h = header_of((value)v);
    ASSERT(heap->phase == PHASE_MARK);
    if (__builtin_expect(tag_of_header(h) == TAG_INFIX, 0)) {
        v -= 8 * wosize_of_header(h);
        h = header_of((value)v);
    }
    ASSERT(colour_of_header(h) != COLOUR_FREE && wosize_of_header(h) > 0); /* P1, V1 */
    if ((h & COLOUR_BITS) != dead) {
        if (__builtin_expect((h & COLOUR_BITS) != COLOUR_WATCHED << 8, 1)) return 0;
        if (!gc_words_push(heap, GC_ACCOUNT_NONE, &heap->weak.woken, v)) heap->weak.refused = true;
        h = (h & ~(header)COLOUR_BITS) | dead;
    }
    *header_ptr((value)v) = h ^ 0x100;
    size_t wosize = wosize_of_header(h);
    heap->mark.marked_words += wosize + 1;
    if (tag_of_header(h) >= TAG_NO_SCAN) return wosize + 1;
    if (__builtin_expect(tag_of_header(h) == TAG_CONT, 0) && heap->continuations != NULL)
        heap->continuations->mark(heap->continuations->context, (value)v);
    push_range(heap, (value *)v, (value *)v + wosize);
    return 1;
}

void gc_darken(struct gc_heap *heap, value v) {
    if (gc_is_major_block(heap, v))
        mark_block(heap, (uintptr_t)v, (uintptr_t)gc_dead_colour(heap) << 8);
}

/* Puts the blocks that the slots hold into the queue. Returns the work done at its other end. */
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
    ASSERT(tail - head <= MARK_RING);
    m->head = head;
    m->tail = tail;
    return work;
}

void gc_darken_range(struct gc_heap *heap, const value *from, const value *to) {
    feed(heap, from, to, (uintptr_t)gc_dead_colour(heap) << 8);
}

bool gc_mark_is_done(const struct gc_heap *heap) {
    const struct gc_mark *m = &heap->mark;
    return m->stack.count == 0 && m->head == m->tail && !m->lost && !m->roots_left;
}

/* Marks from stack, queue and incrementally scanned roots, up to budget words; returns the words
 * done. */
static intptr_t drain(struct gc_domain *g, intptr_t budget) {
    struct gc_heap *heap = g->heap;
    struct gc_mark *m = &heap->mark;
    ASSERT(heap->phase == PHASE_MARK);
    const uintptr_t dead = (uintptr_t)gc_dead_colour(heap) << 8;
    intptr_t work = 0;
    while (work < budget) {
        if (m->stack.count > 0) {
            struct gc_range *top = &m->stack.items[m->stack.count - 1];
            value *from = top->from, *to = top->to;
            if (to - from > RANGE_PIECE) {
                to = from + RANGE_PIECE;
                top->from = to;
            } else m->stack.count--;
            work += to - from + (intptr_t)feed(heap, from, to, dead);
        } else if (m->head != m->tail) {
            work += (intptr_t)mark_block(heap, m->pending[m->head++ % MARK_RING], dead);
        } else if (m->roots_left) {
            size_t left = (size_t)(budget - work);
            size_t piece = left < ROOTS_PIECE ? left : ROOTS_PIECE;
            work += (intptr_t)gc_incremental_roots_darken(g, piece);
        } else break;
    }
    return work;
}

static void scan_again(void *context, value v) {
    struct gc_domain *g = context;
    struct gc_heap *heap = g->heap;
    header h = header_of(v);
    if (colour_of_header(h) != heap->live_colour || tag_of_header(h) >= TAG_NO_SCAN) return;
    push_range(heap, (value *)v, (value *)v + wosize_of_header(h));
    drain(g, INTPTR_MAX);
}

/* Ranges were lost: scans all marked blocks. This terminates, since each time a range is lost again
 * a block has been marked. */
static void scan_marked(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    heap->mark.lost = false;
    gc_pools_park(heap);
    for (size_t i = 0; i < heap->top_span; i++) {
        if (gc_is_scannable(&heap->spans[i])) gc_span_walk(heap, &heap->spans[i], scan_again, g);
    }
}

intptr_t gc_mark_some(struct gc_domain *g, intptr_t budget) {
    struct gc_heap *heap = g->heap;
    struct gc_mark *m = &heap->mark;
    intptr_t work = drain(g, budget);
    while (work < budget && m->lost) {
        scan_marked(g);
        work += (intptr_t)heap->pace.live_words;
    }
    return work;
}

void gc_mark_start(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    ASSERT(heap->phase == PHASE_IDLE && g->young_ptr == g->young_end);
    ASSERT(heap->mark.stack.count == 0 && heap->mark.head == heap->mark.tail); /* M2 */
    ASSERT(!heap->mark.lost && !g->marking);
    gc_log(heap, 0x01, "Starting a major cycle: %zu KB\n",
           heap->committed_spans * (SPAN_BYTES / 1024));
    gc_begin_activity(g, GC_ACT_MARK);
    heap->live_colour ^= 1;
    heap->phase = PHASE_MARK;
    heap->mark.marked_words = heap->mark.root_words = 0;
    g->marking = true;
    gc_weak_mark_start(g);
    if (heap->continuations != NULL) heap->continuations->mark_start(heap->continuations->context);
    gc_roots_darken(g);
    gc_final_mark_roots(g);
    gc_pace_mark_started(heap);
    gc_end_activity(g, GC_ACT_MARK, 0);
}

void gc_mark_finish(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    ASSERT(heap->phase == PHASE_MARK && g->young_ptr == g->young_end);
    bool firsts_done = false;
    gc_begin_activity(g, GC_ACT_MARK_END);
    for (;;) {
        gc_mark_some(g, INTPTR_MAX);
        if (gc_weak_mark(g)) continue;
        if (firsts_done) break;
        firsts_done = true;
        if (!gc_final_mark_first(g)) break;
    }
    ASSERT(gc_mark_is_done(heap)); /* M4 */
    gc_final_mark_last(g);
    gc_weak_clean(g);
    gc_custom_clean(g);
    if (heap->continuations != NULL) heap->continuations->mark_done(heap->continuations->context);
    g->marking = false;
    heap->phase = PHASE_INSPECT;
    bool tracked = g->hooks && g->hooks->mark_done;
    size_t inspect_work = tracked ? g->hooks->mark_done(g->hooks->context, g) : 0;
    gc_pace_mark_ended(heap, inspect_work);
    if (inspect_work == 0) gc_sweep_start(heap);
    gc_end_activity(g, GC_ACT_MARK_END, 0);
    gc_verify_phase(g, "after mark");
}

/* Other hooks may be installed by now, or none. */
intptr_t gc_inspect_some(struct gc_domain *g, intptr_t budget) {
    const struct gc_hooks *hooks = g->hooks;
    ASSERT(g->heap->phase == PHASE_INSPECT);
    gc_begin_activity(g, GC_ACT_MARK_END);
    size_t done = hooks && hooks->inspect ? hooks->inspect(hooks->context, g, (size_t)budget) : 0;
    bool finished = done < (size_t)budget;
    if (finished) gc_sweep_start(g->heap);
    gc_end_activity(g, GC_ACT_MARK_END, 0);
    if (finished) gc_verify_phase(g, "before sweeping");
    return (intptr_t)done;
}

bool gc_is_dead(struct gc_domain *g, value v) {
    ASSERT(g->heap->phase == PHASE_INSPECT); /* M5 */
    return !gc_survives_cycle(g->heap, v);
}
