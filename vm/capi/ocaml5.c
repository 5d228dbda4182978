/* ocaml5.c - what OCaml 5 adds to the C interface: results and exceptions as values, blocks with
 * their fields, atoms, channels, the state of a thread. Functions that 5.x declares with other
 * parameters than 4.x look at takes_domain_state (vm/state/abi.h), where they are defined. */
#include "stdlib/channel.h"
#include "stdlib/events.h"
#include "stdlib/prim.h"
#include "vm/base/os.h"
#include "vm/capi/capi_internal.h"
#include "vm/engine/callback.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"
#include "vm/thread/domains.h"
#include "vm/thread/signal.h"

#include <stdarg.h>
#include <string.h>

/* A thread without the runtime lock called a function that needs it. */
_Noreturn void caml_bad_caml_state(void) { caml_fatal_error("no domain lock held"); }

/* ---- Exceptions as values. ---- */

static value predefined(enum vm_exception which) { return field(self()->vm->global_data, which); }

value caml_exception_constant(value tag) { return tag; }

value caml_exception_with_args(value tag, int count, value arguments[]) {
    struct domain *d = self();
    GC_ROOT(&d->gc, &tag);
    struct gc_local_roots given = {d->gc.local_roots, 1, count, {arguments}};
    d->gc.local_roots = &given;
    value exn = new_block(d, (size_t)count + 1, 0);
    gc_init_field(&d->gc, exn, 0, tag);
    for (int i = 0; i < count; i++) gc_init_field(&d->gc, exn, (size_t)i + 1, arguments[i]);
    d->gc.local_roots = given.next;
    return exn;
}
value caml_exception_with_arg(value tag, value argument) {
    return caml_exception_with_args(tag, 1, &argument);
}
value caml_exception_with_string(value tag, const char *text) {
    GC_ROOT(&self()->gc, &tag);
    value argument = copy_string(self(), text);
    return caml_exception_with_arg(tag, argument);
}

/* The predefined ones. */
value caml_exception_failure(const char *text) {
    return caml_exception_with_string(predefined(EXN_FAILURE), text);
}
value caml_exception_failure_value(value text) {
    return caml_exception_with_arg(predefined(EXN_FAILURE), text);
}
value caml_exception_invalid_argument(const char *text) {
    return caml_exception_with_string(predefined(EXN_INVALID_ARGUMENT), text);
}
value caml_exception_invalid_argument_value(value text) {
    return caml_exception_with_arg(predefined(EXN_INVALID_ARGUMENT), text);
}
value caml_exception_array_bound_error(void) {
    return caml_exception_invalid_argument("index out of bounds");
}
value caml_exception_sys_error(value text) {
    return caml_exception_with_arg(predefined(EXN_SYS_ERROR), text);
}
value caml_exception_out_of_memory(void) { return predefined(EXN_OUT_OF_MEMORY); }
value caml_exception_stack_overflow(void) { return predefined(EXN_STACK_OVERFLOW); }
value caml_exception_end_of_file(void) { return predefined(EXN_END_OF_FILE); }
value caml_exception_zero_divide(void) { return predefined(EXN_DIVISION_BY_ZERO); }
value caml_exception_not_found(void) { return predefined(EXN_NOT_FOUND); }
value caml_exception_sys_blocked_io(void) { return predefined(EXN_SYS_BLOCKED_IO); }

/* ---- Results: of callbacks, and of pending actions. ---- */

struct caml_result {
    int is_exception;
    value data;
};

static struct caml_result result_of(value v) {
    bool is_exception = is_exn_result(v);
    return (struct caml_result){is_exception, is_exception ? exn_of_result(v) : v};
}

struct caml_result caml_callback_res(value f, value a) {
    return result_of(caml_callback_exn(f, a));
}
struct caml_result caml_callback2_res(value f, value a, value b) {
    return result_of(caml_callback2_exn(f, a, b));
}
struct caml_result caml_callback3_res(value f, value a, value b, value c) {
    return result_of(caml_callback3_exn(f, a, b, c));
}
struct caml_result caml_callbackN_res(value f, int count, value arguments[]) {
    return result_of(caml_callbackN_exn(f, count, arguments));
}
struct caml_result caml_process_pending_actions_res(void) {
    return result_of(caml_process_pending_actions_exn());
}
struct caml_result caml_process_pending_actions_with_root_res(value v) {
    return result_of(caml_process_pending_actions_with_root_exn(v));
}
struct caml_result caml_do_pending_actions_res(void) {
    return result_of(caml_do_pending_actions_exn());
}
struct caml_result caml_final_do_calls_res(void) {
    return result_of(caml_final_do_calls_exn());
}
struct caml_result caml_process_pending_signals_res(void) {
    return result_of(caml_process_pending_signals_exn());
}
struct caml_result caml_execute_signal_res(int number) {
    return result_of(caml_execute_signal_exn(number, 0));
}
int caml_check_pending_signals(void) { return vm_signals_pending(self()); }

/* ---- Blocks. ---- */

value caml_atom(unsigned char tag) { return gc_atom(&self()->gc, tag); }

/* A small block with the given fields. */
static value block_of(unsigned tag, int count, ...) {
    struct domain *d = self();
    value fields[9];
    va_list given;
    va_start(given, count);
    for (int i = 0; i < count; i++) fields[i] = va_arg(given, value);
    va_end(given);
    struct gc_local_roots roots = {d->gc.local_roots, 1, count, {fields}};
    d->gc.local_roots = &roots;
    value v = new_small(d, (size_t)count, tag);
    d->gc.local_roots = roots.next;
    for (int i = 0; i < count; i++) gc_init_field(&d->gc, v, (size_t)i, fields[i]);
    return v;
}
value caml_alloc_1(unsigned tag, value a) { return block_of(tag, 1, a); }
value caml_alloc_2(unsigned tag, value a, value b) { return block_of(tag, 2, a, b); }
value caml_alloc_3(unsigned tag, value a, value b, value c) { return block_of(tag, 3, a, b, c); }
value caml_alloc_4(unsigned tag, value a, value b, value c, value d) {
    return block_of(tag, 4, a, b, c, d);
}
value caml_alloc_5(unsigned tag, value a, value b, value c, value d, value e) {
    return block_of(tag, 5, a, b, c, d, e);
}
value caml_alloc_6(unsigned tag, value a, value b, value c, value d, value e, value f) {
    return block_of(tag, 6, a, b, c, d, e, f);
}
value caml_alloc_7(unsigned tag, value a, value b, value c, value d, value e, value f, value g) {
    return block_of(tag, 7, a, b, c, d, e, f, g);
}
value caml_alloc_8(unsigned tag, value a, value b, value c, value d, value e, value f, value g,
                   value h) {
    return block_of(tag, 8, a, b, c, d, e, f, g, h);
}
value caml_alloc_9(unsigned tag, value a, value b, value c, value d, value e, value f, value g,
                   value h, value i) {
    return block_of(tag, 9, a, b, c, d, e, f, g, h, i);
}

static value alloc_shared(struct domain *d, void *context) {
    const header *wanted = context;
    return caml_alloc_shr(wosize_of_header(*wanted), (unsigned char)tag_of_header(*wanted));
}
/* 0 instead of Out_of_memory. */
value caml_alloc_shr_noexc(uintptr_t wosize, unsigned tag) {
    header wanted = make_header(wosize, tag, 0);
    value v = vm_protect_exn(self(), alloc_shared, &wanted);
    return is_exn_result(v) ? 0 : v;
}
value caml_alloc_shr_reserved(uintptr_t wosize, unsigned tag, uintptr_t unused) {
    return caml_alloc_shr(wosize, (unsigned char)tag);
}

/* Threads take turns, so a test and a store are one step. */
int caml_atomic_cas_field(value block, intptr_t i, value expected, value v) {
    if (field(block, i) != expected) return 0;
    caml_modify(&field(block, i), v);
    return 1;
}

uintptr_t caml_custom_get_max_major(void) { return gc_custom_major_max(self()->gc.heap); }
void caml_adjust_minor_gc_speed(uintptr_t mem, uintptr_t max) { caml_adjust_gc_speed(mem, max); }

/* Memory outside the heap is sampled where it is charged to a block (gc_alloc_custom_owning). */
void caml_memprof_sample_block(value block, size_t allocated, size_t sampled, int source) {}

/* ---- Channels. ---- */

void caml_channel_lock(struct channel *c) { capi_lock_channel(c); }
void caml_channel_unlock(struct channel *c) { capi_unlock_channel(c); }
void caml_flush_if_unbuffered(struct channel *c) {
    if (c->unbuffered) caml_flush(c);
}

/* Descriptors and flags are C integers: only stubs call these. The flags say what is special about
 * channels of other systems. */
value caml_ml_open_descriptor_in_with_flags(int fd, int flags) {
    return prim_ml_open_descriptor_in(self(), val_of_int(fd));
}
value caml_ml_open_descriptor_out_with_flags(int fd, int flags) {
    return prim_ml_open_descriptor_out(self(), val_of_int(fd));
}

/* ---- Runtime events. ---- */

void caml_runtime_events_start(void) { events_start(self()); }
void caml_runtime_events_pause(void) { events_pause(self()); }
void caml_runtime_events_resume(void) { events_resume(self()); }
int caml_runtime_events_are_active(void) { return events_are_active(self()); }
void caml_runtime_events_post_fork(void) { events_after_fork(self()); }
void caml_ev_lifecycle(int what, int64_t data) {
    events_lifecycle(self(), (enum event_lifecycle)what, (uint64_t)data);
}
char *caml_runtime_events_current_location(void) {
    const char *path = events_path(self());
    return path == NULL ? NULL : caml_stat_strdup(path);
}
value caml_runtime_events_user_register(value name, value tag, value type) {
    return prim_runtime_events_user_register(self(), name, tag, type);
}
value caml_runtime_events_user_write(value buffer, value event, value content) {
    return prim_runtime_events_user_write(self(), buffer, event, content);
}
value caml_runtime_events_user_resolve(const char *name, int type) {
    value text = copy_string(self(), name);
    return prim_runtime_events_user_resolve(self(), text, val_of_int(type));
}

/* ---- The system. ---- */

uint64_t caml_time_counter(void) { return vm_now_ns(); }

/* The table of named values needs no preparation. */
void caml_init_callbacks(void) {}

intptr_t caml_domain_is_multicore(void) { return vm_domain_was_spawned(self()->vm); }

char *caml_strerror(int error, char *text, size_t room) { return strerror_r(error, text, room); }
