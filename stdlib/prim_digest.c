/* prim_digest.c - Digest: MD5 of strings and of channels. */
#include "stdlib/channel.h"
#include "stdlib/prim.h"
#include "vm/base/md5.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

value prim_md5_string(struct domain *d, value s, value start, value length) {
    if (!prim_in_bounds(int_of_val(start), int_of_val(length), string_length(s)))
        vm_raise_bound_error(d);
    uint8_t digest[16];
    vm_md5(string_bytes(s) + int_of_val(start), (size_t)int_of_val(length), digest);
    return copy_bytes(d, (const char *)digest, sizeof digest);
}

/* A negative length: to the end of the file. */
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
        if (got < n && left > 0) vm_raise_end_of_file(d);
        if (got < n) break;
        if (left > 0) left -= (intptr_t)got;
    }
    vm_unlock(d, &channel_of(channel)->lock);
    uint8_t digest[16];
    vm_md5_end(&md5, digest);
    return copy_bytes(d, (const char *)digest, sizeof digest);
}
