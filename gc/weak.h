/* weak.h - ephemerons, weak arrays and finalisers.
 *
 * An ephemeron is an abstract block: [link | data | key 0 | key 1 ...]; a weak array is one without
 * data. Keys and data are values, or gc_ephe_none(g) where empty. It lives in the major heap.
 *
 * Gc.finalise registers a `first` function, Gc.finalise_last a `last` one. The collector only
 * determines which finalisers are ready to run; the machine calls them, with VAL_UNIT for `last`.
 * Of those found by one collection, the last registered is called first, as in 4.x.
 *
 * W1  After marking, a key that was not reached is empty, and so is the data of an ephemeron with
 *     such a key.
 * W2  Reading a key or the data while marking darkens it.
 * W5  A weak word, outside the heap, is a block that is alive, or gc_no_block(g).
 * F1  A value with a `first` function stays alive until the function has been called with it.
 * F2  A `last` function does not keep its value alive; it is called once, after the collector has
 *     found the value dead. */
#ifndef BACTRIAN_GC_WEAK_H
#define BACTRIAN_GC_WEAK_H

#include "gc/heap.h"

enum { EPHE_LINK = 0, EPHE_DATA = 1, EPHE_FIRST_KEY = 2 };

/* Number of keys of e. GC: never. */
static inline size_t gc_ephe_length(value e) { return wosize_of(e) - EPHE_FIRST_KEY; }
/* Whether v, any word, is an ephemeron made by gc_ephe_create; copies of one are not. GC: never. */
bool gc_is_ephe(const struct gc_domain *g, value v);
/* The content of an empty slot, which is not a value of a program. GC: never. */
value gc_ephe_none(struct gc_domain *g);
/* An ephemeron of that many keys, empty. GC: may run. Fails: out_of_memory upcall. */
value gc_ephe_create(struct gc_domain *g, size_t keys);
/* slot: EPHE_DATA or EPHE_FIRST_KEY + i. v may be gc_ephe_none(g). GC: never. */
void gc_ephe_set(struct gc_domain *g, value e, size_t slot, value v);
/* The content, kept alive from now on; gc_ephe_none(g) when empty. GC: never. */
value gc_ephe_get(struct gc_domain *g, value e, size_t slot);
bool gc_ephe_is_set(struct gc_domain *g, value e, size_t slot);
void gc_ephe_blit(struct gc_domain *g, value from, size_t from_slot, value to, size_t to_slot,
                  size_t n);

/* Words outside the heap, each a block that it does not keep alive; the owner adds them at the end.
 * A collection updates a word whose block moves, and a word whose block dies becomes
 * gc_no_block. */
struct gc_weak_words {
    value *words;
    size_t count, old; /* words[0 .. old-1] are no young blocks */
};
/* A word that is no value of any program, since it lies in the heap's range, and no block. */
static inline value gc_no_block(const struct gc_domain *g) { return (value)g->range_start; }
/* w (NULL: none) are the weak words from now on; the caller keeps them. GC: never. */
void gc_set_weak_words(struct gc_domain *g, struct gc_weak_words *w);
/* Block v is changed: words that are v become gc_no_block. GC: never. */
void gc_forget_weak_words(struct gc_domain *g, value v);

/* Registers f for block v. GC: may run. Fails: out_of_memory upcall. */
void gc_finalise(struct gc_domain *g, value f, value v);
void gc_finalise_last(struct gc_domain *g, value f, value v);
/* Removes the next ready finaliser from the queue: *f and its argument. False: there is none.
 * GC: never. */
bool gc_next_finaliser(struct gc_domain *g, value *f, value *argument);
bool gc_finalisers_ready(struct gc_domain *g);

/* Finalisers have owners, numbers from 0 on: gc_next_finaliser returns those that the current owner
 * has registered. The first owner is 0. GC: never. */
void gc_set_finaliser_owner(struct gc_domain *g, intptr_t owner);
/* An owner has ended: the first one takes its finalisers, those that are ready after the next
 * collection. GC: never. */
void gc_orphan_finalisers(struct gc_domain *g, intptr_t owner);

#endif
