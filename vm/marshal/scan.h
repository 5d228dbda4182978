/* scan.h - walks over marshalled data without making its values. Private to vm/marshal.
 *
 * The data is a tree in pre-order (README.md draws it). A place in it is the offset of an item and
 * the number of objects before it, so a walk can begin at any place that is known. Some places are
 * noted on the way: from the nearest one the object is found that a reference names. Nothing is
 * trusted (U1): a walk takes time and memory in proportion to the bytes that it passes.
 *
 * A walk reads at most MARSHAL_ITEM_BYTES of an item that it passes, so only these need to be in
 * memory. */
#ifndef BACTRIAN_VM_MARSHAL_SCAN_H
#define BACTRIAN_VM_MARSHAL_SCAN_H

#include "gc/containers.h"
#include "vm/base/status.h"
#include "vm/marshal/codes.h"

#include <assert.h>

enum { MARSHAL_ITEM_BYTES = 32 };

struct marshal_place {
    uint32_t at, object;
};

struct marshal_scan {
    const uint8_t *data; /* after the header */
    uint32_t length, objects;
    struct VECTOR(struct marshal_place) noted; /* ascending */
    bool no_memory;                            /* to note a place */
};

struct marshal_item {
    enum item_kind kind;
    unsigned tag;        /* of a block */
    uint64_t number;     /* the integer; a block's fields; a string's bytes */
    uint32_t object;     /* the number of the object that it is, or that a reference names */
    const uint8_t *text; /* a string's bytes */
};

/* Starts at the marshalled value at bytes. Fails: with VM_BAD_MARSHAL. GC: never, as all below. */
enum vm_status marshal_scan_start(struct marshal_scan *s, const uint8_t *bytes, size_t n,
                                  struct vm_error *error);
void marshal_scan_end(struct marshal_scan *s);
/* marshal_scan_next for the other items, and the last bytes. */
bool marshal_scan_next_rare(const struct marshal_scan *s, struct marshal_place *p,
                            struct marshal_item *item);
/* Decodes the item at *p and moves *p to the next one, after a block's header to its first field.
 * False: it is ill-formed, or no plain data. */
static inline bool marshal_scan_next(const struct marshal_scan *s, struct marshal_place *p,
                                     struct marshal_item *item) {
    enum { MOST_BYTES = 9 };
    if (s->length - p->at < MOST_BYTES) return marshal_scan_next_rare(s, p, item);
    const unsigned code = s->data[p->at];
    item->object = p->object;
    if (code >= SMALL_INT) {
        item->kind = code < SMALL_BLOCK ? ITEM_INT : ITEM_BLOCK;
        item->number = code < SMALL_BLOCK ? code - SMALL_INT : code >> 4 & 7;
        item->tag = code & 15;
        p->at++;
        p->object += code >= FIRST_FIELD;
        return true;
    }
    static_assert(CODE_INT16 == CODE_INT8 + 1 && CODE_INT64 == 3 && CODE_SHARED8 == 4 &&
                      CODE_SHARED32 == 6,
                  "the width of a number is 1 << (code & 3)");
    if (code > CODE_SHARED32) return marshal_scan_next_rare(s, p, item);
    const unsigned bytes = 1u << (code & 3), shift = 64 - 8 * bytes;
    const uint64_t number = marshal_load(s->data + p->at + 1, 8);
    p->at += 1 + bytes;
    if (code <= CODE_INT64) {
        item->kind = ITEM_INT;
        item->number = (uint64_t)((int64_t)number >> shift);
        return true;
    }
    item->kind = ITEM_SHARED;
    item->object -= (uint32_t)(number >> shift);
    return item->object < p->object;
}
/* Moves *p over n items with their contents. False: they are ill-formed, or no_memory. */
bool marshal_scan_skip(struct marshal_scan *s, struct marshal_place *p, uint64_t n);
/* Notes a place, after all others. Returns its index; SIZE_MAX: no_memory. */
size_t marshal_scan_note(struct marshal_scan *s, struct marshal_place place);
/* The place of an object that a walk from 0 has passed, and the bytes that are read to find it. */
void marshal_scan_extent(const struct marshal_scan *s, uint32_t object, uint32_t *from,
                         uint32_t *end);
struct marshal_place marshal_scan_find(const struct marshal_scan *s, uint32_t object);
/* Whether *p is the end of the value, and it has as many objects as its header says. */
bool marshal_scan_is_complete(const struct marshal_scan *s, const struct marshal_place *p);

#endif
