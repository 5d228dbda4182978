/* channels.c - channels for stubs: the machine's own (stdlib/channel.h), whose first fields are
 * where OCaml's headers have them.
 *
 * A channel that a stub opens is the stub's until caml_close_channel, whatever blocks refer to it.
 * Locks are the channel's (IO5), taken through the hooks of the headers' macros. As in OCaml, a
 * stub that takes none may be interrupted by other threads wherever the system is called. */
#include "stdlib/channel.h"
#include "stdlib/prim.h"
#include "vm/capi/capi_internal.h"

#include <limits.h>

_Static_assert(offsetof(struct channel, offset) == 8 && offsetof(struct channel, end) == 16 &&
                   offsetof(struct channel, curr) == 24 && offsetof(struct channel, max) == 32,
               "the layout of struct channel");

static void check(bool done, const struct channel_failure *failure) {
    if (!done) channel_raise(self(), failure);
}

/* ---- Locks. An exception releases them by itself. ---- */

void capi_lock_channel(struct channel *c) { vm_lock(self(), &c->lock); }
void capi_unlock_channel(struct channel *c) { vm_unlock(self(), &c->lock); }

/* Calls a primitive, which takes the lock itself, on a new block for c. */
static value call_on_block(struct channel *c, value (*f)(struct domain *d, value block, value v),
                           value v) {
    struct domain *d = self();
    bool locked = d->held == &c->lock;
    if (locked) capi_unlock_channel(c);
    GC_ROOT(&d->gc, &v);
    value result = f(d, channel_new_block(d, c), v);
    GC_ROOT(&d->gc, &result);
    if (locked) capi_lock_channel(c);
    return result;
}

/* ---- Opening and closing. ---- */

static struct channel *open_descriptor(int fd, bool output) {
    struct channel *c = must(channel_open(self(), fd, output));
    c->owned_by_stubs = true;
    return c;
}
struct channel *caml_open_descriptor_in(int fd) {
    return open_descriptor(fd, false);
}
struct channel *caml_open_descriptor_out(int fd) {
    return open_descriptor(fd, true);
}

void caml_close_channel(struct channel *c) {
    struct channel_failure ignored;
    channel_close(c, &ignored);
    if (c->owned_by_stubs && c->references == 0) channel_free(c);
}

value caml_alloc_channel(struct channel *c) { return channel_new_block(self(), c); }
int caml_channel_binary_mode(struct channel *c) { return 1; }

/* ---- Positions. ---- */

int64_t caml_channel_size(struct channel *c) {
    struct channel_failure failure;
    int64_t length;
    check(channel_length(c, &length, &failure), &failure);
    return length;
}

void caml_seek_in(struct channel *c, int64_t position) {
    struct channel_failure failure;
    check(channel_seek(self(), c, position, &failure), &failure);
}
void caml_seek_out(struct channel *c, int64_t position) { caml_seek_in(c, position); }

int64_t caml_pos_in(struct channel *c) { return channel_position(c); }
int64_t caml_pos_out(struct channel *c) { return channel_position(c); }

/* ---- Output. ---- */

/* Returns whether the buffer is empty now. */
int caml_flush_partial(struct channel *c) {
    struct channel_failure failure;
    bool empty = true;
    check(channel_flush_some(self(), c, &empty, &failure), &failure);
    return empty;
}

void caml_flush(struct channel *c) {
    while (c->fd != -1 && !caml_flush_partial(c)) continue;
}

/* Returns how many bytes there was room for. */
int caml_putblock(struct channel *c, char *from, intptr_t n) {
    while (c->curr == c->end) caml_flush_partial(c);
    intptr_t room = c->end - c->curr;
    if (n > room) n = room;
    memcpy(c->curr, from, (size_t)n);
    c->curr += n;
    if (n == room) caml_flush_partial(c);
    return (int)n;
}

void caml_really_putblock(struct channel *c, char *from, intptr_t n) {
    channel_write(self(), c, from, (size_t)n);
}

void caml_putch(struct channel *c, int byte) {
    while (c->curr == c->end) caml_flush_partial(c);
    *c->curr++ = (char)byte;
}

void caml_putword(struct channel *c, uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) caml_putch(c, (int)(word >> shift));
}

void caml_output_val(struct channel *c, value v, value flags) {
    char *bytes;
    intptr_t length;
    struct channel_failure failure;
    caml_output_value_to_malloc(v, flags, &bytes, &length);
    bool done = channel_try_write(self(), c, bytes, (size_t)length, &failure);
    free(bytes);
    check(done, &failure);
}

/* ---- Input. ---- */

/* Returns at most what the buffer has; 0: the end. */
int caml_getblock(struct channel *c, char *to, intptr_t n) {
    struct channel_wait wait = {0};
    struct channel_failure failure;
    if (n > INT_MAX) n = INT_MAX;
    while (c->curr >= c->max) {
        channel_restart(c);
        ptrdiff_t got = channel_fill(self(), c, &wait, &failure);
        check(got >= 0, &failure);
        if (got == 0 && !wait.again) return 0;
    }
    if (n > c->max - c->curr) n = c->max - c->curr;
    memcpy(to, c->curr, (size_t)n);
    c->curr += n;
    return (int)n;
}

intptr_t caml_really_getblock(struct channel *c, char *to, intptr_t n) {
    return (intptr_t)channel_read(self(), c, to, (size_t)n);
}

unsigned char caml_getch(struct channel *c) {
    char byte;
    if (caml_getblock(c, &byte, 1) == 0) vm_raise_end_of_file(self());
    return (unsigned char)byte;
}
unsigned char caml_refill(struct channel *c) { return caml_getch(c); }

uint32_t caml_getword(struct channel *c) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) word = word << 8 | caml_getch(c);
    return word;
}

static value input_value(struct domain *d, value block, value unused) {
    return prim_input_value(d, block);
}
value caml_input_val(struct channel *c) { return call_on_block(c, input_value, VAL_UNIT); }

/* n < 0: to the end. */
value caml_md5_channel(struct channel *c, intptr_t n) {
    return call_on_block(c, prim_md5_chan, val_of_int(n));
}
