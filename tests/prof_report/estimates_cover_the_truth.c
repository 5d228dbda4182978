/* The 95 % interval of an estimate holds the true figure in 94 to 96 % of many seeded runs, for
 * sites of very different size, with the exact total and without. */
#include "memprof/report/model/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 2000, SITES = 12 };

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((*state >> 11) + 1.0) / 9007199254740993.0;
}

/* How many of n words are hit: geometric distances between hits. */
static uint64_t draw(uint64_t n, double rate, uint64_t *state) {
    uint64_t hits = 0;
    double at = 0;
    for (;;) {
        at += floor(log(uniform(state)) / log1p(-rate)) + 1;
        if (at > n) return hits;
        hits++;
    }
}

/* The share of intervals that hold the truth, over all sites and runs. */
static double coverage(bool exact, double rate, uint64_t seed) {
    uint64_t words[SITES], state = seed, total = 0;
    size_t good = 0;
    for (size_t i = 0; i < SITES; i++) total += words[i] = (uint64_t)(0.7 * pow(1.9, i + 1) / rate);
    for (size_t run = 0; run < RUNS; run++) {
        struct report_scale scale = {
            .rate = rate, .exact_words = exact ? total : 0, .word_bytes = 8};
        struct report_sum sums[SITES] = {{0}};
        for (size_t i = 0; i < SITES; i++) {
            sums[i].hits = draw(words[i], rate, &state);
            scale.total_hits += sums[i].hits;
        }
        for (size_t i = 0; i < SITES; i++) {
            struct report_estimate e = report_estimate_words(&scale, &sums[i]);
            good += words[i] >= e.low && words[i] <= e.high;
        }
    }
    return (double)good / (RUNS * SITES);
}

int main(void) {
    int failed = 0;
    const double rates[] = {1e-4, 1e-2, 0.2};
    for (size_t i = 0; i < 3; i++)
        for (int exact = 0; exact < 2; exact++) {
            double share = coverage(exact, rates[i], 7 + i);
            bool good = share >= 0.94 && share <= 0.96;
            printf("rate %g, %s total: %.2f %% of the intervals hold the truth%s\n", rates[i],
                   exact ? "exact" : "no", 100 * share, good ? "" : ": FAILED");
            failed += !good;
        }
    return failed > 0;
}
