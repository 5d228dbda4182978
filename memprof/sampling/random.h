/* random.h - random numbers for the sampler: uniform bits, and exponential variables by the
 * ziggurat method of Marsaglia and Tsang (2000), which takes a multiplication and a comparison.
 *
 * The region below exp(-x) is cut into LAYERS pieces of one area. All but the lowest are lying
 * bars between two heights: bar i reaches from 0 to edge[i], of which [0, edge[i + 1]) lies wholly
 * below the curve. The lowest one is a bar up to edge[1] and the curve's tail behind it; edge[0] is
 * as wide as a bar of its height and the common area would be. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_RANDOM_H
#define BACTRIAN_MEMPROF_SAMPLING_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

enum { MP_LAYERS = 256 };

struct mp_exponential {
    double edge[MP_LAYERS + 1]; /* descends to 0 */
};

/* Fills the table. */
void mp_exponential_create(struct mp_exponential *table);

/* 64 uniform bits: a counter, multiplied with itself in disguise and folded (Wang Yi's wyrand). */
static inline uint64_t mp_random(uint64_t *state) {
    *state += 0xa0761d6478bd642fu;
    unsigned __int128 product = (unsigned __int128)*state * (*state ^ 0xe7037ed1a0b428dbu);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}
/* A state to begin with; different seeds give far apart parts of the sequence. */
uint64_t mp_random_seed(uint64_t seed);

/* Uniform in (0, 1). */
static inline double mp_uniform(uint64_t *state) {
    return ((double)(int64_t)(mp_random(state) >> 11) + 0.5) * 0x1p-53;
}

/* A point that fell outside of what is surely below the curve. */
double mp_exponential_edge(const struct mp_exponential *table, uint64_t *state, unsigned layer,
                           double x);

/* A point of a random bar, for an exponential variable of mean 1. Whether it is surely below the
 * curve; if not, mp_exponential_edge decides. */
static inline bool mp_exponential_point(const struct mp_exponential *table, uint64_t *state,
                                        unsigned *layer, double *x) {
    uint64_t bits = mp_random(state);
    *layer = bits % MP_LAYERS;
    *x = (double)(int64_t)(bits >> 11) * 0x1p-53 * table->edge[*layer];
    return __builtin_expect(*x < table->edge[*layer + 1], 1);
}
/* An exponential variable of mean 1. */
static inline double mp_exponential(const struct mp_exponential *table, uint64_t *state) {
    unsigned layer;
    double x;
    if (mp_exponential_point(table, state, &layer, &x)) return x;
    return mp_exponential_edge(table, state, layer, x);
}

#endif
