/* writer.c - the walk over a value that makes its message, in the order and with the codes
 * of OCaml's own writer, so that the bytes are the same. The codes are listed in
 * vm/marshal/reader_internal.h. */
#include "vm/marshal/writer.h"

#include "vm/marshal/reader.h"
#include "vm/state/vm.h"

enum {
    CODE_INT8 = 0x00,
    CODE_SHARED8 = 0x04,
    CODE_DOUBLE_ARRAY32 = 0x07,
    CODE_BLOCK32 = 0x08,
    CODE_STRING8 = 0x09,
    CODE_STRING32 = 0x0a,
    CODE_DOUBLE = 0x0c,
    CODE_DOUBLE_ARRAY8 = 0x0e,
    CODE_CODE_POINTER = 0x10,
    CODE_INFIX_POINTER = 0x11,
    CODE_BLOCK64 = 0x13,
    CODE_STRING64 = 0x15,
    CODE_DOUBLE_ARRAY64 = 0x17,
    CODE_CUSTOM_LENGTH = 0x18,
    CODE_CUSTOM_FIXED = 0x19,
    SMALL_STRING = 0x20,
    SMALL_INT = 0x40,
    SMALL_BLOCK = 0x80
};

/* What a 32-bit OCaml can hold. */
#define MAX_STRING_32       0xFFFFFBu
#define MAX_WOSIZE_32       0x3FFFFFu
#define MAX_DOUBLE_ARRAY_32 0x1FFFFFu

enum {
    MAX_CHUNK_BYTES = 1 << 20,
    FIELDS_AHEAD = 4,
    LONGEST_INT = 9,
    MIN_BORROWED_BYTES = 8 * (MAX_YOUNG_WOSIZE + 1), /* of blocks that never move */
    QUICK_TABLE_BITS = 14                            /* until then a table grows fourfold */
};

struct marshal_rest {
    value *next, *end;
};

_Static_assert(sizeof(struct marshal_rest) * MARSHAL_SMALL_STACK ==
                   sizeof((struct marshal_writer *)0)->small_stack,
               "the small stack has room for its entries");

static void refuse(struct marshal_writer *w, enum marshal_failure failure, const char *text) {
    if (w->failure != MARSHAL_WRITTEN) return;
    w->failure = failure;
    w->text = text;
}

/* Memory from the arena, as much as the heap may have at most. */
static void *new_scratch(struct marshal_writer *w, size_t bytes) {
    size_t limit = gc_get_params(&w->d->gc)->max_heap_words;
    w->scratch_bytes += bytes;
    void *p = NULL;
    if (limit == 0 || w->scratch_bytes / 8 <= limit) p = vm_arena_alloc(w->scratch, bytes);
    if (p == NULL) refuse(w, MARSHAL_NO_MEMORY, NULL);
    return p;
}

/* ---- Bytes. ---- */

static void begin_chunk(struct marshal_writer *w, struct marshal_chunk *chunk) {
    w->last = chunk;
    w->at = chunk->bytes;
    w->limit = chunk->bytes + chunk->room;
}

static void end_chunk(struct marshal_writer *w) {
    w->last->used = (size_t)(w->at - w->last->bytes);
}

/* A chunk with room for n bytes at least. False: the writer failed. */
static bool add_chunk(struct marshal_writer *w, size_t n) {
    if (w->d->vm->limits.requested != STOP_NONE) {
        refuse(w, MARSHAL_STOPPED, NULL);
        return false;
    }
    size_t room = 4 * w->chunk_room < MAX_CHUNK_BYTES ? 4 * w->chunk_room : MAX_CHUNK_BYTES;
    w->chunk_room = room;
    if (room < n) room = n;
    struct marshal_chunk *chunk = new_scratch(w, sizeof *chunk + room);
    if (chunk == NULL) return false;
    *chunk = (struct marshal_chunk){NULL, 0, room, (uint8_t *)(chunk + 1)};
    end_chunk(w);
    w->last->next = chunk;
    begin_chunk(w, chunk);
    return true;
}

/* A place for n bytes in a row, or NULL after a failure. */
static inline uint8_t *new_bytes(struct marshal_writer *w, size_t n) {
    if ((size_t)(w->limit - w->at) < n && !add_chunk(w, n)) return NULL;
    w->at += n;
    return w->at - n;
}

/* The lowest bytes of x, big-endian. */
static inline void store_be(uint8_t *p, uint64_t x, unsigned bytes) {
    uint64_t swapped = __builtin_bswap64(x) >> (64 - 8 * bytes);
    memcpy(p, &swapped, bytes);
}

void marshal_put_uint(struct marshal_writer *w, uint64_t x, unsigned bytes) {
    uint8_t *p = new_bytes(w, bytes);
    if (p != NULL) store_be(p, x, bytes);
}

void marshal_put_bytes(struct marshal_writer *w, const void *bytes, size_t n) {
    uint8_t *p = new_bytes(w, n);
    if (p != NULL && n > 0) memcpy(p, bytes, n);
}

/* Bytes of a large block, which stays where it is until the message has been used: a chunk of their
 * own. What was left of the last one is the next. */
static void put_borrowed(struct marshal_writer *w, const void *bytes, size_t n) {
    w->scratch_bytes += n; /* as if they were copied: see there */
    struct marshal_chunk *both = new_scratch(w, 2 * sizeof *both);
    if (both == NULL) return;
    struct marshal_chunk *last = w->last;
    uint8_t *rest = w->at;
    end_chunk(w);
    both[0] = (struct marshal_chunk){both + 1, n, n, (uint8_t *)bytes};
    both[1] = (struct marshal_chunk){NULL, 0, (size_t)(w->limit - rest), rest};
    last->next = both;
    begin_chunk(w, both + 1);
}

/* The bytes of a string or an array of doubles. */
static void put_content(struct marshal_writer *w, value v, size_t n) {
    if (w->borrows && n >= MIN_BORROWED_BYTES) put_borrowed(w, (const void *)v, n);
    else marshal_put_bytes(w, (const void *)v, n);
}

/* A code and a number of so many bytes behind it. */
static inline void put_code(struct marshal_writer *w, unsigned code, uint64_t x, unsigned bytes) {
    uint8_t *p = new_bytes(w, 1 + bytes);
    if (p == NULL) return;
    p[0] = (uint8_t)code;
    if (bytes > 0) store_be(p + 1, x, bytes);
}

/* ---- Objects that were seen. A slot of the table holds where in the heap an object begins, in
 * words, and behind that its number + 1. The objects of 64 bytes of memory, at most four, hash to 8
 * slots, a line of the cache: neighbours are often written one after the other. Which slots are
 * used, bits say that stay in the cache: where an object is new, as most are, nothing waits for the
 * memory of its slot. ---- */

enum { NUMBER_BITS = 29 };
#define MAX_OBJECTS (((uint64_t)1 << NUMBER_BITS) - 1)

static inline uint64_t word_of(const struct marshal_writer *w, value v) {
    return ((uint64_t)v - w->d->gc.range_start) >> 3;
}

/* Where the search for the object at a word begins. */
static inline size_t first_slot(const struct marshal_writer *w, uint64_t word) {
    uint64_t hash = (word >> 3) * 0x9E3779B97F4A7C15u;
    return hash >> (64 - w->table_bits) ^ (word & 6);
}

static inline bool is_used(const struct marshal_writer *w, size_t slot) {
    return w->used[slot / 64] >> slot % 64 & 1;
}

/* The slot of the object at a word, or the free one where it would be. */
static inline size_t slot_of(const struct marshal_writer *w, uint64_t word) {
    size_t mask = ((size_t)1 << w->table_bits) - 1, i = first_slot(w, word);
    while (is_used(w, i) && w->table[i] >> NUMBER_BITS != word) i = (i + 1) & mask;
    return i;
}

static inline void use_slot(struct marshal_writer *w, size_t slot, uint64_t content) {
    w->used[slot / 64] |= (uint64_t)1 << slot % 64;
    w->table[slot] = content;
}

/* v will be written soon. */
static inline void expect(const struct marshal_writer *w, value v) {
    if (is_int(v)) return;
    __builtin_prefetch(&w->table[first_slot(w, word_of(w, v))], 1);
    __builtin_prefetch((const void *)(v - 8));
}

static size_t bitmap_bytes(unsigned bits) { return (((size_t)1 << bits) + 63) / 64 * 8; }

/* An empty table of 2^bits slots. */
static void set_table(struct marshal_writer *w, uint64_t *table, uint64_t *used, unsigned bits) {
    memset(used, 0, bitmap_bytes(bits));
    w->table = table;
    w->used = used;
    w->table_bits = bits;
    w->widen_at = w->flags & MARSHAL_NO_SHARING ? 0 : (((uint64_t)2 << bits) + 2) / 3;
}

/* Makes room for more objects. The upper bits of a hash say where its object goes, so the
 * new table is filled in the order of the old one. */
static void widen_table(struct marshal_writer *w) {
    unsigned more_bits = w->table_bits < QUICK_TABLE_BITS ? 2 : 1;
    const unsigned old_bits = w->table_bits, bits = old_bits + more_bits;
    const size_t slots = (size_t)1 << bits;
    uint64_t *old = w->table, *old_used = w->used, *table = NULL;
    if ((uint64_t)1 << old_bits <= MAX_OBJECTS)
        table = new_scratch(w, slots * sizeof *table + bitmap_bytes(bits));
    if (table == NULL) {
        refuse(w, MARSHAL_NO_MEMORY, NULL);
        return;
    }
    set_table(w, table, table + slots, bits);
    for (size_t i = 0; i < bitmap_bytes(old_bits) / 8; i++)
        for (uint64_t rest = old_used[i]; rest != 0; rest &= rest - 1) {
            uint64_t content = old[i * 64 + (size_t)__builtin_ctzll(rest)];
            use_slot(w, slot_of(w, content >> NUMBER_BITS), content);
        }
    w->scratch_bytes -= vm_arena_release(w->scratch, old);
}

/* Writes a reference to the object that a slot holds. */
static void put_reference(struct marshal_writer *w, uint64_t seen) {
    uint64_t distance = w->objects + 1 - (seen & MAX_OBJECTS);
    if (distance < 1u << 8) put_code(w, CODE_SHARED8, distance, 1);
    else if (distance < 1u << 16) put_code(w, CODE_SHARED8 + 1, distance, 2);
    else put_code(w, CODE_SHARED8 + 2, distance, 4);
}

/* Writes a reference if v was seen before; else note_object(v) is to follow, before other
 * objects. */
static bool put_shared(struct marshal_writer *w, value v) {
    if (w->flags & MARSHAL_NO_SHARING) return false;
    if (w->objects >= w->widen_at) widen_table(w);
    if (w->failure != MARSHAL_WRITTEN) return false;
    w->slot = slot_of(w, word_of(w, v));
    if (!is_used(w, w->slot)) return false;
    put_reference(w, w->table[w->slot]);
    return true;
}

/* Counts an object of the given size, and numbers it unless sharing is off. */
static void note_object(struct marshal_writer *w, value v, uint64_t words_32, uint64_t words_64) {
    w->words_32 += words_32;
    w->words_64 += words_64;
    if ((w->flags & MARSHAL_NO_SHARING) || w->failure != MARSHAL_WRITTEN) return;
    use_slot(w, w->slot, word_of(w, v) << NUMBER_BITS | ++w->objects);
}

static inline void push_rest(struct marshal_writer *w, value *next, value *end) {
    if (next >= end || w->failure != MARSHAL_WRITTEN) return;
    if (w->depth == w->stack_room) {
        struct marshal_rest *wider = new_scratch(w, 2 * w->stack_room * sizeof *wider);
        if (wider == NULL) return;
        memcpy(wider, w->stack, w->depth * sizeof *wider);
        w->stack = wider;
        w->stack_room *= 2;
    }
    w->stack[w->depth++] = (struct marshal_rest){next, end};
}

/* ---- Items. ---- */

static inline void put_int(struct marshal_writer *w, intptr_t n) {
    if (n >= 0 && n < 0x40) put_code(w, SMALL_INT + (unsigned)n, 0, 0);
    else if (n == (int8_t)n) put_code(w, CODE_INT8, (uint64_t)n, 1);
    else if (n == (int16_t)n) put_code(w, CODE_INT8 + 1, (uint64_t)n, 2);
    else if (n >= -((intptr_t)1 << 30) && n < (intptr_t)1 << 30)
        put_code(w, CODE_INT8 + 2, (uint64_t)n, 4);
    else if (w->flags & MARSHAL_COMPAT_32)
        refuse(w, MARSHAL_TOO_BIG, "output_value: integer cannot be read back on 32-bit platform");
    else put_code(w, CODE_INT8 + 3, (uint64_t)n, 8);
}

/* Writes the integers from next on as long as there are some; returns the first other field. */
static value *put_ints(struct marshal_writer *w, value *next, value *end) {
    uint8_t *p = w->at;
    for (; next < end && is_int(*next) && w->limit - p >= LONGEST_INT; next++) {
        intptr_t n = int_of_val(*next);
        if (n >= 0 && n < 0x40) {
            *p++ = (uint8_t)(SMALL_INT + n);
            continue;
        }
        if (n < -((intptr_t)1 << 30) || n >= (intptr_t)1 << 30) break;
        unsigned bytes = n == (int8_t)n ? 1 : n == (int16_t)n ? 2 : 4;
        uint32_t swapped = __builtin_bswap32((uint32_t)n << (8 * (4 - bytes)));
        p[0] = (uint8_t)(CODE_INT8 + bytes / 2);
        memcpy(p + 1, &swapped, 4);
        p += 1 + bytes;
    }
    w->at = p;
    return next;
}

static void put_header(struct marshal_writer *w, uint64_t wosize, unsigned tag) {
    if (tag < 16 && wosize < 8) {
        put_code(w, SMALL_BLOCK + tag + ((unsigned)wosize << 4), 0, 0);
        return;
    }
    if (wosize > MAX_WOSIZE_32 && (w->flags & MARSHAL_COMPAT_32))
        refuse(w, MARSHAL_TOO_BIG, "output_value: array cannot be read back on 32-bit platform");
    /* From 5.0 on the colour in a message is that of static data. */
    unsigned colour = w->d->vm->version->id >= OCAML_5_0 ? COLOUR_STATIC : 0;
    header h = make_header(wosize, tag, colour);
    if (h < (header)1 << 32) put_code(w, CODE_BLOCK32, h, 4);
    else put_code(w, CODE_BLOCK64, h, 8);
}

static void put_string(struct marshal_writer *w, value v) {
    uint64_t length = string_length(v);
    if (length < 0x20) put_code(w, SMALL_STRING + (unsigned)length, 0, 0);
    else if (length < 0x100) put_code(w, CODE_STRING8, length, 1);
    else if (length > MAX_STRING_32 && (w->flags & MARSHAL_COMPAT_32))
        refuse(w, MARSHAL_TOO_BIG, "output_value: string cannot be read back on 32-bit platform");
    else if (length < (uint64_t)1 << 32) put_code(w, CODE_STRING32, length, 4);
    else put_code(w, CODE_STRING64, length, 8);
    put_content(w, v, length);
    note_object(w, v, 1 + (length + 4) / 4, 1 + (length + 8) / 8);
}

static void put_double(struct marshal_writer *w, value v) {
    uint8_t *p = new_bytes(w, 9);
    if (p == NULL) return;
    p[0] = CODE_DOUBLE;
    memcpy(p + 1, (const void *)v, 8);
    note_object(w, v, 3, 2);
}

static void put_double_array(struct marshal_writer *w, value v) {
    uint64_t n = wosize_of(v);
    if (n < 0x100) put_code(w, CODE_DOUBLE_ARRAY8, n, 1);
    else if (n > MAX_DOUBLE_ARRAY_32 && (w->flags & MARSHAL_COMPAT_32))
        refuse(w, MARSHAL_TOO_BIG,
               "output_value: float array cannot be read back on 32-bit platform");
    else if (n < (uint64_t)1 << 32) put_code(w, CODE_DOUBLE_ARRAY32, n, 4);
    else put_code(w, CODE_DOUBLE_ARRAY64, n, 8);
    put_content(w, v, 8 * n);
    note_object(w, v, 1 + 2 * n, 1 + n);
}

void marshal_fail_raised(struct marshal_writer *w, value exn) {
    if (w->failure == MARSHAL_WRITTEN) w->failure = MARSHAL_RAISED;
    w->exn = exn;
}

/* The three kinds of boxed integers. False: v is something else. */
static bool put_boxed_int(struct marshal_writer *w, value v, const struct gc_custom_ops *ops) {
    bool is_native = ops == &vm_nativeint_ops;
    if (!is_native && ops != &vm_int32_ops && ops != &vm_int64_ops) return false;
    put_code(w, CODE_CUSTOM_FIXED, 0, 0);
    marshal_put_bytes(w, ops->identifier, strlen(ops->identifier) + 1);
    if (ops == &vm_int32_ops) marshal_put_uint(w, (uint64_t)int32_of_val(v), 4);
    else if (ops == &vm_int64_ops) marshal_put_uint(w, (uint64_t)int64_of_val(v), 8);
    else {
        intptr_t n = nativeint_of_val(v);
        if (n == (int32_t)n) put_code(w, 1, (uint64_t)n, 4);
        else put_code(w, 2, (uint64_t)n, 8);
    }
    note_object(w, v, ops == &vm_int64_ops ? 4 : 3, 3);
    return true;
}

static void put_custom(struct marshal_writer *w, value v) {
    const struct gc_custom_ops *ops = custom_ops(v);
    if (put_boxed_int(w, v, ops)) return;
    marshal_custom_write *write = w->customs->find(ops);
    if (write == NULL && ops->serialize == NULL) {
        refuse(w, MARSHAL_REFUSED, "output_value: abstract value (Custom)");
        return;
    }
    bool fixed = write == NULL && ops->fixed_length != NULL;
    put_code(w, fixed ? CODE_CUSTOM_FIXED : CODE_CUSTOM_LENGTH, 0, 0);
    marshal_put_bytes(w, ops->identifier, strlen(ops->identifier) + 1);
    uint8_t *sizes = fixed ? NULL : new_bytes(w, 12);
    if (!fixed && sizes == NULL) return;
    uint64_t bytes_32 = 0, bytes_64 = 0;
    if (write == NULL) write = w->customs->foreign;
    write(w, v, &bytes_32, &bytes_64);
    if (w->failure != MARSHAL_WRITTEN) return;
    if (!fixed) {
        store_be(sizes, bytes_32, 4);
        store_be(sizes + 4, bytes_64, 8);
    } else if (bytes_64 != (uint64_t)ops->fixed_length->bsize_64) {
        refuse(w, MARSHAL_REFUSED, "output_value: incorrect fixed sizes specified by a library");
    }
    note_object(w, v, 2 + (bytes_32 + 3) / 4, 2 + (bytes_64 + 7) / 8);
}

/* The code field of a closure: where the function starts in the code with a certain digest. */
static void put_code_pointer(struct marshal_writer *w, value code) {
    struct vm *vm = w->d->vm;
    uintptr_t index = is_int(code) ? (uintptr_t)int_of_val(code) : 0;
    if (!(w->flags & MARSHAL_CLOSURES) || index == 0 || index >= vm->function_count) {
        refuse(w, MARSHAL_REFUSED, "output_value: functional value");
        return;
    }
    const struct vm_function *f = &vm->functions[index];
    put_code(w, CODE_CODE_POINTER, 4 * (uint64_t)f->pc, 4);
    marshal_put_bytes(w, vm_code_digest(vm->codes[f->fragment]), 16);
}

static void put_closure(struct marshal_writer *w, value v) {
    size_t wosize = wosize_of(v);
    put_header(w, wosize, TAG_CLOSURE);
    note_object(w, v, 1 + wosize, 1 + wosize);
    size_t i = 0, start_env = start_env_of(field(v, 1));
    while (i + 1 < wosize && w->failure == MARSHAL_WRITTEN) {
        put_code_pointer(w, field(v, i++));
        put_int(w, int_of_val(field(v, i++)));
        if (i >= start_env) break;
        put_int(w,
                (intptr_t)(make_header(wosize_of_header((header)field(v, i)), TAG_INFIX, 0) >> 1));
        i++;
    }
    push_rest(w, &field(v, i), &field(v, wosize));
}

/* What an evaluated lazy value stands for, if that may be written in its place. */
static value follow_forward(const struct marshal_writer *w, value v) {
    const struct gc_domain *g = &w->d->gc;
    while (is_block(v) && gc_in_range(g, v) && tag_of(v) == TAG_FORWARD && wosize_of(v) > 0) {
        value f = field(v, 0);
        if (is_block(f) && (!gc_in_range(g, f) || tag_of(f) == TAG_FORWARD ||
                            tag_of(f) == TAG_LAZY || tag_of(f) == TAG_DOUBLE))
            return v;
        v = f;
    }
    return v;
}

/* Writes v; the fields of a new block are left on the stack. */
static void put_item(struct marshal_writer *w, value v) {
    v = follow_forward(w, v);
    if (is_int(v)) {
        put_int(w, int_of_val(v));
        return;
    }
    if (!gc_in_range(&w->d->gc, v)) {
        refuse(w, MARSHAL_REFUSED, "output_value: abstract value (outside heap)");
        return;
    }
    if (tag_of(v) == TAG_INFIX) {
        put_code(w, CODE_INFIX_POINTER, 8 * infix_offset_words(v), 4);
        v = block_start(v);
    }
    size_t wosize = wosize_of(v);
    if (wosize == 0) {
        put_header(w, 0, tag_of(v));
        return;
    }
    if (put_shared(w, v)) return;
    switch (tag_of(v)) {
    case TAG_STRING: put_string(w, v); break;
    case TAG_DOUBLE: put_double(w, v); break;
    case TAG_DOUBLE_ARRAY: put_double_array(w, v); break;
    case TAG_ABSTRACT: refuse(w, MARSHAL_REFUSED, "output_value: abstract value (Abstract)"); break;
    case TAG_CUSTOM: put_custom(w, v); break;
    case TAG_CLOSURE: put_closure(w, v); break;
    default:
        put_header(w, wosize, tag_of(v));
        note_object(w, v, 1 + wosize, 1 + wosize);
        push_rest(w, &field(v, 0), &field(v, wosize));
    }
}

/* The same for what most values consist of: blocks of few fields and a low tag. False: v is
 * something else, or there is no room without further ado, and nothing was done. */
static inline bool put_small_block(struct marshal_writer *w, value v) {
    if (is_int(v) || !gc_in_range(&w->d->gc, v)) return false;
    if (w->at == w->limit || w->objects >= w->widen_at) return false;
    uint64_t wosize = wosize_of(v);
    if (tag_of(v) >= 16 || wosize - 1 >= 7) return false;
    uint64_t word = word_of(w, v);
    size_t slot = slot_of(w, word);
    if (is_used(w, slot)) {
        put_reference(w, w->table[slot]);
        return true;
    }
    *w->at++ = (uint8_t)(SMALL_BLOCK + tag_of(v) + (wosize << 4));
    w->words_32 += 1 + wosize;
    w->words_64 += 1 + wosize;
    use_slot(w, slot, word << NUMBER_BITS | ++w->objects);
    push_rest(w, &field(v, 0), &field(v, wosize));
    return true;
}

/* ---- Messages. ---- */

static void make_message_header(struct marshal_writer *w) {
    const uint64_t limit = (uint64_t)1 << 32;
    w->data_bytes = 0;
    end_chunk(w);
    for (const struct marshal_chunk *c = &w->first; c != NULL; c = c->next)
        w->data_bytes += c->used;
    if (w->data_bytes < limit && w->words_32 < limit && w->words_64 < limit) {
        const uint64_t parts[5] = {VM_MARSHAL_MAGIC_SMALL, w->data_bytes, w->objects, w->words_32,
                                   w->words_64};
        for (int i = 0; i < 5; i++) store_be(w->header + 4 * i, parts[i], 4);
        w->header_bytes = VM_MARSHAL_SMALL_HEADER;
        return;
    }
    if (w->flags & MARSHAL_COMPAT_32)
        refuse(w, MARSHAL_TOO_BIG,
               "output_value: object too big to be read back on 32-bit platform");
    store_be(w->header, VM_MARSHAL_MAGIC_BIG, 4);
    store_be(w->header + 4, 0, 4);
    store_be(w->header + 8, w->data_bytes, 8);
    store_be(w->header + 16, w->objects, 8);
    store_be(w->header + 24, w->words_64, 8);
    w->header_bytes = VM_MARSHAL_BIG_HEADER;
}

bool marshal_write(struct marshal_writer *w, struct domain *d,
                   const struct marshal_customs *customs, value v, unsigned flags,
                   struct vm_arena *scratch) {
    w->d = d;
    w->customs = customs;
    w->borrows = flags & MARSHAL_BORROW;
    w->chunk_room = MARSHAL_SMALL_BYTES;
    w->scratch = scratch;
    w->scratch_bytes = 0;
    w->flags = flags;
    w->failure = MARSHAL_WRITTEN;
    w->text = NULL;
    w->objects = w->words_32 = w->words_64 = 0;
    w->first = (struct marshal_chunk){NULL, 0, MARSHAL_SMALL_BYTES, w->small_bytes};
    begin_chunk(w, &w->first);
    set_table(w, w->small_table, w->small_used, (unsigned)__builtin_ctz(MARSHAL_SMALL_TABLE));
    w->stack = (struct marshal_rest *)w->small_stack;
    w->stack_room = MARSHAL_SMALL_STACK;
    w->depth = 0;
    put_item(w, v);
    while (w->depth > 0 && w->failure == MARSHAL_WRITTEN) {
        struct marshal_rest *top = &w->stack[w->depth - 1];
        value *next = top->next;
        if (is_int(*next)) next = put_ints(w, next, top->end);
        if (top->end - next > FIELDS_AHEAD) expect(w, next[FIELDS_AHEAD]);
        if (next + 1 >= top->end) w->depth--;
        else top->next = next + 1;
        if (next < top->end && !put_small_block(w, *next)) put_item(w, *next);
    }
    if (w->failure == MARSHAL_WRITTEN) make_message_header(w);
    return w->failure == MARSHAL_WRITTEN;
}

void marshal_copy(const struct marshal_writer *w, uint8_t *to) {
    memcpy(to, w->header, w->header_bytes);
    to += w->header_bytes;
    for (const struct marshal_chunk *c = &w->first; c != NULL; c = c->next) {
        memcpy(to, c->bytes, c->used);
        to += c->used;
    }
}

void marshal_raise(struct domain *d, const struct marshal_writer *w) {
    enum marshal_failure failure = w->failure;
    const char *text = w->text;
    value exn = w->exn;
    vm_arena_free(w->scratch);
    if (failure == MARSHAL_RAISED) vm_raise(d, exn);
    if (failure == MARSHAL_NO_MEMORY) vm_raise_out_of_memory(d);
    if (failure == MARSHAL_STOPPED) vm_stop_if_requested(d);
    if (failure == MARSHAL_TOO_BIG) vm_failwith(d, "%s", text);
    vm_invalid_argument(d, "%s", text);
}
