/* random.c - see random.h. */
#include "memprof/sampling/random.h"

#include "gc/assert.h"
#include "memprof/format/splitmix64.h"

#include <assert.h>
#include <math.h>

/* Of MP_LAYERS layers: where the tail begins, and the area of each. */
static_assert(MP_LAYERS == 256, "the constants are those of 256 layers");
static const double TAIL = 7.69711747013104972, AREA = 0.0039496598225815571993;

void mp_exponential_create(struct mp_exponential *table) {
    table->edge[0] = AREA / exp(-TAIL);
    table->edge[1] = TAIL;
    for (int i = 2; i < MP_LAYERS; i++) {
        double below = table->edge[i - 1];
        table->edge[i] = -log(AREA / below + exp(-below));
    }
    table->edge[MP_LAYERS] = 0;
}

double mp_exponential_edge(const struct mp_exponential *table, uint64_t *state, unsigned layer,
                           double x) {
    ASSERT(layer < MP_LAYERS && x >= 0 && x <= table->edge[layer]);
    /* The tail has the shape of the whole curve. */
    if (layer == 0) return TAIL - log(mp_uniform(state));
    double low = exp(-table->edge[layer]), high = exp(-table->edge[layer + 1]);
    if (low + (high - low) * mp_uniform(state) < exp(-x)) return x;
    return mp_exponential(table, state);
}

uint64_t mp_random_seed(uint64_t seed) { return mp_splitmix64(&seed); }
