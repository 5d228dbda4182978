/* recorder.h - writes a program's sampled blocks to a profile file (memprof/format), as a client of
 * the sampler.
 *
 * The recorder allocates nothing in the program's heap and runs no OCaml code. No failure of its
 * file stops the program. A machine has at most one.
 *
 * RC1  A block is recorded once it exists; its promotion and its death are recorded at most once.
 * RC2  A failure of the file is reported once, on standard error; then recording ends.
 * RC3  A child process never writes to its parent's file. */
#ifndef BACTRIAN_MEMPROF_RECORDER_RECORDER_H
#define BACTRIAN_MEMPROF_RECORDER_RECORDER_H

#include "gc/value.h"
#include "memprof/format/format.h"
#include "memprof/format/output.h"

struct vm;
struct vm_options;
struct domain;
struct mp_recorder;

/* Who starts and ends a recording: the command line, the program, another process. */
enum mp_started_by { MP_BY_COMMAND, MP_BY_PROGRAM, MP_BY_REQUEST };

/* A recording that is smaller has few samples besides names and call stacks. */
enum { MP_LEAST_KEPT_BYTES = 1000000 };

struct mp_recorder_options {
    const char *path; /* of the file; it outlives the recorder */
    int descriptor;   /* of an empty regular file, which the recorder closes; 0: path is opened.
                         With keep_bytes path is absolute, and will be that file's name */
    enum mp_started_by started_by;
    uint64_t before_words; /* of a running program: reachable when it begins; 0: unknown */
    enum mp_replace replace;
    double rate; /* of each word; 0 < rate <= 1 */
    uint64_t seed;
    uint64_t keep_bytes; /* the file stays smaller, >= MP_LEAST_KEPT_BYTES; 0: no bound (keep.c) */
    uint64_t max_depth;  /* of call stacks: innermost frames kept; 0: all */
    bool live_exact;     /* mark everything at new maxima: pauses.c */
    bool gc_trace;       /* record the collector's inner phases too */
    bool promoted;       /* what holds promoted blocks: after mp_recorder_prepare; slow */
    bool exact_sites;    /* count all that each site allocates, too: slow */
    bool follow_fork;    /* children record to PATH.PID */
    bool no_handlers;    /* leave the process's signals and its end alone */
    bool progress;       /* a line on standard error, once a second */
    const char *program; /* its name; the arguments are vm_options.argv */
    const char *parameters; /* OCAMLRUNPARAM; NULL: none */
    const char *recorder;   /* name and version of what records */
    /* Returns the text to write to standard error when a signal ends the program, for the file's
     * name; freed with free(). NULL: nothing is written. */
    char *(*farewell)(const char *path);
    /* Warns the user that the file can no longer be written (errno); the program continues. */
    void (*warn)(struct vm *vm, const char *path, int problem);
};

/* Moments or durations, in ns: wall-clock and CPU time. */
struct mp_times {
    uint64_t wall_ns, processor_ns;
};

/* The outcome of a recording. */
struct mp_recording {
    uint64_t samples, lost_samples, file_bytes;
    uint64_t elapsed_ns, processor_ns; /* of the run; processor: with its last collection */
    struct mp_times overhead;          /* of that in the recorder */
    bool failed;                       /* RC2 */
    int problem;                       /* why, an errno */
    bool silent; /* a child process that was not recorded: nothing to report */
    char path[4096];
};

/* Before a machine is created whose recorder gets the option `promoted`: the counting loop runs it,
 * and shows the recorder each instruction. Needs: no fuel, no debugger. */
void mp_recorder_prepare(struct vm_options *options);
/* Starts recording a machine that is loaded, and may be running. NULL: the file can't be made, out
 * of memory, or too many streams (errno; EEXIST: as mp_output_open; ESPIPE: keep_bytes, and it is
 * no regular file). GC: never. */
struct mp_recorder *mp_recorder_start(struct vm *vm, const struct mp_recorder_options *options);
/* The machine's recorder, or NULL. GC: never. */
struct mp_recorder *mp_recorder_of(struct vm *vm);
/* Who started it. GC: never. */
enum mp_started_by mp_recorder_started_by(const struct mp_recorder *r);
/* Whether it records: its file has not failed, and this is no child process that is not recorded.
 * GC: never. */
bool mp_recorder_is_active(struct mp_recorder *r);
/* What it has recorded so far; path and processor_ns are not set. GC: never. */
void mp_recorder_read(const struct mp_recorder *r, struct mp_recording *out);
/* Writes everything recorded so far to the file, which can be read while recording continues.
 * Returns the nanoseconds since its start. GC: never. */
uint64_t mp_recorder_flush(struct mp_recorder *r);
/* Calls f with each sampled block that is followed: its number in the file, and 1 + the position in
 * the code where it was allocated, 0: not known. GC: never. */
void mp_recorder_visit_samples(const struct mp_recorder *r,
                               void (*f)(void *context, value block, uint64_t id, uint32_t place),
                               void *context);
/* Notes that a heap snapshot was written to a file, absolute, with the samples' current numbers.
 * GC: never. */
void mp_recorder_add_snapshot(struct mp_recorder *r, const char *path);
/* The time spent in the recorder so far, as it measures itself. GC: never. */
struct mp_times mp_recorder_overhead(const struct mp_recorder *r);
/* Ends the recording when the program is over, or earlier: runs a last collection that finds dead
 * blocks (if the program calls exit, that is done at the call) and closes the file. Called before
 * vm_destroy. GC: may run. */
void mp_recorder_finish(struct mp_recorder *r, enum mp_outcome outcome, unsigned status,
                        struct mp_recording *out);

/* Bactrian.Profile's primitives. The program starts a recording, and ends it: raises Failure if it
 * cannot be now, Sys_error if the file can't be made. GC: may run. */
value mp_prim_start_recording(struct domain *d, value rate, value keep, value path);
value mp_prim_stop_recording(struct domain *d, value unit);
/* The program enters a phase of that name, and leaves the innermost one. Without a recorder they do
 * nothing. GC: never. */
value mp_prim_enter_phase(struct domain *d, value name);
value mp_prim_leave_phase(struct domain *d, value unit);
/* The program has counted `more` units of a name: raises Invalid_argument if that is negative. GC:
 * never. */
value mp_prim_count(struct domain *d, value more, value name);

#endif
