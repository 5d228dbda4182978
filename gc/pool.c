/* pool.c - spans, and the allocators of small blocks in them.
 *
 * A pool allocates through one gap after another of its current span by incrementing a pointer.
 * When the span has no gap left the pool takes the next span that has some: one swept already, one
 * that it sweeps now (which brings the lines about to be written into the cache), or a new one.
 *
 * A promoted block of up to GC_MIXED_WOSIZE words takes a gap of its class while there are some,
 * then one of a mixed span. When those are exhausted too, heap->mixing decides whether a new span
 * is mixed or of the class.
 *
 * Free spans are merged into runs (P4). A run's first and last span hold its length, so a freed
 * span finds its neighbours. */
#include "gc/heap_internal.h"

/* Spans that one refill may sweep and find full before it takes a new span: bounds the pause. */
enum { MAX_FRUITLESS_SWEEPS = 16 };
/* The same for mixed spans, which are added while little dies. */
enum { MAX_FRUITLESS_MIXED_SWEEPS = 2 };
/* A pool that was given as many spans will probably fill the next one, so all of its pages are
 * requested in one call. Fewer blocks of a size do not cost a small program more than they need. */
enum { FEW_SPANS = 4 };

/* ---- Spans. ---- */

/* Makes [span, span + n) one free run in its bin. */
static void make_free_run(struct gc_heap *heap, struct gc_span *span, size_t n) {
    ASSERT(n > 0 && span->kind == SPAN_FREE && span[n - 1].kind == SPAN_FREE); /* P4 */
    span->length = span[n - 1].length = (uint32_t)n;
    span->run.length = n;
    gc_bins_insert(&heap->free_spans, &span->run);
}

void gc_spans_free(struct gc_heap *heap, struct gc_span *span, size_t n) {
    ASSERT(n > 0 && span + n <= heap->spans + heap->top_span);
    heap->free_span_count += n;
    for (size_t i = 0; i < n; i++) {
        ASSERT(span[i].kind != SPAN_FREE || span[i].discarded);
        span[i].kind = SPAN_FREE;
        span[i].unswept = false;
        span[i].gaps = 0;
    }
    struct gc_span *end = heap->spans + heap->top_span;
    if (span + n < end && span[n].kind == SPAN_FREE) {
        gc_bins_remove(&heap->free_spans, &span[n].run);
        n += span[n].length;
    }
    if (span > heap->spans && span[-1].kind == SPAN_FREE) {
        size_t before = span[-1].length;
        span -= before;
        gc_bins_remove(&heap->free_spans, &span->run);
        n += before;
    }
    make_free_run(heap, span, n);
}

/* Makes the side metadata of spans [0, n) usable. */
static bool commit_metadata(struct gc_heap *heap, size_t n) {
    if (n <= heap->spans_committed) return true;
    size_t from = heap->spans_committed * sizeof(struct gc_span);
    size_t to = (n * sizeof(struct gc_span) + COMMIT_BYTES - 1) & ~(COMMIT_BYTES - 1);
    from = (from + COMMIT_BYTES - 1) & ~(COMMIT_BYTES - 1);
    if (to > from && !gc_os_commit(&heap->faults, (char *)heap->spans + from, to - from))
        return false;
    heap->spans_committed = to / sizeof(struct gc_span);
    return true;
}

/* Extends the heap so that its top is n adjacent free spans or more. */
static bool grow(struct gc_heap *heap, size_t n) {
    const size_t step = COMMIT_BYTES / SPAN_BYTES;
    struct gc_span *top = heap->spans + heap->top_span;
    if (heap->top_span > 0 && top[-1].kind == SPAN_FREE && top[-1].length < n) n -= top[-1].length;
    size_t added = (n + step - 1) / step * step;
    if (added > heap->span_limit - heap->top_span) added = n;
    if (added > heap->span_limit - heap->top_span) return false;
    if (!commit_metadata(heap, heap->top_span + added)) return false;
    char *start = (char *)heap->major_start + heap->top_span * SPAN_BYTES;
    if (!gc_os_commit(&heap->faults, start, added * SPAN_BYTES)) {
        added = n; /* the system is nearly out of memory */
        if (!gc_os_commit(&heap->faults, start, added * SPAN_BYTES)) return false;
    }
    size_t first = heap->top_span;
    ASSERT(first + added <= heap->span_limit && first + added <= heap->spans_committed);
    heap->top_span += added;
    memset(&heap->spans[first], 0, added * sizeof(struct gc_span));
    for (size_t i = 0; i < added; i++) heap->spans[first + i].discarded = true;
    gc_spans_free(heap, &heap->spans[first], added);
    heap->stats.heap_chunks = heap->top_span / step;
    gc_log(heap, 0x04, "Heap grows to %zu KB\n", heap->committed_spans * (SPAN_BYTES / 1024));
    return true;
}

bool gc_spans_reserve(struct gc_heap *heap, size_t n) {
    while (heap->free_span_count < n) {
        size_t missing = n - heap->free_span_count;
        struct gc_span *top = heap->spans + heap->top_span;
        /* grow deducts the free spans at the top. */
        if (heap->top_span > 0 && top[-1].kind == SPAN_FREE) missing += top[-1].length;
        if (!grow(heap, missing)) return false;
    }
    return true;
}

/* Would n more spans exceed the limit? A minor collection cannot stop halfway, so it may exceed it;
 * a full cycle follows. */
static bool over_limit(const struct gc_domain *g, size_t n) {
    size_t used = gc_used_spans(g->heap) + n;
    return !g->minor.collecting && used * SPAN_WORDS > gc_limit_words(g->heap);
}

void gc_spans_keep_within_limit(struct gc_heap *heap) {
    size_t most = gc_limit_words(heap) / SPAN_WORDS;
    if (heap->params.max_heap_words < SPAN_WORDS || heap->committed_spans <= most) return;
    size_t used = gc_used_spans(heap);
    gc_spans_discard(heap, most > used ? most - used : 0, SIZE_MAX);
}

/* Makes n free spans usable, which have left the bins. */
static void commit_spans(struct gc_heap *heap, struct gc_span *span, size_t n, bool populate) {
    heap->free_span_count -= n;
    for (size_t i = 0; i < n; i++) {
        if (span[i].discarded && populate)
            gc_os_populate((void *)gc_span_start(heap, &span[i]), SPAN_BYTES);
        heap->committed_spans += span[i].discarded;
        span[i].discarded = false;
        span[i].kind = SPAN_BODY; /* until the caller sets it */
    }
}

struct gc_span *gc_spans_alloc(struct gc_domain *g, size_t n, bool populate) {
    struct gc_heap *heap = g->heap;
    bool promoting = g->minor.collecting;
    if (over_limit(g, n)) return NULL;
    if (!promoting && !gc_spans_reserve(heap, n + heap->minor_spans)) return NULL; /* P5 */
    struct gc_run *run = gc_bins_find(&heap->free_spans, n);
    if (!run) {
        if (!grow(heap, n)) return NULL;
        run = gc_bins_find(&heap->free_spans, n);
    }
    gc_bins_remove(&heap->free_spans, run);
    struct gc_span *span = (struct gc_span *)((char *)run - offsetof(struct gc_span, run));
    ASSERT(span->kind == SPAN_FREE && run->length >= n && heap->free_span_count >= n); /* P4 */
    if (run->length > n) make_free_run(heap, span + n, run->length - n);
    commit_spans(heap, span, n, populate);
    gc_spans_keep_within_limit(heap);
    size_t words = heap->committed_spans * SPAN_WORDS;
    if (words > heap->stats.top_heap_words) heap->stats.top_heap_words = words;
    return span;
}

void gc_spans_discard(struct gc_heap *heap, size_t keep, size_t most) {
    ASSERT(heap->committed_spans >= gc_used_spans(heap)); /* P4 */
    size_t resident = heap->committed_spans - gc_used_spans(heap);
    if (resident > keep && resident - keep > most) keep = resident - most;
    for (size_t i = heap->top_span; i > 0 && resident > keep;) {
        struct gc_span *span = &heap->spans[i - 1];
        if (span->kind != SPAN_FREE || span->discarded) {
            i--;
            continue;
        }
        size_t end = i;
        while (i > 0 && resident > keep && heap->spans[i - 1].kind == SPAN_FREE &&
               !heap->spans[i - 1].discarded) {
            heap->spans[--i].discarded = true;
            resident--;
        }
        gc_os_discard((char *)heap->major_start + i * SPAN_BYTES, (end - i) * SPAN_BYTES);
        heap->committed_spans -= end - i;
    }
}

/* ---- Pools. ---- */

void gc_pools_create(struct gc_heap *heap) {
    unsigned n = 0;
    for (size_t words = 2; words <= MAX_YOUNG_WOSIZE + 1;) {
        ASSERT(n < CLASS_MAX);
        heap->class_words[n++] = (uint16_t)words;
        if (words <= 16) words++;
        else if (words == MAX_YOUNG_WOSIZE + 1) break;
        else {
            /* An eighth larger, then the largest size with the same number of cells per span. */
            size_t next = words + words / 8;
            next = SPAN_WORDS / (SPAN_WORDS / next);
            words = next > MAX_YOUNG_WOSIZE + 1 ? MAX_YOUNG_WOSIZE + 1 : next;
        }
    }
    heap->class_count = n;
    ASSERT(heap->class_words[GC_EXACT_WOSIZE - 1] == GC_EXACT_WOSIZE + 1);
    for (unsigned wosize = 1, c = 0; wosize <= MAX_YOUNG_WOSIZE; wosize++) {
        if (wosize + 1 > heap->class_words[c]) c++;
        heap->class_of[wosize] = (uint8_t)c;
    }
    for (unsigned no_scan = 0; no_scan < 2; no_scan++) {
        for (unsigned c = 0; c < n; c++) {
            struct gc_pool *pool = &heap->pools[no_scan][c];
            pool->cell_bytes = 8u * heap->class_words[c];
            pool->class_index = (uint8_t)c;
            pool->no_scan = no_scan;
        }
    }
    heap->mixed.cell_bytes = 8;
    gc_pools_unmix(heap);
}

void gc_pools_unmix(struct gc_heap *heap) {
    for (size_t i = 0; i < 2 * heap->class_count; i++)
        heap->promotion[i & 1][i >> 1] = gc_pool_at(heap, i);
}

/* Makes span the pool's current one. */
static void use_span(struct gc_pool *pool, struct gc_span *span) {
    ASSERT(span->kind == SPAN_SMALL && !span->unswept);                               /* M3 */
    ASSERT(span->class_index == pool->class_index && span->no_scan == pool->no_scan); /* V2 */
    ASSERT(span->cell_words * 8u == pool->cell_bytes);
    pool->current = span;
    pool->next_gap = span->gaps;
    span->gaps = 0;
}

static bool use_unswept(struct gc_heap *heap, struct gc_pool *pool) {
    const int most = pool == &heap->mixed ? MAX_FRUITLESS_MIXED_SWEEPS : MAX_FRUITLESS_SWEEPS;
    for (int tries = 0; pool->unswept && tries < most; tries++) {
        struct gc_span *span = pool->unswept;
        pool->unswept = span->next;
        heap->pace.debt -= (double)gc_sweep_small(heap, span);
        if (span->gaps) {
            use_span(pool, span);
            return true;
        }
    }
    return false;
}

static bool use_new(struct gc_domain *g, struct gc_pool *pool) {
    const struct gc_heap *heap = g->heap;
    struct gc_span *span = gc_spans_alloc(g, 1, pool->added++ >= FEW_SPANS);
    if (!span) return false;
    size_t cell_words = pool->cell_bytes / 8;
    *span = (struct gc_span){.kind = SPAN_SMALL,
                             .class_index = pool->class_index,
                             .no_scan = pool->no_scan,
                             .cell_words = (uint16_t)cell_words,
                             .cells = (uint16_t)(SPAN_WORDS / cell_words)};
    use_span(pool, span);
    pool->bump = gc_span_start(heap, span);
    pool->end = pool->bump + span->cells * pool->cell_bytes;
    return true;
}

/* Makes a span with gaps that exists already the pool's current one. */
static bool use_old(struct gc_heap *heap, struct gc_pool *pool) {
    struct gc_span *span = pool->available;
    if (!span) return use_unswept(heap, pool);
    pool->available = span->next;
    use_span(pool, span);
    return true;
}

/* Takes the pool's next gap, all of which is free then. */
static void use_gap(struct gc_pool *pool) {
    uintptr_t gap = pool->next_gap;
    ASSERT(colour_of_header(*(header *)gap) == COLOUR_FREE); /* P2 */
    pool->next_gap = ((uintptr_t *)gap)[1];
    __builtin_prefetch((void *)pool->next_gap, 1);
    pool->bump = gap;
    pool->end = gap + 8 * (wosize_of_header(*(header *)gap) + 1);
}

static uintptr_t allocate(struct gc_pool *pool, size_t bytes) {
    ASSERT(pool->bump + bytes <= pool->end);
    pool->bump += bytes;
    return pool->bump - bytes;
}

uintptr_t gc_pool_refill(struct gc_domain *g, struct gc_pool *pool) {
    if (pool->next_gap || use_old(g->heap, pool)) use_gap(pool);
    else if (!use_new(g, pool)) return 0;
    return allocate(pool, pool->cell_bytes);
}

/* Gives the words that are left in a pool's gap a header. False: there are none. */
static bool close_rest(struct gc_pool *pool) {
    ASSERT(pool->bump <= pool->end); /* P2 */
    if (pool->bump == pool->end) return false;
    *(header *)pool->bump = make_header((pool->end - pool->bump) / 8 - 1, 0, COLOUR_FREE);
    return true;
}

/* The address of a cell in a mixed span. 0: they have no gap for it and shall get no more, or
 * memory is exhausted. */
static uintptr_t allocate_mixed(struct gc_domain *g, size_t bytes) {
    struct gc_pool *pool = &g->heap->mixed;
    while (pool->end - pool->bump < bytes) {
        close_rest(pool);
        pool->bump = pool->end;
        if (pool->next_gap || use_old(g->heap, pool)) use_gap(pool);
        else if (!g->heap->mixing || !use_new(g, pool)) return 0;
    }
    return allocate(pool, bytes);
}

uintptr_t gc_promotion_refill(struct gc_domain *g, size_t class, bool no_scan) {
    struct gc_heap *heap = g->heap;
    struct gc_pool *own = &heap->pools[no_scan][class], **pool = &heap->promotion[no_scan][class];
    if (*pool == own && (own->next_gap || use_old(heap, own))) {
        use_gap(own);
        return allocate(own, own->cell_bytes);
    }
    if (class < GC_MIXED_WOSIZE) {
        uintptr_t p = allocate_mixed(g, own->cell_bytes);
        *pool = p ? &heap->mixed : own;
        if (p) return p;
    }
    return gc_pool_alloc(g, own); /* allocation in the major heap may have got it a gap */
}

void gc_pools_park(struct gc_heap *heap) {
    for (size_t i = 0; i < gc_pool_count(heap); i++) {
        struct gc_pool *pool = gc_pool_at(heap, i);
        struct gc_span *span = pool->current;
        if (!span) continue;
        ASSERT(span->gaps == 0); /* P2 */
        span->gaps = pool->next_gap;
        if (close_rest(pool) && pool->end - pool->bump > 8) {
            ((uintptr_t *)pool->bump)[1] = pool->next_gap;
            span->gaps = pool->bump;
        }
        if (span->gaps) {
            span->next = pool->available;
            pool->available = span;
        }
        pool->current = NULL;
        pool->bump = pool->end = pool->next_gap = 0;
    }
}
