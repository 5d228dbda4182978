/* raw.h - blocks that a program accesses as blocks of another kind: a string as an array, a float
 * as a string. Programs do that with Obj.magic and the functions that OCaml calls unsafe. Checked
 * mode allows it, as OCaml does, as long as the access stays in its block and the heap stays valid.
 *
 * A raw word that is read as a value is an integer if it is odd. An even one could be any address,
 * so it is returned in a custom block, which primitives take for an address outside the heap; if
 * that is stored into a string or float, the word is stored again. If any other block is stored
 * there, its address is written, which does not keep it alive. Bytes written into a block of values
 * may change a word to an integer, not to an address. A primitive that reads a float, a boxed
 * integer or a string gets a copy of the bytes instead. */
#ifndef BACTRIAN_VM_CODE_RAW_H
#define BACTRIAN_VM_CODE_RAW_H

#include "gc/value.h"

struct domain;

/* Words from block v, which may be an infix closure, to the end of its block. */
static inline uintptr_t vm_raw_words(value v) {
    if (tag_of(v) != TAG_INFIX) return wosize_of(v);
    return wosize_of(block_start(v)) - infix_offset_words(v);
}
/* Whether bytes [at, at + n) are in block v. Negative numbers are too large. */
static inline bool vm_raw_has_bytes(value v, uintptr_t at, uintptr_t n) {
    uintptr_t size = 8 * vm_raw_words(v);
    return n <= size && at <= size - n;
}
/* Whether v is an int32, int64 or nativeint: its second word may be any. */
bool vm_raw_is_boxed_integer(value v);
/* Whether they hold no values, and may be changed to bytes of which the last one is given (V4).
 * Needs: n > 0. */
static inline bool vm_raw_may_write(value v, uintptr_t at, uintptr_t n, unsigned char last) {
    unsigned tag = tag_of(v);
    if (tag == TAG_CUSTOM)
        return at >= 8 && vm_raw_has_bytes(v, at, n) && vm_raw_is_boxed_integer(v);
    if (tag < TAG_STRING || tag > TAG_DOUBLE_ARRAY) return false;
    uintptr_t size = 8 * wosize_of(v);
    return n <= size && at <= size - n && (at != size - n || tag != TAG_STRING || last < 8);
}
static inline bool vm_raw_may_write_word(value v, uintptr_t i, value word) {
    return i <= MAX_WOSIZE && vm_raw_may_write(v, 8 * i, 8, (unsigned char)((uintptr_t)word >> 56));
}

/* Word i of block v as a value. 0: there is none, or only the collector may read it. GC: never.
 * Fails: raises Out_of_memory. */
value vm_raw_load(struct domain *d, value v, uintptr_t i);
/* Writes the n bytes at `from`, or n times the one there, into block v at byte `at`. Whether that
 * is possible; if not, nothing changes. Needs: n > 0. Keeps: G2, M1. GC: never. */
bool vm_raw_write(struct domain *d, value v, uintptr_t at, uintptr_t n, const void *from,
                  bool repeated);
/* Stores x as word i of block v, which holds no values. Whether that is possible. GC: never. */
bool vm_raw_store(value v, uintptr_t i, value x);
/* Whether v is a word from vm_raw_load, which is its second one. */
bool vm_raw_is_word(value v);

/* A value of a kind (vm/code/prim.h) with the bytes that block *slot, a root, has where such a
 * value has its own. 0: the block is too small, or the kind is another one. GC: may run. Fails:
 * raises Out_of_memory. */
value vm_raw_convert(struct domain *d, char kind, const value *slot);

#endif
