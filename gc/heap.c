/* heap.c - the heap as a whole: its range, the young area's place, parameters, limits, walking.
 *
 *     range_start                young_base                    major_start
 *     | atoms (one page), unused | young_reserved              | major_bytes             |
 *
 * The whole range is reserved without memory; pages become usable as the parts grow. The side
 * metadata of the spans is reserved apart, so that no address pattern ties it to the heap's. */
#include "gc/heap_internal.h"

#include <stdlib.h>
#include <unistd.h>

enum { YOUNG_STEP_WORDS = 512 };
#define MIN_YOUNG_PARAMETER ((size_t)4096)
#define MIN_RANGE_BYTES     ((size_t)12 << 20)
#define MAX_YOUNG_WORDS     ((size_t)1 << 28)
#define DEFAULT_YOUNG_WORDS ((size_t)256 * 1024)

/* ---- Parameters. ---- */

static void set_default(size_t *parameter, size_t size) {
    if (*parameter == 0) *parameter = size;
}

void gc_params_complete(struct gc_params *params) {
    if (params->complete) return;
    params->complete = true;
    set_default(&params->minor_words, DEFAULT_YOUNG_WORDS);
    set_default(&params->heap_increment, 15);
    set_default(&params->allocation_policy, 2);
    set_default(&params->window_size, 1);
    set_default(&params->space_overhead, 120);
    set_default(&params->max_overhead, 500);
    set_default(&params->custom_major_ratio, 44);
    set_default(&params->custom_minor_ratio, 100);
    set_default(&params->custom_minor_max_bytes, 8192);
}

/* Brings the size of the young area into its range. */
static struct gc_params normalise(const struct gc_params *params) {
    struct gc_params p = *params;
    if (p.minor_words < MIN_YOUNG_PARAMETER) p.minor_words = MIN_YOUNG_PARAMETER;
    if (p.minor_words > MAX_YOUNG_WORDS) p.minor_words = MAX_YOUNG_WORDS;
    p.minor_words = (p.minor_words + YOUNG_STEP_WORDS - 1) & ~(size_t)(YOUNG_STEP_WORDS - 1);
    return p;
}

const struct gc_params *gc_get_params(const struct gc_domain *g) { return &g->heap->params; }

void gc_young_range(const struct gc_domain *g, uintptr_t *start, uintptr_t *end) {
    *start = g->heap->young_base;
    *end = g->heap->young_base + g->heap->young_reserved;
}

void gc_set_params(struct gc_domain *g, const struct gc_params *params) {
    struct gc_heap *heap = g->heap;
    struct gc_params p = normalise(params);
    bool resize = p.minor_words != heap->params.minor_words;
    heap->params = p;
    g->stress = p.stress != 0;
    gc_pace_reset(heap);
    if (resize) {
        heap->young_words_wanted = p.minor_words;
        gc_minor_collect(g);
        /* Show what was granted. */
        if (!GC_SMALL_TABLES) heap->params.minor_words = (g->young_end - g->young_start) / 8;
    }
    gc_update_limits(g);
}

/* ---- The young area. ---- */

size_t gc_young_words(const struct gc_heap *heap) {
    size_t wanted = GC_SMALL_TABLES ? MIN_YOUNG_WORDS : heap->young_words_wanted;
    size_t limit = gc_limit_words(heap);
    size_t used = (heap->top_span - heap->free_span_count) * SPAN_WORDS;
    size_t room = limit > used ? (limit - used) & ~(size_t)(YOUNG_STEP_WORDS - 1) : 0;
    if (room < MIN_YOUNG_WORDS) room = MIN_YOUNG_WORDS;
    return wanted < room ? wanted : room;
}

void gc_young_settle(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    size_t words = gc_young_words(heap);
    heap->memory_short = !gc_spans_reserve(heap, gc_minor_spans(heap, words));
    if (heap->memory_short) {
        words = MIN_YOUNG_WORDS;
        if (!gc_spans_reserve(heap, gc_minor_spans(heap, words))) heap->exhausted = true;
    }
    if (words * 8 != g->young_end - g->young_start) gc_young_resize(g, words);
    heap->minor_spans = gc_minor_spans(heap, (g->young_end - g->young_start) / 8);
}

bool gc_young_resize(struct gc_domain *g, size_t words) {
    struct gc_heap *heap = g->heap;
    size_t bytes = words * 8;
    ASSERT(g->young_ptr == g->young_end);
    bool fits = bytes <= heap->young_base + heap->young_reserved - g->young_start;
    if (fits && bytes > heap->young_committed) {
        fits = gc_os_commit(&heap->faults, (char *)g->young_start + heap->young_committed,
                            bytes - heap->young_committed);
        if (fits) heap->young_committed = bytes;
    }
    if (!fits) {
        heap->young_words_wanted = (g->young_end - g->young_start) / 8;
        return false;
    }
    if (bytes < heap->young_committed)
        gc_os_discard((char *)g->young_start + bytes, heap->young_committed - bytes);
    uintptr_t old_end = g->young_end;
    g->young_end = g->young_ptr = g->young_start + bytes;
    gc_sample_rebase(g, old_end);
    gc_say(heap, 0x20, "Young area: %zu KB\n", bytes / 1024);
    return true;
}

void gc_young_move(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    size_t bytes = g->young_end - g->young_start;
    uintptr_t half = heap->young_reserved / 2 & ~(COMMIT_BYTES - 1);
    uintptr_t old_start = g->young_start, old_end = g->young_end;
    uintptr_t start = old_start == heap->young_base ? heap->young_base + half : heap->young_base;
    ASSERT(g->young_ptr == g->young_end);
    if (bytes > half || !gc_os_commit(&heap->faults, (void *)start, bytes)) return;
    gc_os_protect((void *)old_start, heap->young_committed);
    heap->young_committed = bytes;
    g->young_start = start;
    g->young_end = g->young_ptr = start + bytes;
    gc_sample_rebase(g, old_end);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
}

/* ---- Limits and samples. ---- */

void gc_update_limits(struct gc_domain *g) {
    uintptr_t young = g->young_trigger > g->sample_trigger ? g->young_trigger : g->sample_trigger;
    g->young_limit = g->stress ? UINTPTR_MAX : young;
    g->mutator_limit = g->heap->params.stress >= 5 ? UINTPTR_MAX : g->mutator_limit_idle;
    /* A signal handler may have asked in between. */
    if (g->action_requested) g->young_limit = g->mutator_limit = UINTPTR_MAX;
}

void gc_clear_action(struct gc_domain *g) {
    g->action_requested = false;
    gc_update_limits(g);
}

void gc_set_hooks(struct gc_domain *g, const struct gc_hooks *hooks) {
    g->hooks = hooks;
    gc_set_sample(g, GC_NO_SAMPLE);
}

void gc_sample_rebase(struct gc_domain *g, uintptr_t used_from) {
    g->clock_end += g->young_ptr - used_from;
    gc_place_sample(g);
}

void gc_sample_exempt(struct gc_domain *g, size_t words) {
    gc_clock_move(g, -(intptr_t)words);
    gc_set_sample(g, g->sample_at);
}

/* ---- Creation. ---- */

/* Reserves the range, as large as the system grants, and divides it. */
static const char *reserve_range(struct gc_heap *heap) {
    size_t bytes = gc_os_reservation() & ~(COMMIT_BYTES - 1);
    void *start = NULL;
    while (bytes >= MIN_RANGE_BYTES && !(start = gc_os_reserve(&heap->faults, bytes)))
        bytes = bytes / 2 & ~(COMMIT_BYTES - 1);
    if (!start) return "cannot reserve address space for the heap";
    heap->range_start = (uintptr_t)start;
    heap->range_bytes = bytes;
    size_t young = bytes / 8 & ~(COMMIT_BYTES - 1);
    const size_t most = 2 * 8 * MAX_YOUNG_WORDS;
    if (young == 0) young = COMMIT_BYTES;
    heap->young_base = heap->range_start + COMMIT_BYTES;
    heap->young_reserved = young < most ? young : most;
    heap->major_start = heap->young_base + heap->young_reserved;
    heap->major_bytes = heap->range_start + bytes - heap->major_start;
    heap->span_limit = heap->major_bytes >> SPAN_SHIFT;
    return NULL;
}

static size_t metadata_bytes(const struct gc_heap *heap) {
    size_t bytes = heap->span_limit * sizeof(struct gc_span);
    return (bytes + COMMIT_BYTES - 1) & ~(COMMIT_BYTES - 1);
}

static const char *create_atoms(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    if (!gc_os_commit(&heap->faults, (void *)heap->range_start, 4096))
        return "cannot get memory for the atoms";
    g->atoms = (value *)heap->range_start;
    for (unsigned tag = 0; tag < 256; tag++)
        g->atoms[tag] = (value)make_header(0, tag, COLOUR_STATIC);
    return NULL;
}

static const char *set_up(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    const char *refused = reserve_range(heap);
    if (refused) return refused;
    g->range_start = heap->range_start;
    g->range_bytes = heap->range_bytes;
    heap->spans = gc_os_reserve(&heap->faults, metadata_bytes(heap));
    if (!heap->spans) return "cannot reserve address space for the heap's metadata";
    refused = create_atoms(g);
    if (refused) return refused;
    g->young_start = g->young_end = g->young_ptr = heap->young_base;
    g->clock_end = g->young_ptr;
    g->sample_at = GC_NO_SAMPLE;
    gc_pools_create(heap);
    if (!gc_young_resize(g, MIN_YOUNG_WORDS)) return "cannot get memory for the young area";
    gc_young_settle(g);
    if (heap->exhausted) return "cannot get memory for the major heap";
    if (!gc_mark_create(heap) || !gc_remembered_create(heap))
        return "cannot get memory for the collector's tables";
    gc_weak_create(heap);
    gc_final_create(heap);
    gc_pace_reset(heap);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    return NULL;
}

const char *gc_heap_create(struct gc_domain *g, const struct gc_params *params,
                           const struct gc_upcalls *up) {
    memset(g, 0, sizeof *g);
    struct gc_faults faults = gc_os_read_faults();
    struct gc_heap *heap = gc_os_alloc(&faults, sizeof *heap);
    if (!heap) return "cannot get memory for the heap's description";
    memset(heap, 0, sizeof *heap);
    heap->faults = faults;
    heap->params = *params;
    gc_params_complete(&heap->params);
    heap->params = normalise(&heap->params);
    g->stress = heap->params.stress != 0;
    heap->young_words_wanted = heap->params.minor_words;
    heap->up = *up;
    g->heap = heap;
    const char *refused = set_up(g);
    if (refused) gc_heap_destroy(g, false);
    return refused;
}

void gc_heap_destroy(struct gc_domain *g, bool finalize_customs) {
    struct gc_heap *heap = g->heap;
    if (!heap) return;
    gc_custom_destroy(g, finalize_customs);
    gc_final_destroy(heap);
    gc_weak_destroy(heap);
    gc_roots_destroy(heap);
    gc_mark_destroy(heap);
    gc_pauses_destroy(heap);
    gc_words_free(&heap->remembered);
    if (heap->spans) gc_os_release(heap->spans, metadata_bytes(heap));
    if (heap->range_start) gc_os_release((void *)heap->range_start, heap->range_bytes);
    free(heap);
    g->heap = NULL;
}

/* ---- Walks. ---- */

/* What lies at p in a span: how many bytes to the next piece, and whether it is free. */
static size_t piece_at(const struct gc_span *span, uintptr_t p, bool *is_free) {
    header h = *(header *)p;
    *is_free = colour_of_header(h) == COLOUR_FREE;
    if (span->kind == SPAN_REGION) return gc_granules(wosize_of_header(h)) * GRANULE_BYTES;
    return *is_free ? 8 * (wosize_of_header(h) + 1) : 8u * span->cell_words;
}

static uintptr_t span_end(const struct gc_heap *heap, const struct gc_span *span) {
    size_t words = span->kind == SPAN_REGION ? span->run.length * SPAN_WORDS
                                             : (size_t)span->cells * span->cell_words;
    return gc_span_start(heap, span) + 8 * words;
}

void gc_span_walk(struct gc_heap *heap, struct gc_span *span, void (*f)(void *context, value v),
                  void *context) {
    bool is_free;
    uintptr_t end = span_end(heap, span), next;
    for (uintptr_t p = gc_span_start(heap, span); p < end; p = next) {
        next = p + piece_at(span, p, &is_free);
        if (!is_free) f(context, (value)(p + 8));
    }
}

void gc_span_walk_free(struct gc_heap *heap, struct gc_span *span,
                       void (*f)(void *context, uintptr_t start, size_t words), void *context) {
    bool is_free;
    uintptr_t end = span_end(heap, span), next;
    for (uintptr_t p = gc_span_start(heap, span); p < end; p = next) {
        next = p + piece_at(span, p, &is_free);
        if (is_free) f(context, p, (next - p) / 8);
    }
}

void gc_spans_walk(struct gc_heap *heap, void (*f)(void *context, struct gc_span *span),
                   void *context) {
    for (size_t i = 0; i < heap->top_span;) {
        struct gc_span *span = &heap->spans[i];
        i += span->kind == SPAN_FREE     ? span->length
             : span->kind == SPAN_REGION ? span->run.length
                                         : 1;
        f(context, span);
    }
}
