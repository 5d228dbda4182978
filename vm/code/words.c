/* words.c - see words.h. */
#include "vm/code/words.h"

#include "gc/assert.h"
#include "gc/small_tables.h"
#include "vm/code/opcodes.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static uint32_t words_in_group(uint32_t count, uint32_t group) {
    uint32_t left = count - group * WORD_GROUP;
    return left < WORD_GROUP ? left : WORD_GROUP;
}

static bool reserve_group(struct vm_words *w, uint32_t used, uint32_t *capacity) {
    if (*capacity - used >= WORD_GROUP) return true;
    uint32_t wanted = *capacity + *capacity / 2 + IF_SMALL_TABLES(WORD_GROUP, 1024);
    uint32_t *wide = realloc(w->wide, wanted * sizeof *wide);
    if (wide == NULL) return false;
    w->wide = wide;
    *capacity = wanted;
    return true;
}

/* Bit 8 * i + 7 is set where byte i of the 8 is WIDE. */
static uint64_t wide_among(const uint8_t *bytes) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    x = le64toh(~x);
    return ~(((x & low) + low) | x | low);
}

static uint32_t wide_count(uint64_t among) {
    return (uint32_t)((among >> 7) * 0x0101010101010101 >> 56);
}

/* A group's words as bytes, the wide ones behind the others; gives how many these are so far. The
 * bytes behind the last word are not WIDE. */
static uint32_t narrow_group(struct vm_words *w, uint32_t group, const uint32_t *words,
                             uint32_t used) {
    uint8_t *bytes = w->bytes + group * WORD_GROUP;
    uint32_t n = words_in_group(w->count, group), copy[WORD_GROUP] = {0};
    words += group * WORD_GROUP;
    if (n < WORD_GROUP) words = memcpy(copy, words, n * sizeof *words);
    for (int i = 0; i < WORD_GROUP; i += 8) {
#pragma GCC unroll 8
        for (int k = i; k < i + 8; k++)
            bytes[k] = (uint8_t)(words[k] < WORD_WIDE ? words[k] : WORD_WIDE);
        for (uint64_t rest = wide_among(bytes + i); rest != 0; rest &= rest - 1)
            w->wide[used++] = words[i + __builtin_ctzll(rest) / 8];
    }
    return used;
}

bool vm_words_make(struct vm_words *out, const uint32_t *words, uint32_t count) {
    uint32_t groups = count / WORD_GROUP + 1, used = 0, capacity = 0;
    *out = (struct vm_words){.count = count};
    out->bytes = malloc((size_t)groups * WORD_GROUP);
    out->starts = calloc(groups, sizeof *out->starts);
    out->wide_before = malloc(groups * sizeof *out->wide_before);
    bool ok = out->bytes != NULL && out->starts != NULL && out->wide_before != NULL;
    for (uint32_t group = 0; ok && group * WORD_GROUP < count; group++) {
        out->wide_before[group] = used;
        ok = reserve_group(out, used, &capacity);
        if (ok) used = narrow_group(out, group, words, used);
    }
    if (!ok) vm_words_free(out);
    return ok;
}

void vm_words_free(struct vm_words *words) {
    free(words->bytes);
    free(words->wide);
    free(words->wide_before);
    free(words->starts);
    memset(words, 0, sizeof *words);
}

uint32_t vm_wide_word(const struct vm_words *words, uint32_t pc) {
    ASSERT(words->bytes[pc] == WORD_WIDE);
    uint32_t i = pc / WORD_GROUP * WORD_GROUP, before = words->wide_before[pc / WORD_GROUP];
    for (; i + 8 <= pc; i += 8) before += wide_count(wide_among(words->bytes + i));
    before += wide_count(wide_among(words->bytes + i) & (((uint64_t)1 << 8 * (pc - i)) - 1));
    return words->wide[before];
}

uint32_t vm_width_at(const struct vm_words *words, uint32_t pc) {
    ASSERT(pc < words->count);
    uint32_t op = vm_word(words, pc), width = vm_fixed_words[op];
    if (width == 0) width = (uint32_t)vm_varying_words(op, vm_word(words, pc + 1));
    ASSERT(width <= words->count - pc);
    return width;
}

uint32_t vm_words_of_group(const struct vm_words *words, uint32_t group, uint32_t *out) {
    uint32_t n = words_in_group(words->count, group), at = words->wide_before[group];
    for (uint32_t i = 0; i < n; i++) {
        uint8_t byte = words->bytes[group * WORD_GROUP + i];
        out[i] = byte != WORD_WIDE ? byte : words->wide[at++];
    }
    return n;
}
