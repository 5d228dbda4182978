/* mutex.h - OCaml's mutexes and conditions: custom blocks whose data the runtime lock protects.
 *
 * Mutexes know their holder: locking one twice, or unlocking another thread's, is an error. The
 * mutex of a thread that ended stays locked. Functions return 0, or the system's number of the
 * error. Arguments are values of kind m (mutex) and h (condition), vm/code/prim.h. */
#ifndef BACTRIAN_VM_THREAD_MUTEX_H
#define BACTRIAN_VM_THREAD_MUTEX_H

#include "gc/heap.h"
#include "vm/thread/thread.h"

#include <errno.h>

struct vm_mutex {
    struct gc_heap *heap; /* which counts this struct */
    intptr_t holder;      /* number of a thread plus 1; 0: free */
    struct vm_waiters waiters;
};

/* New ones. Fails: raises Out_of_memory. GC: may run. */
value vm_mutex_new(struct domain *d);
value vm_condition_new(struct domain *d);

/* GC: never. */
static inline struct vm_mutex *vm_mutex_of(value v) {
    ASSERT(*(struct vm_mutex **)custom_data(v) != NULL);
    return *(struct vm_mutex **)custom_data(v);
}
/* What a mutex that d's thread holds has as holder. GC: never. */
static inline intptr_t vm_mutex_holder(const struct domain *d) { return vm_thread_number(d) + 1; }

/* Locks it if it is free. GC: never. */
static inline bool vm_mutex_try_lock(struct domain *d, value mutex) {
    struct vm_mutex *m = vm_mutex_of(mutex);
    if (m->holder != 0) return false;
    m->holder = vm_mutex_holder(d);
    return true;
}
/* Waits until it is free. GC: may run, and signal handlers, which may raise. */
int vm_mutex_lock(struct domain *d, value mutex);
/* GC: never. */
int vm_mutex_unlock(struct domain *d, value mutex);
/* As vm_mutex_lock, of a mutex that d's thread may hold already; runs no OCaml code. */
void vm_mutex_acquire(struct domain *d, value mutex);
/* Unlocks it, also for another thread. GC: never. */
void vm_mutex_release(struct domain *d, value mutex);

/* Unlocks the mutex until the condition is signalled. As vm_mutex_lock. */
int vm_condition_wait(struct domain *d, value condition, value mutex);
/* GC: never. */
void vm_condition_signal(struct domain *d, value condition);
void vm_condition_broadcast(struct domain *d, value condition);

#endif
