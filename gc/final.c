/* final.c - finalisers: which are due; F1 and F2 of final.h.
 *
 *     first, last:   | ... without young arguments ... | registered since the last minor
 *     collection |
 *                    0                                old
 *                    count
 *     due:           | taken ... | waiting for the machine ... |
 *                    0        due_taken                      count
 *
 * Both tables keep the order of registration. What one collection finds due is taken in the
 * opposite order, the newest first, as 4.x does; earlier collections go first. A function in any
 * table is a root. An argument of `first` is a root of minor collections (so a young one is
 * promoted), not of marking: what marking left unmarked becomes due and is marked then. An
 * argument of `last` is never a root.
 *
 * F3  items[0 .. old-1] of both tables, and the due queue outside a minor collection, hold no young
 *     argument and no young function.
 * F4  The due queue has room for all items of the three tables: what a collection finds due needs
 *     no memory. */
#include "gc/final.h"

#include "gc/heap_internal.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = IF_SMALL_TABLES(1, 64) };

void gc_final_create(struct gc_heap *heap) { heap->final.hold = SIZE_MAX; }

void gc_final_destroy(struct gc_heap *heap) {
    free(heap->final.first.items);
    free(heap->final.last.items);
    free(heap->final.due.items);
    memset(&heap->final, 0, sizeof heap->final);
}

/* Makes the table one of n items at least. False when memory is exhausted. */
static bool table_reserve(struct gc_heap *heap, struct gc_final_table *table, size_t n) {
    const struct gc_growth growth = {GC_PROGRAM, FIRST_CAPACITY, sizeof *table->items,
                                     sizeof *table->items};
    return gc_table_grow(heap, &growth, (void **)&table->items, &table->capacity, n);
}

/* Room for one more in the table, and for all in the due queue (F4). */
static bool make_room(struct gc_heap *heap, struct gc_final_table *table) {
    struct gc_final *final = &heap->final;
    size_t all = final->first.count + final->last.count + final->due.count;
    return table_reserve(heap, table, table->count + 1) &&
           table_reserve(heap, &final->due, all + 1);
}

static void enter(struct gc_domain *g, struct gc_final_table *table, value f, value v) {
    if (!make_room(g->heap, table)) {
        GC_ROOT(g, &f, &v);
        bool cycled = gc_cycle_for_limit(g);
        if (!cycled || !make_room(g->heap, table)) gc_out_of_memory(g, table->count);
    }
    value block = block_start(v);
    table->items[table->count++] = (struct gc_finaliser){
        .function = f, .argument = block, .offset = v - block};
}

void gc_finalise(struct gc_domain *g, value f, value v) { enter(g, &g->heap->final.first, f, v); }

void gc_finalise_last(struct gc_domain *g, value f, value v) {
    enter(g, &g->heap->final.last, f, v);
}

void gc_hold_new_finalisers(struct gc_domain *g) {
    g->heap->final.hold = g->heap->final.first.count;
}

/* ---- The due queue ---- */

static void make_due(struct gc_domain *g, const struct gc_finaliser *item) {
    struct gc_final_table *due = &g->heap->final.due;
    ASSERT(due->count < due->capacity);
    due->items[due->count++] = *item;
    gc_request_action(g);
}

/* Turns due.items[from ..], just found in the order of registration, into the order of calls. */
static void reverse_due(struct gc_heap *heap, size_t from) {
    struct gc_finaliser *items = heap->final.due.items;
    for (size_t i = from, j = heap->final.due.count; i + 1 < j; i++) {
        struct gc_finaliser item = items[--j];
        items[j] = items[i];
        items[i] = item;
    }
}

bool gc_finalisers_due(const struct gc_domain *g) {
    return g->heap->final.due_taken < g->heap->final.due.count;
}

bool gc_next_finaliser(struct gc_domain *g, value *f, value *argument) {
    struct gc_final *final = &g->heap->final;
    if (!gc_finalisers_due(g)) return false;
    const struct gc_finaliser *item = &final->due.items[final->due_taken++];
    *f = item->function;
    *argument = item->argument + item->offset;
    if (final->due_taken == final->due.count) final->due_taken = final->due.count = 0;
    return true;
}

/* ---- Minor collection ---- */

void gc_final_minor_roots(struct gc_domain *g) {
    struct gc_final *final = &g->heap->final;
    for (size_t i = final->first.old; i < final->first.count; i++) {
        gc_evacuate(g, &final->first.items[i].function);
        gc_evacuate(g, &final->first.items[i].argument);
    }
    for (size_t i = final->last.old; i < final->last.count; i++)
        gc_evacuate(g, &final->last.items[i].function);
    final->first.old = final->first.count;
}

void gc_final_minor_last(struct gc_domain *g) {
    struct gc_final_table *last = &g->heap->final.last;
    size_t kept = last->old, new_due = g->heap->final.due.count;
    for (size_t i = last->old; i < last->count; i++) {
        struct gc_finaliser item = last->items[i];
        if (gc_minor_survives(g, &item.argument)) {
            last->items[kept++] = item;
        } else {
            item.argument = VAL_UNIT;
            item.offset = 0;
            make_due(g, &item);
        }
    }
    last->old = last->count = kept;
    reverse_due(g->heap, new_due);
}

/* ---- Major collection ---- */

void gc_final_mark_roots(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_final *final = &heap->final;
    for (size_t i = 0; i < final->first.count; i++) gc_darken(heap, final->first.items[i].function);
    for (size_t i = 0; i < final->last.count; i++) gc_darken(heap, final->last.items[i].function);
    for (size_t i = final->due_taken; i < final->due.count; i++) {
        gc_darken(heap, final->due.items[i].function);
        gc_darken(heap, final->due.items[i].argument);
    }
}

/* First all unmarked arguments are found, then they are darkened: a value that another one of them
 * refers to is due in the same cycle. */
bool gc_final_mark_first(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_final_table *first = &heap->final.first;
    struct gc_final_table *due = &heap->final.due;
    size_t new_due = due->count, kept = 0;
    for (size_t i = 0; i < first->count; i++) {
        struct gc_finaliser item = first->items[i];
        if (i >= heap->final.hold || gc_is_marked(heap, item.argument)) first->items[kept++] = item;
        else make_due(g, &item);
    }
    size_t held = heap->final.hold < first->count ? first->count - heap->final.hold : 0;
    first->old = first->count = kept;
    heap->final.hold = SIZE_MAX;
    for (size_t i = kept - held; i < kept; i++) gc_darken(heap, first->items[i].argument);
    for (size_t i = new_due; i < due->count; i++) gc_darken(heap, due->items[i].argument);
    reverse_due(heap, new_due);
    return held > 0 || new_due < due->count;
}

void gc_final_mark_last(struct gc_domain *g) {
    struct gc_heap *heap = g->heap;
    struct gc_final_table *last = &heap->final.last;
    size_t kept = 0, new_due = heap->final.due.count;
    for (size_t i = 0; i < last->count; i++) {
        struct gc_finaliser item = last->items[i];
        if (gc_is_marked(heap, item.argument)) {
            last->items[kept++] = item;
            continue;
        }
        item.argument = VAL_UNIT;
        item.offset = 0;
        make_due(g, &item);
    }
    last->old = last->count = kept;
    reverse_due(heap, new_due);
}
