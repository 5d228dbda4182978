/* unmarshal.c - the reader of marshalled data.
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
 * The nodes whose fields are still missing are kept on a stack of their own. All memory, the stack
 * and the table of objects included, comes from the heap (major blocks that become garbage) or from
 * arenas: nothing is left behind when an exception leaves this file, and since nothing here
 * collects, addresses stay valid. Fields are set to VAL_UNIT as soon as their block exists (U2). */
#include "vm/unmarshal.h"

#include "gc/hooks.h"
#include "vm/policy.h"
#include "vm/vm.h"

#include <stdio.h>

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
    CODE_CUSTOM_FIXED
};

enum {
    SMALL_STACK = 64,
    SMALL_OBJECTS = 64,
    MAX_CUSTOM_NAME = 256,
    CODE_POINTER_BYTES = 21,
    LONGEST_INT = 9
};

/* A block whose fields from next on are still to be read. */
struct pending {
    value *next, *end;
    value object; /* 0, or a block of TAG_OBJECT whose id is renewed after its first two fields */
};

/* A partial application, whose saved closure is looked at when the whole message was read. */
struct partial {
    value closure;
    uint32_t fragment, pc; /* where the saved closure's function must start */
};

struct vm_reader {
    const uint8_t *start, *at, *end;
    struct domain *d;         /* NULL: blocks are made in arena */
    struct vm_arena *arena;   /* NULL: blocks are made in the heap */
    bool young;               /* the young area has room for all blocks that are declared */
    struct vm_arena *scratch; /* NULL: the reader's own tables are blocks of the heap */
    const struct vm_unmarshal_options *options; /* NULL: plain data only */
    struct vm_unmarshal_fault *fault;
    bool failed, no_memory;
    uint64_t words_left;  /* of the words declared */
    uint64_t major_words; /* of blocks made in the major heap */
    size_t custom_bytes;  /* of the data of the last custom block made */
    value *objects;       /* in order; NULL: the message has no sharing */
    uint64_t object_count, object_limit;
    struct pending *stack;
    size_t depth, stack_room;
    struct partial *partials;
    size_t partial_count, partial_room;
    value *nodes; /* the blocks made, for the profiler's hooks; unused without them */
    size_t node_count, node_room;
    struct pending small_stack[SMALL_STACK];
    value small_objects[SMALL_OBJECTS];
};

/* ---- Bytes. ---- */

void vm_reader_fail(struct vm_reader *r, const char *text, const char *why) {
    if (r->failed) return;
    r->failed = true;
    snprintf(r->fault->text, sizeof r->fault->text, "%s",
             text != NULL ? text : "ill-formed message");
    r->fault->why = why;
    r->fault->offset = (size_t)(r->at - r->start);
    r->at = r->end;
}

bool vm_reader_failed(const struct vm_reader *r) { return r->failed; }

size_t vm_reader_remaining(const struct vm_reader *r) { return (size_t)(r->end - r->at); }

static inline uint64_t load_be(const uint8_t *p, unsigned bytes) {
    uint64_t x = 0;
    for (unsigned i = 0; i < bytes; i++) x = x << 8 | p[i];
    return x;
}

static inline uint64_t read_uint(struct vm_reader *r, unsigned bytes) {
    if (vm_reader_remaining(r) < bytes) {
        vm_reader_fail(r, NULL, "the data ends within an item");
        return 0;
    }
    r->at += bytes;
    return load_be(r->at - bytes, bytes);
}

uint64_t vm_reader_uint(struct vm_reader *r, unsigned bytes) { return read_uint(r, bytes); }

const uint8_t *vm_reader_bytes(struct vm_reader *r, size_t n) {
    if (r->failed || vm_reader_remaining(r) < n) {
        vm_reader_fail(r, NULL, "the data ends within an item");
        return NULL;
    }
    r->at += n;
    return r->at - n;
}

/* ---- Memory. ---- */

/* Memory for the time of reading, aligned to a word. NULL: there is none, and the reader failed. */
static void *new_scratch(struct vm_reader *r, size_t bytes) {
    if (r->scratch == NULL)
        return (void *)gc_alloc_major_unsampled(&r->d->gc, bytes / 8 + 1, TAG_ABSTRACT);
    void *p = vm_arena_alloc(r->scratch, bytes);
    if (p == NULL) {
        r->no_memory = true;
        vm_reader_fail(r, NULL, "no memory");
    }
    return p;
}

/* The memory of a block in the arena; 0 if there is none. */
static value new_arena_block(struct vm_reader *r, size_t wosize, unsigned tag) {
    header *h = vm_arena_alloc(r->arena, 8 * (wosize + 1));
    if (h == NULL) {
        r->no_memory = true;
        vm_reader_fail(r, NULL, "no memory");
        return 0;
    }
    *h = make_header(wosize, tag, COLOUR_STATIC);
    return (value)(h + 1);
}

/* A profiler hears of the blocks when the whole message was good. */
static void remember_node(struct vm_reader *r, value v) {
    if (r->node_count == r->node_room) {
        size_t room = r->node_room == 0 ? 64 : 2 * r->node_room;
        value *wider = new_scratch(r, room * sizeof *wider);
        if (wider == NULL) return;
        if (r->node_count > 0) memcpy(wider, r->nodes, r->node_count * sizeof *wider);
        r->nodes = wider;
        r->node_room = room;
    }
    r->nodes[r->node_count++] = v;
}

static void tell_hooks(struct vm_reader *r) {
    struct gc_domain *g = &r->d->gc;
    if (r->failed || g->hooks == NULL || g->hooks->allocated == NULL) return;
    for (size_t i = 0; i < r->node_count; i++) {
        value v = r->nodes[i];
        g->hooks->allocated(g->hooks->context, g, v, wosize_of(v), GC_MARSHAL);
    }
}

/* A block, its fields VAL_UNIT if it is scannable; 0 after a failure. The caller has made sure that
 * wosize is bounded by the bytes that are left. */
static inline value new_node(struct vm_reader *r, size_t wosize, unsigned tag) {
    if (r->failed) return 0;
    if (wosize > 0 && wosize + 1 > r->words_left) {
        vm_reader_fail(r, NULL, "more words than the header says");
        return 0;
    }
    if (wosize > 0) r->words_left -= wosize + 1;
    if (r->arena != NULL) {
        value v = new_arena_block(r, wosize, tag);
        for (size_t i = 0; v != 0 && tag < TAG_NO_SCAN && i < wosize; i++) field(v, i) = VAL_UNIT;
        return v;
    }
    struct gc_domain *g = &r->d->gc;
    if (wosize == 0) return gc_atom(g, tag);
    value v;
    if (r->young) {
        /* Not gc_alloc_small: that could collect when a signal moves the limit. */
        g->young_ptr -= 8 * (wosize + 1);
        *(header *)g->young_ptr = make_header(wosize, tag, 0);
        v = (value)(g->young_ptr + 8);
    } else {
        v = gc_alloc_major_uncharged(g, wosize, tag);
        r->major_words += wosize + 1;
    }
    if (r->options != NULL && g->hooks != NULL) remember_node(r, v);
    if (tag < TAG_NO_SCAN)
        for (size_t i = 0; i < wosize; i++) field(v, i) = VAL_UNIT;
    return v;
}

/* Gives v the next object number. */
static inline void number_object(struct vm_reader *r, value v) {
    if (r->object_limit == 0 || r->failed) return;
    if (r->object_count == r->object_limit)
        vm_reader_fail(r, NULL, "more objects than the header says");
    else r->objects[r->object_count++] = v;
}

static bool widen_stack(struct vm_reader *r) {
    struct pending *wider = new_scratch(r, 2 * r->stack_room * sizeof *wider);
    if (wider == NULL) return false;
    memcpy(wider, r->stack, r->depth * sizeof *wider);
    r->stack = wider;
    r->stack_room *= 2;
    return true;
}

/* Makes the fields first .. wosize-1 of v the next to be read. */
static inline void push_fields(struct vm_reader *r, value v, size_t first, value object) {
    if (r->failed || first == wosize_of(v)) return;
    if (r->depth == r->stack_room && !widen_stack(r)) return;
    r->stack[r->depth++] = (struct pending){&field(v, first), &field(v, wosize_of(v)), object};
}

/* ---- Closures. ---- */

static void remember_partial(struct vm_reader *r, struct partial partial) {
    if (r->partial_count == r->partial_room) {
        size_t room = r->partial_room == 0 ? 16 : 2 * r->partial_room;
        struct partial *wider = new_scratch(r, room * sizeof *wider);
        if (wider == NULL) return;
        if (r->partial_count > 0) memcpy(wider, r->partials, r->partial_count * sizeof *wider);
        r->partials = wider;
        r->partial_room = room;
    }
    r->partials[r->partial_count++] = partial;
}

static void fail_unknown_module(struct vm_reader *r, const uint8_t *digest) {
    char text[72] = "unknown code module ";
    for (int i = 0; i < 16; i++) sprintf(text + 20 + 2 * i, "%02X", digest[i]);
    vm_reader_fail(r, text, "no code with this digest");
}

/* Reads the code pointer of function index (of count) of a closure block of wosize words: it must
 * name a function that expects this environment. Returns the contents of the code field. v: the
 * block, or 0 while there is none. */
static void fail_refused(struct vm_reader *r, const char *flag) {
    char text[120];
    snprintf(text, sizeof text, "functions are refused by %s", flag);
    vm_reader_fail(r, text, "a function, which the machine's policy refuses");
}

static value read_code_pointer(struct vm_reader *r, value v, size_t wosize, uint32_t index,
                               uint32_t count) {
    const char *flag = vm_policy_refusal(r->d->vm, CAP_CLOSURES);
    if (flag != NULL) {
        fail_refused(r, flag);
        return 0;
    }
    if (read_uint(r, 1) != CODE_CODE_POINTER) {
        vm_reader_fail(r, NULL, "a closure without code");
        return 0;
    }
    uint64_t offset = read_uint(r, 4);
    const uint8_t *digest = vm_reader_bytes(r, 16);
    if (digest == NULL) return 0;
    uint32_t fragment;
    struct vm_code *code = vm_code_with_digest(r->d->vm, digest, &fragment);
    if (code == NULL) {
        fail_unknown_module(r, digest);
        return 0;
    }
    uint32_t pc = (uint32_t)(offset / 4);
    const struct vm_entry *entry = vm_find_entry(&code->verified, pc);
    uint32_t function = entry == NULL || offset % 4 != 0 ? 0
                                                         : vm_function_at(r->d->vm, fragment, pc);
    if (function == 0) {
        vm_reader_fail(r, NULL, "no function at this place of the code");
        return 0;
    }
    bool fits;
    if (entry->pc == pc) {
        fits = entry->functions == count && entry->index == index &&
               entry->variables == wosize - (3 * (size_t)count - 1);
    } else {
        fits = count == 1 && wosize >= 4 && wosize - 3 < entry->arity;
        if (fits && v != 0) remember_partial(r, (struct partial){v, fragment, entry->pc});
    }
    if (!fits) vm_reader_fail(r, NULL, "a closure whose environment isn't what its code expects");
    return val_of_int(function);
}

/* The next item, which must be an integer. */
static value read_integer(struct vm_reader *r) {
    unsigned code = (unsigned)read_uint(r, 1);
    if (code >= 0x40 && code < 0x80) return val_of_int(code - 0x40);
    switch (code) {
    case CODE_INT8: return val_of_int((int8_t)read_uint(r, 1));
    case CODE_INT16: return val_of_int((int16_t)read_uint(r, 2));
    case CODE_INT32: return val_of_int((int32_t)read_uint(r, 4));
    case CODE_INT64: return val_of_int((intptr_t)read_uint(r, 8));
    default: vm_reader_fail(r, NULL, "an integer was expected"); return VAL_UNIT;
    }
}

/* Reads the part of a closure block up to its environment, which consists of code pointers and
 * integers only, into v, or nowhere if v is 0. Returns how many words it has. */
static size_t read_closure_head(struct vm_reader *r, value v, size_t wosize) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = 3 * (size_t)i;
        value infix = i == 0 ? 0 : read_integer(r);
        /* The code pointer stands before the closinfo that tells how many functions there are: it
         * is read when that is known. */
        const uint8_t *code = r->at;
        vm_reader_bytes(r, CODE_POINTER_BYTES);
        value info = read_integer(r);
        if (i == 0) count = (uint32_t)((start_env_of(info) + 1) / 3);
        size_t head = 3 * (size_t)count - 1;
        if (!r->failed && (head > wosize || info != make_closinfo(0, head - at) ||
                           (i > 0 && infix != (value)make_header(at, TAG_INFIX, 0))))
            vm_reader_fail(r, NULL, "a closure of no known shape");
        if (r->failed) return 0;
        const uint8_t *after = r->at;
        r->at = code;
        value function = read_code_pointer(r, v, wosize, i, count);
        if (r->failed) return 0;
        r->at = after;
        if (v == 0) continue;
        if (i > 0) field(v, at - 1) = infix;
        field(v, at) = function;
        field(v, at + 1) = info;
    }
    return 3 * (size_t)count - 1;
}

/* The block is only made when its head was found good, so that the heap never has a bad closure. */
static value read_closure(struct vm_reader *r, size_t wosize) {
    const uint8_t *start = r->at;
    if (read_closure_head(r, 0, wosize) == 0) return 0;
    value v = new_node(r, wosize, TAG_CLOSURE);
    if (v == 0) return 0;
    number_object(r, v);
    r->at = start;
    size_t head = read_closure_head(r, v, wosize);
    push_fields(r, v, head, 0);
    return v;
}

static void check_partials(struct vm_reader *r) {
    for (size_t i = 0; i < r->partial_count && !r->failed; i++) {
        const struct partial *p = &r->partials[i];
        value saved = field(p->closure, 2);
        const struct vm_function *f = NULL;
        if (is_block(saved) && (tag_of(saved) == TAG_CLOSURE || tag_of(saved) == TAG_INFIX))
            f = &r->d->vm->functions[function_of_closure(saved)];
        if (f == NULL || f->fragment != p->fragment || f->pc != p->pc)
            vm_reader_fail(r, NULL, "a partial application of something else");
    }
}

/* ---- Items. ---- */

/* Whether a block of this size and tag may stand in a message (closures are another matter). */
static bool block_allowed(const struct vm_reader *r, size_t wosize, unsigned tag) {
    if (wosize == 0) return tag < TAG_LAZY || tag == TAG_DOUBLE_ARRAY;
    if (tag == TAG_OBJECT) return wosize >= 2;
    if (r->options == NULL && r->arena == NULL) return tag < TAG_LAZY;
    return tag < TAG_NO_SCAN && tag != TAG_INFIX && tag != TAG_CLOSURE;
}

/* A block that has nothing special about it. */
static inline value read_plain_block(struct vm_reader *r, size_t wosize, unsigned tag) {
    if (wosize > vm_reader_remaining(r)) {
        vm_reader_fail(r, NULL, "more fields than there are bytes");
        return 0;
    }
    value v = new_node(r, wosize, tag);
    if (v == 0 || wosize == 0) return v;
    number_object(r, v);
    push_fields(r, v, 0, tag == TAG_OBJECT ? v : 0);
    return v;
}

static value read_block(struct vm_reader *r, size_t wosize, unsigned tag) {
    bool closure = tag == TAG_CLOSURE && wosize >= 2;
    if (closure && (r->options == NULL || !r->options->closures)) {
        vm_reader_fail(r, NULL, "a closure where none may be");
        return 0;
    }
    if (!closure && !block_allowed(r, wosize, tag)) {
        vm_reader_fail(r, NULL, "a block with a tag that no block may have here");
        return 0;
    }
    if (!closure) return read_plain_block(r, wosize, tag);
    if (wosize <= vm_reader_remaining(r)) return read_closure(r, wosize);
    vm_reader_fail(r, NULL, "more fields than there are bytes");
    return 0;
}

static value read_string(struct vm_reader *r, uint64_t length) {
    const uint8_t *bytes = vm_reader_bytes(r, length);
    if (bytes == NULL) return 0;
    size_t wosize = string_wosize(length);
    value v = new_node(r, wosize, TAG_STRING);
    if (v == 0) return 0;
    field(v, wosize - 1) = (value)((uint64_t)(8 * wosize - 1 - length) << 56);
    memcpy((void *)v, bytes, length);
    number_object(r, v);
    return v;
}

/* Copies n doubles to v, in the byte order of the message. */
static void copy_doubles(value v, const uint8_t *from, size_t n, bool big) {
    memcpy((void *)v, from, 8 * n);
    if (!big) return;
    for (size_t i = 0; i < n; i++) field(v, i) = (value)__builtin_bswap64((uint64_t)field(v, i));
}

static value read_doubles(struct vm_reader *r, uint64_t n, unsigned tag, bool big) {
    if (n > vm_reader_remaining(r) / 8) {
        vm_reader_fail(r, NULL, "more doubles than there are bytes");
        return 0;
    }
    const uint8_t *bytes = vm_reader_bytes(r, 8 * n);
    value v = new_node(r, n, tag);
    if (v == 0) return 0;
    copy_doubles(v, bytes, n, big);
    number_object(r, v);
    return v;
}

static value read_shared(struct vm_reader *r, uint64_t distance) {
    if (distance == 0 || distance > r->object_count) {
        vm_reader_fail(r, NULL, "a reference to an object that isn't there");
        return 0;
    }
    return r->objects[r->object_count - distance];
}

static value read_boxed_int(struct vm_reader *r, const struct gc_custom_ops *ops, size_t declared) {
    int64_t n;
    if (ops == &vm_int32_ops) n = (int32_t)read_uint(r, 4);
    else if (ops == &vm_int64_ops) n = (int64_t)read_uint(r, 8);
    else {
        unsigned width = (unsigned)read_uint(r, 1);
        if (width != 1 && width != 2)
            vm_reader_fail(r, "ill-formed native integer", "a native integer of no known width");
        n = width == 1 ? (int32_t)read_uint(r, 4) : (int64_t)read_uint(r, 8);
    }
    value v = vm_reader_custom(r, ops, ops == &vm_int32_ops ? 4 : 8, 0);
    if (v == 0) return 0;
    if (ops == &vm_int32_ops) memcpy(custom_data(v), &(int32_t){(int32_t)n}, 4);
    else memcpy(custom_data(v), &n, 8);
    return v;
}

struct domain *vm_reader_domain(const struct vm_reader *r) {
    return r->d;
}

value vm_reader_custom(struct vm_reader *r, const struct gc_custom_ops *ops, size_t bytes,
                       size_t outside) {
    value v = new_node(r, 1 + (bytes + 7) / 8, TAG_CUSTOM);
    if (v == 0) return 0;
    memset(custom_data(v), 0, (bytes + 7) / 8 * 8);
    field(v, 0) = (value)ops;
    if (r->arena == NULL && ops->finalize != NULL) gc_adopt_custom(&r->d->gc, v, outside);
    r->custom_bytes = bytes;
    return v;
}

static const struct vm_custom_reader *find_custom(const struct vm_reader *r, const char *name) {
    static const struct vm_custom_reader boxed_ints[] = {{&vm_int32_ops, read_boxed_int},
                                                         {&vm_int64_ops, read_boxed_int},
                                                         {&vm_nativeint_ops, read_boxed_int}};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(name, boxed_ints[i].ops->identifier) == 0) return &boxed_ints[i];
    if (r->options == NULL || r->options->find_custom == NULL) return NULL;
    return r->options->find_custom(r->options->context, name);
}

static value read_custom(struct vm_reader *r, unsigned code) {
    const uint8_t *name = r->at;
    size_t limit = vm_reader_remaining(r);
    const uint8_t *zero = memchr(name, 0, limit < MAX_CUSTOM_NAME ? limit : MAX_CUSTOM_NAME);
    const struct vm_custom_reader *custom = zero == NULL ? NULL
                                                         : find_custom(r, (const char *)name);
    if (custom == NULL) {
        vm_reader_fail(r, "unknown custom block identifier",
                       "a custom block of unknown identifier");
        return 0;
    }
    r->at = zero + 1;
    size_t declared = SIZE_MAX;
    if (code == CODE_CUSTOM_FIXED) {
        if (custom->ops->fixed_length == NULL) {
            vm_reader_fail(r, "expected a fixed-size custom block",
                           "a custom block without its size");
            return 0;
        }
        declared = (size_t)custom->ops->fixed_length->bsize_64;
    } else if (code == CODE_CUSTOM_LENGTH) {
        read_uint(r, 4);
        declared = read_uint(r, 8);
    }
    if (r->failed) return 0;
    value v = custom->read(r, custom->ops, declared);
    if (!r->failed && declared != SIZE_MAX && r->custom_bytes != declared)
        vm_reader_fail(r, "incorrect length of serialized custom block",
                       "a custom block of another size than it says");
    number_object(r, v);
    return v;
}

static value read_item(struct vm_reader *r);

/* A closure by one of its further functions: the offset, then the closure (or a reference to
 * it). */
static value read_infix(struct vm_reader *r) {
    size_t offset = read_uint(r, 4);
    unsigned code = r->at < r->end ? *r->at : CODE_INFIX_POINTER;
    bool block = code >= 0x80 || code == CODE_BLOCK32 || code == CODE_BLOCK64;
    bool shared = code == CODE_SHARED8 || code == CODE_SHARED16 || code == CODE_SHARED32 ||
                  code == CODE_SHARED64;
    value v = block || shared ? read_item(r) : 0;
    size_t at = offset / 8;
    if (r->failed) return 0;
    if (v == 0 || tag_of(v) != TAG_CLOSURE || offset % 8 != 0 || at < 3 ||
        at >= start_env_of(field(v, 1)) || at % 3 != 0) {
        vm_reader_fail(r, NULL, "an infix pointer to no function");
        return 0;
    }
    return v + (value)offset;
}

/* Reads integers into the slots from slot on, as long as the data has some and is not near its end;
 * returns the first slot that is left. */
static value *read_ints(struct vm_reader *r, value *slot, const value *end) {
    const uint8_t *at = r->at;
    for (; slot < end && r->end - at >= LONGEST_INT; slot++) {
        unsigned code = *at;
        if (code >= 0x40 && code < 0x80) *slot = val_of_int(code & 0x3f), at++;
        else if (code == CODE_INT8) *slot = val_of_int((int8_t)at[1]), at += 2;
        else if (code == CODE_INT16) *slot = val_of_int((int16_t)load_be(at + 1, 2)), at += 3;
        else if (code == CODE_INT32) *slot = val_of_int((int32_t)load_be(at + 1, 4)), at += 5;
        else break;
    }
    r->at = at;
    return slot;
}

static value read_item(struct vm_reader *r) {
    unsigned code = (unsigned)read_uint(r, 1);
    if (r->failed) return 0;
    if (code >= 0x80) return read_plain_block(r, code >> 4 & 7, code & 15);
    if (code >= 0x40) return val_of_int(code & 0x3f);
    if (code >= 0x20) return read_string(r, code & 0x1f);
    uint64_t h;
    switch (code) {
    case CODE_INT8: return val_of_int((int8_t)read_uint(r, 1));
    case CODE_INT16: return val_of_int((int16_t)read_uint(r, 2));
    case CODE_INT32: return val_of_int((int32_t)read_uint(r, 4));
    case CODE_INT64: return val_of_int((intptr_t)read_uint(r, 8));
    case CODE_SHARED8: return read_shared(r, read_uint(r, 1));
    case CODE_SHARED16: return read_shared(r, read_uint(r, 2));
    case CODE_SHARED32: return read_shared(r, read_uint(r, 4));
    case CODE_SHARED64: return read_shared(r, read_uint(r, 8));
    case CODE_BLOCK32:
        h = read_uint(r, 4);
        return read_block(r, wosize_of_header(h), tag_of_header(h));
    case CODE_BLOCK64:
        h = read_uint(r, 8);
        return read_block(r, wosize_of_header(h), tag_of_header(h));
    case CODE_STRING8: return read_string(r, read_uint(r, 1));
    case CODE_STRING32: return read_string(r, read_uint(r, 4));
    case CODE_STRING64: return read_string(r, read_uint(r, 8));
    case CODE_DOUBLE_BIG: return read_doubles(r, 1, TAG_DOUBLE, true);
    case CODE_DOUBLE_LITTLE: return read_doubles(r, 1, TAG_DOUBLE, false);
    case CODE_DOUBLE_ARRAY8_BIG: return read_doubles(r, read_uint(r, 1), TAG_DOUBLE_ARRAY, true);
    case CODE_DOUBLE_ARRAY8_LITTLE:
        return read_doubles(r, read_uint(r, 1), TAG_DOUBLE_ARRAY, false);
    case CODE_DOUBLE_ARRAY32_BIG: return read_doubles(r, read_uint(r, 4), TAG_DOUBLE_ARRAY, true);
    case CODE_DOUBLE_ARRAY32_LITTLE:
        return read_doubles(r, read_uint(r, 4), TAG_DOUBLE_ARRAY, false);
    case CODE_DOUBLE_ARRAY64_BIG: return read_doubles(r, read_uint(r, 8), TAG_DOUBLE_ARRAY, true);
    case CODE_DOUBLE_ARRAY64_LITTLE:
        return read_doubles(r, read_uint(r, 8), TAG_DOUBLE_ARRAY, false);
    case CODE_INFIX_POINTER: return read_infix(r);
    case CODE_CUSTOM:
    case CODE_CUSTOM_LENGTH:
    case CODE_CUSTOM_FIXED: return read_custom(r, code);
    default: vm_reader_fail(r, NULL, "an item of no known kind"); return 0;
    }
}

/* ---- Messages. ---- */

enum vm_marshal_header_result vm_marshal_header(const uint8_t *bytes, size_t n,
                                                struct vm_marshal_header *out) {
    if (n < VM_MARSHAL_SMALL_HEADER) return VM_HEADER_SHORT;
    uint32_t magic = (uint32_t)load_be(bytes, 4);
    if (magic == VM_MARSHAL_MAGIC_SMALL) {
        *out = (struct vm_marshal_header){VM_MARSHAL_SMALL_HEADER, load_be(bytes + 4, 4),
                                          load_be(bytes + 8, 4), load_be(bytes + 16, 4)};
        return VM_HEADER_OK;
    }
    if (magic != VM_MARSHAL_MAGIC_BIG) return VM_HEADER_BAD;
    if (n < VM_MARSHAL_BIG_HEADER) return VM_HEADER_SHORT;
    *out = (struct vm_marshal_header){VM_MARSHAL_BIG_HEADER, load_be(bytes + 8, 8),
                                      load_be(bytes + 16, 8), load_be(bytes + 24, 8)};
    return VM_HEADER_OK;
}

static void reader_start(struct vm_reader *r, const struct vm_marshal_header *header,
                         const uint8_t *bytes) {
    r->start = r->at = bytes;
    r->end = bytes + header->data_bytes;
    r->failed = r->no_memory = false;
    r->custom_bytes = 0;
    r->major_words = 0;
    r->words_left = header->words;
    r->young = false;
    r->objects = r->small_objects;
    r->object_count = 0;
    r->object_limit = header->objects;
    r->stack = r->small_stack;
    r->stack_room = SMALL_STACK;
    r->depth = r->partial_count = r->partial_room = r->node_count = r->node_room = 0;
    /* Every object takes a byte at least. */
    if (header->objects > header->data_bytes)
        vm_reader_fail(r, NULL, "more objects than there are bytes");
    else if (header->objects > SMALL_OBJECTS)
        r->objects = new_scratch(r, header->objects * sizeof *r->objects);
}

static void renew_object_id(struct vm_reader *r, value object) {
    if (field(object, 1) >> 1 >= 0 && r->d != NULL)
        field(object, 1) = val_of_int(vm_fresh_object_id(r->d->vm));
}

/* Reads the whole message; 0 after a failure. */
static value read_message(struct vm_reader *r) {
    value root = read_item(r);
    while (r->depth > 0 && !r->failed) {
        struct pending *top = &r->stack[r->depth - 1];
        if (top->object != 0 && top->next == &field(top->object, 2)) {
            renew_object_id(r, top->object);
            top->object = 0;
            if (top->next == top->end) {
                r->depth--;
                continue;
            }
        }
        if (top->object == 0) {
            top->next = read_ints(r, top->next, top->end);
            if (top->next == top->end) {
                r->depth--;
                continue;
            }
        }
        value *slot = top->next++;
        /* The last field's own fields take the place of this entry, so that lists need no depth. */
        if (top->next == top->end && top->object == 0) r->depth--;
        value v = read_item(r);
        if (!r->failed) *slot = v;
    }
    check_partials(r);
    if (!r->failed && r->at != r->end) vm_reader_fail(r, NULL, "more bytes than one value");
    if (!r->failed && r->words_left != 0)
        vm_reader_fail(r, NULL, "fewer words than the header says");
    if (!r->failed && r->object_count != r->object_limit)
        vm_reader_fail(r, NULL, "fewer objects than the header says");
    return r->failed ? 0 : root;
}

bool vm_unmarshal(struct domain *d, const struct vm_marshal_header *header, const uint8_t *bytes,
                  const struct vm_unmarshal_options *options, value *out,
                  struct vm_unmarshal_fault *fault) {
    struct vm_reader r;
    r.d = d;
    r.arena = NULL;
    r.scratch = options != NULL ? options->scratch : NULL;
    r.options = options;
    r.fault = fault;
    reader_start(&r, header, bytes);
    uintptr_t before = d->gc.young_ptr;
    r.young = options != NULL && header->words <= MAX_YOUNG_WOSIZE + 1 &&
              before - d->gc.young_start >= 8 * header->words;
    if (!r.failed) *out = read_message(&r);
    gc_sample_exempt(&d->gc, (before - d->gc.young_ptr) / 8);
    gc_charge_major(&d->gc, r.major_words);
    tell_hooks(&r);
    if (r.no_memory) vm_raise_out_of_memory(d);
    return !r.failed;
}

static enum vm_status bad_message(struct vm_error *error, const struct vm_unmarshal_fault *fault,
                                  size_t header_bytes) {
    return vm_error_set(error, VM_BAD_MARSHAL, "+0x%zx: %s", fault->offset + header_bytes,
                        fault->why);
}

/* Decodes the header and checks that the data is there too. */
static enum vm_status open_message(const uint8_t *bytes, size_t n, struct vm_marshal_header *header,
                                   struct vm_error *error) {
    switch (vm_marshal_header(bytes, n, header)) {
    case VM_HEADER_SHORT: return vm_error_set(error, VM_BAD_MARSHAL, "+0x0: %zu bytes only", n);
    case VM_HEADER_BAD: return vm_error_set(error, VM_BAD_MARSHAL, "+0x0: no magic number");
    case VM_HEADER_OK: break;
    }
    if (header->data_bytes > n - header->header_bytes)
        return vm_error_set(error, VM_BAD_MARSHAL, "+0x4: %llu bytes of data, %zu are there",
                            (unsigned long long)header->data_bytes, n - header->header_bytes);
    return VM_OK;
}

enum vm_status vm_unmarshal_arena(const uint8_t *bytes, size_t n, struct vm_arena *arena,
                                  value *out, size_t *used, struct vm_error *error) {
    struct vm_marshal_header header;
    enum vm_status status = open_message(bytes, n, &header, error);
    if (status != VM_OK) return status;
    struct vm_unmarshal_fault fault;
    struct vm_reader r;
    struct vm_arena scratch = {NULL};
    r.d = NULL;
    r.arena = arena;
    r.scratch = &scratch;
    r.options = NULL;
    r.fault = &fault;
    reader_start(&r, &header, bytes + header.header_bytes);
    if (!r.failed) *out = read_message(&r);
    vm_arena_free(&scratch);
    if (r.no_memory) return vm_error_set(error, VM_NO_MEMORY, "reading marshalled data");
    if (r.failed) return bad_message(error, &fault, header.header_bytes);
    *used = header.header_bytes + header.data_bytes;
    return VM_OK;
}

enum vm_status vm_unmarshal_image_data(struct domain *d, const uint8_t *bytes, size_t n, value *out,
                                       struct vm_error *error) {
    struct vm_marshal_header header;
    enum vm_status status = open_message(bytes, n, &header, error);
    if (status != VM_OK) return status;
    if (header.data_bytes != n - header.header_bytes)
        return vm_error_set(error, VM_BAD_MARSHAL, "+0x%llx: bytes behind the value",
                            (unsigned long long)(header.header_bytes + header.data_bytes));
    struct vm_unmarshal_fault fault;
    value root;
    if (!vm_unmarshal(d, &header, bytes + header.header_bytes, NULL, &root, &fault))
        return bad_message(error, &fault, header.header_bytes);
    if (!is_block(root) || tag_of(root) != 0 || wosize_of(root) == 0)
        return vm_error_set(error, VM_BAD_MARSHAL, "the value is no table of globals");
    *out = root;
    return VM_OK;
}
