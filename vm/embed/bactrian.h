/* bactrian.h - run OCaml bytecode in a C or C++ program.
 *
 * A machine runs one bytecode file. Any number of machines may exist in a process; each has its own
 * heap, and machines in different threads run in parallel. An example:
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
 * The library does not print, end the process or install signal handlers; errors are returned as
 * outcomes with a text. The output of the OCaml program goes to the streams of bactrian_options,
 * and capabilities limit what the program may do to the process.
 *
 * Values. OCaml's collector moves blocks, so C code uses handles (struct bactrian_value *), which
 * keep a value alive and are updated when it moves. A handle belongs to the scope in which it was
 * created and is released with it. Each call of a primitive has a scope of its own,
 * bactrian_open_scope opens others, and handles created outside of all scopes live until
 * bactrian_release or bactrian_close. bactrian_keep creates a handle that outlives its scope. A
 * handle is valid in its machine only.
 *
 * Threads. Only one thread at a time may use a machine, not necessarily always the same one;
 * bactrian_request_stop alone may be called by another thread meanwhile. Machines whose programs
 * load libraries of C stubs (unix.cma, str.cma, ...) exclude each other: once it has opened its
 * first library, each call of such a machine waits until no other one is in a call, since the stubs
 * find "the" machine through a global variable. A stub library that keeps OCaml values in its own
 * variables can be used by only one machine of a process. Threads that the OCaml program creates
 * run during the calls of its machine.
 *
 * A returned struct bactrian_value * that is NULL means failure (see bactrian_error_text). NULL may
 * be passed on: functions refuse NULL and dead handles. A primitive, a stream and a tracker's
 * function belong to the machine that calls them; streams and trackers must not call functions of
 * the machine. */
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

/* How a call ended. bactrian_error_text has details of all but BACTRIAN_OK. */
enum bactrian_outcome {
    BACTRIAN_OK,
    BACTRIAN_EXCEPTION, /* uncaught exception: bactrian_exception. More calls are possible. */
    BACTRIAN_EXITED,    /* the program called exit: bactrian_exit_status. No more calls. */
    BACTRIAN_STOPPED,   /* by a limit or bactrian_request_stop. More calls are possible. */
    BACTRIAN_REFUSED,   /* invalid use; no effect */
    BACTRIAN_BROKEN,    /* the machine itself is out of memory: it can only be closed */
};

/* ---- Creating machines. ---- */

/* Streams for the program's standard channels. As read(2) and write(2): returns the number of bytes
 * transferred, 1 to n; read: 0 at the end; -1 with errno on failure, which raises Sys_error. Only
 * channels are redirected (stdout, print_string, ...), not what C stubs do with descriptors 0 to
 * 2. */
struct bactrian_input {
    ptrdiff_t (*read)(void *context, void *to, size_t n);
    void *context;
};
struct bactrian_output {
    ptrdiff_t (*write)(void *context, const void *from, size_t n);
    void *context;
};

/* A C function that OCaml code calls as an `external` with count arguments. Returns the result;
 * NULL means unit, or the exception set by bactrian_raise or bactrian_fail. It may call back; if
 * that ends with anything but BACTRIAN_OK or BACTRIAN_EXCEPTION, it must return without further
 * calls, and its result is ignored. It must not leave by longjmp or a C++ exception. */
typedef struct bactrian_value *bactrian_function(struct bactrian *m, void *context, int count,
                                                 struct bactrian_value *const *arguments);

/* external twice : int -> int = "my_twice"    is    {"my_twice", "i", twice, NULL}
 *
 * kinds has one letter for each of 1 to 32 arguments, which the machine checks before the call: v
 * any value, i integer (also bool, char and constant constructors), s string or bytes, f float, o
 * any block, j int32, l int64, n nativeint, k function, A float array, a array. An external of more
 * than 5 arguments has two names in OCaml; use the first one. A primitive replaces a built-in one
 * of the same name. */
struct bactrian_primitive {
    const char *name, *kinds;
    bactrian_function *function;
    void *context;
};

/* All zeros: no limits, everything allowed except "signals", the process's standard streams, no
 * messages. The machine copies everything that this points to, except contexts. */
struct bactrian_options {
    size_t max_heap_bytes;     /* of the major heap; beyond: Out_of_memory; 0: no limit */
    size_t max_stack_bytes;    /* of each thread; beyond: Stack_overflow; Gc.set cannot exceed it;
                                  0: OCaml's 8 MB, which Gc.set can change */
    size_t minor_heap_bytes;   /* 0: 2 MB, growing if many blocks survive */
    uint64_t fuel;             /* stops after exactly this number of instructions, of which
                                  primitives count one for each 64 bytes of their work; makes the
                                  machine slower; 0: no limit */
    uint64_t max_output_bytes; /* stops before more is written to channels and in messages, by the
                                  process and its forked children; 0: no limit */
    /* Capabilities, as `bactrian --audit PROGRAM` names them, separated by commas: "fs-read",
     * "net", "signals", "gc", "stub", ... pure denies everything except arguments, standard
     * channels and the process itself; then denied is applied, then allowed ("fs-read=/data" is
     * restricted to that folder). Primitives that are denied raise Sys_error. "signals" (signal
     * handlers) is denied unless allowed; programs linked with threads.cma need it (they install
     * one for SIGVTALRM, which is never sent). */
    const char *allowed, *denied;
    bool pure;
    bool backtrace;               /* record backtraces of exceptions: bactrian_backtrace */
    bool unchecked;               /* omit checks of values: faster, for trusted programs only */
    const char *name;             /* Sys.executable_name, and Sys.argv.(0) */
    const char *const *arguments; /* Sys.argv from index 1, NULL-terminated; or NULL */
    struct bactrian_input input;
    struct bactrian_output output, errors; /* stdout and stderr */
    /* Receives the machine's messages: warnings that the program has enabled, uncaught exceptions
     * of threads. May be NULL. */
    void (*message)(void *context, const char *text, size_t length);
    void *message_context;
    const struct bactrian_primitive *primitives;
    size_t primitive_count;
    const char *const *stub_folders; /* searched first for libraries of C stubs, NULL-terminated */
    const char *standard_library;    /* the folder of ld.conf; NULL: of the OCaml
                                        that the library was built with */
};

struct bactrian_error {
    char text[512];
};

/* Opens a machine for the bytecode file at path, or for its length bytes in memory, which must not
 * change until the machine is closed and may be shared by machines. The program is verified and
 * loaded, but not run. options may be NULL. NULL: error has one line with the reason. */
struct bactrian *bactrian_open(const char *path, const struct bactrian_options *options,
                               struct bactrian_error *error);
struct bactrian *bactrian_open_memory(const void *image, size_t length,
                                      const struct bactrian_options *options,
                                      struct bactrian_error *error);
/* Destroys a machine with its handles, trackers and recording (which is completed) and flushes
 * output channels. NULL is allowed. If threads of the program still exist, memory is not freed,
 * since they may be inside a system call. Not inside a call. */
void bactrian_close(struct bactrian *m);

/* ---- Running. ---- */

/* Runs the whole program, once. After an uncaught exception its at_exit functions run, which flush
 * its channels. */
enum bactrian_outcome bactrian_run(struct bactrian *m);
/* Calls a function with 1 to 32 arguments. *result is its result, or NULL unless the outcome is
 * BACTRIAN_OK; result may be NULL. Until bactrian_run has returned, only functions that were passed
 * to a primitive can be called. */
enum bactrian_outcome bactrian_call(struct bactrian *m, const struct bactrian_value *function,
                                    int count, struct bactrian_value *const *arguments,
                                    struct bactrian_value **result);
/* Flushes the program's output channels. */
void bactrian_flush(struct bactrian *m);

/* Requests a stop, from any thread or a signal handler: the current call, or the next one, soon
 * ends with BACTRIAN_STOPPED; the program cannot catch it. A program inside a system call stops
 * when that returns. Use it with a timer for a time limit. */
void bactrian_request_stop(struct bactrian *m);
/* Sets the number of instructions that may still run. BACTRIAN_REFUSED: the machine was opened
 * without fuel. */
enum bactrian_outcome bactrian_set_fuel(struct bactrian *m, uint64_t fuel);

/* One line about the last outcome other than BACTRIAN_OK or the last failure, valid until the
 * next. */
const char *bactrian_error_text(const struct bactrian *m);
/* The exception of the last BACTRIAN_EXCEPTION, or NULL. */
struct bactrian_value *bactrian_exception(struct bactrian *m);
/* The argument of exit. */
int bactrian_exit_status(const struct bactrian *m);
/* The backtrace of the last exception (with options.backtrace), or the call stack where the program
 * was stopped, one line per frame, truncated to size - 1 bytes. Returns the full length. */
size_t bactrian_backtrace(struct bactrian *m, char *text, size_t size);

/* ---- Handles. ---- */

/* Open a scope for handles inside the current one; close the innermost one opened this way. False:
 * out of memory; no such scope. */
bool bactrian_open_scope(struct bactrian *m);
bool bactrian_close_scope(struct bactrian *m);
/* Releases a handle before its scope ends. NULL is allowed. */
void bactrian_release(struct bactrian_value *v);
/* Another handle of the same value, which lives until it is released. */
struct bactrian_value *bactrian_keep(const struct bactrian_value *v);

/* ---- Making values. ---- */

/* The value that the program registered with Callback.register. NULL: none of that name. */
struct bactrian_value *bactrian_named(struct bactrian *m, const char *name);
/* ints are truncated to 63 bits. A char is its code, a constant constructor its number. */
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
/* Tuples, records and arrays (tag 0), constructors with arguments (tag: their index among those, 0
 * to 245). Arrays and records of floats only are float arrays instead. */
struct bactrian_value *bactrian_block(struct bactrian *m, unsigned tag, size_t count,
                                      struct bactrian_value *const *fields);
struct bactrian_value *bactrian_float_array(struct bactrian *m, size_t count, const double *items);
struct bactrian_value *bactrian_list(struct bactrian *m, size_t count,
                                     struct bactrian_value *const *items);

/* ---- Reading values. A value has a kind, but no OCaml type. ---- */

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
/* The value of any of the four kinds of integers; 0 for anything else. */
int64_t bactrian_get_int(const struct bactrian_value *v);
/* The value of a float; 0 for anything else. */
double bactrian_get_float(const struct bactrian_value *v);
/* Copies a string, truncated to size - 1 bytes, with a final NUL (size 0: writes nothing). Returns
 * its full length; OCaml strings may contain NULs. 0 for anything else. */
size_t bactrian_get_string(const struct bactrian_value *v, char *to, size_t size);
/* The number of fields, of items of a float array, or of bytes of a string; else 0. */
size_t bactrian_length(const struct bactrian_value *v);
/* The tag of a block; 0 for anything else. */
unsigned bactrian_tag(const struct bactrian_value *v);
/* Field i of a block or item i of a float array (a float). NULL: no such field. */
struct bactrian_value *bactrian_field(const struct bactrian_value *v, size_t i);
/* Sets field i of a block or item i of a float array. BACTRIAN_REFUSED: no such field, or item is
 * not a float. */
enum bactrian_outcome bactrian_set_field(struct bactrian_value *v, size_t i,
                                         const struct bactrian_value *item);
/* The length of a list; 0 for anything else. */
size_t bactrian_list_length(const struct bactrian_value *v);

/* ---- For primitives: `return bactrian_fail(m, "no such file");` Both return NULL. ---- */

/* The primitive raises the exception when it returns NULL. */
struct bactrian_value *bactrian_raise(struct bactrian *m, const struct bactrian_value *exception);
/* The same for Failure text. */
struct bactrian_value *bactrian_fail(struct bactrian *m, const char *text);

/* ---- Statistics and profiles. ---- */

struct bactrian_statistics {
    uint64_t minor_words, promoted_words, major_words; /* allocated in total, with headers */
    uint64_t minor_collections, major_collections;
    uint64_t heap_bytes, top_heap_bytes; /* of the major heap: now, and at most */
    uint64_t live_bytes;                 /* after the last marking, plus allocation since */
    uint64_t fuel_left;                  /* UINT64_MAX: no limit */
    uint64_t output_left;                /* the same for bytes of output */
};
enum bactrian_outcome bactrian_read_statistics(struct bactrian *m, struct bactrian_statistics *out);

/* Starts recording a profile for `bactrian prof` to the file at path, outside of calls: samples
 * allocated words with probability rate (above 0, at most 1; 1e-4 is usual) until
 * bactrian_stop_recording. BACTRIAN_REFUSED: a recording is running, or the file can't be
 * created, or exists and is not a profile. */
enum bactrian_outcome bactrian_record(struct bactrian *m, const char *path, double rate);
struct bactrian_recording {
    uint64_t samples, lost_samples; /* lost for lack of memory */
    uint64_t file_bytes;
    uint64_t elapsed_ns, overhead_ns; /* in total; spent on recording */
    bool failed;                      /* the file is incomplete */
};
/* Runs a full collection, so that dead blocks are known, and completes the file. out may be
 * NULL. */
enum bactrian_outcome bactrian_stop_recording(struct bactrian *m, struct bactrian_recording *out);

/* A sampled block at its allocation. */
struct bactrian_sample {
    uint64_t id;    /* from 0, in order of allocation */
    size_t words;   /* of the block, without its header; if external, of memory outside the heap */
    size_t samples; /* the number of its words sampled: each represents 1 / rate words */
    unsigned tag;
    bool external;
    const uint64_t *call_stack; /* outermost first: for bactrian_find_location */
    size_t depth;
};
/* Each may be NULL. They must not use the machine, except for bactrian_find_location. */
struct bactrian_tracking {
    void (*allocated)(void *context, const struct bactrian_sample *sample);
    void (*promoted)(void *context, uint64_t id);          /* survived a minor collection */
    void (*freed)(void *context, uint64_t id, bool major); /* major: in the major heap */
    void *context;
};
/* Starts sampling as bactrian_record does and reports to these functions, with the depth innermost
 * calls; several trackers may run. Ends with bactrian_untrack, or with the machine. NULL:
 * refused. */
struct bactrian_tracker *bactrian_track(struct bactrian *m, double rate, size_t depth,
                                        const struct bactrian_tracking *tracking);
/* Ends a tracker; its functions are not called again. */
void bactrian_untrack(struct bactrian_tracker *tracker);

struct bactrian_location {
    const char *file, *function; /* valid until the machine is closed */
    int line, start, end;        /* columns from the start of the line */
};
/* The source location of an entry of a call stack. False: unknown, there is no debug information
 * (ocamlc -g). */
bool bactrian_find_location(struct bactrian *m, uint64_t entry, struct bactrian_location *out);

#ifdef __cplusplus
}
#endif
#endif
