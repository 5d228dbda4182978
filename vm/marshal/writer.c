/* writer.c - writes a value while traversing it, in the order and with the codes of OCaml's own
 * writer, so that the bytes are the same. */
#include "vm/marshal/writer_internal.h"

#include "vm/code/code.h"
#include "vm/code/raw.h"
#include "vm/code/version.h"
#include "vm/marshal/codes.h"
#include "vm/marshal/reader.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

/* What a 32-bit OCaml can hold. */
#define MAX_STRING_32       0xFFFFFBu
#define MAX_WOSIZE_32       0x3FFFFFu
#define MAX_DOUBLE_ARRAY_32 0x1FFFFFu

enum {
    MAX_CHUNK_BYTES = 1 << 20,
    FIELDS_AHEAD = 4,
    LONGEST_INT = 9,
    MIN_BORROWED_BYTES = 8 * (MAX_YOUNG_WOSIZE + 1), /* of major blocks, which never move */
    QUICK_TABLE_BITS = 14 /* smaller tables grow to 4 times their size, others to twice */
};

struct marshal_rest {
    value *next, *end;
};

_Static_assert(sizeof(struct marshal_rest) * VM_MARSHAL_FIRST_STACK ==
                   sizeof((struct vm_marshal_writer *)0)->first_stack,
               "first_stack holds its elements");

void writer_refuse(struct vm_marshal_writer *w, enum vm_marshal_failure failure, const char *text) {
    if (w->failure != VM_MARSHAL_WRITTEN) return;
    w->failure = failure;
    w->text = text;
}

void *writer_scratch(struct vm_marshal_writer *w, size_t bytes) {
    size_t limit = gc_get_params(&w->d->gc)->max_heap_words;
    w->scratch_bytes += bytes;
    void *p = NULL;
    if (limit == 0 || w->scratch_bytes / 8 <= limit) p = vm_arena_alloc(w->scratch, bytes);
    if (p == NULL) writer_refuse(w, VM_MARSHAL_NO_MEMORY, NULL);
    return p;
}

bool writer_must_stop(struct vm_marshal_writer *w) {
    if (w->d->vm->limits.requested == STOP_NONE && vm_fuel_left(w->d->vm) != 0) return false;
    writer_refuse(w, VM_MARSHAL_STOPPED, NULL);
    return true;
}

/* ---- Bytes. ---- */

static void begin_chunk(struct vm_marshal_writer *w, struct vm_marshal_chunk *chunk) {
    w->last = chunk;
    w->at = chunk->bytes;
    w->limit = chunk->bytes + chunk->capacity;
}

static void end_chunk(struct vm_marshal_writer *w) {
    ASSERT(w->last->bytes <= w->at && w->at <= w->limit);
    w->last->used = (size_t)(w->at - w->last->bytes);
}

/* Begins a chunk of at least n bytes. False: the writer failed. */
static bool add_chunk(struct vm_marshal_writer *w, size_t n) {
    vm_charge_work(w->d, w->last->capacity);
    if (writer_must_stop(w)) return false;
    w->chunk_capacity *= 4;
    if (w->chunk_capacity > MAX_CHUNK_BYTES) w->chunk_capacity = MAX_CHUNK_BYTES;
    size_t capacity = n > w->chunk_capacity ? n : w->chunk_capacity;
    struct vm_marshal_chunk *chunk = writer_scratch(w, sizeof *chunk + capacity);
    if (chunk == NULL) return false;
    *chunk = (struct vm_marshal_chunk){NULL, 0, capacity, (uint8_t *)(chunk + 1)};
    end_chunk(w);
    w->last->next = chunk;
    begin_chunk(w, chunk);
    return true;
}

/* Appends n contiguous bytes, undefined; NULL after a failure. */
static inline uint8_t *new_bytes(struct vm_marshal_writer *w, size_t n) {
    if ((size_t)(w->limit - w->at) < n && !add_chunk(w, n)) return NULL;
    w->at += n;
    ASSERT(w->at <= w->limit);
    return w->at - n;
}

void vm_marshal_put_uint(struct vm_marshal_writer *w, uint64_t x, unsigned bytes) {
    uint8_t *p = new_bytes(w, bytes);
    if (p != NULL) marshal_store(p, x, bytes);
}

void vm_marshal_put_bytes(struct vm_marshal_writer *w, const void *bytes, size_t n) {
    uint8_t *p = new_bytes(w, n);
    if (p != NULL && n > 0) memcpy(p, bytes, n);
}

/* Appends the bytes of a large block without copying: they become a chunk of their own, since the
 * block does not move before they are used. The free part of the last chunk becomes the chunk after
 * it. */
static void put_borrowed(struct vm_marshal_writer *w, const void *bytes, size_t n) {
    w->scratch_bytes += n; /* as if they were copied, so that the limit holds */
    struct vm_marshal_chunk *both = writer_scratch(w, 2 * sizeof *both);
    if (both == NULL) return;
    struct vm_marshal_chunk *last = w->last;
    uint8_t *rest = w->at;
    end_chunk(w);
    both[0] = (struct vm_marshal_chunk){both + 1, n, n, (uint8_t *)bytes};
    both[1] = (struct vm_marshal_chunk){NULL, 0, (size_t)(w->limit - rest), rest};
    last->next = both;
    begin_chunk(w, both + 1);
}

/* The bytes of a string or an array of doubles. */
static void put_content(struct vm_marshal_writer *w, value v, size_t n) {
    if ((w->flags & VM_MARSHAL_BORROW) && n >= MIN_BORROWED_BYTES)
        put_borrowed(w, (const void *)v, n);
    else vm_marshal_put_bytes(w, (const void *)v, n);
}

/* Writes a code, then x in the given number of bytes. */
static inline void put_code(struct vm_marshal_writer *w, unsigned code, uint64_t x,
                            unsigned bytes) {
    uint8_t *p = new_bytes(w, 1 + bytes);
    if (p == NULL) return;
    p[0] = (uint8_t)code;
    if (bytes > 0) marshal_store(p + 1, x, bytes);
}

/* ---- Objects that were seen. A slot of the table holds where in the heap an object begins, in
 * words, and in its low bits the object's number, from 1. The objects of 64 bytes of memory, at
 * most four, hash to 8 slots, one cache line: neighbours are often written one after the other. The
 * bitmap of used slots stays in the cache: a new object, as most are, needs no load of its slot. */

enum { NUMBER_BITS = 29 };
#define MAX_OBJECTS (((uint64_t)1 << NUMBER_BITS) - 1)

static inline uint64_t word_of(const struct vm_marshal_writer *w, value v) {
    return ((uint64_t)v - w->d->gc.range_start) >> 3;
}

/* The slot where the search for the object at a word begins. */
static inline size_t first_slot(const struct vm_marshal_writer *w, uint64_t word) {
    uint64_t hash = (word >> 3) * 0x9E3779B97F4A7C15u;
    return hash >> (64 - w->table_bits) ^ (word & 6);
}

static inline bool slot_is_used(const struct vm_marshal_writer *w, size_t slot) {
    return w->used[slot / 64] >> slot % 64 & 1;
}

/* The slot of the object at a word, or the free one where it would be. */
static inline size_t slot_of(const struct vm_marshal_writer *w, uint64_t word) {
    size_t mask = ((size_t)1 << w->table_bits) - 1, i = first_slot(w, word);
    while (slot_is_used(w, i) && w->table[i] >> NUMBER_BITS != word) i = (i + 1) & mask;
    return i;
}

static inline void use_slot(struct vm_marshal_writer *w, size_t slot, uint64_t content) {
    ASSERT(slot >> w->table_bits == 0 && !slot_is_used(w, slot));
    w->used[slot / 64] |= (uint64_t)1 << slot % 64;
    w->table[slot] = content;
}

/* Prefetches v and its slot, as it will be written soon. */
static inline void prefetch(const struct vm_marshal_writer *w, value v) {
    if (is_int(v)) return;
    __builtin_prefetch(&w->table[first_slot(w, word_of(w, v))], 1);
    __builtin_prefetch((const void *)(v - 8));
}

static size_t bitmap_bytes(unsigned bits) { return (((size_t)1 << bits) + 63) / 64 * 8; }

/* An empty table of 2^bits slots. */
static void set_table(struct vm_marshal_writer *w, uint64_t *table, uint64_t *used, unsigned bits) {
    memset(used, 0, bitmap_bytes(bits));
    w->table = table;
    w->used = used;
    w->table_bits = bits;
    w->grow_at = w->flags & VM_MARSHAL_NO_SHARING ? 0 : (((uint64_t)2 << bits) + 2) / 3;
}

/* The upper bits of a hash are its slot, so the new table is filled in the order of the old one. */
static void grow_table(struct vm_marshal_writer *w) {
    unsigned more_bits = w->table_bits < QUICK_TABLE_BITS ? 2 : 1;
    const unsigned old_bits = w->table_bits, bits = old_bits + more_bits;
    const size_t slots = (size_t)1 << bits;
    uint64_t *old = w->table, *old_used = w->used, *table = NULL;
    if ((uint64_t)1 << old_bits <= MAX_OBJECTS)
        table = writer_scratch(w, slots * sizeof *table + bitmap_bytes(bits));
    if (table == NULL) {
        writer_refuse(w, VM_MARSHAL_NO_MEMORY, NULL);
        return;
    }
    set_table(w, table, table + slots, bits);
    ASSERT(w->objects < w->grow_at);
    for (size_t i = 0; i < bitmap_bytes(old_bits) / 8; i++)
        for (uint64_t rest = old_used[i]; rest != 0; rest &= rest - 1) {
            uint64_t content = old[i * 64 + (size_t)__builtin_ctzll(rest)];
            use_slot(w, slot_of(w, content >> NUMBER_BITS), content);
        }
    w->scratch_bytes -= vm_arena_release(w->scratch, old);
}

/* Writes a reference to the object that a slot holds. */
static void put_reference(struct vm_marshal_writer *w, uint64_t seen) {
    uint64_t number = (seen & MAX_OBJECTS) - 1;
    ASSERT(number < w->objects);
    if (!(w->flags & VM_MARSHAL_COMPRESSED)) number = w->objects - number;
    unsigned bytes = marshal_reference_bytes(number);
    put_code(w, CODE_SHARED8 + (unsigned)__builtin_ctz(bytes), number, bytes);
}

/* Writes a reference if v was seen before; else the caller records v before any other object. */
static bool put_shared(struct vm_marshal_writer *w, value v) {
    if (w->flags & VM_MARSHAL_NO_SHARING) return false;
    if (w->objects >= w->grow_at) grow_table(w);
    if (w->failure != VM_MARSHAL_WRITTEN) return false;
    w->slot = slot_of(w, word_of(w, v));
    if (!slot_is_used(w, w->slot)) return false;
    put_reference(w, w->table[w->slot]);
    return true;
}

/* Counts an object of the given size, and numbers it unless sharing is off. */
static void record_object(struct vm_marshal_writer *w, value v, uint64_t words_32,
                          uint64_t words_64) {
    w->words_32 += words_32;
    w->words_64 += words_64;
    if ((w->flags & VM_MARSHAL_NO_SHARING) || w->failure != VM_MARSHAL_WRITTEN) return;
    ASSERT(w->slot == slot_of(w, word_of(w, v)));
    use_slot(w, w->slot, word_of(w, v) << NUMBER_BITS | ++w->objects);
}

static inline void push_rest(struct vm_marshal_writer *w, value *next, value *end) {
    if (next >= end || w->failure != VM_MARSHAL_WRITTEN) return;
    if (w->depth == w->stack_capacity) {
        struct marshal_rest *larger = writer_scratch(w, 2 * w->stack_capacity * sizeof *larger);
        if (larger == NULL) return;
        memcpy(larger, w->stack, w->depth * sizeof *larger);
        w->stack = larger;
        w->stack_capacity *= 2;
    }
    w->stack[w->depth++] = (struct marshal_rest){next, end};
}

/* ---- Items. ---- */

static void put_int(struct vm_marshal_writer *w, intptr_t n) {
    unsigned bytes = marshal_int_bytes(n);
    if (bytes == 0) put_code(w, SMALL_INT + (unsigned)n, 0, 0);
    else if (bytes == 8 && (w->flags & VM_MARSHAL_COMPAT_32))
        writer_refuse(w, VM_MARSHAL_TOO_BIG, "integer cannot be read back on 32-bit platform");
    else put_code(w, CODE_INT8 + (unsigned)__builtin_ctz(bytes), (uint64_t)n, bytes);
}

/* Writes the integers from next on; returns the field where it stopped: one that is not an integer,
 * or for which the chunk may be too small. */
static value *put_ints(struct vm_marshal_writer *w, value *next, value *end) {
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

static void put_header(struct vm_marshal_writer *w, uint64_t wosize, unsigned tag) {
    if (tag < 16 && wosize < 8) {
        put_code(w, SMALL_BLOCK + tag + ((unsigned)wosize << 4), 0, 0);
        return;
    }
    if (wosize > MAX_WOSIZE_32 && (w->flags & VM_MARSHAL_COMPAT_32))
        writer_refuse(w, VM_MARSHAL_TOO_BIG, "array cannot be read back on 32-bit platform");
    header h = make_header(wosize, tag, w->d->vm->version->marshal_colour);
    if (h < (header)1 << 32) put_code(w, CODE_BLOCK32, h, 4);
    else put_code(w, CODE_BLOCK64, h, 8);
}

/* Writes the shortest code whose number can hold n, then n. */
static void put_length(struct vm_marshal_writer *w, unsigned code8, unsigned code32,
                       unsigned code64, uint64_t n) {
    if (n < 1u << 8) put_code(w, code8, n, 1);
    else if (n < (uint64_t)1 << 32) put_code(w, code32, n, 4);
    else put_code(w, code64, n, 8);
}

static void put_string(struct vm_marshal_writer *w, value v) {
    uint64_t length = string_length(v);
    if (length > MAX_STRING_32 && (w->flags & VM_MARSHAL_COMPAT_32))
        writer_refuse(w, VM_MARSHAL_TOO_BIG, "string cannot be read back on 32-bit platform");
    if (length < SMALL_INT - SMALL_STRING) put_code(w, SMALL_STRING + (unsigned)length, 0, 0);
    else put_length(w, CODE_STRING8, CODE_STRING32, CODE_STRING64, length);
    put_content(w, v, length);
    record_object(w, v, 1 + (length + 4) / 4, 1 + (length + 8) / 8);
}

static void put_double(struct vm_marshal_writer *w, value v) {
    uint8_t *p = new_bytes(w, 9);
    if (p == NULL) return;
    p[0] = CODE_DOUBLE_LITTLE;
    memcpy(p + 1, (const void *)v, 8);
    record_object(w, v, 3, 2);
}

static void put_double_array(struct vm_marshal_writer *w, value v) {
    uint64_t n = wosize_of(v);
    if (n > MAX_DOUBLE_ARRAY_32 && (w->flags & VM_MARSHAL_COMPAT_32))
        writer_refuse(w, VM_MARSHAL_TOO_BIG, "float array cannot be read back on 32-bit platform");
    put_length(w, CODE_DOUBLES8_LITTLE, CODE_DOUBLES32_LITTLE, CODE_DOUBLES64_LITTLE, n);
    put_content(w, v, 8 * n);
    record_object(w, v, 1 + 2 * n, 1 + n);
}

void vm_marshal_write_raised(struct vm_marshal_writer *w, value exn) {
    if (w->failure == VM_MARSHAL_WRITTEN) w->failure = VM_MARSHAL_RAISED;
    w->exn = exn;
}

/* The three kinds of boxed integers. False: v is something else. */
static bool put_boxed_int(struct vm_marshal_writer *w, value v, const struct gc_custom_ops *ops) {
    bool is_native = ops == &vm_nativeint_ops;
    if (!is_native && ops != &vm_int32_ops && ops != &vm_int64_ops) return false;
    put_code(w, CODE_CUSTOM_FIXED, 0, 0);
    vm_marshal_put_bytes(w, ops->identifier, strlen(ops->identifier) + 1);
    if (ops == &vm_int32_ops) vm_marshal_put_uint(w, (uint64_t)int32_of_val(v), 4);
    else if (ops == &vm_int64_ops) vm_marshal_put_uint(w, (uint64_t)int64_of_val(v), 8);
    else {
        intptr_t n = nativeint_of_val(v);
        if (n == (int32_t)n) put_code(w, 1, (uint64_t)n, 4);
        else put_code(w, 2, (uint64_t)n, 8);
    }
    record_object(w, v, ops == &vm_int64_ops ? 4 : 3, 3);
    return true;
}

static void put_custom(struct vm_marshal_writer *w, value v) {
    const struct gc_custom_ops *ops = custom_ops(v);
    if (put_boxed_int(w, v, ops)) return;
    vm_marshal_custom_write *write = w->customs->find(ops);
    if (write == NULL && ops->serialize == NULL) {
        writer_refuse(w, VM_MARSHAL_REFUSED,
                      vm_raw_is_word(v) ? "abstract value (outside heap)"
                                        : "abstract value (Custom)");
        return;
    }
    bool fixed = write == NULL && ops->fixed_length != NULL;
    put_code(w, fixed ? CODE_CUSTOM_FIXED : CODE_CUSTOM_LENGTH, 0, 0);
    vm_marshal_put_bytes(w, ops->identifier, strlen(ops->identifier) + 1);
    uint8_t *sizes = fixed ? NULL : new_bytes(w, 12);
    if (!fixed && sizes == NULL) return;
    uint64_t bytes_32 = 0, bytes_64 = 0;
    if (write == NULL) write = w->customs->foreign;
    write(w, v, &bytes_32, &bytes_64);
    if (w->failure != VM_MARSHAL_WRITTEN) return;
    if (!fixed) {
        marshal_store(sizes, bytes_32, 4);
        marshal_store(sizes + 4, bytes_64, 8);
    } else if (bytes_64 != (uint64_t)ops->fixed_length->bsize_64) {
        writer_refuse(w, VM_MARSHAL_REFUSED, "incorrect fixed sizes specified by a library");
    }
    record_object(w, v, 2 + (bytes_32 + 3) / 4, 2 + (bytes_64 + 7) / 8);
}

/* Writes the code field of a closure: the digest of the code, and where in it the function
 * starts. */
static void put_code_pointer(struct vm_marshal_writer *w, value code) {
    struct vm *vm = w->d->vm;
    uintptr_t index = is_int(code) ? (uintptr_t)int_of_val(code) : 0;
    if (!(w->flags & VM_MARSHAL_CLOSURES) || index == 0 || index >= vm->function_count) {
        writer_refuse(w, VM_MARSHAL_REFUSED, "functional value");
        return;
    }
    const struct vm_function *f = &vm->functions[index];
    put_code(w, CODE_CODE_POINTER, 4 * (uint64_t)f->pc, 4);
    vm_marshal_put_bytes(w, vm_code_digest(vm->codes[f->fragment]), 16);
}

static void put_closure(struct vm_marshal_writer *w, value v) {
    size_t wosize = wosize_of(v);
    put_header(w, wosize, TAG_CLOSURE);
    record_object(w, v, 1 + wosize, 1 + wosize);
    size_t i = 0, start_env = start_env_of(field(v, 1));
    while (i + 1 < wosize && w->failure == VM_MARSHAL_WRITTEN) {
        put_code_pointer(w, field(v, i++));
        put_int(w, int_of_val(field(v, i++)));
        if (i >= start_env) break;
        put_int(w,
                (intptr_t)(make_header(wosize_of_header((header)field(v, i)), TAG_INFIX, 0) >> 1));
        i++;
    }
    push_rest(w, &field(v, i), &field(v, wosize));
}

/* Whether a tag below TAG_LAZY is not that of a constructor. */
static bool is_special(const struct vm_marshal_writer *w, unsigned tag) {
    return tag > w->d->vm->version->last_constructor_tag;
}

/* The result of an evaluated lazy value, if it may be written instead. */
static value follow_forward(const struct vm_marshal_writer *w, value v) {
    const struct gc_domain *g = &w->d->gc;
    while (is_block(v) && gc_in_range(g, v) && tag_of(v) == TAG_FORWARD && wosize_of(v) > 0) {
        value f = field(v, 0);
        if (is_block(f) &&
            (!gc_in_range(g, f) || tag_of(f) == TAG_FORWARD || tag_of(f) == TAG_LAZY ||
             tag_of(f) == TAG_DOUBLE || (tag_of(f) == TAG_FORCING && is_special(w, TAG_FORCING))))
            return v;
        v = f;
    }
    return v;
}

/* Writes v; pushes the fields of a new block. */
static void put_item(struct vm_marshal_writer *w, value v) {
    v = follow_forward(w, v);
    if (is_int(v)) {
        put_int(w, int_of_val(v));
        return;
    }
    if (!gc_in_range(&w->d->gc, v)) {
        writer_refuse(w, VM_MARSHAL_REFUSED, "abstract value (outside heap)");
        return;
    }
    if (tag_of(v) == TAG_INFIX) {
        put_code(w, CODE_INFIX, 8 * infix_offset_words(v), 4);
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
    case TAG_ABSTRACT: writer_refuse(w, VM_MARSHAL_REFUSED, "abstract value (Abstract)"); break;
    case TAG_CUSTOM: put_custom(w, v); break;
    case TAG_CLOSURE: put_closure(w, v); break;
    default:
        if (tag_of(v) == TAG_CONT && is_special(w, TAG_CONT))
            writer_refuse(w, VM_MARSHAL_REFUSED, "continuation value");
        put_header(w, wosize, tag_of(v));
        record_object(w, v, 1 + wosize, 1 + wosize);
        push_rest(w, &field(v, 0), &field(v, wosize));
    }
}

/* Fast path for the most common items: blocks of few fields and a low tag. False: v is
 * something else, or a chunk or table is full, and nothing was done. */
static inline bool put_small_block(struct vm_marshal_writer *w, value v) {
    if (is_int(v) || !gc_in_range(&w->d->gc, v)) return false;
    if (w->at == w->limit || w->objects >= w->grow_at) return false;
    uint64_t wosize = wosize_of(v);
    if (tag_of(v) >= 16 || wosize - 1 >= 7) return false;
    uint64_t word = word_of(w, v);
    size_t slot = slot_of(w, word);
    if (slot_is_used(w, slot)) {
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

/* ---- Whole values. ---- */

static uint64_t data_bytes_of(const struct vm_marshal_writer *w) {
    uint64_t bytes = 0;
    for (const struct vm_marshal_chunk *c = &w->first; c != NULL; c = c->next) bytes += c->used;
    return bytes;
}

/* Stores n with 7 bits per byte, the highest bits first; all bytes except the last have bit 7
 * set. */
static uint8_t *store_vlq(uint8_t *to, uint64_t n) {
    unsigned shift = 0;
    while (n >> shift >= 0x80) shift += 7;
    for (; shift > 0; shift -= 7) *to++ = (uint8_t)(n >> shift | 0x80);
    *to++ = n & 0x7F;
    return to;
}

static void compress(struct vm_marshal_writer *w) {
    const uint64_t unpacked = w->data_bytes;
    writer_compress(w);
    w->data_bytes = data_bytes_of(w);
    const uint64_t parts[5] = {w->data_bytes, unpacked, w->objects, w->words_32, w->words_64};
    uint8_t *at = w->header + 5;
    marshal_store(w->header, VM_MARSHAL_MAGIC_COMPRESSED, 4);
    for (int i = 0; i < 5; i++) at = store_vlq(at, parts[i]);
    w->header_bytes = w->header[4] = (uint8_t)(at - w->header);
}

static void make_header_bytes(struct vm_marshal_writer *w) {
    const uint64_t limit = (uint64_t)1 << 32;
    end_chunk(w);
    w->data_bytes = data_bytes_of(w);
    ASSERT(w->depth == 0 && w->objects <= w->data_bytes); /* U1 holds for the reader */
    bool small = w->data_bytes < limit && w->words_32 < limit && w->words_64 < limit;
    if (!small && (w->flags & VM_MARSHAL_COMPAT_32)) {
        writer_refuse(w, VM_MARSHAL_TOO_BIG, "object too big to be read back on 32-bit platform");
    } else if (w->flags & VM_MARSHAL_COMPRESSED) {
        compress(w);
    } else if (small) {
        const uint64_t parts[5] = {VM_MARSHAL_MAGIC_SMALL, w->data_bytes, w->objects, w->words_32,
                                   w->words_64};
        for (int i = 0; i < 5; i++) marshal_store(w->header + 4 * i, parts[i], 4);
        w->header_bytes = VM_MARSHAL_SMALL_HEADER;
    } else {
        marshal_store(w->header, VM_MARSHAL_MAGIC_BIG, 4);
        marshal_store(w->header + 4, 0, 4);
        marshal_store(w->header + 8, w->data_bytes, 8);
        marshal_store(w->header + 16, w->objects, 8);
        marshal_store(w->header + 24, w->words_64, 8);
        w->header_bytes = VM_MARSHAL_BIG_HEADER;
    }
}

bool vm_marshal_write(struct vm_marshal_writer *w, struct domain *d,
                      const struct vm_marshal_customs *customs, value v, unsigned flags,
                      struct vm_arena *scratch) {
    w->d = d;
    w->customs = customs;
    w->chunk_capacity = VM_MARSHAL_FIRST_BYTES;
    w->scratch = scratch;
    w->scratch_bytes = 0;
    w->flags = flags;
    w->failure = VM_MARSHAL_WRITTEN;
    w->text = NULL;
    w->objects = w->words_32 = w->words_64 = 0;
    w->first = (struct vm_marshal_chunk){NULL, 0, VM_MARSHAL_FIRST_BYTES, w->first_bytes};
    begin_chunk(w, &w->first);
    set_table(w, w->first_table, w->first_used, (unsigned)__builtin_ctz(VM_MARSHAL_FIRST_TABLE));
    w->stack = (struct marshal_rest *)w->first_stack;
    w->stack_capacity = VM_MARSHAL_FIRST_STACK;
    w->depth = 0;
    put_item(w, v);
    while (w->depth > 0 && w->failure == VM_MARSHAL_WRITTEN) {
        struct marshal_rest *top = &w->stack[w->depth - 1];
        ASSERT(top->next < top->end);
        value *next = top->next;
        if (is_int(*next)) next = put_ints(w, next, top->end);
        if (top->end - next > FIELDS_AHEAD) prefetch(w, next[FIELDS_AHEAD]);
        if (next + 1 >= top->end) w->depth--;
        else top->next = next + 1;
        if (next < top->end && !put_small_block(w, *next)) put_item(w, *next);
    }
    if (w->failure == VM_MARSHAL_WRITTEN) make_header_bytes(w);
    return w->failure == VM_MARSHAL_WRITTEN;
}

void vm_marshal_copy(const struct vm_marshal_writer *w, uint8_t *to) {
    memcpy(to, w->header, w->header_bytes);
    to += w->header_bytes;
    for (const struct vm_marshal_chunk *c = &w->first; c != NULL; c = c->next) {
        memcpy(to, c->bytes, c->used);
        to += c->used;
    }
}
