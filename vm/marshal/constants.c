/* constants.c - rows of plain data to and from Marshal's small format.
 *
 * K1  Rows are in pre-order and form one tree: the fields of the block in row i start at row i + 1.
 * K2  A shared row's target is an earlier row that is an object (no integer, no atom).
 * K3  Objects have numbers in the order of their rows; a reference is the distance in numbers. */
#include "vm/marshal/constants.h"

#include "gc/small_tables.h"
#include "vm/base/os.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 20,
    CODE_INT8 = 0x00,
    CODE_INT16 = 0x01,
    CODE_INT32 = 0x02,
    CODE_INT64 = 0x03,
    CODE_SHARED8 = 0x04,
    CODE_SHARED16 = 0x05,
    CODE_SHARED32 = 0x06,
    CODE_DOUBLES32 = 0x07,
    CODE_BLOCK32 = 0x08,
    CODE_STRING8 = 0x09,
    CODE_STRING32 = 0x0a,
    CODE_DOUBLE = 0x0c,
    CODE_DOUBLES8 = 0x0e,
    CODE_CUSTOM_FIXED = 0x19,
    PREFIX_STRING = 0x20,
    PREFIX_INT = 0x40,
    PREFIX_BLOCK = 0x80,
};

const char *const vm_predefined_exceptions[VM_PREDEFINED_COUNT] = {
    "Out_of_memory",  "Sys_error",        "Failure",        "Invalid_argument",
    "End_of_file",    "Division_by_zero", "Not_found",      "Match_failure",
    "Stack_overflow", "Sys_blocked_io",   "Assert_failure", "Undefined_recursive_module",
};

struct vm_constant *vm_constants_add(struct vm_constants *constants, enum vm_constant_kind kind) {
    if (constants->count == constants->capacity) {
        uint32_t wanted = constants->capacity ? 2 * constants->capacity : IF_SMALL_TABLES(1, 64);
        if (wanted > 1u << 31) return NULL;
        struct vm_constant *bigger = realloc(constants->rows, wanted * sizeof *bigger);
        if (bigger == NULL) return NULL;
        constants->rows = bigger;
        constants->capacity = wanted;
    }
    struct vm_constant *row = &constants->rows[constants->count++];
    memset(row, 0, sizeof *row);
    row->kind = (uint8_t)kind;
    return row;
}

void vm_constants_free(struct vm_constants *constants) {
    free(constants->rows);
    memset(constants, 0, sizeof *constants);
}

static bool is_object(const struct vm_constant *row) {
    return row->kind != CONSTANT_INT && row->kind != CONSTANT_SHARED &&
           !(row->kind == CONSTANT_BLOCK && row->size == 0);
}

/* Last rows first, so that the fields of a block know their ends before the block asks. */
void vm_constants_link(struct vm_constants *constants) {
    for (uint32_t i = constants->count; i-- > 0;) {
        struct vm_constant *row = &constants->rows[i];
        uint32_t end = i + 1;
        if (row->kind == CONSTANT_BLOCK)
            for (uint32_t k = 0; k < row->size; k++) end = constants->rows[end].end;
        if (row->kind == CONSTANT_SHARED) constants->rows[row->target].shared = true;
        row->end = end;
    }
}

/* --- Reading --- */

struct reader {
    const uint8_t *at, *end;
    struct vm_constants *out;
    uint32_t *objects; /* row of each object */
    uint32_t object_count, object_capacity;
    uint64_t pending; /* values that are still to come */
};

static bool has(const struct reader *r, uint64_t n) { return (uint64_t)(r->end - r->at) >= n; }

/* n bytes, big-endian; the caller has checked that they exist. */
static uint64_t take(struct reader *r, unsigned n) {
    uint64_t x = 0;
    while (n-- > 0) x = x << 8 | *r->at++;
    return x;
}

static bool add_object(struct reader *r) {
    if (r->object_count == r->object_capacity) {
        uint32_t wanted = r->object_capacity ? 2 * r->object_capacity : IF_SMALL_TABLES(1, 64);
        uint32_t *bigger = realloc(r->objects, wanted * sizeof *bigger);
        if (bigger == NULL) return false;
        r->objects = bigger;
        r->object_capacity = wanted;
    }
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
    row->integer = bytes == 4 ? (int64_t)(int32_t)take(r, 4) : (int64_t)take(r, 8);
    return add_object(r);
}

static bool read_value(struct reader *r) {
    static const uint8_t widths[16] = {1, 2, 4, 8, 1, 2, 4, 4, 4, 1, 4, 0, 0, 0, 1, 0};
    if (!has(r, 1)) return false;
    unsigned code = *r->at++;
    if (code >= PREFIX_BLOCK) return read_block(r, code & 15, code >> 4 & 7);
    if (code >= PREFIX_INT) return read_int(r, code & 63);
    if (code >= PREFIX_STRING) return read_bytes(r, CONSTANT_STRING, code & 31, 1);
    if (code == CODE_CUSTOM_FIXED) return read_custom(r);
    if (code == CODE_DOUBLE) return read_double(r);
    if (code >= 16 || widths[code] == 0 || !has(r, widths[code])) return false;
    uint64_t x = take(r, widths[code]);
    switch (code) {
    case CODE_INT8: return read_int(r, (int8_t)x);
    case CODE_INT16: return read_int(r, (int16_t)x);
    case CODE_INT32: return read_int(r, (int32_t)x);
    case CODE_INT64: return read_int(r, (int64_t)x);
    case CODE_BLOCK32: return read_block(r, x & 0xff, x >> 10);
    case CODE_STRING8:
    case CODE_STRING32: return read_bytes(r, CONSTANT_STRING, x, 1);
    case CODE_DOUBLES8:
    case CODE_DOUBLES32: return read_bytes(r, CONSTANT_DOUBLES, x, 8);
    default: return read_shared(r, x); /* the three widths of a reference */
    }
}

/* Whether writing the rows gives these very bytes again. */
static bool is_spelling(const struct vm_constants *constants, const uint8_t *bytes, size_t n) {
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
    if (n < HEADER_BYTES) return false;
    struct reader r = {.at = bytes + HEADER_BYTES, .end = bytes + n, .out = out, .pending = 1};
    bool ok = true;
    while (ok && r.pending > 0) {
        r.pending--;
        ok = read_value(&r);
    }
    free(r.objects);
    if (ok) {
        vm_constants_link(out);
        ok = is_spelling(out, bytes, n);
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

/* The low n bytes of x, big-endian. */
static void put(struct writer *w, uint64_t x, unsigned n) {
    while (n-- > 0) putc_unlocked((int)(x >> 8 * n & 0xff), w->out);
}

static void put_int(struct writer *w, int64_t n) {
    if (n >= 0 && n < 0x40) {
        put(w, PREFIX_INT + (uint64_t)n, 1);
    } else if (n == (int8_t)n) {
        put(w, CODE_INT8, 1);
        put(w, (uint64_t)n, 1);
    } else if (n == (int16_t)n) {
        put(w, CODE_INT16, 1);
        put(w, (uint64_t)n, 2);
    } else if (n >= -(1 << 30) && n < 1 << 30) {
        put(w, CODE_INT32, 1);
        put(w, (uint64_t)n, 4);
    } else {
        put(w, CODE_INT64, 1);
        put(w, (uint64_t)n, 8);
    }
}

static void put_block(struct writer *w, const struct vm_constant *row) {
    if (row->tag < 16 && row->size < 8) {
        put(w, PREFIX_BLOCK + row->tag + (uint64_t)row->size * 16, 1);
    } else {
        put(w, CODE_BLOCK32, 1);
        put(w, (uint64_t)row->size << 10 | row->tag, 4);
    }
    if (row->size == 0) return;
    w->words_32 += 1 + (uint64_t)row->size;
    w->words_64 += 1 + (uint64_t)row->size;
}

static void put_string(struct writer *w, const struct vm_constant *row) {
    if (row->size < 32) {
        put(w, PREFIX_STRING + row->size, 1);
    } else {
        bool small = row->size < 256;
        put(w, small ? CODE_STRING8 : CODE_STRING32, 1);
        put(w, row->size, small ? 1 : 4);
    }
    fwrite(row->bytes, 1, row->size, w->out);
    w->words_32 += 1 + ((uint64_t)row->size + 4) / 4;
    w->words_64 += 1 + ((uint64_t)row->size + 8) / 8;
}

static void put_doubles(struct writer *w, const struct vm_constant *row) {
    bool small = row->size < 256;
    put(w, small ? CODE_DOUBLES8 : CODE_DOUBLES32, 1);
    put(w, row->size, small ? 1 : 4);
    fwrite(row->bytes, 8, row->size, w->out);
    w->words_32 += 1 + 2 * (uint64_t)row->size;
    w->words_64 += 1 + (uint64_t)row->size;
}

static void put_custom(struct writer *w, const struct vm_constant *row) {
    bool narrow = row->integer == (int32_t)row->integer;
    put(w, CODE_CUSTOM_FIXED, 1);
    put(w, '_', 1);
    put(w, row->kind == CONSTANT_INT32 ? 'i' : row->kind == CONSTANT_INT64 ? 'j' : 'n', 1);
    put(w, 0, 1);
    if (row->kind == CONSTANT_NATIVE) put(w, narrow ? 1 : 2, 1);
    if (row->kind == CONSTANT_INT32 || (row->kind == CONSTANT_NATIVE && narrow))
        put(w, (uint64_t)row->integer, 4);
    else put(w, (uint64_t)row->integer, 8);
    w->words_32 += row->kind == CONSTANT_INT64 ? 4 : 3;
    w->words_64 += 3;
}

static void put_shared(struct writer *w, const struct vm_constant *row) {
    uint64_t distance = w->objects - w->numbers[row->target];
    unsigned width = distance < 0x100 ? 1 : distance < 0x10000 ? 2 : 4;
    put(w, width == 1 ? CODE_SHARED8 : width == 2 ? CODE_SHARED16 : CODE_SHARED32, 1);
    put(w, distance, width);
}

static void put_row(struct writer *w, const struct vm_constant *row, uint32_t i) {
    if (is_object(row)) w->numbers[i] = (uint32_t)w->objects;
    switch (row->kind) {
    case CONSTANT_INT: put_int(w, row->integer); break;
    case CONSTANT_BLOCK: put_block(w, row); break;
    case CONSTANT_STRING: put_string(w, row); break;
    case CONSTANT_DOUBLES: put_doubles(w, row); break;
    case CONSTANT_SHARED: put_shared(w, row); break;
    case CONSTANT_DOUBLE:
        put(w, CODE_DOUBLE, 1);
        put(w, __builtin_bswap64(row->bits), 8);
        w->words_32 += 3;
        w->words_64 += 2;
        break;
    default: put_custom(w, row); break;
    }
    if (is_object(row)) w->objects++;
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
        put(&w, 0x8495A6BE, 4);
        put(&w, data_bytes, 4);
        put(&w, w.objects, 4);
        put(&w, w.words_32, 4);
        put(&w, w.words_64, 4);
        fwrite(data, 1, data_bytes, out);
    }
    free(data);
    free(w.numbers);
    return ok;
}
