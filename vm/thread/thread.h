/* thread.h - OCaml threads: one POSIX thread each; one at a time holds the runtime lock.
 *
 * A machine starts without any of this: vm->threads is NULL and costs nothing. Once it has threads,
 * the thread that runs OCaml code or touches the heap holds the runtime lock. It releases the lock
 * in blocking sections (vm/thread/pending.h), while it waits for another thread (vm_wait), and
 * every 50 ms at a safe point if others wait for the lock.
 *
 * All functions, except those about threads made by C code, need: the caller holds the lock. */
#ifndef BACTRIAN_VM_THREAD_THREAD_H
#define BACTRIAN_VM_THREAD_THREAD_H

#include "vm/stack/prim_watch.h"
#include "vm/state/domain.h"

struct vm;
struct vm_thread;
struct vm_threads;

/* ---- Threads. ---- */

/* Makes the caller the machine's first thread; does nothing the second time. From then on blocking
 * sections release the lock and foreign threads may be registered. Fails: raises Out_of_memory.
 * GC: may run. */
void vm_threads_start(struct domain *d);
/* Runs closure (on unit) in a new thread, whose handle (of type Thread.t) is returned. Fails:
 * raises Sys_error, Out_of_memory. GC: may run. */
value vm_thread_create(struct domain *d, value closure);
/* The handle of the running thread. Needs: vm_threads_start. GC: never. */
value vm_thread_self(const struct domain *d);
/* Its number, also without vm_threads_start: 0 is the first one's. GC: never. */
intptr_t vm_thread_number(const struct domain *d);
/* Waits until that thread has ended. The handle need not be rooted. GC: may run. */
void vm_thread_join(struct domain *d, value handle);
/* Hands the lock to the threads that wait for it. GC: may run. */
void vm_thread_yield(struct domain *d);
/* The same if the time slice of the running thread is over. GC: may run. */
void vm_thread_yield_if_due(struct domain *d);
/* Lets each thread that can run do so until it waits or its time slice is over. Returns whether a
 * thread began or used up its time slice. Needs: vm_threads_start. GC: may run. */
bool vm_thread_round(struct domain *d);
/* Ends the running thread: the program, without at_exit functions, if it is the last one. */
_Noreturn void vm_thread_exit(struct domain *d);

/* A thread made by C code may enter the machine between these two calls, any number of times:
 * vm_leave_blocking, calls into OCaml, vm_enter_blocking. Fails: false, the machine has no threads,
 * the calling thread is (or is not) registered already, or out of memory. Needs: the caller does
 * not hold the lock. GC: may run. */
bool vm_thread_register(struct vm *vm);
bool vm_thread_unregister(struct vm *vm);
/* Whether the calling POSIX thread is one of the machine's. GC: never. */
bool vm_thread_is_registered(const struct vm *vm);
/* Whether it is, and holds the runtime lock. GC: never. */
bool vm_thread_holds_runtime_lock(const struct vm *vm);

/* ---- Waiting for other threads. The runtime lock protects what they wait for. ---- */

/* Waits until another thread wakes this one. GC: may run. */
void vm_wait(struct domain *d, struct vm_waiters *waiters);
/* Wakes the thread that has waited longest, or all. GC: never. */
void vm_wake_one(struct domain *d, struct vm_waiters *waiters);
void vm_wake_all(struct domain *d, struct vm_waiters *waiters);

/* A lock that a raise releases (vm/stack/raise.h), for C code that releases the runtime lock in the
 * middle of a change. Zero: free. Not recursive. */
struct vm_lock {
    struct vm_thread *holder;
    struct vm_lock *outer; /* locked before, by the same thread */
    struct vm_waiters waiters;
};
/* Waits until the lock is free. GC: may run. */
void vm_lock_wait(struct domain *d, struct vm_lock *lock);
/* Releases the locks of the running thread that were locked after outer. GC: never. */
void vm_unlock_down_to(struct domain *d, struct vm_lock *outer);
/* GC: may run, if another thread holds the lock. */
static inline void vm_lock(struct domain *d, struct vm_lock *lock) {
    vm_watch_ocaml(d);
    if (d->thread == NULL) return;
    if (lock->holder != NULL) vm_lock_wait(d, lock);
    lock->holder = d->thread;
    lock->outer = d->held;
    d->held = lock;
}
/* Needs: lock was locked last, or before there were threads. GC: never. */
static inline void vm_unlock(struct domain *d, struct vm_lock *lock) {
    if (d->held == lock) vm_unlock_down_to(d, lock->outer);
}

/* ---- For the machine itself. ---- */

/* Makes the calling POSIX thread the machine's first one. Needs: no OCaml code runs in that thread,
 * and no other POSIX thread is it at the same time. GC: never. */
void vm_thread_adopt_main(struct vm *vm);
/* Whether the running thread is the one that called vm_run. GC: never. */
bool vm_thread_is_main(const struct domain *d);
/* Ends the program from another thread, with vm->exit_status. */
_Noreturn void vm_thread_exit_program(struct domain *d);
/* At the machine's end: stops the tick. False: threads are left, possibly inside a system call, so
 * the machine's memory must stay. GC: never. */
bool vm_threads_end(struct vm *vm);

#endif
