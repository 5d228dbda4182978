/* splitmix64.h - random numbers for what thins samples: a recording in bounded memory, and the
 * page. The generator is splitmix64 (Vigna). */
#ifndef BACTRIAN_MEMPROF_FORMAT_SPLITMIX64_H
#define BACTRIAN_MEMPROF_FORMAT_SPLITMIX64_H

#include <stdint.h>

/* 64 uniform bits. */
static inline uint64_t mp_splitmix64(uint64_t *state) {
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* How many of n are kept, each with that probability. */
static inline uint64_t mp_kept(uint64_t n, double probability, uint64_t *state) {
    uint64_t kept = 0;
    if (probability >= 1) return n;
    for (uint64_t i = 0; i < n; i++)
        kept += (double)(int64_t)(mp_splitmix64(state) >> 11) * 0x1p-53 < probability;
    return kept;
}

#endif
