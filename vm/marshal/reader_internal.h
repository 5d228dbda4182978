/* reader_internal.h - the reader itself, which unmarshal.c (messages), unmarshal_items.c (items)
 * and unmarshal_closures.c share.
 *
 * A message is the pre-order walk over a value. Each item starts with a code:
 *
 *     00 01 02 03  integer of 1, 2, 4, 8 bytes         80-FF  block: tag = low 4 bits, size = bits
 *     4-6 40-7F        integer 0..63                       08 13  block header of 4, 8 bytes
 *     04 05 06 14  object so many back (1, 2, 4, 8)    0B 0C  double, big and little endian
 *     20-3F        string of 0..31 bytes               0D-0F 07 16 17  array of doubles
 *     09 0A 15     string, length of 1, 4, 8 bytes     10 11  code pointer, infix pointer
 *     12 18 19     custom: of unknown, given, fixed size
 *
 * Fields that are still to be read are a range of slots; the ranges that wait are on a stack. They
 * have no content until they are read: who ends early fills them (U2). Only foreign code may raise
 * while a message is read; before it is called all fields get a content (vm_reader_settle), and
 * from then on each at birth. The reader's own tables are in an arena. */
#ifndef BACTRIAN_VM_MARSHAL_READER_INTERNAL_H
#define BACTRIAN_VM_MARSHAL_READER_INTERNAL_H

#include "gc/bulk.h"
#include "gc/small_tables.h"
#include "vm/marshal/reader.h"
#include "vm/state/vm.h"

enum {
    CODE_INT8,
    CODE_INT16,
    CODE_INT32,
    CODE_INT64,
    CODE_SHARED8,
    CODE_SHARED16,
    CODE_SHARED32,
    CODE_DOUBLE_ARRAY32_LITTLE,
    CODE_BLOCK32,
    CODE_STRING8,
    CODE_STRING32,
    CODE_DOUBLE_BIG,
    CODE_DOUBLE_LITTLE,
    CODE_DOUBLE_ARRAY8_BIG,
    CODE_DOUBLE_ARRAY8_LITTLE,
    CODE_DOUBLE_ARRAY32_BIG,
    CODE_CODE_POINTER,
    CODE_INFIX_POINTER,
    CODE_CUSTOM,
    CODE_BLOCK64,
    CODE_SHARED64,
    CODE_STRING64,
    CODE_DOUBLE_ARRAY64_BIG,
    CODE_DOUBLE_ARRAY64_LITTLE,
    CODE_CUSTOM_LENGTH,
    CODE_CUSTOM_FIXED,
    SMALL_STRING = 0x20,
    SMALL_INT = 0x40,
    SMALL_BLOCK = 0x80,
    FIRST_FIELD = 0x90 /* small blocks from here on have fields */
};

enum { SMALL_STACK = IF_SMALL_TABLES(1, 64), SMALL_OBJECTS = IF_SMALL_TABLES(1, 64) };

/* Slots that are still to be read. next NULL: end is a block of TAG_OBJECT whose id is due. */
struct pending {
    value *next, *end;
};

/* A partial application, whose saved closure is looked at when the whole message was read. */
struct partial {
    value closure;
    uint32_t fragment, pc; /* where the saved closure's function must start */
};

enum reader_place { PLACE_MAJOR, PLACE_YOUNG, PLACE_ARENA };

struct vm_reader {
    const uint8_t *start, *at, *end;
    enum reader_place place;
    bool failed;
    bool settled;        /* no field is without content, nor will be */
    bool data;           /* DATA of an image: nothing that only a program can make */
    uint64_t words_left; /* of the words declared */
    value *object, *object_end, *objects; /* the next one, the end of their table, its start */
    struct gc_bulk bulk;                  /* PLACE_MAJOR */
    uintptr_t bumped_from;                /* where the young area's pointer was, PLACE_YOUNG */
    struct domain *d;                     /* NULL: PLACE_ARENA */
    struct vm_arena *arena;               /* where blocks go, PLACE_ARENA */
    struct vm_arena scratch;              /* the reader's tables */
    const struct vm_marshal_read_options *options; /* NULL: plain data only */
    struct vm_marshal_read_fault *fault;
    value exn;              /* raised by a custom block's reader; 0: none */
    size_t refused_words;   /* what there was no memory for; 0: there was */
    size_t custom_bytes;    /* of the data of the last custom block made */
    struct pending current; /* the slots being read when vm_reader_item was called */
    struct pending rest;    /* the fields that it left: those of the block that it has made */
    value rest_object;      /* that block, if it is of TAG_OBJECT */
    struct pending *stack;
    size_t depth, stack_room;
    struct partial *partials;
    size_t partial_count, partial_room;
    bool hooked;  /* a profiler wants to know the blocks */
    value *nodes; /* them, if the message numbers none */
    size_t node_count, node_room;
    struct pending small_stack[SMALL_STACK];
    value small_objects[SMALL_OBJECTS];
};

/* ---- Bytes. ---- */

/* A big-endian number of 1, 2, 4 or 8 bytes. */
static inline uint64_t reader_load(const uint8_t *p, unsigned bytes) {
    uint64_t x;
    uint32_t y;
    uint16_t z;
    switch (bytes) {
    case 8: memcpy(&x, p, 8); return __builtin_bswap64(x);
    case 4: memcpy(&y, p, 4); return __builtin_bswap32(y);
    case 2: memcpy(&z, p, 2); return __builtin_bswap16(z);
    default: return *p;
    }
}

/* ---- Memory. ---- */

/* Memory for the time of reading, aligned to a word. NULL: there is none, and the reader failed. */
void *reader_scratch(struct vm_reader *r, size_t bytes);
/* Makes room in a table of `count` entries of `size` bytes. False: the reader failed. */
bool reader_widen(struct vm_reader *r, void **table, size_t *room, size_t count, size_t size);
/* reader_block where the words are too many or there is no memory at once. 0: the reader failed. */
value reader_block_slow(struct vm_reader *r, size_t wosize, unsigned tag);
/* Notes a block that no number is left for. */
void reader_number_slow(struct vm_reader *r, value v);

/* The memory of a block in the arena, or an atom there; 0 if there is none: the reader failed. */
static inline value reader_arena_block(struct vm_reader *r, size_t wosize, unsigned tag) {
    header *h = vm_arena_alloc(r->arena, 8 * (wosize + 1));
    if (__builtin_expect(h == NULL, 0)) {
        vm_reader_fail_memory(r, wosize + 1);
        return 0;
    }
    *h = make_header(wosize, tag, COLOUR_STATIC);
    return (value)(h + 1);
}

/* A block, its fields without content; 0 after a failure. The caller has made sure that wosize is
 * at least 1 and bounded by the bytes that are left. */
static inline value reader_block(struct vm_reader *r, size_t wosize, unsigned tag) {
    if (__builtin_expect(wosize >= r->words_left, 0)) return reader_block_slow(r, wosize, tag);
    value v;
    if (r->place == PLACE_MAJOR) {
        v = gc_bulk_alloc(&r->bulk, wosize, tag);
        if (__builtin_expect(v == 0, 0)) return reader_block_slow(r, wosize, tag);
    } else if (r->place == PLACE_YOUNG) {
        /* Not gc_alloc_small: that could collect when a signal moves the limit. There is room for
         * all words that were declared. */
        v = gc_bump(&r->d->gc, wosize, tag);
    } else {
        v = reader_arena_block(r, wosize, tag);
        if (__builtin_expect(v == 0, 0)) return 0;
    }
    r->words_left -= wosize + 1;
    return v;
}

/* Gives all fields that wait a content, and those of later blocks at birth. */
void reader_fill_missing(struct vm_reader *r);
/* What was bumped in the young area is no allocation that a sampler should see. Needs: r->d. */
void reader_exempt(struct vm_reader *r);

/* Gives v the next object number. */
static inline void reader_number(struct vm_reader *r, value v) {
    if (__builtin_expect(r->object == r->object_end, 0)) reader_number_slow(r, v);
    else *r->object++ = v;
}

/* The object so many back; 0 after a failure. */
static inline value reader_shared(struct vm_reader *r, uint64_t distance) {
    if (distance - 1 < (uint64_t)(r->object - r->objects)) return r->object[-(ptrdiff_t)distance];
    vm_reader_fail(r, NULL, "a reference to an object that isn't there");
    return 0;
}

/* ---- Items. ---- */

/* The next item, whatever it is, with all tests. Leaves the fields of a new block in r->rest, which
 * the caller has emptied. 0 after a failure. */
value vm_reader_item(struct vm_reader *r);
/* Leaves the fields of v from first on to be read. */
void reader_leave_fields(struct vm_reader *r, value v, size_t first);
/* The next item, which must be an integer. */
value reader_integer(struct vm_reader *r);
/* A closure block of wosize words behind its header. */
value reader_closure(struct vm_reader *r, size_t wosize);
/* A closure by one of its further functions: the offset, then the closure or a reference to it. */
value reader_infix(struct vm_reader *r);
/* Refuses the message if a partial application isn't one. */
void reader_check_partials(struct vm_reader *r);

#endif
