/* entries.c - see entries.h. */
#include "memprof/entries.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lists of numbers. ---- */

/* Makes room for one more item of *items. */
static bool grow(void **items, size_t *capacity, size_t count, size_t item_bytes) {
    if (count < *capacity) return true;
    size_t wider = *capacity == 0 ? 64 : 2 * *capacity;
    void *moved = realloc(*items, wider * item_bytes);
    if (moved == NULL) return false;
    *items = moved;
    *capacity = wider;
    return true;
}

static bool push_number(struct mp_numbers *n, uint32_t number) {
    if (!grow((void **)&n->items, &n->capacity, n->count, sizeof *n->items)) return false;
    n->items[n->count++] = number;
    return true;
}

/* ---- Slots. ---- */

static uint32_t take_slot(struct mp_entries *t) {
    if (t->first_free != 0) {
        uint32_t number = t->first_free;
        t->first_free = t->slots[number].next_free;
        return number;
    }
    size_t capacity = t->slot_capacity;
    if (t->slot_count >= UINT32_MAX / 2) return 0;
    if (!grow((void **)&t->slots, &capacity, t->slot_count + 1, sizeof *t->slots)) return 0;
    t->slot_capacity = (uint32_t)capacity;
    return ++t->slot_count;
}

uint32_t mp_entry_new(struct mp_entries *t, size_t wosize, size_t samples, enum gc_source source,
                      bool born_young) {
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

static void free_if_unused(struct mp_entries *t, uint32_t number) {
    struct mp_entry *e = &t->slots[number];
    if (!(e->flags & ENTRY_DROPPED) || e->holds > 0) return;
    e->flags = ENTRY_FREE;
    e->next_free = t->first_free;
    t->first_free = number;
}

void mp_entry_drop(struct mp_entries *t, uint32_t number) {
    struct mp_entry *e = &t->slots[number];
    if (e->flags & (ENTRY_DROPPED | ENTRY_FREE)) return;
    free(e->stack);
    e->stack = NULL;
    e->user = VAL_UNIT;
    e->flags |= ENTRY_DROPPED;
    t->live--;
    free_if_unused(t, number);
}

void mp_entry_hold(struct mp_entries *t, uint32_t number) { t->slots[number].holds++; }

void mp_entry_release(struct mp_entries *t, uint32_t number) {
    t->slots[number].holds--;
    free_if_unused(t, number);
}

bool mp_entry_set_block(struct mp_entries *t, uint32_t number, value block, bool young) {
    if (!push_number(young ? &t->young : &t->old, number)) {
        mp_entry_drop(t, number);
        return false;
    }
    mp_entry_hold(t, number);
    t->slots[number].block = block;
    return true;
}

void mp_entry_set_user(struct mp_entries *t, uint32_t number, value user) {
    if (is_block(user)) {
        if (!push_number(&t->fresh_users, number)) {
            mp_entry_drop(t, number);
            return;
        }
        mp_entry_hold(t, number);
    }
    t->slots[number].user = user;
}

value mp_entry_take_user(struct mp_entries *t, struct gc_domain *g, uint32_t number) {
    value user = t->slots[number].user;
    gc_keep(g, user);
    t->slots[number].user = VAL_UNIT;
    return user;
}

/* ---- What is due. ---- */

/* Blocks mostly die and are promoted in the order of their births, so later is a list to which most
 * items come in order; those that don't have it sorted before the next one is taken. */
static bool push_later(struct mp_entries *t, uint32_t number) {
    struct mp_numbers *later = &t->later;
    if (t->later_taken > later->count / 2) {
        later->count -= t->later_taken;
        memmove(later->items, later->items + t->later_taken, later->count * sizeof *later->items);
        t->later_taken = 0;
    }
    if (!push_number(later, number)) {
        mp_entry_drop(t, number);
        return false;
    }
    mp_entry_hold(t, number);
    t->slots[number].flags |= ENTRY_QUEUED;
    if (later->count - t->later_taken > 1)
        t->later_unsorted |= t->slots[later->items[later->count - 2]].seq > t->slots[number].seq;
    return true;
}

static int by_seq(const void *one, const void *other, void *slots) {
    const struct mp_entry *entries = slots;
    uint64_t a = entries[*(const uint32_t *)one].seq, b = entries[*(const uint32_t *)other].seq;
    return a < b ? -1 : a > b;
}

static uint32_t pop_later(struct mp_entries *t) {
    uint32_t *rest = t->later.items + t->later_taken;
    if (t->later_unsorted)
        qsort_r(rest, t->later.count - t->later_taken, sizeof *rest, by_seq, t->slots);
    t->later_unsorted = false;
    t->later_taken++;
    t->slots[rest[0]].flags &= (uint16_t)~ENTRY_QUEUED;
    return rest[0];
}

bool mp_note_birth(struct mp_entries *t, uint32_t number) {
    if (t->births_taken > 0 && t->births_taken == t->births.count)
        t->births_taken = t->births.count = 0;
    if (!push_number(&t->births, number)) {
        mp_entry_drop(t, number);
        return false;
    }
    mp_entry_hold(t, number);
    return true;
}

bool mp_note_later(struct mp_entries *t, uint32_t number, unsigned due) {
    struct mp_entry *e = &t->slots[number];
    if (e->flags & ENTRY_DROPPED) return false;
    e->flags |= (uint16_t)due;
    if (!(e->flags & ENTRY_KNOWN) || e->flags & ENTRY_RUNNING) return false;
    return e->flags & ENTRY_QUEUED || push_later(t, number);
}

/* Takes out item i of births, which others may stand before. */
static uint32_t remove_birth(struct mp_entries *t, size_t i) {
    uint32_t number = t->births.items[i];
    for (; i > t->births_taken; i--) t->births.items[i] = t->births.items[i - 1];
    t->births_taken++;
    return number;
}

uint32_t mp_take_birth(struct mp_entries *t, uint32_t thread) {
    for (size_t i = t->births_taken; i < t->births.count; i++) {
        const struct mp_entry *e = &t->slots[t->births.items[i]];
        bool dropped = e->flags & ENTRY_DROPPED;
        if (!dropped && e->thread != thread) continue;
        uint32_t number = remove_birth(t, i);
        mp_entry_release(t, number);
        if (!dropped) return number;
    }
    return 0;
}

bool mp_birth_due(const struct mp_entries *t, uint32_t thread) {
    for (size_t i = t->births_taken; i < t->births.count; i++)
        if (t->slots[t->births.items[i]].thread == thread) return true;
    return false;
}

void mp_entries_drop_births(struct mp_entries *t, uint32_t thread) {
    for (uint32_t number; (number = mp_take_birth(t, thread)) != 0;) {
        mp_entry_hold(t, number);
        mp_entry_drop(t, number);
        mp_entry_release(t, number);
    }
}

uint32_t mp_take_later(struct mp_entries *t) {
    while (t->later.count > t->later_taken) {
        uint32_t number = pop_later(t);
        bool dropped = t->slots[number].flags & ENTRY_DROPPED;
        mp_entry_release(t, number);
        if (!dropped) return number;
    }
    return 0;
}

void mp_entry_begin(struct mp_entries *t, uint32_t number) {
    struct mp_entry *e = &t->slots[number];
    if (!(e->flags & ENTRY_KNOWN)) e->seq = ++t->last_seq;
    e->flags |= ENTRY_KNOWN | ENTRY_RUNNING;
    mp_entry_hold(t, number);
}

void mp_entry_end(struct mp_entries *t, uint32_t number) {
    struct mp_entry *e = &t->slots[number];
    e->flags &= (uint16_t)~ENTRY_RUNNING;
    if (e->flags & (ENTRY_DUE_PROMOTED | ENTRY_DUE_DIED) && !(e->flags & ENTRY_DROPPED))
        push_later(t, number);
    mp_entry_release(t, number);
}

void mp_entries_drop_unknown(struct mp_entries *t) {
    for (uint32_t i = 1; i <= t->slot_count; i++)
        if (!(t->slots[i].flags & (ENTRY_KNOWN | ENTRY_FREE))) mp_entry_drop(t, i);
}

/* ---- Collections. ---- */

/* The entry's block is old from now on. Without memory for that the entry is lost. */
static bool note_promotion(struct mp_entries *t, uint32_t number, value block) {
    if (!mp_entry_set_block(t, number, block, false)) return false;
    t->slots[number].flags |= ENTRY_WAS_PROMOTED;
    return mp_note_later(t, number, ENTRY_DUE_PROMOTED);
}

static bool note_death(struct mp_entries *t, uint32_t number) {
    t->slots[number].block = 0;
    return mp_note_later(t, number, ENTRY_DUE_DIED);
}

bool mp_entries_minor_done(struct mp_entries *t, struct gc_domain *g) {
    bool due = false;
    for (size_t i = 0; i < t->young.count; i++) {
        uint32_t number = t->young.items[i];
        struct mp_entry *e = &t->slots[number];
        if (!(e->flags & ENTRY_DROPPED)) {
            value fate = gc_young_fate(g, e->block);
            due |= fate == 0 ? note_death(t, number) : note_promotion(t, number, fate);
        }
        mp_entry_release(t, number);
    }
    t->young.count = 0;
    for (size_t i = 0; i < t->fresh_users.count; i++) mp_entry_release(t, t->fresh_users.items[i]);
    t->fresh_users.count = 0;
    return due;
}

size_t mp_entries_mark_done(struct mp_entries *t) {
    t->pass = (struct mp_pass){.end = t->old.count};
    return GC_LOOK_WORK * t->pass.end;
}

/* What the entry at place i of old, and those some places further on, will want from memory. */
static inline void prefetch_entries(const struct mp_entries *t, size_t i) {
    enum { SLOTS_AHEAD = 16, HEADERS_AHEAD = 8 };
    const uint32_t *old = t->old.items;
    if (i + SLOTS_AHEAD >= t->pass.end) return;
    __builtin_prefetch(&t->slots[old[i + SLOTS_AHEAD]], 1);
    gc_prefetch_header(t->slots[old[i + HEADERS_AHEAD]].block);
}

size_t mp_entries_look(struct mp_entries *t, struct gc_domain *g, size_t budget, bool *due) {
    struct mp_pass *pass = &t->pass;
    struct mp_numbers *old = &t->old;
    size_t done = 0;
    if (pass->end == 0) return 0;
    for (; pass->next < pass->end && done < budget; pass->next++, done += GC_LOOK_WORK) {
        prefetch_entries(t, pass->next);
        uint32_t number = old->items[pass->next];
        struct mp_entry *e = &t->slots[number];
        bool dropped = e->flags & ENTRY_DROPPED;
        if (!dropped && !gc_is_dead(g, e->block)) {
            old->items[pass->kept++] = number;
            continue;
        }
        if (!dropped) *due |= note_death(t, number);
        mp_entry_release(t, number);
    }
    if (pass->next == pass->end) mp_pass_end(pass, old->items, &old->count, sizeof *old->items);
    return done;
}

void mp_entries_scan(struct mp_entries *t, struct gc_visitor *visitor) {
    if (visitor->young_only) {
        for (size_t i = 0; i < t->fresh_users.count; i++)
            gc_visit(visitor, &t->slots[t->fresh_users.items[i]].user);
        return;
    }
    if (visitor->may_wait) {
        t->scan_next = 1;
        t->scan_end = t->slot_count + 1;
        return;
    }
    for (uint32_t i = 1; i <= t->slot_count; i++) gc_visit(visitor, &t->slots[i].user);
}

size_t mp_entries_scan_late(struct mp_entries *t, struct gc_visitor *visitor, size_t budget) {
    uint32_t left = t->scan_end - t->scan_next;
    uint32_t end = t->scan_next + (left < budget ? left : (uint32_t)budget);
    for (uint32_t i = t->scan_next; i < end; i++)
        if (is_block(t->slots[i].user)) gc_visit(visitor, &t->slots[i].user);
    size_t done = end - t->scan_next;
    t->scan_next = end;
    return done;
}

void mp_entries_clear(struct mp_entries *t) {
    for (uint32_t i = 1; i <= t->slot_count; i++)
        if (!(t->slots[i].flags & ENTRY_FREE)) free(t->slots[i].stack);
    free(t->slots);
    free(t->young.items);
    free(t->old.items);
    free(t->fresh_users.items);
    free(t->births.items);
    free(t->later.items);
    memset(t, 0, sizeof *t);
}
