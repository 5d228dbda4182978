/* packed.c - see packed.h.
 *
 *     group:  | rest of an instruction | opcode | operand | ... | KNOWN height opcode | ...
 *
 * An opcode is its byte. The height before it is what the instruction before it makes of its own
 * height by its row in opcodes.def; where it is another one, or where there is none in the group
 * yet, KNOWN and the height's code stand in front. An operand is a byte if it is small; otherwise
 * the first byte says how many follow. */
#include "vm/code/packed.h"

#include "vm/base/os.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify.h"

#include <stdlib.h>
#include <string.h>

enum {
    KNOWN = 255, /* no opcode */
    /* First bytes of operands: below SHORT_ONES the operand itself. */
    SHORT_ONES = 224,      /* with a byte: 12 bits, from SHORT_ONES up */
    SHORT_NEGATIVES = 240, /* with a byte: 11 bits, from -1 down */
    TWO_BYTES = 248,       /* these follow */
    TWO_NEGATIVE = 249,    /* ... complemented */
    FOUR_BYTES = 250,
    LONGEST = 5,       /* bytes of an operand; a height and an opcode are 3 */
    TOLD_WORDS = 8192, /* between two calls of done */
    MANY_GROUPS = 32,
};
#define NO_HEIGHT UINT32_MAX

/* How the height behind an instruction differs; NO_HEIGHT / 2 where that varies, so that the sum is
 * no height's code. */
static const uint32_t deltas[OPCODE_COUNT] = {
#define VARIES                                    (NO_HEIGHT / 2)
#define OP(name, operands, delta, flags, meaning) [OP_##name] = (uint32_t)(delta),
#include "vm/code/opcodes.def"
#undef OP
#undef VARIES
};

static uint8_t *put_long(uint8_t *to, uint32_t word) {
    uint32_t negative = ~word;
    if (word - SHORT_ONES < 0x1000) {
        *to++ = (uint8_t)(SHORT_ONES | (word - SHORT_ONES) >> 8);
        *to++ = (uint8_t)(word - SHORT_ONES);
    } else if (negative < 0x800) {
        *to++ = (uint8_t)(SHORT_NEGATIVES | negative >> 8);
        *to++ = (uint8_t)negative;
    } else if (word <= UINT16_MAX || negative <= UINT16_MAX) {
        *to++ = word <= UINT16_MAX ? TWO_BYTES : TWO_NEGATIVE;
        uint16_t two = (uint16_t)(word <= UINT16_MAX ? word : negative);
        to = (uint8_t *)memcpy(to, &two, 2) + 2;
    } else {
        *to++ = FOUR_BYTES;
        to = (uint8_t *)memcpy(to, &word, 4) + 4;
    }
    return to;
}

static const uint8_t *get_long(const uint8_t *at, uint32_t *word) {
    uint32_t first = *at++;
    uint16_t two;
    if (first < SHORT_NEGATIVES) *word = SHORT_ONES + ((first - SHORT_ONES) << 8 | *at++);
    else if (first < TWO_BYTES) *word = ~((first - SHORT_NEGATIVES) << 8 | *at++);
    else if (first == FOUR_BYTES) {
        memcpy(word, at, 4);
        at += 4;
    } else {
        memcpy(&two, at, 2);
        *word = first == TWO_BYTES ? two : ~(uint32_t)two;
        at += 2;
    }
    return at;
}

static inline const uint8_t *get_operand(const uint8_t *at, uint32_t *word) {
    if (*at >= SHORT_ONES) return get_long(at, word);
    *word = *at;
    return at + 1;
}

static inline uint8_t *put_operands(uint8_t *to, const uint32_t *words, uint32_t from,
                                    uint32_t end) {
    for (; from < end; from++) {
        uint32_t word = words[from];
        *to = (uint8_t)word;
        to = word < SHORT_ONES ? to + 1 : put_long(to, word);
    }
    return to;
}

/* Packs the words [from, to) of one group; first: its first instruction. */
static uint8_t *pack_group(uint8_t *at, const uint32_t *words, const uint8_t *heights,
                           uint32_t from, uint32_t first, uint32_t to) {
    uint32_t expected = NO_HEIGHT;
    at = put_operands(at, words, from, first);
    for (uint32_t pc = first; pc < to;) {
        uint32_t height = heights[pc], op = words[pc];
        const uint32_t width = vm_fixed_words[op];
        if (height != expected) {
            *at++ = KNOWN;
            *at++ = (uint8_t)height;
        }
        *at++ = (uint8_t)op;
        expected = height + deltas[op];
        uint32_t next = pc + width;
        if (width == 0)
            for (next = pc + 1; next < to && heights[next] == HEIGHT_NONE;) next++;
        if (next > to) next = to;
        at = put_operands(at, words, pc + 1, next);
        pc = next;
    }
    return at;
}

static bool reserve(struct vm_packed *out, uint32_t count) {
    if (count > UINT32_MAX / LONGEST) return false;
    uint32_t groups = count / PACKED_GROUP + 1;
    size_t needed = (size_t)count * LONGEST + 1;
    out->mapped = needed;
    out->bytes = vm_reserve(&out->mapped, needed);
    out->offsets = malloc(groups * sizeof *out->offsets);
    out->firsts = malloc(groups);
    if (out->bytes != NULL && out->offsets != NULL && out->firsts != NULL) return true;
    vm_packed_free(out);
    return false;
}

bool vm_pack(struct vm_packed *out, const uint32_t *words, const uint8_t *heights, uint32_t count,
             void (*done)(void *context, uint32_t words), void *context) {
    memset(out, 0, sizeof *out);
    if (!reserve(out, count)) return false;
    out->word_count = count;
    uint8_t *at = out->bytes;
    for (uint32_t from = 0; from < count; from += PACKED_GROUP) {
        uint32_t to = count - from < PACKED_GROUP ? count : from + PACKED_GROUP, first = from;
        while (first < to && heights[first] == HEIGHT_NONE) first++;
        out->offsets[from / PACKED_GROUP] = (uint32_t)(at - out->bytes);
        out->firsts[from / PACKED_GROUP] = first < to ? (uint8_t)(first - from) : PACKED_GROUP;
        at = pack_group(at, words, heights, from, first, to);
        if (done != NULL && to % TOLD_WORDS == 0) done(context, to);
    }
    return true;
}

void vm_unpack_group(const struct vm_packed *packed, uint32_t group, uint32_t *words,
                     uint8_t *heights) {
    const uint8_t *at = packed->bytes + packed->offsets[group];
    uint32_t left = packed->word_count - group * PACKED_GROUP;
    uint32_t n = left < PACKED_GROUP ? left : PACKED_GROUP, next = packed->firsts[group];
    uint32_t expected = NO_HEIGHT;
    for (uint32_t i = 0; i < n; i++) {
        heights[i] = HEIGHT_NONE;
        if (i != next) {
            at = get_operand(at, &words[i]);
            continue;
        }
        if (*at == KNOWN) {
            expected = at[1];
            at += 2;
        }
        uint32_t op = *at++;
        words[i] = op;
        heights[i] = (uint8_t)expected;
        expected += deltas[op];
        next = i + vm_fixed_words[op];
        if (next == i && i + 1 < n) {
            at = get_operand(at, &words[i + 1]);
            heights[i + 1] = HEIGHT_NONE;
            next = i + (uint32_t)vm_varying_words(op, words[i + 1]);
            i++;
        }
    }
}

uint32_t vm_packed_word(const struct vm_packed *packed, uint32_t pc) {
    uint32_t words[PACKED_GROUP];
    uint8_t heights[PACKED_GROUP];
    vm_unpack_group(packed, pc / PACKED_GROUP, words, heights);
    return words[pc % PACKED_GROUP];
}

struct vm_packed_look vm_packed_look(const struct vm_packed *packed, uint32_t pc) {
    uint32_t words[PACKED_GROUP], at = pc % PACKED_GROUP;
    uint8_t heights[PACKED_GROUP];
    vm_unpack_group(packed, pc / PACKED_GROUP, words, heights);
    struct vm_packed_look look = {.word = words[at], .height = heights[at]};
    if (look.height == HEIGHT_NONE) return look;
    look.width = vm_fixed_words[look.word];
    if (look.width == 0)
        look.width = (uint32_t)vm_varying_words(look.word, vm_packed_word(packed, pc + 1));
    return look;
}

void vm_packed_free(struct vm_packed *packed) {
    if (packed->bytes != NULL) vm_release(packed->bytes, packed->mapped);
    free(packed->offsets);
    free(packed->firsts);
    memset(packed, 0, sizeof *packed);
}

/* ---- Words at their places. ---- */

static size_t bitmap_bytes(const struct vm_packed *packed) {
    return ((size_t)packed->word_count / PACKED_GROUP / 64 + 1) * sizeof(uint64_t);
}

bool vm_unpacked_create(struct vm_unpacked *out, const struct vm_packed *packed) {
    /* A group is written whole. */
    size_t words = (size_t)packed->word_count + PACKED_GROUP;
    memset(out, 0, sizeof *out);
    out->words_mapped = words * sizeof *out->words;
    out->heights_mapped = words;
    out->words = vm_reserve(&out->words_mapped, out->words_mapped);
    out->heights = vm_reserve(&out->heights_mapped, out->heights_mapped);
    out->there = calloc(1, bitmap_bytes(packed));
    if (out->words != NULL && out->heights != NULL && out->there != NULL) return true;
    vm_unpacked_free(out);
    return false;
}

void vm_unpacked_add(struct vm_unpacked *u, const struct vm_packed *packed, uint32_t from,
                     uint32_t to) {
    for (uint32_t group = from / PACKED_GROUP; group <= to / PACKED_GROUP; group++) {
        if (u->there[group / 64] >> group % 64 & 1) continue;
        uint32_t at = group * PACKED_GROUP;
        vm_unpack_group(packed, group, u->words + at, u->heights + at);
        u->there[group / 64] |= (uint64_t)1 << group % 64;
        u->groups++;
    }
}

void vm_unpacked_settle(struct vm_unpacked *u, const struct vm_packed *packed) {
    if (u->groups < MANY_GROUPS) return;
    vm_discard(u->words, u->words_mapped);
    vm_discard(u->heights, u->heights_mapped);
    memset(u->there, 0, bitmap_bytes(packed));
    u->groups = 0;
}

void vm_unpacked_free(struct vm_unpacked *u) {
    if (u->words != NULL) vm_release(u->words, u->words_mapped);
    if (u->heights != NULL) vm_release(u->heights, u->heights_mapped);
    free(u->there);
    memset(u, 0, sizeof *u);
}
