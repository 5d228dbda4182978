/* prim_thread.c - modules Thread, Mutex and Condition, OCaml's dllthreads: what programs see of
 * vm/thread/thread.h and vm/thread/mutex.h. */
#include "stdlib/prim.h"
#include "vm/code/kinds.h"
#include "vm/machine/machine.h"
#include "vm/stack/backtrace.h"
#include "vm/thread/mutex.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"
#include "vm/thread/thread.h"

#include <signal.h>

/* Raises Sys_error if there was an error (0: none). */
static value check(struct domain *d, int error, const char *function) {
    if (error != 0) vm_raise_sys_error(d, error, copy_string(d, function));
    return VAL_UNIT;
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

static void decode_set(struct domain *d, value list, sigset_t *set) {
    sigemptyset(set);
    for (; is_block(list) && wosize_of(list) == 2; list = field(list, 1))
        if (is_int(field(list, 0)))
            sigaddset(set, vm_signal_to_system(d->vm, int_of_val(field(list, 0))));
}

static value encode_set(struct domain *d, const sigset_t *set) {
    value list = VAL_EMPTY_LIST;
    for (int n = 1; vm_signal_exists(n); n++)
        if (sigismember(set, n) == 1)
            list = new_pair(d, val_of_int(vm_signal_to_ocaml(d->vm, n)), list);
    return list;
}

value prim_thread_sigmask(struct domain *d, value command, value signals) {
    static const int how[] = {SIG_SETMASK, SIG_BLOCK, SIG_UNBLOCK};
    sigset_t set, before;
    if (int_of_val(command) < 0 || int_of_val(command) > 2)
        vm_invalid_argument(d, "Thread.sigmask");
    decode_set(d, signals, &set);
    vm_run_pending_signal_handlers(d);
    int error = pthread_sigmask(how[int_of_val(command)], &set, &before);
    check(d, error, "Thread.sigmask");
    /* Signals that are unblocked now may be pending. */
    vm_process_pending(d);
    return encode_set(d, &before);
}

value prim_wait_signal(struct domain *d, value signals) {
    sigset_t set;
    int number;
    decode_set(d, signals, &set);
    vm_run_pending_signal_handlers(d);
    vm_enter_blocking(d);
    int error = sigwait(&set, &number);
    vm_leave_blocking(d);
    check(d, error, "Thread.wait_signal");
    return val_of_int(vm_signal_to_ocaml(d->vm, number));
}

/* ---- Mutex. ---- */

value prim_mutex_new(struct domain *d, value unit) { return vm_mutex_new(d); }

value prim_mutex_lock(struct domain *d, value mutex) {
    return check(d, vm_mutex_lock(d, mutex), "Mutex.lock");
}

value prim_mutex_try_lock(struct domain *d, value mutex) {
    return val_of_bool(vm_mutex_try_lock(d, mutex));
}

value prim_mutex_unlock(struct domain *d, value mutex) {
    return check(d, vm_mutex_unlock(d, mutex), "Mutex.unlock");
}

/* ---- Condition. ---- */

value prim_condition_new(struct domain *d, value unit) { return vm_condition_new(d); }

value prim_condition_wait(struct domain *d, value condition, value mutex) {
    return check(d, vm_condition_wait(d, condition, mutex), "Condition.wait");
}

value prim_condition_signal(struct domain *d, value condition) {
    vm_condition_signal(d, condition);
    return VAL_UNIT;
}

value prim_condition_broadcast(struct domain *d, value condition) {
    vm_condition_broadcast(d, condition);
    return VAL_UNIT;
}
