/* raw.c - words of blocks that hold no values, read and written as values. */
#include "vm/code/raw.h"

#include "gc/heap.h"
#include "vm/state/alloc.h"
#include "vm/state/domain.h"

#include <string.h>

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
    value boxed = gc_alloc_major(&d->gc, 1, TAG_ABSTRACT);
    field(boxed, 0) = word;
    return boxed;
}

bool vm_raw_store(value v, uintptr_t i, value x) {
    bool boxed = is_block(x) && tag_of(x) == TAG_ABSTRACT && wosize_of(x) == 1;
    value word = boxed ? field(x, 0) : x;
    if (!vm_raw_may_write_word(v, i, word)) return false;
    field(v, i) = word;
    return true;
}

static value convert_string(struct domain *d, const value *slot) {
    size_t size = 8 * vm_raw_words(*slot);
    size_t padding = size == 0 ? 0 : ((const unsigned char *)*slot)[size - 1];
    if (padding >= size) return 0;
    value s = new_string(d, size - 1 - padding);
    memcpy((char *)s, (const char *)*slot, size - 1 - padding);
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
