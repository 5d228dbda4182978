/* alloc.c - allocation: the slow path of small blocks, blocks born in the major heap, strings.
 *
 * The fast path is in heap.h: one subtraction and one comparison with young_limit. It fails when
 * the minor heap is full, when a slice is to run before that (young_trigger above young_start),
 * when the next sample lies in the block (sample_trigger), or when an action is pending
 * (UINTPTR_MAX). C code handles the first three here and leaves actions to the machine's next poll;
 * until then every allocation takes this path, so its common case is short. */
#include "gc/heap_internal.h"

/* Makes room for a block of whsize words. */
static void alloc_make_room(struct gc_domain *g, size_t whsize) {
    struct gc_heap *heap = g->heap;
    ASSERT(whsize >= 2 && whsize <= MAX_YOUNG_WOSIZE + 1); /* V1 */
    ASSERT(!g->minor.collecting);                          /* H2 */
    if (heap->params.stress) gc_stress_allocation(g);
    if (g->minor.requested || g->slice_requested) gc_collect_requested(g);
    if (heap->exhausted) gc_collect_for_limit(g);
    while (g->young_ptr - 8 * whsize < g->young_trigger) {
        if (g->young_trigger > g->young_start) gc_pace_mid_slice(g, GC_FOR_PACE);
        else gc_minor_and_slice(g, GC_FOR_ALLOCATION);
    }
    ASSERT(g->young_ptr - 8 * whsize >= g->young_start); /* G1 */
}

/* Whether a block of this size has room and nothing was requested. */
static bool has_room(const struct gc_domain *g, size_t bytes) {
    return g->young_ptr - bytes >= g->young_trigger && !g->stress && !g->minor.requested &&
           !g->slice_requested;
}

value gc_alloc_small_slow(struct gc_domain *g, size_t wosize, unsigned tag) {
    alloc_make_room(g, wosize + 1);
    value v = gc_bump(g, wosize, tag);
    if (g->young_ptr < g->sample_trigger && g->hooks && g->hooks->sample)
        g->hooks->sample(g->hooks->context, g, wosize, tag, false, v);
    return v;
}

value gc_prepare_small(struct gc_domain *g, size_t wosize) {
    if (!has_room(g, 8 * (wosize + 1))) alloc_make_room(g, wosize + 1);
    return (value)(g->young_ptr - 8 * wosize);
}

value gc_alloc_small_bytecode(struct gc_domain *g, size_t wosize, unsigned tag) {
    size_t bytes = 8 * (wosize + 1);
    if (!has_room(g, bytes)) alloc_make_room(g, wosize + 1);
    const struct gc_hooks *hooks = g->hooks;
    if (g->young_ptr - bytes >= g->sample_trigger || !hooks || !hooks->sample)
        return gc_bump(g, wosize, tag);
    bool sampled = hooks->sample(hooks->context, g, wosize, tag, true, 0);
    /* The hook may have run OCaml code. It has set the next sample beyond this block. */
    while (g->young_ptr - bytes < g->young_start) gc_minor_and_slice(g, GC_FOR_ALLOCATION);
    value v = gc_bump(g, wosize, tag);
    if (sampled) hooks->born(hooks->context, g, v);
    return v;
}

/* ---- The major heap. ---- */

/* Returns 0 when memory or the limit is exhausted. Not counted for pacing. */
static inline value try_alloc_uncharged(struct gc_domain *g, size_t wosize, unsigned tag) {
    struct gc_heap *heap = g->heap;
    uintptr_t p;
    ASSERT(wosize >= 1 && wosize <= MAX_WOSIZE); /* V1 */
    ASSERT(!g->minor.collecting);                /* H2 */
    if (wosize > MAX_YOUNG_WOSIZE) p = gc_large_alloc(g, wosize);
    else p = gc_pool_alloc(g, &heap->pools[tag >= TAG_NO_SCAN][heap->class_of[wosize]]);
    if (!p) return 0;
    *(header *)p = make_header(wosize, tag, heap->live_colour);
    return (value)(p + 8);
}

static value try_alloc_major(struct gc_domain *g, size_t wosize, unsigned tag) {
    value v = try_alloc_uncharged(g, wosize, tag);
    if (v) gc_pace_allocated(g, wosize + 1);
    return v;
}

void gc_bulk_begin(struct gc_bulk *b, struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    *b = (struct gc_bulk){g, {heap->pools[0], heap->pools[1]}, (header)heap->live_colour << 8, 0};
}

value gc_bulk_alloc_any(struct gc_bulk *b, size_t wosize, unsigned tag) {
    value v = wosize <= MAX_WOSIZE ? try_alloc_uncharged(b->g, wosize, tag) : 0;
    if (v) b->words += wosize + 1;
    return v;
}

void gc_bulk_end(struct gc_bulk *b) {
    ASSERT(b->colour >> 8 == b->g->heap->live_colour); /* no collection since gc_bulk_begin: M1 */
    b->g->heap->pace.bulk_words += b->words;
    gc_pace_allocated(b->g, b->words);
}

void gc_out_of_memory(struct gc_domain *g, size_t words) {
    g->heap->up.out_of_memory(g->heap->up.context, g, words);
}

value gc_alloc_major_unsampled(struct gc_domain *g, size_t wosize, unsigned tag) {
    if (wosize == 0) return gc_atom(g, tag);
    value v = wosize <= MAX_WOSIZE ? try_alloc_major(g, wosize, tag) : 0;
    if (!v) gc_out_of_memory(g, wosize);
    return v;
}

static void report_allocated(struct gc_domain *g, value v, size_t wosize) {
    if (g->hooks && g->hooks->allocated)
        g->hooks->allocated(g->hooks->context, g, v, wosize, GC_NORMAL);
}

value gc_alloc_major(struct gc_domain *g, size_t wosize, unsigned tag) {
    value v = gc_alloc_major_unsampled(g, wosize, tag);
    if (wosize > 0) report_allocated(g, v, wosize);
    return v;
}

value gc_alloc(struct gc_domain *g, size_t wosize, unsigned tag) {
    if (wosize == 0) return gc_atom(g, tag);
    value v;
    if (wosize <= MAX_YOUNG_WOSIZE) v = gc_alloc_small(g, wosize, tag);
    else {
        struct gc_heap *heap = g->heap;
        if (g->minor.requested || g->slice_requested) gc_collect_requested(g);
        if (heap->params.stress) gc_stress_allocation(g);
        v = wosize <= MAX_WOSIZE ? try_alloc_major(g, wosize, tag) : 0;
        if (!v && wosize < heap->major_bytes / 8) {
            /* Garbage may have exhausted the memory. */
            gc_full_cycle_for(g, GC_FOR_LIMIT);
            v = try_alloc_major(g, wosize, tag);
        }
        if (!v) gc_out_of_memory(g, wosize);
        report_allocated(g, v, wosize);
    }
    if (tag < TAG_NO_SCAN)
        for (size_t i = 0; i < wosize; i++) field(v, i) = VAL_UNIT;
    return v;
}

/* ---- Strings and floats. ---- */

value gc_alloc_string(struct gc_domain *g, size_t length) {
    size_t wosize = string_wosize(length), last = wosize * 8 - 1;
    value v = gc_alloc(g, wosize, TAG_STRING);
    field(v, wosize - 1) = 0;
    string_bytes(v)[last] = (char)(last - length);
    return v;
}

value gc_copy_string(struct gc_domain *g, const char *text, size_t length) {
    value v = gc_alloc_string(g, length);
    memcpy(string_bytes(v), text, length);
    return v;
}

value gc_copy_double(struct gc_domain *g, double x) {
    value v = gc_alloc_small(g, 1, TAG_DOUBLE);
    set_double_field(v, 0, x);
    return v;
}
