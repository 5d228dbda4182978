/* minor.c - minor collection: evacuation of the minor heap.
 *
 * A young block that is reached is copied into the pool of its class in the major heap, or into a
 * mixed span, where small blocks lie next to those that lead to them (pool.c); its header becomes 0
 * and its field 0 the address of the copy. The originals of two fields or more are also the work
 * list: field 1 links those whose copies are still to be scanned, so the list needs no memory.
 * Blocks of one field are followed at once, and blocks without pointers are never listed.
 *
 * A forwarding block (TAG_FORWARD, a forced lazy value) is skipped: the slot gets its target. The
 * slot keeps the forwarding block if the target is a forward or lazy block or a float, where the
 * difference would be visible (Lazy.force reads the tag, an array of floats may not hold an unboxed
 * one), or lies outside the heap.
 *
 * Then ephemerons and finalisers are processed, which may evacuate more; the profiler's hook runs;
 * dead custom blocks are finalised and their memory is freed. */
#include "gc/heap_internal.h"

enum {
    MAX_PROMOTED_TO_GROW = 100000, /* words; about half of a collection of 1 ms */
    MAX_PROMOTED_TO_STAY = 50000,  /* above, and if two thirds survive, the minor heap is halved */
    SLOT_AHEAD = IF_SMALL_TABLES(1, 16),
    HEADER_AHEAD = IF_SMALL_TABLES(1, 8),
};

/* What the inner loop needs, in registers. */
struct evacuation {
    struct gc_heap *heap;
    struct gc_domain *g;
    uintptr_t start, bytes; /* of the minor heap */
    header colour;          /* the live colour, shifted as in a header */
    value unscanned;
    size_t words; /* promoted */
};

static inline struct evacuation begin(struct gc_domain *g) {
    ASSERT(g->minor.collecting);
    return (struct evacuation){.heap = g->heap,
                               .g = g,
                               .start = g->young_start,
                               .bytes = g->young_end - g->young_start,
                               .colour = (header)g->heap->live_colour << 8,
                               .unscanned = g->minor.unscanned};
}
static inline void end(struct evacuation *e) {
    e->g->minor.unscanned = e->unscanned;
    e->g->minor.promoted_words += e->words;
}
static inline bool is_young(const struct evacuation *e, value v) {
    return is_block(v) && (uintptr_t)v - e->start < e->bytes;
}

/* A cell for wosize fields. */
static inline uintptr_t new_cell(struct evacuation *e, size_t wosize, bool no_scan) {
    struct gc_heap *heap = e->heap;
    size_t class = wosize <= GC_EXACT_WOSIZE ? wosize - 1 : heap->class_of[wosize];
    struct gc_pool *pool = heap->promotion[no_scan][class];
    size_t bytes = wosize <= GC_EXACT_WOSIZE ? 8 * (wosize + 1) : pool->cell_bytes;
    uintptr_t p = pool->bump;
    if (__builtin_expect(pool->end - p >= bytes, 1)) pool->bump = p + bytes;
    else p = gc_promotion_refill(e->g, class, no_scan);
    if (__builtin_expect(!p, 0)) gc_fatal_no_memory("promoting young blocks"); /* never, by P5 */
    e->words += wosize + 1;
    return p;
}

/* Two words that are loaded and stored at once. */
typedef uintptr_t word_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Copies n words, 2 or more. Most blocks are small and of different sizes, so that a loop's end
 * would be mispredicted: pairs that overlap need no loop. */
static inline void copy_words(uintptr_t *to, const uintptr_t *from, size_t n) {
    ASSERT(n >= 2);
    word_pair first = *(const word_pair *)from, last = *(const word_pair *)(from + n - 2);
    if (__builtin_expect(n > 4, 0)) {
        if (n > 8) {
            for (size_t i = 0; i < n; i++) to[i] = from[i];
            return;
        }
        word_pair second = *(const word_pair *)(from + 2);
        word_pair third = *(const word_pair *)(from + n - 4);
        *(word_pair *)(to + 2) = second;
        *(word_pair *)(to + n - 4) = third;
    }
    *(word_pair *)to = first;
    *(word_pair *)(to + n - 2) = last;
}

static inline value copy_fields(struct evacuation *e, value v, header h, bool no_scan) {
    size_t wosize = wosize_of_header(h);
    ASSERT(wosize >= 1 && wosize <= MAX_YOUNG_WOSIZE); /* V1 */
    uintptr_t p = new_cell(e, wosize, no_scan);
    copy_words((uintptr_t *)p, (const uintptr_t *)v - 1, wosize + 1);
    *(header *)p = h | e->colour;
    value copy = (value)(p + 8);
    *header_ptr(v) = 0;
    field(v, 0) = copy;
    return copy;
}

/* Puts v on the list of blocks whose copies are scanned later. */
static inline void scan_later(struct evacuation *e, value v) {
    ASSERT(gc_is_forwarded(v) && wosize_of(gc_forwarded(v)) > 1);
    field(v, 1) = e->unscanned;
    e->unscanned = v;
}

/* What a slot with forwarding block v may hold instead; v if nothing. */
static inline value skip_forward(const struct evacuation *e, value v) {
    value target = field(v, 0);
    if (is_int(target)) return target;
    unsigned tag;
    if (is_young(e, target)) tag = tag_of(header_of(target) == 0 ? field(target, 0) : target);
    else if (gc_is_major_block(e->heap, target)) tag = tag_of(target);
    else return v;
    bool shows = tag == TAG_FORWARD || tag == TAG_LAZY || tag == TAG_DOUBLE;
    return shows ? v : target;
}

/* Evacuates young block v, to which *slot points. Inlined, so that e stays in registers. */
static inline __attribute__((always_inline)) void evacuate(struct evacuation *e, value v,
                                                           value *slot) {
    value infix = 0; /* bytes from the block to where the slot points */
    for (;;) {
        ASSERT((uintptr_t)v - 8 >= e->g->young_ptr); /* allocated */
        header h = header_of(v);
        if (h == 0) {
            *slot = field(v, 0) + infix;
            return;
        }
        unsigned tag = tag_of_header(h);
        if (__builtin_expect(tag < TAG_INFIX, 1)) {
            value copy = copy_fields(e, v, h, false);
            *slot = copy + infix;
            if (wosize_of_header(h) > 1) {
                scan_later(e, v);
                return;
            }
        } else if (tag >= TAG_NO_SCAN) {
            *slot = copy_fields(e, v, h, true);
            return;
        } else if (tag == TAG_INFIX) {
            infix = (value)(8 * wosize_of_header(h));
            v -= infix;
            continue;
        } else {
            value target = skip_forward(e, v);
            if (target != v) {
                *slot = target;
                if (!is_young(e, target)) return;
                v = target;
                continue;
            }
            *slot = copy_fields(e, v, h, false);
            if (wosize_of_header(h) > 1) { /* a forward block of several fields: made by Obj */
                scan_later(e, v);
                return;
            }
        }
        /* A block of one field: continue with what it holds. */
        slot = &field(*slot, 0);
        v = *slot;
        infix = 0;
        if (!is_young(e, v)) return;
    }
}

static void evacuate_range(struct gc_domain *g, value *from, value *to) {
    struct evacuation e = begin(g);
    for (; from < to; from++)
        if (is_young(&e, *from)) evacuate(&e, *from, from);
    end(&e);
}

void gc_evacuate(struct gc_domain *g, value *slot) { evacuate_range(g, slot, slot + 1); }

/* Evacuates everything reachable from what was evacuated. */
static inline __attribute__((always_inline)) void drain(struct evacuation *e) {
    while (e->unscanned) {
        value old = e->unscanned;
        e->unscanned = field(old, 1);
        value copy = field(old, 0);
        value *to = &field(copy, wosize_of(copy));
        for (value *slot = &field(copy, 0); slot < to; slot++)
            if (is_young(e, *slot)) evacuate(e, *slot, slot);
    }
}

/* depth_first: what a slot leads to comes before the next slot. */
static inline __attribute__((always_inline)) void evacuate_each(struct gc_domain *g, value **slots,
                                                                size_t n, bool depth_first) {
    struct evacuation e = begin(g);
    for (size_t i = 0; i < n; i++) {
        /* The slots lie anywhere in the heap: prefetch each, then the header it leads to. */
        if (i + SLOT_AHEAD < n) {
            __builtin_prefetch(slots[i + SLOT_AHEAD], 1);
            value soon = *slots[i + HEADER_AHEAD];
            if (is_young(&e, soon)) __builtin_prefetch((void *)(soon - 8), 1);
        }
        if (!is_young(&e, *slots[i])) continue;
        evacuate(&e, *slots[i], slots[i]);
        if (depth_first) drain(&e);
    }
    end(&e);
}

static __attribute__((noinline)) void evacuate_each_depth_first(struct gc_domain *g, value **slots,
                                                                size_t n) {
    evacuate_each(g, slots, n, true);
}

void gc_evacuate_each(struct gc_domain *g, value **slots, size_t n) {
    if (g->heap->mixing) evacuate_each_depth_first(g, slots, n);
    else evacuate_each(g, slots, n, false);
}

void gc_minor_drain(struct gc_domain *g) {
    struct evacuation e = begin(g);
    drain(&e);
    end(&e);
}

bool gc_minor_survives(struct gc_domain *g, value *slot) {
    value v = *slot;
    if (is_int(v) || !gc_is_young(g, v)) return true;
    value infix = 0;
    header h = header_of(v);
    if (h != 0 && tag_of_header(h) == TAG_INFIX) {
        infix = (value)(8 * wosize_of_header(h));
        v -= infix;
    }
    ASSERT(g->minor.collecting);
    if (!gc_is_forwarded(v)) return false;
    *slot = gc_forwarded(v) + infix;
    return true;
}

value gc_promoted_copy(struct gc_domain *g, value v) {
    ASSERT(g->minor.collecting && gc_is_young(g, v)); /* in hooks->minor_done */
    return gc_is_forwarded(v) ? gc_forwarded(v) : 0;
}

/* ---- The collection. ---- */

static void evacuate_slots(struct gc_visitor *visitor, value *from, value *to) {
    evacuate_range(visitor->g, from, to);
}

static void evacuate_roots(struct gc_domain *g) {
    struct gc_visitor visitor = {.g = g, .slots = evacuate_slots, .young_only = true};
    gc_remembered_evacuate(g);
    gc_roots_evacuate(g);
    gc_visit_roots(&visitor);
    gc_final_minor_roots(g);
    gc_minor_drain(g);
}

/* Evacuates what is reachable from young continuations that survive. True: there was some. */
static bool evacuate_continuations(struct gc_domain *g) {
    const struct gc_continuations *c = g->heap->continuations;
    struct gc_visitor visitor = {.g = g, .slots = evacuate_slots, .young_only = true};
    if (c == NULL || !c->minor_mark(c->context, &visitor)) return false;
    gc_minor_drain(g);
    return true;
}

/* After two collections in a row that promoted much the minor heap grows, to at most a 16th of the
 * major heap: blocks then have more time to die. If most survive, that does not help, and the
 * copies need fresh pages: the minor heap shrinks, and with it the pause, until half of its blocks
 * die. */
static void adapt_to_survival(struct gc_domain *g, size_t used_words) {
    struct gc_minor *minor = &g->minor;
    const struct gc_heap *heap = g->heap;
    size_t current = minor->wanted_words, promoted = minor->promoted_words;
    size_t heap_words = heap->pace.live_words + heap->pace.allocated_words;
    bool shrunk = current < heap->params.minor_words;
    bool may_grow = shrunk ||
                    (current < MAX_ADAPTIVE_MINOR_WORDS && current * 2 <= heap_words / 16);
    bool much = shrunk ? promoted * 2 < used_words
                       : promoted * 10 > used_words && promoted <= MAX_PROMOTED_TO_GROW;
    bool too_long = promoted > MAX_PROMOTED_TO_STAY && promoted * 3 > used_words * 2;
    minor->long_survivals = much && may_grow ? minor->long_survivals + 1 : 0;
    if (minor->long_survivals >= 2) {
        minor->wanted_words = current * 2;
        minor->long_survivals = 0;
    } else if (too_long && current > MIN_ADAPTIVE_MINOR_WORDS) {
        minor->wanted_words = current / 2;
    }
}

/* Between its first collection and the one after FEW_MINOR_WORDS the minor heap is small, and its
 * other pages are returned, since many programs end before they have allocated much more. The
 * first one comes as late as in a larger heap: short runs of small programs need none. */
static void adapt_size(struct gc_domain *g, size_t used_words) {
    struct gc_minor *minor = &g->minor;
    const struct gc_heap *heap = g->heap;
    size_t all = heap->stats.minor_words, normal = heap->params.minor_words;
    bool was_early = all - used_words < FEW_MINOR_WORDS;
    if (!heap->params.adaptive_minor) return;
    if (all >= FEW_MINOR_WORDS && was_early) minor->wanted_words = normal;
    else if (!was_early && used_words > minor->wanted_words / 2) adapt_to_survival(g, used_words);
    else if (was_early && g->cause != GC_FOR_PROGRAM && normal > EARLY_MINOR_WORDS)
        minor->wanted_words = EARLY_MINOR_WORDS;
}

/* If everything survives, cells may be an eighth larger than their blocks (sometimes a little more,
 * see gc_pools_create), and each pool may open a span that it does not fill. */
size_t gc_minor_spans(const struct gc_heap *heap, size_t words) {
    return words / 4 * 5 / SPAN_WORDS + 1 + gc_pool_count(heap);
}

/* Counts what was promoted as allocation in the major heap. */
static void count_promoted(struct gc_domain *g, size_t used_words) {
    struct gc_heap *heap = g->heap;
    size_t promoted = g->minor.promoted_words;
    heap->stats.minor_words += used_words;
    heap->stats.minor_collections++;
    heap->stats.promoted_words += promoted;
    heap->stats.major_words += promoted;
    heap->pace.allocated_words += promoted;
    heap->pace.unpaid_words += promoted;
}

/* Needs: the minor heap is not empty. */
static void evacuate_minor_heap(struct gc_domain *g) {
    struct gc_minor *minor = &g->minor;
    const struct gc_heap *heap = g->heap;
    size_t used = g->young_end - g->young_ptr;
    gc_log(heap, 0x02, "<");
    gc_begin_activity(g, GC_ACT_MINOR);
    ASSERT(!minor->collecting && minor->unscanned == 0);
    minor->collecting = true;
    minor->promoted_words = 0;
    evacuate_roots(g);
    do
        while (gc_weak_minor_mark(g)) gc_minor_drain(g);
    while (evacuate_continuations(g));
    gc_final_minor_last(g);
    gc_weak_minor_clean(g);
    gc_minor_drain(g);
    if (heap->continuations != NULL) heap->continuations->minor_done(heap->continuations->context);
    ASSERT(minor->unscanned == 0);
    ASSERT(minor->remembered.count == 0 && !minor->remembered_lost); /* G3 */
    ASSERT(minor->promoted_words * 8 <= used);
    uintptr_t used_from = g->young_ptr;
    g->young_ptr = g->young_end;
    gc_sample_rebase(g, used_from);
    gc_custom_minor(g);
    if (g->hooks && g->hooks->minor_done) g->hooks->minor_done(g->hooks->context, g);
    ASSERT(g->young_ptr == g->young_end); /* H2 */
    minor->collecting = false;
    if (gc_fills_junk(heap)) gc_fill_junk(used_from, g->young_end);
    count_promoted(g, used / 8);
    adapt_size(g, used / 8);
    gc_end_activity(g, GC_ACT_MINOR, minor->promoted_words);
    gc_log(heap, 0x02, ">");
}

void gc_minor_collect(struct gc_domain *g) {
    bool used = g->young_ptr < g->young_end;
    ASSERT(g->young_start <= g->young_ptr && g->young_ptr <= g->young_end); /* G1 */
    if (used) evacuate_minor_heap(g);
    else if (g->heap->params.counts_empty_minors) g->heap->stats.minor_collections++;
    g->minor.requested = false;
    g->heap->allocated_at_minor = gc_allocated(g);
    gc_final_adopt(g);
    gc_minor_heap_resize(g);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    if (used) gc_verify_phase(g, "after minor");
}
