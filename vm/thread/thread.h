/* thread.h - OCaml threads: one POSIX thread each, of which one at a time has the machine.
 *
 * A machine starts without any of this (vm->threads is NULL, nothing costs anything). Once it has
 * threads, whoever runs OCaml code or touches the heap has the machine, which is a lock; it is let
 * go in blocking sections (vm/thread/blocking.h), while a thread waits for another one (vm_wait),
 * and, while others want it, every 50 ms at a safe point.
 *
 * All functions but those about threads that C code made need: the caller has the machine. */
#ifndef BACTRIAN_VM_THREAD_THREAD_H
#define BACTRIAN_VM_THREAD_THREAD_H

#include "vm/stack/prim_watch.h"
#include "vm/state/domain.h"

struct vm;
struct vm_thread;
struct vm_threads;

/* ---- Threads. ---- */

/* Makes the caller the machine's first thread; nothing happens the second time. From then on
 * blocking sections let others in, and foreign threads may be registered. Fails: raises
 * Out_of_memory. GC: may run. */
void vm_threads_start(struct domain *d);
/* Runs closure (on unit) in a new thread, whose handle (of type Thread.t) is returned. Fails:
 * raises Sys_error, Out_of_memory. GC: may run. */
value vm_thread_create(struct domain *d, value closure);
/* The handle of the running thread. Needs: vm_threads_start. GC: never. */
value vm_thread_self(const struct domain *d);
/* Its number, also without vm_threads_start: 0 is the first one's. GC: never. */
intptr_t vm_thread_number(const struct domain *d);
/* Returns when that thread has ended. The handle need not be rooted. GC: may run. */
void vm_thread_join(struct domain *d, value handle);
/* Lets the threads that wait for the machine run first. GC: may run. */
void vm_thread_yield(struct domain *d);
/* The same where the running thread had its share of time; for vm/thread/pending.c. */
void vm_thread_yield_if_due(struct domain *d);
/* Ends the running thread: the program, without at_exit functions, if it is the last one. */
_Noreturn void vm_thread_exit(struct domain *d);

/* A thread that C code made may use the machine between these two calls: vm_leave_blocking, calls
 * into OCaml, vm_enter_blocking, as often as it likes. False: the machine has no threads
 * (vm_threads_start), the calling thread is (or is not) registered already, or there is no memory.
 * Needs: the caller does not have the machine. GC: may run. */
bool vm_thread_register(struct vm *vm);
bool vm_thread_unregister(struct vm *vm);
/* Whether the calling POSIX thread is one of the machine's. GC: never. */
bool vm_thread_is_registered(const struct vm *vm);
/* Whether it is, and has the machine. GC: never. */
bool vm_thread_holds_runtime_lock(const struct vm *vm);

/* ---- Waiting for each other. What is waited for is plain data: the machine is its lock. ---- */

/* Zero: nobody waits. Must stay in place while anybody does. */
struct vm_waiters {
    struct vm_thread *first, *last;
};
/* Waits until another thread wakes this one. GC: may run. */
void vm_wait(struct domain *d, struct vm_waiters *waiters);
/* Wakes the thread that has waited longest, or all. GC: never. */
void vm_wake_one(struct domain *d, struct vm_waiters *waiters);
void vm_wake_all(struct domain *d, struct vm_waiters *waiters);

/* A lock that a raise releases (vm/stack/raise.h): for C code that lets go of the machine in the
 * midst of changing something. Zero: free. Never locked by a thread that has it. */
struct vm_lock {
    struct vm_thread *holder;
    struct vm_lock *outer; /* of the same thread, locked before */
    struct vm_waiters waiters;
};
void vm_lock_wait(struct domain *d, struct vm_lock *lock);
void vm_unlock_down_to(struct domain *d, struct vm_lock *outer);
/* GC: may run, where another thread has the lock. */
static inline void vm_lock(struct domain *d, struct vm_lock *lock) {
    vm_watch_ocaml(d);
    if (d->thread == NULL) return;
    if (lock->holder != NULL) vm_lock_wait(d, lock);
    lock->holder = d->thread;
    lock->outer = d->held;
    d->held = lock;
}
/* Needs: the lock that was locked last, or one that was locked before there were threads. GC:
 * never. */
static inline void vm_unlock(struct domain *d, struct vm_lock *lock) {
    if (d->held == lock) vm_unlock_down_to(d, lock->outer);
}

/* ---- For the machine itself. ---- */

/* The calling POSIX thread is the machine's first one from now on. Needs: no OCaml code runs in
 * that thread, and no other POSIX thread is it at the same time. GC: never. */
void vm_thread_adopt_main(struct vm *vm);
/* Whether the running thread is the one that vm_run was called in. */
bool vm_thread_is_main(const struct domain *d);
/* Ends the program from another thread, with vm->exit_status. */
_Noreturn void vm_thread_exit_program(struct domain *d);
/* The machine ends: stops what runs on its own account. False: threads are left that may be in the
 * midst of a system call, so the machine's memory must stay. */
bool vm_threads_end(struct vm *vm);

#endif
