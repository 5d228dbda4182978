/* custom.c - custom blocks: their memory outside the heap, and their finalize functions.
 *
 * Memory outside the heap can be charged to a custom block, as a share of a collection cycle. When
 * the shares since the last minor collection add up to 1, a minor collection is requested; blocks
 * that survive it, and those allocated in the major heap, are charged to the major cycle (pace.c).
 *
 *     minor.customs   (block, mem, max, taken), one for each young block with finalize, a charge or
 *                     memory counted towards the limit (gc_external_charge)
 *     heap->customs   (block, taken) of the major blocks with finalize or such memory
 *
 * X1  A custom block with a finalize function is in exactly one of the two tables, once, until its
 *     finalize has run; so that runs exactly once. The memory taken for a block is uncharged then.
 *     (Copies made with Obj are in neither table: the original owns what they refer to.)
 * X2  heap->customs has room for all blocks of minor.customs: promotion needs no memory.
 *
 * finalize runs inside collections: it may not allocate in the heap, raise, or follow pointers. */
#include "gc/heap_internal.h"

enum { YOUNG_BLOCK, YOUNG_MEM, YOUNG_MAX, YOUNG_TAKEN, YOUNG_STRIDE };
enum { MAJOR_BLOCK, MAJOR_TAKEN, MAJOR_STRIDE };

/* The committed heap, in percent of the live data that it is assumed to hold. At a ratio of 100 %
 * the max of gc_alloc_custom_mem is the size of that live data. */
#define HEAP_PERCENT 150

static double share(size_t mem, size_t max) {
    if (max == 0) max = 1;
    return mem > max ? 1.0 : (double)mem / (double)max;
}

static void charge_major(struct gc_domain *g, size_t mem, size_t max) {
    if (mem != 0) gc_pace_external(g, share(mem, max));
}

/* Saturating: a program may set any ratio. */
static size_t times(size_t bytes, size_t ratio) {
    size_t product;
    return __builtin_mul_overflow(bytes, ratio, &product) ? SIZE_MAX : product;
}

size_t gc_custom_major_max(const struct gc_heap *heap) {
    return times(heap->committed_spans * SPAN_BYTES / HEAP_PERCENT,
                 heap->params.custom_major_ratio);
}
/* That of a minor collection. */
static size_t minor_max(const struct gc_domain *g) {
    return times((g->young_end - g->young_start) / 100, g->heap->params.custom_minor_ratio);
}

bool gc_custom_reserve(struct gc_domain *g) {
    struct gc_words *young = &g->minor.customs;
    return gc_words_reserve(g->heap, GC_ACCOUNT_COLLECTOR, young, YOUNG_STRIDE) &&
           gc_words_reserve(g->heap, GC_ACCOUNT_PROGRAM, &g->heap->customs,
                            (young->count / YOUNG_STRIDE + 1) * MAJOR_STRIDE); /* X2 */
}

/* Makes room for a custom block if it needs an entry; after a full cycle, if collect. */
static void custom_make_room(struct gc_domain *g, const struct gc_custom_ops *ops, size_t mem,
                             bool collect) {
    if ((ops->finalize == NULL && mem == 0) || gc_custom_reserve(g)) return;
    if (!collect || !gc_cycle_for_limit(g) || !gc_custom_reserve(g))
        gc_out_of_memory(g, YOUNG_STRIDE);
}

/* What is charged to a block: mem bytes of max for the major cycle; minor_mem of them, as a share
 * of minor_max, hasten the next minor collection first. taken: bytes of the heap's limit. */
struct charge {
    size_t mem, max, minor_mem, minor_max, taken;
    bool in_major; /* the block is allocated in the major heap */
};

/* By the custom ratios. */
static struct charge charge_by_ratios(const struct gc_domain *g, size_t mem) {
    size_t most = g->heap->params.custom_minor_max_bytes;
    bool in_major = g->heap->params.large_customs_are_major && mem > most;
    return (struct charge){
        mem, gc_custom_major_max(g->heap), mem < most ? mem : most, minor_max(g), 0, in_major};
}

static void register_major(struct gc_domain *g, value v, size_t taken) {
    ASSERT(gc_is_major_block(g->heap, v)); /* X1 */
    if (custom_ops(v)->finalize == NULL && taken == 0) return;
    vector_append(&g->heap->customs, (uintptr_t)v);
    vector_append(&g->heap->customs, taken);
}

/* Registers and charges a new custom block. Needs: custom_make_room. */
static void register_custom(struct gc_domain *g, value v, struct charge c) {
    struct gc_minor *minor = &g->minor;
    ASSERT(tag_of(v) == TAG_CUSTOM);
    if (!gc_is_young(g, v)) {
        charge_major(g, c.mem, c.max);
        register_major(g, v, c.taken);
    } else if (custom_ops(v)->finalize != NULL || c.mem != 0) {
        charge_major(g, c.mem - c.minor_mem, c.max);
        vector_append(&minor->customs, (uintptr_t)v);
        vector_append(&minor->customs, c.minor_mem);
        vector_append(&minor->customs, c.max);
        vector_append(&minor->customs, c.taken);
        if (c.minor_mem == 0) return;
        minor->custom_ratio += share(c.minor_mem, c.minor_max);
        if (minor->custom_ratio >= 1.0) gc_request_minor(g, GC_FOR_EXTERNAL);
    }
}

static value alloc_custom(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                          struct charge c) {
    size_t wosize = 1 + (bytes + 7) / 8;
    bool small = wosize <= MAX_YOUNG_WOSIZE && !c.in_major;
    custom_make_room(g, ops, c.mem, true);
    value v = small ? gc_alloc_small(g, wosize, TAG_CUSTOM) : gc_alloc_major(g, wosize, TAG_CUSTOM);
    field(v, 0) = (value)ops;
    register_custom(g, v, c);
    return v;
}

value gc_alloc_custom(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                      size_t mem, size_t max) {
    return alloc_custom(g, ops, bytes, (struct charge){mem, max, mem, max, 0, false});
}

/* With taken bytes of the heap's limit, a part of mem or none. */
static value alloc_custom_mem(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                              size_t mem, size_t taken, enum gc_source source) {
    struct charge c = charge_by_ratios(g, mem);
    c.taken = taken;
    value v = alloc_custom(g, ops, bytes, c);
    if (g->hooks && g->hooks->allocated && mem > 0)
        g->hooks->allocated(g->hooks->context, g, v, mem, source);
    return v;
}

value gc_alloc_custom_mem(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                          size_t mem) {
    return alloc_custom_mem(g, ops, bytes, mem, 0, GC_CUSTOM);
}

value gc_alloc_custom_again(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                            size_t mem) {
    return alloc_custom_mem(g, ops, bytes, mem, 0, GC_CUSTOM_AGAIN);
}

value gc_alloc_custom_owning(struct gc_domain *g, const struct gc_custom_ops *ops, size_t bytes,
                             size_t mem) {
    if (g->heap->params.max_heap_words == 0) return gc_alloc_custom_mem(g, ops, bytes, mem);
    /* Makes room first: the allocation must not fail once mem is taken. */
    custom_make_room(g, ops, mem, true);
    if (bytes < 8 * MAX_YOUNG_WOSIZE) gc_prepare_small(g, 1 + (bytes + 7) / 8);
    if (!gc_external_charge(g, mem)) gc_out_of_memory(g, mem / 8);
    return alloc_custom_mem(g, ops, bytes, mem, mem, GC_CUSTOM);
}

void gc_adopt_custom(struct gc_domain *g, value v, size_t mem) {
    custom_make_room(g, custom_ops(v), mem, false);
    register_custom(g, v, charge_by_ratios(g, mem));
}

void gc_charge(struct gc_domain *g, size_t mem, size_t max) {
    charge_major(g, mem, max > 0 ? max : gc_custom_major_max(g->heap));
}

void gc_external_outlives(struct gc_heap *heap, value v, const void *key) {
    const struct gc_hooks *hooks = heap->hooks;
    if (hooks && hooks->outlived) hooks->outlived(hooks->context, v, key);
}

void gc_external_released(struct gc_heap *heap, const void *key) {
    const struct gc_hooks *hooks = heap->hooks;
    if (hooks && hooks->released) hooks->released(hooks->context, key);
}

static void finalize(struct gc_heap *heap, value v, size_t taken) {
    const struct gc_custom_ops *ops = custom_ops(v);
    ASSERT(tag_of(v) == TAG_CUSTOM); /* X1 */
    if (ops->finalize != NULL) ops->finalize(v);
    gc_external_uncharge(heap, taken);
}

void gc_custom_minor(struct gc_domain *g) {
    struct gc_words *young = &g->minor.customs;
    for (size_t i = 0; i < young->count; i += YOUNG_STRIDE) {
        value v = (value)young->items[i + YOUNG_BLOCK];
        size_t taken = young->items[i + YOUNG_TAKEN];
        if (gc_is_forwarded(v)) {
            charge_major(g, young->items[i + YOUNG_MEM], young->items[i + YOUNG_MAX]);
            register_major(g, gc_forwarded(v), taken);
        } else finalize(g->heap, v, taken);
    }
    young->count = 0;
    g->minor.custom_ratio = 0;
}

void gc_custom_clean(struct gc_domain *g) {
    struct gc_words *customs = &g->heap->customs;
    size_t kept = 0;
    for (size_t i = 0; i < customs->count; i += MAJOR_STRIDE) {
        value v = (value)customs->items[i + MAJOR_BLOCK];
        size_t taken = customs->items[i + MAJOR_TAKEN];
        if (gc_survives_cycle(g->heap, v)) {
            customs->items[kept++] = (uintptr_t)v;
            customs->items[kept++] = taken;
        } else finalize(g->heap, v, taken);
    }
    customs->count = kept;
}

void gc_custom_destroy(struct gc_domain *g, bool finalize_all) {
    struct gc_words *young = &g->minor.customs, *customs = &g->heap->customs;
    for (size_t i = 0; finalize_all && i < young->count; i += YOUNG_STRIDE)
        finalize(g->heap, (value)young->items[i + YOUNG_BLOCK], young->items[i + YOUNG_TAKEN]);
    for (size_t i = 0; finalize_all && i < customs->count; i += MAJOR_STRIDE)
        finalize(g->heap, (value)customs->items[i + MAJOR_BLOCK], customs->items[i + MAJOR_TAKEN]);
    gc_words_free(young);
    gc_words_free(customs);
}
