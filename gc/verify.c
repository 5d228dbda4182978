/* verify.c - the heap verifier: spans and blocks.
 *
 * Every invariant of the collector that shows in a state of the heap is tested here or in
 * verify_tables.c, in one place, marked by its number. The verifier first walks all spans by their
 * tiling and notes where blocks start; then it looks at every word of every block that is not dead.
 * It trusts nothing that it has not checked before, changes nothing (but for parking the pools),
 * and takes a bit for each word of the heap.
 *
 * Rules of conduct rather than of state are not tested here: R1 and R2 by the stress levels, which
 * move and overwrite what was not rooted; W2 and F2's second half by assertions where they are
 * kept and by the tests that name them; H2 and R3 likewise. */
#include "gc/verify_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void gc_verify_fail(const struct gc_checker *c, const char *invariant, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "heap verifier: %s broken (%s): ", invariant, c->when);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* ---- Where blocks start ---- */

static void set_bit(uint64_t *bits, size_t i) { bits[i / 64] |= (uint64_t)1 << (i % 64); }
static bool get_bit(const uint64_t *bits, size_t i) { return bits[i / 64] >> (i % 64) & 1; }

static bool is_start(const struct gc_checker *c, value v) {
    uintptr_t p = (uintptr_t)v;
    if (p % 8 != 0) return false;
    if (gc_is_young(c->g, v)) return get_bit(c->young_starts, (p - c->g->young_start) / 8);
    if (!gc_is_major_block(c->heap, v)) return false;
    size_t word = (p - c->heap->major_start) / 8;
    return word < c->heap->top_span * SPAN_WORDS && get_bit(c->major_starts, word);
}

static bool is_atom(const struct gc_checker *c, value v) {
    uintptr_t offset = (uintptr_t)v - (uintptr_t)c->g->atoms;
    return offset >= 8 && offset <= 256 * 8 && offset % 8 == 0;
}

bool gc_verify_is_block(const struct gc_checker *c, value v) {
    if (is_atom(c, v) || is_start(c, v)) return true;
    bool readable = gc_is_young(c->g, v) ||
                    (gc_is_major_block(c->heap, v) &&
                     (uintptr_t)v - c->heap->major_start < c->heap->top_span * SPAN_BYTES);
    if ((uintptr_t)v % 8 != 0 || !readable || tag_of(v) != TAG_INFIX) return false;
    value closure = block_start(v);
    return is_start(c, closure) && tag_of(closure) == TAG_CLOSURE && closure < v &&
           infix_offset_words(v) < wosize_of(closure);
}

void gc_verify_word(const struct gc_checker *c, value v, const char *holder, uintptr_t slot) {
    if (!gc_is_heap_block(c->g, v)) return;
    if (!gc_verify_is_block(c, v)) /* G4 */
        gc_verify_fail(c, "G4", "%s %#zx holds %#zx, where no block starts", holder, (size_t)slot,
                       (size_t)v);
    if (gc_verify_is_dead(c, v)) /* M1, M5 */
        gc_verify_fail(c, c->heap->phase == PHASE_LOOK ? "M5" : "M1",
                       "%s %#zx holds %#zx, which marking did not reach", holder, (size_t)slot,
                       (size_t)v);
}

/* ---- Headers ---- */

/* The header at p of a block that has room for at most room words, header included. */
static void check_header(const struct gc_checker *c, uintptr_t p, size_t room) {
    header h = *(header *)p;
    unsigned tag = tag_of_header(h), colour = colour_of_header(h);
    size_t words = wosize_of_header(h) + 1;
    if (words < 2) /* V1 */
        gc_verify_fail(c, "V1", "the block at %#zx has no fields", (size_t)p);
    if (words > room) /* P1 */
        gc_verify_fail(c, "P1", "header %#zx at %#zx has no room", (size_t)h, (size_t)p);
    if (tag == TAG_INFIX)
        gc_verify_fail(c, "P1", "an infix header at %#zx stands alone", (size_t)p);
    if (colour != COLOUR_0 && colour != COLOUR_1)
        gc_verify_fail(c, "P1", "the block at %#zx has colour %u", (size_t)p, colour);
}

/* M2, M3: what the colour of a major block may be in this phase. */
static void check_colour(const struct gc_checker *c, uintptr_t p, const struct gc_span *span) {
    const struct gc_heap *heap = c->heap;
    if (heap->phase != PHASE_SWEEP && span->unswept) /* M2 */
        gc_verify_fail(c, "M2", "unswept span at %#zx", (size_t)p);
    if (colour_of_header(*(header *)p) == heap->live_colour || heap->phase == PHASE_MARK ||
        heap->phase == PHASE_LOOK)
        return;
    if (heap->phase == PHASE_IDLE) /* M2 */
        gc_verify_fail(c, "M2", "unmarked block at %#zx while nothing is to be swept", (size_t)p);
    if (!span->unswept) /* M3 */
        gc_verify_fail(c, "M3", "dead block at %#zx in a swept span", (size_t)p);
}

/* ---- Tiling of spans ---- */

static void tile_block(const struct gc_checker *c, const struct gc_span *span, uintptr_t p,
                       size_t room) {
    check_header(c, p, room);
    check_colour(c, p, span);
    set_bit(c->major_starts, (p + 8 - c->heap->major_start) / 8);
}

static void tile_small(const struct gc_checker *c, const struct gc_span *span) {
    uintptr_t start = gc_span_start(c->heap, span);
    size_t cell = span->cell_words, gaps = 0, listed = 0;
    if (cell < 2 || span->cells * cell > SPAN_WORDS) /* P1 */
        gc_verify_fail(c, "P1", "span at %#zx has %u cells of %zu words", (size_t)start,
                       span->cells, cell);
    uintptr_t end = start + span->cells * cell * 8;
    for (uintptr_t p = start; p < end;) {
        header h = *(header *)p;
        size_t words = cell;
        if (colour_of_header(h) == COLOUR_FREE) {
            words = wosize_of_header(h) + 1;
            gaps++;
            if (words % cell != 0 || p + 8 * words > end) /* P1 */
                gc_verify_fail(c, "P1", "gap of %zu words at %#zx", words, (size_t)p);
        } else {
            tile_block(c, span, p, cell);
            if (span->no_scan != (tag_of_header(h) >= TAG_NO_SCAN)) /* V2 */
                gc_verify_fail(c, "V2", "tag %u at %#zx in a span for the other kind",
                               tag_of_header(h), (size_t)p);
        }
        p += 8 * words;
    }
    for (uintptr_t gap = span->gaps; gap != 0; gap = ((uintptr_t *)gap)[1], listed++)
        if (gap < start || gap >= end || listed == gaps ||
            colour_of_header(*(header *)gap) != COLOUR_FREE) /* P2 */
            gc_verify_fail(c, "P2", "gap list of span %#zx is wrong at %#zx", (size_t)start,
                           (size_t)gap);
    if (!span->unswept && listed != gaps) /* P2 */
        gc_verify_fail(c, "P2", "span %#zx has %zu gaps, %zu in its list", (size_t)start, gaps,
                       listed);
}

/* Returns how many granules of the region are in free runs that say they are in the bins. */
static size_t tile_region(const struct gc_checker *c, const struct gc_span *span) {
    uintptr_t start = gc_span_start(c->heap, span);
    uintptr_t end = start + span->run.length * SPAN_BYTES;
    size_t binned = 0;
    for (size_t i = 1; i < span->run.length; i++)
        if (span[i].kind != SPAN_BODY) /* P3 */
            gc_verify_fail(c, "P3", "region %#zx contains another span", (size_t)start);
    for (uintptr_t p = start; p < end;) {
        header h = *(header *)p;
        size_t granules = gc_granules(wosize_of_header(h));
        if (p + granules * GRANULE_BYTES > end) /* P3 */
            gc_verify_fail(c, "P3", "header %#zx at %#zx crosses its region", (size_t)h, (size_t)p);
        if (colour_of_header(h) != COLOUR_FREE) tile_block(c, span, p, granules * GRANULE_WORDS);
        else if (*(value *)(p + 8) == VAL_TRUE) binned += granules;
        p += granules * GRANULE_BYTES;
    }
    return binned;
}

static size_t binned_length(const struct gc_bins *bins) {
    size_t total = 0;
    for (unsigned i = 0; i < BIN_COUNT; i++)
        for (const struct gc_run *run = bins->heads[i]; run != NULL; run = run->next)
            total += run->length;
    return total;
}

static void tile_spans(const struct gc_checker *c) {
    const struct gc_heap *heap = c->heap;
    size_t free = 0, discarded = 0, binned_granules = 0;
    bool after_free = false;
    for (size_t i = 0, n; i < heap->top_span; i += n) {
        const struct gc_span *span = &heap->spans[i];
        bool is_free = span->kind == SPAN_FREE;
        n = is_free ? span->length : span->kind == SPAN_REGION ? span->run.length : 1;
        if (n == 0 || i + n > heap->top_span) /* P3 */
            gc_verify_fail(c, "P3", "span %zu has a length of %zu", i, n);
        if (span->kind == SPAN_BODY) /* P3 */
            gc_verify_fail(c, "P3", "span %zu belongs to no region", i);
        if (is_free && (after_free || span[n - 1].length != n)) /* P4 */
            gc_verify_fail(c, "P4", "free spans at %zu are not merged", i);
        if (span->kind == SPAN_SMALL) tile_small(c, span);
        if (span->kind == SPAN_REGION) binned_granules += tile_region(c, span);
        if (is_free) free += n;
        for (size_t k = 0; is_free && k < n; k++) discarded += span[k].discarded;
        after_free = is_free;
    }
    if (heap->committed_spans != heap->top_span - discarded || heap->free_span_count != free ||
        binned_length(&heap->free_spans) != free) /* P4 */
        gc_verify_fail(c, "P4", "%zu spans: %zu free, %zu of them given back; counted %zu, %zu",
                       heap->top_span, free, discarded, heap->free_span_count,
                       heap->committed_spans);
    if (binned_length(&heap->free_granules) != binned_granules) /* P3 */
        gc_verify_fail(c, "P3", "%zu free granules, %zu in the bins", binned_granules,
                       binned_length(&heap->free_granules));
}

static void tile_young(const struct gc_checker *c) {
    const struct gc_domain *g = c->g;
    for (uintptr_t p = g->young_ptr; p < g->young_end;) {
        size_t words = wosize_of_header(*(header *)p) + 1;
        if (words > 1) { /* what was cut off a block may be a header alone */
            check_header(c, p, (g->young_end - p) / 8);
            set_bit(c->young_starts, (p + 8 - g->young_start) / 8);
        }
        p += 8 * words;
    }
}

/* ---- Contents of blocks ---- */

static int compare_words(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static void check_closure(const struct gc_checker *c, value v) {
    size_t wosize = wosize_of(v);
    if (wosize < 2 || gc_is_heap_block(c->g, field(v, 0)) || is_block(field(v, 1))) /* V3 */
        gc_verify_fail(c, "V3", "closure %#zx has no code index and arity", (size_t)v);
    size_t start = start_env_of(field(v, 1));
    if (start > wosize) /* V3 */
        gc_verify_fail(c, "V3", "closure %#zx: environment at %zu of %zu", (size_t)v, start,
                       wosize);
    for (size_t i = 2; i < start; i++) {
        header h = (header)field(v, i);
        if (gc_is_heap_block(c->g, field(v, i))) /* V3 */
            gc_verify_fail(c, "V3", "closure %#zx: word %zu is a pointer", (size_t)v, i);
        if (tag_of_header(h) == TAG_INFIX && wosize_of_header(h) == i + 1) i += 2;
    }
}

static void check_fields(const struct gc_checker *c, value v) {
    bool old = !gc_is_young(c->g, v);
    size_t wosize = wosize_of(v);
    for (size_t i = 0; i < wosize; i++) {
        value content = field(v, i);
        gc_verify_word(c, content, "field", (uintptr_t)&field(v, i));
        if (!old || !is_block(content) || !gc_is_young(c->g, content)) continue;
        uintptr_t slot = (uintptr_t)&field(v, i);
        if (!c->heap->remembered_lost &&
            bsearch(&slot, c->remembered, c->remembered_count, 8, compare_words) == NULL) /* G2 */
            gc_verify_fail(c, "G2", "field %zu of old block %#zx holds young %#zx unremembered", i,
                           (size_t)v, (size_t)content);
    }
    if (tag_of(v) == TAG_CLOSURE) check_closure(c, v);
}

static void check_block(const struct gc_checker *c, value v) {
    unsigned tag = tag_of(v);
    if (gc_verify_is_dead(c, v)) return;
    if (tag < TAG_NO_SCAN) check_fields(c, v);
    size_t bytes = 8 * wosize_of(v);
    if (tag == TAG_STRING && string_length(v) + 8 < bytes) /* V4 */
        gc_verify_fail(c, "V4", "string %#zx of %zu words has a length of %zu", (size_t)v,
                       bytes / 8, string_length(v));
    if (tag == TAG_DOUBLE && bytes != 8) /* V5 */
        gc_verify_fail(c, "V5", "boxed double %#zx of %zu bytes", (size_t)v, bytes);
    if (tag == TAG_CUSTOM && custom_ops(v) == NULL) /* X1 */
        gc_verify_fail(c, "X1", "custom block %#zx has no operations", (size_t)v);
}

static void check_blocks(const struct gc_checker *c, const uint64_t *bits, uintptr_t start,
                         size_t words) {
    for (size_t i = 0; i < (words + 63) / 64; i++)
        for (uint64_t rest = bits[i]; rest != 0; rest &= rest - 1)
            check_block(c, (value)(start + 8 * (i * 64 + (size_t)__builtin_ctzll(rest))));
}

/* ---- The whole ---- */

static void check_young_area(const struct gc_checker *c) {
    const struct gc_domain *g = c->g;
    if (g->young_start > g->young_ptr || g->young_ptr > g->young_end ||
        (g->young_start | g->young_ptr | g->young_end) % 8 != 0) /* G1 */
        gc_verify_fail(c, "G1", "young area %#zx <= %#zx <= %#zx", (size_t)g->young_start,
                       (size_t)g->young_ptr, (size_t)g->young_end);
    if (c->heap->free_span_count < c->heap->minor_spans && !c->heap->exhausted) /* P5 */
        gc_verify_fail(c, "P5", "%zu free spans, %zu may be needed", c->heap->free_span_count,
                       c->heap->minor_spans);
    if (g->young_ptr == g->young_end && c->heap->remembered.count != 0) /* G3 */
        gc_verify_fail(c, "G3", "nothing is young, %zu slots are remembered",
                       c->heap->remembered.count);
    if (g->sample_trigger < g->young_start || g->sample_trigger > g->young_end) /* H1 */
        gc_verify_fail(c, "H1", "the sample trigger %#zx is outside the young area",
                       (size_t)g->sample_trigger);
    const struct gc_mark *mark = &c->heap->mark;
    if (c->heap->phase != PHASE_MARK &&
        (mark->count != 0 || mark->head != mark->tail || mark->lost)) /* M2 */
        gc_verify_fail(c, "M2", "%zu ranges are to be marked outside marking", mark->count);
}

static void *allocate(size_t bytes) {
    void *p = calloc(1, bytes + 8);
    if (p == NULL) gc_fatal_no_memory("verifying the heap");
    return p;
}

void gc_verify(struct gc_domain *g, const char *when) {
    struct gc_heap *heap = g->heap;
    size_t major_words = heap->top_span * SPAN_WORDS;
    size_t young_words = (g->young_end - g->young_start) / 8;
    struct gc_checker c = {.g = g, .heap = heap, .when = when};
    c.remembered_count = heap->remembered.count;
    c.major_starts = allocate(major_words / 8);
    c.young_starts = allocate(young_words / 8 + 8);
    c.remembered = allocate(8 * c.remembered_count);
    if (c.remembered_count > 0)
        memcpy(c.remembered, heap->remembered.items, 8 * c.remembered_count);
    qsort(c.remembered, c.remembered_count, 8, compare_words);
    gc_pools_park(heap);
    check_young_area(&c);
    tile_spans(&c);
    tile_young(&c);
    check_blocks(&c, c.major_starts, heap->major_start, major_words);
    check_blocks(&c, c.young_starts, g->young_start, young_words);
    gc_verify_tables(&c);
    free(c.major_starts);
    free(c.young_starts);
    free(c.remembered);
}
