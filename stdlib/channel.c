/* channel.c - buffered reading and writing (stdlib/channel.h).
 *
 * Descriptors belong to the program: finalising a channel doesn't close its descriptor. When a
 * signal interrupts a system call, the pending actions run, and the call is repeated with the
 * channel's state after them (IO4). */
#include "stdlib/channel.h"

#include "vm/base/os.h"
#include "vm/code/version.h"
#include "vm/image/policy.h"
#include "vm/stack/limits.h"
#include "vm/stack/raise.h"
#include "vm/thread/pending.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DROPPED_BYTES = 4 * 4096 };

/* ---- Injected failures. ---- */

static int errno_of_name(const char *name) {
    static const struct {
        const char *name;
        int number;
    } known[] = {{"EINTR", EINTR},   {"EAGAIN", EAGAIN}, {"EIO", EIO},      {"ENOSPC", ENOSPC},
                 {"EBADF", EBADF},   {"EPIPE", EPIPE},   {"EFBIG", EFBIG},  {"EMFILE", EMFILE},
                 {"EACCES", EACCES}, {"ENOENT", ENOENT}, {"ENOMEM", ENOMEM}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].number;
    return atoi(name);
}

void channel_read_fault(struct prim_state *state, const char *text) {
    if (text == NULL) return;
    char *rest;
    uint64_t at = strtoull(text, &rest, 10);
    bool lasting = *rest == '+';
    if (lasting) rest++;
    if (*rest != ':') return;
    state->io_fault = (struct io_fault){
        .at = at, .error = errno_of_name(rest + 1), .lasting = lasting};
}

int channel_fault(struct prim_state *state) {
    struct io_fault *fault = &state->io_fault;
    if (fault->at == 0) return 0;
    fault->count++;
    if (fault->count == fault->at || (fault->lasting && fault->count > fault->at))
        return fault->error;
    return 0;
}

/* The same for calls that never block, and are therefore never interrupted. */
static int nonblocking_fault(struct prim_state *state) {
    int error = channel_fault(state);
    return error == EINTR ? 0 : error;
}

/* ---- Blocks and the list. ---- */

/* Whether IO1 holds. GC: never. */
static bool is_valid(const struct channel *c) {
    const char *end = c->buffer + CHANNEL_BUFFER_BYTES;
    return c->buffer <= c->curr && c->curr <= c->max && c->max <= c->end && c->end == end &&
           (!c->output || c->max == end);
}

static void free_channel(struct channel *c) {
    ASSERT(*c->where == c);
    *c->where = c->next;
    if (c->next != NULL) c->next->where = c->where;
    free(c->name);
    free(c);
}

static size_t name_bytes(const char *name) { return name == NULL ? 0 : strlen(name) + 1; }

static struct gc_heap *heap_of(const struct channel *c) { return c->owner->vm->domain->gc.heap; }

void channel_set_name(struct domain *d, value channel, value name) {
    GC_ROOT(&d->gc, &channel, &name);
    char *copy = NULL;
    size_t length = c_length(name);
    if (length != 0) {
        copy = gc_external_realloc(&d->gc, NULL, 0, length + 1);
        if (copy == NULL) vm_raise_out_of_memory(d);
        memcpy(copy, string_bytes(name), length);
        copy[length] = 0;
    }
    struct channel *c = channel_of(channel);
    gc_external_uncharge(heap_of(c), name_bytes(c->name));
    free(c->name);
    c->name = copy;
}

void channel_free(struct channel *c) {
    ASSERT(c->references == 0);
    gc_external_released(heap_of(c), c);
    gc_external_uncharge(heap_of(c), sizeof *c + name_bytes(c->name));
    free_channel(c);
}

static void warn_about_loss(const struct channel *c, bool unwritten) {
    FILE *err = vm_err(c->owner->vm);
    if (!c->owner->warned)
        fprintf(err, "[ocaml] (use Sys.enable_runtime_warnings to control these warnings)\n");
    c->owner->warned = true;
    fprintf(err, "[ocaml] channel opened on file '%s' dies without being closed\n", c->name);
    if (unwritten) fprintf(err, "[ocaml] (moreover, it has unflushed data)\n");
}

static void finalize(value v) {
    struct channel *c = channel_of(v);
    ASSERT(c == NULL || (c->references > 0 && is_valid(c)));
    if (c == NULL) return;
    bool last = --c->references == 0;
    bool unwritten = last && c->output && c->fd != -1 && c->curr != c->buffer;
    bool stays = !last || unwritten || c->owned_by_stubs;
    if (stays) gc_external_outlives(heap_of(c), v, c);
    if (c->owned_by_stubs || (!last && !c->owner->vm->version->channel_blocks_warn)) return;
    if (c->fd != -1 && c->name != NULL && c->owner->runtime_warnings) warn_about_loss(c, unwritten);
    if (!stays) channel_free(c);
}

static int compare(value a, value b) {
    uintptr_t x = (uintptr_t)channel_of(a), y = (uintptr_t)channel_of(b);
    return (x > y) - (x < y);
}

static intptr_t hash(value v) { return (intptr_t)channel_of(v); }

static const struct gc_custom_ops channel_ops = {
    .identifier = "_chan", .finalize = finalize, .compare = compare, .hash = hash};

/* The stream that replaces a descriptor of the process in this machine, or NULL. */
static const struct vm_stream *stream_of(const struct vm *vm, int fd, bool output) {
    if (fd < 0 || fd >= VM_STREAMS) return NULL;
    const struct vm_stream *stream = &vm->options.streams[fd];
    bool there = output ? stream->write != NULL : stream->read != NULL;
    return there ? stream : NULL;
}

/* lseek(2); a stream has no positions. */
static off_t seek(const struct channel *c, off_t to, int whence) {
    if (c->stream == NULL || c->fd == -1) return lseek(c->fd, to, whence);
    errno = ESPIPE;
    return -1;
}

struct channel *channel_for_input(struct domain *d, value v) {
    struct channel *c = channel_of(v);
    if (c->output) vm_invalid_argument(d, "an input channel was expected");
    return c;
}

struct channel *channel_for_output(struct domain *d, value v) {
    struct channel *c = channel_of(v);
    if (!c->output) vm_invalid_argument(d, "an output channel was expected");
    return c;
}

struct channel *channel_open(struct domain *d, int fd, bool output) {
    struct channel *c = gc_external_realloc(&d->gc, NULL, 0, sizeof *c);
    if (c == NULL) return NULL;
    /* The buffer is not cleared: pages of it that are never used take no memory. */
    memset(c, 0, offsetof(struct channel, buffer));
    struct prim_state *state = prim_state(d);
    if (vm_is_own_descriptor(d->vm, fd)) fd = -1; /* hidden from the program */
    c->fd = fd;
    c->output = output;
    c->stream = stream_of(d->vm, fd, output);
    c->offset = seek(c, 0, SEEK_CUR); /* -1: cannot seek, positions start at -1 */
    c->curr = c->buffer;
    c->end = c->buffer + CHANNEL_BUFFER_BYTES;
    c->max = output ? c->end : c->buffer;
    c->owner = state;
    c->next = state->channels;
    c->where = &state->channels;
    if (c->next != NULL) c->next->where = &c->next;
    state->channels = c;
    return c;
}

value channel_new_block(struct domain *d, struct channel *c) {
    ASSERT(is_valid(c));
    c->references++; /* first: a finaliser that the allocation runs must not free the channel */
    size_t charge = d->vm->version->channel_charged_bytes;
    value v = c->charged ? gc_alloc_custom_again(&d->gc, &channel_ops, sizeof c, charge)
                         : gc_alloc_custom_mem(&d->gc, &channel_ops, sizeof c, charge);
    c->charged = true;
    *(struct channel **)custom_data(v) = c;
    return v;
}

void channels_free_all(struct prim_state *state) {
    while (state->channels != NULL) free_channel(state->channels);
}

/* ---- Waiting for the system. ---- */

_Noreturn void channel_raise(struct domain *d, const struct channel_failure *failure) {
    if (failure->raised) vm_raise(d, failure->exn);
    if (failure->error == EAGAIN || failure->error == EWOULDBLOCK)
        vm_raise_constant(d, EXN_SYS_BLOCKED_IO);
    vm_raise_sys_error(d, failure->error, VAL_UNIT);
}

static bool failed(struct channel_failure *failure, int error) {
    *failure = (struct channel_failure){.error = error};
    return false;
}

static bool run_pending(struct domain *d, struct channel *c, struct channel_failure *failure) {
    bool locked = d->held == &c->lock;
    if (locked) vm_unlock(d, &c->lock);
    value result = vm_process_pending_exn(d);
    bool raised = is_exn_result(result);
    value exn = raised ? exn_of_result(result) : VAL_UNIT;
    GC_ROOT(&d->gc, &exn);
    if (locked) vm_lock(d, &c->lock);
    if (raised) *failure = (struct channel_failure){.raised = true, .exn = exn};
    return !raised;
}

/* One read(2) to max. Returns the number of bytes, or -1 with errno. */
static ptrdiff_t read_some(struct domain *d, struct channel *c) {
    errno = channel_fault(c->owner);
    if (errno != 0) return -1;
    size_t room = (size_t)(c->end - c->max);
    ASSERT(!c->output && is_valid(c) && (room > 0 || c->fd == -1));
    vm_enter_blocking(d);
    bool by_system = c->stream == NULL || c->fd == -1; /* IO2 */
    ptrdiff_t n = by_system ? read(c->fd, c->max, room)
                            : c->stream->read(c->stream->context, c->max, room);
    vm_leave_blocking(d);
    return n;
}

static ptrdiff_t write_once(struct channel *c, size_t n) {
    ASSERT(c->output && n <= (size_t)(c->curr - c->buffer));
    if (c->stream == NULL || c->fd == -1) return write(c->fd, c->buffer, n);
    return c->stream->write(c->stream->context, c->buffer, n);
}

/* One write(2). A non-blocking descriptor that cannot accept n bytes may still accept one: a pipe
 * accepts up to PIPE_BUF bytes whole or not at all. */
static ptrdiff_t write_some(struct domain *d, struct channel *c, size_t n) {
    for (;;) {
        errno = channel_fault(c->owner);
        ptrdiff_t written = -1;
        if (errno == 0) {
            vm_enter_blocking(d);
            written = write_once(c, n);
            vm_leave_blocking(d);
        }
        if (written != -1 || (errno != EAGAIN && errno != EWOULDBLOCK) || n <= 1) return written;
        n = 1;
    }
}

/* Removes the first n bytes of the buffer, which were written. */
static void drop_written(struct channel *c, size_t n) {
    ASSERT(n <= (size_t)(c->curr - c->buffer));
    c->offset += (int64_t)n;
    memmove(c->buffer, c->buffer + n, (size_t)(c->curr - c->buffer) - n);
    c->curr -= n;
}

ptrdiff_t channel_fill(struct domain *d, struct channel *c, struct channel_wait *wait,
                       struct channel_failure *failure) {
    wait->again = d->gc.action_requested && !wait->polled;
    wait->polled = wait->again;
    if (wait->again) return run_pending(d, c, failure) ? 0 : -1;
    char *curr = c->curr, *max = c->max;
    ptrdiff_t n = read_some(d, c);
    if (n >= 0) {
        c->offset += n;
        c->curr = curr; /* the old position, even if the channel was closed meanwhile (IO2) */
        c->max = max + n;
        ASSERT(is_valid(c));
        return n;
    }
    wait->again = errno == EINTR;
    if (!wait->again) return failed(failure, errno) ? 0 : -1;
    wait->polled = true;
    return run_pending(d, c, failure) ? 0 : -1;
}

/* After the error errno: what another attempt cannot write either is dropped. */
static bool flush_failed(struct domain *d, struct channel *c, struct channel_failure *failure) {
    int error = errno;
    bool lasts = error == EBADF || error == EPIPE || error == ECONNRESET;
    if (lasts && c->fd != -1 && d->vm->version->flush_drops_after_errors) c->curr = c->buffer;
    return failed(failure, error);
}

bool channel_flush_some(struct domain *d, struct channel *c, bool *empty,
                        struct channel_failure *failure) {
    if (d->gc.action_requested && !run_pending(d, c, failure)) return false;
    for (;;) {
        size_t waiting = (size_t)(c->curr - c->buffer);
        if (waiting == 0) break;
        size_t allowed = vm_output_reserve(d->vm, waiting);
        if (allowed == 0) vm_stop_now(d, STOP_OUTPUT);
        ptrdiff_t written = write_some(d, c, allowed);
        vm_output_give_back(d->vm, allowed - (written < 0 ? 0 : (size_t)written));
        if (written >= 0) {
            if (c->fd == -1) c->offset += written; /* closed meanwhile (IO2) */
            else drop_written(c, (size_t)written);
            break;
        }
        if (errno != EINTR) return flush_failed(d, c, failure);
        if (!run_pending(d, c, failure)) return false;
    }
    ASSERT(is_valid(c));
    *empty = c->curr == c->buffer;
    return true;
}

bool channel_flush(struct domain *d, struct channel *c, struct channel_failure *failure) {
    bool empty = false;
    while (!empty)
        if (!channel_flush_some(d, c, &empty, failure)) return false;
    return true;
}

void channels_flush_quietly(struct prim_state *state) {
    for (struct channel *c = state->channels; c != NULL; c = c->next) {
        while (c->output && c->fd != -1 && c->curr > c->buffer) {
            size_t allowed = vm_output_reserve(state->vm, (size_t)(c->curr - c->buffer));
            if (allowed == 0) break;
            ptrdiff_t n = channel_fault(state) == 0 ? write_once(c, allowed) : -1;
            vm_output_give_back(state->vm, allowed - (n < 0 ? 0 : (size_t)n));
            if (n <= 0) break;
            drop_written(c, (size_t)n);
        }
    }
}

/* ---- Whole transfers. ---- */

bool channel_try_read(struct domain *d, struct channel *c, void *to, size_t n, size_t *got,
                      struct channel_failure *failure) {
    char *at = to;
    struct channel_wait wait = {0};
    ASSERT(!c->output);
    while (n > 0) {
        size_t available = (size_t)(c->max - c->curr);
        if (available == 0) {
            channel_restart(c);
            ptrdiff_t filled = channel_fill(d, c, &wait, failure);
            if (filled < 0) return false;
            if (filled == 0 && !wait.again) break;
            continue;
        }
        size_t piece = available < n ? available : n;
        vm_charge_work(d, piece);
        memcpy(at, c->curr, piece);
        c->curr += piece;
        at += piece;
        n -= piece;
    }
    *got = (size_t)(at - (char *)to);
    return true;
}

size_t channel_read(struct domain *d, struct channel *c, void *to, size_t n) {
    struct channel_failure failure;
    size_t got;
    if (!channel_try_read(d, c, to, n, &got, &failure)) channel_raise(d, &failure);
    return got;
}

bool channel_try_write(struct domain *d, struct channel *c, const void *from, size_t n,
                       struct channel_failure *failure) {
    const char *at = from;
    ASSERT(c->output && is_valid(c));
    while (n > 0) {
        size_t room = (size_t)(c->end - c->curr);
        size_t piece = n < room ? n : room;
        memcpy(c->curr, at, piece);
        c->curr += piece;
        at += piece;
        n -= piece;
        bool empty;
        if (piece == room && !channel_flush_some(d, c, &empty, failure)) return false;
    }
    return true;
}

void channel_write(struct domain *d, struct channel *c, const void *from, size_t n) {
    struct channel_failure failure;
    if (!channel_try_write(d, c, from, n, &failure)) channel_raise(d, &failure);
}

/* ---- Positions. ---- */

int64_t channel_position(const struct channel *c) {
    const struct vm *vm = c->owner->vm;
    if (c->output && c->fd == -1) return c->offset + vm->version->closed_channel_bytes;
    if (c->output) return c->offset + (c->curr - c->buffer);
    return c->offset - (c->max - c->curr);
}

bool channel_seek(struct domain *d, struct channel *c, int64_t position,
                  struct channel_failure *failure) {
    const struct vm *vm = c->owner->vm;
    if (c->output) {
        if (!channel_flush(d, c, failure)) return false;
    } else if (c->fd != -1 && position >= c->offset - (c->max - c->buffer) &&
               position <= c->offset) {
        c->curr = c->max - (c->offset - position);
        return true;
    }
    int fault = nonblocking_fault(c->owner);
    if (fault != 0) return failed(failure, fault);
    off_t reached = seek(c, position, SEEK_SET);
    if (reached != position || (reached == -1 && vm->version->seek_refuses_minus_one))
        return failed(failure, errno);
    c->offset = position;
    if (!c->output) c->curr = c->max = c->buffer;
    return true;
}

bool channel_length(struct channel *c, int64_t *length, struct channel_failure *failure) {
    int fault = nonblocking_fault(c->owner);
    if (fault != 0) return failed(failure, fault);
    int64_t back = c->offset != -1 ? c->offset : seek(c, 0, SEEK_CUR);
    if (back == -1) return failed(failure, errno);
    *length = seek(c, 0, SEEK_END);
    if (*length == -1 || seek(c, back, SEEK_SET) != back) return failed(failure, errno);
    return true;
}

/* Returns the pages of a closed channel's buffer, which nothing reads any more: the channel may
 * stay until a cycle ends. Not while another thread is in a system call with the buffer (IO5), and
 * not if little of it was used. */
static void drop_buffer(struct channel *c) {
    ASSERT(c->fd == -1);
    if (c->lock.holder == NULL && c->offset >= DROPPED_BYTES)
        vm_drop_pages(c->buffer, sizeof c->buffer);
}

bool channel_close(struct channel *c, struct channel_failure *failure) {
    if (c->fd == -1) return true;
    int fd = c->fd;
    c->fd = -1;
    c->curr = c->max = c->end;
    drop_buffer(c);
    int fault = nonblocking_fault(c->owner);
    int result = c->stream == NULL ? close(fd) : 0;
    if (fault != 0) return failed(failure, fault);
    return result == 0 ? true : failed(failure, errno);
}
