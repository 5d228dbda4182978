/* blocking.h - C code that waits for the system, or computes long, without the runtime lock.
 *
 * BL1  Between enter and leave the calling thread touches neither the heap nor the machine's state:
 *      another thread of the program may run, and collect. */
#ifndef BACTRIAN_VM_THREAD_BLOCKING_H
#define BACTRIAN_VM_THREAD_BLOCKING_H

struct domain;

/* Releases the runtime lock; errno is kept. The caller handles signals that arrived before. Does
 * nothing in a machine without threads. Needs: the caller holds the lock. GC: never in this
 * thread. */
void vm_enter_blocking(struct domain *d);
/* Acquires the runtime lock again; errno is kept. Handlers of signals that arrived meanwhile run at
 * the next safe point. Needs: the calling thread is one of the machine's (vm/thread/thread.h).
 * Fails: does not return if another thread ended the program. GC: never in this thread. */
void vm_leave_blocking(struct domain *d);

#endif
