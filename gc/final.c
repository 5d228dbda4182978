/* final.c - finalisers: which are ready to run; F1 and F2 of weak.h.
 *
 *     first, last:   | ... refer to no young block ... | registered since the last collection |
 *                    0                                old                                 count
 *     ready:         | taken, or of other owners ... | waiting for the machine ... |
 *                    0                           ready_seen                        count
 *
 * `first` and `last` keep the order of registration. Finalisers that one collection finds ready are
 * called in the opposite order, the newest first, as in 4.x; those of earlier collections precede
 * them. A function in any table is a root. An argument of `first` is a root of minor collections,
 * not of marking: an unmarked one becomes ready to run and is marked then. An argument of `last` is
 * never a root.
 *
 * F3  items[0 .. old-1] of `first` and `last`, and the queue of ready finalisers outside minor
 *     collections, refer to no young block.
 * F4  The queue of ready finalisers has room for all items of the three tables: a collection needs
 *     no memory. */
#include "gc/heap_internal.h"
#include "gc/weak.h"

#include <stdlib.h>

void gc_final_destroy(struct gc_domain *g) {
    free(g->final.first.items);
    free(g->final.last.items);
    free(g->final.ready.items);
    memset(&g->final, 0, sizeof g->final);
}

static bool finalisers_reserve(struct gc_heap *heap, struct gc_finalisers *table, size_t n) {
    return vector_reserve(table, n, IF_SMALL_TABLES(1, 64), GC_MEMORY(heap, GC_ACCOUNT_PROGRAM, 1));
}

/* Room for one more in the table, and in the queue of ready finalisers for all (F4). */
static bool final_make_room(struct gc_domain *g, struct gc_finalisers *table) {
    struct gc_final *final = &g->final;
    return finalisers_reserve(g->heap, table, 1) &&
           finalisers_reserve(g->heap, &final->ready, final->first.count + final->last.count + 1);
}

static void final_register(struct gc_domain *g, struct gc_finalisers *table, value f, value v) {
    if (!final_make_room(g, table)) {
        GC_ROOT(g, &f, &v);
        bool cycled = gc_cycle_for_limit(g);
        if (!cycled || !final_make_room(g, table)) gc_out_of_memory(g, table->count);
    }
    value block = block_start(v);
    vector_append(table, ((struct gc_finaliser){f, block, v - block, g->final.owner}));
}

void gc_finalise(struct gc_domain *g, value f, value v) {
    final_register(g, &g->final.first, f, v);
}

void gc_finalise_last(struct gc_domain *g, value f, value v) {
    final_register(g, &g->final.last, f, v);
}

/* ---- The queue of ready finalisers ---- */

static void make_ready(struct gc_domain *g, struct gc_finaliser item) {
    vector_append(&g->final.ready, item); /* F4 */
    gc_request_action(g);
}

/* Reverses items[from .. to - 1]. */
static void reverse(struct gc_finaliser *items, size_t from, size_t to) {
    for (; from + 1 < to; from++) {
        struct gc_finaliser item = items[--to];
        items[to] = items[from];
        items[from] = item;
    }
}

/* Reverses ready.items[from ..]: from the order of registration to the order of calls. */
static void reverse_ready(struct gc_domain *g, size_t from) {
    reverse(g->final.ready.items, from, g->final.ready.count);
}

/* Owners of items of the queue: it was taken; its owner has ended, and no collection was since. */
enum { TAKEN = -1, ORPHANED = -2 };

/* Drops the items that were taken, once they are half of the queue. */
static void drop_taken(struct gc_final *final) {
    struct gc_finalisers *ready = &final->ready;
    if (2 * final->ready_taken < ready->count) return;
    size_t kept = 0;
    for (size_t i = 0; i < ready->count; i++) {
        if (i == final->ready_seen) final->ready_seen = kept;
        if (ready->items[i].owner != TAKEN) ready->items[kept++] = ready->items[i];
    }
    if (final->ready_seen > kept) final->ready_seen = kept;
    ready->count = kept;
    final->ready_taken = 0;
}

bool gc_finalisers_ready(struct gc_domain *g) {
    struct gc_final *final = &g->final;
    for (; final->ready_seen < final->ready.count; final->ready_seen++)
        if (final->ready.items[final->ready_seen].owner == final->owner) return true;
    return false;
}

bool gc_next_finaliser(struct gc_domain *g, value *f, value *argument) {
    struct gc_final *final = &g->final;
    if (!gc_finalisers_ready(g)) return false;
    struct gc_finaliser *item = &final->ready.items[final->ready_seen++];
    *f = item->function;
    *argument = item->argument + item->offset;
    ASSERT(!is_block(*f) || !gc_is_young(g, *f)); /* F3 */
    *item = (struct gc_finaliser){VAL_UNIT, VAL_UNIT, 0, TAKEN};
    final->ready_taken++;
    drop_taken(final);
    return true;
}

void gc_set_finaliser_owner(struct gc_domain *g, intptr_t owner) {
    g->final.owner = owner;
    g->final.ready_seen = 0;
}

static void change_owner(struct gc_finalisers *table, intptr_t from, intptr_t to) {
    for (size_t i = 0; i < table->count; i++)
        if (table->items[i].owner == from) table->items[i].owner = to;
}

void gc_orphan_finalisers(struct gc_domain *g, intptr_t owner) {
    change_owner(&g->final.first, owner, 0);
    change_owner(&g->final.last, owner, 0);
    change_owner(&g->final.ready, owner, ORPHANED);
    for (size_t i = 0; i < g->final.ready.count; i++)
        g->final.orphans |= g->final.ready.items[i].owner == ORPHANED;
}

/* Moves the orphaned items of items[from .. to - 1] after the others; both keep their order.
 * The index of the first orphaned one. */
static size_t sink_orphans(struct gc_finaliser *items, size_t from, size_t to) {
    if (to - from == 1) return items[from].owner == ORPHANED ? from : to;
    size_t middle = from + (to - from) / 2;
    size_t left = sink_orphans(items, from, middle), right = sink_orphans(items, middle, to);
    reverse(items, left, middle);
    reverse(items, middle, right);
    reverse(items, left, right);
    return left + (right - middle);
}

void gc_final_adopt(struct gc_domain *g) {
    struct gc_final *final = &g->final;
    if (!final->orphans) return;
    final->orphans = false;
    sink_orphans(final->ready.items, 0, final->ready.count);
    change_owner(&final->ready, ORPHANED, 0);
    final->ready_seen = 0;
    gc_request_action(g);
}

/* ---- Minor collection ---- */

void gc_final_minor_roots(struct gc_domain *g) {
    struct gc_finalisers *first = &g->final.first, *last = &g->final.last;
    ASSERT(first->old <= first->count && last->old <= last->count); /* F3 */
    for (size_t i = first->old; i < first->count; i++) {
        gc_evacuate(g, &first->items[i].function);
        gc_evacuate(g, &first->items[i].argument);
    }
    for (size_t i = last->old; i < last->count; i++) gc_evacuate(g, &last->items[i].function);
    first->old = first->count;
}

/* F2: the items of `last` from index `from` whose value died become ready to run, without it.
 * survives may update the argument. */
static void take_dead_lasts(struct gc_domain *g, size_t from,
                            bool (*survives)(struct gc_domain *g, value *argument)) {
    struct gc_finalisers *last = &g->final.last;
    size_t kept = from, new_ready = g->final.ready.count;
    for (size_t i = from; i < last->count; i++) {
        struct gc_finaliser item = last->items[i];
        if (survives(g, &item.argument)) last->items[kept++] = item;
        else make_ready(g, (struct gc_finaliser){item.function, VAL_UNIT, 0, item.owner});
    }
    last->old = last->count = kept;
    reverse_ready(g, new_ready);
}

void gc_final_minor_last(struct gc_domain *g) {
    take_dead_lasts(g, g->final.last.old, gc_minor_survives);
}

/* ---- Major collection ---- */

void gc_final_mark_roots(struct gc_domain *g) {
    const struct gc_final *final = &g->final;
    struct gc_heap *heap = g->heap;
    for (size_t i = 0; i < final->first.count; i++) gc_darken(heap, final->first.items[i].function);
    for (size_t i = 0; i < final->last.count; i++) gc_darken(heap, final->last.items[i].function);
    for (size_t i = 0; i < final->ready.count; i++) {
        gc_darken(heap, final->ready.items[i].function);
        gc_darken(heap, final->ready.items[i].argument);
    }
}

/* All unmarked arguments are found before any is darkened: a value to which another one refers is
 * ready in the same cycle. */
bool gc_final_mark_first(struct gc_domain *g) {
    struct gc_final *final = &g->final;
    struct gc_finalisers *first = &final->first, *ready = &final->ready;
    size_t new_ready = ready->count, kept = 0;
    for (size_t i = 0; i < first->count; i++) {
        struct gc_finaliser item = first->items[i];
        if (gc_survives_cycle(g->heap, item.argument)) first->items[kept++] = item;
        else make_ready(g, item);
    }
    first->old = first->count = kept;
    for (size_t i = new_ready; i < ready->count; i++)
        gc_darken(g->heap, ready->items[i].argument); /* F1 */
    reverse_ready(g, new_ready);
    return new_ready < ready->count;
}

static bool survives_marking(struct gc_domain *g, value *argument) {
    return gc_survives_cycle(g->heap, *argument);
}

void gc_final_mark_last(struct gc_domain *g) { take_dead_lasts(g, 0, survives_marking); }
