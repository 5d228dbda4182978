/* contents.c - short contents of the reachable blocks (memprof/format/README.md, CONTENTS). */
#include "gc/assert.h"
#include "gc/walk.h"
#include "memprof/format/splitmix64.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/state/alloc.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

/* A string's length, bytes and hash; or a count, and two numbers for each field. */
enum { MOST_BYTES = (1 + 2 * MP_CONTENT_FIELDS) * MP_UINT_BYTES };

struct contents {
    struct domain *d;
    struct mp_writer *writer;
    uint64_t without; /* blocks without contents since the last one that has any */
    size_t used;
    uint8_t bytes[1 << 16];
};

static uint8_t *put_sint(uint8_t *to, int64_t n) {
    return mp_put_uint(to, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

static uint8_t *put_word(uint8_t *to, const void *word) {
    memcpy(to, word, 8);
    return to + 8;
}

/* The same of equal strings, and of hardly any others. */
static uint64_t hash_bytes(const char *bytes, size_t n) {
    uint64_t hash = n;
    for (; n > 0; bytes += n < 8 ? n : 8, n -= n < 8 ? n : 8) {
        uint64_t word = 0;
        memcpy(&word, bytes, n < 8 ? n : 8);
        hash ^= word;
        hash = mp_splitmix64(&hash);
    }
    return hash;
}

/* After unsafe writes the last byte may say that a string has fewer than no bytes. */
static uint8_t *put_string(uint8_t *to, value v) {
    const size_t most = 8 * wosize_of(v) - 1,
                 length = string_length(v) > most ? most : string_length(v);
    const size_t shown = length < MP_CONTENT_BYTES ? length : MP_CONTENT_BYTES;
    to = mp_put_uint(to, length);
    memcpy(to, string_bytes(v), shown);
    to += shown;
    if (length == shown) return to;
    const uint64_t hash = hash_bytes(string_bytes(v), length);
    return put_word(to, &hash);
}

static uint8_t *put_floats(uint8_t *to, value v) {
    for (size_t i = 0; i < wosize_of(v) && i < MP_CONTENT_FLOATS; i++)
        to = put_word(to, (const value *)v + i);
    return to;
}

static uint8_t *put_custom(uint8_t *to, value v) {
    int64_t number;
    if (is_custom_of(v, &vm_int32_ops)) number = int32_of_val(v);
    else if (is_custom_of(v, &vm_int64_ops)) number = int64_of_val(v);
    else if (is_custom_of(v, &vm_nativeint_ops)) number = nativeint_of_val(v);
    else return to;
    return put_word(to, &number);
}

/* The integers among the first fields; of a closure, of its environment. */
static uint8_t *put_fields(uint8_t *to, value v) {
    const uint64_t from = tag_of(v) == TAG_CLOSURE ? start_env_of(field(v, 1)) : 0;
    uint64_t next = 0, count = 0;
    uint8_t numbers[MOST_BYTES], *end = numbers;
    for (uint64_t i = from; i < wosize_of(v) && i < from + MP_CONTENT_FIELDS; i++) {
        if (!is_int(field(v, i))) continue;
        end = put_sint(mp_put_uint(end, i - next), int_of_val(field(v, i)));
        next = i + 1;
        count++;
    }
    if (count == 0) return to;
    to = mp_put_uint(to, count);
    memcpy(to, numbers, (size_t)(end - numbers));
    return to + (end - numbers);
}

/* The globals are no fields, and a continuation's are the machine's. */
static uint8_t *put_content(const struct contents *c, uint8_t *to, value v) {
    switch (tag_of(v)) {
    case TAG_STRING: return put_string(to, v);
    case TAG_DOUBLE:
    case TAG_DOUBLE_ARRAY: return put_floats(to, v);
    case TAG_CUSTOM: return put_custom(to, v);
    case TAG_ABSTRACT:
    case TAG_CONT: return to;
    default: return v == c->d->vm->global_data ? to : put_fields(to, v);
    }
}

static void flush_contents(struct contents *c) {
    const struct mp_record_contents record = {{(const char *)c->bytes, c->used}};
    if (c->used > 0) mp_write_contents(c->writer, &record);
    c->used = 0;
}

static void write_content(void *context, value v) {
    struct contents *c = context;
    uint8_t content[MOST_BYTES], *end = put_content(c, content, v);
    const size_t n = (size_t)(end - content);
    ASSERT(n <= sizeof content);
    if (n == 0) {
        c->without++;
        return;
    }
    if (c->used + MP_UINT_BYTES + n > sizeof c->bytes) flush_contents(c);
    uint8_t *to = mp_put_uint(c->bytes + c->used, c->without);
    memcpy(to, content, n);
    c->used = (size_t)(to - c->bytes) + n;
    c->without = 0;
}

bool mp_snapshot_contents(struct domain *d, struct mp_writer *w) {
    struct contents *c = malloc(sizeof *c);
    if (c == NULL) return false;
    *c = (struct contents){.d = d, .writer = w};
    gc_walk_blocks(&d->gc, write_content, c);
    flush_contents(c);
    free(c);
    return true;
}
