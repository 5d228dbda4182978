/* bactrian.h - OCaml bytecode inside of a C or C++ program.
 *
 * A machine runs one bytecode file. Any number of machines may exist in a process; each has its own
 * heap, and machines in different threads run in parallel. In short:
 *
 *     struct bactrian_error error;
 *     struct bactrian *m = bactrian_open("plugin.byte", NULL, &error);
 *     if (m == NULL) return complain(error.text);
 *     if (bactrian_run(m) == BACTRIAN_OK) {
 *         struct bactrian_value *twice = bactrian_named(m, "twice");   Callback.register "twice"
 *         struct bactrian_value *argument = bactrian_int(m, 21), *result;
 *         if (bactrian_call(m, twice, 1, &argument, &result) == BACTRIAN_OK)
 *             printf("%ld\n", (long)bactrian_get_int(result));
 *         else fprintf(stderr, "%s\n", bactrian_error_text(m));
 *     }
 *     bactrian_close(m);
 *
 * The library prints nothing, ends nothing and installs no signal handler; what goes wrong is an
 * outcome with a text. What the OCaml program itself does is its own: what it prints goes where
 * bactrian_options say, what it may do to the process is decided by capabilities.
 *
 * Values. OCaml's collector moves blocks, so C code has handles (struct bactrian_value *), which
 * keep a value alive and follow it. A handle belongs to the scope in which it was made and dies
 * with it: a primitive has one of its own, bactrian_open_scope opens others, and what is made
 * outside of all of them lives until bactrian_release or bactrian_close. bactrian_keep makes one
 * that outlives its scope. Handles of one machine are of no use to another.
 *
 * Threads. One thread at a time may use a machine; it need not always be the same. Of functions of
 * a machine that another thread runs only bactrian_request_stop may be called. Machines whose
 * programs load libraries of C stubs (unix.cma, str.cma, ...) take turns: from the opening of the
 * first library each call of such a machine waits until no other one is in a call, since the stubs
 * know "the" machine by one global variable. A stub library that keeps OCaml values in variables of
 * its own serves one machine of a process. Threads that the OCaml program makes run while a call
 * of its machine runs.
 *
 * NULL for a struct bactrian_value * is always a failure, told by bactrian_error_text, and may be
 * passed on: functions refuse NULL and dead handles. In a primitive, a stream, or a tracker's
 * function the machine is the one that called; the two latter must not use it. */
#ifndef BACTRIAN_H
#define BACTRIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bactrian;         /* a machine */
struct bactrian_value;   /* a handle */
struct bactrian_tracker; /* see bactrian_track */

/* The version of the library, "0.1.0". */
const char *bactrian_version(void);

/* How a call ended. bactrian_error_text says more of all but BACTRIAN_OK. */
enum bactrian_outcome {
    BACTRIAN_OK,
    BACTRIAN_EXCEPTION, /* the OCaml code raised: bactrian_exception. Calls may follow. */
    BACTRIAN_EXITED,    /* it called exit: bactrian_exit_status. The machine is over. */
    BACTRIAN_STOPPED,   /* a limit or bactrian_request_stop ended the call. Calls may follow. */
    BACTRIAN_REFUSED,   /* wrong use; nothing was done */
    BACTRIAN_BROKEN,    /* no memory for what the machine itself needs: only closing it is left */
};

/* ---- Creating machines. ---- */

/* What the program's standard channels are connected to. As read(2) and write(2): returns how many
 * bytes, at least 1 of n, were transferred; read: 0 at the end; -1 with errno for a failure, which
 * the program sees as Sys_error. Only channels are redirected (stdout, print_string, ...), not what
 * stubs of C code do with descriptors 0, 1 and 2. */
struct bactrian_input {
    ptrdiff_t (*read)(void *context, void *to, size_t n);
    void *context;
};
struct bactrian_output {
    ptrdiff_t (*write)(void *context, const void *from, size_t n);
    void *context;
};

/* A C function that OCaml code calls as an `external` of that name with count arguments. Returns
 * the result, or NULL: unit, or what bactrian_raise or bactrian_fail says. It may call back, and
 * when that does not end with BACTRIAN_OK or BACTRIAN_EXCEPTION, it must return soon; its result is
 * then ignored. It must not be left by longjmp or a C++ exception. */
typedef struct bactrian_value *bactrian_function(struct bactrian *m, void *context, int count,
                                                 struct bactrian_value *const *arguments);

/* external twice : int -> int = "my_twice"    is    {"my_twice", "i", twice, NULL}
 *
 * kinds has one letter for each argument, 1 to 32 of them, which the machine tests before the
 * function runs: v any value, i integer (also bool, char and constant constructors), s string or
 * bytes, f float, o any block, j int32, l int64, n nativeint, k function, A float array, a array.
 * An external of more than 5 arguments has two names in OCaml; the first one counts. A name that
 * the machine has already is replaced. */
struct bactrian_primitive {
    const char *name, *kinds;
    bactrian_function *function;
    void *context;
};

/* All zero: no limits, everything granted but "signals", the process's standard streams, a silent
 * machine. Nothing that it points at is needed after the machine was opened, but contexts. */
struct bactrian_options {
    size_t max_heap_bytes;   /* of the major heap: Out_of_memory beyond; 0: no limit */
    size_t max_stack_bytes;  /* Stack_overflow beyond; 0: OCaml's 8 MB. The program may change it
                                  by Gc.set: see "gc" below */
    size_t minor_heap_bytes; /* 0: 2 MB, growing where that pays */
    uint64_t fuel;           /* stops after so many instructions, always at the same one; makes the
                                  machine slower; 0: no limit */
    uint64_t max_output_bytes; /* stops when more would be written to channels; 0: no limit */
    /* What the program may do, by the names that `bactrian --audit PROGRAM` lists, separated by
     * commas: "fs-read", "net", "signals", "gc", "stub", ... First pure refuses all that reaches
     * beyond arguments, standard channels and the process; then denied is refused, then allowed is
     * granted, "fs-read=/data" only below that folder. What is refused raises Sys_error. "signals",
     * handlers for the process's signals, is refused unless it is allowed; programs linked with
     * threads.cma need it (they set one for SIGVTALRM, which nobody sends). */
    const char *allowed, *denied;
    bool pure;
    bool backtrace;               /* keep track of where exceptions come from: bactrian_backtrace */
    bool unchecked;               /* leave out tests of values: faster, for trusted programs only */
    const char *name;             /* Sys.executable_name, and Sys.argv.(0) */
    const char *const *arguments; /* Sys.argv from 1 on, NULL-terminated; or NULL */
    struct bactrian_input input;
    struct bactrian_output output, errors; /* stdout and stderr */
    /* What the machine itself has to say: warnings that the program switched on, exceptions that
     * end a thread. May be NULL. */
    void (*message)(void *context, const char *text, size_t length);
    void *message_context;
    const struct bactrian_primitive *primitives;
    size_t primitive_count;
    const char *const *stub_folders; /* searched first for libraries of C stubs, NULL-terminated */
    const char *standard_library;    /* the folder of ld.conf; NULL: /usr/lib/ocaml */
};

struct bactrian_error {
    char text[512];
};

/* A machine for the bytecode file at path, or for its length bytes in memory, which must stay as
 * they are until the machine is closed and may serve several machines. The program is verified and
 * loaded, but does not run yet. options may be NULL. NULL: error says why, in one line. */
struct bactrian *bactrian_open(const char *path, const struct bactrian_options *options,
                               struct bactrian_error *error);
struct bactrian *bactrian_open_memory(const void *image, size_t length,
                                      const struct bactrian_options *options,
                                      struct bactrian_error *error);
/* Ends a machine with all that it has: handles, trackers, a recording (which is completed). What
 * waits in output channels is written. NULL is fine. Memory of a machine whose program has threads
 * left is not freed, as they may be in the midst of a system call. Not inside of a call. */
void bactrian_close(struct bactrian *m);

/* ---- Running. ---- */

/* Runs the program from its beginning to its end, once. An exception that leaves it runs its
 * at_exit functions, which write what waits in its channels. */
enum bactrian_outcome bactrian_run(struct bactrian *m);
/* Calls a function with count arguments, 1 to 32. Its result goes to *result, which is NULL if the
 * outcome is another one than BACTRIAN_OK; result may be NULL. Before bactrian_run, and in it,
 * there is only what was handed to a primitive. */
enum bactrian_outcome bactrian_call(struct bactrian *m, const struct bactrian_value *function,
                                    int count, struct bactrian_value *const *arguments,
                                    struct bactrian_value **result);
/* Writes what waits in the program's output channels. */
void bactrian_flush(struct bactrian *m);

/* Asks a machine to stop soon, from any thread, or a signal handler: the call that runs, or the
 * next one, ends with BACTRIAN_STOPPED; no handler of the program sees it. A program that waits in
 * a system call stops when that returns. With a timer of your own: a time limit. */
void bactrian_request_stop(struct bactrian *m);
/* Sets how many instructions may still run. BACTRIAN_REFUSED: the machine was opened without
 * fuel. */
enum bactrian_outcome bactrian_set_fuel(struct bactrian *m, uint64_t fuel);

/* Of the last outcome, or failure of another function, that was not BACTRIAN_OK: one line, valid
 * until the next one. */
const char *bactrian_error_text(const struct bactrian *m);
/* The exception of the last BACTRIAN_EXCEPTION. NULL: there was none. */
struct bactrian_value *bactrian_exception(struct bactrian *m);
/* What exit was called with. */
int bactrian_exit_status(const struct bactrian *m);
/* Where the last exception came from (if options.backtrace), or where the program was stopped, a
 * line for each place; cut to size - 1 bytes. Returns the length of the whole text. */
size_t bactrian_backtrace(struct bactrian *m, char *text, size_t size);

/* ---- Handles. ---- */

/* Opens a scope for handles, inside of the current one, and ends the innermost one that this
 * function opened. False: no memory, or nothing to close. */
bool bactrian_open_scope(struct bactrian *m);
bool bactrian_close_scope(struct bactrian *m);
/* Gives a handle back before its scope ends. NULL is fine. */
void bactrian_release(struct bactrian_value *v);
/* Another handle for the same value, which lives until it is released. */
struct bactrian_value *bactrian_keep(const struct bactrian_value *v);

/* ---- Making values. ---- */

/* The value that the program registered by Callback.register. NULL: none of that name. */
struct bactrian_value *bactrian_named(struct bactrian *m, const char *name);
/* ints are cut to 63 bits. A char is its code, a constant constructor its number. */
struct bactrian_value *bactrian_unit(struct bactrian *m);
struct bactrian_value *bactrian_bool(struct bactrian *m, bool b);
struct bactrian_value *bactrian_int(struct bactrian *m, int64_t n);
/* Boxed integers, of types int32, int64 and nativeint. */
struct bactrian_value *bactrian_int32(struct bactrian *m, int32_t n);
struct bactrian_value *bactrian_int64(struct bactrian *m, int64_t n);
struct bactrian_value *bactrian_nativeint(struct bactrian *m, intptr_t n);
struct bactrian_value *bactrian_float(struct bactrian *m, double x);
/* A string (or bytes) with a copy of length bytes, or of a C string. */
struct bactrian_value *bactrian_string(struct bactrian *m, const void *bytes, size_t length);
struct bactrian_value *bactrian_text(struct bactrian *m, const char *text);
/* Tuples, records and arrays (tag 0), constructors with arguments (their number among those, from
 * 0, at most 245). Not for arrays and records of floats only, which are float arrays. */
struct bactrian_value *bactrian_block(struct bactrian *m, unsigned tag, size_t count,
                                      struct bactrian_value *const *fields);
struct bactrian_value *bactrian_float_array(struct bactrian *m, size_t count, const double *items);
struct bactrian_value *bactrian_list(struct bactrian *m, size_t count,
                                     struct bactrian_value *const *items);

/* ---- Reading values. A value doesn't know its OCaml type, only its kind. ---- */

enum bactrian_kind {
    BACTRIAN_NONE, /* NULL, or a dead handle */
    BACTRIAN_INT,
    BACTRIAN_BLOCK, /* tuple, record, array, constructor with arguments, list cell, object */
    BACTRIAN_STRING,
    BACTRIAN_FLOAT,
    BACTRIAN_FLOAT_ARRAY,
    BACTRIAN_FUNCTION,
    BACTRIAN_INT32,
    BACTRIAN_INT64,
    BACTRIAN_NATIVEINT,
    BACTRIAN_OTHER, /* lazy, bigarray, channel, ... */
};
enum bactrian_kind bactrian_kind(const struct bactrian_value *v);
/* Of all four kinds of integers; 0 for anything else. */
int64_t bactrian_get_int(const struct bactrian_value *v);
/* Of a float; 0 for anything else. */
double bactrian_get_float(const struct bactrian_value *v);
/* Copies a string into size bytes, cut to size - 1 and NUL-terminated (size 0: nothing is written).
 * Returns the string's length; OCaml strings may contain NULs. 0 for anything else. */
size_t bactrian_get_string(const struct bactrian_value *v, char *to, size_t size);
/* The number of fields, of a float array's items, of a string's bytes; else 0. */
size_t bactrian_length(const struct bactrian_value *v);
/* The tag of a block; 0 for anything else. */
unsigned bactrian_tag(const struct bactrian_value *v);
/* Field i of a block or item i of a float array (a float). NULL: there is none. */
struct bactrian_value *bactrian_field(const struct bactrian_value *v, size_t i);
/* Changes field i of a block, item i of a float array. BACTRIAN_REFUSED: there is none, or item is
 * no float. */
enum bactrian_outcome bactrian_set_field(struct bactrian_value *v, size_t i,
                                         const struct bactrian_value *item);
/* The cells of a list: 0 for [], and for what is none. */
size_t bactrian_list_length(const struct bactrian_value *v);

/* ---- For primitives: `return bactrian_fail(m, "no such file");` Both return NULL. ---- */

/* The primitive raises that exception, once it returned NULL. */
struct bactrian_value *bactrian_raise(struct bactrian *m, const struct bactrian_value *exception);
/* The same with Failure text. */
struct bactrian_value *bactrian_fail(struct bactrian *m, const char *text);

/* ---- Figures and profiles. ---- */

struct bactrian_figures {
    uint64_t minor_words, promoted_words, major_words; /* allocated, in all, with headers */
    uint64_t minor_collections, major_collections;
    uint64_t heap_bytes, top_heap_bytes; /* of the major heap: now, and at most */
    uint64_t live_bytes;                 /* by the last marking, and what came since */
    uint64_t fuel_left;                  /* UINT64_MAX: no limit */
    uint64_t output_left;                /* the same for bytes */
};
/* Reads what the machine counts. */
enum bactrian_outcome bactrian_read_figures(struct bactrian *m, struct bactrian_figures *out);

/* Samples allocated words with probability rate (above 0, at most 1; 1e-4 is usual) into a profile
 * file at path, from now to bactrian_stop_recording, outside of calls: what `bactrian prof` reads.
 * One recording at a time. BACTRIAN_REFUSED: so it was, or the file can't be made. */
enum bactrian_outcome bactrian_record(struct bactrian *m, const char *path, double rate);
struct bactrian_recording {
    uint64_t samples, lost_samples; /* lost: for lack of memory */
    uint64_t file_bytes;
    uint64_t elapsed_ns, overhead_ns; /* of it all, and of that for recording */
    bool failed;                      /* the file could not be written to the end */
};
/* Collects, so that what is dead is known, and completes the file. out may be NULL. */
enum bactrian_outcome bactrian_stop_recording(struct bactrian *m, struct bactrian_recording *out);

/* A sample as it is born. */
struct bactrian_sample {
    uint64_t id;    /* from 0, in the order of births */
    size_t words;   /* of the block, without its header; if external, of memory outside the heap */
    size_t samples; /* how many of its words were hit: each stands for 1 / rate words */
    unsigned tag;
    bool external;
    const uint64_t *places; /* the active calls, outermost first: for bactrian_find_place */
    size_t depth;
};
/* Each may be NULL. None may use the machine, except for bactrian_find_place. */
struct bactrian_tracking {
    void (*born)(void *context, const struct bactrian_sample *sample);
    void (*promoted)(void *context, uint64_t id); /* survived a minor collection */
    void (*died)(void *context, uint64_t id, bool old);
    void *context;
};
/* Samples as bactrian_record does, with at most depth innermost calls, and tells it; several at
 * once may. Ends with bactrian_untrack, or with the machine. NULL: refused. */
struct bactrian_tracker *bactrian_track(struct bactrian *m, double rate, size_t depth,
                                        const struct bactrian_tracking *tracking);
/* Ends a tracker, of which nothing more is told. */
void bactrian_untrack(struct bactrian_tracker *tracker);

struct bactrian_place {
    const char *file, *function; /* valid until the machine is closed */
    int line, start, end;        /* columns from the start of the line */
};
/* Where in the source a place of a sample is. False: unknown, the program has no debug
 * information (ocamlc -g) there. */
bool bactrian_find_place(struct bactrian *m, uint64_t place, struct bactrian_place *out);

#ifdef __cplusplus
}
#endif
#endif
