/* spin.c - see spin.h. */
#include "vm/thread/spin.h"

#include "gc/heap.h"
#include "vm/state/domain.h"
#include "vm/thread/thread_internal.h"

/* A state is the registers and this many words of the stack. */
enum { STATE_WORDS = 16 };
/* How often a state must be seen; a loop may have a quarter of LEAST_POLLS polls in each turn. */
enum { LEAST_REPEATS = 8, MOST_REPEATS = 1024, LEAST_POLLS = 32 };

static uint64_t spin_mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* What a loop allocates at each turn is young, and counts as the same. */
static uint64_t spin_state(const struct domain *d) {
    const value *sp = d->stack.sp;
    uint64_t hash = (uintptr_t)sp;
    for (int i = 0; i < STATE_WORDS && sp + i < d->stack.high; i++)
        hash = spin_mix(hash, gc_is_young(&d->gc, sp[i]) ? VAL_UNIT : (uint64_t)sp[i]);
    return hash;
}

void vm_spin_watch(struct domain *d) {
    struct vm_spin *spin = &d->thread->spin;
    if (spin->required == 0) spin->required = LEAST_REPEATS;
    spin->watched = true;
    spin->polls = spin->repeats = 0;
    gc_request_action(&d->gc);
}

/* The state that waits: one that waited before may be no wait at all, and is doubted longer. */
static void spin_found(struct vm_spin *spin) {
    if (spin->saved != spin->waited) spin->required = LEAST_REPEATS;
    else if (spin->required < MOST_REPEATS) spin->required *= 2;
    spin->waited = spin->saved;
    spin->watched = false;
}

bool vm_spin_seen(struct domain *d) {
    struct vm_spin *spin = &d->thread->spin;
    if (!spin->watched) return false;
    uint64_t state = spin_state(d);
    uint32_t polls = ++spin->polls;
    if (state == spin->saved && polls > 1) spin->repeats++;
    uint32_t required = state == spin->waited ? spin->required : LEAST_REPEATS;
    if (spin->repeats >= required) {
        spin_found(spin);
        return true;
    }
    if ((polls & (polls - 1)) == 0) { /* Brent's way to find a cycle of any length */
        if (polls > LEAST_POLLS && spin->repeats == 0) spin->watched = false;
        spin->saved = state;
        spin->repeats = 0;
    }
    if (polls >= 8 * MOST_REPEATS) spin->watched = false;
    if (spin->watched) gc_request_action(&d->gc);
    return false;
}
