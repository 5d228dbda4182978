/* snapshot.h - writes the reachable heap to a file (memprof/format): blocks, edges, roots.
 *
 * A file is written in a pause of the program; or, after everything was marked, by a child process
 * that has the heap as it was then, while the program goes on.
 *
 * HS1  A snapshot changes nothing for the program but time: it allocates nothing in its heap and
 *      runs no OCaml code.
 * HS2  A file has all reachable blocks, and END last, or it is removed; a reader refuses one
 *      without END. */
#ifndef BACTRIAN_MEMPROF_SNAPSHOT_SNAPSHOT_H
#define BACTRIAN_MEMPROF_SNAPSHOT_SNAPSHOT_H

#include "gc/value.h"
#include "memprof/format/output.h"
#include "memprof/format/record.h"

struct domain;
struct vm;

struct mp_snapshot_options {
    const char *path;        /* of the file; later ones get a number: MP_REPLACE_NONE */
    const char *named;       /* what a recording calls it, absolute, or ""; NULL: its own path */
    enum mp_replace replace; /* of the first one */
    const char *program;     /* its name; the arguments are vm_options.argv */
    bool at_exit;            /* when the program ends */
    uint64_t at_heap_words;  /* when the major heap reaches it; 0: never */
    int on_signal;           /* whenever that signal comes; 0: none */
    bool values;             /* also short contents of blocks, in a file only for its owner */
    bool in_pause;           /* no child process writes the file */
    /* Reports a snapshot, or, if total is NULL, the errno `problem`. May run in a child process. */
    void (*report)(const struct mp_snapshot_options *options, const char *path,
                   const struct mp_record_heap *total, uint64_t file_bytes, int problem);
    struct vm *vm;  /* for report: of a process that was asked */
    int connection; /* of the attacher */
};

/* Writes a snapshot to a new file, whose name it returns in path[4096], and its size. Needs: the
 * caller is a primitive or a poll, or no OCaml code runs. Returns 0 or an errno. GC: runs. */
int mp_snapshot_write(struct domain *d, const struct mp_snapshot_options *options,
                      enum mp_replace replace, char *path, struct mp_record_heap *total,
                      uint64_t *file_bytes);

/* The same in a child process, which reports it, while the program goes on. A recording notes the
 * file at once, as it has the samples' numbers of now. Returns the child's number, for
 * mp_snapshot_wait; 0: there is too little memory, or a thread that runs, or a recording that
 * cannot know the file's name (options->named), and nothing was done. GC: may run. */
int mp_snapshot_fork(struct domain *d, const struct mp_snapshot_options *options,
                     enum mp_replace replace);
/* Whether that child has ended, which is asked once after it has. GC: never. */
bool mp_snapshot_ended(int child);
/* Waits for that child. Returns whether it wrote the file. GC: never. */
bool mp_snapshot_wait(int child);

/* Bactrian.Profile.snapshot: writes a snapshot to the file of that name; _values: with contents.
 * Fail: raise Sys_error. GC: runs. */
value mp_prim_snapshot(struct domain *d, value path);
value mp_prim_snapshot_values(struct domain *d, value path);

/* Takes snapshots of a loaded machine as the options say, which must outlive it. False: out of
 * memory (errno), or the signal has a handler (EBUSY). GC: never. */
bool mp_snapshots_start(struct vm *vm, const struct mp_snapshot_options *options);
/* The program has ended: takes the last one, if the program has not called exit, and stops. Returns
 * how many were taken. GC: may run. */
unsigned mp_snapshots_finish(struct vm *vm);

#endif
