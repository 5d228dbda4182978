/* weak.c - ephemerons and weak arrays: W1 and W2 of weak.h.
 *
 *     heap->weak.all[i] --> [ link = i | data | key 0 | key 1 ... ]       an abstract block
 *
 * The link is the ephemeron's index in the table of all ephemerons, as an integer. So whether a
 * block is an ephemeron is decided in constant time, and side data is in arrays with that index.
 *
 * Data is alive when its ephemeron and all keys are, which may follow from other data. At the end
 * of marking each ephemeron is examined once; if the ephemeron itself or a key is unmarked, it
 * enters the list of that block, which becomes "watched" (COLOUR_WATCHED). Marking a watched block
 * appends it to `woken`, and only the ephemerons of its list are examined again, each from the key
 * for which it waited. So the work is linear in the number of keys, however the ephemerons depend
 * on each other. When memory for the lists is refused, all ephemerons are examined repeatedly until
 * nothing changes. No program runs while blocks are watched: this is within gc_mark_finish.
 *
 * W3  An ephemeron's link is its index in the table; after marking the table holds no dead
 *     ephemeron.
 * W4  A slot that holds a young block is in minor.weak_slots. */
#include "gc/weak.h"

#include "gc/heap_internal.h"

#include <stdlib.h>

enum {
    FIRST_ALL_CAPACITY = IF_SMALL_TABLES(1, 256),
    FIRST_WATCH_CAPACITY = IF_SMALL_TABLES(2, 256),
    MINOR_WORK_FACTOR = 16,
    YOUNG_SLOTS_LIMIT = 1 << 17 /* words of weak_slots that are worth a minor collection */
};

/* An item of weak.waiting: the number + 1 of the next ephemeron in the list, and a slot. */
static uintptr_t waiting_item(size_t next, size_t slot) { return (uintptr_t)next << 32 | slot; }

void gc_weak_destroy(struct gc_domain *g) {
    struct gc_weak *weak = &g->heap->weak;
    gc_words_free(&g->minor.weak_slots);
    gc_words_free(&weak->all);
    gc_words_free(&weak->waiting);
    gc_words_free(&weak->woken);
    free(weak->watched.entries);
}

/* ---- For the program ---- */

bool gc_is_ephe(const struct gc_domain *g, value v) {
    const struct gc_words *all = &g->heap->weak.all;
    if (!gc_is_major_block(g->heap, v) || tag_of(v) != TAG_ABSTRACT) return false;
    if (wosize_of(v) < EPHE_FIRST_KEY || !is_int(field(v, EPHE_LINK))) return false;
    uintptr_t number = (uintptr_t)int_of_val(field(v, EPHE_LINK));
    return number < all->count && all->items[number] == (uintptr_t)v;
}

value gc_ephe_none(struct gc_domain *g) { return g->heap->weak.none; }

/* Room for one more ephemeron, charged with all that it may take at the end of marking: per
 * ephemeron up to two words in `waiting` and in `woken`, and four entries in `watched`. */
static bool reserve_one(struct gc_heap *heap) {
    struct gc_words *all = &heap->weak.all;
    const size_t weight = 5 + 4 * sizeof(struct word_entry) / sizeof *all->items;
    return all->count < UINT32_MAX - 1 &&
           vector_reserve(all, 1, FIRST_ALL_CAPACITY, GC_MEMORY(heap, GC_ACCOUNT_PROGRAM, weight));
}

value gc_ephe_create(struct gc_domain *g, size_t keys) {
    struct gc_weak *weak = &g->heap->weak;
    if (!reserve_one(g->heap) && (!gc_cycle_for_limit(g) || !reserve_one(g->heap)))
        gc_out_of_memory(g, keys);
    value e = gc_alloc_major(g, keys + EPHE_FIRST_KEY, TAG_ABSTRACT);
    field(e, EPHE_LINK) = val_of_int((intptr_t)weak->all.count); /* W3 */
    for (size_t i = EPHE_DATA; i < keys + EPHE_FIRST_KEY; i++) field(e, i) = weak->none;
    vector_append(&weak->all, (uintptr_t)e);
    return e;
}

/* Makes room for n pairs of minor.weak_slots; W4. */
static void reserve_young_slots(struct gc_domain *g, size_t n) {
    struct gc_words *young = &g->minor.weak_slots;
    if (!gc_words_reserve(g->heap, GC_ACCOUNT_COLLECTOR, young, 2 * n)) gc_out_of_memory(g, 2 * n);
    if (young->count > YOUNG_SLOTS_LIMIT) gc_request_minor(g, GC_FOR_MACHINE);
}

void gc_ephe_set(struct gc_domain *g, value e, size_t slot, value v) {
    struct gc_words *young = &g->minor.weak_slots;
    ASSERT(gc_is_ephe(g, e) && slot >= EPHE_DATA && slot < wosize_of(e)); /* W3 */
    if (is_block(v) && gc_is_young(g, v)) {
        reserve_young_slots(g, 1);
        vector_append(young, (uintptr_t)e);
        vector_append(young, slot);
    }
    field(e, slot) = v;
}

value gc_ephe_get(struct gc_domain *g, value e, size_t slot) {
    value v = field(e, slot);
    if (g->heap->phase == PHASE_MARK) gc_darken(g->heap, v); /* W2 */
    ASSERT(!gc_is_unreached(g->heap, v));                    /* W1 */
    return v;
}

bool gc_ephe_is_set(struct gc_domain *g, value e, size_t slot) {
    return field(e, slot) != g->heap->weak.none;
}

/* Keys are copied without being darkened: the copy is as weak as the original. Data is darkened,
 * since its new ephemeron may die although the one that kept it alive does not. */
void gc_ephe_blit(struct gc_domain *g, value from, size_t from_slot, value to, size_t to_slot,
                  size_t n) {
    struct gc_heap *heap = g->heap;
    bool downwards = from == to && from_slot < to_slot;
    size_t young = 0;
    for (size_t i = 0; i < n; i++) {
        value v = field(from, from_slot + i);
        young += is_block(v) && gc_is_young(g, v);
    }
    reserve_young_slots(g, young);
    for (size_t k = 0; k < n; k++) {
        size_t i = downwards ? n - 1 - k : k;
        value v = field(from, from_slot + i);
        if (from_slot + i == EPHE_DATA && heap->phase == PHASE_MARK) gc_darken(heap, v);
        gc_ephe_set(g, to, to_slot + i, v);
    }
}

/* ---- Minor collection. A key that is not young counts as alive. ---- */

static bool died_young(const struct gc_domain *g, value v) {
    return is_block(v) && gc_is_young(g, v) && !gc_is_forwarded(block_start(v));
}

static bool has_dead_young_key(const struct gc_domain *g, value e) {
    size_t wosize = wosize_of(e);
    for (size_t i = EPHE_FIRST_KEY; i < wosize; i++)
        if (died_young(g, field(e, i))) return true;
    return false;
}

/* Whether the collection keeps what the slot holds alive. Chains of young ephemerons in an
 * unfavourable order need many rounds; after a bounded amount of work the rest is kept alive
 * unconditionally, and the major collection decides. */
static bool minor_keeps(struct gc_domain *g, value e, size_t slot) {
    const struct gc_params *params = &g->heap->params;
    if (slot != EPHE_DATA) return params->minor_keeps_keys;
    if (params->minor_keeps_data) return true;
    bool precise = g->minor.weak_work <= MINOR_WORK_FACTOR * g->minor.weak_slots.count;
    g->minor.weak_work += wosize_of(e);
    return !precise || !has_dead_young_key(g, e);
}

bool gc_weak_minor_mark(struct gc_domain *g) {
    const struct gc_words *young = &g->minor.weak_slots;
    bool any = false;
    for (size_t i = 0; i < young->count; i += 2) {
        value e = (value)young->items[i];
        size_t slot = young->items[i + 1];
        if (!died_young(g, field(e, slot)) || !minor_keeps(g, e, slot)) continue;
        gc_evacuate(g, &field(e, slot));
        any = true;
    }
    return any;
}

/* ---- Words outside the heap. ---- */

void gc_set_weak_words(struct gc_domain *g, struct gc_weak_words *w) { g->weak_words = w; }

void gc_forget_weak_words(struct gc_domain *g, value v) {
    struct gc_weak_words *w = g->weak_words;
    for (size_t i = 0; w != NULL && i < w->count; i++)
        if (w->words[i] == v) w->words[i] = gc_no_block(g);
}

static void clean_young_words(struct gc_domain *g, struct gc_weak_words *w) {
    for (; w->old < w->count; w->old++)
        if (!gc_minor_survives(g, &w->words[w->old])) w->words[w->old] = gc_no_block(g);
}

static void clean_words(struct gc_domain *g, const struct gc_weak_words *w) {
    for (size_t i = 0; i < w->count; i++)
        if (w->words[i] != gc_no_block(g) && !gc_survives_cycle(g->heap, w->words[i]))
            w->words[i] = gc_no_block(g);
}

/* ---- Ephemerons. ---- */

void gc_weak_minor_clean(struct gc_domain *g) {
    struct gc_words *young = &g->minor.weak_slots;
    value none = g->heap->weak.none;
    for (size_t i = 0; i < young->count; i += 2) {
        value e = (value)young->items[i];
        size_t slot = young->items[i + 1];
        if (gc_minor_survives(g, &field(e, slot))) continue;
        field(e, slot) = none;
        if (slot >= EPHE_FIRST_KEY) field(e, EPHE_DATA) = none;
    }
    young->count = 0;
    g->minor.weak_work = 0;
    if (g->weak_words != NULL) clean_young_words(g, g->weak_words);
}

/* ---- The end of marking ---- */

void gc_weak_mark_start(struct gc_domain *g) {
    struct gc_weak *weak = &g->heap->weak;
    ASSERT(weak->woken.count == 0 && weak->watched.count == 0);
    weak->resolving = weak->refused = false;
}

/* Ephemeron number n waits for unmarked block v, to continue at slot when v is marked. */
static void wait_for(struct gc_heap *heap, size_t n, value v, size_t slot) {
    struct gc_weak *weak = &heap->weak;
    if (weak->refused) return;
    v = block_start(v);
    uintptr_t *first = word_map_add(&weak->watched, (uintptr_t)v, FIRST_WATCH_CAPACITY,
                                    GC_MEMORY(heap, GC_ACCOUNT_NONE, 1));
    if (!first) {
        weak->refused = true;
        return;
    }
    if (*first == 0) *header_ptr(v) |= COLOUR_WATCHED << 8;
    ASSERT(colour_of_header(header_of(v)) == COLOUR_WATCHED);
    weak->waiting.items[n] = waiting_item(*first, slot);
    *first = n + 1;
}

/* Examines ephemeron number n from a slot on (EPHE_LINK stands for the ephemeron itself). True: its
 * data was darkened. */
static bool resolve(struct gc_heap *heap, size_t n, size_t slot) {
    value e = (value)heap->weak.all.items[n];
    if (gc_survives_cycle(heap, field(e, EPHE_DATA))) return false;
    if (slot == EPHE_LINK) {
        if (!gc_survives_cycle(heap, e)) {
            wait_for(heap, n, e, EPHE_LINK);
            return false;
        }
        slot = EPHE_FIRST_KEY;
    }
    for (size_t wosize = wosize_of(e); slot < wosize; slot++) {
        if (gc_survives_cycle(heap, field(e, slot))) continue;
        wait_for(heap, n, field(e, slot), slot);
        return false;
    }
    gc_darken(heap, field(e, EPHE_DATA));
    return true;
}

/* Examines every ephemeron for the first time. */
static bool resolve_all(struct gc_heap *heap) {
    struct gc_weak *weak = &heap->weak;
    bool any = false;
    weak->waiting.count = 0;
    weak->refused = !gc_words_reserve(heap, GC_ACCOUNT_NONE, &weak->waiting, weak->all.count);
    for (size_t n = 0; n < weak->all.count && !weak->refused; n++) vector_append(&weak->waiting, 0);
    for (size_t n = weak->all.count; n-- > 0;) any |= resolve(heap, n, EPHE_LINK);
    weak->resolving = true;
    return any;
}

/* Examines the ephemerons that waited for blocks marked since. */
static bool resolve_woken(struct gc_heap *heap) {
    struct gc_weak *weak = &heap->weak;
    bool any = false;
    while (weak->woken.count > 0) {
        uintptr_t *first = word_map_find(&weak->watched, weak->woken.items[--weak->woken.count]);
        ASSERT(first);
        size_t next = *first;
        *first = 0;
        while (next != 0) {
            size_t n = next - 1;
            ASSERT(n < weak->all.count && n < weak->waiting.count);
            uintptr_t item = weak->waiting.items[n];
            next = item >> 32;
            any |= resolve(heap, n, item & UINT32_MAX);
        }
    }
    return any;
}

/* Blocks still watched become ordinary unmarked ones again. */
static void stop_watching(struct gc_heap *heap) {
    struct gc_weak *weak = &heap->weak;
    for (size_t i = 0; i < weak->watched.capacity; i++) {
        value v = (value)weak->watched.entries[i].key;
        if (v == 0) continue;
        header h = header_of(v);
        if (colour_of_header(h) == COLOUR_WATCHED)
            *header_ptr(v) = make_header(wosize_of_header(h), tag_of(v), gc_dead_colour(heap));
    }
    free(weak->watched.entries);
    weak->watched = (struct word_map){0};
    weak->woken.count = 0;
}

/* W1: empties the unmarked keys of e, and its data if there were any. */
static void clean(struct gc_heap *heap, value e) {
    size_t wosize = wosize_of(e);
    for (size_t i = EPHE_FIRST_KEY; i < wosize; i++)
        if (!gc_survives_cycle(heap, field(e, i)))
            field(e, i) = field(e, EPHE_DATA) = heap->weak.none;
    ASSERT(gc_survives_cycle(heap, field(e, EPHE_DATA)));
}

bool gc_weak_mark(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_weak *weak = &heap->weak;
    bool any = false;
    if (!weak->resolving) any = resolve_all(heap);
    if (!weak->refused) any |= resolve_woken(heap);
    if (!weak->refused) return any;
    stop_watching(heap);
    for (size_t n = 0; n < weak->all.count; n++) any |= resolve(heap, n, EPHE_LINK);
    return any;
}

void gc_weak_clean(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_words *all = &heap->weak.all;
    size_t kept = 0;
    stop_watching(heap);
    for (size_t n = 0; n < all->count; n++) {
        value e = (value)all->items[n];
        if (!gc_survives_cycle(heap, e)) continue;
        clean(heap, e);
        field(e, EPHE_LINK) = val_of_int((intptr_t)kept); /* W3 */
        all->items[kept++] = (uintptr_t)e;
    }
    all->count = kept;
    if (g->weak_words != NULL) clean_words(g, g->weak_words);
}
