/* tracked_blocks.c - see tracked_blocks.h. */
#include "memprof/sampling/tracked_blocks.h"

#include "gc/containers.h"
#include "gc/heap.h"
#include "vm/stack/backtrace.h"
#include "vm/state/domain.h"

#include <stdlib.h>
#include <string.h>

/* ---- Call stacks. ---- */

static size_t callstack_bytes(size_t depth) {
    return sizeof(struct mp_callstack) + depth * sizeof(uint64_t);
}

struct mp_callstack *mp_callstack_take(struct domain *d, uint64_t limit) {
    struct vm_visible_stack seen;
    vm_visible_call_stack(d, limit, &seen);
    size_t depth = seen.count;
    if (depth == 0) return NULL;
    const struct vector_memory *memory = GC_MEMORY(d->gc.heap, GC_ACCOUNT_OWED, 1);
    struct mp_callstack *stack = memory->resize(memory, NULL, 0, callstack_bytes(depth));
    if (stack == NULL) return NULL;
    stack->depth = depth;
    for (size_t i = 0; i < depth; i++)
        stack->gpcs[i] = seen.gpcs[seen.outermost_first ? depth - 1 - i : i];
    return stack;
}

void mp_callstack_free(struct gc_heap *heap, struct mp_callstack *stack) {
    if (stack != NULL) gc_external_uncharge(heap, callstack_bytes(stack->depth));
    free(stack);
}

/* ---- Lists of numbers. ---- */

enum { FIRST_ITEMS = IF_SMALL_TABLES(2, 64) };

static __attribute__((noinline)) bool grow_numbers(struct gc_heap *heap, struct mp_numbers *n) {
    return vector_reserve(n, 1, FIRST_ITEMS, GC_MEMORY(heap, GC_ACCOUNT_OWED, 1));
}

static inline bool push_number(const struct mp_tracked_blocks *t, struct mp_numbers *n,
                               uint32_t number) {
    if (n->count == n->capacity && !grow_numbers(t->heap, n)) return false;
    n->items[n->count++] = number;
    return true;
}

/* ---- Numbers and references. ---- */

static __attribute__((noinline)) uint32_t new_number(struct mp_tracked_blocks *t) {
    if (t->count >= UINT32_MAX / 2) return 0;
    if (!vector_widen((void **)&t->blocks, &t->capacity, t->count + 2, FIRST_ITEMS,
                      sizeof *t->blocks, GC_MEMORY(t->heap, GC_ACCOUNT_OWED, 1)))
        return 0;
    return ++t->count;
}

/* 0: out of memory. */
static inline uint32_t take_number(struct mp_tracked_blocks *t) {
    uint32_t number = t->first_free;
    if (number == 0) return new_number(t);
    ASSERT(t->blocks[number].flags == TRACKED_FREE && t->blocks[number].references == 0); /* ME2 */
    t->first_free = t->blocks[number].next_free;
    return number;
}

uint32_t mp_tracked_new(struct mp_tracked_blocks *t, size_t wosize, size_t samples,
                        enum gc_source source, bool born_young) {
    uint32_t number = take_number(t);
    if (number == 0) return 0;
    t->blocks[number] = (struct mp_tracked_block){
        .user = VAL_UNIT,
        .wosize = wosize,
        .samples = samples,
        .source = (uint8_t)source,
        .flags = born_young ? TRACKED_BORN_YOUNG : 0,
    };
    t->live++;
    return number;
}

static inline void free_number(struct mp_tracked_blocks *t, uint32_t number) {
    struct mp_tracked_block *b = &t->blocks[number];
    ASSERT(b->references == 0 && b->stack == NULL && b->user == VAL_UNIT); /* ME2 */
    b->flags = TRACKED_FREE;
    b->next_free = t->first_free;
    t->first_free = number;
}

static inline void free_if_unused(struct mp_tracked_blocks *t, uint32_t number) {
    const struct mp_tracked_block *b = &t->blocks[number];
    if (b->flags & TRACKED_DROPPED && b->references == 0) free_number(t, number);
}

static inline void add_reference(struct mp_tracked_blocks *t, uint32_t number) {
    mp_tracked_at(t, number)->references++;
}

static inline void release(struct mp_tracked_blocks *t, uint32_t number) {
    ASSERT(mp_tracked_at(t, number)->references > 0);
    t->blocks[number].references--;
    free_if_unused(t, number);
}

/* No further callback runs for the block. */
static inline void drop(struct mp_tracked_blocks *t, uint32_t number) {
    struct mp_tracked_block *b = &t->blocks[number];
    if (b->flags & (TRACKED_DROPPED | TRACKED_FREE)) return;
    mp_callstack_free(t->heap, b->stack);
    b->stack = NULL;
    b->user = VAL_UNIT;
    b->flags |= TRACKED_DROPPED;
    ASSERT(t->live > 0);
    t->live--;
    free_if_unused(t, number);
}

/* Makes the user value a root. False: out of memory; the block was dropped. */
static bool add_fresh_user(struct mp_tracked_blocks *t, uint32_t number) {
    if (!push_number(t, &t->fresh_users, number)) {
        drop(t, number);
        return false;
    }
    add_reference(t, number);
    return true;
}

uint32_t mp_tracked_promised(struct mp_tracked_blocks *t, size_t wosize, size_t samples, value user,
                             value block) {
    uint32_t number = take_number(t);
    if (number == 0) return 0;
    t->blocks[number] = (struct mp_tracked_block){
        .block = block,
        .user = user,
        .wosize = wosize,
        .samples = samples,
        .source = GC_NORMAL,
        .seq = ++t->last_seq,
        .references = 1,
        .flags = TRACKED_BORN_YOUNG | TRACKED_REPORTED,
    };
    t->live++;
    if (is_block(user)) add_fresh_user(t, number);
    if (block != 0) mp_tracked_born(t, number, block);
    return number;
}

void mp_tracked_born(struct mp_tracked_blocks *t, uint32_t number, value block) {
    struct mp_tracked_block *b = mp_tracked_at(t, number);
    ASSERT(block != 0 && b->references > 0 && b->flags & TRACKED_REPORTED);
    b->block = block;
    if (b->flags & TRACKED_DROPPED || !push_number(t, &t->young, number)) {
        drop(t, number);
        release(t, number);
    }
}

bool mp_tracked_set_block(struct mp_tracked_blocks *t, uint32_t number, value block, bool young) {
    ASSERT(block != 0 && mp_tracked_at(t, number)->block == 0); /* ME3 */
    if (!push_number(t, young ? &t->young : &t->old, number)) {
        drop(t, number);
        return false;
    }
    add_reference(t, number);
    t->blocks[number].block = block;
    return true;
}

void mp_tracked_set_user(struct mp_tracked_blocks *t, uint32_t number, value user) {
    if (is_int(user) || add_fresh_user(t, number)) t->blocks[number].user = user;
}

value mp_tracked_take_user(struct mp_tracked_blocks *t, struct gc_domain *g, uint32_t number) {
    value user = mp_tracked_at(t, number)->user;
    gc_preserve(g, user);
    t->blocks[number].user = VAL_UNIT;
    return user;
}

/* ---- Pending callbacks. ---- */

/* Most blocks die or are promoted in the order of their births, so fates is nearly sorted as it
 * grows; it is sorted before the next one is taken if an item was out of order. */
static void remove_taken(struct mp_numbers *fates, size_t *taken) {
    ASSERT(*taken <= fates->count);
    fates->count -= *taken;
    memmove(fates->items, fates->items + *taken, fates->count * sizeof *fates->items);
    *taken = 0;
}

/* Appends a block to fates, which takes over one of its references. */
static inline bool push_fate(struct mp_tracked_blocks *t, uint32_t number) {
    struct mp_numbers *fates = &t->fates;
    struct mp_tracked_block *b = &t->blocks[number];
    if (t->fates_taken > fates->count / 2) remove_taken(fates, &t->fates_taken);
    if (!push_number(t, fates, number)) {
        drop(t, number);
        release(t, number);
        return false;
    }
    b->flags |= TRACKED_QUEUED;
    size_t n = fates->count;
    if (n - t->fates_taken > 1) t->fates_unsorted |= t->blocks[fates->items[n - 2]].seq > b->seq;
    return true;
}

static int by_seq(const void *one, const void *other, void *context) {
    const struct mp_tracked_block *blocks = context;
    uint64_t a = blocks[*(const uint32_t *)one].seq, b = blocks[*(const uint32_t *)other].seq;
    return a < b ? -1 : a > b;
}

bool mp_tracked_queue_alloc(struct mp_tracked_blocks *t, uint32_t number) {
    if (t->allocs_taken > 0 && t->allocs_taken == t->allocs.count)
        t->allocs_taken = t->allocs.count = 0;
    if (!push_number(t, &t->allocs, number)) {
        drop(t, number);
        return false;
    }
    add_reference(t, number);
    return true;
}

/* Notes TRACKED_PROMOTION_PENDING or TRACKED_DEATH_PENDING; takes over one of the block's
 * references. True: its callback can run now (ME4). */
static inline bool queue_fate(struct mp_tracked_blocks *t, uint32_t number, unsigned pending) {
    struct mp_tracked_block *b = mp_tracked_at(t, number);
    ASSERT(b->references > 0 && (b->flags & pending) == 0);
    b->flags |= (uint16_t)pending;
    const unsigned state = TRACKED_DROPPED | TRACKED_REPORTED | TRACKED_RUNNING | TRACKED_QUEUED;
    if ((b->flags & state) == TRACKED_REPORTED) return push_fate(t, number);
    bool queued = b->flags & TRACKED_QUEUED && !(b->flags & TRACKED_DROPPED);
    release(t, number);
    return queued;
}

bool mp_tracked_unborn(struct mp_tracked_blocks *t, uint32_t number) {
    return queue_fate(t, number, TRACKED_DEATH_PENDING);
}

/* Removes item i of allocs; items before it may stay. */
static uint32_t remove_alloc(struct mp_tracked_blocks *t, size_t i) {
    uint32_t number = t->allocs.items[i];
    for (; i > t->allocs_taken; i--) t->allocs.items[i] = t->allocs.items[i - 1];
    t->allocs_taken++;
    return number;
}

/* A callback begins, with the reference of the list that the block was taken from. */
static inline uint32_t begin_callback(struct mp_tracked_block *b, uint32_t number) {
    ASSERT(b->references > 0 && (b->flags & (TRACKED_RUNNING | TRACKED_FREE)) == 0);
    b->flags |= TRACKED_REPORTED | TRACKED_RUNNING;
    return number;
}

uint32_t mp_tracked_take_alloc(struct mp_tracked_blocks *t, uint32_t thread) {
    for (size_t i = t->allocs_taken; i < t->allocs.count; i++) {
        struct mp_tracked_block *b = &t->blocks[t->allocs.items[i]];
        bool dropped = b->flags & TRACKED_DROPPED;
        if (!dropped && b->thread != thread) continue;
        uint32_t number = remove_alloc(t, i);
        b->seq = ++t->last_seq;
        if (!dropped) return begin_callback(b, number);
        release(t, number);
    }
    return 0;
}

bool mp_tracked_alloc_pending(const struct mp_tracked_blocks *t, uint32_t thread) {
    for (size_t i = t->allocs_taken; i < t->allocs.count; i++)
        if (t->blocks[t->allocs.items[i]].thread == thread) return true;
    return false;
}

void mp_tracked_drop_allocs(struct mp_tracked_blocks *t, uint32_t thread) {
    for (uint32_t number; (number = mp_tracked_take_alloc(t, thread)) != 0;) {
        struct mp_tracked_block *b = mp_tracked_at(t, number);
        mp_callstack_free(t->heap, b->stack);
        b->stack = NULL;
        mp_tracked_end_callback(t, number, true);
    }
}

static void sort_fates(struct mp_tracked_blocks *t) {
    qsort_r(t->fates.items + t->fates_taken, t->fates.count - t->fates_taken,
            sizeof *t->fates.items, by_seq, t->blocks);
    t->fates_unsorted = false;
}

uint32_t mp_tracked_take_fate(struct mp_tracked_blocks *t) {
    while (t->fates.count > t->fates_taken) {
        if (t->fates_unsorted) sort_fates(t);
        uint32_t number = t->fates.items[t->fates_taken++];
        struct mp_tracked_block *b = &t->blocks[number];
        b->flags &= (uint16_t)~TRACKED_QUEUED;
        if (!(b->flags & TRACKED_DROPPED)) return begin_callback(b, number);
        release(t, number);
    }
    return 0;
}

void mp_tracked_end_callback(struct mp_tracked_blocks *t, uint32_t number, bool drop_it) {
    struct mp_tracked_block *b = mp_tracked_at(t, number);
    ASSERT(b->flags & TRACKED_RUNNING && b->stack == NULL);
    if (drop_it && !(b->flags & TRACKED_DROPPED)) {
        b->user = VAL_UNIT;
        b->flags |= TRACKED_DROPPED;
        t->live--;
    }
    if (drop_it && b->references == 1) { /* the callback's */
        b->references = 0;
        free_number(t, number);
        return;
    }
    b->flags &= (uint16_t)~TRACKED_RUNNING;
    bool pending = b->flags & (TRACKED_PROMOTION_PENDING | TRACKED_DEATH_PENDING);
    if (pending && !(b->flags & TRACKED_DROPPED)) push_fate(t, number);
    else release(t, number);
}

void mp_tracked_drop_unreported(struct mp_tracked_blocks *t) {
    for (uint32_t i = 1; i <= t->count; i++)
        if (!(t->blocks[i].flags & (TRACKED_REPORTED | TRACKED_FREE))) drop(t, i);
}

/* ---- Collections. ---- */

/* A block of the list young was promoted: the list old takes over its reference. When out of memory
 * it is dropped. */
static bool record_promotion(struct mp_tracked_blocks *t, uint32_t number, value block) {
    struct mp_tracked_block *b = &t->blocks[number];
    ASSERT((b->flags & (TRACKED_BORN_YOUNG | TRACKED_WAS_PROMOTED)) == TRACKED_BORN_YOUNG);
    b->block = block;
    b->flags |= TRACKED_WAS_PROMOTED;
    if (push_number(t, &t->old, number)) {
        add_reference(t, number);
        return queue_fate(t, number, TRACKED_PROMOTION_PENDING);
    }
    drop(t, number);
    release(t, number);
    return false;
}

/* The block is dead; takes over the reference of the list that it was in. */
static inline bool record_death(struct mp_tracked_blocks *t, uint32_t number) {
    ASSERT(mp_tracked_at(t, number)->block != 0); /* ME3 */
    t->blocks[number].block = 0;
    return queue_fate(t, number, TRACKED_DEATH_PENDING);
}

bool mp_tracked_minor_done(struct mp_tracked_blocks *t, struct gc_domain *g) {
    bool pending = false;
    for (size_t i = 0; i < t->young.count; i++) {
        uint32_t number = t->young.items[i];
        const struct mp_tracked_block *b = &t->blocks[number];
        if (b->flags & TRACKED_DROPPED) {
            release(t, number);
            continue;
        }
        value fate = gc_promoted_copy(g, b->block);
        pending |= fate == 0 ? record_death(t, number) : record_promotion(t, number, fate);
    }
    t->young.count = 0;
    for (size_t i = 0; i < t->fresh_users.count; i++) release(t, t->fresh_users.items[i]);
    t->fresh_users.count = 0;
    return pending;
}

size_t mp_tracked_mark_done(struct mp_tracked_blocks *t) {
    ASSERT(t->scan.end == 0); /* the scan of the last cycle is over */
    t->scan = (struct mp_sliced_scan){.end = t->old.count};
    return GC_INSPECT_WORK * t->scan.end;
}

/* Prefetches blocks and headers of items of old after item i. */
static inline void prefetch_blocks(const struct mp_tracked_blocks *t, size_t i) {
    enum { BLOCKS_AHEAD = 16, HEADERS_AHEAD = 8 };
    const uint32_t *old = t->old.items;
    if (i + BLOCKS_AHEAD >= t->scan.end) return;
    __builtin_prefetch(&t->blocks[old[i + BLOCKS_AHEAD]], 1);
    gc_prefetch_header(t->blocks[old[i + HEADERS_AHEAD]].block);
}

size_t mp_tracked_inspect(struct mp_tracked_blocks *t, struct gc_domain *g, size_t budget,
                          bool *pending) {
    struct mp_sliced_scan *scan = &t->scan;
    struct mp_numbers *old = &t->old;
    size_t done = 0;
    if (scan->end == 0) return 0;
    ASSERT(scan->kept <= scan->next && scan->end <= old->count);
    for (; scan->next < scan->end && done < budget; scan->next++, done += GC_INSPECT_WORK) {
        prefetch_blocks(t, scan->next);
        uint32_t number = old->items[scan->next];
        struct mp_tracked_block *b = &t->blocks[number];
        bool dropped = b->flags & TRACKED_DROPPED;
        if (!dropped && !gc_is_dead(g, b->block)) {
            old->items[scan->kept++] = number;
            continue;
        }
        if (dropped) release(t, number);
        else *pending |= record_death(t, number);
    }
    if (scan->next == scan->end)
        mp_sliced_scan_end(scan, old->items, &old->count, sizeof *old->items);
    return done;
}

void mp_tracked_visit(struct mp_tracked_blocks *t, struct gc_visitor *visitor) {
    if (visitor->young_only) {
        for (size_t i = 0; i < t->fresh_users.count; i++)
            gc_visit(visitor, &t->blocks[t->fresh_users.items[i]].user);
        return;
    }
    if (visitor->may_defer) {
        t->user_next = 1;
        t->user_end = t->count + 1;
        return;
    }
    for (uint32_t i = 1; i <= t->count; i++) gc_visit(visitor, &t->blocks[i].user);
}

size_t mp_tracked_visit_some(struct mp_tracked_blocks *t, struct gc_visitor *visitor,
                             size_t budget) {
    ASSERT(t->user_next <= t->user_end && t->user_end <= t->count + 1);
    uint32_t left = t->user_end - t->user_next;
    uint32_t end = t->user_next + (left < budget ? left : (uint32_t)budget);
    for (uint32_t i = t->user_next; i < end; i++)
        if (is_block(t->blocks[i].user)) gc_visit(visitor, &t->blocks[i].user);
    size_t done = end - t->user_next;
    t->user_next = end;
    return done;
}

void mp_tracked_clear(struct mp_tracked_blocks *t) {
    struct gc_heap *heap = t->heap;
    struct mp_numbers *lists[] = {&t->young, &t->old, &t->fresh_users, &t->allocs, &t->fates};
    for (uint32_t i = 1; i <= t->count; i++)
        if (!(t->blocks[i].flags & TRACKED_FREE)) mp_callstack_free(heap, t->blocks[i].stack);
    gc_external_uncharge(heap, t->capacity * sizeof *t->blocks);
    free(t->blocks);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        gc_external_uncharge(heap, lists[i]->capacity * sizeof *lists[i]->items);
        free(lists[i]->items);
    }
    *t = (struct mp_tracked_blocks){.heap = heap};
}
