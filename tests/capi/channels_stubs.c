/* channels_stubs.c - stubs that open, write, read and close channels: each exported function of
 * channels.c. The OCaml side is channels.ml. */
#define CAML_NAME_SPACE
#define CAML_INTERNALS
#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/intext.h>
#include <caml/io.h>
#include <caml/md5.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern value caml_channel_descriptor(value channel);
extern value caml_ml_open_descriptor_in(value fd);
extern value caml_ml_open_descriptor_out(value fd);

#define BIG 200000

value t_flush(value channel) {
    caml_flush(Channel(channel));
    return Val_unit;
}
value t_open_in(value fd) { return caml_ml_open_descriptor_in(fd); }
value t_open_out(value fd) { return caml_ml_open_descriptor_out(fd); }
value t_descriptor(value channel) { return caml_channel_descriptor(channel); }

/* Writes all kinds of things to a channel of its own; the numbers that the functions returned. */
value t_write(value fd, value v) {
    CAMLparam2(fd, v);
    char report[200], *big = malloc(BIG);
    struct channel *c = caml_open_descriptor_out(Int_val(fd));
    for (int i = 0; i < BIG; i++) big[i] = (char)(i % 251);
    Lock(c);
    caml_putch(c, 'x');
    caml_putword(c, 0x01020304);
    caml_really_putblock(c, "header", 6);
    caml_output_val(c, v, Val_emptylist);
    long at = (long)caml_pos_out(c);
    caml_flush(c);
    int put = caml_putblock(c, big, BIG), small = caml_putblock(c, "small", 5);
    caml_really_putblock(c, big, BIG);
    int empty = 0;
    while (!empty) empty = caml_flush_partial(c);
    long end = (long)caml_pos_out(c);
    caml_seek_out(c, 1);
    caml_putch(c, 9);
    caml_flush(c);
    Unlock(c);
    snprintf(report, sizeof report, "at %ld, put %d %d, end %ld, size %ld, now %ld, binary %d, %d",
             at, put, small, end, (long)caml_channel_size(c), (long)caml_pos_out(c),
             caml_channel_binary_mode(c), c->fd == Int_val(fd));
    caml_close_channel(c);
    free(big);
    CAMLreturn(caml_copy_string(report));
}

/* Reads them again; the marshalled value, and what was found. */
value t_read(value fd) {
    CAMLparam1(fd);
    CAMLlocal3(v, digest, pair);
    char report[200], header[7] = "", *big = malloc(BIG + 100);
    struct channel *c = caml_open_descriptor_in(Int_val(fd));
    Lock(c);
    int first = caml_refill(c);
    uint32_t word = caml_getword(c);
    long got = caml_really_getblock(c, header, 6);
    v = caml_input_val(c);
    long at = (long)caml_pos_in(c);
    int some = caml_getblock(c, big, 3), next = caml_getch(c);
    long ahead = c->max - c->curr;
    long rest = caml_really_getblock(c, big, BIG + 100), sum = 0;
    for (long i = 0; i < rest; i++) sum += (unsigned char)big[i];
    while (rest == BIG + 100) rest = caml_really_getblock(c, big, BIG + 100);
    int end = caml_getblock(c, big, 10);
    caml_seek_in(c, 5);
    digest = caml_md5_channel(c, 100);
    long after = (long)caml_pos_in(c);
    Unlock(c);
    snprintf(report, sizeof report, "%d %x %ld %s at %ld, %d %d %d, sum %ld, rest %ld, end %d %ld",
             first, word, got, header, at, some, next, ahead > 0, sum, rest, end, after);
    free(big);
    caml_close_channel(c);
    pair = caml_alloc_tuple(3);
    Store_field(pair, 0, v);
    Store_field(pair, 1, digest);
    Store_field(pair, 2, caml_copy_string(report));
    CAMLreturn(pair);
}

/* A channel that C made, as a value; C closes it later. */
static struct channel *shared;
value t_share(value fd) {
    shared = caml_open_descriptor_in(Int_val(fd));
    return caml_alloc_channel(shared);
}
value t_shared_byte(value unit) { return Val_int(caml_getch(shared)); }
value t_close_shared(value unit) {
    caml_close_channel(shared);
    return Val_unit;
}

/* Raises End_of_file while it holds the lock. */
value t_locked_end(value channel) {
    struct channel *c = Channel(channel);
    Lock(c);
    while (1) caml_getch(c);
}

/* Whether a library that replaces OCaml's locks finds variables for it. */
value t_lock_hooks(value unit) {
    void *hooks[] = {&caml_channel_mutex_free, &caml_channel_mutex_lock, &caml_channel_mutex_unlock,
                     &caml_channel_mutex_unlock_exn};
    for (int i = 0; i < 4; i++)
        if (hooks[i] == NULL) return Val_false;
    return Val_bool((caml_channel_mutex_lock == NULL) == (caml_channel_mutex_unlock == NULL));
}

/* A line in three parts, with whatever OCaml's threads do in between. */
value t_line(value channel, value letter) {
    CAMLparam2(channel, letter);
    char part[30000];
    struct channel *c = Channel(channel);
    memset(part, Int_val(letter), sizeof part);
    Lock(c);
    for (int i = 0; i < 3; i++) caml_really_putblock(c, part, sizeof part);
    caml_putch(c, '\n');
    Unlock(c);
    CAMLreturn(Val_unit);
}
