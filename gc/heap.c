/* heap.c - the heap as a whole: its address range, minor heaps, parameters, poll words.
 *
 *     range_start                minor_base                    major_start
 *     | atoms (one page), unused | minor heaps                 | major heap              |
 *
 * The whole range is reserved without memory; pages become usable as the parts grow. The side
 * metadata of the spans is reserved separately, so that its addresses do not collide with the
 * heap's in the cache. */
#include "gc/heap_internal.h"

#include <stdlib.h>
#include <unistd.h>

enum { MINOR_STEP_WORDS = 512 };
#define MIN_MINOR_WORDS_DEFAULT ((size_t)4096)
#define MIN_RANGE_BYTES         ((size_t)12 << 20)
#define MAX_MINOR_WORDS         ((size_t)1 << 28)
#define DEFAULT_MINOR_WORDS     ((size_t)256 * 1024)

/* ---- Parameters. ---- */

static void set_default(size_t *parameter, size_t size) {
    if (*parameter == 0) *parameter = size;
}

void gc_params_complete(struct gc_params *params) {
    if (params->complete) return;
    params->complete = true;
    set_default(&params->minor_words, DEFAULT_MINOR_WORDS);
    set_default(&params->min_minor_words, MIN_MINOR_WORDS_DEFAULT);
    set_default(&params->max_minor_words, MAX_MINOR_WORDS);
    set_default(&params->heap_increment, 15);
    set_default(&params->allocation_policy, 2);
    set_default(&params->window_size, 1);
    set_default(&params->space_overhead, 120);
    set_default(&params->max_overhead, 500);
    set_default(&params->custom_major_ratio, 44);
    set_default(&params->custom_minor_ratio, 100);
    set_default(&params->custom_minor_max_bytes, 8192);
}

/* With the size of the minor heap in its range. */
static struct gc_params normalise(const struct gc_params *params) {
    struct gc_params p = *params;
    if (p.minor_words < p.min_minor_words) p.minor_words = p.min_minor_words;
    if (p.minor_words > p.max_minor_words) p.minor_words = p.max_minor_words;
    p.minor_words = (p.minor_words + MINOR_STEP_WORDS - 1) & ~(size_t)(MINOR_STEP_WORDS - 1);
    return p;
}

const struct gc_params *gc_get_params(const struct gc_domain *g) { return &g->heap->params; }

void gc_minor_heap_range(const struct gc_domain *g, uintptr_t *start, uintptr_t *end) {
    *start = g->heap->minor_base;
    *end = g->heap->minor_base + g->heap->minor_bytes;
}

void gc_set_params(struct gc_domain *g, const struct gc_params *params) {
    struct gc_heap *heap = g->heap;
    struct gc_params p = normalise(params);
    bool resize = p.minor_words != heap->params.minor_words;
    heap->params = p;
    g->stress = p.stress != 0;
    gc_pace_reset(heap);
    if (resize) {
        g->minor.wanted_words = p.minor_words;
        gc_minor_collect(g);
        /* Gc.get shows the size that was possible. */
        if (!GC_SMALL_TABLES) heap->params.minor_words = (g->young_end - g->young_start) / 8;
    }
    gc_update_limits(g);
}

/* ---- The minor heap. ---- */

/* The minor heap's target size, clipped to what the heap limit leaves. */
static size_t minor_words(const struct gc_domain *g) {
    const struct gc_heap *heap = g->heap;
    size_t wanted = GC_SMALL_TABLES ? MIN_MINOR_WORDS : g->minor.wanted_words;
    size_t limit = gc_limit_words(heap), used = gc_used_spans(heap) * SPAN_WORDS;
    size_t room = limit > used ? (limit - used) & ~(size_t)(MINOR_STEP_WORDS - 1) : 0;
    if (room < MIN_MINOR_WORDS) room = MIN_MINOR_WORDS;
    if (room > MAX_MINOR_WORDS) room = MAX_MINOR_WORDS;
    return wanted < room ? wanted : room;
}

/* Resizes the empty minor heap; false, and unchanged, if memory is refused. */
static bool minor_resize(struct gc_domain *g, size_t words) {
    struct gc_heap *heap = g->heap;
    size_t bytes = words * 8, had = g->minor.committed_bytes;
    char *start = (char *)g->young_start;
    ASSERT(g->young_ptr == g->young_end); /* G3 */
    ASSERT(words > 0 && words % MINOR_STEP_WORDS == 0);
    bool fits = bytes <= heap->minor_base + heap->minor_bytes - g->young_start;
    if (fits && bytes > had) {
        fits = gc_os_commit(&heap->faults, start + had, bytes - had);
        if (fits) g->minor.committed_bytes = bytes;
    }
    if (!fits) {
        g->minor.wanted_words = (g->young_end - g->young_start) / 8;
        return false;
    }
    size_t before = g->young_end - g->young_start;
    if (bytes < had) gc_os_discard(start + bytes, had - bytes);
    /* A minor heap that grows because it was full will be full again. */
    bool will_be_used = heap->params.adaptive_minor && heap->stats.minor_collections > 0;
    if (bytes > before && will_be_used) gc_os_populate(start + before, bytes - before);
    uintptr_t old_end = g->young_end;
    g->young_end = g->young_ptr = g->young_start + bytes;
    gc_sample_rebase(g, old_end);
    gc_log(heap, 0x08, "Minor heap: %zu KB\n", bytes / 1024);
    return true;
}

void gc_minor_heap_resize(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    size_t words = minor_words(g);
    g->minor.short_of_memory = !gc_spans_reserve(heap, gc_minor_spans(heap, words));
    if (g->minor.short_of_memory) {
        words = MIN_MINOR_WORDS;
        if (!gc_spans_reserve(heap, gc_minor_spans(heap, words))) heap->exhausted = true;
    }
    if (words * 8 != g->young_end - g->young_start) minor_resize(g, words);
    heap->minor_spans = gc_minor_spans(heap, (g->young_end - g->young_start) / 8);
    ASSERT(heap->free_span_count >= heap->minor_spans || heap->exhausted); /* P5 */
}

void gc_minor_heap_move(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    size_t bytes = g->young_end - g->young_start;
    uintptr_t half = heap->minor_bytes / 2 & ~(COMMIT_BYTES - 1);
    uintptr_t old_start = g->young_start, old_end = g->young_end;
    uintptr_t start = old_start == heap->minor_base ? heap->minor_base + half : heap->minor_base;
    ASSERT(g->young_ptr == g->young_end && g->minor.remembered.count == 0); /* G3 */
    if (bytes > half || !gc_os_commit(&heap->faults, (void *)start, bytes)) return;
    gc_os_protect((void *)old_start, g->minor.committed_bytes);
    g->minor.committed_bytes = bytes;
    g->young_start = start;
    g->young_end = g->young_ptr = start + bytes;
    gc_sample_rebase(g, old_end);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
}

/* ---- Limits and samples. ---- */

void gc_update_limits(struct gc_domain *g) {
    uintptr_t young = g->young_trigger > g->sample_trigger ? g->young_trigger : g->sample_trigger;
    ASSERT(g->young_trigger >= g->young_start && g->young_trigger <= g->young_end);
    g->young_limit = g->stress ? UINTPTR_MAX : young;
    bool always = g->heap->params.stress >= 5 || g->heap->polls_always;
    g->mutator_limit = always ? UINTPTR_MAX : g->mutator_limit_idle;
    /* A signal handler may have requested an action in between. */
    if (g->action_requested) g->young_limit = g->mutator_limit = UINTPTR_MAX;
}

void gc_poll_always(struct gc_domain *g) {
    g->heap->polls_always = true;
    gc_update_limits(g);
}

void gc_clear_action(struct gc_domain *g) {
    g->action_requested = false;
    gc_update_limits(g);
}

void gc_set_hooks(struct gc_domain *g, const struct gc_hooks *hooks) {
    g->hooks = g->heap->hooks = hooks;
    gc_set_sample(g, GC_NO_SAMPLE);
}

void gc_sample_rebase(struct gc_domain *g, uintptr_t used_from) {
    g->clock_end += g->young_ptr - used_from;
    gc_place_sample(g);
}

void gc_sample_exempt(struct gc_domain *g, size_t words) {
    ASSERT(words <= gc_clock(g));
    gc_clock_move(g, -(intptr_t)words);
    gc_set_sample(g, g->sample_at);
}

/* ---- Creation. ---- */

/* Reserves the largest range that the system grants, and divides it. */
static const char *reserve_range(struct gc_heap *heap) {
    size_t bytes = gc_os_reservation() & ~(COMMIT_BYTES - 1);
    void *start = NULL;
    while (bytes >= MIN_RANGE_BYTES && !(start = gc_os_reserve(&heap->faults, bytes)))
        bytes = bytes / 2 & ~(COMMIT_BYTES - 1);
    if (!start) return "cannot reserve address space for the heap";
    heap->range_start = (uintptr_t)start;
    heap->range_bytes = bytes;
    size_t minor = bytes / 8 & ~(COMMIT_BYTES - 1);
    const size_t most = 2 * 8 * MAX_MINOR_WORDS;
    if (minor == 0) minor = COMMIT_BYTES;
    heap->minor_base = heap->range_start + COMMIT_BYTES;
    heap->minor_bytes = minor < most ? minor : most;
    heap->major_start = heap->minor_base + heap->minor_bytes;
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
    g->young_start = g->young_end = g->young_ptr = heap->minor_base;
    g->clock_end = g->young_ptr;
    g->sample_at = GC_NO_SAMPLE;
    gc_pools_create(heap);
    if (!minor_resize(g, MIN_MINOR_WORDS)) return "cannot get memory for the minor heap";
    gc_minor_heap_resize(g);
    if (heap->exhausted) return "cannot get memory for the major heap";
    if (!gc_mark_create(heap) || !gc_remembered_create(g))
        return "cannot get memory for the collector's tables";
    heap->weak.none = 2;
    gc_pace_reset(heap);
    gc_pace_place_trigger(g);
    gc_update_limits(g);
    return NULL;
}

const char *gc_heap_create(struct gc_domain *g, const struct gc_params *params,
                           const struct gc_upcalls *up) {
    memset(g, 0, sizeof *g);
    struct gc_faults faults = gc_os_read_faults();
    struct gc_heap *heap = gc_os_realloc(&faults, NULL, sizeof *heap);
    if (!heap) return "cannot get memory for the heap's description";
    memset(heap, 0, sizeof *heap);
    heap->faults = faults;
    heap->params = *params;
    gc_params_complete(&heap->params);
    heap->params = normalise(&heap->params);
    g->stress = heap->params.stress != 0;
    g->minor.wanted_words = heap->params.minor_words;
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
    gc_final_destroy(g);
    gc_weak_destroy(g);
    gc_roots_destroy(g);
    gc_words_free(&g->minor.remembered);
    free(g->pauses);
    g->pauses = NULL;
    free(heap->mark.stack.items);
    if (heap->spans) gc_os_release(heap->spans, metadata_bytes(heap));
    if (heap->range_start) gc_os_release((void *)heap->range_start, heap->range_bytes);
    free(heap);
    g->heap = NULL;
}

void gc_span_walk(struct gc_heap *heap, struct gc_span *span, void (*f)(void *context, value v),
                  void *context) {
    bool region = span->kind == SPAN_REGION;
    bool by_headers = region || gc_is_mixed(span);
    size_t cell_bytes = 8u * span->cell_words;
    uintptr_t p = gc_span_start(heap, span);
    uintptr_t end = p + (region ? span->run.length * SPAN_BYTES : span->cells * cell_bytes);
    ASSERT(region || span->kind == SPAN_SMALL);
    while (p < end) {
        header h = *(header *)p;
        value v = (value)(p + 8);
        if (region) p += gc_granules(wosize_of_header(h)) * GRANULE_BYTES;
        else if (by_headers || colour_of_header(h) == COLOUR_FREE)
            p += 8 * (wosize_of_header(h) + 1);
        else p += cell_bytes;
        ASSERT(p > (uintptr_t)v - 8 && p <= end); /* P1, P3 */
        f(context, v);
    }
}
