/* recorder.h - writes what a program allocates to a profile file (memprof/format), as a client of
 * the sampler.
 *
 * The recorder is no part of the program that it watches: it allocates nothing in the heap, runs no
 * OCaml code, and whatever befalls its file never stops the program (D12). One machine has at most
 * one.
 *
 * RC1  A block is recorded once it exists; its promotion and its death are recorded at most once.
 * RC2  What goes wrong with the file is told once, on standard error; then nothing more is
 *      recorded.
 * RC3  A child process never writes to its parent's file. */
#ifndef BACTRIAN_MEMPROF_RECORDER_RECORDER_H
#define BACTRIAN_MEMPROF_RECORDER_RECORDER_H

#include "memprof/format/format.h"

struct vm;
struct domain;
struct mp_recorder;

struct mp_recorder_options {
    const char *path; /* of the file; replaced if it exists */
    double rate;      /* of each word; 0 < rate <= 1 */
    uint64_t seed;
    uint64_t max_depth;   /* of call stacks: innermost frames kept; 0: all */
    bool gc_trace;        /* record the collector's inner phases too */
    bool exact_sites;     /* count all that each site allocates, too: slow */
    bool follow_fork;     /* children record to PATH.PID */
    bool no_handlers;     /* leave the process's signals and its end alone */
    bool progress;        /* a line on standard error, once a second */
    const char *program;  /* its name; the arguments are vm_options.argv */
    const char *recorder; /* name and version of what records */
    /* Tells the user that the file can't be written any more (errno), and that the program goes on.
     * */
    void (*warn)(const char *path, int problem);
};

/* What a finished recording came to. */
struct mp_recording {
    uint64_t samples, lost_samples, file_bytes;
    uint64_t elapsed_ns, overhead_ns; /* of the run, and of that in the recorder */
    bool failed;                      /* RC2 */
    bool silent; /* a child process that was not to be recorded: nothing to tell */
    char path[4096];
};

/* Starts recording a machine that is loaded, and that may be running. NULL: the file can't be made
 * (errno), or memory is exhausted (ENOMEM). GC: never. */
struct mp_recorder *mp_recorder_start(struct vm *vm, const struct mp_recorder_options *options);
/* The machine's recorder, or NULL. GC: never. */
struct mp_recorder *mp_recorder_of(struct vm *vm);
/* Whether fd is the descriptor of its file. GC: never. */
bool mp_recorder_writes_to(const struct mp_recorder *r, int fd);

/* Brings all that is recorded so far to the file, which can then be read while the recording goes
 * on. Returns the nanoseconds since its start. GC: never. */
uint64_t mp_recorder_flush(struct mp_recorder *r);

/* The nanoseconds spent in the recorder so far, as far as they are measured. GC: never. */
uint64_t mp_recorder_overhead(const struct mp_recorder *r);

/* The program is over, or is to be recorded no longer: collects once more (so that what is dead is
 * known to be; when the program calls exit, that is done at the call), closes the file. Called
 * before vm_destroy. GC: may run. */
void mp_recorder_finish(struct mp_recorder *r, enum mp_outcome outcome, unsigned status,
                        struct mp_recording *out);

/* The program enters a phase, leaves the innermost one. GC: never. */
void mp_recorder_enter_phase(struct mp_recorder *r, const char *name, size_t length);
void mp_recorder_leave_phase(struct mp_recorder *r);

#endif
