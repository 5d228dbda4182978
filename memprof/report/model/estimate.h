/* estimate.h - estimates of what was allocated, with their confidence intervals.
 *
 * Every allocated word is sampled (a hit) with the same probability, the rate, independently of the
 * others. Hits are therefore counts of independent trials, whatever the sizes of the blocks.
 *
 * A hit of a thinned recording stands for `weight` hits, its own among them. Sums of weighted hits
 * have the expectation of what was recorded, and a greater variance: relative to their size that of
 * hits * hits / (hits + excess) hits, Kish's effective size. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_ESTIMATE_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_ESTIMATE_H

#include "memprof/report/model/model.h"

/* Sums over a set of samples. Starts as all zeroes. */
struct report_sum {
    uint64_t samples, hits;
    uint64_t fiber_hits;         /* of them, those of suspended fibers, which were not allocated */
    double excess, fiber_excess; /* hits times (their weight - 1), summed */
    double blocks, blocks_variance; /* estimated number of blocks */
};

/* A value with its 95 % confidence interval; low == value == high if it is exact. */
struct report_estimate {
    double value, low, high;
};

/* How to scale hits: by the rate or, if the exact total is known, so that all hits yield it. */
struct report_scale {
    double rate;
    double total_hits, exact_words; /* of the whole run; exact_words 0: unknown */
    double total_excess;            /* as in struct report_sum */
    uint32_t weight;                /* the largest of all hits; 0: 1 */
    int word_bytes;
};

/* Adds a sample. Needs: 0 < rate <= 1, at least one hit. */
void report_sum_add(struct report_sum *sum, const struct report_sample *sample, double rate);
/* Adds another set. */
void report_sum_merge(struct report_sum *sum, const struct report_sum *other);

/* The scale for a profile. */
struct report_scale report_scale_of(const struct report_model *model);
/* Estimates what a set stands for. */
typedef struct report_estimate report_weigher(const struct report_scale *scale,
                                              const struct report_sum *sum);
/* Words, headers included; the same in bytes; blocks; samples, whose number is exact. */
report_weigher report_estimate_words, report_estimate_bytes;
report_weigher report_estimate_blocks, report_estimate_samples;

/* The difference of two independent estimates. */
struct report_estimate report_estimate_minus(struct report_estimate a, struct report_estimate b);

/* Rounds the parts of a total one by one: each number differs from its estimate by less than one,
 * and their sum is the rounded estimate of the parts so far. Starts as all zeroes. */
struct report_rounder {
    struct report_sum so_far;
    long long given;
};
/* The number of the next part. */
long long report_round(struct report_rounder *rounder, report_weigher *weigh,
                       const struct report_scale *scale, const struct report_sum *part);

/* The share of a part in the whole that contains it, 0 to 1, by words. */
struct report_estimate report_estimate_share(const struct report_scale *scale,
                                             const struct report_sum *part,
                                             const struct report_sum *whole);
/* The interval of a proportion: n of `trials` independent ones. */
struct report_estimate report_estimate_trials(double n, double trials);
/* The share `alive` of words that survive an age, by Kaplan and Meier. greenwood: the sum of
 * d / (n (n - d)) over all ages so far, where d of n hits died; at_risk: hits observed. */
struct report_estimate report_estimate_survival(const struct report_scale *scale, double alive,
                                                double greenwood, double at_risk);
/* The two-sided probability that a difference of z standard errors is due to chance. */
double report_p_value(double z);

#endif
