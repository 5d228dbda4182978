/* prim_thread.c - modules Thread, Mutex and Condition, OCaml's dllthreads. vm/thread/thread.h
 * schedules threads; mutexes and conditions are plain data, protected by the runtime lock.
 *
 * Mutexes check for errors: locking one twice, or unlocking another thread's, raises Sys_error. The
 * mutex of a thread that ended stays locked. */
#include "stdlib/prim.h"
#include "vm/code/kinds.h"
#include "vm/machine/uncaught.h"
#include "vm/stack/backtrace.h"
#include "vm/thread/blocking.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"
#include "vm/thread/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static _Noreturn void fail(struct domain *d, int error, const char *function) {
    vm_raise_sys_error(d, error, copy_string(d, function));
}

/* ---- Thread. ---- */

static void require_threads(struct domain *d, const char *function) {
    if (d->thread == NULL) vm_invalid_argument(d, "%s: not initialized", function);
}

value prim_thread_initialize(struct domain *d, value unit) {
    vm_threads_start(d);
    return VAL_UNIT;
}

/* Threads end with the machine. */
value prim_thread_cleanup(struct domain *d, value unit) { return VAL_UNIT; }

value prim_thread_new(struct domain *d, value closure) { return vm_thread_create(d, closure); }

value prim_thread_self(struct domain *d, value unit) {
    require_threads(d, "Thread.self");
    return vm_thread_self(d);
}

value prim_thread_id(struct domain *d, value thread) { return field(thread, 0); }

value prim_thread_exit(struct domain *d, value unit) {
    require_threads(d, "Thread.exit");
    vm_thread_exit(d);
}

value prim_thread_yield(struct domain *d, value unit) {
    vm_run_pending_signal_handlers(d);
    vm_thread_yield(d);
    return VAL_UNIT;
}

value prim_thread_join(struct domain *d, value thread) {
    GC_ROOT(&d->gc, &thread);
    vm_run_pending_signal_handlers(d);
    if (!vm_kind_accepts(d, 't', thread))
        vm_invalid_argument(d, "Thread.join"); /* a signal handler may have changed it */
    vm_thread_join(d, thread);
    return VAL_UNIT;
}

value prim_thread_uncaught_exception(struct domain *d, value exn) {
    char text[256];
    require_threads(d, "Thread.uncaught_exception");
    vm_format_exception(d->vm, exn, text, sizeof text);
    FILE *err = vm_err(d->vm);
    fprintf(err, "Thread %ld killed on uncaught exception %s\n", (long)vm_thread_number(d), text);
    if (d->backtrace_active) vm_backtrace_print(d, false, err);
    fflush(err);
    return VAL_UNIT;
}

/* ---- Signals. ---- */

static void decode_set(value list, sigset_t *set) {
    sigemptyset(set);
    for (; is_block(list) && wosize_of(list) == 2; list = field(list, 1))
        if (is_int(field(list, 0))) sigaddset(set, vm_signal_to_system(int_of_val(field(list, 0))));
}

static value encode_set(struct domain *d, const sigset_t *set) {
    value list = VAL_EMPTY_LIST;
    for (int n = 1; vm_signal_exists(n); n++)
        if (sigismember(set, n) == 1) list = new_pair(d, val_of_int(vm_signal_to_ocaml(n)), list);
    return list;
}

value prim_thread_sigmask(struct domain *d, value command, value signals) {
    static const int how[] = {SIG_SETMASK, SIG_BLOCK, SIG_UNBLOCK};
    sigset_t set, before;
    if (int_of_val(command) < 0 || int_of_val(command) > 2)
        vm_invalid_argument(d, "Thread.sigmask");
    decode_set(signals, &set);
    vm_run_pending_signal_handlers(d);
    int error = pthread_sigmask(how[int_of_val(command)], &set, &before);
    if (error != 0) fail(d, error, "Thread.sigmask");
    /* Signals that are unblocked now may be pending. */
    vm_process_pending(d);
    return encode_set(d, &before);
}

value prim_wait_signal(struct domain *d, value signals) {
    sigset_t set;
    int number;
    decode_set(signals, &set);
    vm_run_pending_signal_handlers(d);
    vm_enter_blocking(d);
    int error = sigwait(&set, &number);
    vm_leave_blocking(d);
    if (error != 0) fail(d, error, "Thread.wait_signal");
    return val_of_int(vm_signal_to_ocaml(number));
}

/* ---- Mutex. ---- */

struct mutex {
    intptr_t holder; /* number of a thread plus 1; 0: free */
    struct vm_waiters waiters;
};

/* The data of a mutex or condition, outside the heap, and the heap that counts it. */
struct counted {
    struct gc_heap *heap;
    union {
        struct mutex mutex;
        struct vm_waiters condition;
    };
};

/* Includes what malloc adds. */
enum { COUNTED_BYTES = sizeof(struct counted) + 16 };

static struct counted *counted_of(value v) { return *(struct counted **)custom_data(v); }
static struct mutex *mutex_of(value v) {
    ASSERT(counted_of(v) != NULL);
    return &counted_of(v)->mutex;
}
static struct vm_waiters *condition_of(value v) {
    ASSERT(counted_of(v) != NULL);
    return &counted_of(v)->condition;
}

static void free_data(value v) {
    struct counted *data = counted_of(v);
    if (data == NULL) return; /* its creation failed */
    gc_external_uncharge(data->heap, COUNTED_BYTES);
    free(data);
}

static int compare_data(value a, value b) {
    uintptr_t x = (uintptr_t)counted_of(a), y = (uintptr_t)counted_of(b);
    return (x > y) - (x < y);
}

static intptr_t hash_data(value v) { return (intptr_t)counted_of(v); }

static const struct gc_custom_ops mutex_ops = {
    .identifier = "_mutex", .finalize = free_data, .compare = compare_data, .hash = hash_data};
static const struct gc_custom_ops condition_ops = {
    .identifier = "_condition", .finalize = free_data, .compare = compare_data, .hash = hash_data};

/* A block of that kind that points to zeroed memory. GC: may run. */
static value new_data(struct domain *d, const struct gc_custom_ops *ops) {
    struct counted *data = NULL;
    value v = gc_alloc_custom(&d->gc, ops, sizeof data, 0, 1);
    *(struct counted **)custom_data(v) = NULL;
    GC_ROOT(&d->gc, &v);
    if (gc_external_charge(&d->gc, COUNTED_BYTES) && (data = calloc(1, sizeof *data)) == NULL)
        gc_external_uncharge(d->gc.heap, COUNTED_BYTES);
    if (data == NULL) vm_raise_out_of_memory(d);
    data->heap = d->gc.heap;
    *(struct counted **)custom_data(v) = data;
    return v;
}

static intptr_t self(const struct domain *d) { return vm_thread_number(d) + 1; }

/* Needs: the mutex's block is rooted. GC: may run. */
static void lock(struct domain *d, struct mutex *m) {
    while (m->holder != 0) vm_wait(d, &m->waiters);
    ASSERT(m->holder == 0);
    m->holder = self(d);
}

static void unlock(struct domain *d, struct mutex *m) {
    ASSERT(m->holder == self(d));
    m->holder = 0;
    vm_wake_one(d, &m->waiters);
}

value prim_mutex_new(struct domain *d, value unit) { return new_data(d, &mutex_ops); }

value prim_mutex_lock(struct domain *d, value mutex) {
    struct mutex *m = mutex_of(mutex);
    if (m->holder == 0) {
        m->holder = self(d);
        return VAL_UNIT;
    }
    GC_ROOT(&d->gc, &mutex);
    vm_run_pending_signal_handlers(d);
    if (m->holder == self(d)) fail(d, EDEADLK, "Mutex.lock");
    lock(d, m);
    return VAL_UNIT;
}

value prim_mutex_try_lock(struct domain *d, value mutex) {
    struct mutex *m = mutex_of(mutex);
    if (m->holder != 0) return VAL_FALSE;
    m->holder = self(d);
    return VAL_TRUE;
}

value prim_mutex_unlock(struct domain *d, value mutex) {
    struct mutex *m = mutex_of(mutex);
    if (m->holder != self(d)) fail(d, EPERM, "Mutex.unlock");
    unlock(d, m);
    return VAL_UNIT;
}

/* ---- Condition. ---- */

value prim_condition_new(struct domain *d, value unit) { return new_data(d, &condition_ops); }

value prim_condition_wait(struct domain *d, value condition, value mutex) {
    struct mutex *m = mutex_of(mutex);
    GC_ROOT(&d->gc, &condition, &mutex);
    vm_run_pending_signal_handlers(d);
    if (m->holder != self(d)) fail(d, EPERM, "Condition.wait");
    unlock(d, m);
    vm_wait(d, condition_of(condition));
    lock(d, m);
    return VAL_UNIT;
}

value prim_condition_signal(struct domain *d, value condition) {
    vm_wake_one(d, condition_of(condition));
    return VAL_UNIT;
}

value prim_condition_broadcast(struct domain *d, value condition) {
    vm_wake_all(d, condition_of(condition));
    return VAL_UNIT;
}
