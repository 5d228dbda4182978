/* prim_io.c - the primitives of in_channel and out_channel, on stdlib/channel.h. */
#include "stdlib/bigarray.h"
#include "stdlib/channel.h"
#include "stdlib/prim.h"
#include "vm/code/version.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

static void check(struct domain *d, bool done, const struct channel_failure *failure) {
    if (!done) channel_raise(d, failure);
}

/* Whether the buffer may be used without taking the lock: no other thread uses the channel. The
 * caller must neither wait nor allocate. */
static inline bool is_unlocked(const struct channel *c) { return c->lock.holder == NULL; }
/* The same for output, which may stay in the buffer. */
static inline bool keeps_output(const struct channel *c) {
    return is_unlocked(c) && !c->unbuffered;
}

/* ---- Opening, closing, listing. ---- */

#define OPEN_DESCRIPTOR(name, output)                                     \
    value prim_ml_open_descriptor_##name(struct domain *d, value fd) {    \
        struct channel *c = channel_open(d, (int)int_of_val(fd), output); \
        if (c == NULL) vm_raise_out_of_memory(d);                         \
        return channel_new_block(d, c);                                   \
    }
OPEN_DESCRIPTOR(in, false)
OPEN_DESCRIPTOR(out, true)

value prim_ml_close_channel(struct domain *d, value channel) {
    struct channel_failure failure;
    check(d, channel_close(channel_of(channel), &failure), &failure);
    return VAL_UNIT;
}

value prim_ml_set_channel_name(struct domain *d, value channel, value name) {
    channel_set_name(d, channel, name);
    return VAL_UNIT;
}

/* Text and binary files do not differ. */
value prim_ml_set_binary_mode(struct domain *d, value channel, value mode) { return VAL_UNIT; }
value prim_ml_is_binary_mode(struct domain *d, value channel) { return VAL_TRUE; }

value prim_channel_descriptor(struct domain *d, value channel) {
    int fd = channel_of(channel)->fd;
    if (fd == -1) vm_raise_sys_error(d, EBADF, VAL_UNIT);
    return val_of_int(fd);
}

/* A reference is counted for a channel while its block is allocated, so `next` is valid after each
 * allocation. */
value prim_ml_out_channels_list(struct domain *d, value unit) {
    bool new_first = d->vm->version->lists_new_channels_first;
    value list = VAL_EMPTY_LIST, last = VAL_EMPTY_LIST;
    GC_ROOT(&d->gc, &list, &last);
    for (struct channel *c = prim_state(d)->channels; c != NULL; c = c->next) {
        if (!c->output || c->fd == -1 || c->owned_by_stubs) continue;
        value block = channel_new_block(d, c);
        value cell = new_pair(d, block, new_first ? VAL_EMPTY_LIST : list);
        if (new_first && last != VAL_EMPTY_LIST) gc_store(&d->gc, last, 1, cell);
        else list = cell;
        last = cell;
    }
    return list;
}

value prim_terminfo_rows(struct domain *d, value channel) {
    struct winsize size;
    bool known = ioctl(channel_of(channel)->fd, TIOCGWINSZ, &size) == 0;
    return val_of_int(known ? size.ws_row : -1);
}

/* ---- Byte sequences and bigarrays, to read into and to write from. ---- */

static uintptr_t byte_count(value bytes) {
    return tag_of(bytes) == TAG_CUSTOM ? bigarray_bytes(bigarray_of(bytes)) : string_length(bytes);
}

/* The address of byte i, which a collection may change. */
static char *byte_at(value bytes, intptr_t i) {
    char *start = tag_of(bytes) == TAG_CUSTOM ? bigarray_of(bytes)->data : string_bytes(bytes);
    return start + i;
}

/* ---- Output. ---- */

value prim_ml_flush(struct domain *d, value channel) {
    struct channel *c = channel_for_output(d, channel);
    struct channel_failure failure;
    if (c->fd == -1) return VAL_UNIT;
    GC_ROOT(&d->gc, &channel);
    vm_lock(d, &c->lock);
    check(d, channel_flush(d, c, &failure), &failure);
    vm_unlock(d, &c->lock);
    return VAL_UNIT;
}

value prim_ml_is_buffered(struct domain *d, value channel) {
    return val_of_bool(!channel_for_output(d, channel)->unbuffered);
}

static void flush_if_unbuffered(struct domain *d, struct channel *c) {
    struct channel_failure failure;
    if (c->unbuffered) check(d, channel_flush(d, c, &failure), &failure);
}

value prim_ml_set_buffered(struct domain *d, value channel, value mode) {
    struct channel *c = channel_for_output(d, channel);
    GC_ROOT(&d->gc, &channel);
    vm_lock(d, &c->lock);
    c->unbuffered = mode == VAL_FALSE;
    if (c->fd != -1) flush_if_unbuffered(d, c);
    vm_unlock(d, &c->lock);
    return VAL_UNIT;
}

static void make_output_room(struct domain *d, struct channel *c) {
    struct channel_failure failure;
    bool empty;
    while (c->curr >= c->end) check(d, channel_flush_some(d, c, &empty, &failure), &failure);
}

/* Writes a few bytes. */
static inline value output_bytes(struct domain *d, value channel, const char *bytes, ptrdiff_t n) {
    struct channel *c = channel_for_output(d, channel);
    if (c->end - c->curr >= n && keeps_output(c)) {
        memcpy(c->curr, bytes, (size_t)n);
        c->curr += n;
        return VAL_UNIT;
    }
    GC_ROOT(&d->gc, &channel);
    vm_lock(d, &c->lock);
    for (ptrdiff_t i = 0; i < n; i++) {
        make_output_room(d, c);
        *c->curr++ = bytes[i];
    }
    flush_if_unbuffered(d, c);
    vm_unlock(d, &c->lock);
    return VAL_UNIT;
}

value prim_ml_output_char(struct domain *d, value channel, value character) {
    return output_bytes(d, channel, &(char){(char)int_of_val(character)}, 1);
}

value prim_ml_output_int(struct domain *d, value channel, value n) {
    uint32_t word = __builtin_bswap32((uint32_t)int_of_val(n));
    return output_bytes(d, channel, (const char *)&word, sizeof word);
}

/* A buffer that becomes full is written; if that fails it stays full, with a part of what the
 * caller asked to write. buffered: what fits stays there, whatever the channel's mode. */
static inline value output(struct domain *d, value channel, value bytes, value start, value length,
                           bool buffered) {
    struct channel *c = channel_for_output(d, channel);
    intptr_t at = int_of_val(start), left = int_of_val(length);
    if (left <= 0) at = left = 0; /* OCaml then reads no byte, and accepts any start */
    if (!prim_in_bounds(at, left, byte_count(bytes))) vm_invalid_argument(d, "output");
    vm_charge_work(d, (size_t)left);
    if (left < c->end - c->curr && (buffered ? is_unlocked(c) : keeps_output(c))) {
        memcpy(c->curr, byte_at(bytes, at), (size_t)left);
        c->curr += left;
        return VAL_UNIT;
    }
    GC_ROOT(&d->gc, &channel, &bytes);
    vm_lock(d, &c->lock);
    while (left > 0) {
        intptr_t room = c->end - c->curr;
        intptr_t piece = left < room ? left : room;
        memcpy(c->curr, byte_at(bytes, at), (size_t)piece);
        c->curr += piece;
        at += piece;
        left -= piece;
        struct channel_failure failure;
        bool empty;
        if (piece == room) check(d, channel_flush_some(d, c, &empty, &failure), &failure);
    }
    if (!buffered) flush_if_unbuffered(d, c);
    vm_unlock(d, &c->lock);
    return VAL_UNIT;
}

value prim_ml_output_bytes(struct domain *d, value channel, value bytes, value start,
                           value length) {
    return output(d, channel, bytes, start, length, false);
}
/* As in OCaml, what fits stays in the buffer, even if the channel is unbuffered. */
value prim_ml_output_bigarray(struct domain *d, value channel, value bytes, value start,
                              value length) {
    return output(d, channel, bytes, start, length, true);
}

/* ---- Input. ---- */

/* Reads until a byte is available; false at the end of the file. */
static bool refill(struct domain *d, struct channel *c) {
    struct channel_wait wait = {0};
    struct channel_failure failure;
    while (c->curr >= c->max) {
        channel_restart(c);
        ptrdiff_t n = channel_fill(d, c, &wait, &failure);
        check(d, n >= 0, &failure);
        if (n == 0 && !wait.again) return false;
    }
    return true;
}

/* Reads a few bytes, as a number with the highest byte first. */
static inline uint32_t input_bytes(struct domain *d, value channel, ptrdiff_t n) {
    struct channel *c = channel_for_input(d, channel);
    uint32_t word = 0;
    if (c->max - c->curr >= n && is_unlocked(c)) {
        for (; n > 0; n--) word = word << 8 | (unsigned char)*c->curr++;
        return word;
    }
    GC_ROOT(&d->gc, &channel);
    vm_lock(d, &c->lock);
    for (; n > 0; n--) {
        if (c->curr >= c->max && !refill(d, c)) vm_raise_end_of_file(d);
        word = word << 8 | (unsigned char)*c->curr++;
    }
    vm_unlock(d, &c->lock);
    return word;
}

value prim_ml_input_char(struct domain *d, value channel) {
    return val_of_int(input_bytes(d, channel, 1));
}

value prim_ml_input_int(struct domain *d, value channel) {
    return val_of_int((int32_t)input_bytes(d, channel, 4));
}

/* Consumes n bytes of the buffer, or all that are available. */
static intptr_t take(struct domain *d, struct channel *c, char *to, intptr_t n) {
    if (n > c->max - c->curr) n = c->max - c->curr;
    ASSERT(n >= 0);
    vm_charge_work(d, (size_t)n);
    memcpy(to, c->curr, (size_t)n);
    c->curr += n;
    return n;
}

/* The bytes in the buffer, or else those of one read: 0 only at the end of the file. */
value prim_ml_input(struct domain *d, value channel, value bytes, value start, value length) {
    struct channel *c = channel_for_input(d, channel);
    intptr_t at = int_of_val(start), n = int_of_val(length);
    if (!prim_in_bounds(at, n, byte_count(bytes))) vm_invalid_argument(d, "input");
    if (n == 0) return val_of_int(0);
    if (c->curr < c->max && is_unlocked(c)) return val_of_int(take(d, c, byte_at(bytes, at), n));
    GC_ROOT(&d->gc, &channel, &bytes);
    vm_lock(d, &c->lock);
    if (c->curr >= c->max && !refill(d, c)) n = 0;
    n = take(d, c, byte_at(bytes, at), n);
    vm_unlock(d, &c->lock);
    return val_of_int(n);
}

static void move_to_front(struct channel *c) {
    ptrdiff_t shift = c->curr - c->buffer;
    ASSERT(shift >= 0 && c->curr <= c->max);
    memmove(c->buffer, c->curr, (size_t)(c->max - c->curr));
    c->curr -= shift;
    c->max -= shift;
}

static value scanned(struct domain *d, ptrdiff_t seen) {
    vm_charge_work(d, (size_t)(seen < 0 ? -seen : seen));
    return val_of_int(seen);
}

/* The number of bytes up to and including the next newline; negative: that many bytes without one,
 * because the buffer is full or the file ends; 0 at the end of the file. */
value prim_ml_input_scan_line(struct domain *d, value channel) {
    struct channel *c = channel_for_input(d, channel);
    struct channel_wait wait = {0};
    ptrdiff_t seen = 0;
    if (is_unlocked(c)) {
        const char *newline = memchr(c->curr, '\n', (size_t)(c->max - c->curr));
        if (newline != NULL) return scanned(d, newline + 1 - c->curr);
    }
    GC_ROOT(&d->gc, &channel);
    vm_lock(d, &c->lock);
    for (;;) {
        char *newline = memchr(c->curr + seen, '\n', (size_t)(c->max - c->curr - seen));
        if (newline != NULL) {
            seen = newline + 1 - c->curr;
            break;
        }
        move_to_front(c);
        seen = c->max - c->curr;
        ptrdiff_t n = 0;
        if (c->max < c->end) {
            struct channel_failure failure;
            n = channel_fill(d, c, &wait, &failure);
            check(d, n >= 0, &failure);
            if (wait.again) {
                seen = 0;
                continue;
            }
        }
        if (n == 0) {
            seen = -(c->max - c->curr);
            break;
        }
    }
    vm_unlock(d, &c->lock);
    return scanned(d, seen);
}

/* ---- Positions and lengths. ---- */

static value int_of_offset(struct domain *d, int64_t offset) {
    if (offset > MAX_INT) vm_raise_sys_error(d, EOVERFLOW, VAL_UNIT);
    return val_of_int(offset);
}

#define SEEK(name, check_channel, position_of)                                   \
    value prim_ml_seek_##name(struct domain *d, value channel, value position) { \
        struct channel *c = check_channel(d, channel);                           \
        struct channel_failure failure;                                          \
        int64_t to = position_of(position);                                      \
        GC_ROOT(&d->gc, &channel);                                               \
        vm_lock(d, &c->lock);                                                    \
        check(d, channel_seek(d, c, to, &failure), &failure);                    \
        vm_unlock(d, &c->lock);                                                  \
        return VAL_UNIT;                                                         \
    }
SEEK(in, channel_for_input, int_of_val)
SEEK(in_64, channel_for_input, int64_of_val)
SEEK(out, channel_for_output, int_of_val)
SEEK(out_64, channel_for_output, int64_of_val)

static int64_t length_of(struct domain *d, value channel) {
    struct channel_failure failure;
    int64_t length;
    check(d, channel_length(channel_of(channel), &length, &failure), &failure);
    return length;
}

value prim_ml_pos_in(struct domain *d, value channel) {
    return int_of_offset(d, channel_position(channel_of(channel)));
}

value prim_ml_pos_in_64(struct domain *d, value channel) {
    return copy_int64(d, channel_position(channel_of(channel)));
}

value prim_ml_channel_size(struct domain *d, value channel) {
    return int_of_offset(d, length_of(d, channel));
}

value prim_ml_channel_size_64(struct domain *d, value channel) {
    return copy_int64(d, length_of(d, channel));
}
