/* prim_reach.c - Obj.reachable_words: how many words are reachable from a value, headers included.
 *
 * A walk with a set of visited blocks and a stack of ranges of fields still to be looked at, both
 * in C memory. Nothing is allocated in the heap during the walk, so addresses are stable. Atoms and
 * words outside the heap count nothing; a closure's code fields are not looked at. */
#include "stdlib/prim.h"
#include "vm/stack/raise.h"

#include <stdlib.h>

struct range {
    const value *next, *end;
};

struct walk {
    struct gc_heap *heap; /* whose limit counts both */
    value *visited;       /* open addressing; 0: free */
    size_t slots, blocks; /* slots is a power of two, at least twice blocks */
    struct range *pending;
    size_t depth, room;
    uintptr_t words;
};

enum { FIRST_SLOTS = 256, FIRST_ROOM = 64 };

static void walk_free(struct walk *w) {
    gc_external_give(w->heap, w->slots * sizeof *w->visited + w->room * sizeof *w->pending);
    free(w->visited);
    free(w->pending);
}

/* The slot where v is or belongs. */
static value *find(value *table, size_t slots, value v) {
    size_t i = ((uintptr_t)v >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (table[i &= slots - 1] != 0 && table[i] != v) i++;
    return &table[i];
}

static bool grow_visited(struct walk *w) {
    size_t slots = w->slots == 0 ? FIRST_SLOTS : 2 * w->slots;
    if (!gc_external_try(w->heap, slots * sizeof *w->visited)) return false;
    value *table = calloc(slots, sizeof *table);
    if (table == NULL) {
        gc_external_give(w->heap, slots * sizeof *table);
        return false;
    }
    for (size_t i = 0; i < w->slots; i++)
        if (w->visited[i] != 0) *find(table, slots, w->visited[i]) = w->visited[i];
    gc_external_give(w->heap, w->slots * sizeof *table);
    free(w->visited);
    w->visited = table;
    w->slots = slots;
    return true;
}

static bool push(struct walk *w, const value *next, const value *end) {
    if (w->depth == w->room) {
        size_t room = w->room == 0 ? FIRST_ROOM : 2 * w->room;
        size_t more = (room - w->room) * sizeof *w->pending;
        if (!gc_external_try(w->heap, more)) return false;
        struct range *pending = realloc(w->pending, room * sizeof *pending);
        if (pending == NULL) {
            gc_external_give(w->heap, more);
            return false;
        }
        w->pending = pending;
        w->room = room;
    }
    w->pending[w->depth++] = (struct range){next, end};
    return true;
}

/* Counts the block of v unless it was counted, and notes its fields. False: no memory. */
static bool visit(struct domain *d, struct walk *w, value v) {
    if (!gc_is_heap_block(&d->gc, v)) return true;
    v = block_start(v);
    uintptr_t wosize = wosize_of(v), first = 0;
    if (wosize == 0) return true;
    if (2 * (w->blocks + 1) > w->slots && !grow_visited(w)) return false;
    value *slot = find(w->visited, w->slots, v);
    if (*slot == v) return true;
    *slot = v;
    w->blocks++;
    w->words += wosize + 1;
    if (tag_of(v) >= TAG_NO_SCAN) return true;
    if (tag_of(v) == TAG_CLOSURE) first = start_env_of(field(v, 1));
    return first >= wosize || push(w, &field(v, first), &field(v, wosize));
}

/* The size of what is reachable from v; -1: no memory. GC: never. */
static intptr_t reachable(struct domain *d, value v) {
    struct walk w = {.heap = d->gc.heap};
    bool ok = visit(d, &w, v);
    while (ok && w.depth > 0) {
        struct range *top = &w.pending[w.depth - 1];
        value next = *top->next++;
        if (top->next == top->end) w.depth--;
        ok = visit(d, &w, next);
    }
    walk_free(&w);
    return ok ? (intptr_t)w.words : -1;
}

value prim_obj_reachable_words(struct domain *d, value v) {
    intptr_t words = reachable(d, v);
    if (words < 0 && gc_get_params(&d->gc)->max_heap_words != 0) {
        GC_ROOT(&d->gc, &v);
        gc_full_major_cycle(&d->gc);
        words = reachable(d, v);
    }
    if (words < 0) vm_raise_out_of_memory(d);
    return val_of_int(words);
}
