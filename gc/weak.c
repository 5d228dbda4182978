/* weak.c - ephemerons and weak arrays: W1 and W2 of weak.h.
 *
 *     heap->weak.all[i] --> [ link = i | data | key 0 | key 1 ... ]       an abstract block
 *
 * The link is the ephemeron's number in the table of all ephemerons, as an integer. So a block that
 * claims to be an ephemeron is tested in constant time, and per-ephemeron data of a collection
 * stands in arrays beside the table.
 *
 * Data is alive when its ephemeron and all keys are, which may follow from other data. At the end
 * of marking each ephemeron is looked at once; if the ephemeron itself or a key is unmarked, it is
 * put in the list of that block, which becomes "watched" (COLOUR_WATCHED). When marking meets a
 * watched block it appends it to `woken`, and only the ephemerons of that list are looked at
 * again, each from the key it waited for. The work is thus linear in the number of keys, however
 * the ephemerons depend on each other. When memory for these lists is refused, all ephemerons are
 * looked at in rounds instead, until one changes nothing. This happens within gc_mark_finish, so no
 * program runs while blocks are watched.
 *
 * W3  The number in an ephemeron's link is its place in the table; the table holds no dead
 *     ephemeron once marking has ended.
 * W4  A slot that holds a young block is in weak.young. */
#include "gc/weak.h"

#include "gc/heap_internal.h"

#include <stdlib.h>

enum {
    FIRST_ALL_CAPACITY = IF_SMALL_TABLES(1, 256),
    FIRST_WATCH_CAPACITY = IF_SMALL_TABLES(2, 256),
    MINOR_WORK_FACTOR = 16,
    MANY_YOUNG = 1 << 17 /* words of weak.young that are worth a minor collection */
};

/* An entry of weak.waiting: the number + 1 of the next ephemeron in the list, and a slot. */
static uintptr_t waiting_entry(size_t next, size_t slot) { return (uintptr_t)next << 32 | slot; }
static size_t next_of_entry(uintptr_t entry) { return entry >> 32; }
static size_t slot_of_entry(uintptr_t entry) { return entry & UINT32_MAX; }

void gc_weak_create(struct gc_heap *heap) { heap->weak.none = 2; }

void gc_weak_destroy(struct gc_heap *heap) {
    gc_words_free(&heap->weak.all);
    gc_words_free(&heap->weak.young);
    gc_words_free(&heap->weak.waiting);
    gc_words_free(&heap->weak.woken);
    free(heap->weak.watched);
    heap->weak.watched = NULL;
}

/* ---- For the program ---- */

bool gc_is_ephe(const struct gc_domain *g, value v) {
    const struct gc_heap *heap = g->heap;
    if (!gc_is_major_block(heap, v) || tag_of(v) != TAG_ABSTRACT) return false;
    if (wosize_of(v) < EPHE_FIRST_KEY || !is_int(field(v, EPHE_LINK))) return false;
    uintptr_t number = (uintptr_t)int_of_val(field(v, EPHE_LINK));
    return number < heap->weak.all.count && heap->weak.all.items[number] == (uintptr_t)v;
}

value gc_ephe_none(struct gc_domain *g) { return g->heap->weak.none; }

/* Room for one more ephemeron. It counts with all that it may take at the end of marking: `waiting`
 * and `woken` may each have twice as many words as there are ephemerons, `watched` four times as
 * many entries. */
static bool room_for_one(struct gc_heap *heap) {
    struct gc_words *all = &heap->weak.all;
    const struct gc_growth growth = {GC_PROGRAM, FIRST_ALL_CAPACITY, sizeof *all->items,
                                     5 * sizeof *all->items + 4 * sizeof(struct gc_watch)};
    if (all->count >= UINT32_MAX - 1) return false;
    return gc_table_grow(heap, &growth, (void **)&all->items, &all->capacity, all->count + 1);
}

value gc_ephe_create(struct gc_domain *g, size_t keys) {
    struct gc_weak *weak = &g->heap->weak;
    if (!room_for_one(g->heap) && (!gc_cycle_for_limit(g) || !room_for_one(g->heap)))
        gc_out_of_memory(g, keys);
    value e = gc_alloc_major(g, keys + EPHE_FIRST_KEY, TAG_ABSTRACT);
    field(e, EPHE_LINK) = val_of_int((intptr_t)weak->all.count);
    for (size_t i = EPHE_DATA; i < keys + EPHE_FIRST_KEY; i++) field(e, i) = weak->none;
    gc_words_append(&weak->all, (uintptr_t)e);
    return e;
}

/* Room to note that n slots hold young blocks; W4. */
static void make_room(struct gc_domain *g, size_t n) {
    struct gc_heap *heap = g->heap;
    if (!gc_words_reserve(heap, GC_OWN, &heap->weak.young, 2 * n)) gc_out_of_memory(g, 2 * n);
    if (heap->weak.young.count > MANY_YOUNG) gc_request_minor(g);
}

void gc_ephe_set(struct gc_domain *g, value e, size_t slot, value v) {
    struct gc_words *young = &g->heap->weak.young;
    if (is_block(v) && gc_is_young(g, v)) {
        make_room(g, 1);
        gc_words_append(young, (uintptr_t)e);
        gc_words_append(young, slot);
    }
    field(e, slot) = v;
}

value gc_ephe_get(struct gc_domain *g, value e, size_t slot) {
    value v = field(e, slot);
    if (g->heap->phase == PHASE_MARK) gc_darken(g->heap, v);
    return v;
}

bool gc_ephe_is_set(struct gc_domain *g, value e, size_t slot) {
    return field(e, slot) != g->heap->weak.none;
}

/* Keys move without being darkened: in their new place they are as weak as in the old one. Data is
 * darkened, since it may leave an ephemeron that would have kept it alive. */
void gc_ephe_blit(struct gc_domain *g, value from, size_t from_slot, value to, size_t to_slot,
                  size_t n) {
    struct gc_heap *heap = g->heap;
    bool downwards = from == to && from_slot < to_slot;
    size_t young = 0;
    for (size_t i = 0; i < n; i++) {
        value v = field(from, from_slot + i);
        young += is_block(v) && gc_is_young(g, v);
    }
    make_room(g, young);
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

/* Chains of young ephemerons that stand in an unlucky order need many rounds; after some work the
 * rest is kept alive without being asked, and the major collection decides. */
bool gc_weak_minor_mark(struct gc_domain *g) {
    struct gc_weak *weak = &g->heap->weak;
    bool any = false;
    bool precise = weak->minor_work <= MINOR_WORK_FACTOR * weak->young.count;
    for (size_t i = 0; i < weak->young.count; i += 2) {
        value e = (value)weak->young.items[i];
        if (weak->young.items[i + 1] != EPHE_DATA || !died_young(g, field(e, EPHE_DATA))) continue;
        weak->minor_work += wosize_of(e);
        if (precise && has_dead_young_key(g, e)) continue;
        gc_evacuate(g, &field(e, EPHE_DATA));
        any = true;
    }
    return any;
}

void gc_weak_minor_clean(struct gc_domain *g) {
    struct gc_weak *weak = &g->heap->weak;
    for (size_t i = 0; i < weak->young.count; i += 2) {
        value e = (value)weak->young.items[i];
        size_t slot = weak->young.items[i + 1];
        if (gc_minor_survives(g, &field(e, slot))) continue;
        field(e, slot) = weak->none;
        if (slot >= EPHE_FIRST_KEY) field(e, EPHE_DATA) = weak->none;
    }
    weak->young.count = 0;
    weak->minor_work = 0;
}

/* ---- Watched blocks: a hash table with open addressing, in use while marking ends. ---- */

static size_t watch_place(const struct gc_weak *weak, value block) {
    size_t mask = weak->watched_capacity - 1;
    size_t place = ((uintptr_t)block >> 3) * 0x9E3779B97F4A7C15u >> 20 & mask;
    while (weak->watched[place].block != 0 && weak->watched[place].block != block)
        place = (place + 1) & mask;
    return place;
}

static bool watched_grow(struct gc_heap *heap) {
    struct gc_weak *weak = &heap->weak;
    struct gc_watch *old = weak->watched;
    size_t old_capacity = weak->watched_capacity;
    size_t capacity = old_capacity == 0 ? FIRST_WATCH_CAPACITY : 2 * old_capacity;
    struct gc_watch *larger = gc_os_alloc(&heap->faults, capacity * sizeof *larger);
    if (larger == NULL) return false;
    memset(larger, 0, capacity * sizeof *larger);
    weak->watched = larger;
    weak->watched_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].block != 0) weak->watched[watch_place(weak, old[i].block)] = old[i];
    free(old);
    return true;
}

/* Ephemeron number n waits for unmarked block v, to go on with slot when v is marked. */
static void wait_for(struct gc_heap *heap, size_t n, value v, size_t slot) {
    struct gc_weak *weak = &heap->weak;
    v = block_start(v);
    if (2 * (weak->watched_count + 1) > weak->watched_capacity && !watched_grow(heap))
        weak->refused = true;
    if (weak->refused) return;
    struct gc_watch *watch = &weak->watched[watch_place(weak, v)];
    if (watch->block == 0) {
        *watch = (struct gc_watch){.block = v};
        weak->watched_count++;
        header h = header_of(v);
        *header_ptr(v) = make_header(wosize_of_header(h), tag_of(v), COLOUR_WATCHED);
    }
    weak->waiting.items[n] = waiting_entry(watch->first, slot);
    watch->first = n + 1;
}

/* ---- The end of marking ---- */

void gc_weak_mark_start(struct gc_domain *g) {
    struct gc_weak *weak = &g->heap->weak;
    weak->unsettled = SIZE_MAX;
    weak->refused = false;
    weak->woken.count = 0;
    weak->watched_count = 0;
}

/* Looks at ephemeron number n from a slot on (EPHE_LINK stands for the ephemeron itself). True: its
 * data was darkened. */
static bool settle(struct gc_heap *heap, size_t n, size_t slot) {
    value e = (value)heap->weak.all.items[n];
    if (gc_is_marked(heap, field(e, EPHE_DATA))) return false;
    if (slot == EPHE_LINK) {
        if (!gc_is_marked(heap, e)) {
            wait_for(heap, n, e, EPHE_LINK);
            return false;
        }
        slot = EPHE_FIRST_KEY;
    }
    for (size_t wosize = wosize_of(e); slot < wosize; slot++) {
        if (gc_is_marked(heap, field(e, slot))) continue;
        wait_for(heap, n, field(e, slot), slot);
        return false;
    }
    gc_darken(heap, field(e, EPHE_DATA));
    return true;
}

/* The first look at every ephemeron. */
static bool settle_all(struct gc_heap *heap) {
    struct gc_weak *weak = &heap->weak;
    bool any = false;
    weak->waiting.count = 0;
    weak->refused = !gc_words_reserve(heap, GC_COUNTED, &weak->waiting, weak->all.count);
    for (size_t n = 0; n < weak->all.count && !weak->refused; n++)
        gc_words_append(&weak->waiting, 0);
    for (weak->unsettled = weak->all.count; weak->unsettled > 0; weak->unsettled--)
        any |= settle(heap, weak->unsettled - 1, EPHE_LINK);
    return any;
}

/* Looks at the ephemerons of which watched blocks were a part that were marked since. */
static bool settle_woken(struct gc_heap *heap) {
    struct gc_weak *weak = &heap->weak;
    bool any = false;
    while (weak->woken.count > 0) {
        value block = (value)weak->woken.items[--weak->woken.count];
        struct gc_watch *watch = &weak->watched[watch_place(weak, block)];
        size_t next = watch->first;
        watch->first = 0;
        while (next != 0) {
            size_t n = next - 1;
            uintptr_t entry = weak->waiting.items[n];
            next = next_of_entry(entry);
            any |= settle(heap, n, slot_of_entry(entry));
        }
    }
    return any;
}

/* Blocks still watched become ordinary unmarked ones again. */
static void stop_watching(struct gc_heap *heap) {
    struct gc_weak *weak = &heap->weak;
    for (size_t i = 0; i < weak->watched_capacity; i++) {
        value v = weak->watched[i].block;
        if (v == 0) continue;
        header h = header_of(v);
        if (colour_of_header(h) == COLOUR_WATCHED)
            *header_ptr(v) = make_header(wosize_of_header(h), tag_of(v), gc_dead_colour(heap));
    }
    free(weak->watched);
    weak->watched = NULL;
    weak->watched_capacity = weak->watched_count = 0;
    weak->woken.count = 0;
}

/* Empties the unmarked keys of e, and its data if there were any. */
static void clean(struct gc_heap *heap, value e) {
    bool dead_key = false;
    size_t wosize = wosize_of(e);
    for (size_t i = EPHE_FIRST_KEY; i < wosize; i++) {
        if (gc_is_marked(heap, field(e, i))) continue;
        field(e, i) = heap->weak.none;
        dead_key = true;
    }
    if (dead_key) field(e, EPHE_DATA) = heap->weak.none;
}

bool gc_weak_mark(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_weak *weak = &heap->weak;
    bool any = false;
    if (weak->unsettled == SIZE_MAX) any = settle_all(heap);
    if (!weak->refused) any |= settle_woken(heap);
    if (!weak->refused) return any;
    stop_watching(heap);
    for (size_t n = 0; n < weak->all.count; n++) any |= settle(heap, n, EPHE_LINK);
    return any;
}

void gc_weak_clean(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_words *all = &heap->weak.all;
    size_t kept = 0;
    stop_watching(heap);
    for (size_t n = 0; n < all->count; n++) {
        value e = (value)all->items[n];
        if (!gc_is_marked(heap, e)) continue;
        clean(heap, e);
        field(e, EPHE_LINK) = val_of_int((intptr_t)kept);
        all->items[kept++] = (uintptr_t)e;
    }
    all->count = kept;
}
