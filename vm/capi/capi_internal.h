/* capi_internal.h - what the files of the C ABI share.
 *
 * The functions and variables that stubs import have no header here: OCaml's manual (chapter
 * "Interfacing C with OCaml") and its headers in /usr/lib/ocaml/caml declare and document them, and
 * stubs are compiled with those. Comments at the definitions note only the differences of this
 * machine. All need a machine that runs in this thread. Those that allocate or call OCaml code: GC:
 * may run. They fail by raising, which is a longjmp through the stub.
 *
 * CA1  exports.list has the name of each of them, among them all of OCaml's headers but those that
 *      README.md explains. */
#ifndef BACTRIAN_VM_CAPI_CAPI_INTERNAL_H
#define BACTRIAN_VM_CAPI_CAPI_INTERNAL_H

#include "gc/assert.h"
#include "gc/hooks.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

struct channel;
struct final_ops;

extern struct vm_abi_state *Caml_state; /* of the machine that runs stubs; NULL: none */

/* The C ABI's state of a machine (vm->abi_state). */
struct capi {
    struct gc_visitor *visitor;  /* of the current scan */
    struct final_ops *final_ops; /* of caml_alloc_final; blocks use them until the end */
    struct gc_observer observer;
    pthread_t thread;            /* the one that runs the machine, if it has no threads */
    _Atomic intptr_t stat_bytes; /* of blocks of caml_stat_alloc and the like */
    size_t stat_counted;         /* of these, by the heap */
};

/* The domain that runs the stub: Caml_state is a part of it. GC: never. */
static inline struct domain *self(void) {
    ASSERT(Caml_state != NULL);
    return (struct domain *)((char *)Caml_state - offsetof(struct domain, abi));
}
/* What caml_channel_mutex_lock and _unlock are at first. */
void capi_lock_channel(struct channel *c);
void capi_unlock_channel(struct channel *c);
/* Frees the operations that caml_alloc_final created. GC: never. */
void capi_free_final_ops(struct capi *capi);
/* Copies the collector's counters to Caml_state. GC: never. */
void capi_publish_counters(struct domain *d);
/* Raises Out_of_memory for NULL. */
static inline void *must(void *memory) {
    if (memory == NULL) vm_raise_out_of_memory(self());
    return memory;
}

/* Functions for stubs that other files call too. */
value caml_alloc_shr(uintptr_t wosize, unsigned char tag);
void caml_modify(value *slot, value v);
void caml_adjust_gc_speed(uintptr_t mem, uintptr_t max);
void *caml_stat_alloc(size_t bytes);
void *caml_stat_calloc_noexc(size_t n, size_t bytes);
void *caml_stat_resize_noexc(void *block, size_t bytes);
void caml_stat_free(void *block);
char *caml_stat_strdup(const char *text);
char *caml_stat_strconcat(int count, ...);
_Noreturn void caml_invalid_argument(const char *text);
_Noreturn void caml_fatal_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
value caml_callback_exn(value f, value a);
value caml_callback2_exn(value f, value a, value b);
value caml_callback3_exn(value f, value a, value b, value c);
value caml_callbackN_exn(value f, int count, value arguments[]);
void caml_enter_blocking_section_no_pending(void);
void caml_leave_blocking_section(void);
value caml_process_pending_actions_exn(void);
value caml_do_pending_actions_exn(void);
value caml_process_pending_actions_with_root_exn(value v);
value caml_final_do_calls_exn(void);
value caml_process_pending_signals_exn(void);
value caml_execute_signal_exn(int number, int in_handler);
void caml_flush(struct channel *c);
void caml_output_value_to_malloc(value v, value flags, char **out, intptr_t *length);
value caml_exception_with_args(value tag, int count, value arguments[]);
extern void (*caml_enter_blocking_section_hook)(void);
extern void (*caml_leave_blocking_section_hook)(void);
extern void (*caml_fatal_error_hook)(const char *format, va_list arguments);
extern uintptr_t caml_verb_gc;

#endif
