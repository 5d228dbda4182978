/* reader_items.c - the items of a message one by one, with all tests, and the memory they take.
 * What is frequent and plain is read by the loop in unmarshal.c, which comes here for the rest. */
#include "gc/hooks.h"
#include "vm/marshal/reader_internal.h"

#include <stdio.h>

enum { MAX_CUSTOM_NAME = 256 };

/* ---- Failures. ---- */

void vm_reader_fail(struct vm_reader *r, const char *text, const char *why) {
    if (r->failed) return;
    r->failed = true;
    snprintf(r->fault->text, sizeof r->fault->text, "%s",
             text != NULL ? text : "ill-formed message");
    r->fault->why = why;
    r->fault->offset = (size_t)(r->at - r->start);
    r->at = r->end;
}

void vm_reader_fail_memory(struct vm_reader *r, size_t words) {
    if (!r->failed) r->refused_words = words > 0 ? words : 1;
    vm_reader_fail(r, NULL, "no memory");
}

void vm_reader_raise(struct vm_reader *r, value exn) {
    if (!r->failed) r->exn = exn;
    vm_reader_fail(r, NULL, "an exception was raised");
}

bool vm_reader_failed(const struct vm_reader *r) { return r->failed; }

struct domain *vm_reader_domain(const struct vm_reader *r) {
    return r->d;
}

/* ---- Bytes. ---- */

size_t vm_reader_remaining(const struct vm_reader *r) { return (size_t)(r->end - r->at); }

static inline uint64_t read_uint(struct vm_reader *r, unsigned bytes) {
    if (vm_reader_remaining(r) < bytes) {
        vm_reader_fail(r, NULL, "the data ends within an item");
        return 0;
    }
    r->at += bytes;
    return reader_load(r->at - bytes, bytes);
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

void *reader_scratch(struct vm_reader *r, size_t bytes) {
    void *p = vm_arena_alloc(&r->scratch, bytes);
    if (p == NULL) vm_reader_fail_memory(r, bytes / 8);
    return p;
}

bool reader_widen(struct vm_reader *r, void **table, size_t *room, size_t count, size_t size) {
    size_t wanted = *room == 0 ? IF_SMALL_TABLES(1, 64) : 2 * *room;
    void *wider = reader_scratch(r, wanted * size);
    if (wider == NULL) return false;
    if (count > 0) memcpy(wider, *table, count * size);
    *table = wider;
    *room = wanted;
    return true;
}

static void fill(struct pending p) {
    if (p.next == NULL) return;
    for (value *slot = p.next; slot < p.end; slot++) *slot = VAL_UNIT;
}

void reader_exempt(struct vm_reader *r) {
    struct gc_domain *g = &r->d->gc;
    gc_sample_exempt(g, (r->bumped_from - g->young_ptr) / 8);
    r->bumped_from = g->young_ptr;
}

void vm_reader_settle(struct vm_reader *r) {
    reader_exempt(r);
    reader_fill_missing(r);
}

void reader_fill_missing(struct vm_reader *r) {
    if (r->settled) return;
    r->settled = true;
    fill(r->current);
    fill(r->rest);
    for (size_t i = 0; i < r->depth; i++) fill(r->stack[i]);
}

void reader_leave_fields(struct vm_reader *r, value v, size_t first) {
    r->rest = (struct pending){&field(v, first), &field(v, wosize_of(v))};
    if (r->settled) fill(r->rest);
}

value reader_block_slow(struct vm_reader *r, size_t wosize, unsigned tag) {
    if (r->failed) return 0;
    if (wosize >= r->words_left) {
        vm_reader_fail(r, NULL, "more words than the header says");
        return 0;
    }
    vm_reader_fail_memory(r, wosize);
    return 0;
}

void reader_number_slow(struct vm_reader *r, value v) {
    if (r->failed) return;
    if (r->objects != r->object_end) {
        vm_reader_fail(r, NULL, "more objects than the header says");
        return;
    }
    if (!r->hooked) return;
    if (r->node_count == r->node_room &&
        !reader_widen(r, (void **)&r->nodes, &r->node_room, r->node_count, sizeof *r->nodes))
        return;
    r->nodes[r->node_count++] = v;
}

/* ---- Blocks, strings, floats. ---- */

/* Whether a block of this size and tag may stand in a message (closures are another matter). */
static bool block_allowed(const struct vm_reader *r, size_t wosize, unsigned tag) {
    if (wosize == 0) return tag < TAG_LAZY || tag == TAG_DOUBLE_ARRAY;
    if (tag == TAG_OBJECT) return wosize >= 2;
    if (r->data) return tag < TAG_LAZY;
    return tag < TAG_NO_SCAN && tag != TAG_INFIX && tag != TAG_CLOSURE;
}

/* A block that has nothing special about it. */
static value read_plain_block(struct vm_reader *r, size_t wosize, unsigned tag) {
    if (wosize == 0)
        return r->place == PLACE_ARENA ? reader_arena_block(r, 0, tag) : gc_atom(&r->d->gc, tag);
    value v = reader_block(r, wosize, tag);
    if (v == 0) return 0;
    reader_leave_fields(r, v, 0);
    if (tag == TAG_OBJECT) r->rest_object = v;
    reader_number(r, v);
    return v;
}

static value read_block(struct vm_reader *r, size_t wosize, unsigned tag) {
    bool closure = tag == TAG_CLOSURE && wosize >= 2;
    const char *why = NULL;
    if (closure && (r->options == NULL || !r->options->closures))
        why = "a closure where none may be";
    else if (!closure && !block_allowed(r, wosize, tag))
        why = "a block with a tag that no block may have here";
    else if (wosize > vm_reader_remaining(r)) why = "more fields than there are bytes";
    if (why == NULL && !r->failed)
        return closure ? reader_closure(r, wosize) : read_plain_block(r, wosize, tag);
    vm_reader_fail(r, NULL, why);
    return 0;
}

static value read_string(struct vm_reader *r, uint64_t length) {
    const uint8_t *bytes = vm_reader_bytes(r, length);
    if (bytes == NULL) return 0;
    size_t wosize = string_wosize(length);
    value v = reader_block(r, wosize, TAG_STRING);
    if (v == 0) return 0;
    field(v, wosize - 1) = (value)((uint64_t)(8 * wosize - 1 - length) << 56);
    memcpy((void *)v, bytes, length);
    reader_number(r, v);
    return v;
}

static value read_doubles(struct vm_reader *r, uint64_t n, unsigned tag, bool big) {
    if (n > vm_reader_remaining(r) / 8) {
        vm_reader_fail(r, NULL, "more doubles than there are bytes");
        return 0;
    }
    const uint8_t *bytes = vm_reader_bytes(r, 8 * n);
    if (bytes == NULL) return 0;
    if (n == 0) return read_plain_block(r, 0, tag);
    value v = reader_block(r, n, tag);
    if (v == 0) return 0;
    memcpy((void *)v, bytes, 8 * n);
    for (size_t i = 0; big && i < n; i++)
        field(v, i) = (value)__builtin_bswap64((uint64_t)field(v, i));
    reader_number(r, v);
    return v;
}

/* ---- Custom blocks. ---- */

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

value vm_reader_custom(struct vm_reader *r, const struct gc_custom_ops *ops, size_t bytes,
                       size_t outside) {
    bool adopted = r->place != PLACE_ARENA && ops->finalize != NULL;
    if (r->failed) return 0;
    if (adopted && !gc_custom_reserve(&r->d->gc)) {
        vm_reader_fail_memory(r, 1 + bytes / 8);
        return 0;
    }
    value v = reader_block(r, 1 + (bytes + 7) / 8, TAG_CUSTOM);
    if (v == 0) return 0;
    memset(custom_data(v), 0, (bytes + 7) / 8 * 8);
    field(v, 0) = (value)ops;
    if (adopted) gc_adopt_custom(&r->d->gc, v, outside);
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
    if (v != 0) reader_number(r, v);
    return v;
}

/* ---- Any item. ---- */

value reader_integer(struct vm_reader *r) {
    unsigned code = (unsigned)read_uint(r, 1);
    if (code >= SMALL_INT && code < SMALL_BLOCK) return val_of_int(code - SMALL_INT);
    switch (code) {
    case CODE_INT8: return val_of_int((int8_t)read_uint(r, 1));
    case CODE_INT16: return val_of_int((int16_t)read_uint(r, 2));
    case CODE_INT32: return val_of_int((int32_t)read_uint(r, 4));
    case CODE_INT64: return val_of_int((intptr_t)read_uint(r, 8));
    default: vm_reader_fail(r, NULL, "an integer was expected"); return VAL_UNIT;
    }
}

/* An item whose code stands alone or in front of a number of that many bytes. */
static value read_headed(struct vm_reader *r, unsigned code, uint64_t n) {
    switch (code) {
    case CODE_INT8: return val_of_int((int8_t)n);
    case CODE_INT16: return val_of_int((int16_t)n);
    case CODE_INT32: return val_of_int((int32_t)n);
    case CODE_INT64: return val_of_int((intptr_t)n);
    case CODE_SHARED8:
    case CODE_SHARED16:
    case CODE_SHARED32:
    case CODE_SHARED64: return reader_shared(r, n);
    case CODE_BLOCK32:
    case CODE_BLOCK64: return read_block(r, wosize_of_header(n), tag_of_header(n));
    case CODE_STRING8:
    case CODE_STRING32:
    case CODE_STRING64: return read_string(r, n);
    case CODE_DOUBLE_BIG: return read_doubles(r, 1, TAG_DOUBLE, true);
    case CODE_DOUBLE_LITTLE: return read_doubles(r, 1, TAG_DOUBLE, false);
    case CODE_DOUBLE_ARRAY8_BIG:
    case CODE_DOUBLE_ARRAY32_BIG:
    case CODE_DOUBLE_ARRAY64_BIG: return read_doubles(r, n, TAG_DOUBLE_ARRAY, true);
    case CODE_DOUBLE_ARRAY8_LITTLE:
    case CODE_DOUBLE_ARRAY32_LITTLE:
    case CODE_DOUBLE_ARRAY64_LITTLE: return read_doubles(r, n, TAG_DOUBLE_ARRAY, false);
    case CODE_INFIX_POINTER: return reader_infix(r);
    case CODE_CUSTOM:
    case CODE_CUSTOM_LENGTH:
    case CODE_CUSTOM_FIXED: return read_custom(r, code);
    default: vm_reader_fail(r, NULL, "an item of no known kind"); return 0;
    }
}

value vm_reader_item(struct vm_reader *r) {
    static const uint8_t number_bytes[SMALL_STRING] = {
        [CODE_INT8] = 1,
        [CODE_INT16] = 2,
        [CODE_INT32] = 4,
        [CODE_INT64] = 8,
        [CODE_SHARED8] = 1,
        [CODE_SHARED16] = 2,
        [CODE_SHARED32] = 4,
        [CODE_SHARED64] = 8,
        [CODE_BLOCK32] = 4,
        [CODE_BLOCK64] = 8,
        [CODE_STRING8] = 1,
        [CODE_STRING32] = 4,
        [CODE_STRING64] = 8,
        [CODE_DOUBLE_ARRAY8_BIG] = 1,
        [CODE_DOUBLE_ARRAY8_LITTLE] = 1,
        [CODE_DOUBLE_ARRAY32_BIG] = 4,
        [CODE_DOUBLE_ARRAY32_LITTLE] = 4,
        [CODE_DOUBLE_ARRAY64_BIG] = 8,
        [CODE_DOUBLE_ARRAY64_LITTLE] = 8,
    };
    unsigned code = (unsigned)read_uint(r, 1);
    if (r->failed) return 0;
    if (code >= SMALL_BLOCK) return read_block(r, code >> 4 & 7, code & 15);
    if (code >= SMALL_INT) return val_of_int(code - SMALL_INT);
    if (code >= SMALL_STRING) return read_string(r, code - SMALL_STRING);
    uint64_t n = number_bytes[code] > 0 ? read_uint(r, number_bytes[code]) : 0;
    return r->failed ? 0 : read_headed(r, code, n);
}
