/* runtime_lock.c - the runtime lock, blocking sections, waiting, time slices (vm/thread/thread.h).
 *
 *              vm_enter_blocking               first of the queue, or
 *     owner ----------------------> free ------- a thread that arrives -------> owner
 *       |                                                                         ^
 *       |   its 50 ms are over and others wait: vm_thread_yield                   |
 *       +------------------- handed to the first of the queue --------------------+
 *
 * A release wakes the first thread of the queue, but a thread that arrives before that one is awake
 * may acquire the lock: short blocking sections cost no thread switch. A yield hands the lock over,
 * so that every thread gets its turn. A thread that waits for another one (vm_wait) is put into the
 * queue by that one, and is woken only when it can run. The tick is a POSIX thread that exists
 * while there are several threads; it requests a yield by the poll word. */
#include "gc/assert.h"
#include "gc/weak.h"
#include "vm/base/os.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/callstack.h"
#include "vm/stack/prim_watch.h"
#include "vm/stack/stack.h"
#include "vm/state/abi.h"
#include "vm/state/vm.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"
#include "vm/thread/thread_internal.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

/* A domain may wait for another one in a spin loop, so domains take turns more often, and are
 * watched for such loops WATCHES times in each turn. */
enum { TICK_NS = 50000000, DOMAINS_TICK_NS = 1000000, WATCHES = 5 };

/* ---- Queues. ---- */

static void push_waiter(struct vm_waiters *w, struct vm_thread *t) {
    t->next_waiting = NULL;
    if (w->first == NULL) w->first = t;
    else w->last->next_waiting = t;
    w->last = t;
}

/* Removes and returns the first live thread; NULL: none waits. */
static struct vm_thread *pop_waiter(struct vm_waiters *w) {
    struct vm_thread *t = w->first;
    while (t != NULL && t->dead) t = t->next_waiting;
    w->first = t == NULL ? NULL : t->next_waiting;
    return t;
}

/* ---- The lock. ---- */

void vm_threads_mutex_lock(struct vm_threads *threads) {
    if (*threads->alive == 0) vm_threads_in_child(threads);
    pthread_mutex_lock(&threads->mutex);
}

void vm_threads_mutex_unlock(struct vm_threads *threads) { pthread_mutex_unlock(&threads->mutex); }

void vm_runtime_lock_release(struct vm_threads *threads) {
    ASSERT(threads->owner != NULL);
    threads->owner = NULL;
    if (threads->queue.first != NULL) pthread_cond_signal(&threads->queue.first->turn);
}

/* Waits in the queue until the lock is handed to t or t is the first to acquire it. */
static void wait_in_queue(struct vm_threads *threads, struct vm_thread *t) {
    while (threads->owner != t) {
        if (threads->owner == NULL && threads->queue.first == t) {
            pop_waiter(&threads->queue);
            threads->owner = t;
        } else {
            pthread_cond_wait(&t->turn, &threads->mutex);
        }
    }
}

void vm_runtime_lock_acquire(struct vm_threads *threads, struct vm_thread *t) {
    ASSERT(threads->owner != t);
    if (threads->owner == NULL) {
        threads->owner = t;
        return;
    }
    push_waiter(&threads->queue, t);
    wait_in_queue(threads, t);
}

/* ---- Contexts. ---- */

/* Saves the context of the running thread. */
static void leave_context(struct domain *d) {
    struct vm_thread *t = d->thread;
    struct vm_threads *threads = t->threads;
    ASSERT(threads->owner == t); /* TH1 */
    t->context = d->context;
    t->record->when_left = gc_allocated(&d->gc);
    t->local_roots = d->gc.local_roots;
    t->abi_roots = *abi_local_roots(d);
    vm_backtrace_count(d);
    if (t->dirty) return;
    t->dirty = true;
    t->next_dirty = threads->dirty;
    threads->dirty = t;
}

/* Ends this thread: another one has ended the program while this one waited. */
static _Noreturn void leave_program(struct domain *d) {
    struct vm_threads *threads = d->vm->threads;
    if (d->thread == threads->main) _longjmp(*d->vm->exit_point, 1);
    vm_thread_stop(d);
    pthread_exit(NULL);
}

static void notify_profiler(struct domain *d, struct vm_thread *t) {
    struct vm_profiler *profiler = &d->vm->profiler;
    if (profiler->switch_thread == NULL) return;
    uintptr_t left = profiler->switch_thread(profiler->state, t->number, t->profiler_word);
    if (t->threads->latest != NULL) t->threads->latest->profiler_word = left;
}

/* Domain r runs again. */
static void count_others(const struct domain *d, struct vm_domain_record *r) {
    struct gc_allocated now = gc_allocated(&d->gc);
    r->by_others.minor_words += now.minor_words - r->when_left.minor_words;
    r->by_others.promoted_words += now.promoted_words - r->when_left.promoted_words;
    r->by_others.major_words += now.major_words - r->when_left.major_words;
}

void vm_context_enter(struct domain *d, struct vm_thread *t) {
    struct vm_threads *threads = t->threads;
    ASSERT(threads->owner == t && !t->parked); /* TH1 */
    d->thread = t;
    d->context = t->context;
    d->gc.local_roots = t->local_roots;
    d->record = t->record;
    count_others(d, t->record);
    d->backtrace_active = t->record->backtrace_active;
    *abi_local_roots(d) = t->abi_roots;
    vm_backtrace_publish(d);
    if (d->vm->abi_attached) d->vm->options.abi->thread_entered(d);
    threads->yield_due = false;
    if (threads->latest != t) {
        gc_set_finaliser_owner(&d->gc, t->record->id);
        notify_profiler(d, t);
        threads->latest = t;
        vm_stack_apply_limit(d);
        if (d->stack.call_stack != NULL) d->stack.call_stack->unchanged = 0;
        if (threads->bodies > 0) vm_spin_watch(d);
        /* Actions for this thread may be pending that the others could not run. */
        gc_request_action(&d->gc);
    }
    if (threads->exiting) leave_program(d);
}

void vm_enter_blocking(struct domain *d) {
    vm_watch_ocaml(d);
    struct vm_threads *threads = d->vm->threads;
    if (threads == NULL) return;
    int saved = errno;
    leave_context(d);
    vm_threads_mutex_lock(threads);
    vm_runtime_lock_release(threads);
    vm_threads_mutex_unlock(threads);
    errno = saved;
}

void vm_leave_blocking(struct domain *d) {
    struct vm_threads *threads = d->vm->threads;
    int saved = errno;
    if (threads != NULL) {
        struct vm_thread *t = pthread_getspecific(threads->self);
        if (t == NULL) vm_fatal("a thread that is not registered called into OCaml");
        vm_threads_mutex_lock(threads);
        vm_runtime_lock_acquire(threads, t);
        vm_threads_mutex_unlock(threads);
        vm_context_enter(d, t);
    }
    if (vm_signals_pending(d)) gc_request_action(&d->gc);
    errno = saved;
}

void vm_thread_yield(struct domain *d) {
    struct vm_thread *t = d->thread;
    vm_watch_ocaml(d);
    if (t == NULL) return;
    struct vm_threads *threads = t->threads;
    leave_context(d);
    vm_threads_mutex_lock(threads);
    struct vm_thread *next = pop_waiter(&threads->queue);
    if (next != NULL) {
        threads->owner = next;
        pthread_cond_signal(&next->turn);
        push_waiter(&threads->queue, t);
        wait_in_queue(threads, t);
    }
    vm_threads_mutex_unlock(threads);
    vm_context_enter(d, t);
}

void vm_thread_yield_if_due(struct domain *d) {
    if (d->thread == NULL) return;
    struct vm_threads *threads = d->thread->threads;
    if (threads->watch_due) {
        threads->watch_due = false;
        vm_spin_watch(d);
    }
    if (threads->yield_due) threads->slices_used++;
    if (threads->yield_due || vm_spin_seen(d)) vm_thread_yield(d);
}

bool vm_thread_round(struct domain *d) {
    struct vm_threads *threads = d->vm->threads;
    size_t beginning = threads->beginning, slices = threads->slices_used;
    vm_thread_yield(d);
    if (threads->beginning > 0) { /* their POSIX threads do not wait for the lock yet */
        vm_enter_blocking(d);
        sched_yield();
        vm_leave_blocking(d);
    }
    return beginning > 0 || threads->slices_used > slices;
}

/* ---- Waiting for other threads. Both sides hold the runtime lock, so nothing happens between the
 * test of a condition and the wait for it. ---- */

void vm_wait(struct domain *d, struct vm_waiters *waiters) {
    vm_watch_ocaml(d);
    vm_threads_start(d);
    struct vm_thread *t = d->thread;
    struct vm_threads *threads = t->threads;
    leave_context(d);
    vm_threads_mutex_lock(threads);
    ASSERT(!t->parked && !t->over);
    t->parked = true;
    push_waiter(waiters, t);
    vm_runtime_lock_release(threads);
    while (t->parked) pthread_cond_wait(&t->turn, &threads->mutex);
    if (t->queued) wait_in_queue(threads, t);
    else vm_runtime_lock_acquire(threads, t);
    t->queued = false;
    vm_threads_mutex_unlock(threads);
    vm_context_enter(d, t);
}

void vm_wake_one(struct domain *d, struct vm_waiters *waiters) {
    if (waiters->first == NULL) return;
    struct vm_threads *threads = d->vm->threads;
    vm_threads_mutex_lock(threads);
    struct vm_thread *t = pop_waiter(waiters);
    if (t != NULL) {
        t->parked = false;
        t->queued = true;
        push_waiter(&threads->queue, t);
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

/* ---- The tick. ---- */

static struct timespec after(int64_t ns) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += ns;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* The tick's thread ends when there is only one thread, and none about to be registered. */
static void *tick(void *context) {
    struct vm_threads *threads = context;
    struct gc_domain *g = &threads->domain->gc;
    pthread_mutex_lock(&threads->mutex);
    unsigned watches = 0; /* since the last request of a yield, while others waited */
    while (!threads->tick_ends && threads->count + threads->foreign_waiting > 1) {
        int64_t ns = threads->bodies == 0 ? TICK_NS : DOMAINS_TICK_NS;
        struct timespec at = after(watches == 0 ? ns : DOMAINS_TICK_NS / WATCHES);
        pthread_cond_timedwait(&threads->tick_changes, &threads->mutex, &at);
        bool waiting = threads->queue.first != NULL && threads->owner != NULL;
        if (!waiting || threads->bodies == 0) watches = 0;
        else watches = watches % WATCHES + 1;
        if (!waiting) continue;
        if (watches % WATCHES == 0) threads->yield_due = true;
        else threads->watch_due = true;
        gc_request_action(g);
    }
    threads->tick_runs = false;
    pthread_cond_signal(&threads->tick_changes);
    pthread_mutex_unlock(&threads->mutex);
    return NULL;
}

void vm_tick_init(struct vm_threads *threads) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&threads->tick_changes, &attributes);
    pthread_condattr_destroy(&attributes);
    threads->tick_runs = threads->tick_ends = false;
}

void vm_tick_start(struct vm_threads *threads) {
    vm_threads_mutex_lock(threads);
    if (!threads->tick_runs) {
        sigset_t all, before;
        pthread_t id;
        pthread_attr_t attributes;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        threads->tick_ends = false;
        /* Without the tick, threads still take turns where they wait. */
        threads->tick_runs = pthread_create(&id, &attributes, tick, threads) == 0;
        pthread_attr_destroy(&attributes);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    vm_threads_mutex_unlock(threads);
}

void vm_tick_stop(struct vm_threads *threads) {
    vm_threads_mutex_lock(threads);
    threads->tick_ends = true;
    pthread_cond_signal(&threads->tick_changes);
    while (threads->tick_runs) pthread_cond_wait(&threads->tick_changes, &threads->mutex);
    vm_threads_mutex_unlock(threads);
}
