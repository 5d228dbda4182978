/* embed_internal.h - what the files of the library share.
 *
 * EM1  usable is true exactly while the embedder's code controls the machine: outside of calls, and
 *      while one of its primitives runs. All functions of the interface test it first.
 * EM2  A live handle is in the list of one scope, a dead one (machine NULL) in the free list. The
 *      memory of a handle is freed only with the machine.
 * EM3  While a machine with C stubs is inside a call it holds the stub lock, and Caml_state is its
 *      state. */
#ifndef BACTRIAN_VM_EMBED_EMBED_INTERNAL_H
#define BACTRIAN_VM_EMBED_EMBED_INTERNAL_H

#include "gc/assert.h"
#include "memprof/sampling/tracker.h"
#include "vm/embed/bactrian.h"
#include "vm/image/image.h"
#include "vm/image/policy.h"

#include <pthread.h>

struct mp_recorder;
struct primitive;

struct bactrian_value {
    value v;
    struct bactrian *machine;
    struct bactrian_value *next, *previous; /* in its scope; next also in the free list */
    struct scope *scope;
};

struct scope {
    struct bactrian_value *first;
    struct scope *outer;
    struct scope *next, *previous; /* all scopes of the machine */
    bool by_embedder;              /* opened by bactrian_open_scope */
    bool raises;                   /* of a primitive: raise `pending` on return */
    value pending;
};

struct bactrian_tracker {
    struct bactrian_tracker *next;
    struct bactrian *machine;
    struct mp_tracker *tracker;
    struct bactrian_tracking tracking;
    size_t depth; /* limit of its call stacks */
};

struct bactrian {
    struct vm *vm; /* NULL until created */
    struct vm_image image;
    struct vm_policy policy;
    void (*message)(void *context, const char *text, size_t length);
    void *message_context;
    FILE *err;
    char *name, *standard_library;
    char **argv, **stub_folders;
    struct primitive *primitives;
    struct vm_prim *rows; /* the embedder's, then the profiler's */
    size_t primitive_count;
    bool usable; /* EM1 */
    bool inside; /* a call */
    bool has_run, exited, broken;
    /* BACTRIAN_OK, or the outcome of a call made by a primitive, with which the outer call ends
     * when the primitive returns. */
    enum bactrian_outcome unwinding;
    char text[512];
    char backtrace_kind; /* of the last outcome: 'r'aised, 's'topped, or 0 */
    struct scope all;    /* handles outside of all scopes; head of the list of scopes */
    struct scope *scope; /* the current one */
    struct bactrian_value *free_handles;
    value exception; /* of the last BACTRIAN_EXCEPTION; VAL_UNIT: none */
    struct mp_recorder *recorder;
    struct bactrian_tracker *trackers;
    pthread_t thread;              /* inside the outermost call */
    bool holds_stub_lock;          /* EM3 */
    struct bactrian *outer_holder; /* of the stub lock: a machine of the same thread, or NULL */
};

/* ---- enter.c ---- */

/* Sets the error text and returns outcome; the format is printf's. */
enum bactrian_outcome embed_fail(struct bactrian *m, enum bactrian_outcome outcome,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));
/* BACTRIAN_OK if the machine can be used now, else the outcome to return. GC: never. */
enum bactrian_outcome embed_state(const struct bactrian *m);
/* Runs f, or (NULL) the program, in the machine. BACTRIAN_OK: *out is the result. GC: may run, and
 * any OCaml code. */
enum bactrian_outcome embed_perform(struct bactrian *m, value (*f)(struct domain *d, void *context),
                                    void *context, value *out);
/* For vm_options.abi: attaches under the stub lock. */
extern const struct vm_abi embed_abi;
/* Runs f, which fails only when out of memory, outside of calls. False: the machine is broken. */
bool embed_guard(struct bactrian *m, void (*f)(struct bactrian *m, void *context), void *context);

/* ---- handles.c ---- */

/* A handle of v in the current scope. NULL: out of memory, after embed_fail. GC: never. */
struct bactrian_value *embed_handle(struct bactrian *m, value v);
/* Opens a scope and makes it current. NULL: out of memory. GC: never. */
struct scope *embed_open_scope(struct bactrian *m);
/* Closes a scope, with its handles, and the scopes opened in it. GC: never. */
void embed_close_scope(struct bactrian *m, struct scope *scope);
/* The value of a live handle, of machine m or (NULL) any; false: after embed_fail if m is given. */
bool embed_value(struct bactrian *m, const struct bactrian_value *h, value *out);
/* Scans all handles (gc/roots.h); context: the machine. */
void embed_scan(void *context, struct gc_visitor *visitor);
/* Frees all handles and scopes. Needs: the heap is destroyed. */
void embed_free_handles(struct bactrian *m);

/* ---- primitives.c ---- */

/* Creates the rows of the embedder's primitives and the profiler's. Returns NULL, or an error. */
const char *embed_make_primitives(struct bactrian *m, const struct bactrian_options *options);
void embed_free_primitives(struct bactrian *m);

/* ---- profile.c ---- */

/* Completes a recording and frees the trackers. Needs: the heap still exists. */
void embed_end_profiles(struct bactrian *m);

#endif
