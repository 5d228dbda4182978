/* verify.c - the heap verifier.
 *
 * Checks every invariant of the collector that can be checked on the state of the heap, and reports
 * it by its id. The verifier first walks all spans by their tiling and records where blocks start;
 * then it reads every word of every block that is not dead, the roots, and the tables beside the
 * heap. It trusts nothing that it has not checked, changes nothing (except that it parks the
 * pools), and takes a bit for each word of the heap.
 *
 * Rules for callers cannot be checked on the heap: the stress levels test R1 and R2, as they move
 * and overwrite what was not rooted; assertions and the tests that name them check W2, the second
 * half of F2, H2 and R3. */
#include "gc/heap_internal.h"
#include "gc/weak.h"

#include <stdio.h>
#include <stdlib.h>

struct checker {
    struct gc_visitor visitor; /* first: the visitor's address is this struct's */
    struct gc_domain *g;
    struct gc_heap *heap;
    const char *when;
    uint64_t *major_starts, *young_starts; /* one bit per word: a block starts here */
    struct word_map slots;                 /* remembered slots, and those of minor.weak_slots */
};

/* Ends the process with a message that names the invariant, unless the condition holds. where: an
 * address or an index. */
#define CHECK(c, condition, invariant, where) \
    ((condition) ? (void)0 : verify_fail(c, invariant, #condition, (uintptr_t)(where)))

static _Noreturn void verify_fail(const struct checker *c, const char *invariant,
                                  const char *condition, uintptr_t where) {
    fprintf(stderr, "heap verifier: %s broken (%s) at %#zx: not %s\n", invariant, c->when, where,
            condition);
    abort();
}

static void *verify_alloc(size_t bytes) {
    void *p = calloc(1, bytes + 8);
    if (p == NULL) gc_fatal_no_memory("verifying the heap");
    return p;
}

/* ---- Where blocks start ---- */

static void set_bit(uint64_t *bits, size_t i) { bits[i / 64] |= (uint64_t)1 << (i % 64); }
static bool get_bit(const uint64_t *bits, size_t i) { return bits[i / 64] >> (i % 64) & 1; }

static bool is_start(const struct checker *c, value v) {
    uintptr_t p = (uintptr_t)v;
    if (p % 8 != 0) return false;
    if (gc_is_young(c->g, v)) return get_bit(c->young_starts, (p - c->g->young_start) / 8);
    if (!gc_is_major_block(c->heap, v)) return false;
    size_t word = (p - c->heap->major_start) / 8;
    return word < c->heap->top_span * SPAN_WORDS && get_bit(c->major_starts, word);
}

static bool is_atom(const struct checker *c, value v) {
    uintptr_t offset = (uintptr_t)v - (uintptr_t)c->g->atoms;
    return offset >= 8 && offset <= 256 * 8 && offset % 8 == 0;
}

/* Whether v, a block in the range, is an atom, or a block or infix pointer that the walk found. */
static bool is_known_block(const struct checker *c, value v) {
    if (is_atom(c, v) || is_start(c, v)) return true;
    bool readable = gc_is_young(c->g, v) ||
                    (gc_is_major_block(c->heap, v) &&
                     (uintptr_t)v - c->heap->major_start < c->heap->top_span * SPAN_BYTES);
    if ((uintptr_t)v % 8 != 0 || !readable || tag_of(v) != TAG_INFIX) return false;
    value closure = block_start(v);
    return is_start(c, closure) && tag_of(closure) == TAG_CLOSURE && closure < v &&
           infix_offset_words(v) < wosize_of(closure);
}

static bool is_live_block(const struct checker *c, value v) {
    return is_known_block(c, v) && !gc_is_unreached(c->heap, v);
}

/* Checks word v, found at `where`. */
static void check_word(const struct checker *c, value v, const void *where) {
    if (!gc_is_heap_block(c->g, v)) return;
    CHECK(c, is_known_block(c, v), "G4", where);
    CHECK(c, !gc_is_unreached(c->heap, v), c->heap->phase == PHASE_INSPECT ? "M5" : "M1", where);
}

/* ---- Tiling of spans ---- */

/* Checks the header at p, of a block with at most room words, header included. */
static void check_header(const struct checker *c, uintptr_t p, size_t room) {
    header h = *(header *)p;
    unsigned colour = colour_of_header(h);
    size_t words = wosize_of_header(h) + 1;
    CHECK(c, words >= 2, "V1", p);
    CHECK(c, words <= room, "P1", p);
    CHECK(c, tag_of_header(h) != TAG_INFIX, "P1", p);
    CHECK(c, colour == COLOUR_0 || colour == COLOUR_1, "P1", p);
}

/* Checks the block at p of a span: its header, and its colour in this phase. */
static void tile_block(const struct checker *c, const struct gc_span *span, uintptr_t p,
                       size_t room) {
    const struct gc_heap *heap = c->heap;
    check_header(c, p, room);
    bool dead = gc_is_unreached(heap, (value)(p + 8));
    bool marked = colour_of_header(*(header *)p) == heap->live_colour;
    CHECK(c, heap->phase == PHASE_SWEEP || !span->unswept, "M2", p);
    CHECK(c, heap->phase != PHASE_IDLE || marked, "M2", p);
    CHECK(c, heap->phase != PHASE_SWEEP || !dead || span->unswept, "M3", p);
    set_bit(c->major_starts, (p + 8 - heap->major_start) / 8);
}

static void tile_small(const struct checker *c, const struct gc_span *span) {
    uintptr_t start = gc_span_start(c->heap, span);
    size_t cell = span->cell_words, gaps = 0, listed = 0;
    const bool mixed = gc_is_mixed(span);
    CHECK(c, (cell >= 2 || mixed) && span->cells * cell <= SPAN_WORDS, "P1", start);
    uintptr_t end = start + span->cells * cell * 8;
    for (uintptr_t p = start; p < end;) {
        header h = *(header *)p;
        bool is_free = colour_of_header(h) == COLOUR_FREE;
        size_t words = mixed || is_free ? wosize_of_header(h) + 1 : cell;
        if (is_free) {
            gaps += words > 1;
            CHECK(c, words % cell == 0 && p + 8 * words <= end, "P1", p);
        } else {
            tile_block(c, span, p, mixed ? (end - p) / 8 : cell);
            CHECK(c, mixed || span->no_scan == (tag_of_header(h) >= TAG_NO_SCAN), "V2", p);
        }
        p += 8 * words;
    }
    for (uintptr_t gap = span->gaps; gap != 0; gap = ((uintptr_t *)gap)[1], listed++)
        CHECK(c,
              gap >= start && gap < end && listed < gaps &&
                  colour_of_header(*(header *)gap) == COLOUR_FREE,
              "P2", gap);
    CHECK(c, span->unswept || mixed || listed == gaps, "P2", start);
}

/* Returns how many granules of the region are in free runs whose headers say that they are in
 * bins. */
static size_t tile_region(const struct checker *c, const struct gc_span *span) {
    uintptr_t start = gc_span_start(c->heap, span);
    uintptr_t end = start + span->run.length * SPAN_BYTES;
    size_t binned = 0;
    for (size_t i = 1; i < span->run.length; i++) CHECK(c, span[i].kind == SPAN_BODY, "P3", start);
    for (uintptr_t p = start; p < end;) {
        header h = *(header *)p;
        size_t granules = gc_granules(wosize_of_header(h));
        CHECK(c, p + granules * GRANULE_BYTES <= end, "P3", p);
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

static void tile_spans(const struct checker *c) {
    const struct gc_heap *heap = c->heap;
    size_t free = 0, discarded = 0, binned_granules = 0;
    bool after_free = false;
    for (size_t i = 0, n; i < heap->top_span; i += n) {
        const struct gc_span *span = &heap->spans[i];
        bool is_free = span->kind == SPAN_FREE;
        CHECK(c, span->kind != SPAN_BODY, "P3", i);
        n = gc_spans_from(span);
        CHECK(c, n > 0 && i + n <= heap->top_span, "P3", i);
        CHECK(c, !is_free || (!after_free && span[n - 1].length == n), "P4", i);
        if (span->kind == SPAN_SMALL) tile_small(c, span);
        if (span->kind == SPAN_REGION) binned_granules += tile_region(c, span);
        if (is_free) free += n;
        for (size_t k = 0; is_free && k < n; k++) discarded += span[k].discarded;
        after_free = is_free;
    }
    CHECK(c,
          heap->committed_spans == heap->top_span - discarded && heap->free_span_count == free &&
              binned_length(&heap->free_spans) == free,
          "P4", heap->top_span);
    CHECK(c, binned_length(&heap->free_granules) == binned_granules, "P3", binned_granules);
}

static void tile_minor_heap(const struct checker *c) {
    const struct gc_domain *g = c->g;
    for (uintptr_t p = g->young_ptr; p < g->young_end;) {
        size_t words = wosize_of_header(*(header *)p) + 1;
        if (words > 1) { /* gc_truncate may leave a header alone */
            check_header(c, p, (g->young_end - p) / 8);
            set_bit(c->young_starts, (p + 8 - g->young_start) / 8);
        }
        p += 8 * words;
    }
}

/* ---- Contents of blocks ---- */

static void check_closure(const struct checker *c, value v) {
    size_t wosize = wosize_of(v);
    CHECK(c, wosize >= 2 && !gc_is_heap_block(c->g, field(v, 0)) && is_int(field(v, 1)), "V3", v);
    size_t start = start_env_of(field(v, 1));
    CHECK(c, start <= wosize, "V3", start);
    for (size_t i = 2; i < start; i++) {
        header h = (header)field(v, i);
        CHECK(c, !gc_is_heap_block(c->g, field(v, i)), "V3", v);
        if (tag_of_header(h) == TAG_INFIX && wosize_of_header(h) == i + 1) i += 2;
    }
}

static void check_fields(const struct checker *c, value v) {
    bool major = !gc_is_young(c->g, v);
    size_t wosize = wosize_of(v);
    for (size_t i = 0; i < wosize; i++) {
        value content = field(v, i);
        uintptr_t slot = (uintptr_t)&field(v, i);
        check_word(c, content, &field(v, i));
        if (major && is_block(content) && gc_is_young(c->g, content))
            CHECK(c, c->g->minor.remembered_lost || word_map_find(&c->slots, slot), "G2", slot);
    }
    if (tag_of(v) == TAG_CLOSURE) check_closure(c, v);
}

static void check_block(const struct checker *c, value v) {
    unsigned tag = tag_of(v);
    if (gc_is_unreached(c->heap, v)) return;
    if (tag < TAG_NO_SCAN) check_fields(c, v);
    size_t bytes = 8 * wosize_of(v);
    CHECK(c, tag != TAG_STRING || string_length(v) + 8 >= bytes, "V4", v);
    CHECK(c, tag != TAG_DOUBLE || bytes == 8, "V5", v);
    CHECK(c, tag != TAG_CUSTOM || custom_ops(v) != NULL, "X1", v);
}

static void check_blocks(const struct checker *c, const uint64_t *bits, uintptr_t start,
                         size_t words) {
    for (size_t i = 0; i < (words + 63) / 64; i++)
        for (uint64_t rest = bits[i]; rest != 0; rest &= rest - 1)
            check_block(c, (value)(start + 8 * (i * 64 + (size_t)__builtin_ctzll(rest))));
}

/* ---- Roots: G4 and M1, as for fields ---- */

static void check_slots(struct gc_visitor *visitor, value *from, value *to) {
    for (; from < to; from++) check_word((const struct checker *)visitor, *from, from);
}

static void check_set(struct checker *c, const struct word_map *set) {
    for (size_t i = 0; i < set->capacity; i++) {
        value *slot = (value *)set->entries[i].key;
        if (slot) check_slots(&c->visitor, slot, slot + 1);
    }
}

/* ---- Tables ---- */

static void record_slot(struct checker *c, uintptr_t slot) {
    if (!word_map_add(&c->slots, slot, 64, NULL)) gc_fatal_no_memory("verifying the heap");
}

/* Records the slots where major blocks may hold young ones. */
static void record_slots(struct checker *c) {
    const struct gc_words *fields = &c->g->minor.remembered, *weak = &c->g->minor.weak_slots;
    for (size_t i = 0; i < fields->count; i++) record_slot(c, fields->items[i]);
    for (size_t i = 0; i < weak->count; i += 2)
        record_slot(c, (uintptr_t)&field((value)weak->items[i], weak->items[i + 1]));
}

static void check_ephemeron(const struct checker *c, size_t n) {
    value e = (value)c->heap->weak.all.items[n];
    CHECK(c,
          is_live_block(c, e) && tag_of(e) == TAG_ABSTRACT && wosize_of(e) >= EPHE_FIRST_KEY &&
              field(e, EPHE_LINK) == val_of_int((intptr_t)n),
          "W3", e);
    for (size_t i = EPHE_DATA; i < wosize_of(e); i++) {
        value v = field(e, i);
        if (!gc_is_heap_block(c->g, v)) continue;
        CHECK(c, is_live_block(c, v), "W1", v);
        CHECK(c, !gc_is_young(c->g, v) || word_map_find(&c->slots, (uintptr_t)&field(e, i)), "W4",
              v);
    }
}

static void check_table(const struct checker *c, const struct gc_finalisers *table,
                        const char *invariant) {
    for (size_t i = 0; i < table->count; i++) {
        value f = table->items[i].function, v = table->items[i].argument;
        check_word(c, f, &table->items[i]);
        CHECK(c, i >= table->old || is_int(f) || !gc_is_young(c->g, f), "F3", i);
        CHECK(c, is_live_block(c, v), invariant, v);
        CHECK(c, i >= table->old || !gc_is_young(c->g, v), "F3", v);
    }
}

static void check_finalisers(const struct checker *c) {
    const struct gc_final *final = &c->g->final;
    CHECK(c, final->ready.capacity >= final->ready.count + final->first.count + final->last.count,
          "F4", final->ready.capacity);
    check_table(c, &final->first, "F1");
    check_table(c, &final->last, "F2");
    for (size_t i = 0; i < final->ready.count; i++) {
        check_word(c, final->ready.items[i].function, &final->ready.items[i]);
        check_word(c, final->ready.items[i].argument, &final->ready.items[i]);
    }
}

static void check_customs(const struct checker *c) {
    const struct gc_words *customs = &c->heap->customs;
    struct word_map seen = {0};
    CHECK(c, customs->capacity - customs->count >= c->g->minor.customs.count / 2, "X2",
          customs->count);
    for (size_t i = 0; i < customs->count; i += 2) { /* (block, taken) */
        value v = (value)customs->items[i];
        CHECK(c,
              gc_is_major_block(c->heap, v) && is_live_block(c, v) && tag_of(v) == TAG_CUSTOM &&
                  (custom_ops(v)->finalize != NULL || customs->items[i + 1] != 0),
              "X1", v);
        uintptr_t *times = word_map_add(&seen, (uintptr_t)v, 64, NULL);
        if (!times) gc_fatal_no_memory("verifying the heap");
        CHECK(c, (*times)++ == 0, "X1", v);
    }
    free(seen.entries);
}

/* ---- The whole ---- */

static void check_minor_heap(const struct checker *c) {
    const struct gc_domain *g = c->g;
    const struct gc_heap *heap = c->heap;
    const struct gc_mark *mark = &heap->mark;
    CHECK(c,
          g->young_start <= g->young_ptr && g->young_ptr <= g->young_end &&
              (g->young_start | g->young_ptr | g->young_end) % 8 == 0,
          "G1", g->young_ptr);
    CHECK(c, heap->free_span_count >= heap->minor_spans || heap->exhausted, "P5",
          heap->free_span_count);
    CHECK(c, g->young_ptr < g->young_end || g->minor.remembered.count == 0, "G3",
          g->minor.remembered.count);
    CHECK(c, g->sample_trigger >= g->young_start && g->sample_trigger <= g->young_end, "H1",
          g->sample_trigger);
    CHECK(c,
          heap->phase == PHASE_MARK ||
              (mark->stack.count == 0 && mark->head == mark->tail && !mark->lost),
          "M2", mark->stack.count);
}

void gc_verify(struct gc_domain *g, const char *when) {
    struct gc_heap *heap = g->heap;
    size_t major_words = heap->top_span * SPAN_WORDS;
    size_t young_words = (g->young_end - g->young_start) / 8;
    struct checker c = {
        .visitor = {.g = g, .slots = check_slots}, .g = g, .heap = heap, .when = when};
    c.major_starts = verify_alloc(major_words / 8);
    c.young_starts = verify_alloc(young_words / 8 + 8);
    gc_pools_park(heap);
    check_minor_heap(&c);
    tile_spans(&c);
    tile_minor_heap(&c);
    record_slots(&c);
    check_blocks(&c, c.major_starts, heap->major_start, major_words);
    check_blocks(&c, c.young_starts, g->young_start, young_words);
    gc_visit_roots(&c.visitor);
    check_set(&c, &heap->roots);
    check_set(&c, &heap->mutable_roots);
    for (size_t n = 0; n < heap->weak.all.count; n++) check_ephemeron(&c, n);
    check_finalisers(&c);
    check_customs(&c);
    free(c.major_starts);
    free(c.young_starts);
    free(c.slots.entries);
}
