/* roots.c - the three kinds of roots: local frames, registered slots, scanners.
 *
 * Registered slots are a hash set of addresses. Those that may hold a young block are also in a
 * list, so that a minor collection does not look at the others: gc_modify_root puts them there. */
#include "gc/heap_internal.h"

#include <stdlib.h>

#define REMOVED ((value *)1)
enum { FIRST_CAPACITY = IF_SMALL_TABLES(1, 64) };

/* ---- Registered slots. ---- */

static size_t slot_hash(size_t capacity, const value *slot) {
    return (size_t)(((uintptr_t)slot >> 3) * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
}

/* Where slot is, or the place it would take. Needs: a place that was never used. */
static size_t find(const struct gc_root_set *set, const value *slot) {
    size_t i = slot_hash(set->capacity, slot);
    size_t place = SIZE_MAX;
    for (;; i = (i + 1) & (set->capacity - 1)) {
        value *there = set->slots[i];
        if (there == slot) return i;
        if (!there) return place == SIZE_MAX ? i : place;
        if (place == SIZE_MAX && there == REMOVED) place = i;
    }
}

static bool is_registered(const struct gc_root_set *set, const value *slot) {
    return set->capacity && set->slots[find(set, slot)] == slot;
}

static bool rehash(struct gc_heap *heap, struct gc_root_set *set) {
    struct gc_root_set larger = *set;
    larger.capacity = FIRST_CAPACITY;
    while (larger.capacity < set->live * 4) larger.capacity *= 2;
    larger.slots = gc_os_alloc(&heap->faults, larger.capacity * sizeof *larger.slots);
    if (!larger.slots) return false;
    memset(larger.slots, 0, larger.capacity * sizeof *larger.slots);
    larger.used = set->live;
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i] && set->slots[i] != REMOVED)
            larger.slots[find(&larger, set->slots[i])] = set->slots[i];
    }
    free(set->slots);
    *set = larger;
    return true;
}

static void note_young(struct gc_domain *g, value *slot) {
    struct gc_root_set *set = &g->heap->roots;
    if (is_block(*slot) && gc_is_young(g, *slot) &&
        !gc_words_push(g->heap, GC_OWN, &set->young, (uintptr_t)slot))
        set->young_lost = true;
}

static void add_to_set(struct gc_domain *g, struct gc_root_set *set, value *slot) {
    struct gc_heap *heap = g->heap;
    if (set->used * 2 >= set->capacity && !rehash(heap, set))
        heap->up.out_of_memory(heap->up.context, g, FIRST_CAPACITY + set->live * 4);
    size_t i = find(set, slot);
    if (set->slots[i] == slot) return;
    if (!set->slots[i]) set->used++;
    set->slots[i] = slot;
    set->live++;
}

/* The snapshot may rely on this root (M1): it was read when marking started, so nothing is lost
 * here; and the list of young ones checks membership. */
static void remove_from_set(struct gc_root_set *set, value *slot) {
    if (!is_registered(set, slot)) return;
    set->slots[find(set, slot)] = REMOVED;
    set->live--;
}

void gc_register_root(struct gc_domain *g, value *slot) {
    add_to_set(g, &g->heap->roots, slot);
    note_young(g, slot);
}

void gc_remove_root(struct gc_domain *g, value *slot) { remove_from_set(&g->heap->roots, slot); }

void gc_register_plain_root(struct gc_domain *g, value *slot) {
    add_to_set(g, &g->heap->plain_roots, slot);
}

void gc_remove_plain_root(struct gc_domain *g, value *slot) {
    remove_from_set(&g->heap->plain_roots, slot);
}

void gc_modify_root(struct gc_domain *g, value *slot, value v) {
    value old = *slot;
    *slot = v;
    if (is_block(old) && gc_is_young(g, old)) return;
    note_young(g, slot);
}

static void evacuate_all(struct gc_domain *g, const struct gc_root_set *set) {
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i] && set->slots[i] != REMOVED) gc_evacuate(g, set->slots[i]);
}

void gc_roots_evacuate(struct gc_domain *g) {
    struct gc_root_set *set = &g->heap->roots;
    for (size_t i = 0; i < set->young.count; i++) {
        value *slot = (value *)set->young.items[i];
        if (is_registered(set, slot)) gc_evacuate(g, slot);
    }
    set->young.count = 0;
    if (set->young_lost) evacuate_all(g, set);
    set->young_lost = false;
    evacuate_all(g, &g->heap->plain_roots);
}

void gc_roots_destroy(struct gc_heap *heap) {
    free(heap->roots.slots);
    free(heap->plain_roots.slots);
    gc_words_free(&heap->roots.young);
}

/* ---- Scanners. ---- */

void gc_add_incremental_scanner(struct gc_heap *heap, gc_scanner *scan,
                                gc_incremental_scanner *late, void *context) {
    ASSERT(heap->scanner_count < GC_SCANNERS);
    heap->scanners[heap->scanner_count++] = (struct gc_scanner_entry){scan, late, context};
}

void gc_add_scanner(struct gc_heap *heap, gc_scanner *scan, void *context) {
    gc_add_incremental_scanner(heap, scan, NULL, context);
}

void gc_remove_scanner(struct gc_heap *heap, gc_scanner *scan, void *context) {
    for (size_t i = 0; i < heap->scanner_count; i++) {
        if (heap->scanners[i].scan == scan && heap->scanners[i].context == context) {
            heap->scanners[i] = heap->scanners[--heap->scanner_count];
            heap->mark.late_next = 0; /* one that isn't through may have come to a lower place */
            return;
        }
    }
}

/* ---- All of them, for marking. ---- */

struct darkener {
    struct gc_visitor visitor; /* first: the visitor's address is this struct's */
    struct gc_heap *heap;
};

static void darken_slots(struct gc_visitor *visitor, value *from, value *to) {
    struct gc_heap *heap = ((struct darkener *)visitor)->heap;
    heap->mark.root_words += (size_t)(to - from);
    gc_darken_range(heap, from, to);
}

static void darken_set(struct gc_heap *heap, const struct gc_root_set *set) {
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i] && set->slots[i] != REMOVED) gc_darken(heap, *set->slots[i]);
}

void gc_roots_darken(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct darkener darkener = {{.slots = darken_slots, .may_wait = true}, heap};
    for (struct gc_local_roots *frame = g->local_roots; frame; frame = frame->next)
        for (intptr_t t = 0; t < frame->ntables; t++)
            gc_darken_range(heap, frame->tables[t], frame->tables[t] + frame->nitems);
    heap->mark.root_words += heap->roots.capacity + heap->plain_roots.capacity;
    darken_set(heap, &heap->roots);
    darken_set(heap, &heap->plain_roots);
    for (size_t i = 0; i < heap->scanner_count; i++)
        heap->scanners[i].scan(heap->scanners[i].context, &darkener.visitor);
    heap->mark.late_words = darkener.visitor.left_out;
    heap->mark.late_left = true;
    heap->mark.late_next = 0;
}

size_t gc_incremental_roots_darken(struct gc_heap *heap, size_t budget) {
    struct darkener darkener = {{.slots = darken_slots}, heap};
    struct gc_mark *m = &heap->mark;
    size_t done = 0;
    for (; m->late_next < heap->scanner_count; m->late_next++) {
        const struct gc_scanner_entry *entry = &heap->scanners[m->late_next];
        if (!entry->late) continue;
        done += entry->late(entry->context, &darkener.visitor, budget - done);
        if (done >= budget) return done;
    }
    m->late_left = false;
    return done;
}

void gc_keep_slots(struct gc_domain *g, const value *from, const value *to) {
    if (g->marking) gc_darken_range(g->heap, from, to);
}

void gc_keep(struct gc_domain *g, value v) { gc_keep_slots(g, &v, &v + 1); }
