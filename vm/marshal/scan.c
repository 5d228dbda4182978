/* scan.c - see scan.h. */
#include "vm/marshal/scan.h"

#include "gc/value.h"
#include "vm/marshal/reader.h"

#include <stdlib.h>

enum vm_status marshal_scan_start(struct marshal_scan *s, const uint8_t *bytes, size_t n,
                                  struct vm_error *error) {
    struct vm_marshal_header head;
    size_t used;
    *s = (struct marshal_scan){.length = 0};
    enum vm_status status = vm_marshal_read_extent(bytes, n, &used, error);
    if (status != VM_OK) return status;
    vm_marshal_read_header(bytes, n, &head);
    if (head.data_bytes > UINT32_MAX || head.objects > head.data_bytes)
        return vm_error_set(error, VM_BAD_MARSHAL, "+0x0: more objects than there are bytes");
    s->data = bytes + head.header_bytes;
    s->length = (uint32_t)head.data_bytes;
    s->objects = (uint32_t)head.objects;
    return VM_OK;
}

void marshal_scan_end(struct marshal_scan *s) { free(s->noted.items); }

bool marshal_scan_is_complete(const struct marshal_scan *s, const struct marshal_place *p) {
    return p->at == s->length && (s->objects == 0 || p->object == s->objects);
}

/* ---- Single items. ---- */

/* The bytes of a boxed integer after its code: identifier, perhaps two sizes, payload. More than
 * are left: it is ill-formed, or another custom block. */
static size_t custom_bytes(const uint8_t *at, size_t left, unsigned code) {
    const size_t head = code == CODE_CUSTOM_LENGTH ? 3 + 12 : 3;
    if (left <= head || at[0] != '_' || at[2] != 0) return SIZE_MAX;
    switch (at[1]) {
    case 'i': return head + 4;
    case 'j': return head + 8;
    case 'n': return head + (at[head] == 1 ? 5 : 9);
    default: return SIZE_MAX;
    }
}

/* The bytes of an item's content, its fields left out; at: after its code and number. More than
 * are left: it is ill-formed. */
static size_t content_bytes(const struct marshal_item *item, unsigned code, const uint8_t *at,
                            size_t left) {
    switch (item->kind) {
    case ITEM_INT:
    case ITEM_SHARED: return 0;
    case ITEM_BLOCK: return item->number <= left ? 0 : SIZE_MAX;
    case ITEM_STRING: return item->number;
    case ITEM_DOUBLE_BIG:
    case ITEM_DOUBLE_LITTLE: return 8;
    case ITEM_DOUBLES_BIG:
    case ITEM_DOUBLES_LITTLE: return item->number <= left / 8 ? 8 * item->number : SIZE_MAX;
    case ITEM_CUSTOM: return custom_bytes(at, left, code);
    default: return SIZE_MAX; /* of a program's own values */
    }
}

/* Whether an item that is no small block has a number: empty blocks and float arrays have none. */
static bool is_numbered(const struct marshal_item *item) {
    switch (item->kind) {
    case ITEM_INT:
    case ITEM_SHARED: return false;
    case ITEM_BLOCK:
    case ITEM_DOUBLES_BIG:
    case ITEM_DOUBLES_LITTLE: return item->number > 0;
    default: return true;
    }
}

bool marshal_scan_next_rare(const struct marshal_scan *s, struct marshal_place *p,
                            struct marshal_item *item) {
    if (p->at >= s->length) return false;
    const uint8_t *at = s->data + p->at;
    const unsigned code = *at++;
    size_t left = s->length - p->at - 1;
    item->object = p->object;
    if (code >= SMALL_BLOCK) {
        item->kind = ITEM_BLOCK;
        item->tag = code & 15;
        item->number = code >> 4 & 7;
    } else if (code >= SMALL_INT) {
        item->kind = ITEM_INT;
        item->number = code - SMALL_INT;
    } else if (code >= SMALL_STRING) {
        item->kind = ITEM_STRING;
        item->number = code - SMALL_STRING;
    } else {
        const unsigned width = vm_marshal_codes[code].bytes;
        if (left < width) return false;
        item->kind = vm_marshal_codes[code].kind;
        item->number = width == 0 ? 0 : marshal_load(at, width);
        at += width;
        left -= width;
        if (item->kind == ITEM_INT) {
            item->number = (uint64_t)marshal_sign_extend(item->number, width);
        } else if (item->kind == ITEM_SHARED) {
            if (item->number == 0 || item->number > p->object) return false;
            item->object -= (uint32_t)item->number;
        } else if (item->kind == ITEM_BLOCK) {
            item->tag = tag_of_header(item->number);
            item->number = wosize_of_header(item->number);
        }
    }
    const size_t content = content_bytes(item, code, at, left);
    if (content > left) return false;
    item->text = at;
    p->at = (uint32_t)(at + content - s->data);
    p->object += is_numbered(item);
    return true;
}

/* ---- Many items. ---- */

/* The bytes of common items, by code; 0: of others (large blocks, long strings), which are rare. */
#define STRING(n)   [SMALL_STRING + (n)] = 1 + (n)
#define STRINGS4(n) STRING(n), STRING((n) + 1), STRING((n) + 2), STRING((n) + 3)
static const uint8_t common_bytes[256] = {
    [CODE_INT8] = 2,
    [CODE_INT16] = 3,
    [CODE_INT32] = 5,
    [CODE_INT64] = 9,
    [CODE_SHARED8] = 2,
    [CODE_SHARED16] = 3,
    [CODE_SHARED32] = 5,
    [CODE_DOUBLE_LITTLE] = 9,
    STRINGS4(0),
    STRINGS4(4),
    STRINGS4(8),
    STRINGS4(12),
    STRINGS4(16),
    STRINGS4(20),
    STRINGS4(24),
    STRINGS4(28),
    [SMALL_INT... 255] = 1,
};

/* What a common item adds to a count of objects (the low half) and to one of the items that are
 * still to come; other items add nothing. */
#define ADDS(objects, fields) (((uint64_t)(fields)-1) << 32 | (objects))
#define SMALL_BLOCKS(fields) \
    [SMALL_BLOCK + 16 * (fields)... SMALL_BLOCK + 16 * (fields) + 15] = ADDS(1, fields)
static const uint64_t common_adds[256] = {
    [CODE_INT8... CODE_SHARED32] = ADDS(0, 0),
    [CODE_DOUBLE_LITTLE] = ADDS(1, 0),
    [SMALL_STRING... SMALL_INT - 1] = ADDS(1, 0),
    [SMALL_INT... FIRST_FIELD - 1] = ADDS(0, 0),
    SMALL_BLOCKS(1),
    SMALL_BLOCKS(2),
    SMALL_BLOCKS(3),
    SMALL_BLOCKS(4),
    SMALL_BLOCKS(5),
    SMALL_BLOCKS(6),
    SMALL_BLOCKS(7),
};

/* Places are noted at least every NOTED_BYTES, if no item is longer. */
enum {
    NOTED_BYTES = IF_SMALL_TABLES(1, 512),
    FIRST_NOTED = IF_SMALL_TABLES(1, 64),
    AT_ONCE = 4,
    MOST_BYTES = 1 + 31 /* of a common item */
};
static_assert((int)MOST_BYTES <= (int)MARSHAL_ITEM_BYTES, "a walk reads no more of an item");

/* Passes common items and large blocks that begin before `stop` and are among those to come;
 * another item stays where it is. Needs: AT_ONCE * MOST_BYTES bytes of data from stop on. */
static const uint8_t *skip_common(const uint8_t *at, const uint8_t *stop, uint64_t most_fields,
                                  uint64_t *counts) {
    const uint64_t one = (uint64_t)1 << 32;
    uint64_t sum = *counts;
    unsigned bytes = 1;
#define PASS (bytes = common_bytes[*at], sum += common_adds[*at], at += bytes)
    while (at < stop && sum >= one) {
        while (at < stop && sum >= AT_ONCE * one) {
            PASS, PASS, PASS, PASS;
            if (bytes == 0) break;
        }
        while (at < stop && bytes > 0 && sum >= one) PASS;
        if (bytes > 0) break;
        const uint64_t block = *at == CODE_BLOCK32 ? marshal_load(at + 1, 4) : 0;
        const uint64_t fields = wosize_of_header(block);
        if (fields == 0 || (sum >> 32) + fields > most_fields) break;
        sum += ADDS(1, fields);
        at += bytes = 5;
    }
#undef PASS
    *counts = sum;
    return at;
}

size_t marshal_scan_note(struct marshal_scan *s, struct marshal_place place) {
    ASSERT(s->noted.count == 0 || s->noted.items[s->noted.count - 1].at <= place.at);
    s->no_memory = !vector_push(&s->noted, place, FIRST_NOTED, NULL);
    return s->no_memory ? SIZE_MAX : s->noted.count - 1;
}

/* Notes a place that is NOTED_BYTES after all others. False: out of memory. */
static bool note(struct marshal_scan *s, struct marshal_place place) {
    const size_t n = s->noted.count;
    if (n > 0 && place.at < (uint64_t)s->noted.items[n - 1].at + NOTED_BYTES) return true;
    return marshal_scan_note(s, place) != SIZE_MAX;
}

/* Passes common items: NOTED_BYTES of them, fewer at the end of the data. */
static void skip_some(const struct marshal_scan *s, struct marshal_place *p, uint64_t *n) {
    if (s->length - p->at <= NOTED_BYTES + AT_ONCE * MOST_BYTES) return;
    const uint8_t *at = s->data + p->at;
    uint64_t counts = *n << 32 | p->object;
    p->at = (uint32_t)(skip_common(at, at + NOTED_BYTES, s->length - p->at, &counts) - s->data);
    p->object = (uint32_t)counts;
    *n = counts >> 32;
}

bool marshal_scan_skip(struct marshal_scan *s, struct marshal_place *p, uint64_t n) {
    struct marshal_item item;
    while (n > 0) {
        if (n > s->length - p->at || !note(s, *p)) return false;
        skip_some(s, p, &n);
        if (n == 0) break;
        if (!marshal_scan_next(s, p, &item)) return false;
        n += (item.kind == ITEM_BLOCK ? item.number : 0) - 1;
    }
    return true;
}

/* The noted places around an object: the last one before it, and the next one or the end. */
static void noted_around(const struct marshal_scan *s, uint32_t object, struct marshal_place *last,
                         uint32_t *next) {
    const struct marshal_place *noted = s->noted.items;
    const size_t n = sorted_prefix(s->noted.count, i, noted[i].object <= object);
    *last = n == 0 ? (struct marshal_place){0, 0} : noted[n - 1];
    *next = n < s->noted.count ? noted[n].at : s->length;
}

void marshal_scan_extent(const struct marshal_scan *s, uint32_t object, uint32_t *from,
                         uint32_t *end) {
    struct marshal_place last;
    noted_around(s, object, &last, end);
    *from = last.at;
    *end = s->length - *end < MARSHAL_ITEM_BYTES ? s->length : *end + MARSHAL_ITEM_BYTES;
}

struct marshal_place marshal_scan_find(const struct marshal_scan *s, uint32_t object) {
    struct marshal_place p, last;
    struct marshal_item item;
    uint32_t next;
    noted_around(s, object, &p, &next);
    do {
        last = p;
        const unsigned code = s->data[p.at];
        if (s->length - p.at > MOST_BYTES && common_bytes[code] > 0) {
            p.at += common_bytes[code];
            p.object += (uint32_t)common_adds[code];
        } else if (!marshal_scan_next(s, &p, &item)) break;
    } while (p.object <= object);
    return last;
}
