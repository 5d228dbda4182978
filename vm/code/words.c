/* words.c - see words.h. */
#include "vm/code/words.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/code/opcodes.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static uint32_t words_in_group(uint32_t count, uint32_t group) {
    uint32_t left = count - group * WORD_GROUP;
    return left < WORD_GROUP ? left : WORD_GROUP;
}

/* Bit 8 * i + 7 is set where byte i of the 8 is WIDE. */
static uint64_t wide_among(const uint8_t *bytes) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    x = le64toh(~x);
    return ~(((x & low) + low) | x | low);
}

typedef uint32_t four_words __attribute__((vector_size(16)));
typedef uint16_t eight_halves __attribute__((vector_size(16)));
typedef uint8_t sixteen_bytes __attribute__((vector_size(16)));

/* 16 words as bytes, the wide ones as WIDE. */
static void narrow(uint8_t *bytes, const uint32_t *words) {
    enum { LOW = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ }; /* the part with the lower bits */
#define LOWER(type, a, b, ...) __builtin_shufflevector((type)(a), (type)(b), __VA_ARGS__)
#define LOWER_HALVES(a, b) \
    LOWER(eight_halves, a, b, LOW, 2 + LOW, 4 + LOW, 6 + LOW, 8 + LOW, 10 + LOW, 12 + LOW, 14 + LOW)
    four_words x[4];
    memcpy(x, words, sizeof x);
    /* A comparison that holds is a word of ones. */
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) x[i] |= (four_words)(x[i] >= WORD_WIDE);
    eight_halves first = LOWER_HALVES(x[0], x[1]), second = LOWER_HALVES(x[2], x[3]);
    sixteen_bytes y = LOWER(sixteen_bytes, first, second, LOW, 2 + LOW, 4 + LOW, 6 + LOW, 8 + LOW,
                            10 + LOW, 12 + LOW, 14 + LOW, 16 + LOW, 18 + LOW, 20 + LOW, 22 + LOW,
                            24 + LOW, 26 + LOW, 28 + LOW, 30 + LOW);
    memcpy(bytes, &y, sizeof y);
}

/* A group's words as bytes, and its wide ones after those of the groups before. Bytes after the
 * last word are 0. */
static void narrow_group(struct vm_words *w, uint32_t group, const uint32_t *words) {
    uint8_t *bytes = w->bytes + group * WORD_GROUP;
    uint32_t used = w->wide_before[group] = w->wide_count;
    for (int i = 0; i < WORD_GROUP; i += 16) narrow(bytes + i, words + i);
    for (int i = 0; i < WORD_GROUP; i += 8)
        for (uint64_t rest = wide_among(bytes + i); rest != 0; rest &= rest - 1)
            w->wide[used++] = words[i + __builtin_ctzll(rest) / 8];
    w->wide_count = used;
    ASSERT(used <= w->wide_capacity);
}

bool vm_words_start(struct vm_words *out, uint32_t count) {
    uint32_t groups = count / WORD_GROUP + 1;
    *out = (struct vm_words){.count = count};
    out->bytes = malloc((size_t)groups * WORD_GROUP);
    out->wide_before = malloc(groups * sizeof *out->wide_before);
    if (out->bytes != NULL && out->wide_before != NULL) return true;
    vm_words_free(out);
    return false;
}

bool vm_words_add(struct vm_words *w, const uint32_t *next, uint32_t n) {
    ASSERT(w->added % WORD_GROUP == 0 && n <= w->count - w->added);
    for (uint32_t i = 0; i < n; i += WORD_GROUP) {
        uint32_t rest[WORD_GROUP], group = (w->added + i) / WORD_GROUP;
        uint32_t in_group = words_in_group(w->count, group);
        const uint32_t *from = next + i;
        ASSERT(in_group <= n - i);
        if (in_group < WORD_GROUP) {
            memset(rest, 0, sizeof rest);
            from = memcpy(rest, from, in_group * sizeof *rest);
        }
        if (!vector_widen((void **)&w->wide, &w->wide_capacity, w->wide_count + WORD_GROUP,
                          IF_SMALL_TABLES(WORD_GROUP, 1024), sizeof *w->wide, NULL)) {
            vm_words_free(w);
            return false;
        }
        narrow_group(w, group, from);
    }
    w->added += n;
    return true;
}

bool vm_words_make(struct vm_words *out, const uint32_t *words, uint32_t count) {
    return vm_words_start(out, count) && vm_words_add(out, words, count);
}

void vm_words_free(struct vm_words *words) {
    free(words->bytes);
    free(words->wide);
    free(words->wide_before);
    memset(words, 0, sizeof *words);
}

uint32_t vm_wide_word(const struct vm_words *words, uint32_t pc) {
    ASSERT(words->bytes[pc] == WORD_WIDE);
    uint32_t i = pc / WORD_GROUP * WORD_GROUP;
    uint64_t counts = 0; /* a byte for each word of the eights: at most 8 in it */
    for (; i + 8 <= pc; i += 8) counts += wide_among(words->bytes + i) >> 7;
    counts += (wide_among(words->bytes + i) & (((uint64_t)1 << 8 * (pc - i)) - 1)) >> 7;
    return words->wide[words->wide_before[pc / WORD_GROUP] + (counts * 0x0101010101010101 >> 56)];
}

uint32_t vm_width_at(const struct vm_words *words, uint32_t pc) {
    ASSERT(pc < words->count);
    uint32_t op = vm_word(words, pc);
    ASSERT(op < OPCODE_COUNT);
    uint32_t width = vm_fixed_words[op];
    if (width == 0) width = (uint32_t)vm_varying_words(op, vm_word(words, pc + 1));
    ASSERT(width <= words->count - pc);
    return width;
}

uint32_t vm_words_of_group(const struct vm_words *words, uint32_t group, uint32_t *out) {
    ASSERT(group * WORD_GROUP < words->count);
    uint32_t n = words_in_group(words->count, group), at = words->wide_before[group];
    for (uint32_t i = 0; i < n; i++) {
        uint8_t byte = words->bytes[group * WORD_GROUP + i];
        out[i] = byte != WORD_WIDE ? byte : words->wide[at++];
    }
    return n;
}
