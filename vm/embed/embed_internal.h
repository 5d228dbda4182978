/* embed_internal.h - what the files of the library share.
 *
 * EM1  allowed is true exactly while the embedder's code has the machine: outside of calls, and
 *      while a primitive of its own runs. All functions of the interface ask it first.
 * EM2  A live handle is in the list of one scope, a dead one (machine NULL) in the list of free
 *      ones: no memory of a handle is freed before the machine.
 * EM3  While a machine with C stubs is inside of a call it has the turn, and the stubs see it. */
#ifndef BACTRIAN_VM_EMBED_EMBED_INTERNAL_H
#define BACTRIAN_VM_EMBED_EMBED_INTERNAL_H

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
    struct bactrian_value *next, *previous; /* in its scope; next also among the free ones */
    struct scope *scope;
};

struct scope {
    struct bactrian_value *first;
    struct scope *outer;           /* the one to go back to */
    struct scope *next, *previous; /* all scopes of the machine */
    bool by_embedder;              /* bactrian_open_scope */
    bool raises;                   /* of a primitive: ... */
    value pending;                 /* ... what it raises */
};

struct bactrian_tracker {
    struct bactrian_tracker *next;
    struct bactrian *machine;
    struct mp_tracker *tracker;
    struct bactrian_tracking tracking;
    size_t depth; /* of the call stacks that it is given */
};

struct bactrian {
    struct vm *vm; /* NULL until it exists */
    struct vm_image image;
    struct vm_policy policy;
    struct bactrian_output output, errors; /* what the streams of vm_options stand on */
    struct bactrian_input input;
    void (*message)(void *context, const char *text, size_t length);
    void *message_context;
    FILE *err;
    char *name, *standard_library;
    char **argv, **stub_folders;
    struct primitive *primitives;
    struct vm_prim *rows; /* the embedder's, then the profiler's */
    size_t primitive_count;
    bool allowed; /* EM1 */
    bool inside;  /* of a call */
    bool has_run, over, broken;
    /* A call that a primitive made ended so, and the call that it runs in will; or BACTRIAN_OK. */
    enum bactrian_outcome leaving;
    char text[512];
    char backtrace_kind; /* of the last outcome: 'r'aised, 's'topped, or 0 */
    struct scope all;    /* handles outside of all scopes; head of the list of scopes */
    struct scope *scope;
    struct bactrian_value *free_handles;
    struct bactrian_value exception; /* of the last BACTRIAN_EXCEPTION; VAL_UNIT: none */
    struct mp_recorder *recorder;
    struct bactrian_tracker *trackers;
    pthread_t thread;            /* that is inside of the outermost call */
    bool has_turn;               /* EM3 */
    struct bactrian *turn_below; /* of the same thread, which had the turn before */
};

/* ---- enter.c ---- */

/* Notes a failure and returns outcome; the format is printf's. */
enum bactrian_outcome embed_fail(struct bactrian *m, enum bactrian_outcome outcome,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Whether the machine can be used now; if not, the outcome that says why. GC: never. */
bool embed_usable(const struct bactrian *m);
enum bactrian_outcome embed_why_not(const struct bactrian *m);
/* Runs f in the machine, or (NULL) the program. BACTRIAN_OK: its result is in *out. GC: may run,
 * and any OCaml code. */
enum bactrian_outcome embed_perform(struct bactrian *m, value (*f)(struct domain *d, void *context),
                                    void *context, value *out);
/* For vm_options.abi: machines that take turns. */
extern const struct vm_abi embed_abi;
/* Runs f where only memory can fail, outside of calls. False: the machine is broken. */
bool embed_guard(struct bactrian *m, void (*f)(struct bactrian *m, void *context), void *context);

/* ---- handles.c ---- */

/* A handle of v in the current scope. NULL: no memory, after embed_fail. GC: never. */
struct bactrian_value *embed_handle(struct bactrian *m, value v);
/* Opens a scope, which is the current one then. NULL: no memory. GC: never. */
struct scope *embed_open_scope(struct bactrian *m);
/* Ends a scope, its handles, and those opened in it. GC: never. */
void embed_close_scope(struct bactrian *m, struct scope *scope);
/* The live handle's value, of machine m or (NULL) any; false: after embed_fail where m is known. */
bool embed_value(struct bactrian *m, const struct bactrian_value *h, value *out);
/* Scanner of all handles (gc/roots.h); context: the machine. */
void embed_scan(void *context, struct gc_visitor *visitor);
/* Frees all handles and scopes. The heap is gone. */
void embed_free_handles(struct bactrian *m);

/* ---- primitives.c ---- */

/* Makes the rows of the embedder's primitives and the profiler's. NULL, or what is wrong. */
const char *embed_make_primitives(struct bactrian *m, const struct bactrian_options *options);
void embed_free_primitives(struct bactrian *m);

/* ---- profile.c ---- */

/* Completes a recording and frees the trackers. The heap exists. */
void embed_end_profiles(struct bactrian *m);

#endif
