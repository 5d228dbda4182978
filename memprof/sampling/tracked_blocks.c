/* tracked_blocks.c - see entries.h. */
#include "memprof/sampling/tracked_blocks.h"

#include "gc/heap.h"
#include "gc/small_tables.h"
#include "memprof/sampling/callstack.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lists of numbers. ---- */

/* Makes room for one more item of *items. */
static bool grow(struct gc_heap *heap, void **items, size_t *capacity, size_t count,
                 size_t item_bytes) {
    if (count < *capacity) return true;
    size_t wider = *capacity == 0 ? IF_SMALL_TABLES(2, 64) : 2 * *capacity;
    size_t bytes = (wider - *capacity) * item_bytes;
    if (!gc_external_owe(heap, bytes)) return false;
    void *moved = realloc(*items, wider * item_bytes);
    if (moved == NULL) {
        gc_external_give(heap, bytes);
        return false;
    }
    *items = moved;
    *capacity = wider;
    return true;
}

static __attribute__((noinline)) bool grow_numbers(struct gc_heap *heap, struct mp_numbers *n) {
    return grow(heap, (void **)&n->items, &n->capacity, n->count, sizeof *n->items);
}

static inline bool push_number(const struct mp_tracked_blocks *t, struct mp_numbers *n,
                               uint32_t number) {
    if (n->count == n->capacity && !grow_numbers(t->heap, n)) return false;
    n->items[n->count++] = number;
    return true;
}

/* ---- Slots. ---- */

static __attribute__((noinline)) uint32_t new_slot(struct mp_tracked_blocks *t) {
    size_t capacity = t->slot_capacity;
    if (t->slot_count >= UINT32_MAX / 2) return 0;
    if (!grow(t->heap, (void **)&t->slots, &capacity, t->slot_count + 1, sizeof *t->slots))
        return 0;
    t->slot_capacity = (uint32_t)capacity;
    return ++t->slot_count;
}

/* 0: no memory. */
static inline uint32_t take_slot(struct mp_tracked_blocks *t) {
    uint32_t number = t->first_free;
    if (number == 0) return new_slot(t);
    t->first_free = t->slots[number].next_free;
    return number;
}

uint32_t mp_entry_new(struct mp_tracked_blocks *t, size_t wosize, size_t samples,
                      enum gc_source source, bool born_young) {
    uint32_t number = take_slot(t);
    if (number == 0) return 0;
    t->slots[number] = (struct mp_entry){
        .user = VAL_UNIT,
        .wosize = wosize,
        .samples = samples,
        .source = (uint8_t)source,
        .flags = born_young ? ENTRY_BORN_YOUNG : 0,
    };
    t->live++;
    return number;
}

static inline void free_if_unused(struct mp_tracked_blocks *t, uint32_t number) {
    struct mp_entry *e = &t->slots[number];
    if (!(e->flags & ENTRY_DROPPED) || e->holds > 0) return;
    e->flags = ENTRY_FREE;
    e->next_free = t->first_free;
    t->first_free = number;
}

static inline void hold(struct mp_tracked_blocks *t, uint32_t number) { t->slots[number].holds++; }

static inline void release(struct mp_tracked_blocks *t, uint32_t number) {
    t->slots[number].holds--;
    free_if_unused(t, number);
}

/* Nothing more happens for this entry. */
static inline void drop(struct mp_tracked_blocks *t, uint32_t number) {
    struct mp_entry *e = &t->slots[number];
    if (e->flags & (ENTRY_DROPPED | ENTRY_FREE)) return;
    mp_callstack_free(t->heap, e->stack);
    e->stack = NULL;
    e->user = VAL_UNIT;
    e->flags |= ENTRY_DROPPED;
    t->live--;
    free_if_unused(t, number);
}

void mp_entry_release(struct mp_tracked_blocks *t, uint32_t number) { release(t, number); }

/* The user value is a root from now on. False: no memory for that; the entry was dropped. */
static bool note_fresh_user(struct mp_tracked_blocks *t, uint32_t number) {
    if (!push_number(t, &t->fresh_users, number)) {
        drop(t, number);
        return false;
    }
    hold(t, number);
    return true;
}

uint32_t mp_entry_promised(struct mp_tracked_blocks *t, size_t wosize, size_t samples, value user,
                           value block) {
    uint32_t number = take_slot(t);
    if (number == 0) return 0;
    t->slots[number] = (struct mp_entry){
        .block = block,
        .user = user,
        .wosize = wosize,
        .samples = samples,
        .source = GC_NORMAL,
        .seq = ++t->last_seq,
        .holds = 1,
        .flags = ENTRY_BORN_YOUNG | ENTRY_KNOWN,
    };
    t->live++;
    if (is_block(user)) note_fresh_user(t, number);
    if (block != 0) mp_entry_born(t, number, block);
    return number;
}

void mp_entry_born(struct mp_tracked_blocks *t, uint32_t number, value block) {
    struct mp_entry *e = &t->slots[number];
    e->block = block;
    if (e->flags & ENTRY_DROPPED || !push_number(t, &t->young, number)) {
        drop(t, number);
        release(t, number);
    }
}

bool mp_entry_set_block(struct mp_tracked_blocks *t, uint32_t number, value block, bool young) {
    if (!push_number(t, young ? &t->young : &t->old, number)) {
        drop(t, number);
        return false;
    }
    hold(t, number);
    t->slots[number].block = block;
    return true;
}

void mp_entry_set_user(struct mp_tracked_blocks *t, uint32_t number, value user) {
    if (is_int(user) || note_fresh_user(t, number)) t->slots[number].user = user;
}

value mp_entry_take_user(struct mp_tracked_blocks *t, struct gc_domain *g, uint32_t number) {
    value user = t->slots[number].user;
    gc_keep(g, user);
    t->slots[number].user = VAL_UNIT;
    return user;
}

/* ---- What is due. ---- */

/* Blocks mostly die and are promoted in the order of their births, so later is a list to which most
 * items come in order; those that don't have it sorted before the next one is taken. */
static void forget_taken(struct mp_numbers *later, size_t *taken) {
    later->count -= *taken;
    memmove(later->items, later->items + *taken, later->count * sizeof *later->items);
    *taken = 0;
}

/* Puts an entry into later, for which one of its holds is used up. */
static inline bool push_later(struct mp_tracked_blocks *t, uint32_t number) {
    struct mp_numbers *later = &t->later;
    struct mp_entry *e = &t->slots[number];
    if (t->later_taken > later->count / 2) forget_taken(later, &t->later_taken);
    if (!push_number(t, later, number)) {
        drop(t, number);
        release(t, number);
        return false;
    }
    e->flags |= ENTRY_QUEUED;
    size_t n = later->count;
    if (n - t->later_taken > 1) t->later_unsorted |= t->slots[later->items[n - 2]].seq > e->seq;
    return true;
}

static int by_seq(const void *one, const void *other, void *slots) {
    const struct mp_entry *entries = slots;
    uint64_t a = entries[*(const uint32_t *)one].seq, b = entries[*(const uint32_t *)other].seq;
    return a < b ? -1 : a > b;
}

bool mp_note_birth(struct mp_tracked_blocks *t, uint32_t number) {
    if (t->births_taken > 0 && t->births_taken == t->births.count)
        t->births_taken = t->births.count = 0;
    if (!push_number(t, &t->births, number)) {
        drop(t, number);
        return false;
    }
    hold(t, number);
    return true;
}

/* Notes what is due of an entry, for which one of its holds is used up. */
static inline bool note_later(struct mp_tracked_blocks *t, uint32_t number, unsigned due) {
    struct mp_entry *e = &t->slots[number];
    e->flags |= (uint16_t)due;
    if ((e->flags & (ENTRY_DROPPED | ENTRY_KNOWN | ENTRY_RUNNING | ENTRY_QUEUED)) == ENTRY_KNOWN)
        return push_later(t, number);
    bool queued = e->flags & ENTRY_QUEUED && !(e->flags & ENTRY_DROPPED);
    release(t, number);
    return queued;
}

bool mp_note_later(struct mp_tracked_blocks *t, uint32_t number, unsigned due) {
    hold(t, number);
    return note_later(t, number, due);
}

/* Takes out item i of births, which others may stand before. */
static uint32_t remove_birth(struct mp_tracked_blocks *t, size_t i) {
    uint32_t number = t->births.items[i];
    for (; i > t->births_taken; i--) t->births.items[i] = t->births.items[i - 1];
    t->births_taken++;
    return number;
}

/* The callback of an entry begins, with a hold of the list that it was taken from. */
static inline uint32_t begin(struct mp_entry *e, uint32_t number) {
    e->flags |= ENTRY_KNOWN | ENTRY_RUNNING;
    return number;
}

uint32_t mp_take_birth(struct mp_tracked_blocks *t, uint32_t thread) {
    for (size_t i = t->births_taken; i < t->births.count; i++) {
        struct mp_entry *e = &t->slots[t->births.items[i]];
        bool dropped = e->flags & ENTRY_DROPPED;
        if (!dropped && e->thread != thread) continue;
        uint32_t number = remove_birth(t, i);
        e->seq = ++t->last_seq;
        if (!dropped) return begin(e, number);
        release(t, number);
    }
    return 0;
}

bool mp_birth_due(const struct mp_tracked_blocks *t, uint32_t thread) {
    for (size_t i = t->births_taken; i < t->births.count; i++)
        if (t->slots[t->births.items[i]].thread == thread) return true;
    return false;
}

void mp_tracked_drop_births(struct mp_tracked_blocks *t, uint32_t thread) {
    for (uint32_t number; (number = mp_take_birth(t, thread)) != 0;) mp_entry_end(t, number, true);
}

static void sort_later(struct mp_tracked_blocks *t) {
    qsort_r(t->later.items + t->later_taken, t->later.count - t->later_taken,
            sizeof *t->later.items, by_seq, t->slots);
    t->later_unsorted = false;
}

uint32_t mp_take_later(struct mp_tracked_blocks *t) {
    while (t->later.count > t->later_taken) {
        if (t->later_unsorted) sort_later(t);
        uint32_t number = t->later.items[t->later_taken++];
        struct mp_entry *e = &t->slots[number];
        e->flags &= (uint16_t)~ENTRY_QUEUED;
        if (!(e->flags & ENTRY_DROPPED)) return begin(e, number);
        release(t, number);
    }
    return 0;
}

static void go_on(struct mp_tracked_blocks *t, uint32_t number) {
    struct mp_entry *e = &t->slots[number];
    e->flags &= (uint16_t)~ENTRY_RUNNING;
    if (e->flags & (ENTRY_DUE_PROMOTED | ENTRY_DUE_DIED) && !(e->flags & ENTRY_DROPPED))
        push_later(t, number);
    else release(t, number);
}

void mp_entry_end(struct mp_tracked_blocks *t, uint32_t number, bool over) {
    struct mp_entry *e = &t->slots[number];
    if (over && !(e->flags & ENTRY_DROPPED)) {
        e->user = VAL_UNIT;
        e->flags |= ENTRY_DROPPED;
        t->live--;
    }
    if (over && e->holds == 1) { /* the callback's; its stack was given away */
        e->holds = 0;
        e->flags = ENTRY_FREE;
        e->next_free = t->first_free;
        t->first_free = number;
        return;
    }
    go_on(t, number);
}

void mp_tracked_drop_unknown(struct mp_tracked_blocks *t) {
    for (uint32_t i = 1; i <= t->slot_count; i++)
        if (!(t->slots[i].flags & (ENTRY_KNOWN | ENTRY_FREE))) drop(t, i);
}

/* ---- Collections. ---- */

/* The entry's block, which young held, is old from now on: old takes over that hold. Without memory
 * for that the entry is lost. */
static bool note_promotion(struct mp_tracked_blocks *t, uint32_t number, value block) {
    struct mp_entry *e = &t->slots[number];
    e->block = block;
    e->flags |= ENTRY_WAS_PROMOTED;
    if (push_number(t, &t->old, number)) return mp_note_later(t, number, ENTRY_DUE_PROMOTED);
    drop(t, number);
    release(t, number);
    return false;
}

/* The block is dead; the hold of the list that it was in is used up. */
static inline bool note_death(struct mp_tracked_blocks *t, uint32_t number) {
    t->slots[number].block = 0;
    return note_later(t, number, ENTRY_DUE_DIED);
}

bool mp_tracked_minor_done(struct mp_tracked_blocks *t, struct gc_domain *g) {
    bool due = false;
    for (size_t i = 0; i < t->young.count; i++) {
        uint32_t number = t->young.items[i];
        const struct mp_entry *e = &t->slots[number];
        if (e->flags & ENTRY_DROPPED) {
            release(t, number);
            continue;
        }
        value fate = gc_promoted_copy(g, e->block);
        due |= fate == 0 ? note_death(t, number) : note_promotion(t, number, fate);
    }
    t->young.count = 0;
    for (size_t i = 0; i < t->fresh_users.count; i++) release(t, t->fresh_users.items[i]);
    t->fresh_users.count = 0;
    return due;
}

size_t mp_tracked_mark_done(struct mp_tracked_blocks *t) {
    t->pass = (struct mp_sliced_scan){.end = t->old.count};
    return GC_INSPECT_WORK * t->pass.end;
}

/* What the entry at place i of old, and those some places further on, will want from memory. */
static inline void prefetch_entries(const struct mp_tracked_blocks *t, size_t i) {
    enum { SLOTS_AHEAD = 16, HEADERS_AHEAD = 8 };
    const uint32_t *old = t->old.items;
    if (i + SLOTS_AHEAD >= t->pass.end) return;
    __builtin_prefetch(&t->slots[old[i + SLOTS_AHEAD]], 1);
    gc_prefetch_header(t->slots[old[i + HEADERS_AHEAD]].block);
}

size_t mp_tracked_look(struct mp_tracked_blocks *t, struct gc_domain *g, size_t budget, bool *due) {
    struct mp_sliced_scan *pass = &t->pass;
    struct mp_numbers *old = &t->old;
    size_t done = 0;
    if (pass->end == 0) return 0;
    for (; pass->next < pass->end && done < budget; pass->next++, done += GC_INSPECT_WORK) {
        prefetch_entries(t, pass->next);
        uint32_t number = old->items[pass->next];
        struct mp_entry *e = &t->slots[number];
        bool dropped = e->flags & ENTRY_DROPPED;
        if (!dropped && !gc_is_dead(g, e->block)) {
            old->items[pass->kept++] = number;
            continue;
        }
        if (dropped) release(t, number);
        else *due |= note_death(t, number);
    }
    if (pass->next == pass->end)
        mp_sliced_scan_end(pass, old->items, &old->count, sizeof *old->items);
    return done;
}

void mp_tracked_scan(struct mp_tracked_blocks *t, struct gc_visitor *visitor) {
    if (visitor->young_only) {
        for (size_t i = 0; i < t->fresh_users.count; i++)
            gc_visit(visitor, &t->slots[t->fresh_users.items[i]].user);
        return;
    }
    if (visitor->may_defer) {
        t->scan_next = 1;
        t->scan_end = t->slot_count + 1;
        return;
    }
    for (uint32_t i = 1; i <= t->slot_count; i++) gc_visit(visitor, &t->slots[i].user);
}

size_t mp_tracked_scan_some(struct mp_tracked_blocks *t, struct gc_visitor *visitor,
                            size_t budget) {
    uint32_t left = t->scan_end - t->scan_next;
    uint32_t end = t->scan_next + (left < budget ? left : (uint32_t)budget);
    for (uint32_t i = t->scan_next; i < end; i++)
        if (is_block(t->slots[i].user)) gc_visit(visitor, &t->slots[i].user);
    size_t done = end - t->scan_next;
    t->scan_next = end;
    return done;
}

void mp_tracked_clear(struct mp_tracked_blocks *t) {
    struct gc_heap *heap = t->heap;
    struct mp_numbers *lists[] = {&t->young, &t->old, &t->fresh_users, &t->births, &t->later};
    for (uint32_t i = 1; i <= t->slot_count; i++)
        if (!(t->slots[i].flags & ENTRY_FREE)) mp_callstack_free(heap, t->slots[i].stack);
    gc_external_give(heap, t->slot_capacity * sizeof *t->slots);
    free(t->slots);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        gc_external_give(heap, lists[i]->capacity * sizeof *lists[i]->items);
        free(lists[i]->items);
    }
    *t = (struct mp_tracked_blocks){.heap = heap};
}
