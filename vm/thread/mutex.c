/* mutex.c - see mutex.h. */
#include "vm/thread/mutex.h"

#include "gc/assert.h"
#include "vm/stack/raise.h"
#include "vm/thread/signal.h"

#include <stdlib.h>

/* The data of a condition. */
struct condition {
    struct gc_heap *heap; /* which counts this struct */
    struct vm_waiters waiters;
};

/* What --max-heap counts for either, with what malloc adds. */
enum { COUNTED_BYTES = sizeof(struct vm_mutex) + 16 };
_Static_assert(sizeof(struct condition) <= sizeof(struct vm_mutex), "counted as one");

/* The heap is the first word of both. */
static struct gc_heap **data_of(value v) { return *(struct gc_heap ***)custom_data(v); }

static void free_data(value v) {
    if (data_of(v) == NULL) return; /* its creation failed */
    gc_external_uncharge(*data_of(v), COUNTED_BYTES);
    free(data_of(v));
}

static int compare_data(value a, value b) {
    uintptr_t x = (uintptr_t)data_of(a), y = (uintptr_t)data_of(b);
    return (x > y) - (x < y);
}

static intptr_t hash_data(value v) { return (intptr_t)data_of(v); }

static const struct gc_custom_ops mutex_ops = {
    .identifier = "_mutex", .finalize = free_data, .compare = compare_data, .hash = hash_data};
static const struct gc_custom_ops condition_ops = {
    .identifier = "_condition", .finalize = free_data, .compare = compare_data, .hash = hash_data};

/* A block of that kind that points to n zeroed bytes, after the heap. GC: may run. */
static value new_data(struct domain *d, const struct gc_custom_ops *ops, size_t n) {
    struct gc_heap **data = NULL;
    value v = gc_alloc_custom(&d->gc, ops, sizeof data, 0, 1);
    *(struct gc_heap ***)custom_data(v) = NULL;
    GC_ROOT(&d->gc, &v);
    if (gc_external_charge(&d->gc, COUNTED_BYTES) && (data = calloc(1, n)) == NULL)
        gc_external_uncharge(d->gc.heap, COUNTED_BYTES);
    if (data == NULL) vm_raise_out_of_memory(d);
    *data = d->gc.heap;
    *(struct gc_heap ***)custom_data(v) = data;
    return v;
}

/* ---- Mutexes. ---- */

value vm_mutex_new(struct domain *d) { return new_data(d, &mutex_ops, sizeof(struct vm_mutex)); }

/* Needs: the mutex's block is rooted. GC: may run. */
static void wait_for(struct domain *d, struct vm_mutex *m) {
    while (m->holder != 0) vm_wait(d, &m->waiters);
    m->holder = vm_mutex_holder(d);
}

int vm_mutex_lock(struct domain *d, value mutex) {
    if (vm_mutex_try_lock(d, mutex)) return 0;
    struct vm_mutex *m = vm_mutex_of(mutex);
    GC_ROOT(&d->gc, &mutex);
    vm_run_pending_signal_handlers(d);
    if (m->holder == vm_mutex_holder(d)) return EDEADLK;
    wait_for(d, m);
    return 0;
}

void vm_mutex_acquire(struct domain *d, value mutex) {
    struct vm_mutex *m = vm_mutex_of(mutex);
    GC_ROOT(&d->gc, &mutex);
    if (m->holder != vm_mutex_holder(d)) wait_for(d, m);
}

void vm_mutex_release(struct domain *d, value mutex) {
    struct vm_mutex *m = vm_mutex_of(mutex);
    m->holder = 0;
    vm_wake_one(d, &m->waiters);
}

int vm_mutex_unlock(struct domain *d, value mutex) {
    if (vm_mutex_of(mutex)->holder != vm_mutex_holder(d)) return EPERM;
    vm_mutex_release(d, mutex);
    return 0;
}

/* ---- Conditions. ---- */

static struct vm_waiters *waiters_of(value condition) {
    struct condition *c = *(struct condition **)custom_data(condition);
    ASSERT(c != NULL);
    return &c->waiters;
}

value vm_condition_new(struct domain *d) {
    return new_data(d, &condition_ops, sizeof(struct condition));
}

int vm_condition_wait(struct domain *d, value condition, value mutex) {
    struct vm_mutex *m = vm_mutex_of(mutex);
    GC_ROOT(&d->gc, &condition, &mutex);
    vm_run_pending_signal_handlers(d);
    int error = vm_mutex_unlock(d, mutex);
    if (error != 0) return error;
    vm_wait(d, waiters_of(condition));
    wait_for(d, m);
    return 0;
}

void vm_condition_signal(struct domain *d, value condition) {
    vm_wake_one(d, waiters_of(condition));
}

void vm_condition_broadcast(struct domain *d, value condition) {
    vm_wake_all(d, waiters_of(condition));
}
