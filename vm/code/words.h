/* words.h - the words of a fragment, a byte each.
 *
 *     bytes        | op | n | op | WIDE | op | ...            a word, or WIDE: it is in wide
 *     wide         | word | word | LONG | low | high | ...    the others in order: a half word, or
 *                                                             LONG and two
 *     wide_before  | 0 | n | ...                              halves before each group of 32
 *
 * In compiled code 94 % of the words are below 255, and 92 % of the others fit 16 signed bits. The
 * loop runs decoded code; these words are read when a function is first called, and for messages,
 * frames and backtraces. */
#ifndef BACTRIAN_VM_CODE_WORDS_H
#define BACTRIAN_VM_CODE_WORDS_H

#include "gc/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORD_WIDE = 255, WORD_GROUP = 32, HALF_LONG = -0x8000 };

struct vm_words {
    uint8_t *bytes;
    int16_t *wide;
    uint32_t *wide_before;
    uint32_t count;
    uint32_t added;      /* so far; count once they are complete */
    uint32_t wide_count; /* halves */
    size_t wide_capacity;
};

/* Makes them from a fragment's words. GC: never.  Fails: false when out of memory; *out is empty
 * then. */
bool vm_words_make(struct vm_words *out, const uint32_t *words, uint32_t count);
/* The same incrementally: vm_words_start makes room for count words, vm_words_add adds the next n,
 * which are whole groups except at the end. */
bool vm_words_start(struct vm_words *out, uint32_t count);
bool vm_words_add(struct vm_words *words, const uint32_t *next, uint32_t n);
void vm_words_free(struct vm_words *words);

/* The word at pc, which is WIDE. */
uint32_t vm_wide_word(const struct vm_words *words, uint32_t pc);
/* The word at pc. Needs: pc < count. GC: never.  Fails: never. */
static inline uint32_t vm_word(const struct vm_words *words, uint32_t pc) {
    ASSERT(pc < words->count);
    uint8_t byte = words->bytes[pc];
    return byte != WORD_WIDE ? byte : vm_wide_word(words, pc);
}
/* Words of the instruction that starts at pc. GC: never.  Fails: never. */
uint32_t vm_width_at(const struct vm_words *words, uint32_t pc);
/* Writes the words of a group to out; returns their number. Needs: group * WORD_GROUP < count. */
uint32_t vm_words_of_group(const struct vm_words *words, uint32_t group, uint32_t *out);

#endif
