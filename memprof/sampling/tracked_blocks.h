/* tracked_blocks.h - the sampled blocks that a profile tracks, and what is due for them.
 *
 *   entries   slots with fixed numbers, reused through a free list; 0 is no entry
 *   young     numbers of entries whose block is in the young area, in order of allocation
 *   old       numbers of entries whose block is in the major heap
 *   births    entries whose allocation is to be told: a queue, in order of allocation
 *   later     entries whose promotion or death is to be told, the least seq first
 *
 * ME1  An entry's block is a weak reference: the collector never sees it; minor_done and look keep
 *      it true. Its user value is a strong root, a late one (R3): mp_entry_take_user reads it.
 * ME2  A slot is reused only when its entry was dropped and nobody names it: lists, queues,
 *      promises and running callbacks each hold it.
 * ME3  A live entry with a block is in exactly one of young and old. The work of a minor collection
 *      is the length of young, and of the user values that are new since the last one.
 * ME4  An entry is in later iff its allocation was told, something else of it is due, and none of
 *      its callbacks is running.
 * ME5  After marking each entry that was in old then is looked at once, in slices; those that are
 *      added meanwhile, whose blocks are alive, are not. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_TRACKED_BLOCKS_H
#define BACTRIAN_MEMPROF_SAMPLING_TRACKED_BLOCKS_H

#include "gc/hooks.h"
#include "gc/roots.h"
#include "memprof/sampling/sliced_scan.h"

#include <stddef.h>
#include <stdint.h>

enum {
    ENTRY_BORN_YOUNG = 1,
    ENTRY_WAS_PROMOTED = 2,
    ENTRY_KNOWN = 4,   /* its allocation was told */
    ENTRY_DROPPED = 8, /* nothing more happens for it */
    ENTRY_FREE = 16,
    ENTRY_RUNNING = 32, /* one of its callbacks is running */
    ENTRY_QUEUED = 64,  /* ME4 */
    ENTRY_DUE_PROMOTED = 128,
    ENTRY_DUE_DIED = 256,
};

struct mp_stack { /* return points of active calls, innermost first */
    size_t depth;
    uint64_t gpcs[];
};

struct mp_entry {
    value block; /* ME1; 0 while promised and after death */
    value user;
    struct mp_stack *stack; /* until the allocation callback runs; owned */
    size_t wosize, samples;
    uint64_t seq;   /* the order in which allocations were told */
    uint32_t holds; /* ME2 */
    uint32_t next_free;
    uint16_t flags;
    uint8_t source;
    uint32_t thread; /* that allocated the block: its allocation is told there */
};

struct mp_numbers {
    uint32_t *items;
    size_t count, capacity;
};

struct mp_tracked_blocks {
    struct gc_heap *heap; /* its limit counts all that is here; NULL: it is gone */
    struct mp_entry *slots;
    uint32_t slot_count, slot_capacity, first_free;
    size_t live; /* entries that are neither free nor dropped */
    struct mp_numbers young, old, fresh_users, births, later;
    struct mp_sliced_scan pass;   /* over old; ME5 */
    uint32_t scan_next, scan_end; /* slots whose user values marking has still to read */
    size_t births_taken;          /* births.items[0 .. births_taken-1] were taken */
    size_t later_taken;           /* later.items[0 .. later_taken-1] were taken */
    bool later_unsorted;          /* the others are not in the order of their seq */
    uint64_t last_seq;
};

/* A new entry, its fields zero but for what is given; 0: no memory (the sample is lost). */
uint32_t mp_entry_new(struct mp_tracked_blocks *t, size_t wosize, size_t samples,
                      enum gc_source source, bool born_young);
/* The entry of a number; valid until the next mp_entry_new. */
static inline struct mp_entry *mp_entry_at(struct mp_tracked_blocks *t, uint32_t number) {
    return &t->slots[number];
}
/* Gives an entry its block. False: no memory; the entry was dropped. */
bool mp_entry_set_block(struct mp_tracked_blocks *t, uint32_t number, value block, bool young);
/* Gives an entry its user value (a root from now on). Without memory the entry is dropped. */
void mp_entry_set_user(struct mp_tracked_blocks *t, uint32_t number, value user);
/* Takes its user value, which is no root any more. */
value mp_entry_take_user(struct mp_tracked_blocks *t, struct gc_domain *g, uint32_t number);
/* Takes off a hold (ME2). */
void mp_entry_release(struct mp_tracked_blocks *t, uint32_t number);
/* The callback that began with one of the two below is over; over: so is the entry's story. */
void mp_entry_end(struct mp_tracked_blocks *t, uint32_t number, bool over);

/* The entry of a small block of bytecode, its allocation told. block: where it is to be; or 0: the
 * promise holds the entry until mp_entry_born, or until it is known that there will be no block.
 * 0: no memory. */
uint32_t mp_entry_promised(struct mp_tracked_blocks *t, size_t wosize, size_t samples, value user,
                           value block);
void mp_entry_born(struct mp_tracked_blocks *t, uint32_t number, value block);

/* Puts an entry into births. False: no memory; the entry was dropped. */
bool mp_note_birth(struct mp_tracked_blocks *t, uint32_t number);
/* Notes ENTRY_DUE_PROMOTED or ENTRY_DUE_DIED. True: it can be told now (ME4). */
bool mp_note_later(struct mp_tracked_blocks *t, uint32_t number, unsigned due);
/* Takes the first entry of births that is the thread's, of later, whose callback begins: it has a
 * seq from then on. 0: there is none. */
uint32_t mp_take_birth(struct mp_tracked_blocks *t, uint32_t thread);
uint32_t mp_take_later(struct mp_tracked_blocks *t);
/* Whether births has one of that thread (or only dropped ones). Needs: births is not empty. */
bool mp_birth_due(const struct mp_tracked_blocks *t, uint32_t thread);
static inline bool mp_any_birth(const struct mp_tracked_blocks *t) {
    return t->births.count > t->births_taken;
}
/* Whether one of the two would give an entry (or none, if all of them were dropped). */
static inline bool mp_anything_due(const struct mp_tracked_blocks *t, uint32_t thread) {
    return t->later.count > t->later_taken || (mp_any_birth(t) && mp_birth_due(t, thread));
}
/* Drops the entries whose allocation that thread was to be told of. */
void mp_tracked_drop_births(struct mp_tracked_blocks *t, uint32_t thread);
/* Drops every entry whose allocation callback has not run. */
void mp_tracked_drop_unknown(struct mp_tracked_blocks *t);

/* After a minor collection: notes fates; true if one can be told now. GC: never. */
bool mp_tracked_minor_done(struct mp_tracked_blocks *t, struct gc_domain *g);
/* After marking (gc/hooks.h): how much there is to look at; looks, and sets *due as above. */
size_t mp_tracked_mark_done(struct mp_tracked_blocks *t);
size_t mp_tracked_look(struct mp_tracked_blocks *t, struct gc_domain *g, size_t budget, bool *due);
/* Visits user values: all, or for a minor collection those that may be young; at the start of
 * marking none, but notes which ones scan_late has to visit. */
void mp_tracked_scan(struct mp_tracked_blocks *t, struct gc_visitor *visitor);
size_t mp_tracked_scan_some(struct mp_tracked_blocks *t, struct gc_visitor *visitor, size_t budget);
/* Forgets everything at once, but for the heap, and frees the memory; no heap allocation. */
void mp_tracked_clear(struct mp_tracked_blocks *t);

#endif
