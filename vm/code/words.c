/* words.c - see words.h. */
#include "vm/code/words.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/code/opcodes.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static uint32_t words_in_group(uint32_t count, uint32_t group) {
    uint32_t left = count - group * WORD_GROUP;
    return left < WORD_GROUP ? left : WORD_GROUP;
}

/* Packs a group's words into bytes; wide ones become WIDE. */
static void narrow(uint8_t *bytes, const uint32_t *words) {
#ifdef __SSE2__
    const __m128i low = _mm_set1_epi16(WORD_WIDE), least = _mm_set1_epi32(INT32_MIN);
    const __m128i most = _mm_set1_epi32(INT32_MIN + WORD_WIDE - 1);
    for (int i = 0; i < WORD_GROUP; i += 16) {
        __m128i x[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            x[k] = _mm_loadu_si128((const __m128i *)(words + i + 4 * k));
            /* Less the least number, unsigned ones are ordered as signed ones. */
            x[k] = _mm_or_si128(x[k], _mm_cmpgt_epi32(_mm_sub_epi32(x[k], least), most));
        }
        __m128i first = _mm_and_si128(_mm_packs_epi32(x[0], x[1]), low);
        __m128i second = _mm_and_si128(_mm_packs_epi32(x[2], x[3]), low);
        _mm_storeu_si128((__m128i *)(bytes + i), _mm_packus_epi16(first, second));
    }
#else
    for (int i = 0; i < WORD_GROUP; i++)
        bytes[i] = words[i] < WORD_WIDE ? (uint8_t)words[i] : WORD_WIDE;
#endif
}

/* A bit for each byte of a group that is WIDE. */
static uint32_t wide_among(const uint8_t *bytes) {
    uint32_t wide = 0;
#ifdef __SSE2__
    for (int i = 0; i < WORD_GROUP; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(bytes + i));
        x = _mm_cmpeq_epi8(x, _mm_set1_epi8((char)WORD_WIDE));
        wide |= (uint32_t)_mm_movemask_epi8(x) << i;
    }
#else
    for (int i = 0; i < WORD_GROUP; i++) wide |= (uint32_t)(bytes[i] == WORD_WIDE) << i;
#endif
    return wide;
}

/* Writes a wide word at p: a half, or LONG and two. Returns where the next one goes. */
static int16_t *put_wide(int16_t *p, uint32_t word) {
    int16_t low = (int16_t)word;
    if ((uint32_t)low == word && low != HALF_LONG) {
        *p++ = low;
    } else {
        *p++ = HALF_LONG;
        *p++ = low;
        *p++ = (int16_t)(word >> 16);
    }
    return p;
}
static uint32_t wide_at(const int16_t *p) {
    return *p != HALF_LONG ? (uint32_t)*p : (uint16_t)p[1] | (uint32_t)(uint16_t)p[2] << 16;
}
static const int16_t *next_wide(const int16_t *p) { return p + (*p != HALF_LONG ? 1 : 3); }

enum { MOST_HALVES = 3 * WORD_GROUP /* of a group */ };

/* Writes a group's words as bytes, and appends its wide ones. Bytes after the last word are 0. */
static void narrow_group(struct vm_words *w, uint32_t group, const uint32_t *words) {
    uint8_t *bytes = w->bytes + group * WORD_GROUP;
    int16_t *used = w->wide + w->wide_count, *end = used;
    w->wide_before[group] = w->wide_count;
    narrow(bytes, words);
    for (uint32_t rest = wide_among(bytes); rest != 0; rest &= rest - 1)
        end = put_wide(end, words[__builtin_ctz(rest)]);
    w->wide_count += (uint32_t)(end - used);
    ASSERT(w->wide_count <= w->wide_capacity);
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

/* Makes room for the wide words of a group. False: out of memory, all is freed. */
static __attribute__((noinline)) bool widen(struct vm_words *w) {
    bool ok = vector_widen((void **)&w->wide, &w->wide_capacity, w->wide_count + MOST_HALVES,
                           MOST_HALVES + IF_SMALL_TABLES(0, w->count / 12), sizeof *w->wide, NULL);
    if (!ok) vm_words_free(w);
    return ok;
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
        if (w->wide_capacity - w->wide_count < MOST_HALVES && !widen(w)) return false;
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
    uint32_t group = pc / WORD_GROUP;
    const int16_t *wide = words->wide + words->wide_before[group];
    uint32_t before = ((uint32_t)1 << pc % WORD_GROUP) - 1;
    for (before &= wide_among(words->bytes + group * WORD_GROUP); before != 0; before &= before - 1)
        wide = next_wide(wide);
    return wide_at(wide);
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
    uint32_t n = words_in_group(words->count, group);
    const int16_t *wide = words->wide + words->wide_before[group];
    for (uint32_t i = 0; i < n; i++) {
        uint8_t byte = words->bytes[group * WORD_GROUP + i];
        out[i] = byte;
        if (byte != WORD_WIDE) continue;
        out[i] = wide_at(wide);
        wide = next_wide(wide);
    }
    return n;
}
