/* callback.c - OCaml functions that C code can call.
 *
 *      live     roots: their functions may be called
 *      freed    a queue; the oldest is reused when it is longer than KEPT_FREED
 *
 * FF4  A callback is in exactly one of the two. A freed one keeps its code and signature for a
 *     while, so that C code that still calls it gets an error and not another function.
 *
 * A callback during a foreign call of this thread stores its exception in the call's frame (ffi.h,
 * FF3); later callbacks of that call return zeros without running.
 *
 * Otherwise the caller is either a stub of this thread (the exception unwinds the stub's C frames,
 * as with caml_callback) or a thread created by C, which is registered for the duration of the
 * callback. */
#include "stdlib/ffi/ffi.h"
#include "stdlib/prim.h"
#include "stdlib/state.h"
#include "vm/code/checks.h"
#include "vm/engine/callback.h"
#include "vm/machine/machine.h"
#include "vm/thread/pending.h"
#include "vm/thread/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEPT_FREED = 1024 };

/* ---- The two lists. ---- */

static void scan_callbacks(void *context, struct gc_visitor *visitor) {
    struct ffi_state *state = context;
    for (size_t i = 0; i < state->live.count; i++) {
        gc_visit(visitor, &state->live.items[i]->function);
        gc_visit(visitor, &state->live.items[i]->prepared);
    }
}

static void destroy(struct ffi_callback *callback) {
    if (callback->closure != NULL) ffi_closure_free(callback->closure);
    ffi_signature_release(callback->signature);
    free(callback);
}

/* The oldest freed callback if the queue is long enough, or a new one. NULL: out of memory. */
static struct ffi_callback *obtain(struct ffi_state *state) {
    struct ffi_callback *callback = state->first_freed;
    if (state->freed_count > KEPT_FREED) {
        ASSERT(callback->state == FFI_CALLBACK_FREED); /* FF4 */
        state->first_freed = callback->next;
        state->freed_count--;
        ffi_signature_release(callback->signature);
        callback->signature = NULL;
        return callback;
    }
    callback = calloc(1, sizeof *callback);
    if (callback == NULL) return NULL;
    callback->owner = state;
    callback->closure = ffi_closure_alloc(sizeof *callback->closure, &callback->code);
    if (callback->closure != NULL) return callback;
    destroy(callback);
    return NULL;
}

void ffi_callback_free(struct ffi_callback *callback) {
    struct ffi_state *state = callback->owner;
    ASSERT(callback->state == FFI_CALLBACK_LIVE && callback->index < state->live.count); /* FF4 */
    ASSERT(state->live.items[callback->index] == callback);
    struct ffi_callback *last = state->live.items[--state->live.count];
    state->live.items[callback->index] = last;
    last->index = callback->index;
    callback->state = FFI_CALLBACK_FREED;
    callback->function = callback->prepared = VAL_UNIT;
    callback->next = NULL;
    if (state->freed_count++ == 0) state->first_freed = callback;
    else state->last_freed->next = callback;
    state->last_freed = callback;
}

struct ffi_state *ffi_state_open(struct vm *vm) {
    struct ffi_state *state = calloc(1, sizeof *state);
    if (state == NULL) return NULL;
    state->vm = vm;
    state->frame_at_start = ffi_innermost_frame();
    return state;
}

void ffi_state_close(struct ffi_state *state) {
    /* The program may have ended inside a callback. */
    ffi_set_innermost_frame(state->frame_at_start);
    for (size_t i = 0; i < state->live.count; i++) destroy(state->live.items[i]);
    while (state->first_freed != NULL && state->freed_count-- > 0) {
        struct ffi_callback *next = state->first_freed->next;
        destroy(state->first_freed);
        state->first_freed = next;
    }
    free(state->live.items);
    free(state);
}

/* ---- Being called. ---- */

struct invocation {
    struct ffi_callback *callback;
    const struct ffi_signature *signature;
    void **arguments;
    void *result;
};

/* The OCaml value of argument i. Structures are copied, since those of C end with the callback. */
static value argument(struct domain *d, const struct invocation *call, value typ, size_t i) {
    const struct ffi_slot *slot = &call->signature->arguments[i];
    if (slot->code != FFI_STRUCT) return ffi_give(d, slot->code, typ, call->arguments[i], VAL_UNIT);
    GC_ROOT(&d->gc, &typ);
    value memory = ffi_memory_new(d, slot->bytes);
    void *copy = ffi_memory_of(memory)->base;
    memcpy(copy, call->arguments[i], slot->bytes);
    return ffi_give(d, slot->code, typ, copy, memory);
}

/* Stores the result for libffi: integers as a whole word. */
static void return_result(struct domain *d, const struct invocation *call, value v) {
    const struct ffi_slot *slot = &call->signature->result;
    union ffi_word word = {.cd = {0, 0}};
    enum ffi_problem problem = ffi_take(slot, v, &word);
    if (problem != FFI_BAD_NONE)
        vm_invalid_argument(d, "Ffi: result of a callback: %s", ffi_problem_text(problem));
    if (slot->code == FFI_NOTHING) return;
    if (slot->code == FFI_STRUCT) memcpy(call->result, word.p, slot->bytes);
    else memcpy(call->result, &word, slot->bytes < 8 ? 8 : slot->bytes);
}

static value run_callback(struct domain *d, void *context) {
    struct invocation *call = context;
    struct ffi_callback *callback = call->callback;
    if (callback->state == FFI_CALLBACK_FREED)
        vm_invalid_argument(d, "Ffi: C code called a callback that was freed");
    size_t n = call->signature->count;
    ASSERT(n <= FFI_MAX_ARGUMENTS);
    value values[FFI_MAX_ARGUMENTS];
    for (size_t i = 0; i < n; i++) values[i] = VAL_UNIT;
    struct gc_local_roots roots = {d->gc.local_roots, 1, (intptr_t)n, {values}};
    d->gc.local_roots = &roots;
    for (size_t i = 0; i < n; i++) {
        value typs = field(callback->prepared, FFI_PREPARED_ARGUMENTS);
        values[i] = argument(d, call, field(typs, i), i);
    }
    if (n == 0) values[0] = VAL_UNIT;
    d->gc.local_roots = roots.next;
    value result = vm_callback_exn(d, callback->function, n == 0 ? 1 : (int)n, values);
    if (!is_exn_result(result)) return_result(d, call, result);
    return result;
}

static void clear_result(const struct ffi_signature *signature, void *result) {
    size_t bytes = signature->result.bytes;
    if (signature->result.code == FFI_NOTHING) return;
    memset(result, 0, bytes < sizeof(ffi_arg) ? sizeof(ffi_arg) : bytes);
}

/* Runs the function. Returns an exception as exn_result; *result stays zero then. */
static value invoke(struct domain *d, struct ffi_callback *callback, void *result,
                    void **arguments) {
    struct ffi_signature *signature = callback->signature; /* the function may free the callback */
    signature->users++;
    struct invocation call = {callback, signature, arguments, result};
    value outcome = vm_protect_exn(d, run_callback, &call);
    ffi_signature_release(signature);
    return outcome;
}

/* Warns that a call was ignored; C gets a result of zero. */
static void ignore_call(const struct ffi_callback *callback, const char *why) {
    fprintf(vm_err(callback->owner->vm), "bactrian: Ffi: a callback was ignored: %s\n", why);
}

/* Calls in a thread that C code created, where an exception has no handler. */
static void call_in_foreign_thread(struct vm *vm, struct ffi_callback *callback, void *result,
                                   void **arguments) {
    struct domain *d = vm->domain;
    char text[200];
    if (!vm_thread_register(vm)) {
        ignore_call(callback, "no memory for a thread");
        return;
    }
    vm_leave_blocking(d);
    value outcome = invoke(d, callback, result, arguments);
    if (is_exn_result(outcome)) {
        vm_format_exception(vm, exn_of_result(outcome), text, sizeof text);
        fprintf(vm_err(vm), "bactrian: Ffi: a callback in a C thread raised %s\n", text);
    }
    vm_enter_blocking(d);
    vm_thread_unregister(vm);
}

/* A stub in a thread of the machine calls; has_lock: it is not in a blocking section. */
static void call_from_stub(struct domain *d, bool has_lock, struct ffi_callback *callback,
                           void *result, void **arguments) {
    if (!has_lock) vm_leave_blocking(d);
    value outcome = invoke(d, callback, result, arguments);
    if (is_exn_result(outcome)) vm_raise(d, exn_of_result(outcome));
    if (!has_lock) vm_enter_blocking(d);
}

/* Calls when this thread is not in a foreign call. */
static void call_from_outside(struct ffi_callback *callback, void *result, void **arguments) {
    struct vm *vm = callback->owner->vm;
    /* With threads, another thread may be writing callback->owner->thread. */
    if (vm->threads == NULL && pthread_equal(pthread_self(), callback->owner->thread))
        call_from_stub(vm->domain, true, callback, result, arguments);
    else if (vm->threads == NULL)
        ignore_call(callback, "it comes from a C thread, during a call that is not ~blocking:true");
    else if (vm_thread_is_registered(vm))
        call_from_stub(vm->domain, vm_thread_holds_runtime_lock(vm), callback, result, arguments);
    else call_in_foreign_thread(vm, callback, result, arguments);
}

/* The function that libffi calls. */
static void enter_callback(ffi_cif *cif, void *result, void **arguments, void *context) {
    struct ffi_callback *callback = context;
    struct ffi_frame *frame = ffi_innermost_frame();
    clear_result(callback->signature, result);
    if (frame == NULL) {
        call_from_outside(callback, result, arguments);
        return;
    }
    if (frame->d->vm != callback->owner->vm) {
        ignore_call(callback, "it was called during another machine's foreign call");
        return;
    }
    if (frame->raised) return;
    if (frame->blocking) vm_leave_blocking(frame->d);
    value outcome = invoke(frame->d, callback, result, arguments);
    if (is_exn_result(outcome)) {
        *frame->pending = exn_of_result(outcome);
        frame->raised = true;
    }
    if (frame->blocking) vm_enter_blocking(frame->d);
}

struct ffi_callback *ffi_callback_new(struct domain *d, value prepared, value f) {
    struct ffi_state *state = prim_state(d)->ffi;
    struct ffi_signature *signature = ffi_signature_of(prepared);
    if (signature == NULL || !vector_reserve(&state->live, 1, 16, NULL)) return NULL;
    struct ffi_callback *callback = obtain(state);
    if (callback == NULL) return NULL;
    if (!pthread_equal(state->thread, pthread_self())) state->thread = pthread_self();
    if (ffi_prep_closure_loc(callback->closure, &signature->cif, enter_callback, callback,
                             callback->code) != FFI_OK) {
        destroy(callback);
        return NULL;
    }
    if (!state->scanned) gc_add_scanner(d->gc.heap, "callbacks of Ffi", scan_callbacks, state);
    state->scanned = true;
    signature->users++;
    callback->signature = signature;
    callback->prepared = prepared;
    callback->function = f;
    callback->state = FFI_CALLBACK_LIVE;
    callback->index = state->live.count;
    vector_append(&state->live, callback);
    return callback;
}

/* ---- Blocks of callbacks. ---- */

/* NULL before the callback exists and after it is freed, since it may be reused by then. */
static struct ffi_callback **held_by(value v) { return custom_data(v); }

static void callback_finalize(value v) {
    struct ffi_callback *callback = *held_by(v);
    if (callback != NULL) ffi_callback_free(callback);
}

static const struct gc_custom_ops callback_ops = {
    .identifier = "bactrian.ffi.callback",
    .finalize = callback_finalize,
};

enum ffi_problem ffi_callback_problem(value v) {
    if (!is_custom_of(v, &callback_ops)) return FFI_BAD_KIND;
    return *held_by(v) == NULL ? FFI_BAD_FREED_CALLBACK : FFI_BAD_NONE;
}

value prim_ffi_callback(struct domain *d, value prepared, value f) {
    if (ffi_signature_of(prepared) == NULL || !is_closure(f))
        vm_invalid_argument(d, "Ffi.callback: not a function and its type");
    GC_ROOT(&d->gc, &prepared, &f);
    vm_threads_start(d); /* C may keep it, and call it from a thread of its own */
    value v = gc_alloc_custom(&d->gc, &callback_ops, sizeof(void *), 0, 1);
    *held_by(v) = NULL;
    struct ffi_callback *callback = ffi_callback_new(d, prepared, f);
    if (callback == NULL) vm_raise_out_of_memory(d);
    *held_by(v) = callback;
    return v;
}

value prim_ffi_callback_address(struct domain *d, value v) {
    enum ffi_problem problem = ffi_callback_problem(v);
    if (problem != FFI_BAD_NONE) vm_invalid_argument(d, "Ffi: %s", ffi_problem_text(problem));
    return val_of_int((intptr_t)(*held_by(v))->code);
}

value prim_ffi_callback_free(struct domain *d, value v) {
    enum ffi_problem problem = ffi_callback_problem(v);
    if (problem != FFI_BAD_NONE)
        vm_invalid_argument(d, "Ffi.free_callback: %s", ffi_problem_text(problem));
    struct ffi_callback *callback = *held_by(v);
    *held_by(v) = NULL;
    ffi_callback_free(callback);
    return VAL_UNIT;
}
