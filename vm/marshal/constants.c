/* constants.c - rows of plain data to and from the external representation with a small header.
 *
 * K1  Rows are in pre-order and form one tree: the fields of the block in row i start at row i + 1.
 * K2  A shared row's target is an earlier row that is an object (no integer, no atom).
 * K3  Objects have numbers in the order of their rows; a reference is the distance in numbers. */
#include "vm/marshal/constants.h"

#include "gc/small_tables.h"
#include "vm/base/os.h"
#include "vm/marshal/codes.h"
#include "vm/marshal/reader.h"

#include <stdlib.h>
#include <string.h>

const char *const vm_predefined_exceptions[VM_PREDEFINED_COUNT] = {
    "Out_of_memory",  "Sys_error",        "Failure",        "Invalid_argument",
    "End_of_file",    "Division_by_zero", "Not_found",      "Match_failure",
    "Stack_overflow", "Sys_blocked_io",   "Assert_failure", "Undefined_recursive_module",
};

struct vm_constant *vm_constants_add(struct vm_constants *constants, enum vm_constant_kind kind) {
    if (!vm_grow((void **)&constants->rows, constants->count, &constants->capacity,
                 sizeof *constants->rows))
        return NULL;
    struct vm_constant *row = &constants->rows[constants->count++];
    *row = (struct vm_constant){.kind = (uint8_t)kind};
    return row;
}

void vm_constants_free(struct vm_constants *constants) {
    free(constants->rows);
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

struct reader {
    const uint8_t *at, *end;
    struct vm_constants *out;
    uint32_t *objects; /* row of each object */
    size_t object_count, object_capacity;
    uint64_t pending; /* values that are still to be read */
};

static bool has(const struct reader *r, uint64_t n) { return (uint64_t)(r->end - r->at) >= n; }

/* The next number; the caller has checked that it is there. */
static uint64_t take(struct reader *r, unsigned bytes) {
    ASSERT(has(r, bytes));
    r->at += bytes;
    return marshal_load(r->at - bytes, bytes);
}

static bool add_object(struct reader *r) {
    if (!vm_grow((void **)&r->objects, r->object_count, &r->object_capacity, sizeof *r->objects))
        return false;
    r->objects[r->object_count++] = r->out->count - 1;
    return true;
}

static bool read_int(struct reader *r, int64_t n) {
    struct vm_constant *row = vm_constants_add(r->out, CONSTANT_INT);
    if (row == NULL || n < -((int64_t)1 << 62) || n >= (int64_t)1 << 62) return false;
    row->integer = n;
    return true;
}

static bool read_block(struct reader *r, unsigned tag, uint64_t size) {
    struct vm_constant *row = vm_constants_add(r->out, CONSTANT_BLOCK);
    if (row == NULL || !has(r, size)) return false;
    row->tag = (uint8_t)tag;
    row->size = (uint32_t)size;
    r->pending += size;
    return size == 0 || add_object(r);
}

/* A string, or a float array with 8 bytes an element. */
static bool read_bytes(struct reader *r, enum vm_constant_kind kind, uint64_t size, unsigned each) {
    struct vm_constant *row = vm_constants_add(r->out, kind);
    if (row == NULL || !has(r, size * each)) return false;
    row->size = (uint32_t)size;
    row->bytes = r->at;
    r->at += size * each;
    return add_object(r);
}

static bool read_shared(struct reader *r, uint64_t distance) {
    struct vm_constant *row = vm_constants_add(r->out, CONSTANT_SHARED);
    if (row == NULL || distance == 0 || distance > r->object_count) return false;
    row->target = r->objects[r->object_count - distance];
    return true;
}

static bool read_double(struct reader *r) {
    struct vm_constant *row = vm_constants_add(r->out, CONSTANT_DOUBLE);
    if (row == NULL || !has(r, 8)) return false;
    row->bits = __builtin_bswap64(take(r, 8));
    return add_object(r);
}

static bool read_custom(struct reader *r) {
    if (!has(r, 3 + 4) || r->at[0] != '_' || r->at[2] != 0) return false;
    char kind = (char)r->at[1];
    r->at += 3;
    unsigned bytes = kind == 'i' ? 4 : kind == 'j' ? 8 : 0;
    if (kind == 'n') bytes = take(r, 1) == 1 ? 4 : 8;
    struct vm_constant *row = vm_constants_add(r->out, kind == 'i'   ? CONSTANT_INT32
                                                       : kind == 'j' ? CONSTANT_INT64
                                                                     : CONSTANT_NATIVE);
    if (row == NULL || bytes == 0 || !has(r, bytes)) return false;
    row->integer = marshal_sign_extend(take(r, bytes), bytes);
    return add_object(r);
}

static bool read_value(struct reader *r) {
    if (!has(r, 1)) return false;
    unsigned code = *r->at++;
    if (code >= SMALL_BLOCK) return read_block(r, code & 15, code >> 4 & 7);
    if (code >= SMALL_INT) return read_int(r, code - SMALL_INT);
    if (code >= SMALL_STRING) return read_bytes(r, CONSTANT_STRING, code - SMALL_STRING, 1);
    enum item_kind kind = vm_marshal_codes[code].kind;
    unsigned bytes = vm_marshal_codes[code].bytes;
    /* What only a larger value needs is not of the small format. */
    if (bytes > (kind == ITEM_INT ? 8 : 4) || !has(r, bytes)) return false;
    uint64_t n = bytes > 0 ? take(r, bytes) : 0;
    switch (kind) {
    case ITEM_INT: return read_int(r, marshal_sign_extend(n, bytes));
    case ITEM_SHARED: return read_shared(r, n);
    case ITEM_BLOCK: return read_block(r, n & 0xff, n >> 10);
    case ITEM_STRING: return read_bytes(r, CONSTANT_STRING, n, 1);
    case ITEM_DOUBLE_LITTLE: return read_double(r);
    case ITEM_DOUBLES_LITTLE: return read_bytes(r, CONSTANT_DOUBLES, n, 8);
    case ITEM_CUSTOM: return code == CODE_CUSTOM_FIXED && read_custom(r);
    default: return false;
    }
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
    memset(out, 0, sizeof *out);
    if (n < VM_MARSHAL_SMALL_HEADER) return false;
    struct reader r = {
        .at = bytes + VM_MARSHAL_SMALL_HEADER, .end = bytes + n, .out = out, .pending = 1};
    bool ok = true;
    while (ok && r.pending > 0) {
        r.pending--;
        ok = read_value(&r);
    }
    free(r.objects);
    if (ok) {
        vm_constants_link(out);
        ok = is_written_as(out, bytes, n);
    }
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
    unsigned bytes = marshal_distance_bytes(distance);
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
