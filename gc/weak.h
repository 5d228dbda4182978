/* weak.h - ephemerons and weak arrays.
 *
 * An ephemeron is an abstract block: [link | data | key 0 | key 1 ...]; a weak array is one without
 * data. Keys and data are values, or gc_ephe_none(g) where empty. Born in the major heap.
 *
 * W1  After marking, a key that was not reached is empty, and so is the data of an ephemeron with
 *     such a key.
 * W2  Reading a key or the data while marking darkens it. */
#ifndef BACTRIAN_GC_WEAK_H
#define BACTRIAN_GC_WEAK_H

#include "gc/heap.h"

enum { EPHE_LINK = 0, EPHE_DATA = 1, EPHE_FIRST_KEY = 2 };

/* Number of keys of e. GC: never. */
static inline size_t gc_ephe_length(value e) { return wosize_of(e) - EPHE_FIRST_KEY; }
/* Whether v is an ephemeron that gc_ephe_create made: copies of one, or other abstract blocks, are
 * not. v: any word. GC: never. */
bool gc_is_ephe(const struct gc_domain *g, value v);
/* The mark of an empty slot: a word that is no value of a program. GC: never. */
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

#endif
