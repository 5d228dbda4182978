/* prim_digest.c - Digest: MD5, and BLAKE2b of OCaml 5.
 *
 * An unfinished BLAKE2b digest is a custom block "_blake2" with the state in it. */
#include "stdlib/blake2.h"
#include "stdlib/channel.h"
#include "stdlib/prim.h"
#include "vm/base/md5.h"
#include "vm/stack/limits.h"

/* ---- MD5 ---- */

value prim_md5_string(struct domain *d, value s, value start, value length) {
    if (!prim_in_bounds(int_of_val(start), int_of_val(length), string_length(s)))
        vm_raise_bound_error(d);
    vm_charge_work(d, 8 * (size_t)int_of_val(length));
    uint8_t digest[16];
    vm_md5(string_bytes(s) + int_of_val(start), (size_t)int_of_val(length), digest);
    return copy_bytes(d, (const char *)digest, sizeof digest);
}

/* Of length bytes; negative: to the end of the file. */
value prim_md5_chan(struct domain *d, value channel, value length) {
    GC_ROOT(&d->gc, &channel);
    struct vm_md5_state md5;
    vm_md5_start(&md5);
    char buffer[4096];
    intptr_t left = int_of_val(length);
    vm_lock(d, &channel_for_input(d, channel)->lock);
    while (left != 0) {
        size_t n = left > 0 && (size_t)left < sizeof buffer ? (size_t)left : sizeof buffer;
        size_t got = channel_read(d, channel_of(channel), buffer, n);
        vm_md5_add(&md5, buffer, got);
        vm_charge_work(d, 7 * got); /* and once by channel_read */
        vm_stop_without_fuel(d);
        if (got < n && left > 0) vm_raise_end_of_file(d);
        if (got < n) break;
        if (left > 0) left -= (intptr_t)got;
    }
    vm_unlock(d, &channel_of(channel)->lock);
    uint8_t digest[16];
    vm_md5_end(&md5, digest);
    return copy_bytes(d, (const char *)digest, sizeof digest);
}

/* ---- BLAKE2b ---- */

static const struct gc_custom_ops blake2_ops = {.identifier = "_blake2"};

static struct blake2 *blake2_of(struct domain *d, value v) {
    if (!gc_is_heap_block(&d->gc, v) || tag_of(v) != TAG_CUSTOM || custom_ops(v) != &blake2_ops)
        vm_invalid_argument(d, "Digest: unfinished digest expected");
    return custom_data(v);
}

static size_t digest_bytes(struct domain *d, value n) {
    if (int_of_val(n) < 1 || int_of_val(n) > BLAKE2_MAX_DIGEST)
        vm_invalid_argument(d, "Digest: bad length of a digest");
    return (size_t)int_of_val(n);
}

static void start(struct domain *d, struct blake2 *b, value length, value key) {
    if (string_length(key) > BLAKE2_MAX_KEY) vm_invalid_argument(d, "Digest: key too long");
    blake2_start(b, digest_bytes(d, length), string_bytes(key), string_length(key));
}

static void add(struct domain *d, struct blake2 *b, value s, value first, value length) {
    if (!prim_in_bounds(int_of_val(first), int_of_val(length), string_length(s)))
        vm_raise_bound_error(d);
    vm_charge_work(d, 8 * (size_t)int_of_val(length));
    blake2_add(b, string_bytes(s) + int_of_val(first), (size_t)int_of_val(length));
}

static value end(struct domain *d, struct blake2 *b, value length) {
    uint8_t digest[BLAKE2_MAX_DIGEST];
    size_t n = digest_bytes(d, length);
    blake2_end(b, digest, n);
    return copy_bytes(d, (const char *)digest, n);
}

value prim_blake2_create(struct domain *d, value length, value key) {
    struct blake2 state;
    start(d, &state, length, key);
    value v = gc_alloc_custom(&d->gc, &blake2_ops, sizeof state, 0, 1);
    memcpy(custom_data(v), &state, sizeof state);
    return v;
}

value prim_blake2_update(struct domain *d, value v, value s, value first, value length) {
    add(d, blake2_of(d, v), s, first, length);
    return VAL_UNIT;
}

value prim_blake2_final(struct domain *d, value v, value length) {
    return end(d, blake2_of(d, v), length);
}

value prim_blake2_string(struct domain *d, value length, value key, value s, value first, value n) {
    struct blake2 state;
    start(d, &state, length, key);
    add(d, &state, s, first, n);
    return end(d, &state, length);
}
