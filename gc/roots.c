/* roots.c - the three kinds of roots: local frames, registered slots, scanners.
 *
 * Registered slots are sets of addresses. A generational slot that may hold a young block is also
 * in minor.roots, where gc_modify_root puts it, so that a minor collection skips the others. */
#include "gc/heap_internal.h"

#include <stdlib.h>

/* ---- Registered slots. ---- */

static void note_young(struct gc_domain *g, value *slot) {
    if (is_block(*slot) && gc_is_young(g, *slot) &&
        !gc_words_push(g->heap, GC_ACCOUNT_COLLECTOR, &g->minor.roots, (uintptr_t)slot))
        g->minor.roots_lost = true;
}

static void add_slot(struct gc_domain *g, struct word_map *set, value *slot) {
    const size_t first = IF_SMALL_TABLES(2, 64);
    ASSERT(!gc_in_range(g, (value)slot)); /* the collector does not move slots */
    if (!word_map_add(set, (uintptr_t)slot, first, GC_MEMORY(g->heap, GC_ACCOUNT_NONE, 1)))
        gc_out_of_memory(g, 4 * set->capacity);
}

void gc_register_root(struct gc_domain *g, value *slot) {
    add_slot(g, &g->heap->roots, slot);
    note_young(g, slot);
}

/* Marking has read the slot when it started, so the snapshot (M1) no longer needs it; minor.roots
 * may still hold its address. */
void gc_remove_root(struct gc_domain *g, value *slot) {
    word_map_remove(&g->heap->roots, (uintptr_t)slot);
}

void gc_register_mutable_root(struct gc_domain *g, value *slot) {
    add_slot(g, &g->heap->mutable_roots, slot);
}

void gc_remove_mutable_root(struct gc_domain *g, value *slot) {
    word_map_remove(&g->heap->mutable_roots, (uintptr_t)slot);
}

void gc_modify_root(struct gc_domain *g, value *slot, value v) {
    value old = *slot;
    ASSERT(word_map_find(&g->heap->roots, (uintptr_t)slot));
    *slot = v;
    if (is_block(old) && gc_is_young(g, old)) return;
    note_young(g, slot);
}

static void evacuate_all(struct gc_domain *g, const struct word_map *set) {
    for (size_t i = 0; i < set->capacity; i++)
        if (set->entries[i].key) gc_evacuate(g, (value *)set->entries[i].key);
}

void gc_roots_evacuate(struct gc_domain *g) {
    struct gc_words *young = &g->minor.roots;
    for (size_t i = 0; i < young->count; i++)
        if (word_map_find(&g->heap->roots, young->items[i]))
            gc_evacuate(g, (value *)young->items[i]);
    young->count = 0;
    if (g->minor.roots_lost) evacuate_all(g, &g->heap->roots);
    g->minor.roots_lost = false;
    evacuate_all(g, &g->heap->mutable_roots);
}

void gc_roots_destroy(struct gc_domain *g) {
    free(g->heap->roots.entries);
    free(g->heap->mutable_roots.entries);
    gc_words_free(&g->minor.roots);
}

/* ---- Scanners. ---- */

void gc_add_incremental_scanner(struct gc_heap *heap, const char *name, gc_scanner *scan,
                                gc_incremental_scanner *scan_some, void *context) {
    ASSERT(heap->scanner_count < GC_SCANNERS);
    heap->scanners[heap->scanner_count++] = (struct gc_scanner_entry){name, scan, scan_some,
                                                                      context};
}

void gc_add_scanner(struct gc_heap *heap, const char *name, gc_scanner *scan, void *context) {
    gc_add_incremental_scanner(heap, name, scan, NULL, context);
}

void gc_remove_scanner(struct gc_heap *heap, gc_scanner *scan, void *context) {
    for (size_t i = 0; i < heap->scanner_count; i++) {
        if (heap->scanners[i].scan == scan && heap->scanners[i].context == context) {
            heap->scanners[i] = heap->scanners[--heap->scanner_count];
            heap->mark.next_scanner = 0; /* the moved one may have roots left */
            return;
        }
    }
}

void gc_visit_roots(struct gc_visitor *visitor) {
    const struct gc_heap *heap = visitor->g->heap;
    gc_visit_frames(visitor, visitor->g->local_roots);
    for (size_t i = 0; i < heap->scanner_count; i++)
        heap->scanners[i].scan(heap->scanners[i].context, visitor);
}

/* ---- Marking. ---- */

static void darken_slots(struct gc_visitor *visitor, value *from, value *to) {
    struct gc_heap *heap = visitor->g->heap;
    heap->mark.root_words += (size_t)(to - from);
    gc_darken_range(heap, from, to);
}

static void darken_set(struct gc_heap *heap, const struct word_map *set) {
    heap->mark.root_words += set->capacity;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->entries[i].key) gc_darken(heap, *(value *)set->entries[i].key);
}

void gc_roots_darken(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_visitor visitor = {.g = g, .slots = darken_slots, .may_defer = true};
    darken_set(heap, &heap->roots);
    darken_set(heap, &heap->mutable_roots);
    gc_visit_roots(&visitor);
    heap->mark.deferred_roots = visitor.deferred;
    heap->mark.roots_left = true;
    heap->mark.next_scanner = 0;
}

size_t gc_incremental_roots_darken(struct gc_domain *g, size_t budget) {
    struct gc_visitor visitor = {.g = g, .slots = darken_slots};
    struct gc_mark *m = &g->heap->mark;
    size_t done = 0;
    ASSERT(g->heap->phase == PHASE_MARK && m->roots_left);
    for (; m->next_scanner < g->heap->scanner_count; m->next_scanner++) {
        const struct gc_scanner_entry *entry = &g->heap->scanners[m->next_scanner];
        if (!entry->scan_some) continue;
        done += entry->scan_some(entry->context, &visitor, budget - done);
        if (done >= budget) return done;
    }
    m->roots_left = false;
    return done;
}

void gc_incremental_roots_added(struct gc_domain *g) {
    struct gc_mark *m = &g->heap->mark;
    ASSERT(g->heap->phase == PHASE_MARK);
    m->roots_left = true;
    m->next_scanner = 0;
}

void gc_set_continuations(struct gc_heap *heap, const struct gc_continuations *continuations) {
    heap->continuations = continuations;
}

void gc_preserve_slots(struct gc_domain *g, const value *from, const value *to) {
    if (g->marking) gc_darken_range(g->heap, from, to);
}

void gc_preserve(struct gc_domain *g, value v) { gc_preserve_slots(g, &v, &v + 1); }
