/* reader_internal.h - the reader's state, shared by reader.c (whole values), reader_items.c (single
 * items) and reader_closures.c.
 *
 * Fields that are still to be read are a range of slots; the ranges that wait are on a stack. Their
 * content is undefined until they are read: a reader that ends early initialises them (U2). Only
 * foreign code can raise while a value is read; before it is called all fields are initialised
 * (vm_marshal_initialise), and from then on each is when its block is made. The reader's own tables
 * are in an arena. */
#ifndef BACTRIAN_VM_MARSHAL_READER_INTERNAL_H
#define BACTRIAN_VM_MARSHAL_READER_INTERNAL_H

#include "gc/bulk.h"
#include "gc/containers.h"
#include "vm/marshal/codes.h"
#include "vm/marshal/reader.h"
#include "vm/state/vm.h"

enum { SMALL_STACK = IF_SMALL_TABLES(1, 64), SMALL_OBJECTS = IF_SMALL_TABLES(1, 64) };

/* Slots that are still to be read. next NULL: end is a block of TAG_OBJECT, which gets a new id. */
struct pending {
    value *next, *end;
};

/* A partial application, whose saved closure is checked when the whole value was read. */
struct partial {
    value closure;
    uint32_t fragment, pc; /* where the saved closure's function must start */
};

enum reader_target { TARGET_MAJOR, TARGET_MINOR, TARGET_ARENA };

struct vm_marshal_reader {
    const uint8_t *start, *at, *end;
    enum reader_target target;
    bool failed;
    bool initialised;    /* all fields are, and those of new blocks will be */
    bool data;           /* DATA of an image: nothing that only a program can make */
    bool absolute;       /* references are numbers of objects, not distances (compressed values) */
    uint64_t words_left; /* of the words declared */
    value *object, *object_end, *objects; /* the next one, the end of their table, its start */
    struct gc_bulk bulk;                  /* TARGET_MAJOR */
    uintptr_t bumped_from;                /* the minor heap's pointer at first, TARGET_MINOR */
    struct domain *d;                     /* NULL: TARGET_ARENA */
    struct vm_arena *arena;               /* the target, TARGET_ARENA */
    struct vm_arena scratch;              /* the reader's tables */
    const struct vm_marshal_read_options *options; /* NULL: plain data only */
    struct vm_marshal_read_fault *fault;
    value exn;              /* raised by a custom block's reader; 0: none */
    size_t refused_words;   /* the allocation that failed; 0: none did */
    size_t custom_bytes;    /* of the data of the last custom block made */
    const char *custom;     /* the identifier of the one being read, or NULL */
    struct pending current; /* the slots being read when reader_item was called */
    struct pending rest;    /* the fields that it left: those of the block that it has made */
    value rest_object;      /* that block, if it is of TAG_OBJECT */
    struct pending *stack;
    size_t depth, stack_capacity;
    struct partial *partials;
    size_t partial_count, partial_capacity;
    bool hooked;  /* a profiler is to be notified of the blocks */
    value *nodes; /* these, if the value was written without sharing */
    size_t node_count, node_capacity;
    struct pending small_stack[SMALL_STACK];
    value small_objects[SMALL_OBJECTS];
};

/* ---- Memory. ---- */

/* Memory until the value is read, aligned to a word. NULL: there is none, and the reader failed. */
void *reader_scratch(struct vm_marshal_reader *r, size_t bytes);
/* Doubles a table of count elements of size bytes each. False: the reader failed. */
bool reader_grow(struct vm_marshal_reader *r, void **table, size_t *capacity, size_t count,
                 size_t size);
/* reader_block if there are too many words or no memory. 0: the reader failed. */
value reader_block_slow(struct vm_marshal_reader *r, size_t wosize);
/* reader_number where the table of objects is full. */
void reader_number_slow(struct vm_marshal_reader *r, value v);

/* A block in the arena, or an atom there; 0 if there is no memory: the reader failed. */
static inline value reader_arena_block(struct vm_marshal_reader *r, size_t wosize, unsigned tag) {
    header *h = vm_arena_alloc(r->arena, 8 * (wosize + 1));
    if (__builtin_expect(h == NULL, 0)) return vm_marshal_fail_memory(r, wosize + 1);
    *h = make_header(wosize, tag, COLOUR_STATIC);
    return (value)(h + 1);
}

/* A block, its fields undefined; 0 after a failure. The caller has made sure that wosize is at
 * least 1 and bounded by the bytes that are left. */
static inline value reader_block(struct vm_marshal_reader *r, size_t wosize, unsigned tag) {
    ASSERT(wosize >= 1 && tag <= UINT8_MAX);
    if (__builtin_expect(wosize >= r->words_left, 0)) return reader_block_slow(r, wosize);
    value v;
    if (r->target == TARGET_MAJOR) {
        v = gc_bulk_alloc(&r->bulk, wosize, tag);
        if (__builtin_expect(v == 0, 0)) return reader_block_slow(r, wosize);
    } else if (r->target == TARGET_MINOR) {
        /* Not gc_alloc_small: that could collect when a signal moves the limit. There is room for
         * all words that were declared. */
        ASSERT(r->d->gc.young_ptr - r->d->gc.young_start >= 8 * (wosize + 1));
        v = gc_bump(&r->d->gc, wosize, tag);
    } else {
        v = reader_arena_block(r, wosize, tag);
        if (__builtin_expect(v == 0, 0)) return 0;
    }
    r->words_left -= wosize + 1;
    return v;
}

/* Initialises all fields that wait, and from now on those of new blocks. */
void reader_initialise_fields(struct vm_marshal_reader *r);
/* Excludes what was allocated in the minor heap from sampling. Needs: r->d. */
void reader_exempt(struct vm_marshal_reader *r);

/* Gives v the next object number. */
static inline void reader_number(struct vm_marshal_reader *r, value v) {
    ASSERT(r->object <= r->object_end);
    if (__builtin_expect(r->object == r->object_end, 0)) reader_number_slow(r, v);
    else *r->object++ = v;
}

/* The object that a reference's number names; 0 after a failure. */
static inline value reader_shared(struct vm_marshal_reader *r, uint64_t number) {
    uint64_t count = (uint64_t)(r->object - r->objects);
    uint64_t distance = __builtin_expect(r->absolute, 0) ? count - number : number;
    if (distance - 1 < count) return r->object[-(ptrdiff_t)distance];
    return vm_marshal_fail(r, NULL, "a reference to an object that isn't there");
}

/* ---- Items. ---- */

/* The next item, of any kind, with all checks. Leaves the fields of a new block in r->rest, which
 * the caller has emptied. 0 after a failure. */
value reader_item(struct vm_marshal_reader *r);
/* Leaves the fields of v from first on to be read. */
void reader_leave_fields(struct vm_marshal_reader *r, value v, size_t first);
/* The kind of item that a code begins. */
enum item_kind reader_kind(unsigned code);
/* The next item, which must be an integer. */
value reader_integer(struct vm_marshal_reader *r);
/* A closure block of wosize words after its header. */
value reader_closure(struct vm_marshal_reader *r, size_t wosize);
/* A code pointer outside of a closure, after its offset: refused. */
value reader_lone_code_pointer(struct vm_marshal_reader *r);
/* A pointer to a further function of a closure: the closure follows, or a reference to it. */
value reader_infix(struct vm_marshal_reader *r, uint64_t offset);
/* Refuses the value if a partial application isn't one. */
void reader_check_partials(struct vm_marshal_reader *r);

#endif
