/* channel.h - buffered channels: the data of in_channel and out_channel.
 *
 *   input:    buffer      curr          max          end
 *             +-----------+-------------+------------+
 *             |   read    |  available  |    free    |     offset: the file position of the byte
 *             +-----------+-------------+------------+             that max stands for
 *
 *   output:   buffer                   curr         end
 *             +------------------------+------------+
 *             |  waiting to be written |    free    |      offset: the file position of the byte
 *             +------------------------+------------+              that buffer stands for
 *
 * A channel is a C structure; OCaml sees custom blocks "_chan" that point at it, one or several.
 * The channels of a machine are in one list, newest first, which its struct prim_state owns.
 *
 * IO1  buffer <= curr <= max <= end; for output max == end.
 * IO2  Closing sets fd to -1 and curr and max to end, so that the next access makes a system call,
 *      which fails with EBADF.
 * IO3  A channel is freed when its last block dies, except an open output channel with bytes to
 *      write, which stays in the list until the flush at exit, and a channel that stubs own.
 * IO4  A call that waits for the system may run OCaml code (signal handlers), which may use and
 *      close the same channel: nothing that was read from a channel before such a call is used
 *      after it.
 * IO5  A primitive that may wait holds the channel's lock, except while OCaml code runs (IO4): the
 *      bytes that one call writes stay together, and only closing interferes with a call that
 *      waits. */
#ifndef BACTRIAN_STDLIB_CHANNEL_H
#define BACTRIAN_STDLIB_CHANNEL_H

#include "gc/assert.h"
#include "stdlib/state.h"
#include "vm/thread/thread.h"

#define CHANNEL_BUFFER_BYTES 65536

struct channel {
    int fd; /* this and the next four are where stubs look for them (vm/capi/channels.c) */
    bool output;
    bool unbuffered;     /* each primitive writes what it puts into the buffer */
    bool owned_by_stubs; /* from caml_open_descriptor_in or _out: no block's death frees it */
    int64_t offset;
    char *end, *curr, *max;
    const struct vm_stream *stream; /* replaces fd, or NULL */
    unsigned references;            /* custom blocks that point here */
    bool charged;                   /* its memory was charged to one of them */
    char *name;                     /* of the file, or NULL; owned */
    struct channel *next;           /* the list of struct prim_state ... */
    struct channel **where;         /* ... and the pointer to this one in it */
    struct prim_state *owner;
    struct vm_lock lock; /* IO5 */
    char buffer[CHANNEL_BUFFER_BYTES];
};

/* The reason of a failure: the exception of a signal handler, or else an errno. */
struct channel_failure {
    bool raised;
    value exn;
    int error;
};

/* The channel of a value of kind c. GC: never. */
static inline struct channel *channel_of(value v) { return *(struct channel **)custom_data(v); }
/* The same for a channel that must be input, or output: both are blocks of one kind. GC: may run.
 * Fail: raise. */
struct channel *channel_for_input(struct domain *d, value v);
struct channel *channel_for_output(struct domain *d, value v);

/* Opens a channel on a descriptor. NULL: out of memory. GC: may run. */
struct channel *channel_open(struct domain *d, int fd, bool output);
/* Gives a channel the name of its file; an empty name removes it. GC: may run. Fails: raises
 * Out_of_memory. */
void channel_set_name(struct domain *d, value channel, value name);
/* Frees a channel that no block refers to. GC: never. */
void channel_free(struct channel *c);
/* A new block for a channel. GC: may run. */
value channel_new_block(struct domain *d, struct channel *c);
/* Frees all channels of a machine, without writing or closing anything. Needs: the machine's heap
 * is gone, or never finalises custom blocks again. GC: never. */
void channels_free_all(struct prim_state *state);

/* Sets the simulated failure that text (BACTRIAN_FAIL_IO's, or NULL) describes. GC: never. */
void channel_read_fault(struct prim_state *state, const char *text);
/* Counts a system call. Returns the errno that it must fail with, or 0. GC: never. */
int channel_fault(struct prim_state *state);

/* Writes the buffers of all open output channels, as far as the system accepts the bytes, without
 * running OCaml code: for a program that a limit has stopped. GC: never. */
void channels_flush_quietly(struct prim_state *state);

/* The functions below need a channel whose block is rooted and whose lock is held, and memory
 * outside the heap. GC: may run, and OCaml code (IO4). */

/* Reads until n bytes are there or the file ends; the number read. Fails: raises Sys_error,
 * Sys_blocked_io, or what a signal handler raises. */
size_t channel_read(struct domain *d, struct channel *c, void *to, size_t n);
/* The same for callers that hold C resources. Fails: returns false and sets *failure. */
bool channel_try_read(struct domain *d, struct channel *c, void *to, size_t n, size_t *got,
                      struct channel_failure *failure);
/* Writes n bytes, into the buffer or to the file. Fails as channel_read. */
void channel_write(struct domain *d, struct channel *c, const void *from, size_t n);
bool channel_try_write(struct domain *d, struct channel *c, const void *from, size_t n,
                       struct channel_failure *failure);
/* Raises a failure. failure->exn need not be rooted if nothing was allocated since. */
_Noreturn void channel_raise(struct domain *d, const struct channel_failure *failure);

/* For prim_io.c. These fail as the `try` functions do. */

/* Empties the buffer. Needs: an input channel with no byte available. GC: never. */
static inline void channel_restart(struct channel *c) {
    ASSERT(!c->output && c->curr == c->max);
    if (c->fd != -1) c->curr = c->max = c->buffer;
}

/* The state of an operation that calls channel_fill repeatedly. Zero at its start. */
struct channel_wait {
    bool again;  /* OCaml code may have run and nothing was read: call channel_fill again */
    bool polled; /* private: pending actions were run */
};
/* Reads once, to max and at most to the end of the buffer. Returns the number of bytes, 0 at the
 * end of the file or if wait->again is set, or -1 with *failure. GC: may run. */
ptrdiff_t channel_fill(struct domain *d, struct channel *c, struct channel_wait *wait,
                       struct channel_failure *failure);
/* Writes once from the buffer; *empty: the buffer is empty now. GC: may run. */
bool channel_flush_some(struct domain *d, struct channel *c, bool *empty,
                        struct channel_failure *failure);
bool channel_flush(struct domain *d, struct channel *c, struct channel_failure *failure);
/* Moves to an absolute position: input within the buffer if it can, output after a flush. */
bool channel_seek(struct domain *d, struct channel *c, int64_t position,
                  struct channel_failure *failure);
/* The position of the next byte. GC: never. */
int64_t channel_position(const struct channel *c);
/* The file's length. GC: never. */
bool channel_length(struct channel *c, int64_t *length, struct channel_failure *failure);
/* Closes without writing the buffer. Does nothing to a closed channel. GC: never. */
bool channel_close(struct channel *c, struct channel_failure *failure);

#endif
