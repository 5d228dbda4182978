/* lifetimes.c - see lifetimes.h. */
#include "memprof/report/advice/lifetimes.h"

#include "gc/assert.h"
#include "memprof/report/model/base.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_WORDS = 128, PER_DOUBLING = 8, ROUNDS = 300 };

/* The share that begins beyond the last age: where nothing was found dead, nothing dies. */
static const double BEYOND = 0.9;

double report_age(size_t number) {
    return number == 0 ? 0 : FIRST_WORDS * exp2((double)(number - 1) / PER_DOUBLING);
}

/* The number of the nearest age. */
static size_t nearest_age(double words) {
    if (words < FIRST_WORDS) return words > FIRST_WORDS / 2;
    const double number = round(PER_DOUBLING * log2(words / FIRST_WORDS)) + 1;
    return number < REPORT_AGES - 1 ? (size_t)number : REPORT_AGES - 1;
}

void report_lifetimes_add(struct report_lifetimes *l, double from, double to, double hits) {
    const size_t low = nearest_age(from);
    size_t high = isinf(to) ? REPORT_AGES : nearest_age(to);
    if (high <= low) high = low + 1;
    l->hits[low][high] += hits;
    l->total += hits;
}

/* A step of the distribution: lifetimes between an age and the next one, or beyond the last. */
struct step {
    double share, before; /* before: the sum of the earlier shares */
    double change;        /* of the factor by which the share is multiplied, from here on */
};

/* One cell of the table that is not empty. */
struct cell {
    size_t low, high;
    double share;
};

typedef REPORT_VECTOR(struct cell) cells;

static cells list_cells(const struct report_lifetimes *l) {
    cells list = {0};
    for (size_t low = 0; low < REPORT_AGES; low++)
        for (size_t high = low + 1; high <= REPORT_AGES; high++)
            if (l->hits[low][high] > 0)
                report_append(&list, ((struct cell){low, high, l->hits[low][high] / l->total}));
    return list;
}

static void sum_shares(struct step *steps) {
    for (size_t i = 0; i < REPORT_AGES; i++) {
        steps[i + 1].before = steps[i].before + steps[i].share;
        steps[i].change = 0;
    }
    steps[REPORT_AGES].change = 0;
}

/* Spreads each cell over its steps, in proportion to their shares. */
static void improve(struct step *steps, const cells *list) {
    double factor = 0;
    report_each(cell, list) {
        const double sum = steps[cell->high].before - steps[cell->low].before;
        if (!(sum > 0)) continue; /* the cell's share is lost in rounding */
        const double spread = cell->share / sum;
        steps[cell->low].change += spread;
        steps[cell->high].change -= spread;
    }
    for (size_t i = 0; i < REPORT_AGES; i++) {
        factor += steps[i].change;
        steps[i].share *= fmax(factor, 0);
    }
    sum_shares(steps);
}

void report_lifetimes_fit(const struct report_lifetimes *l, report_curve likely, report_curve least,
                          report_curve most) {
    struct step steps[REPORT_AGES + 1] = {{0}};
    cells list = list_cells(l);
    ASSERT(list.count > 0);
    for (size_t i = 0; i < REPORT_AGES; i++) steps[i].share = (1 - BEYOND) / (REPORT_AGES - 1);
    steps[REPORT_AGES - 1].share = BEYOND;
    sum_shares(steps);
    for (int round = 0; round < ROUNDS; round++) improve(steps, &list);
    for (size_t i = 0; i < REPORT_AGES; i++) {
        least[i] = 0;
        most[i] = 1;
        report_each(cell, &list) {
            if (cell->low >= i) least[i] += cell->share;
            if (cell->high <= i) most[i] -= cell->share;
        }
        most[i] = fmax(most[i], least[i]); /* sums are rounded */
        likely[i] = fmin(fmax(1 - steps[i].before, least[i]), most[i]);
    }
    free(list.at);
}

double report_curve_mean(const report_curve curve, double words) {
    double sum = 0;
    if (!(words > 0)) return curve[0];
    for (size_t i = 0; i + 1 < REPORT_AGES && report_age(i) < words; i++) {
        const double from = report_age(i), whole = report_age(i + 1) - from;
        const double part = fmin(whole, words - from), end = part / whole;
        sum += part * (curve[i] + (curve[i + 1] - curve[i]) * end / 2);
    }
    return sum / words;
}
