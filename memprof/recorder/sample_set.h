/* sample_set.h - sets of samples, by their numbers. */
#ifndef BACTRIAN_MEMPROF_RECORDER_SAMPLE_SET_H
#define BACTRIAN_MEMPROF_RECORDER_SAMPLE_SET_H

#include "gc/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Starts as all zeroes; freed with mp_set_free. */
struct mp_sample_set {
    uint64_t *bits;
    uint32_t *before; /* members in lower words, of the first `filled` words */
    size_t words, filled;
    uint32_t count; /* of members that were appended */
};

enum { MP_SET_BITS = 64 };
#define MP_NOT_IN_SET UINT32_MAX

/* Frees its memory: it is empty. */
static inline void mp_set_free(struct mp_sample_set *s) {
    free(s->bits);
    free(s->before);
    *s = (struct mp_sample_set){.words = 0};
}

/* Whether a number is a member. */
static inline bool mp_set_has(const struct mp_sample_set *s, uint64_t number) {
    return number / MP_SET_BITS < s->words &&
           (s->bits[number / MP_SET_BITS] >> number % MP_SET_BITS & 1) != 0;
}

/* Adds a member. False: out of memory. */
static inline bool mp_set_add(struct mp_sample_set *s, uint64_t number) {
    const size_t word = number / MP_SET_BITS;
    if (word >= s->words) {
        const size_t words = (word < 32 ? 32 : word) * 2;
        uint64_t *bits = realloc(s->bits, words * sizeof *bits);
        if (bits != NULL) s->bits = bits;
        uint32_t *before = realloc(s->before, words * sizeof *before);
        if (before != NULL) s->before = before;
        if (bits == NULL || before == NULL) return false;
        memset(bits + s->words, 0, (words - s->words) * sizeof *bits);
        s->words = words;
    }
    s->bits[word] |= (uint64_t)1 << number % MP_SET_BITS;
    return true;
}

/* Adds a member that is greater than all others: it is the last one. False: out of memory. */
static inline bool mp_set_append(struct mp_sample_set *s, uint64_t number) {
    if (!mp_set_add(s, number)) return false;
    while (s->filled <= number / MP_SET_BITS) s->before[s->filled++] = s->count;
    s->count++;
    return true;
}

/* How many members are smaller than this one; MP_NOT_IN_SET: it is not one. Needs: all were
 * appended. */
static inline uint32_t mp_set_rank(const struct mp_sample_set *s, uint64_t number) {
    const size_t word = number / MP_SET_BITS;
    if (!mp_set_has(s, number)) return MP_NOT_IN_SET;
    ASSERT(word < s->filled);
    const uint64_t below = s->bits[word] & (((uint64_t)1 << number % MP_SET_BITS) - 1);
    return s->before[word] + (uint32_t)__builtin_popcountll(below);
}

#endif
