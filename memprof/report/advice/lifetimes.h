/* lifetimes.h - the distribution of lifetimes of which only bounds are known.
 *
 *     born            known to live       known to be dead
 *     |-------------------|--------- ? ---------|------->     age, in allocated words
 *
 * A collection that finds a block dead, or keeps it, bounds its lifetime. The distribution that
 * makes all these bounds most likely (Turnbull 1976) follows by iteration: each block's lifetime is
 * spread over its bounds as the last distribution says, and the sum is the next one.
 *
 * LT1  The share that lives never rises with the age, and is between its bounds. */
#ifndef BACTRIAN_MEMPROF_REPORT_ADVICE_LIFETIMES_H
#define BACTRIAN_MEMPROF_REPORT_ADVICE_LIFETIMES_H

#include <stddef.h>

enum { REPORT_AGES = 232 }; /* 0, and from 128 words on eight for each doubling */

/* Of each age, the share that lives longer. */
typedef double report_curve[REPORT_AGES];

/* Starts as all zeroes. */
struct report_lifetimes {
    /* Hits whose lifetime is between two of the ages; the last one is for no upper bound. */
    double hits[REPORT_AGES][REPORT_AGES + 1];
    double total;
};

/* An age, in words. */
double report_age(size_t number);
/* Adds hits of a block that has lived for `from` words, and not for `to`; INFINITY: unknown. */
void report_lifetimes_add(struct report_lifetimes *lifetimes, double from, double to, double hits);
/* The most likely curve, and its bounds: blocks die as early, and as late, as is possible. Needs:
 * something was added. Keeps: LT1. */
void report_lifetimes_fit(const struct report_lifetimes *lifetimes, report_curve likely,
                          report_curve least, report_curve most);
/* The mean of a curve over the ages from 0 to `words`. */
double report_curve_mean(const report_curve curve, double words);

#endif
