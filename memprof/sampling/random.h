/* random.h - random numbers for the sampler: uniform bits, and exponential variables by the
 * ziggurat method of Marsaglia and Tsang (2000), which usually takes a multiplication and a
 * comparison.
 *
 * The region below exp(-x) is cut into MP_LAYERS layers of equal area. Each but the lowest is a
 * horizontal bar: bar i spans [0, edge[i]), of which [0, edge[i + 1]) lies wholly below the curve.
 * The lowest is a bar up to edge[1] and the curve's tail beyond it; edge[0] is the width that a bar
 * of its height and the common area would have. */
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

/* 64 uniform bits (Wang Yi's wyrand): a counter, multiplied by a masked copy and folded. */
static inline uint64_t mp_random(uint64_t *state) {
    *state += 0xa0761d6478bd642fu;
    unsigned __int128 product = (unsigned __int128)*state * (*state ^ 0xe7037ed1a0b428dbu);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}
/* An initial state; different seeds give distant parts of the sequence. */
uint64_t mp_random_seed(uint64_t seed);

/* Uniform in (0, 1). */
static inline double mp_uniform(uint64_t *state) {
    return ((double)(int64_t)(mp_random(state) >> 11) + 0.5) * 0x1p-53;
}

/* The rest of mp_exponential for a point that may lie above the curve. */
double mp_exponential_edge(const struct mp_exponential *table, uint64_t *state, unsigned layer,
                           double x);

/* A point of a random bar, for an exponential variable of mean 1. Returns whether it is certainly
 * below the curve; if not, mp_exponential_edge decides. */
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
