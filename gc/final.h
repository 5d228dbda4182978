/* final.h - finalisers: Gc.finalise (first) and Gc.finalise_last.
 *
 * The collector only finds out which finalisers are due; the machine calls them, with VAL_UNIT for
 * finalise_last. Of those that one collection finds, the last registered comes first, as in 4.x.
 *
 * F1  A value with a `finalise` function stays alive until the function was called with it.
 * F2  finalise_last never keeps its value alive and is called once, after the value was
 *     reclaimed. */
#ifndef BACTRIAN_GC_FINAL_H
#define BACTRIAN_GC_FINAL_H

#include "gc/heap.h"

/* Registers f for block v. GC: may run. Fails: out_of_memory upcall. */
void gc_finalise(struct gc_domain *g, value f, value v);
void gc_finalise_last(struct gc_domain *g, value f, value v);
/* Functions of `finalise` that are registered from now on are not found due by the next end of
 * marking: for Gc.full_major, which runs finalisers between two cycles. GC: never. */
void gc_hold_new_finalisers(struct gc_domain *g);
/* Takes the next due finaliser off the queue: *f and its argument. False: none is due. GC:
 * never. */
bool gc_next_finaliser(struct gc_domain *g, value *f, value *argument);
bool gc_finalisers_due(const struct gc_domain *g);

#endif
