/* growth.h - how the live memory of each group changed between two moments, and which groups leak.
 *
 *     from                                                 to
 *      |------------|------------|------------|----------|    at[0] to at[REPORT_STEPS]: where
 *      before       born since, or gone since                markings began, at equal distances of
 *                                                            allocated words
 *
 * GW1  What is live at `to` was live at `from` and is not gone, or was born since.
 * GW2  A group leaks if it grew beyond chance, by 1 % of what is live or more, in nearly every step
 *      and no slower in the last one; and if nearly none of its early blocks, which were born in
 *      the first half and have lived for a whole step, dies in the last step. A cache that is full
 *      grows no more in the last step; of a queue, or where entries are replaced, early blocks die.
 * GW3  A group that grows so, but ever more slowly, may be a cache that random keys fill, or a leak
 *      that ends: a line through its growth from marking to marking falls by a quarter or more,
 *      beyond chance. */
#ifndef BACTRIAN_MEMPROF_REPORT_ADVICE_GROWTH_H
#define BACTRIAN_MEMPROF_REPORT_ADVICE_GROWTH_H

#include "memprof/report/query/groups.h"

enum { REPORT_STEPS = 4 };

enum report_verdict {
    REPORT_LEAKS,
    REPORT_GROWS,    /* it grows steadily, but slows down */
    REPORT_FILLS,    /* it grew, but no longer, or not steadily */
    REPORT_REPLACES, /* it grew; its early blocks die */
    REPORT_IS_SMALL, /* it grew by less than 1 % of what is live */
    REPORT_SHRINKS,
    REPORT_BY_CHANCE, /* sampling explains the difference */
    REPORT_UNJUDGED,  /* there are too few markings */
    REPORT_VERDICTS
};

/* Of one group of samples. */
struct report_growth {
    struct report_sum before, born, gone;
    double live[REPORT_STEPS + 1]; /* hits that are live at at[i] */
    double young,
        kept; /* hits of the first half, live where the last step begins, and at its end */
    enum report_verdict verdict;
};

struct report_growths {
    struct report_grouping grouping;
    struct report_growth *groups, total;
    uint32_t *order; /* the groups that changed: leaks first, then by certainty and size */
    size_t shown;
    int64_t at[REPORT_STEPS + 1]; /* if !judged only the first and the last are set */
    bool judged;
    /* Hits of the blocks born in a step, and live at the end of that and of the later ones. */
    struct report_sum cohorts[REPORT_STEPS][REPORT_STEPS];
};

/* Sums and judges what lives from one moment to another. from: -1: the moment at which a quarter of
 * all words was allocated; to: REPORT_NEVER: the end of the program. The query selects births, of
 * all times, and outlives the result. Fails: NULL and *error. */
struct report_growths *report_growths_create(const struct report_query *query, int64_t from,
                                             int64_t to, struct report_error *error);
void report_growths_free(struct report_growths *growths);
/* Of the groups that leak, finds those whose growth slows down: REPORT_GROWS. slowing.c. */
void report_growths_find_slowing(struct report_growths *growths);
/* Words allocated until a time, by the exact counters; 0 if there are none. */
double report_words_until(const struct report_model *model, int64_t time);
/* A word for a verdict, and "" for those that say nothing. */
const char *report_verdict_text(enum report_verdict verdict);

#endif
