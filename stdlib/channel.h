/* channel.h - buffered channels: the data behind in_channel and out_channel.
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
 * A channel is a C structure; OCaml sees a custom block "_chan" that points at it, and there may be
 * several such blocks. All channels of a machine are in one list, newest first, of which the
 * machine's struct prim_state is the owner.
 *
 * IO1  buffer <= curr <= max <= end; for output max == end.
 * IO2  Closing sets fd to -1 and curr and max to end, so that the next access asks the system,
 *      which answers EBADF.
 * IO3  A channel is freed when its last block dies, unless it is open output with bytes to write:
 *      then it stays in the list, for the program's last flush.
 * IO4  A call that waits for the system may run OCaml code (signal handlers), which may use and
 *      close the same channel: nothing read from a channel before such a call is used after it.
 * IO5  A primitive that may wait holds the channel's lock, except while OCaml code runs (IO4): what
 *      one thread writes at once stays together, and only closing interferes with a call that
 *      waits. */
#ifndef BACTRIAN_STDLIB_CHANNEL_H
#define BACTRIAN_STDLIB_CHANNEL_H

#include "stdlib/state.h"
#include "vm/thread/thread.h"

#define CHANNEL_BUFFER_BYTES 65536
/* What OCaml charges to a channel's block: profiles show it. */
#define CHANNEL_CHARGED_BYTES 65616

struct channel {
    int fd;
    bool output;
    const struct vm_stream *stream; /* what stands for fd, or NULL */
    unsigned references;            /* custom blocks that point here */
    int64_t offset;
    char *curr, *max, *end;
    char *name;             /* of the file, or NULL; owned */
    struct channel *next;   /* the list of struct prim_state ... */
    struct channel **where; /* ... and the pointer in it that points here */
    struct prim_state *owner;
    struct vm_lock lock; /* IO5 */
    char buffer[CHANNEL_BUFFER_BYTES];
};

/* Why one of the `try` functions failed: the exception of a signal handler, or else an errno. */
struct channel_failure {
    bool raised;
    value exn;
    int error;
};

/* The channel of a value of kind c. GC: never. */
static inline struct channel *channel_of(value v) { return *(struct channel **)custom_data(v); }
/* The same for one that is read from, or written to. An in_channel and an out_channel are the same
 * kind of block, so that a forged value is refused here alone. GC: may run. Fail: raise. */
struct channel *channel_for_input(struct domain *d, value v);
struct channel *channel_for_output(struct domain *d, value v);
/* Whether v is a block of this kind. v: a custom block. GC: never. */
bool channel_is_channel(value v);

/* Opens a channel on a descriptor. NULL: no memory. GC: may run. */
struct channel *channel_open(struct domain *d, int fd, bool output);
/* Gives a channel the name of its file; an empty one is none. Fails: raises Out_of_memory. GC: may
 * run. */
void channel_set_name(struct domain *d, value channel, value name);
/* A new block for a channel. GC: may run. */
value channel_new_block(struct domain *d, struct channel *c);
/* Frees all channels of a machine, without writing or closing anything. Needs: the machine's heap
 * is gone, or never finalises custom blocks again. GC: never. */
void channels_free_all(struct prim_state *state);

/* Sets the simulated failure that text (of BACTRIAN_FAIL_IO, or NULL) asks for. GC: never. */
void channel_read_fault(struct prim_state *state, const char *text);
/* Counts a system call; the errno with which it is to fail, or 0. GC: never. */
int channel_fault(struct prim_state *state);

/* Writes what waits in all open output channels, as far as the system takes it, without running
 * OCaml code: for a program that a limit stopped. GC: never. */
void channels_flush_quietly(struct prim_state *state);

/* The functions below take a channel whose block the caller keeps rooted and whose lock it holds,
 * and memory outside the heap. GC: may run, and OCaml code (IO4). */

/* Reads until n bytes are there or the file ends; the number read. Fails: raises Sys_error,
 * Sys_blocked_io, or what a signal handler raises. */
size_t channel_read(struct domain *d, struct channel *c, void *to, size_t n);
/* The same, failing with false and *failure, for callers that hold C resources. */
bool channel_try_read(struct domain *d, struct channel *c, void *to, size_t n, size_t *got,
                      struct channel_failure *failure);
/* Writes n bytes, into the buffer or to the file. Fails as channel_read. */
void channel_write(struct domain *d, struct channel *c, const void *from, size_t n);
bool channel_try_write(struct domain *d, struct channel *c, const void *from, size_t n,
                       struct channel_failure *failure);
/* Raises a failure. failure->exn need not be rooted if nothing was allocated since. */
_Noreturn void channel_raise(struct domain *d, const struct channel_failure *failure);

/* What prim_io.c builds on. Each reports as the `try` functions do. */

/* Forgets the bytes that were read, so that the whole buffer is free again. Needs: input, all of it
 * consumed. GC: never. */
static inline void channel_restart(struct channel *c) {
    if (c->fd != -1) c->curr = c->max = c->buffer;
}

/* What channel_fill tells: start with {0} at the beginning of an operation. */
struct channel_wait {
    bool again;  /* OCaml code may have run, nothing was read: look at the channel again */
    bool polled; /* private: pending actions were run */
};
/* Reads once, behind max, at most to the end of the buffer: how many bytes came; 0 at the end of
 * the file, or if wait->again is set; -1 with *failure. GC: may run. */
ptrdiff_t channel_fill(struct domain *d, struct channel *c, struct channel_wait *wait,
                       struct channel_failure *failure);
/* Writes what waits, once; whether the buffer is empty now goes to *empty. GC: may run. */
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
/* Closes; output that waits is lost. Does nothing to a closed channel. GC: never. */
bool channel_close(struct channel *c, struct channel_failure *failure);

#endif
