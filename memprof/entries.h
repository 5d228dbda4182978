/* entries.h - the sampled blocks that a profile tracks, and what is due for them.
 *
 *   entries   slots with fixed numbers, reused through a free list; 0 is no entry
 *   young     numbers of entries whose block is in the young area, in order of allocation
 *   old       numbers of entries whose block is in the major heap
 *   due       a queue of events, in the order in which they happened
 *
 * ME1  An entry's block is a weak reference: the collector never sees it; minor_done and mark_done keep it
 *      true. Its user value is a strong root.
 * ME2  A slot is reused only when its entry was dropped and neither an event nor a list names it: each of
 *      these holds it.
 * ME3  A live entry with a block is in exactly one of young and old. The work of a minor collection is the
 *      length of young, and of the user values that are new since the last one. */
#ifndef BACTRIAN_MEMPROF_ENTRIES_H
#define BACTRIAN_MEMPROF_ENTRIES_H

#include "gc/hooks.h"
#include "gc/roots.h"

#include <stddef.h>
#include <stdint.h>

enum mp_event { MP_ALLOCATED, MP_PROMOTED, MP_DEALLOCATED };

enum {
    ENTRY_BORN_YOUNG = 1,
    ENTRY_YOUNG = 2,       /* the block is in the young area now */
    ENTRY_WAS_PROMOTED = 4,
    ENTRY_KNOWN = 8,       /* the allocation callback was called: user is the tracker's value */
    ENTRY_DROPPED = 16,    /* nothing more happens for it */
    ENTRY_FREE = 32,
};

struct mp_stack {          /* return points of active calls, innermost first */
    size_t depth;
    uint64_t gpcs[];
};

struct mp_entry {
    value block;           /* ME1; 0 while promised and after death */
    value user;
    struct mp_stack *stack;    /* until the allocation callback runs; owned */
    size_t wosize, samples;
    uint32_t holds;        /* ME2: events and lists that name it */
    uint32_t next_free;
    uint8_t source, flags;
};

struct mp_numbers {
    uint32_t *items;
    size_t count, capacity;
};
struct mp_due {
    uint32_t entry;
    uint32_t event;        /* enum mp_event */
};

struct mp_entries {
    struct mp_entry *slots;
    uint32_t slot_count, slot_capacity, first_free;
    size_t live;                   /* entries that are neither free nor dropped */
    struct mp_numbers young, old, fresh_users;
    struct mp_due *due;            /* ring buffer */
    size_t due_first, due_count, due_capacity;
};

/* A new entry, its fields zero but for what is given; 0: no memory (the sample is lost). */
uint32_t mp_entry_new(struct mp_entries *t, size_t wosize, size_t samples, enum gc_source source,
                      bool born_young);
static inline struct mp_entry *mp_entry_at(struct mp_entries *t, uint32_t number) { return &t->slots[number]; }
/* Gives an entry its block. False: no memory; the entry was dropped. */
bool mp_entry_set_block(struct mp_entries *t, uint32_t number, value block, bool young);
/* Gives an entry its user value (a root from now on). */
void mp_entry_set_user(struct mp_entries *t, uint32_t number, value user);
/* Nothing more happens for this entry. */
void mp_entry_drop(struct mp_entries *t, uint32_t number);
/* Takes one hold (ME2) off an entry; who adds one, as for a promised block, does so by hand. */
void mp_entry_release(struct mp_entries *t, uint32_t number);

/* Appends an event. False: no memory; the event is lost. */
bool mp_due_push(struct mp_entries *t, uint32_t number, enum mp_event event);
/* Takes the first event whose entry was not dropped. False: the queue is empty. */
bool mp_due_pop(struct mp_entries *t, uint32_t *number, enum mp_event *event);
/* The same for the first allocation event alone; the others keep their order. */
bool mp_due_pop_allocation(struct mp_entries *t, uint32_t *number);
/* Drops every entry whose allocation callback has not run. */
void mp_entries_drop_unknown(struct mp_entries *t);

/* After a minor collection, after marking: notes fates as events; true if any is due now. GC: never. */
bool mp_entries_minor_done(struct mp_entries *t, struct gc_domain *g);
bool mp_entries_mark_done(struct mp_entries *t, struct gc_domain *g);
/* Visits user values (all, or for a minor collection those that may be young). */
void mp_entries_scan(struct mp_entries *t, struct gc_visitor *visitor);
/* Forgets everything at once and frees the memory; no heap allocation. */
void mp_entries_clear(struct mp_entries *t);

#endif
