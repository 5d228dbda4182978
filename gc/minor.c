/* minor.c - evacuation of the young area.
 *
 *   young_start        young_ptr              young_end
 *     |     free          |  blocks, newest first  |
 *     +-------------------+------------------------+     allocation moves young_ptr left
 *
 * A young block that is reached is copied straight into the pool of its class, and its old header
 * becomes 0, its field 0 the address of the copy. Old copies of two fields or more are also the
 * work list: field 1 links those whose new copy is still to be scanned, so the list needs no memory
 * of its own. Blocks of one field are followed at once, and blocks without pointers never listed.
 *
 * A forwarding block (TAG_FORWARD, a forced lazy value) is skipped: the slot gets what it stands
 * for. Not so if that is itself a forward or lazy block or a float, where the difference would show
 * (Lazy.force looks at the tag, an array of floats may not hold an unboxed one), or lies outside
 * the heap.
 *
 * Order at the end: ephemerons and finalisers first, which may still evacuate, then the profiler,
 * then custom blocks, whose memory goes. */
#include "gc/heap_internal.h"

enum {
    MAX_PROMOTED_TO_GROW = 100000, /* words; half of a collection of 1 ms or so */
    MAX_PROMOTED_TO_STAY = 50000,
    SLOT_AHEAD = IF_SMALL_TABLES(1, 16),
    HEADER_AHEAD = IF_SMALL_TABLES(1, 8),
};

/* The heap's facts that the inner loop needs, kept in registers. */
struct evacuation {
    struct gc_heap *heap;
    uintptr_t start, bytes; /* of the young area */
    header colour;          /* bits of the live colour */
    value todo;
    size_t words; /* promoted */
};

static inline struct evacuation begin(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    return (struct evacuation){heap,
                               g->young_start,
                               g->young_end - g->young_start,
                               (header)heap->live_colour << 8,
                               heap->todo,
                               0};
}
static inline void end(struct evacuation *e) {
    e->heap->todo = e->todo;
    e->heap->promoted_words += e->words;
}
static inline bool is_young(const struct evacuation *e, value v) {
    return is_block(v) && (uintptr_t)v - e->start < e->bytes;
}

/* A cell for wosize fields with the header of a live block. */
static inline value new_copy(struct evacuation *e, header h, bool no_scan) {
    struct gc_heap *heap = e->heap;
    size_t wosize = wosize_of_header(h);
    uintptr_t p = gc_pool_alloc(heap, &heap->pools[no_scan][heap->class_of[wosize]]);
    if (__builtin_expect(!p, 0)) gc_fatal_no_memory("promoting young blocks"); /* not by P5 */
    *(header *)p = h | e->colour;
    e->words += wosize + 1;
    return (value)(p + 8);
}

static inline value copy_fields(struct evacuation *e, value v, header h, bool no_scan) {
    value copy = new_copy(e, h, no_scan);
    size_t wosize = wosize_of_header(h);
    for (size_t i = 0; i < wosize; i++) field(copy, i) = field(v, i);
    *header_ptr(v) = 0;
    field(v, 0) = copy;
    return copy;
}

/* The fields of the copied block v are gone over later. */
static inline void put_off(struct evacuation *e, value v) {
    field(v, 1) = e->todo;
    e->todo = v;
}

/* What a slot that points at forwarding block v may point at instead; v itself if it may not. */
static value skip_forward(const struct evacuation *e, value v) {
    value target = field(v, 0);
    if (is_int(target)) return target;
    unsigned tag;
    if (is_young(e, target)) tag = tag_of(header_of(target) == 0 ? field(target, 0) : target);
    else if (gc_is_major_block(e->heap, target)) tag = tag_of(target);
    else return v;
    bool shows = tag == TAG_FORWARD || tag == TAG_LAZY || tag == TAG_FORCING || tag == TAG_DOUBLE;
    return shows ? v : target;
}

/* Evacuates young block v, to which *slot points. */
static inline void evacuate(struct evacuation *e, value v, value *slot) {
    value infix = 0; /* bytes from the block to where the slot points */
    for (;;) {
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
                put_off(e, v);
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
            if (wosize_of_header(h) > 1) { /* from no compiler */
                put_off(e, v);
                return;
            }
        }
        /* A block of one field: go on with what it holds. */
        slot = &field(*slot, 0);
        v = *slot;
        infix = 0;
        if (!is_young(e, v)) return;
    }
}

void gc_evacuate(struct gc_domain *g, value *slot) { gc_evacuate_range(g, slot, slot + 1); }

void gc_evacuate_range(struct gc_domain *g, value *from, value *to) {
    struct evacuation e = begin(g);
    for (; from < to; from++)
        if (is_young(&e, *from)) evacuate(&e, *from, from);
    end(&e);
}

void gc_evacuate_each(struct gc_domain *g, value **slots, size_t n) {
    struct evacuation e = begin(g);
    for (size_t i = 0; i < n; i++) {
        /* The slots lie anywhere in the heap: fetch each early, and then the header it leads to. */
        if (i + SLOT_AHEAD < n) {
            __builtin_prefetch(slots[i + SLOT_AHEAD], 1);
            value soon = *slots[i + HEADER_AHEAD];
            if (is_young(&e, soon)) __builtin_prefetch((void *)(soon - 8), 1);
        }
        if (is_young(&e, *slots[i])) evacuate(&e, *slots[i], slots[i]);
    }
    end(&e);
}

void gc_minor_drain(struct gc_domain *g) {
    struct evacuation e = begin(g);
    while (e.todo) {
        value old = e.todo;
        e.todo = field(old, 1);
        value copy = field(old, 0);
        value *to = &field(copy, wosize_of(copy));
        for (value *slot = &field(copy, 0); slot < to; slot++)
            if (is_young(&e, *slot)) evacuate(&e, *slot, slot);
    }
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
    if (!gc_is_forwarded(v)) return false;
    *slot = gc_forwarded(v) + infix;
    return true;
}

value gc_young_fate(struct gc_domain *g, value v) {
    (void)g;
    return gc_is_forwarded(v) ? gc_forwarded(v) : 0;
}

/* ---- The collection. ---- */

struct evacuator {
    struct gc_visitor visitor; /* first: the visitor's address is this struct's */
    struct gc_domain *g;
};

static void visit_slots(struct gc_visitor *visitor, value *from, value *to) {
    gc_evacuate_range(((struct evacuator *)visitor)->g, from, to);
}

static void evacuate_roots(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    gc_remembered_evacuate(g);
    for (struct gc_local_roots *frame = g->local_roots; frame; frame = frame->next)
        for (intptr_t t = 0; t < frame->ntables; t++)
            gc_evacuate_range(g, frame->tables[t], frame->tables[t] + frame->nitems);
    gc_roots_evacuate(g);
    struct evacuator evacuator = {{.slots = visit_slots, .young_only = true}, g};
    for (size_t i = 0; i < heap->scanner_count; i++)
        heap->scanners[i].scan(heap->scanners[i].context, &evacuator.visitor);
    gc_final_minor_roots(g);
    gc_minor_drain(g);
}

/* Two collections in a row that promoted much let the area grow, to a 16th of the major heap: with
 * more time more would have died. If most survives, time doesn't help, and the copies want fresh
 * pages: the area shrinks, so that the pause does, and comes back when half dies again. */
static void adapt_young_size(struct gc_heap *heap, size_t used_words) {
    struct gc_pace *pace = &heap->pace;
    size_t current = heap->young_words_wanted, promoted = heap->promoted_words;
    if (!heap->params.adaptive_minor) return;
    size_t heap_words = pace->live_words + pace->allocated_words;
    bool shrunk = current < heap->params.minor_words;
    bool may_grow = shrunk ||
                    (current < MAX_ADAPTIVE_YOUNG_WORDS && current * 2 <= heap_words / 16);
    bool much = shrunk ? promoted * 2 < used_words
                       : promoted * 10 > used_words && promoted <= MAX_PROMOTED_TO_GROW;
    bool too_long = promoted > MAX_PROMOTED_TO_STAY && promoted * 3 > used_words * 2;
    pace->long_survivals = much && may_grow ? pace->long_survivals + 1 : 0;
    if (pace->long_survivals >= 2) {
        heap->young_words_wanted = current * 2;
        pace->long_survivals = 0;
    } else if (too_long && current > MIN_ADAPTIVE_YOUNG_WORDS) {
        heap->young_words_wanted = current / 2;
    }
}

/* If all survives, cells may be an eighth larger than their blocks (a little more in places: class
 * sizes are stretched), and each class of either kind may open a span that it does not fill. */
size_t gc_minor_spans(const struct gc_heap *heap, size_t words) {
    return words / 4 * 5 / SPAN_WORDS + 1 + 2 * heap->class_count;
}

void gc_minor_collect(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    size_t used = g->young_end - g->young_ptr;
    if (used > 0) {
        gc_say(heap, 0x02, "<");
        gc_begin_activity(g, GC_ACT_MINOR);
        heap->in_minor = true;
        heap->promoted_words = 0;
        heap->minor_requested = false;
        evacuate_roots(g);
        while (gc_weak_minor_mark(g)) gc_minor_drain(g);
        gc_final_minor_last(g);
        gc_weak_minor_clean(g);
        gc_minor_drain(g);
        uintptr_t used_from = g->young_ptr;
        g->young_ptr = g->young_end;
        gc_sample_rebase(g, used_from);
        if (g->hooks && g->hooks->minor_done) g->hooks->minor_done(g->hooks->context, g);
        gc_custom_minor(g);
        heap->in_minor = false;
        if (gc_fills_junk(heap))
            for (uintptr_t p = used_from; p < g->young_end; p += 8) *(uintptr_t *)p = GC_JUNK;
        heap->stats.minor_words += used / 8;
        heap->stats.minor_collections++;
        heap->stats.promoted_words += heap->promoted_words;
        heap->stats.major_words += heap->promoted_words;
        heap->pace.allocated_words += heap->promoted_words;
        heap->pace.unpaid_words += heap->promoted_words;
        if (used / 8 > heap->young_words_wanted / 2) adapt_young_size(heap, used / 8);
        gc_end_activity(g, GC_ACT_MINOR, heap->promoted_words);
        gc_say(heap, 0x02, ">");
    }
    heap->minor_requested = false;
    gc_young_settle(g);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    if (used > 0) gc_verify_phase(g, "after minor");
}
