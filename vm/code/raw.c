/* raw.c - words of blocks that hold no values, read and written as values. */
#include "vm/code/raw.h"

#include "gc/heap.h"
#include "vm/state/domain.h"

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
    if (is_block(x) && (tag_of(x) != TAG_ABSTRACT || wosize_of(x) != 1)) return false;
    value word = is_int(x) ? x : field(x, 0);
    if (!vm_raw_may_write_word(v, i, word)) return false;
    field(v, i) = word;
    return true;
}
