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

/* The same of shares: a part of 5 to 95 % of wholes of 20 to 5,000 hits. */
static double coverage_of_shares(double rate, uint64_t seed) {
    uint64_t state = seed;
    size_t good = 0, all = 0;
    for (size_t run = 0; run < RUNS; run++)
        for (size_t i = 0; i < SITES; i++) {
            const struct report_scale scale = {.rate = rate, .word_bytes = 8};
            double words = 20 * pow(1.65, i) / rate, share = 0.05 + 0.9 * uniform(&state);
            uint64_t of_part = (uint64_t)(words * share), of_rest = (uint64_t)words - of_part;
            struct report_sum part = {.hits = draw(of_part, rate, &state)};
            struct report_sum whole = {.hits = part.hits + draw(of_rest, rate, &state)};
            struct report_estimate e = report_estimate_share(&scale, &part, &whole);
            double truth = (double)of_part / (of_part + of_rest);
            good += truth >= e.low && truth <= e.high;
            all++;
        }
    return (double)good / all;
}

/* Of a recording of which every other site was thinned: a hit of these stands for 16. */
static double coverage_of_thinned(double rate, uint64_t seed) {
    enum { WEIGHT = 16 };
    uint64_t words[SITES], state = seed, total = 0;
    size_t good = 0;
    for (size_t i = 0; i < SITES; i++)
        total += words[i] = (uint64_t)(0.7 * WEIGHT * pow(1.9, i + 1) / rate);
    for (size_t run = 0; run < RUNS; run++) {
        struct report_scale scale = {
            .rate = rate, .exact_words = total, .word_bytes = 8, .weight = WEIGHT};
        struct report_sum sums[SITES] = {{0}};
        for (size_t i = 0; i < SITES; i++) {
            const uint64_t weight = i % 2 == 0 ? 1 : WEIGHT;
            sums[i].hits = weight * draw(words[i], rate / (double)weight, &state);
            sums[i].excess = (double)(sums[i].hits * (weight - 1));
            scale.total_hits += (double)sums[i].hits;
            scale.total_excess += sums[i].excess;
        }
        for (size_t i = 0; i < SITES; i++) {
            struct report_estimate e = report_estimate_words(&scale, &sums[i]);
            good += words[i] >= e.low && words[i] <= e.high;
        }
    }
    return (double)good / (RUNS * SITES);
}

static int judge(const char *what, double rate, double share) {
    bool good = share >= 0.94 && share <= 0.96;
    printf("rate %g, %s: %.2f %% of the intervals hold the truth%s\n", rate, what, 100 * share,
           good ? "" : ": FAILED");
    return !good;
}

int main(void) {
    int failed = 0;
    const double rates[] = {1e-4, 1e-2, 0.2};
    for (size_t i = 0; i < 3; i++)
        failed += judge("no total", rates[i], coverage(false, rates[i], 7 + i)) +
                  judge("exact total", rates[i], coverage(true, rates[i], 7 + i)) +
                  judge("shares", rates[i], coverage_of_shares(rates[i], 7 + i));
    failed += judge("thinned", rates[1], coverage_of_thinned(rates[1], 7));
    return failed > 0;
}
