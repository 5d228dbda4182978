/* entries.c - see entries.h. */
#include "memprof/entries.h"

#include <stdlib.h>
#include <string.h>

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

static uint32_t take_slot(struct mp_entries *t) {
    if (t->first_free != 0) {
        uint32_t number = t->first_free;
        t->first_free = t->slots[number].next_free;
        return number;
    }
    size_t capacity = t->slot_capacity;
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

bool mp_entry_set_block(struct mp_entries *t, uint32_t number, value block, bool young) {
    if (!push_number(young ? &t->young : &t->old, number)) {
        mp_entry_drop(t, number);
        return false;
    }
    struct mp_entry *e = &t->slots[number];
    e->block = block;
    e->holds++;
    if (young) e->flags |= ENTRY_YOUNG;
    return true;
}

void mp_entry_set_user(struct mp_entries *t, uint32_t number, value user) {
    struct mp_entry *e = &t->slots[number];
    if (is_block(user) && push_number(&t->fresh_users, number)) e->holds++;
    e->user = user;
}

void mp_entry_release(struct mp_entries *t, uint32_t number) {
    t->slots[number].holds--;
    free_if_unused(t, number);
}

bool mp_due_push(struct mp_entries *t, uint32_t number, enum mp_event event) {
    if (t->due_count == t->due_capacity) {
        size_t wider = t->due_capacity == 0 ? 64 : 2 * t->due_capacity;
        struct mp_due *ring = malloc(wider * sizeof *ring);
        if (ring == NULL) return false;
        for (size_t i = 0; i < t->due_count; i++)
            ring[i] = t->due[(t->due_first + i) % t->due_capacity];
        free(t->due);
        t->due = ring;
        t->due_first = 0;
        t->due_capacity = wider;
    }
    t->due[(t->due_first + t->due_count++) % t->due_capacity] = (struct mp_due){number, event};
    t->slots[number].holds++;
    return true;
}

bool mp_due_pop(struct mp_entries *t, uint32_t *number, enum mp_event *event) {
    while (t->due_count > 0) {
        struct mp_due due = t->due[t->due_first];
        t->due_first = (t->due_first + 1) % t->due_capacity;
        t->due_count--;
        t->slots[due.entry].holds--;
        if (!(t->slots[due.entry].flags & ENTRY_DROPPED)) {
            *number = due.entry;
            *event = (enum mp_event)due.event;
            return true;
        }
        free_if_unused(t, due.entry);
    }
    return false;
}

bool mp_due_pop_allocation(struct mp_entries *t, uint32_t *number) {
    for (size_t i = 0; i < t->due_count; i++) {
        struct mp_due found = t->due[(t->due_first + i) % t->due_capacity];
        if (found.event != MP_ALLOCATED || t->slots[found.entry].flags & ENTRY_DROPPED) continue;
        for (size_t k = i; k > 0; k--)
            t->due[(t->due_first + k) % t->due_capacity] =
                t->due[(t->due_first + k - 1) % t->due_capacity];
        t->due[t->due_first] = found;
        enum mp_event event;
        return mp_due_pop(t, number, &event);
    }
    return false;
}

void mp_entries_drop_unknown(struct mp_entries *t) {
    for (uint32_t i = 1; i <= t->slot_count; i++)
        if (!(t->slots[i].flags & (ENTRY_KNOWN | ENTRY_FREE))) mp_entry_drop(t, i);
}

/* The entry's block is old from now on. Without memory for that the entry is lost. */
static bool note_promotion(struct mp_entries *t, uint32_t number) {
    if (!push_number(&t->old, number)) {
        mp_entry_drop(t, number);
        return false;
    }
    t->slots[number].holds++;
    t->slots[number].flags |= ENTRY_WAS_PROMOTED;
    return mp_due_push(t, number, MP_PROMOTED);
}

bool mp_entries_minor_done(struct mp_entries *t, struct gc_domain *g) {
    bool due = false;
    for (size_t i = 0; i < t->young.count; i++) {
        uint32_t number = t->young.items[i];
        struct mp_entry *e = &t->slots[number];
        if (!(e->flags & ENTRY_DROPPED)) {
            e->block = gc_young_fate(g, e->block);
            e->flags &= (uint8_t)~ENTRY_YOUNG;
            due |= e->block == 0 ? mp_due_push(t, number, MP_DEALLOCATED) : note_promotion(t, number);
        }
        mp_entry_release(t, number);
    }
    t->young.count = 0;
    for (size_t i = 0; i < t->fresh_users.count; i++) mp_entry_release(t, t->fresh_users.items[i]);
    t->fresh_users.count = 0;
    return due;
}

bool mp_entries_mark_done(struct mp_entries *t, struct gc_domain *g) {
    bool due = false;
    size_t kept = 0;
    for (size_t i = 0; i < t->old.count; i++) {
        uint32_t number = t->old.items[i];
        struct mp_entry *e = &t->slots[number];
        bool dropped = e->flags & ENTRY_DROPPED;
        if (!dropped && !gc_is_dead(g, e->block)) {
            t->old.items[kept++] = number;
            continue;
        }
        if (!dropped) {
            e->block = 0;
            due |= mp_due_push(t, number, MP_DEALLOCATED);
        }
        mp_entry_release(t, number);
    }
    t->old.count = kept;
    return due;
}

void mp_entries_scan(struct mp_entries *t, struct gc_visitor *visitor) {
    if (visitor->young_only) {
        for (size_t i = 0; i < t->fresh_users.count; i++)
            gc_visit(visitor, &t->slots[t->fresh_users.items[i]].user);
        return;
    }
    for (uint32_t i = 1; i <= t->slot_count; i++) gc_visit(visitor, &t->slots[i].user);
}

void mp_entries_clear(struct mp_entries *t) {
    for (uint32_t i = 1; i <= t->slot_count; i++)
        if (!(t->slots[i].flags & ENTRY_FREE)) free(t->slots[i].stack);
    free(t->slots);
    free(t->young.items);
    free(t->old.items);
    free(t->fresh_users.items);
    free(t->due);
    memset(t, 0, sizeof *t);
}
