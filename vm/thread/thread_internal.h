/* thread_internal.h - what the files of threads share: thread.c (their life, the collector),
 * master.c (who has the machine), wait.c (waiting for each other).
 *
 * TH1  While a thread has the machine, its context is in the domain and d->thread names it;
 *      everyone else's is put aside in its struct vm_thread.
 * TH2  A thread that is put aside and not dirty has no young block on its stack or in its local
 *      roots. */
#ifndef BACTRIAN_VM_THREAD_THREAD_INTERNAL_H
#define BACTRIAN_VM_THREAD_THREAD_INTERNAL_H

#include "vm/thread/thread.h"

#include <pthread.h>
#include <stdatomic.h>

/* The end of a thread, as its handle knows it. */
struct vm_thread_end {
    unsigned references; /* the handle's, the thread's */
    bool over;
    struct vm_waiters joiners;
};

struct vm_thread {
    struct vm_threads *threads;
    struct vm_thread *previous, *next; /* all threads of the machine */
    struct vm_thread *next_waiting;    /* in a struct vm_waiters */
    struct vm_thread *next_dirty;
    pthread_cond_t turn;       /* woken, or the machine may be free; with the mutex of vm_threads */
    bool parked;               /* waits to be woken (vm_wait) */
    bool dead;                 /* did not survive a fork */
    bool over;                 /* has ended; freed when it is dirty no longer */
    bool foreign;              /* made by C code */
    bool dirty;                /* TH2; in the list of dirty threads */
    struct vm_context context; /* TH1 */
    struct gc_local_roots *local_roots, *abi_roots; /* TH1; of the machine, and of C stubs */
    intptr_t number;
    uintptr_t profiler_word; /* what the profiler wants to know when this thread goes on */
    value handle;            /* Thread.t: {number, unit, end} */
    struct vm_thread_end *end;
    jmp_buf exit; /* where vm_thread_exit leaves to; not of main and foreign threads */
};

struct vm_threads {
    struct vm *vm;
    pthread_mutex_t mutex;   /* of owner, queue, parked, changes of count, and the tick's fields */
    struct vm_thread *owner; /* who has the machine */
    struct vm_waiters queue; /* who wants it */
    bool tick_runs, tick_ends;
    pthread_cond_t tick_changes;
    _Atomic bool yield_due;
    pthread_key_t self;       /* the struct vm_thread of a POSIX thread */
    volatile uint32_t *alive; /* 0: this is a child process, in which nothing else survived */
    /* With the machine: */
    struct vm_thread *latest; /* who had it last; NULL: that one has ended */
    struct vm_thread *all, *dirty, *main;
    size_t count;
    struct gc_check_account checked;
    size_t candidates; /* foreign threads about to be registered; with the mutex */
    intptr_t next_number;
    bool exiting;                 /* a thread ended the program (no vm_options.end_process) */
    struct vm_waiters main_waits; /* main, for the end of all others */
};

/* ---- master.c ---- */
void vm_waiters_push(struct vm_waiters *w, struct vm_thread *t);
struct vm_thread *vm_waiters_pop(struct vm_waiters *w); /* NULL: none; dead ones are left out */
void vm_threads_mutex_lock(struct vm_threads *threads); /* the mutex, not the machine */
void vm_threads_mutex_unlock(struct vm_threads *threads);
/* With the mutex: gives the machine away, and takes it. */
void vm_runtime_lock_release(struct vm_threads *threads);
void vm_runtime_lock_acquire(struct vm_threads *threads, struct vm_thread *t);
/* Puts the running thread's context aside, and takes t's. */
void vm_context_leave(struct domain *d);
void vm_context_enter(struct domain *d, struct vm_thread *t);
/* The tick's fields, of a tick that does not run. */
void vm_tick_init(struct vm_threads *threads);
/* There are two threads: sees to it that they take turns. */
void vm_tick_start(struct vm_threads *threads);
void vm_tick_stop(struct vm_threads *threads); /* returns when it has ended */

/* ---- thread.c ---- */
/* This process is a fork of the one in which the threads are: only the calling one is here. */
void vm_threads_in_child(struct vm_threads *threads);
/* A thread that could not be started. */
void vm_thread_forget(struct domain *d, struct vm_thread *t);
/* The running thread has ended: gives everything of it back, and the machine. */
void vm_thread_stop(struct domain *d);

/* ---- selfcheck.c ---- */
/* Checks who has the machine, and, when it is due, the threads that a minor collection leaves out;
 * called at the start of each collection. GC: never. */
void vm_selfcheck_threads(struct vm_threads *threads);

#endif
