/* raw.c - words of blocks that hold no values, read and written as values (raw.h). */
#include "vm/code/raw.h"

#include "gc/assert.h"
#include "gc/heap.h"
#include "vm/state/alloc.h"
#include "vm/state/domain.h"

#include <string.h>

static int compare_words(value a, value b) {
    return (field(a, 1) > field(b, 1)) - (field(a, 1) < field(b, 1));
}

/* A word that is no value: the second one of such a block. */
static const struct gc_custom_ops word_ops = {.identifier = "_word", .compare = compare_words};

bool vm_raw_is_word(value v) { return is_custom_of(v, &word_ops); }

/* An even word of an abstract block may be a value that the block does not keep alive: that of a
 * weak array. Words of closures are values (V3), except in those of C stubs. */
value vm_raw_load(struct domain *d, value v, uintptr_t i) {
    if (i >= vm_raw_words(v)) return 0;
    value word = field(v, i);
    if (is_int(word)) return word;
    if (gc_in_range(&d->gc, word)) {
        if (tag_of(v) < TAG_NO_SCAN) return word;
        if (tag_of(v) == TAG_ABSTRACT) return 0;
    }
    value boxed = gc_alloc_major(&d->gc, 2, TAG_CUSTOM);
    field(boxed, 0) = (value)&word_ops;
    field(boxed, 1) = word;
    return boxed;
}

bool vm_raw_store(value v, uintptr_t i, value x) {
    value word = vm_raw_is_word(x) ? field(x, 1) : x;
    if (!vm_raw_may_write_word(v, i, word)) return false;
    field(v, i) = word;
    return true;
}

bool vm_raw_is_boxed_integer(value v) {
    if (tag_of(v) != TAG_CUSTOM) return false;
    const struct gc_custom_ops *ops = custom_ops(v);
    return ops == &vm_int32_ops || ops == &vm_int64_ops || ops == &vm_nativeint_ops;
}

/* Bytes that are written into a block. */
struct written {
    uintptr_t at, n;
    const unsigned char *from;
    uintptr_t step; /* 0: the first one, n times */
};

/* Word i of block v as it will be. */
static value written_word(value v, uintptr_t i, const struct written *w) {
    unsigned char bytes[8];
    memcpy(bytes, &field(v, i), 8);
    for (uintptr_t k = 0; k < 8; k++) {
        uintptr_t index = 8 * i + k - w->at;
        if (index < w->n) bytes[k] = w->from[index * w->step];
    }
    value word;
    memcpy(&word, bytes, 8);
    return word;
}

/* Starts with the last words if the bytes lie before them, perhaps in the same block. */
static bool write_values(struct domain *d, value v, const struct written *w) {
    uintptr_t first = w->at / 8, last = (w->at + w->n - 1) / 8;
    for (uintptr_t i = first; i <= last; i++) {
        value word = written_word(v, i, w);
        if (!is_int(word) && word != field(v, i)) return false;
    }
    bool backwards = w->from < (const unsigned char *)v + w->at;
    for (uintptr_t i = first; i <= last; i++) {
        uintptr_t at = backwards ? last - (i - first) : i;
        value word = written_word(v, at, w);
        if (word != field(v, at)) gc_store(&d->gc, v, at, word);
    }
    return true;
}

bool vm_raw_write(struct domain *d, value v, uintptr_t at, uintptr_t n, const void *from,
                  bool repeated) {
    const unsigned char *bytes = from;
    ASSERT(n > 0);
    if (!vm_raw_has_bytes(v, at, n)) return false;
    unsigned tag = tag_of(v);
    if (tag < TAG_NO_SCAN)
        return tag != TAG_CLOSURE && tag != TAG_INFIX &&
               write_values(d, v, &(struct written){at, n, bytes, !repeated});
    if (!vm_raw_may_write(v, at, n, repeated ? *bytes : bytes[n - 1])) return false;
    if (repeated) memset((char *)v + at, *bytes, n);
    else memmove((char *)v + at, bytes, n);
    return true;
}

/* The last byte counts the padding bytes. If that is more than there are, OCaml computes a negative
 * length, and its loops over such a string do nothing, as for the empty one. Other padding is
 * copied, too: OCaml's loops over digits look at the byte after the last one. */
static value convert_string(struct domain *d, const value *slot) {
    size_t size = 8 * vm_raw_words(*slot);
    if (size == 0) return 0;
    /* A collection replaces a forwarding block by its content, so its bytes are read before. */
    bool forwards = tag_of(*slot) == TAG_FORWARD;
    value content = field(*slot, 0);
    if (forwards && size > sizeof content) return 0;
    size_t padding = ((const unsigned char *)*slot)[size - 1];
    size_t length = padding < size ? size - 1 - padding : 0;
    value s = new_string(d, length);
    size_t bytes = padding < 8 ? size : length;
    ASSERT(8 * wosize_of(s) >= bytes);
    memcpy((char *)s, forwards ? (const char *)&content : (const char *)*slot, bytes);
    return s;
}

/* A boxed integer is the second word of its block. */
value vm_raw_convert(struct domain *d, char kind, const value *slot) {
    if (is_int(*slot)) return 0;
    if (kind == 's') return convert_string(d, slot);
    if (!vm_raw_has_bytes(*slot, kind == 'f' ? 0 : 8, 8)) return 0;
    switch (kind) {
    case 'f': return copy_double(d, double_field(*slot, 0));
    case 'j': return copy_int32(d, (int32_t)field(*slot, 1));
    case 'l': return copy_int64(d, field(*slot, 1));
    case 'n': return copy_nativeint(d, field(*slot, 1));
    default: return 0;
    }
}
