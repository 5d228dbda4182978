/* custom.c - custom blocks: their memory outside the heap, and their last call.
 *
 * Who made a custom block may charge memory outside the heap to it, as a share of a collection
 * cycle: when the shares of a minor cycle add up to 1, a minor collection is requested; what
 * survives it, and what is born in the major heap, is charged to the major cycle (pace.c).
 *
 *     custom.young   triples (block, mem, max), one for each young block with finalize or a charge
 *     custom.old     the blocks of the major heap with finalize
 *
 * X1  A custom block with a finalize function is in exactly one of the two tables, once, until its
 *     finalize has run; so that runs exactly once. (Blocks that the program copied bit by bit with
 *     Obj are in none: their original owns what they refer to.)
 * X2  `old` has room for all blocks of `young`: a collection, which moves them, needs no memory.
 * finalize runs inside collections: it may not allocate in the heap, raise, or follow pointers. */
#include "gc/heap_internal.h"

#include <stdlib.h>

enum { YOUNG_BLOCK, YOUNG_MEM, YOUNG_MAX, YOUNG_STRIDE };

/* How the heap's size turns into the max of gc_alloc_custom_mem: as if all of the heap were garbage
 * up to the usual overhead when the ratio is 100 %. */
#define HEAP_PERCENT 150

static double share(size_t mem, size_t max) {
    if (max == 0) max = 1;
    return mem > max ? 1.0 : (double)mem / (double)max;
}

static void charge_major(struct gc_domain *g, size_t mem, size_t max) {
    if (mem != 0) gc_pace_external(g, share(mem, max));
}

/* A program may set any ratio. */
static size_t times(size_t bytes, size_t ratio) {
    size_t product;
    return __builtin_mul_overflow(bytes, ratio, &product) ? SIZE_MAX : product;
}

/* The max for blocks charged by the custom ratios. */
static size_t major_max(const struct gc_heap *heap) {
    return times(heap->committed_spans * SPAN_BYTES / HEAP_PERCENT,
                 heap->params.custom_major_ratio);
}
static size_t minor_max(const struct gc_domain *g) {
    return times((g->young_end - g->young_start) / 100, g->heap->params.custom_minor_ratio);
}

bool gc_custom_reserve(struct gc_domain *g) {
    struct gc_custom *custom = &g->heap->custom;
    return gc_words_reserve(g->heap, GC_OWN, &custom->young, YOUNG_STRIDE) &&
           gc_words_reserve(g->heap, GC_PROGRAM, &custom->old,
                            custom->young.count / YOUNG_STRIDE + 1);
}

/* A custom block is to be entered, if anything about it is to be remembered: makes room, collect
 * says whether a full cycle may help. */
static void make_room(struct gc_domain *g, const struct gc_custom_ops *ops, size_t mem,
                      bool collect) {
    if ((ops->finalize == NULL && mem == 0) || gc_custom_reserve(g)) return;
    if (!collect || !gc_cycle_for_limit(g) || !gc_custom_reserve(g))
        gc_out_of_memory(g, YOUNG_STRIDE);
}

/* A custom block is born in the major heap, or has come to be there. */
static void enter_old(struct gc_domain *g, value v) {
    if (custom_ops(v)->finalize != NULL) gc_words_append(&g->heap->custom.old, (uintptr_t)v);
}

/* A young block was charged mem bytes of max: minor_mem of them, measured by minor_max_bytes,
 * hasten the next minor collection, the rest counts for the major cycle at once. */
static void enter_young(struct gc_domain *g, value v, size_t mem, size_t max, size_t minor_mem,
                        size_t minor_max_bytes) {
    struct gc_custom *custom = &g->heap->custom;
    if (custom_ops(v)->finalize == NULL && mem == 0) return;
    if (mem > minor_mem) charge_major(g, mem - minor_mem, max);
    gc_words_append(&custom->young, (uintptr_t)v);
    gc_words_append(&custom->young, minor_mem);
    gc_words_append(&custom->young, max);
    if (minor_mem == 0) return;
    custom->minor_ratio += share(minor_mem, minor_max_bytes);
    if (custom->minor_ratio >= 1.0) gc_request_minor(g);
}

static value alloc_custom(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                          size_t mem, size_t max, size_t minor_mem, size_t minor_max_bytes) {
    size_t wosize = 1 + (bytes + 7) / 8;
    bool small = wosize <= MAX_YOUNG_WOSIZE;
    make_room(g, ops, mem, true);
    value v = small ? gc_alloc_small(g, wosize, TAG_CUSTOM) : gc_alloc_major(g, wosize, TAG_CUSTOM);
    field(v, 0) = (value)ops;
    if (small) {
        enter_young(g, v, mem, max, minor_mem, minor_max_bytes);
    } else {
        charge_major(g, mem, max);
        enter_old(g, v);
    }
    return v;
}

value gc_alloc_custom(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                      size_t mem, size_t max) {
    return alloc_custom(g, ops, bytes, mem, max, mem, max);
}

value gc_alloc_custom_mem(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                          size_t mem) {
    size_t most = g->heap->params.custom_minor_max_bytes;
    size_t minor_mem = mem < most ? mem : most;
    value v = alloc_custom(g, ops, bytes, mem, major_max(g->heap), minor_mem, minor_max(g));
    if (g->hooks && g->hooks->allocated && mem > 0)
        g->hooks->allocated(g->hooks->context, g, v, mem, GC_CUSTOM);
    return v;
}

void gc_adopt_custom(struct gc_domain *g, value v, size_t mem) {
    make_room(g, custom_ops(v), mem, false);
    if (gc_is_young(g, v)) {
        size_t most = g->heap->params.custom_minor_max_bytes;
        size_t minor_mem = mem < most ? mem : most;
        enter_young(g, v, mem, major_max(g->heap), minor_mem, minor_max(g));
    } else {
        charge_major(g, mem, major_max(g->heap));
        enter_old(g, v);
    }
}

void gc_charge(struct gc_domain *g, size_t mem, size_t max) {
    charge_major(g, mem, max > 0 ? max : major_max(g->heap));
}

static void finalize(value v) {
    void (*last_call)(value v) = custom_ops(v)->finalize;
    if (last_call != NULL) last_call(v);
}

void gc_custom_minor(struct gc_domain *g) {
    struct gc_custom *custom = &g->heap->custom;
    for (size_t i = 0; i < custom->young.count; i += YOUNG_STRIDE) {
        value v = (value)custom->young.items[i + YOUNG_BLOCK];
        if (gc_is_forwarded(v)) {
            charge_major(g, custom->young.items[i + YOUNG_MEM], custom->young.items[i + YOUNG_MAX]);
            enter_old(g, gc_forwarded(v));
        } else {
            finalize(v);
        }
    }
    custom->young.count = 0;
    custom->minor_ratio = 0;
}

void gc_custom_clean(struct gc_domain *g) {
    struct gc_words *old = &g->heap->custom.old;
    size_t kept = 0;
    for (size_t i = 0; i < old->count; i++) {
        value v = (value)old->items[i];
        if (gc_is_marked(g->heap, v)) old->items[kept++] = (uintptr_t)v;
        else finalize(v);
    }
    old->count = kept;
}

void gc_custom_destroy(struct gc_domain *g, bool finalize_all) {
    struct gc_custom *custom = &g->heap->custom;
    if (finalize_all) {
        for (size_t i = 0; i < custom->young.count; i += YOUNG_STRIDE)
            finalize((value)custom->young.items[i + YOUNG_BLOCK]);
        for (size_t i = 0; i < custom->old.count; i++) finalize((value)custom->old.items[i]);
    }
    gc_words_free(&custom->young);
    gc_words_free(&custom->old);
}
