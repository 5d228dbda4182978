/* reader_items.c - single items of any kind, with all checks, and the memory that they take. The
 * loop in reader.c reads the common items and leaves the rest to these functions. */
#include "gc/hooks.h"
#include "vm/code/version.h"
#include "vm/marshal/reader_internal.h"
#include "vm/state/alloc.h"

#include <stdio.h>

enum { MAX_CUSTOM_NAME = 256 };

const struct item_code vm_marshal_codes[SMALL_STRING] = {
#define CODE(name, code, kind, bytes, meaning) [code] = {ITEM_##kind, bytes},
#include "vm/marshal/codes.def"
#undef CODE
};

/* ---- Failures. ---- */

/* Whether the version's messages name the function that reads, and the kind of a custom block. */
static bool names_reader(const struct vm_marshal_reader *r) {
    return r->d != NULL && r->d->vm->version->marshal_names_reader;
}

/* Refuses the value with a text that begins with `function` and ends with `custom`, or ""; the
 * latter in some versions only. */
static value refuse(struct vm_marshal_reader *r, const char *function, const char *text,
                    const char *custom, const char *why) {
    if (r->failed) return 0;
    ASSERT(r->start <= r->at && r->at <= r->end);
    bool named = *custom != '\0' && names_reader(r);
    r->failed = true;
    snprintf(r->fault->text, sizeof r->fault->text, "%s: %s%s%s", function, text, named ? " " : "",
             named ? custom : "");
    r->fault->why = why;
    r->fault->offset = (size_t)(r->at - r->start);
    r->at = r->end;
    return 0;
}

/* The function whose name begins the reader's own messages. */
static const char *reader_name(const struct vm_marshal_reader *r) {
    return names_reader(r) && r->options != NULL ? r->options->function : "input_value";
}

value vm_marshal_fail(struct vm_marshal_reader *r, const char *text, const char *why) {
    if (text != NULL) return refuse(r, "input_value", text, "", why);
    return refuse(r, reader_name(r), "ill-formed message", "", why);
}

value vm_marshal_fail_size(struct vm_marshal_reader *r, const char *why) {
    const char *text = names_reader(r) ? "error while deserializing custom block"
                                       : "incorrect length of serialized custom block";
    return refuse(r, reader_name(r), text, r->custom, why);
}

value vm_marshal_fail_memory(struct vm_marshal_reader *r, size_t words) {
    if (!r->failed) r->refused_words = words > 0 ? words : 1;
    return vm_marshal_fail(r, NULL, "out of memory");
}

void vm_marshal_read_raised(struct vm_marshal_reader *r, value exn) {
    ASSERT(r->initialised);
    if (!r->failed) r->exn = exn;
    vm_marshal_fail(r, NULL, "an exception was raised");
}

bool vm_marshal_failed(const struct vm_marshal_reader *r) { return r->failed; }

struct domain *vm_marshal_domain(const struct vm_marshal_reader *r) {
    return r->d;
}

/* ---- Bytes. ---- */

static inline size_t remaining(const struct vm_marshal_reader *r) {
    ASSERT(r->at <= r->end);
    return (size_t)(r->end - r->at);
}

const uint8_t *vm_marshal_get_bytes(struct vm_marshal_reader *r, size_t n) {
    if (r->failed || remaining(r) < n) {
        vm_marshal_fail(r, NULL, "the data ends within an item");
        return NULL;
    }
    r->at += n;
    return r->at - n;
}

uint64_t vm_marshal_get_uint(struct vm_marshal_reader *r, unsigned bytes) {
    const uint8_t *p = vm_marshal_get_bytes(r, bytes);
    return p == NULL ? 0 : marshal_load(p, bytes);
}

/* ---- Memory. ---- */

void *reader_scratch(struct vm_marshal_reader *r, size_t bytes) {
    void *p = vm_arena_alloc(&r->scratch, bytes);
    if (p == NULL) vm_marshal_fail_memory(r, bytes / 8);
    return p;
}

bool reader_grow(struct vm_marshal_reader *r, void **table, size_t *capacity, size_t count,
                 size_t size) {
    size_t wanted = *capacity == 0 ? IF_SMALL_TABLES(1, 64) : 2 * *capacity;
    ASSERT(count == *capacity);
    void *larger = reader_scratch(r, wanted * size);
    if (larger == NULL) return false;
    if (count > 0) memcpy(larger, *table, count * size);
    *table = larger;
    *capacity = wanted;
    return true;
}

static void initialise(struct pending p) {
    if (p.next == NULL) return;
    for (value *slot = p.next; slot < p.end; slot++) *slot = VAL_UNIT;
}

void reader_exempt(struct vm_marshal_reader *r) {
    struct gc_domain *g = &r->d->gc;
    ASSERT(g->young_ptr <= r->bumped_from);
    gc_sample_exempt(g, (r->bumped_from - g->young_ptr) / 8);
    r->bumped_from = g->young_ptr;
}

void vm_marshal_initialise(struct vm_marshal_reader *r) {
    reader_exempt(r);
    reader_initialise_fields(r);
}

void reader_initialise_fields(struct vm_marshal_reader *r) {
    if (r->initialised) return;
    r->initialised = true;
    initialise(r->current);
    initialise(r->rest);
    for (size_t i = 0; i < r->depth; i++) initialise(r->stack[i]);
}

void reader_leave_fields(struct vm_marshal_reader *r, value v, size_t first) {
    ASSERT(r->rest.next == NULL && first <= wosize_of(v));
    r->rest = (struct pending){&field(v, first), &field(v, wosize_of(v))};
    if (r->initialised) initialise(r->rest);
}

value reader_block_slow(struct vm_marshal_reader *r, size_t wosize) {
    if (!r->failed && wosize >= r->words_left)
        return vm_marshal_fail(r, NULL, "more words than the header says");
    return vm_marshal_fail_memory(r, wosize);
}

void reader_number_slow(struct vm_marshal_reader *r, value v) {
    if (r->failed) return;
    if (r->objects != r->object_end) {
        vm_marshal_fail(r, NULL, "more objects than the header says");
        return;
    }
    if (!r->hooked) return;
    if (r->node_count == r->node_capacity &&
        !reader_grow(r, (void **)&r->nodes, &r->node_capacity, r->node_count, sizeof *r->nodes))
        return;
    r->nodes[r->node_count++] = v;
}

/* ---- Blocks, strings, floats. ---- */

/* Continuations cannot be marshalled. */
static bool is_continuation(const struct vm_marshal_reader *r, unsigned tag) {
    return tag == TAG_CONT && r->d != NULL && tag > r->d->vm->version->last_constructor_tag;
}

/* Whether the format has blocks of this size and tag; closures are tested elsewhere. */
static bool block_allowed(const struct vm_marshal_reader *r, size_t wosize, unsigned tag) {
    if (wosize == 0) return tag < TAG_LAZY || tag == TAG_DOUBLE_ARRAY;
    if (tag == TAG_OBJECT) return wosize >= 2;
    if (r->data) return tag < TAG_LAZY;
    return tag < TAG_NO_SCAN && tag != TAG_INFIX && tag != TAG_CLOSURE && !is_continuation(r, tag);
}

static value read_atom(struct vm_marshal_reader *r, unsigned tag) {
    return r->target == TARGET_ARENA ? reader_arena_block(r, 0, tag) : gc_atom(&r->d->gc, tag);
}

static value read_block(struct vm_marshal_reader *r, size_t wosize, unsigned tag) {
    bool closure = tag == TAG_CLOSURE && wosize >= 2;
    if (closure && (r->options == NULL || !r->options->closures))
        return vm_marshal_fail(r, NULL, "a closure where none may be");
    if (!closure && !block_allowed(r, wosize, tag))
        return vm_marshal_fail(r, NULL, "a block with a tag that no block may have here");
    if (wosize > remaining(r)) return vm_marshal_fail(r, NULL, "more fields than there are bytes");
    if (closure) return reader_closure(r, wosize);
    if (wosize == 0) return read_atom(r, tag);
    value v = reader_block(r, wosize, tag);
    if (v == 0) return 0;
    reader_leave_fields(r, v, 0);
    if (tag == TAG_OBJECT) r->rest_object = v;
    reader_number(r, v);
    return v;
}

static value read_string(struct vm_marshal_reader *r, uint64_t length) {
    const uint8_t *bytes = vm_marshal_get_bytes(r, length);
    if (bytes == NULL) return 0;
    size_t wosize = string_wosize(length);
    value v = reader_block(r, wosize, TAG_STRING);
    if (v == 0) return 0;
    field(v, wosize - 1) = (value)((uint64_t)(8 * wosize - 1 - length) << 56);
    memcpy((void *)v, bytes, length);
    reader_number(r, v);
    return v;
}

static value read_doubles(struct vm_marshal_reader *r, uint64_t n, unsigned tag, bool big) {
    if (n > remaining(r) / 8) return vm_marshal_fail(r, NULL, "more doubles than there are bytes");
    const uint8_t *bytes = vm_marshal_get_bytes(r, 8 * n);
    if (bytes == NULL) return 0;
    if (n == 0) return read_atom(r, tag);
    value v = reader_block(r, n, tag);
    if (v == 0) return 0;
    memcpy((void *)v, bytes, 8 * n);
    for (size_t i = 0; big && i < n; i++)
        field(v, i) = (value)__builtin_bswap64((uint64_t)field(v, i));
    reader_number(r, v);
    return v;
}

/* ---- Custom blocks. ---- */

static int64_t get_int(struct vm_marshal_reader *r, unsigned bytes) {
    return marshal_sign_extend(vm_marshal_get_uint(r, bytes), bytes);
}

static value read_boxed_int(struct vm_marshal_reader *r, const struct gc_custom_ops *ops,
                            size_t declared) {
    unsigned bytes = ops == &vm_int32_ops ? 4 : 8, width = bytes;
    if (ops == &vm_nativeint_ops) {
        uint64_t code = vm_marshal_get_uint(r, 1);
        if (code != 1 && code != 2)
            return vm_marshal_fail(r, "ill-formed native integer",
                                   "a native integer of unknown width");
        width = code == 1 ? 4 : 8;
    }
    int64_t n = get_int(r, width);
    value v = vm_marshal_new_custom(r, ops, bytes, 0);
    if (v != 0) memcpy(custom_data(v), &n, bytes); /* little-endian */
    return v;
}

value vm_marshal_new_custom(struct vm_marshal_reader *r, const struct gc_custom_ops *ops,
                            size_t bytes, size_t outside) {
    bool adopted = r->target != TARGET_ARENA && ops->finalize != NULL;
    if (r->failed) return 0;
    if (adopted && !gc_custom_reserve(&r->d->gc)) return vm_marshal_fail_memory(r, 1 + bytes / 8);
    value v = reader_block(r, 1 + (bytes + 7) / 8, TAG_CUSTOM);
    if (v == 0) return 0;
    memset(custom_data(v), 0, (bytes + 7) / 8 * 8);
    field(v, 0) = (value)ops;
    if (adopted) gc_adopt_custom(&r->d->gc, v, outside);
    r->custom_bytes = bytes;
    return v;
}

static const struct vm_marshal_custom_reader *find_custom(const struct vm_marshal_reader *r,
                                                          const char *name) {
    static const struct vm_marshal_custom_reader boxed_ints[] = {
        {&vm_int32_ops, read_boxed_int},
        {&vm_int64_ops, read_boxed_int},
        {&vm_nativeint_ops, read_boxed_int}};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(name, boxed_ints[i].ops->identifier) == 0) return &boxed_ints[i];
    if (r->options == NULL || r->options->find_custom == NULL) return NULL;
    return r->options->find_custom(r->options->context, name);
}

/* Whether a custom block may be written with its size, or without it. */
static bool is_right_code(const struct vm_marshal_reader *r, unsigned code,
                          const struct gc_custom_ops *ops, const char **problem) {
    bool strict = r->d != NULL && r->d->vm->version->marshal_customs_are_strict;
    *problem = strict ? "wrong custom block kind" : "expected a fixed-size custom block";
    bool fixed = ops->fixed_length != NULL;
    return code == CODE_CUSTOM_FIXED ? fixed : !strict || !fixed;
}

/* The reader of the kind whose identifier comes next, which it skips; NULL: the reader failed. */
static const struct vm_marshal_custom_reader *read_kind(struct vm_marshal_reader *r,
                                                        unsigned code) {
    const char *name = (const char *)r->at;
    size_t limit = remaining(r) < MAX_CUSTOM_NAME ? remaining(r) : MAX_CUSTOM_NAME;
    const char *end = memchr(name, 0, limit);
    const struct vm_marshal_custom_reader *custom = end == NULL ? NULL : find_custom(r, name);
    const char *problem;
    if (custom == NULL) {
        refuse(r, reader_name(r), "unknown custom block identifier", end == NULL ? "" : name,
               "a custom block of unknown identifier");
    } else if (!is_right_code(r, code, custom->ops, &problem)) {
        refuse(r, reader_name(r), problem, name, "a custom block without its size, or with it");
    } else {
        r->custom = name;
        r->at = (const uint8_t *)end + 1;
    }
    return r->failed ? NULL : custom;
}

static value read_custom(struct vm_marshal_reader *r, unsigned code) {
    if (code == CODE_CUSTOM && r->d != NULL && !r->d->vm->version->marshal_old_customs)
        return refuse(r, reader_name(r),
                      "custom blocks serialized with OCaml 4.08.0 (or prior) are no longer "
                      "supported",
                      "", "a custom block of the old format");
    const struct vm_marshal_custom_reader *custom = read_kind(r, code);
    if (custom == NULL) return 0;
    size_t declared = SIZE_MAX;
    if (code == CODE_CUSTOM_FIXED) {
        declared = (size_t)custom->ops->fixed_length->bsize_64;
    } else if (code == CODE_CUSTOM_LENGTH) {
        vm_marshal_get_uint(r, 4);
        declared = vm_marshal_get_uint(r, 8);
    }
    if (r->failed) return 0;
    value v = custom->read(r, custom->ops, declared);
    ASSERT(v != 0 || r->failed);
    if (!r->failed && declared != SIZE_MAX && r->custom_bytes != declared)
        vm_marshal_fail_size(r, "a custom block of another size than it says");
    if (v != 0) reader_number(r, v);
    return v;
}

/* ---- Any item. ---- */

enum item_kind reader_kind(unsigned code) {
    if (code >= SMALL_BLOCK) return ITEM_BLOCK;
    if (code >= SMALL_INT) return ITEM_INT;
    return code >= SMALL_STRING ? ITEM_STRING : vm_marshal_codes[code].kind;
}

value reader_integer(struct vm_marshal_reader *r) {
    if (r->at < r->end && reader_kind(*r->at) != ITEM_INT)
        vm_marshal_fail(r, NULL, "an integer was expected");
    value v = reader_item(r);
    return r->failed ? VAL_UNIT : v;
}

value reader_item(struct vm_marshal_reader *r) {
    unsigned code = (unsigned)vm_marshal_get_uint(r, 1);
    if (r->failed) return 0;
    if (code >= SMALL_BLOCK) return read_block(r, code >> 4 & 7, code & 15);
    if (code >= SMALL_INT) return val_of_int(code - SMALL_INT);
    if (code >= SMALL_STRING) return read_string(r, code - SMALL_STRING);
    unsigned bytes = vm_marshal_codes[code].bytes;
    uint64_t n = bytes > 0 ? vm_marshal_get_uint(r, bytes) : 0;
    if (r->failed) return 0;
    switch (vm_marshal_codes[code].kind) {
    case ITEM_INT: return val_of_int(marshal_sign_extend(n, bytes));
    case ITEM_SHARED: return reader_shared(r, n);
    case ITEM_BLOCK: return read_block(r, wosize_of_header(n), tag_of_header(n));
    case ITEM_STRING: return read_string(r, n);
    case ITEM_DOUBLE_BIG: return read_doubles(r, 1, TAG_DOUBLE, true);
    case ITEM_DOUBLE_LITTLE: return read_doubles(r, 1, TAG_DOUBLE, false);
    case ITEM_DOUBLES_BIG: return read_doubles(r, n, TAG_DOUBLE_ARRAY, true);
    case ITEM_DOUBLES_LITTLE: return read_doubles(r, n, TAG_DOUBLE_ARRAY, false);
    case ITEM_INFIX: return reader_infix(r, n);
    case ITEM_CUSTOM: return read_custom(r, code);
    case ITEM_CODE: return reader_lone_code_pointer(r);
    default: return vm_marshal_fail(r, NULL, "an item of unknown kind");
    }
}
