/* reader.c - reads complete values into the heap, as DATA or into an arena: the main loop.
 *
 * The loop reads what most values consist of (integers, small blocks, short strings, numbers,
 * references to objects) while at least MAX_COMMON_ITEM_BYTES are left, so that each item needs one
 * test of the bytes; reader_item reads everything else and the last bytes. A block's fields are
 * read directly after it; if fields of its parent remain, they are pushed on the stack, so a list
 * needs no stack. */
#include "gc/hooks.h"
#include "vm/marshal/reader_internal.h"
#include "vm/state/alloc.h"

#include <stdlib.h>

enum { MAX_COMMON_ITEM_BYTES = 12, STRING_LOAD = 33 };

/* The loop's position: the next byte, the slots to be filled. */
struct cursor {
    const uint8_t *at;
    value *slot, *end;
};

/* ---- Slots. ---- */

static bool push(struct vm_marshal_reader *r, value *next, value *end) {
    if (r->depth == r->stack_capacity &&
        !reader_grow(r, (void **)&r->stack, &r->stack_capacity, r->depth, sizeof *r->stack))
        return false;
    ASSERT(r->depth < r->stack_capacity && (next == NULL || next < end));
    r->stack[r->depth++] = (struct pending){next, end};
    return true;
}

/* Continues with the fields of a new block; the remaining slots of c are pushed. */
static inline bool descend(struct vm_marshal_reader *r, struct cursor *c, value *from, value *to) {
    ASSERT(from <= to && c->slot <= c->end);
    if (c->slot < c->end && __builtin_expect(!push(r, c->slot, c->end), 0)) {
        r->rest = (struct pending){from, to};
        return false;
    }
    c->slot = from;
    c->end = to;
    return true;
}

static void assign_fresh_object_id(struct vm_marshal_reader *r, value object) {
    ASSERT(tag_of(object) == TAG_OBJECT && wosize_of(object) >= 2);
    if (field(object, 1) >> 1 >= 0 && r->d != NULL)
        field(object, 1) = val_of_int(vm_fresh_object_id(r->d));
}

/* Continues with the slots on top of the stack. False: it is empty. */
static inline bool ascend(struct vm_marshal_reader *r, struct cursor *c) {
    while (r->depth > 0) {
        struct pending top = r->stack[--r->depth];
        if (top.next != NULL) {
            c->slot = top.next;
            c->end = top.end;
            return true;
        }
        assign_fresh_object_id(r, (value)top.end);
    }
    return false;
}

/* ---- Common items. ---- */

static inline bool read_small_block(struct vm_marshal_reader *r, struct cursor *c, unsigned code) {
    size_t wosize = code >> 4 & 7;
    r->at = ++c->at;
    value v = reader_block(r, wosize, code & 15);
    if (__builtin_expect(v == 0, 0)) return false;
    *c->slot++ = v;
    if (!descend(r, c, &field(v, 0), &field(v, wosize))) return false;
    reader_number(r, v);
    return !r->failed;
}

/* Advances past the bytes of an item that is the object v. */
static inline bool advance_past(struct vm_marshal_reader *r, struct cursor *c, value v,
                                size_t bytes) {
    ASSERT(c->slot < c->end && bytes <= (size_t)(r->end - c->at));
    c->at += bytes;
    *c->slot++ = v;
    reader_number(r, v);
    return !r->failed;
}

/* Loads whole words. Needs: STRING_LOAD bytes are left. */
static inline bool read_short_string(struct vm_marshal_reader *r, struct cursor *c,
                                     unsigned length) {
    size_t last = length / 8;
    r->at = c->at + 1;
    value v = reader_block(r, last + 1, TAG_STRING);
    if (__builtin_expect(v == 0, 0)) return false;
    uint64_t word;
    for (size_t i = 0; i < last; i++) {
        memcpy(&word, c->at + 1 + 8 * i, 8);
        field(v, i) = (value)word;
    }
    unsigned rest = length % 8;
    memcpy(&word, c->at + 1 + 8 * last, 8);
    word &= ((uint64_t)1 << 8 * rest) - 1;
    field(v, last) = (value)(word | (uint64_t)(7 - rest) << 56);
    return advance_past(r, c, v, 1 + length);
}

static inline bool read_double(struct vm_marshal_reader *r, struct cursor *c) {
    r->at = c->at + 1;
    value v = reader_block(r, 1, TAG_DOUBLE);
    if (__builtin_expect(v == 0, 0)) return false;
    memcpy((void *)v, c->at + 1, 8);
    return advance_past(r, c, v, 9);
}

/* Of the custom blocks only Int64.t: the code, "_j", 8 bytes. */
static inline bool read_int64(struct vm_marshal_reader *r, struct cursor *c) {
    if (memcmp(c->at + 1, "_j", 3) != 0) return false;
    r->at = c->at + 4;
    value v = reader_block(r, 2, TAG_CUSTOM);
    if (__builtin_expect(v == 0, 0)) return false;
    field(v, 0) = (value)&vm_int64_ops;
    field(v, 1) = (value)marshal_load(c->at + 4, 8);
    return advance_past(r, c, v, 12);
}

static inline bool read_reference(struct vm_marshal_reader *r, struct cursor *c, unsigned bytes) {
    r->at = c->at + 1;
    value v = reader_shared(r, marshal_load(c->at + 1, bytes));
    if (v == 0) return false;
    c->at += 1 + bytes;
    *c->slot++ = v;
    return true;
}

/* Reads integers of the given width until another item, the end of the slots, or stop. */
static inline void read_ints(struct cursor *c, const uint8_t *stop, unsigned code, unsigned bytes) {
    do {
        *c->slot++ = val_of_int(marshal_sign_extend(marshal_load(c->at + 1, bytes), bytes));
        c->at += 1 + bytes;
    } while (c->slot < c->end && c->at < stop && *c->at == code);
}

/* Reads a common item that begins before stop, integers several at a time. False: it is another
 * item, or the reader failed. */
static inline bool read_common_item(struct vm_marshal_reader *r, struct cursor *c,
                                    const uint8_t *stop) {
    unsigned code = *c->at;
    if (code >= FIRST_FIELD) return read_small_block(r, c, code);
    if (code >= SMALL_BLOCK) return false;
    if (code >= SMALL_INT) {
        *c->slot++ = val_of_int(code - SMALL_INT);
        c->at++;
        return true;
    }
    if (code >= SMALL_STRING)
        return r->end - c->at >= STRING_LOAD && read_short_string(r, c, code - SMALL_STRING);
    switch (code) {
    case CODE_INT8: read_ints(c, stop, code, 1); return true;
    case CODE_INT16: read_ints(c, stop, code, 2); return true;
    case CODE_INT32: read_ints(c, stop, code, 4); return true;
    case CODE_SHARED8: return read_reference(r, c, 1);
    case CODE_SHARED16: return read_reference(r, c, 2);
    case CODE_SHARED32: return read_reference(r, c, 4);
    case CODE_DOUBLE_LITTLE: return read_double(r, c);
    case CODE_CUSTOM_FIXED: return read_int64(r, c);
    default: return false;
    }
}

/* Reads common items up to another one, the last bytes, a failure or the end of the value. */
static void read_common(struct vm_marshal_reader *r, struct cursor *where) {
    struct cursor c = *where;
    bool none = r->initialised || r->end - c.at < MAX_COMMON_ITEM_BYTES;
    const uint8_t *stop = none ? c.at : r->end - MAX_COMMON_ITEM_BYTES + 1;
    while ((c.slot < c.end || ascend(r, &c)) && c.at < stop && read_common_item(r, &c, stop))
        continue;
    *where = c;
}

/* ---- A whole value. ---- */

/* Reads one item of any kind. False: the reader failed. */
static bool read_any(struct vm_marshal_reader *r, struct cursor *c) {
    r->at = c->at;
    r->current = (struct pending){c->slot, c->end};
    r->rest = (struct pending){NULL, NULL};
    r->rest_object = 0;
    value v = reader_item(r);
    c->at = r->at;
    if (r->failed) return false;
    ASSERT(v != 0 && c->slot < c->end);
    *c->slot++ = v;
    value *from = r->rest.next, *to = r->rest.end;
    if (from == to) return true;
    if (r->rest_object == 0) return descend(r, c, from, to);
    /* The first two fields, the new id, the others. */
    value *others = from + 2;
    ASSERT(others <= to && from == &field(r->rest_object, 0));
    if (!descend(r, c, others, to) || (others < to && !push(r, others, to)) ||
        !push(r, NULL, (value *)r->rest_object)) {
        r->rest = (struct pending){from, to};
        return false;
    }
    c->slot = from;
    c->end = others;
    return true;
}

static void read_items(struct vm_marshal_reader *r, value *root) {
    struct cursor c = {r->at, root, root + 1};
    do { read_common(r, &c); } while (!r->failed && c.slot < c.end && read_any(r, &c));
    r->current = (struct pending){c.slot, c.end};
    if (!r->failed) r->at = c.at;
}

/* Reads all of the data; 0 after a failure. */
static value read_value(struct vm_marshal_reader *r) {
    value root = VAL_UNIT;
    if (!r->failed) read_items(r, &root);
    ASSERT(r->failed || (r->depth == 0 && r->current.next == r->current.end));
    reader_check_partials(r);
    if (!r->failed && r->at != r->end) vm_marshal_fail(r, NULL, "bytes after the value");
    if (!r->failed && r->words_left != 0)
        vm_marshal_fail(r, NULL, "the header declares more words than the data holds");
    if (!r->failed && r->object != r->object_end)
        vm_marshal_fail(r, NULL, "the header declares more objects than the data holds");
    if (r->failed) reader_initialise_fields(r);
    ASSERT(r->at == r->end && (r->initialised || !r->failed)); /* U1, U2 */
    return r->failed ? 0 : root;
}

/* Needs: target, fault and arena or d set. */
static void start_reader(struct vm_marshal_reader *r, const struct vm_marshal_header *head,
                         const uint8_t *bytes, const struct vm_marshal_read_options *options) {
    ASSERT((r->d == NULL) == (r->target == TARGET_ARENA));
    r->start = r->at = bytes;
    r->end = bytes + head->data_bytes;
    r->options = options;
    r->failed = r->initialised = r->hooked = r->data = false;
    r->absolute = head->compressed;
    r->custom = NULL;
    r->exn = 0;
    r->refused_words = r->custom_bytes = 0;
    r->words_left = head->words;
    r->current = r->rest = (struct pending){NULL, NULL};
    r->scratch = (struct vm_arena){.heap = r->d == NULL ? NULL : r->d->gc.heap};
    r->stack = r->small_stack;
    r->stack_capacity = SMALL_STACK;
    r->depth = r->partial_count = r->partial_capacity = r->node_count = r->node_capacity = 0;
    r->objects = r->object = r->object_end = r->small_objects;
    /* Every object takes at least a byte (U1). */
    if (head->objects > head->data_bytes) {
        vm_marshal_fail(r, NULL, "more objects than there are bytes");
        return;
    }
    if (head->objects > SMALL_OBJECTS)
        r->objects = reader_scratch(r, head->objects * sizeof *r->objects);
    r->object = r->objects;
    if (!r->failed) r->object_end = r->objects + head->objects;
}

/* Notifies the profiler of the blocks of a value that was read to its end. */
static void notify_hooks(struct vm_marshal_reader *r) {
    struct gc_domain *g = &r->d->gc;
    if (r->failed || !r->hooked) return;
    bool numbered = r->objects != r->object_end;
    const value *nodes = numbered ? r->objects : r->nodes;
    size_t count = numbered ? (size_t)(r->object - r->objects) : r->node_count;
    for (size_t i = 0; i < count; i++)
        g->hooks->allocated(g->hooks->context, g, nodes[i], wosize_of(nodes[i]), GC_MARSHAL);
}

bool vm_marshal_read(struct domain *d, const struct vm_marshal_header *head, const uint8_t *bytes,
                     const struct vm_marshal_read_options *options, value *out,
                     struct vm_marshal_read_fault *fault) {
    struct gc_domain *g = &d->gc;
    bool minor = options != NULL && head->words <= MAX_YOUNG_WOSIZE + 1 &&
                 g->young_ptr - g->young_start >= 8 * head->words;
    struct vm_marshal_reader r;
    r.d = d;
    r.bumped_from = g->young_ptr;
    r.fault = fault;
    r.target = minor ? TARGET_MINOR : TARGET_MAJOR;
    start_reader(&r, head, bytes, options);
    r.data = options == NULL;
    r.hooked = options != NULL && g->hooks != NULL && g->hooks->allocated != NULL;
    gc_bulk_begin(&r.bulk, g);
    *out = read_value(&r);
    /* The code that raised may have collected. */
    if (r.exn == 0) reader_exempt(&r);
    gc_bulk_end(&r.bulk);
    notify_hooks(&r);
    vm_arena_free(&r.scratch);
    ASSERT(r.failed || (r.exn == 0 && r.refused_words == 0));
    fault->exn = r.exn;
    if (r.exn != 0) return false;
    if (r.refused_words > 0) gc_out_of_memory(g, r.refused_words);
    return !r.failed;
}

/* ---- Values in an arena, outside the program's heap. ---- */

static enum vm_status bad_value(struct vm_error *error, const struct vm_marshal_read_fault *fault,
                                size_t header_bytes) {
    return vm_error_set(error, VM_BAD_MARSHAL, "+0x%zx: %s", fault->offset + header_bytes,
                        fault->why);
}

/* Decodes the header, and checks that all of the data follows it. Compressed data is refused:
 * executables have none. */
static enum vm_status open_value(const uint8_t *bytes, size_t n, struct vm_marshal_header *head,
                                 struct vm_error *error) {
    switch (vm_marshal_read_header(bytes, n, head)) {
    case VM_MARSHAL_HEADER_SHORT:
        return vm_error_set(error, VM_BAD_MARSHAL, "+0x0: only %zu bytes", n);
    case VM_MARSHAL_HEADER_BAD:
    case VM_MARSHAL_HEADER_TOO_LARGE:
        return vm_error_set(error, VM_BAD_MARSHAL, "+0x0: no magic number");
    case VM_MARSHAL_HEADER_OK: break;
    }
    if (head->compressed) return vm_error_set(error, VM_BAD_MARSHAL, "+0x0: compressed");
    if (head->data_bytes > n - head->header_bytes)
        return vm_error_set(error, VM_BAD_MARSHAL, "+0x4: %llu bytes of data, %zu are there",
                            (unsigned long long)head->data_bytes, n - head->header_bytes);
    return VM_OK;
}

enum vm_status vm_marshal_read_extent(const uint8_t *bytes, size_t n, size_t *used,
                                      struct vm_error *error) {
    struct vm_marshal_header head;
    enum vm_status status = open_value(bytes, n, &head, error);
    if (status == VM_OK) *used = head.header_bytes + head.data_bytes;
    return status;
}

/* Reads the data after a header, unpacked if it was compressed. */
static enum vm_status read_arena(const struct vm_marshal_header *head, const uint8_t *data,
                                 struct vm_arena *arena, value *out, struct vm_error *error) {
    struct vm_marshal_read_fault fault;
    struct vm_marshal_reader r;
    r.fault = &fault;
    r.d = NULL;
    r.arena = arena;
    r.target = TARGET_ARENA;
    start_reader(&r, head, data, NULL);
    *out = read_value(&r);
    vm_arena_free(&r.scratch);
    if (r.refused_words > 0) return vm_error_set(error, VM_NO_MEMORY, "reading marshalled data");
    return r.failed ? bad_value(error, &fault, head->header_bytes) : VM_OK;
}

enum vm_status vm_marshal_read_arena(const uint8_t *bytes, size_t n, struct vm_arena *arena,
                                     value *out, size_t *used, struct vm_error *error) {
    struct vm_marshal_header head;
    enum vm_status status = open_value(bytes, n, &head, error);
    if (status == VM_OK) status = read_arena(&head, bytes + head.header_bytes, arena, out, error);
    if (status == VM_OK) *used = head.header_bytes + head.data_bytes;
    return status;
}

enum vm_status vm_marshal_read_packed(const uint8_t *bytes, size_t n, struct vm_arena *arena,
                                      value *out, struct vm_error *error) {
    struct vm_marshal_header head;
    size_t used;
    if (vm_marshal_read_header(bytes, n, &head) != VM_MARSHAL_HEADER_OK || !head.compressed)
        return vm_marshal_read_arena(bytes, n, arena, out, &used, error);
    if (head.stored_bytes > n - head.header_bytes || !vm_marshal_may_unpack(&head))
        return vm_error_set(error, VM_BAD_MARSHAL, "+0x4: more data than %zu bytes can hold", n);
    uint8_t *data = malloc(head.data_bytes + 1);
    if (data == NULL) return vm_error_set(error, VM_NO_MEMORY, "reading marshalled data");
    enum vm_status status = vm_marshal_unpack(&head, bytes + head.header_bytes, data)
                                ? read_arena(&head, data, arena, out, error)
                                : vm_error_set(error, VM_BAD_MARSHAL, "+0x%x: a damaged frame",
                                               head.header_bytes);
    free(data);
    return status;
}

/* Opens DATA, which is one value and nothing else. */
static enum vm_status open_image_data(const uint8_t *bytes, size_t n,
                                      struct vm_marshal_header *head, struct vm_error *error) {
    enum vm_status status = open_value(bytes, n, head, error);
    if (status != VM_OK || head->data_bytes == n - head->header_bytes) return status;
    return vm_error_set(error, VM_BAD_MARSHAL, "+0x%llx: bytes after the value",
                        (unsigned long long)(head->header_bytes + head->data_bytes));
}

static enum vm_status no_globals(struct vm_error *error) {
    return vm_error_set(error, VM_BAD_MARSHAL, "the value is not a table of globals");
}

/* The header of the block that starts with an item of at most n bytes; wosize 0 if it is not a
 * block. */
static header block_header(const uint8_t *item, size_t n) {
    unsigned code = n > 0 ? *item : 0, width = code == CODE_BLOCK64 ? 8 : 4;
    if (code >= SMALL_BLOCK) return make_header(code >> 4 & 7, code & 15, 0);
    return reader_kind(code) == ITEM_BLOCK && n > width ? marshal_load(item + 1, width) : 0;
}

enum vm_status vm_marshal_read_image_globals(const uint8_t *bytes, size_t n, uint32_t *count,
                                             struct vm_error *error) {
    struct vm_marshal_header head;
    enum vm_status status = open_image_data(bytes, n, &head, error);
    if (status != VM_OK) return status;
    uint64_t root = block_header(bytes + head.header_bytes, head.data_bytes);
    /* Each global takes at least a byte. */
    if (tag_of_header(root) != 0 || wosize_of_header(root) == 0 ||
        wosize_of_header(root) > head.data_bytes || wosize_of_header(root) > UINT32_MAX)
        return no_globals(error);
    *count = (uint32_t)wosize_of_header(root);
    return VM_OK;
}

enum vm_status vm_marshal_read_section(struct domain *d, const uint8_t *bytes, size_t n, value *out,
                                       struct vm_error *error) {
    struct vm_marshal_header head;
    enum vm_status status = open_image_data(bytes, n, &head, error);
    if (status != VM_OK) return status;
    struct vm_marshal_read_fault fault;
    bool ok = vm_marshal_read(d, &head, bytes + head.header_bytes, NULL, out, &fault);
    return ok ? VM_OK : bad_value(error, &fault, head.header_bytes);
}

enum vm_status vm_marshal_read_image_data(struct domain *d, const uint8_t *bytes, size_t n,
                                          value *out, struct vm_error *error) {
    value root;
    enum vm_status status = vm_marshal_read_section(d, bytes, n, &root, error);
    if (status != VM_OK) return status;
    if (!is_block(root) || tag_of(root) != 0 || wosize_of(root) == 0) return no_globals(error);
    *out = root;
    return VM_OK;
}
