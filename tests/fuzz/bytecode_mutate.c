/* bytecode_mutate.c - see bytecode_mutate.h. */
#include "tests/fuzz/bytecode_mutate.h"

#include "vm/image/image.h"
#include "vm/code/opcodes.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const mutation_texts[MUTATION_COUNT] = {
#define KIND(name, text) text,
    MUTATIONS(KIND)
#undef KIND
};

/* ---- Chance: splitmix64. ---- */

static uint64_t draw(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
static size_t below(uint64_t *state, size_t n) { return n == 0 ? 0 : draw(state) % n; }

/* A place below n, mostly in the last fifth, where a program's own code follows its
 * libraries'. */
static size_t place(uint64_t *state, size_t n) {
    size_t own = n / 5 + 1;
    return below(state, 4) == 0 || own >= n ? below(state, n) : n - own + below(state, own);
}

/* ---- Instructions. ---- */

static uint32_t get_word(const uint8_t *code, size_t i) {
    uint32_t word;
    memcpy(&word, code + 4 * i, 4);
    return le32toh(word);
}
static void put_word(uint8_t *code, size_t i, uint32_t word) {
    word = htole32(word);
    memcpy(code + 4 * i, &word, 4);
}

int mutable_image_open(const uint8_t *bytes, size_t length, struct mutable_image *out) {
    struct vm_image image;
    struct vm_error error;
    memset(out, 0, sizeof *out);
    if (vm_image_from_memory(bytes, length, &image, &error) != VM_OK) return -1;
    const struct vm_section *code = vm_image_section(&image, "CODE");
    const struct vm_section *data = vm_image_section(&image, "DATA");
    out->bytes = bytes;
    out->length = length;
    out->code = (size_t)(code->bytes - bytes);
    out->code_bytes = code->length;
    out->data = (size_t)(data->bytes - bytes);
    out->data_bytes = data->length;
    size_t row = image.section_count - (size_t)(code - image.sections);
    out->code_entry = length - 16 - 8 * row + 4;
    out->starts = malloc(image.code_words * sizeof *out->starts);
    uint32_t step = 1;
    for (uint32_t at = 0; out->starts != NULL && at < image.code_words && step != 0; at += step) {
        out->starts[out->start_count++] = at;
        uint32_t left = image.code_words - at, sizes = left > 1 ? image.code[at + 1] : 0;
        step = vm_instruction_words(image.code[at], sizes, left);
    }
    vm_image_close(&image);
    return out->starts != NULL && step != 0 ? 0 : -1;
}

void mutable_image_close(struct mutable_image *image) { free(image->starts); }

/* Where the labels of the instruction at `at` stand: the first, which they are relative to, and how
 * many. */
struct labels {
    size_t first, count;
};

static struct labels labels_of(const uint8_t *code, size_t at) {
    uint32_t op = get_word(code, at), width = vm_fixed_words[op];
    if (width == 0) width = (uint32_t)vm_varying_words(op, get_word(code, at + 1));
    uint32_t before = vm_words_before_labels(op, width);
    return (struct labels){at + before, width - before};
}

static size_t moved(size_t target, size_t at, ptrdiff_t by) {
    return target > at ? target + (size_t)by : target;
}

/* Writes the labels of all instructions but the `skipped`-th for code whose words after `at` move.
 * code is still as it was; the labels are changed where they stand in it. */
static void move_labels(const struct mutable_image *image, uint8_t *code, size_t at, ptrdiff_t by) {
    for (uint32_t i = 0; i < image->start_count; i++) {
        struct labels l = labels_of(code, image->starts[i]);
        for (size_t k = l.first; k < l.first + l.count; k++) {
            size_t target = l.first + (size_t)(int32_t)get_word(code, k);
            put_word(code, k, (uint32_t)(moved(target, at, by) - moved(l.first, at, by)));
        }
    }
}

static size_t words_of(const struct mutable_image *image, size_t i) {
    size_t end = i + 1 < image->start_count ? image->starts[i + 1] : image->code_bytes / 4;
    return end - image->starts[i];
}

/* ---- The kinds. ---- */

static void flip(uint8_t *bytes, size_t i, unsigned bit) { bytes[i] ^= (uint8_t)(1u << bit); }

static void change_operand(const struct mutable_image *image, uint8_t *code, uint64_t *state) {
    size_t i = place(state, image->start_count), words = words_of(image, i);
    for (int tries = 0; words < 2 && tries < 100; tries++)
        words = words_of(image, i = place(state, image->start_count));
    if (words < 2) return;
    size_t at = image->starts[i] + 1 + below(state, words - 1);
    static const int32_t steps[] = {1, -1, 2, -2, 3, -3, 16, -16};
    uint32_t old = get_word(code, at);
    switch (below(state, 6)) {
    case 0: put_word(code, at, 0); return;
    case 1: put_word(code, at, UINT32_MAX >> below(state, 2)); return;
    case 2: put_word(code, at, (uint32_t)draw(state)); return;
    case 3: put_word(code, at, get_word(code, place(state, image->code_bytes / 4))); return;
    default: put_word(code, at, old + (uint32_t)steps[below(state, 8)]); return;
    }
}

static void change_opcode(const struct mutable_image *image, uint8_t *code, uint64_t *state) {
    size_t at = image->starts[place(state, image->start_count)];
    const char *shape = vm_opcodes[get_word(code, at)].operands;
    bool exactly = below(state, 2) == 0; /* or only as long */
    for (int tries = 0; tries < 1000; tries++) {
        uint32_t op = (uint32_t)below(state, OPCODE_COUNT_4X);
        const char *other = vm_opcodes[op].operands;
        if (op == get_word(code, at) || strlen(other) != strlen(shape)) continue;
        bool variable = other[0] == 'W' || other[0] == 'R' || shape[0] == 'W' || shape[0] == 'R';
        if ((exactly || variable) && strcmp(other, shape) != 0) continue;
        put_word(code, at, op);
        return;
    }
}

static void swap_words(const struct mutable_image *image, uint8_t *code, uint64_t *state) {
    size_t i = place(state, image->code_bytes / 4 - 1), j = i + 1;
    if (below(state, 2) == 0) j = place(state, image->code_bytes / 4);
    uint32_t a = get_word(code, i), b = get_word(code, j);
    put_word(code, i, b);
    if (below(state, 3) != 0) put_word(code, j, a);
}

/* Drops an instruction, or puts a copy of one without labels before another. bytes has room. */
static void drop_or_copy(const struct mutable_image *image, uint8_t *bytes, size_t *length,
                         uint64_t *state) {
    uint8_t *code = bytes + image->code;
    uint32_t inserted[16];
    size_t i = place(state, image->start_count), at = image->starts[i], room = 0, gone = 0;
    if (below(state, 2) == 0) gone = words_of(image, i);
    else {
        size_t j = place(state, image->start_count);
        room = words_of(image, j);
        if (room > 16 || labels_of(code, image->starts[j]).count != 0) return;
        for (size_t k = 0; k < room; k++) inserted[k] = get_word(code, image->starts[j] + k);
    }
    move_labels(image, code, at, (ptrdiff_t)room - (ptrdiff_t)gone);
    uint8_t *from = code + 4 * (at + gone), *to = code + 4 * (at + room);
    memmove(to, from, *length - (size_t)(from - bytes));
    for (size_t k = 0; k < room; k++) put_word(code, at + k, inserted[k]);
    *length += 4 * room - 4 * gone;
    uint32_t code_bytes = htobe32((uint32_t)(image->code_bytes + 4 * room - 4 * gone));
    memcpy(bytes + image->code_entry + 4 * room - 4 * gone, &code_bytes, 4);
}

static void change_data(const struct mutable_image *image, uint8_t *bytes, uint64_t *state) {
    uint8_t *data = bytes + image->data;
    for (size_t n = 1 + below(state, 3); n > 0; n--) {
        size_t i = below(state, image->data_bytes);
        switch (below(state, 4)) {
        case 0: flip(data, i, (unsigned)below(state, 8)); break;
        case 1: data[i] = (uint8_t)below(state, 0x20); break; /* the reader's codes */
        case 2: data[i] = data[below(state, image->data_bytes)]; break;
        default: data[i] = (uint8_t)draw(state); break;
        }
    }
}

uint8_t *mutate_image(const struct mutable_image *image, enum mutation kind, uint64_t seed,
                      size_t *length) {
    uint64_t state = seed * MUTATION_COUNT + kind;
    uint8_t *bytes = malloc(image->length + 64);
    if (bytes == NULL) return NULL;
    memcpy(bytes, image->bytes, image->length);
    *length = image->length;
    uint8_t *code = bytes + image->code;
    switch (kind) {
    case MUTATION_CODE_BIT: flip(code, place(&state, image->code_bytes), draw(&state) % 8); break;
    case MUTATION_CODE_BYTE: code[place(&state, image->code_bytes)] = (uint8_t)draw(&state); break;
    case MUTATION_OPERAND: change_operand(image, code, &state); break;
    case MUTATION_OPCODE: change_opcode(image, code, &state); break;
    case MUTATION_ORDER:
        if (below(&state, 3) == 0) swap_words(image, code, &state);
        else drop_or_copy(image, bytes, length, &state);
        break;
    case MUTATION_EIGHT_BITS:
        for (int i = 0; i < 8; i++) flip(code, place(&state, image->code_bytes), draw(&state) % 8);
        break;
    case MUTATION_DATA: change_data(image, bytes, &state); break;
    case MUTATION_ANYWHERE: flip(bytes, below(&state, *length), draw(&state) % 8); break;
    default: *length = below(&state, *length); break;
    }
    return bytes;
}
