/* contents.c - see contents.h. What is added is decoded once, to check it, and again when it is
 * shown. */
#include "memprof/report/heap/contents.h"

#include "gc/assert.h"
#include "memprof/format/reader.h"

#include <stdlib.h>

enum { TAG_NO_SCAN = 251, TAG_STRING, TAG_DOUBLE, TAG_DOUBLE_ARRAY, TAG_CUSTOM };

static bool take(const uint8_t **at, const uint8_t *end, void *to, size_t n) {
    if ((size_t)(end - *at) < n) return false;
    memcpy(to, *at, n);
    *at += n;
    return true;
}

static bool take_string(const uint8_t **at, const uint8_t *end, uint64_t wosize,
                        struct heap_content *out) {
    if (!mp_get_uint(at, end, &out->length) || out->length / 8 >= wosize) return false;
    out->count = out->length < MP_CONTENT_BYTES ? (uint32_t)out->length : MP_CONTENT_BYTES;
    if ((size_t)(end - *at) < out->count) return false;
    out->bytes = *at;
    *at += out->count;
    return out->length == out->count || take(at, end, &out->hash, sizeof out->hash);
}

static bool take_floats(const uint8_t **at, const uint8_t *end, uint64_t wosize,
                        struct heap_content *out) {
    out->length = wosize;
    out->count = wosize < MP_CONTENT_FLOATS ? (uint32_t)wosize : MP_CONTENT_FLOATS;
    return wosize > 0 && take(at, end, out->floats, out->count * sizeof *out->floats);
}

static bool take_fields(const uint8_t **at, const uint8_t *end, uint64_t wosize,
                        struct heap_content *out) {
    uint64_t count, skipped, number, field = 0;
    if (!mp_get_uint(at, end, &count) || count == 0 || count > MP_CONTENT_FIELDS) return false;
    out->count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++, field++) {
        if (!mp_get_uint(at, end, &skipped) || !mp_get_uint(at, end, &number)) return false;
        if (field >= wosize || skipped >= wosize - field) return false;
        field += skipped;
        out->fields[i] = (uint32_t)field;
        out->numbers[i] = (int64_t)(number >> 1 ^ -(number & 1));
    }
    return true;
}

static bool decode(unsigned tag, uint64_t wosize, const uint8_t **at, const uint8_t *end,
                   struct heap_content *out) {
    *out = (struct heap_content){.kind = HEAP_NO_CONTENT};
    switch (tag) {
    case TAG_NO_SCAN: return false;
    case TAG_STRING: out->kind = HEAP_STRING; return take_string(at, end, wosize, out);
    case TAG_DOUBLE:
    case TAG_DOUBLE_ARRAY: out->kind = HEAP_FLOATS; return take_floats(at, end, wosize, out);
    case TAG_CUSTOM:
        out->kind = HEAP_NUMBER;
        return take(at, end, &out->number, sizeof out->number);
    default: out->kind = HEAP_FIELDS; return take_fields(at, end, wosize, out);
    }
}

bool heap_contents_add(struct heap_contents *contents, size_t blocks, size_t block, unsigned tag,
                       uint64_t wosize, const uint8_t **at, const uint8_t *end) {
    struct heap_content content;
    const uint8_t *from = *at;
    ASSERT(block < blocks);
    if (contents->at == NULL) contents->at = report_alloc(blocks * sizeof *contents->at);
    if (!decode(tag, wosize, at, end, &content) || contents->bytes.length >= UINT32_MAX)
        return false;
    contents->at[block] = (uint32_t)contents->bytes.length + 1;
    report_put(&contents->bytes, from, (size_t)(*at - from));
    return true;
}

struct heap_content heap_content_of(const struct heap_contents *contents, size_t block,
                                    unsigned tag, uint64_t wosize) {
    struct heap_content content = {.kind = HEAP_NO_CONTENT};
    if (contents->at == NULL || contents->at[block] == 0) return content;
    const uint8_t *at = contents->bytes.data + contents->at[block] - 1;
    bool valid = decode(tag, wosize, &at, contents->bytes.data + contents->bytes.length, &content);
    ASSERT(valid);
    (void)valid;
    return content;
}

void heap_contents_free(struct heap_contents *contents) {
    report_free(contents->at, contents->bytes.data);
}
