/* words.c - see words.h. */
#include "vm/code/words.h"

#include "gc/assert.h"
#include "gc/small_tables.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify.h"

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

/* Bit i is set where byte i of the 8 is the height of an instruction: below 254. */
static uint64_t starts_of(const uint8_t *heights) {
    const uint64_t every = 0x0101010101010101;
    uint64_t x;
    memcpy(&x, heights, sizeof x);
    /* The upper bits of the bytes that are at least 254, gathered in the highest byte. */
    uint64_t none = x & ((x & 0x7f * every) + 2 * every) & 0x80 * every;
    return ~((none >> 7) * 0x0102040810204080 >> 56) & 0xff;
}
_Static_assert(HEIGHT_FAR == 253, "starts_of tests for that");

/* Overwrites the heights of a group with its words' bytes; gives how many are wide so far. */
static uint32_t narrow_group(struct vm_words *w, uint32_t group, const uint32_t *words,
                             uint32_t used) {
    uint8_t *bytes = w->bytes + group * WORD_GROUP;
    uint32_t n = words_in_group(w->count, group);
    uint64_t starts = 0;
    words += group * WORD_GROUP;
    if (n == WORD_GROUP)
        for (uint32_t i = 0; i < WORD_GROUP; i += 8) starts |= starts_of(bytes + i) << i;
    else
        for (uint32_t i = 0; i < n; i++) starts |= (uint64_t)(bytes[i] <= HEIGHT_FAR) << i;
    for (uint32_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)words[i];
        if (words[i] < WORD_WIDE) continue;
        bytes[i] = WORD_WIDE;
        w->wide[used++] = words[i];
    }
    w->starts[group] = starts;
    return used;
}

bool vm_words_make(struct vm_words *out, const uint32_t *words, uint32_t count, uint8_t **heights) {
    uint32_t groups = count / WORD_GROUP + 1, used = 0, capacity = 0;
    *out = (struct vm_words){.bytes = *heights, .count = count};
    *heights = NULL;
    out->starts = malloc(groups * sizeof *out->starts);
    out->wide_before = malloc(groups * sizeof *out->wide_before);
    bool ok = out->starts != NULL && out->wide_before != NULL;
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
    uint32_t at = words->wide_before[pc / WORD_GROUP];
    for (uint32_t i = pc / WORD_GROUP * WORD_GROUP; i < pc; i++) at += words->bytes[i] == WORD_WIDE;
    return words->wide[at];
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
