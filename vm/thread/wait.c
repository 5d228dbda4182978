/* wait.c - threads that wait for other threads (vm/thread/thread.h). Both sides hold the runtime
 * lock, so nothing happens between the test of a condition and the wait for it. */
#include "gc/assert.h"
#include "vm/state/vm.h"
#include "vm/thread/thread_internal.h"

void vm_wait(struct domain *d, struct vm_waiters *waiters) {
    vm_watch_ocaml(d);
    vm_threads_start(d);
    struct vm_thread *t = d->thread;
    struct vm_threads *threads = t->threads;
    vm_context_leave(d);
    vm_threads_mutex_lock(threads);
    ASSERT(!t->parked && !t->over);
    t->parked = true;
    vm_waiters_push(waiters, t);
    vm_runtime_lock_release(threads);
    while (t->parked) pthread_cond_wait(&t->turn, &threads->mutex);
    vm_runtime_lock_acquire(threads, t);
    vm_threads_mutex_unlock(threads);
    vm_context_enter(d, t);
}

void vm_wake_one(struct domain *d, struct vm_waiters *waiters) {
    if (waiters->first == NULL) return;
    struct vm_threads *threads = d->vm->threads;
    vm_threads_mutex_lock(threads);
    struct vm_thread *t = vm_waiters_pop(waiters);
    if (t != NULL) {
        t->parked = false;
        pthread_cond_signal(&t->turn);
    }
    vm_threads_mutex_unlock(threads);
}

void vm_wake_all(struct domain *d, struct vm_waiters *waiters) {
    while (waiters->first != NULL) vm_wake_one(d, waiters);
}

/* ---- Locks. ---- */

void vm_lock_wait(struct domain *d, struct vm_lock *lock) {
    /* In a child process the holder may be a thread that does not exist there. */
    vm_threads_mutex_lock(d->vm->threads);
    vm_threads_mutex_unlock(d->vm->threads);
    while (lock->holder != NULL) vm_wait(d, &lock->waiters);
}

void vm_unlock_down_to(struct domain *d, struct vm_lock *outer) {
    while (d->held != outer) {
        struct vm_lock *lock = d->held;
        ASSERT(lock != NULL && (d->thread == NULL || lock->holder == d->thread));
        d->held = lock->outer;
        lock->holder = NULL;
        vm_wake_one(d, &lock->waiters);
    }
}
