/* thread_internal.h - what the files of this room share: thread.c (creation, end, the collector),
 * runtime_lock.c (the lock, contexts, time slices, waiting for other threads).
 *
 * TH1  While a thread holds the runtime lock, its context is in the domain and d->thread names it;
 *      the context of every other thread is saved in its struct vm_thread.
 * TH2  A thread whose context is saved and that is not dirty has no young block on its stack or in
 *      its local roots. */
#ifndef BACTRIAN_VM_THREAD_THREAD_INTERNAL_H
#define BACTRIAN_VM_THREAD_THREAD_INTERNAL_H

#include "vm/thread/spin.h"
#include "vm/thread/thread.h"

#include <pthread.h>
#include <stdatomic.h>

/* The end of a thread, as its handle knows it. */
struct vm_thread_status {
    unsigned references; /* the handle's, the thread's */
    bool over;
    struct vm_waiters joiners;
};

struct vm_thread {
    struct vm_threads *threads;
    struct vm_thread *previous, *next; /* all threads of the machine */
    struct vm_thread *next_waiting;    /* in a struct vm_waiters */
    struct vm_thread *next_dirty;
    pthread_cond_t turn;             /* woken, or the lock may be free; under vm_threads.mutex */
    bool parked;                     /* waits to be woken (vm_wait) */
    bool queued;                     /* was woken, and waits in vm_threads.queue */
    bool dead;                       /* did not survive a fork */
    bool over;                       /* has ended; freed when no longer dirty */
    bool foreign;                    /* made by C code */
    bool dirty;                      /* TH2; in the list of dirty threads */
    bool is_body;                    /* runs the body of its domain */
    struct vm_domain_record *record; /* of its domain */
    struct vm_context context;       /* TH1 */
    struct gc_local_roots *local_roots, *abi_roots; /* TH1; of the machine, and of C stubs */
    intptr_t number;
    uintptr_t profiler_word; /* given back to the profiler when this thread continues */
    value handle;            /* Thread.t: {number, unit, end} */
    struct vm_thread_status *status;
    struct vm_spin spin;
    jmp_buf exit; /* where vm_thread_exit jumps; not of main and foreign threads */
};

struct vm_threads {
    struct domain *domain;   /* whose runtime lock this is: its threads take turns */
    pthread_mutex_t mutex;   /* of owner, queue, parked, changes of count, the tick */
    struct vm_thread *owner; /* holds the runtime lock */
    struct vm_waiters queue; /* wait for it */
    bool tick_runs, tick_ends;
    pthread_cond_t tick_changes;
    _Atomic bool yield_due, watch_due;
    pthread_key_t self;       /* the struct vm_thread of a POSIX thread */
    volatile uint32_t *alive; /* 0: this is a child process, without the other threads */
    /* Under the runtime lock: */
    struct vm_thread *latest; /* held it last; NULL: that thread has ended */
    struct vm_thread *all, *dirty, *main;
    size_t count;
    size_t bodies; /* that run the body of a domain, among them */
    struct gc_check_budget checked;
    size_t beginning;       /* launched, but have not held the lock yet */
    size_t slices_used;     /* how often a thread yielded because its time slice was over */
    size_t foreign_waiting; /* foreign threads about to be registered; under the mutex */
    intptr_t next_number;
    bool exiting;                 /* a thread ended the program (no vm_options.end_process) */
    struct vm_waiters main_waits; /* main waits for the end of all others */
};

/* ---- runtime_lock.c ---- */
void vm_threads_mutex_lock(struct vm_threads *threads); /* the mutex, not the runtime lock */
void vm_threads_mutex_unlock(struct vm_threads *threads);
/* Under the mutex: releases and acquires the runtime lock. */
void vm_runtime_lock_release(struct vm_threads *threads);
void vm_runtime_lock_acquire(struct vm_threads *threads, struct vm_thread *t);
/* Restores the context of t, which has acquired the lock. */
void vm_context_enter(struct domain *d, struct vm_thread *t);
/* Initialises the tick's fields. */
void vm_tick_init(struct vm_threads *threads);
/* Starts the tick, which makes threads take turns, unless it runs. */
void vm_tick_start(struct vm_threads *threads);
void vm_tick_stop(struct vm_threads *threads); /* and waits for its end */

/* ---- thread.c ---- */
/* After a fork, in the child: only the calling thread is left. */
void vm_threads_in_child(struct vm_threads *threads);
/* A thread that does not run yet, of the running one's domain (is_body: until it becomes the body
 * of another). NULL: out of memory. GC: may run. */
struct vm_thread *vm_thread_add(struct domain *d, value closure, bool is_body);
/* It runs the body of that domain, a new one. GC: never. */
void vm_thread_make_body(struct vm_thread *t, struct vm_domain_record *record);
/* Lets it run. Fails: the system's number of the error. GC: never. */
int vm_thread_launch(struct vm_thread *t);
/* Removes a thread that could not be launched. */
void vm_thread_forget(struct domain *d, struct vm_thread *t);
/* Ends the running thread: frees its context and releases the runtime lock. */
void vm_thread_stop(struct domain *d);

#endif
