/* spin.h - domains that wait for others in a loop (Atomic.get, a failing compare_and_set, a plain
 * reference) give up the rest of their time slice.
 *
 * Nothing marks such a loop, so polls are watched from time to time: for a few polls after a thread
 * got the runtime lock, and at fractions of a time slice. A thread whose state (the registers and
 * the top of the stack) comes back again and again waits for another one. It may be wrong to say
 * so, since what happens in the heap is not seen: a thread that waits in the state in which it
 * waited before must show that state twice as often, up to a limit.
 *
 * Without domains, and between watches, there is no cost. */
#ifndef BACTRIAN_VM_THREAD_SPIN_H
#define BACTRIAN_VM_THREAD_SPIN_H

#include <stdbool.h>
#include <stdint.h>

struct domain;

/* What a thread was seen doing while it was watched. */
struct vm_spin {
    bool watched;
    uint64_t saved;    /* a state of this watch */
    uint32_t polls;    /* seen in this watch */
    uint32_t repeats;  /* of the saved state */
    uint32_t required; /* repeats after which it waits; 0: not watched yet */
    uint64_t waited;   /* the state in which it waited last */
};

/* Watches the running thread from the next poll on. GC: never. */
void vm_spin_watch(struct domain *d);
/* At a poll of a watched thread: whether it waits, so that others should run; else the watch goes
 * on at the next poll, or ends. Needs: the registers are saved (E2). GC: never. */
bool vm_spin_seen(struct domain *d);

#endif
