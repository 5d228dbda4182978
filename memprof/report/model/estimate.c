/* estimate.c - estimates of what was allocated, with their confidence intervals.
 *
 * If the exact total is known, a set's share of all hits is a binomial proportion: Wilson's
 * interval times the total. Otherwise hits are a Poisson count with its score interval, the limit
 * of Wilson's. */
#include "memprof/report/model/estimate.h"

#include "gc/assert.h"

#include <math.h>

static const double Z = 1.959963984540054; /* of 95 % */

enum { MANY = 30 }; /* samples from which the normal approximation is good enough */

void report_sum_add(struct report_sum *sum, const struct report_sample *sample, double rate) {
    ASSERT(rate > 0 && rate <= 1 && sample->hits >= 1 && sample->weight >= 1); /* PM3 */
    const double excess = (double)sample->hits * (sample->weight - 1);
    if (sample->weight > 1) rate /= sample->weight; /* of the hits that were kept */
    double p = rate < 1 ? -expm1(report_sample_words(sample) * log1p(-rate)) : 1;
    if (!(p > 0)) p = rate;
    sum->samples++;
    sum->hits += sample->hits;
    sum->excess += excess;
    if (sample->source == REPORT_FIBER) {
        sum->fiber_hits += sample->hits;
        sum->fiber_excess += excess;
    }
    sum->blocks += 1 / p;
    sum->blocks_variance += (1 - p) / (p * p);
}

void report_sum_merge(struct report_sum *sum, const struct report_sum *other) {
    sum->samples += other->samples;
    sum->hits += other->hits;
    sum->excess += other->excess;
    sum->fiber_hits += other->fiber_hits;
    sum->fiber_excess += other->fiber_excess;
    sum->blocks += other->blocks;
    sum->blocks_variance += other->blocks_variance;
}

struct report_scale report_scale_of(const struct report_model *model) {
    struct report_scale scale = {
        .rate = model->rate, .word_bytes = model->word_bytes, .weight = model->weight};
    scale.total_hits = report_model_all_hits(model);
    scale.total_excess = report_model_all_excess(model);
    /* At a rate of 1 the hits are exact. */
    if (scale.total_hits > 0 && !model->truncated && (model->rate < 1 || model->weight > 1))
        scale.exact_words = report_model_exact_words(model);
    return scale;
}

/* Hits, as struct report_sum has them. */
struct count {
    double hits, excess;
};

/* How many hits of weight 1 have the same relative variance. */
static double effective(struct count c) {
    return c.excess == 0 ? c.hits : c.hits * c.hits / (c.hits + c.excess);
}

/* The share of the trials that was sampled: the rate, if no hit was left out. */
static double sampled_share(struct count c, double rate) {
    return c.excess == 0 ? rate : rate * c.hits / (c.hits + c.excess);
}

/* The score interval of the mean of a Poisson count. For few hits its coverage is nearer to 95 %
 * than that of exact bounds, which are too wide. A high rate narrows it: little was left out. */
static struct report_estimate count_bounds(double n, double rate) {
    double narrow = sqrt(1 - rate), half = Z * sqrt(n + Z * Z / 4);
    struct report_estimate e = {n, n, n};
    ASSERT(n >= 0 && rate >= 0 && rate <= 1);
    if (narrow == 0) return e;
    e.low = n > 0 ? n - (half - Z * Z / 2) * narrow : 0;
    e.high = n + (half + Z * Z / 2) * narrow;
    ASSERT(e.low <= n && n <= e.high);
    return e;
}

/* Wilson's interval. */
struct report_estimate report_estimate_trials(double n, double total) {
    struct report_estimate e = {0, 0, 1};
    if (!(total > 0)) return e;
    ASSERT(n >= 0);
    double p = n / total, zz = Z * Z;
    double middle = (p + zz / (2 * total)) / (1 + zz / total);
    double half = Z / (1 + zz / total) * sqrt(p * (1 - p) / total + zz / (4 * total * total));
    e.value = p;
    e.low = n <= 0 ? 0 : fmax(0, middle - half);
    e.high = n >= total ? 1 : fmin(1, middle + half);
    return e;
}

/* The relative variances of a part's hits, and of its share of all hits. */
static double variance_of_count(struct count part) { return 1 / effective(part); }

static double variance_of_share(struct count part, struct count all) {
    const double p = part.hits / all.hits;
    const double rest = fmax(0, all.hits + all.excess - part.hits - part.excess);
    return (1 - p) * (1 - p) * variance_of_count(part) + rest / (all.hits * all.hits);
}

/* As many trials as give the variance of the proportion of a part. */
static double trials_of(struct count part, struct count all) {
    const double p = part.hits / all.hits;
    if (all.excess == 0) return all.hits;
    if (!(p > 0 && p < 1)) return effective(all);
    return (1 - p) / (p * variance_of_share(part, all));
}

/* Of words that are hits of all hits, drawn without replacement: a high rate narrows it. */
static struct report_estimate proportion(struct count part, struct count all, double rate) {
    const double trials = trials_of(part, all);
    const double n = trials == all.hits ? part.hits : part.hits / all.hits * trials;
    struct report_estimate e = report_estimate_trials(n, trials);
    double narrow = sqrt(1 - sampled_share(all, rate));
    ASSERT(e.low <= e.value && e.value <= e.high);
    e.low = e.value - (e.value - e.low) * narrow;
    e.high = e.value + (e.high - e.value) * narrow;
    return e;
}

static struct report_estimate times(struct report_estimate e, double factor) {
    ASSERT(factor >= 0);
    return (struct report_estimate){e.value * factor, e.low * factor, e.high * factor};
}

/* Words by their hits, without an exact total. */
static struct report_estimate words_of_hits(const struct report_scale *scale, struct count c) {
    const double weight = scale->weight > 1 ? scale->weight : 1;
    if (c.hits == 0) return times(count_bounds(0, scale->rate / weight), weight / scale->rate);
    const double n = effective(c);
    return times(count_bounds(n, sampled_share(c, scale->rate)), c.hits / n / scale->rate);
}

/* Words that were allocated, by their hits. */
static struct report_estimate allocated_words(const struct report_scale *scale, struct count c) {
    const struct count all = {scale->total_hits, scale->total_excess};
    if (scale->exact_words > 0 && c.hits >= scale->total_hits)
        return (struct report_estimate){scale->exact_words, scale->exact_words, scale->exact_words};
    /* The others may have been thinned so much that the exact total says less than the rate. */
    bool by_rate = scale->exact_words == 0 ||
                   (c.hits > 0 && variance_of_share(c, all) > variance_of_count(c));
    return by_rate ? words_of_hits(scale, c)
                   : times(proportion(c, all, scale->rate), scale->exact_words);
}

/* The sum of independent estimates: distances to the bounds add up as standard errors do. */
static struct report_estimate plus(struct report_estimate a, struct report_estimate b) {
    double value = a.value + b.value;
    return (struct report_estimate){value, value - hypot(a.value - a.low, b.value - b.low),
                                    value + hypot(a.high - a.value, b.high - b.value)};
}

struct report_estimate report_estimate_minus(struct report_estimate a, struct report_estimate b) {
    double value = a.value - b.value;
    return (struct report_estimate){value, value - hypot(a.value - a.low, b.high - b.value),
                                    value + hypot(a.high - a.value, b.value - b.low)};
}

/* Suspended fibers have no exact total. */
struct report_estimate report_estimate_words(const struct report_scale *scale,
                                             const struct report_sum *sum) {
    ASSERT(sum->fiber_hits <= sum->hits);
    const struct count fibers = {(double)sum->fiber_hits, sum->fiber_excess};
    const struct count allocated = {(double)(sum->hits - sum->fiber_hits),
                                    sum->excess - sum->fiber_excess};
    if (sum->fiber_hits == 0) return allocated_words(scale, allocated);
    struct report_estimate e = words_of_hits(scale, fibers);
    return allocated.hits == 0 ? e : plus(allocated_words(scale, allocated), e);
}

struct report_estimate report_estimate_bytes(const struct report_scale *scale,
                                             const struct report_sum *sum) {
    return times(report_estimate_words(scale, sum), scale->word_bytes);
}

struct report_estimate report_estimate_blocks(const struct report_scale *scale,
                                              const struct report_sum *sum) {
    double correction = scale->exact_words > 0
                            ? scale->exact_words * scale->rate / scale->total_hits
                            : 1;
    struct report_estimate e = {sum->blocks, sum->blocks, sum->blocks};
    if (sum->samples == 0) {
        e.high = times(count_bounds(0, scale->rate), 1 / scale->rate).high;
    } else if (sum->blocks_variance > 0 && sum->samples < MANY) {
        struct report_estimate n = count_bounds(sum->samples, 0);
        /* The interval of the number of samples, scaled to the estimate's standard error. */
        double width = sqrt(sum->blocks_variance / sum->samples);
        e.low = fmax(sum->samples, sum->blocks - (n.value - n.low) * width);
        e.high = sum->blocks + (n.high - n.value) * width;
    } else {
        e.low = fmax(sum->samples, sum->blocks - Z * sqrt(sum->blocks_variance));
        e.high = sum->blocks + Z * sqrt(sum->blocks_variance);
    }
    return times(e, correction);
}

struct report_estimate report_estimate_samples(const struct report_scale *scale,
                                               const struct report_sum *sum) {
    return (struct report_estimate){sum->samples, sum->samples, sum->samples};
}

long long report_round(struct report_rounder *rounder, report_weigher *weigh,
                       const struct report_scale *scale, const struct report_sum *part) {
    if (part->samples == 0) return 0;
    report_sum_merge(&rounder->so_far, part);
    long long before = rounder->given;
    ASSERT(part->hits >= part->samples);
    rounder->given = llround(weigh(scale, &rounder->so_far).value);
    return rounder->given - before;
}

struct report_estimate report_estimate_share(const struct report_scale *scale,
                                             const struct report_sum *part,
                                             const struct report_sum *whole) {
    ASSERT(part->hits <= whole->hits);
    return proportion((struct count){part->hits, part->excess},
                      (struct count){whole->hits, whole->excess}, scale->rate);
}

struct report_estimate report_estimate_survival(const struct report_scale *scale, double alive,
                                                double greenwood, double at_risk) {
    if (scale->total_excess > 0) {
        const double thinner = 1 + scale->total_excess / scale->total_hits;
        greenwood *= thinner;
        at_risk /= thinner;
    }
    /* As many trials as would give this variance; none has died yet: those that were there. */
    double trials = greenwood > 0 ? (1 - alive) / (alive * greenwood) : at_risk;
    if (!(alive > 0)) trials = at_risk;
    return proportion((struct count){alive * trials, 0}, (struct count){trials, 0}, scale->rate);
}

double report_p_value(double z) { return erfc(fabs(z) / sqrt(2)); }
