/* thread.c - creation and end of threads, and how the collector visits them (vm/thread/thread.h).
 *
 * A thread owns a context: a VM stack, a backtrace, a cached call stack. All functions of the
 * machine work on the context in the domain. To create, scan or free that of another thread, it is
 * temporarily swapped into the domain.
 *
 * The collector visits the running thread's stack as that of a machine without threads. Of the
 * other threads, a minor collection visits those that ran since the last one (TH2): ten thousand
 * waiting threads add no cost. */
#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/engine/callback.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/callstack.h"
#include "vm/stack/fiber.h"
#include "vm/stack/raise.h"
#include "vm/stack/stack.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"
#include "vm/thread/domains.h"
#include "vm/thread/pending.h"
#include "vm/thread/thread_internal.h"

#include <signal.h>
#include <stdlib.h>

/* ---- Handles. ---- */

static void release_status(struct vm_thread_status *status) {
    ASSERT(status->references > 0);
    if (--status->references == 0) free(status);
}

static void free_thread(struct vm_thread *t) {
    release_status(t->status);
    pthread_cond_destroy(&t->turn);
    free(t);
}

static void finalize_status(value v) {
    release_status(*(struct vm_thread_status **)custom_data(v));
}

static const struct gc_custom_ops status_ops = {
    .identifier = "_threadstatus",
    .finalize = finalize_status,
};

static struct vm_thread_status *status_of(value handle) {
    return *(struct vm_thread_status **)custom_data(field(handle, 2));
}

static void fill_handle(struct domain *d, struct vm_thread *t, value handle, value status) {
    t->status->references++;
    *(struct vm_thread_status **)custom_data(status) = t->status;
    gc_init_field(&d->gc, handle, 0, val_of_int(t->number));
    gc_init_field(&d->gc, handle, 1, VAL_UNIT);
    gc_init_field(&d->gc, handle, 2, status);
    t->handle = handle;
}

/* Makes t's handle: number, unit (OCaml's field for the function), termination status. Programs can
 * change its fields: only the status is ever read. */
static void make_handle(struct domain *d, struct vm_thread *t) {
    value status = VAL_UNIT;
    GC_ROOT(&d->gc, &status);
    status = gc_alloc_custom(&d->gc, &status_ops, sizeof t->status, 1, 1000);
    value handle = new_small(d, 3, 0);
    fill_handle(d, t, handle, status);
}

/* The same where OCaml makes none: no profiler sees it. */
static void make_hidden_handle(struct domain *d, struct vm_thread *t) {
    value status = gc_alloc_major_unsampled(&d->gc, 2, TAG_CUSTOM);
    field(status, 0) = (value)&status_ops;
    gc_adopt_custom(&d->gc, status, 0);
    fill_handle(d, t, gc_alloc_major_unsampled(&d->gc, 3, 0), status);
}

value vm_thread_self(const struct domain *d) { return d->thread->handle; }

intptr_t vm_thread_number(const struct domain *d) {
    return d->thread == NULL ? 0 : d->thread->number;
}

/* ---- Contexts of other threads. ---- */

static void free_context(struct domain *d, struct vm_context *context) {
    struct vm_context running = d->context;
    d->context = *context;
    vm_fibers_abandon(d, 0);
    vm_call_stack_free(d);
    vm_backtrace_destroy(d);
    vm_stack_destroy(d);
    gc_external_uncharge(d->gc.heap, d->stack.counted_bytes);
    d->context = running;
}

static bool make_context(struct domain *d, struct vm_context *context) {
    struct vm_context running = d->context;
    d->context = (struct vm_context){.accu = VAL_UNIT, .exn = VAL_UNIT};
    bool made = vm_stack_count(d) && vm_stack_create(d, d->stack_limit_words, false);
    if (made) d->backtrace = vm_backtrace_create(d);
    made = made && d->backtrace != NULL;
    *context = d->context;
    d->context = running;
    vm_stack_apply_limit(d);
    if (!made) free_context(d, context);
    return made;
}

/* ---- The collector. ---- */

static void visit_thread(struct domain *d, struct vm_thread *t, struct gc_visitor *visitor) {
    struct vm_context running = d->context;
    d->context = t->context;
    vm_stack_scan(d, visitor);
    t->context = d->context;
    d->context = running;
    gc_visit_frames(visitor, t->local_roots);
    gc_visit_frames(visitor, t->abi_roots);
    gc_visit(visitor, &t->handle);
}

static void visit_dirty(struct vm_threads *threads, struct gc_visitor *visitor) {
    struct domain *d = threads->domain;
    struct vm_thread *t = threads->dirty;
    threads->dirty = NULL;
    while (t != NULL) {
        struct vm_thread *next = t->next_dirty;
        t->dirty = false;
        if (t->over) free_thread(t);
        else if (t != d->thread) visit_thread(d, t, visitor);
        t = next;
    }
}

static void require_no_young(struct gc_visitor *visitor, value *from, value *to) {
    for (; from < to; from++)
        vm_require(is_int(*from) || !gc_is_young(visitor->g, *from),
                   "TH2: a young block of a thread that is not dirty");
}

/* Checks TH1, and as often as the number of threads allows TH2. */
static void check_threads(struct vm_threads *threads) {
    struct domain *d = threads->domain;
    struct gc_visitor check = {.g = &d->gc, .slots = require_no_young};
    vm_require(d->thread == threads->owner && d->thread == threads->latest,
               "TH1: the domain's thread does not hold the runtime lock");
    size_t words = 0;
    for (const struct vm_thread *t = threads->all; t != NULL; t = t->next)
        words += (size_t)(t->context.stack.high - t->context.stack.sp);
    if (!gc_check_due(&d->gc, &threads->checked, words)) return;
    for (struct vm_thread *t = threads->all; t != NULL; t = t->next) {
        if (t == d->thread) continue;
        vm_require(t->context.stack.low != d->stack.low, "TH1: two threads have one stack");
        if (t->dirty) continue;
        require_no_young(&check, t->context.stack.sp, t->context.stack.high);
        gc_visit(&check, &t->handle);
        gc_visit_frames(&check, t->local_roots);
        gc_visit_frames(&check, t->abi_roots);
    }
}

static void visit_threads(void *context, struct gc_visitor *visitor) {
    struct vm_threads *threads = context;
    struct domain *d = threads->domain;
    if (gc_get_params(&d->gc)->verify) check_threads(threads);
    gc_visit(visitor, &d->thread->handle);
    if (visitor->young_only) {
        visit_dirty(threads, visitor);
        return;
    }
    for (struct vm_thread *t = threads->all; t != NULL; t = t->next)
        if (t != d->thread) visit_thread(d, t, visitor);
}

/* ---- Creation. ---- */

/* Makes t a thread of that domain. */
static void link_thread(struct vm_threads *threads, struct vm_thread *t,
                        struct vm_domain_record *record) {
    t->threads = threads;
    t->record = record;
    record->threads++;
    t->next = threads->all;
    if (t->next != NULL) t->next->previous = t;
    vm_threads_mutex_lock(threads);
    threads->all = t;
    threads->count++;
    vm_threads_mutex_unlock(threads);
    t->dirty = true; /* its handle is young */
    t->next_dirty = threads->dirty;
    threads->dirty = t;
}

static void unlink_thread(struct vm_threads *threads, struct vm_thread *t) {
    vm_domain_thread_ended(threads->domain, t->record);
    if (t->next != NULL) t->next->previous = t->previous;
    if (t->previous != NULL) t->previous->next = t->next;
    else threads->all = t->next;
}

static struct vm_thread *new_thread(void) {
    struct vm_thread *t = calloc(1, sizeof *t);
    struct vm_thread_status *status = calloc(1, sizeof *status);
    if (t == NULL || status == NULL) {
        free(t);
        free(status);
        return NULL;
    }
    pthread_cond_init(&t->turn, NULL);
    t->handle = VAL_UNIT;
    t->status = status;
    status->references = 1;
    return t;
}

static struct vm_threads *new_threads(struct domain *d) {
    struct vm_threads *threads = calloc(1, sizeof *threads);
    if (threads == NULL) return NULL;
    threads->domain = d;
    threads->alive = vm_unforked_page();
    if (threads->alive == NULL || pthread_key_create(&threads->self, NULL) != 0) {
        vm_page_free(threads->alive);
        free(threads);
        return NULL;
    }
    *threads->alive = 1;
    pthread_mutex_init(&threads->mutex, NULL);
    vm_tick_init(threads);
    return threads;
}

void vm_threads_start(struct domain *d) {
    if (d->vm->threads != NULL) return;
    struct vm_thread *t = new_thread();
    if (t == NULL) vm_raise_out_of_memory(d);
    make_hidden_handle(d, t);
    struct vm_threads *threads = new_threads(d);
    if (threads == NULL) {
        free_thread(t);
        vm_raise_out_of_memory(d);
    }
    threads->main = threads->owner = threads->latest = t;
    threads->next_number = 1;
    link_thread(threads, t, d->record);
    pthread_setspecific(threads->self, t);
    vm_stack_scan_rest(d);
    d->thread = t;
    d->vm->threads = threads;
    gc_add_scanner(d->gc.heap, "other threads", visit_threads, threads);
}

struct vm_thread *vm_thread_add(struct domain *d, value closure, bool is_body) {
    struct vm_threads *threads = d->vm->threads;
    struct vm_thread *t = new_thread();
    if (t == NULL) return NULL;
    GC_ROOT(&d->gc, &closure);
    /* Charges the memory here, which may collect: make_context cannot. */
    bool made = gc_external_charge(&d->gc, VM_THREAD_BYTES);
    if (made) {
        gc_external_uncharge(d->gc.heap, VM_THREAD_BYTES);
        made = make_context(d, &t->context);
    }
    if (made) {
        t->number = threads->next_number++;
        if (is_body) make_hidden_handle(d, t);
        else make_handle(d, t);
    }
    if (!made) {
        free_thread(t);
        return NULL;
    }
    t->context.accu = closure;
    link_thread(threads, t, d->record);
    return t;
}

void vm_thread_make_body(struct vm_thread *t, struct vm_domain_record *record) {
    t->record->threads--;
    t->record = record;
    record->threads++;
    t->is_body = true;
    vm_threads_mutex_lock(t->threads);
    t->threads->bodies++;
    vm_threads_mutex_unlock(t->threads);
}

static void *run_thread(void *context) {
    struct vm_thread *t = context;
    struct domain *d = t->threads->domain;
    value unit = VAL_UNIT;
    pthread_setspecific(t->threads->self, t);
    vm_leave_blocking(d);
    t->threads->beginning--;
    if (_setjmp(t->exit) == 0) {
        value closure = d->accu;
        d->accu = VAL_UNIT;
        if (t->is_body) vm_domain_changed(d, true);
        value result = vm_callback_exn(d, closure, 1, &unit);
        if (t->is_body) vm_domain_end(d, result);
    }
    /* A signal handler must not run in this thread while the machine is freed. */
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    vm_thread_stop(d);
    return NULL;
}

int vm_thread_launch(struct vm_thread *t) {
    pthread_t id;
    pthread_attr_t attributes;
    size_t bytes = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_getstacksize(&attributes, &bytes);
    /* C code may nest as deep as in the first thread (MAX_ACTIVATIONS). */
    if (bytes < VM_C_STACK_BYTES) pthread_attr_setstacksize(&attributes, VM_C_STACK_BYTES);
    int error = pthread_create(&id, &attributes, run_thread, t);
    pthread_attr_destroy(&attributes);
    if (error != 0) return error;
    t->threads->beginning++;
    vm_tick_start(t->threads);
    return 0;
}

value vm_thread_create(struct domain *d, value closure) {
    GC_ROOT(&d->gc, &closure);
    vm_threads_start(d);
    struct vm_thread *t = vm_thread_add(d, closure, false);
    if (t == NULL) vm_raise_out_of_memory(d);
    int error = vm_thread_launch(t);
    if (error != 0) {
        vm_thread_forget(d, t);
        vm_raise_sys_error(d, error, copy_string(d, "Thread.create"));
    }
    return t->handle;
}

void vm_thread_adopt_main(struct vm *vm) {
    if (vm->threads != NULL) pthread_setspecific(vm->threads->self, vm->threads->main);
}

bool vm_thread_is_registered(const struct vm *vm) {
    return vm->threads != NULL && pthread_getspecific(vm->threads->self) != NULL;
}

bool vm_thread_holds_runtime_lock(const struct vm *vm) {
    if (!vm_thread_is_registered(vm)) return false;
    vm_threads_mutex_lock(vm->threads);
    bool has = vm->threads->owner == pthread_getspecific(vm->threads->self);
    vm_threads_mutex_unlock(vm->threads);
    return has;
}

/* Runs in the context of the thread that held the lock last: the new thread has none yet. */
bool vm_thread_register(struct vm *vm) {
    struct vm_threads *threads = vm->threads;
    if (threads == NULL || vm_thread_is_registered(vm)) return false;
    struct domain *d = threads->domain;
    struct vm_thread *foreign = new_thread();
    if (foreign == NULL) return false;
    vm_threads_mutex_lock(threads);
    threads->foreign_waiting++;
    vm_threads_mutex_unlock(threads);
    vm_tick_start(threads); /* the holder of the lock may never enter a blocking section */
    vm_threads_mutex_lock(threads);
    vm_runtime_lock_acquire(threads, foreign);
    threads->foreign_waiting--;
    vm_threads_mutex_unlock(threads);
    bool made = make_context(d, &foreign->context);
    if (made) {
        foreign->foreign = true;
        foreign->threads = threads;
        foreign->record = threads->main->record;
        foreign->number = threads->next_number++;
        vm_context_enter(d, foreign);
        make_handle(d, foreign);
        link_thread(threads, foreign, foreign->record);
        pthread_setspecific(threads->self, foreign);
        vm_enter_blocking(d);
        return true;
    }
    vm_threads_mutex_lock(threads);
    vm_runtime_lock_release(threads);
    vm_threads_mutex_unlock(threads);
    free_thread(foreign);
    return false;
}

bool vm_thread_unregister(struct vm *vm) {
    if (!vm_thread_is_registered(vm)) return false;
    struct vm_thread *t = pthread_getspecific(vm->threads->self);
    if (!t->foreign) return false;
    vm_leave_blocking(t->threads->domain);
    pthread_setspecific(t->threads->self, NULL);
    vm_thread_stop(t->threads->domain);
    return true;
}

/* ---- End. ---- */

void vm_thread_join(struct domain *d, value handle) {
    struct vm_thread_status *status = status_of(handle);
    status->references++;
    while (!status->over) vm_wait(d, &status->joiners);
    release_status(status);
}

static void announce_end(struct domain *d, struct vm_thread *t) {
    t->status->over = true;
    vm_wake_all(d, &t->status->joiners);
}

/* Removes t from the machine and frees its context. */
static void remove_thread(struct vm_threads *threads, struct vm_thread *t) {
    unlink_thread(threads, t);
    vm_threads_mutex_lock(threads);
    threads->count--;
    threads->bodies -= t->is_body;
    vm_threads_mutex_unlock(threads);
    t->over = true;
}

void vm_thread_forget(struct domain *d, struct vm_thread *t) {
    free_context(d, &t->context);
    remove_thread(d->vm->threads, t); /* it is dirty, so the next minor collection frees it */
}

void vm_thread_stop(struct domain *d) {
    struct vm_thread *t = d->thread;
    struct vm_threads *threads = t->threads;
    struct vm_profiler *profiler = &d->vm->profiler;
    vm_unlock_down_to(d, NULL);
    announce_end(d, t);
    if (profiler->thread_ended != NULL) profiler->thread_ended(profiler->state, t->number);
    threads->latest = NULL;
    t->context = d->context;
    t->record->when_left = gc_allocated(&d->gc);
    free_context(d, &t->context);
    remove_thread(threads, t);
    if (threads->count == 1) vm_wake_all(d, &threads->main_waits);
    d->gc.local_roots = *abi_local_roots(d) = NULL;
    if (!t->dirty) free_thread(t);
    vm_threads_mutex_lock(threads);
    vm_runtime_lock_release(threads);
    vm_threads_mutex_unlock(threads);
}

bool vm_thread_is_main(const struct domain *d) {
    return d->thread == NULL || d->thread == d->thread->threads->main;
}

void vm_thread_exit(struct domain *d) {
    struct vm_thread *t = d->thread;
    if (!vm_thread_is_main(d) && !t->foreign) _longjmp(t->exit, 1);
    if (t->foreign) {
        vm_thread_stop(d);
        pthread_exit(NULL);
    }
    struct vm_threads *threads = t->threads;
    vm_unlock_down_to(d, NULL);
    announce_end(d, t);
    while (threads->count > 1) vm_wait(d, &threads->main_waits);
    d->vm->upcalls->exit(d, 0);
}

void vm_thread_exit_program(struct domain *d) {
    struct vm *vm = d->vm;
    struct vm_threads *threads = vm->threads;
    if (vm->options.end_process != NULL) vm->options.end_process(vm, vm->exit_status);
    if (threads->main->dead) exit(vm->exit_status);
    threads->exiting = true;
    vm_threads_mutex_lock(threads);
    threads->main->parked = false;
    pthread_cond_signal(&threads->main->turn);
    vm_threads_mutex_unlock(threads);
    vm_thread_stop(d);
    pthread_exit(NULL);
}

bool vm_threads_end(struct vm *vm) {
    struct vm_threads *threads = vm->threads;
    if (threads == NULL) return true;
    vm_tick_stop(threads);
    vm_threads_mutex_lock(threads);
    bool alone = threads->count + threads->foreign_waiting == 1;
    vm_threads_mutex_unlock(threads);
    if (!alone) return false;
    for (struct vm_thread *t = threads->dirty, *next; t != NULL; t = next) {
        next = t->next_dirty;
        if (t->over) free_thread(t);
    }
    free_thread(threads->main);
    gc_remove_scanner(threads->domain->gc.heap, visit_threads, threads);
    pthread_key_delete(threads->self);
    vm_page_free(threads->alive);
    threads->domain->thread = NULL;
    free(threads);
    vm->threads = NULL;
    return true;
}

/* ---- Fork. ---- */

/* After fork the other threads do not exist in the child: only the locks that they held matter.
 * Queues may name them, so their structs stay. */
static void thread_lost_by_fork(struct vm_threads *threads, struct vm_thread *t) {
    t->dead = true;
    for (struct vm_lock *lock = t->context.held; lock != NULL; lock = lock->outer)
        lock->holder = NULL;
    free_context(threads->domain, &t->context);
    unlink_thread(threads, t);
}

void vm_threads_in_child(struct vm_threads *threads) {
    struct vm_thread *self = pthread_getspecific(threads->self);
    *threads->alive = 1;
    pthread_mutex_init(&threads->mutex, NULL);
    vm_tick_init(threads);
    threads->queue = (struct vm_waiters){NULL, NULL};
    if (threads->owner != self) threads->owner = NULL;
    struct vm_thread *dirty = threads->dirty, *next;
    threads->dirty = NULL;
    for (; dirty != NULL; dirty = next) {
        next = dirty->next_dirty;
        dirty->dirty = dirty == self || dirty->over;
        if (!dirty->dirty) continue;
        dirty->next_dirty = threads->dirty;
        threads->dirty = dirty;
    }
    for (struct vm_thread *t = threads->all; t != NULL; t = next) {
        next = t->next;
        if (t != self) thread_lost_by_fork(threads, t);
    }
    threads->count = self != NULL;
    threads->bodies = self != NULL && self->is_body;
    threads->beginning = 0;
    if (self != NULL) pthread_cond_init(&self->turn, NULL);
}
