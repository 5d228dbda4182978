/* constants.c - rows of plain data to and from the external representation with a small header.
 *
 * K1  Rows are in pre-order and form one tree: the fields of the block in row i start at row i + 1.
 * K2  A shared row's target is an earlier row that is an object (no integer, no atom).
 * K3  Objects have numbers in the order of their rows; a reference is the distance in numbers. */
#include "vm/marshal/constants.h"

#include "gc/containers.h"
#include "vm/base/os.h"
#include "vm/marshal/codes.h"
#include "vm/marshal/reader.h"
#include "vm/state/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_LEFT = IF_SMALL_TABLES(1, 64), FIRST_SEEN = IF_SMALL_TABLES(2, 64) };

const char *const vm_predefined_exceptions[VM_PREDEFINED_COUNT] = {
    "Out_of_memory",  "Sys_error",        "Failure",        "Invalid_argument",
    "End_of_file",    "Division_by_zero", "Not_found",      "Match_failure",
    "Stack_overflow", "Sys_blocked_io",   "Assert_failure", "Undefined_recursive_module",
};

struct vm_constant *vm_constants_add(struct vm_constants *constants, enum vm_constant_kind kind) {
    if (constants->count == INT32_MAX ||
        !vector_widen((void **)&constants->rows, &constants->capacity, constants->count + 1,
                      IF_SMALL_TABLES(1, 64), sizeof *constants->rows, NULL))
        return NULL;
    struct vm_constant *row = &constants->rows[constants->count++];
    *row = (struct vm_constant){.kind = (uint8_t)kind};
    return row;
}

void vm_constants_free(struct vm_constants *constants) {
    free(constants->rows);
    vm_arena_free(&constants->arena);
    memset(constants, 0, sizeof *constants);
}

/* From the last row, so that the ends of a block's fields are known before its own. */
void vm_constants_link(struct vm_constants *constants) {
    for (uint32_t i = constants->count; i-- > 0;) {
        struct vm_constant *row = &constants->rows[i];
        uint32_t end = i + 1;
        if (row->kind == CONSTANT_BLOCK)
            for (uint32_t k = 0; k < row->size; k++) end = constants->rows[end].end;
        if (row->kind == CONSTANT_SHARED) {
            ASSERT(row->target < i &&
                   vm_constant_is_object(&constants->rows[row->target])); /* K2 */
            constants->rows[row->target].shared = true;
        }
        ASSERT(end <= constants->count); /* K1 */
        row->end = end;
    }
}

/* --- Reading --- */

/* Slots of a value whose rows follow. */
struct slots {
    const value *next, *end;
};
struct conversion {
    struct vm_constants *out;
    struct word_map seen;             /* objects -> row + 1 */
    struct VECTOR(struct slots) left; /* a stack */
};

static enum vm_constant_kind kind_of(value v) {
    if (is_int(v)) return CONSTANT_INT;
    switch (tag_of(v)) {
    case TAG_STRING: return CONSTANT_STRING;
    case TAG_DOUBLE: return CONSTANT_DOUBLE;
    case TAG_DOUBLE_ARRAY: return CONSTANT_DOUBLES;
    case TAG_CUSTOM:
        if (custom_ops(v) == &vm_int32_ops) return CONSTANT_INT32;
        return custom_ops(v) == &vm_int64_ops ? CONSTANT_INT64 : CONSTANT_NATIVE;
    default: return CONSTANT_BLOCK;
    }
}

/* The row of a value met for the first time; leaves a block's fields. */
static bool fill_row(struct conversion *c, struct vm_constant *row, value v) {
    size_t wosize = is_int(v) ? 0 : wosize_of(v);
    switch (row->kind) {
    case CONSTANT_INT: row->integer = int_of_val(v); return true;
    case CONSTANT_INT32: row->integer = int32_of_val(v); return true;
    case CONSTANT_INT64:
    case CONSTANT_NATIVE: row->integer = int64_of_val(v); return true;
    case CONSTANT_DOUBLE: row->bits = (uint64_t)field(v, 0); return true;
    case CONSTANT_STRING:
    case CONSTANT_DOUBLES:
        row->bytes = (const uint8_t *)v;
        row->size = (uint32_t)(row->kind == CONSTANT_STRING ? string_length(v) : wosize);
        return true;
    default:
        row->tag = (uint8_t)tag_of(v);
        row->size = (uint32_t)wosize;
        return wosize == 0 ||
               vector_push(&c->left, ((struct slots){&field(v, 0), &field(v, wosize)}), FIRST_LEFT,
                           NULL);
    }
}

static bool add_value(struct conversion *c, value v) {
    uintptr_t first = 0, *seen = &first;
    if (is_block(v) && wosize_of(v) > 0)
        seen = word_map_add(&c->seen, (uintptr_t)v, FIRST_SEEN, NULL);
    if (seen == NULL) return false;
    struct vm_constant *row = vm_constants_add(c->out, *seen == 0 ? kind_of(v) : CONSTANT_SHARED);
    if (row == NULL) return false;
    if (*seen == 0) {
        *seen = c->out->count;
        return fill_row(c, row, v);
    }
    row->target = (uint32_t)*seen - 1;
    return true;
}

static bool add_rows(struct conversion *c, value root) {
    bool ok = add_value(c, root);
    while (ok && c->left.count > 0) {
        struct slots *top = &c->left.items[c->left.count - 1];
        value v = *top->next++;
        if (top->next == top->end) c->left.count--;
        ok = add_value(c, v);
    }
    free(c->seen.entries);
    free(c->left.items);
    return ok;
}

/* Whether the rows are written as exactly these bytes. */
static bool is_written_as(const struct vm_constants *constants, const uint8_t *bytes, size_t n) {
    char *written = NULL;
    size_t written_bytes = 0;
    FILE *out = open_memstream(&written, &written_bytes);
    if (out == NULL) return false;
    bool ok = vm_constants_write(constants, out);
    ok = vm_close_text(out, &written) && ok && written_bytes == n && memcmp(written, bytes, n) == 0;
    free(written);
    return ok;
}

bool vm_constants_read(const uint8_t *bytes, size_t n, struct vm_constants *out) {
    struct conversion c = {.out = out};
    struct vm_error ignored;
    value root;
    size_t used;
    memset(out, 0, sizeof *out);
    bool ok = vm_marshal_read_arena(bytes, n, &out->arena, &root, &used, &ignored) == VM_OK &&
              add_rows(&c, root);
    if (ok) vm_constants_link(out);
    ok = ok && is_written_as(out, bytes, n);
    if (!ok) vm_constants_free(out);
    return ok;
}

/* --- Writing --- */

struct writer {
    FILE *out;
    uint64_t objects, words_32, words_64;
    uint32_t *numbers; /* of the object in each row */
};

/* The low bytes of x, big-endian. */
static void put(struct writer *w, uint64_t x, unsigned bytes) {
    while (bytes-- > 0) putc_unlocked((int)(x >> 8 * bytes & 0xff), w->out);
}

static void put_code(struct writer *w, unsigned code, uint64_t x, unsigned bytes) {
    put(w, code, 1);
    put(w, x, bytes);
}

static void add_words(struct writer *w, uint64_t words_32, uint64_t words_64) {
    w->words_32 += words_32;
    w->words_64 += words_64;
}

static void put_int(struct writer *w, int64_t n) {
    unsigned bytes = marshal_int_bytes(n);
    if (bytes == 0) put(w, SMALL_INT + (uint64_t)n, 1);
    else put_code(w, CODE_INT8 + (unsigned)__builtin_ctz(bytes), (uint64_t)n, bytes);
}

static void put_block(struct writer *w, const struct vm_constant *row) {
    uint64_t size = row->size;
    if (row->tag < 16 && size < 8) put(w, SMALL_BLOCK + row->tag + size * 16, 1);
    else put_code(w, CODE_BLOCK32, size << 10 | row->tag, 4);
    if (size > 0) add_words(w, 1 + size, 1 + size);
}

static void put_string(struct writer *w, const struct vm_constant *row) {
    uint64_t size = row->size;
    if (size < 32) put(w, SMALL_STRING + size, 1);
    else if (size < 256) put_code(w, CODE_STRING8, size, 1);
    else put_code(w, CODE_STRING32, size, 4);
    fwrite(row->bytes, 1, size, w->out);
    add_words(w, 1 + (size + 4) / 4, 1 + (size + 8) / 8);
}

static void put_doubles(struct writer *w, const struct vm_constant *row) {
    uint64_t size = row->size;
    if (size < 256) put_code(w, CODE_DOUBLES8_LITTLE, size, 1);
    else put_code(w, CODE_DOUBLES32_LITTLE, size, 4);
    fwrite(row->bytes, 8, size, w->out);
    add_words(w, 1 + 2 * size, 1 + size);
}

static void put_custom(struct writer *w, const struct vm_constant *row) {
    bool narrow = row->integer == (int32_t)row->integer;
    put_code(w, CODE_CUSTOM_FIXED, '_', 1);
    put_code(w, row->kind == CONSTANT_INT32 ? 'i' : row->kind == CONSTANT_INT64 ? 'j' : 'n', 0, 1);
    if (row->kind == CONSTANT_NATIVE) put(w, narrow ? 1 : 2, 1);
    if (row->kind == CONSTANT_INT32 || (row->kind == CONSTANT_NATIVE && narrow))
        put(w, (uint64_t)row->integer, 4);
    else put(w, (uint64_t)row->integer, 8);
    add_words(w, row->kind == CONSTANT_INT64 ? 4 : 3, 3);
}

static void put_shared(struct writer *w, const struct vm_constant *row) {
    uint64_t distance = w->objects - w->numbers[row->target];
    unsigned bytes = marshal_reference_bytes(distance);
    put_code(w, CODE_SHARED8 + (unsigned)__builtin_ctz(bytes), distance, bytes);
}

static void put_row(struct writer *w, const struct vm_constant *row, uint32_t i) {
    if (vm_constant_is_object(row)) w->numbers[i] = (uint32_t)w->objects;
    switch (row->kind) {
    case CONSTANT_INT: put_int(w, row->integer); break;
    case CONSTANT_BLOCK: put_block(w, row); break;
    case CONSTANT_STRING: put_string(w, row); break;
    case CONSTANT_DOUBLES: put_doubles(w, row); break;
    case CONSTANT_SHARED: put_shared(w, row); break;
    case CONSTANT_DOUBLE:
        put_code(w, CODE_DOUBLE_LITTLE, __builtin_bswap64(row->bits), 8);
        add_words(w, 3, 2);
        break;
    default: put_custom(w, row); break;
    }
    if (vm_constant_is_object(row)) w->objects++;
}

bool vm_constants_write(const struct vm_constants *constants, FILE *out) {
    char *data = NULL;
    size_t data_bytes = 0;
    struct writer w = {.numbers = malloc(((size_t)constants->count + 1) * sizeof *w.numbers)};
    w.out = w.numbers ? open_memstream(&data, &data_bytes) : NULL;
    if (w.out == NULL) {
        free(w.numbers);
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; i < constants->count; i++) {
        const struct vm_constant *row = &constants->rows[i];
        ok = ok && !(row->kind == CONSTANT_BLOCK && row->size >= 1u << 22);
        put_row(&w, row, i);
    }
    ok = vm_close_text(w.out, &data) && ok && data_bytes < UINT32_MAX && w.words_32 < UINT32_MAX;
    if (ok) {
        w.out = out;
        const uint64_t head[] = {VM_MARSHAL_MAGIC_SMALL, data_bytes, w.objects, w.words_32,
                                 w.words_64};
        for (int i = 0; i < 5; i++) put(&w, head[i], 4);
        fwrite(data, 1, data_bytes, out);
    }
    free(data);
    free(w.numbers);
    return ok;
}
