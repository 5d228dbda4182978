/* slowing.c - whether the growth of a group slows down (GW3).
 *
 *   growth, for the words that are allocated
 *     |  x
 *     |     x  x               a line through the growth between markings, each of a weight that
 *     |           x   x        the allocated words give it; its error is that of the scatter
 *     |             x    x
 *     +--------------------> allocated words */
#include "gc/assert.h"
#include "memprof/report/advice/growth.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PIECES = 24, LEAST_PIECES = 10 };
static const double SLOWER_SHARE = 0.75; /* of the growth at the beginning, at the end */
static const double ERRORS = 2.5;        /* standard errors by which the line falls */

static double words_of(const struct report_counter *c) {
    return c->minor_words + c->major_words - c->promoted_words + c->external_words;
}

double report_words_until(const struct report_model *m, int64_t time) {
    size_t low = 0, high = m->counters.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->counters.at[middle].time <= time) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return 0;
    const struct report_counter *before = &m->counters.at[low - 1], *after = before + 1;
    if (low == m->counters.count) return words_of(before);
    double share = (double)(time - before->time) / (double)(after->time - before->time);
    return words_of(before) + share * (words_of(after) - words_of(before));
}

/* Moments at which markings began, at about equal distances of allocated words. */
struct pieces {
    int64_t at[MOST_PIECES + 1];
    double words[MOST_PIECES + 1];
    size_t count; /* of pieces, between them */
};

static struct pieces choose_pieces(const struct report_growths *g) {
    const struct report_model *m = g->grouping.query->model;
    struct pieces p = {.at = {g->at[0]}, .words = {report_words_until(m, g->at[0])}};
    const double least = (report_words_until(m, g->at[REPORT_STEPS]) - p.words[0]) / MOST_PIECES;
    report_each(marking, &m->markings) {
        const double words = report_words_until(m, marking->began);
        if (marking->began > g->at[REPORT_STEPS] || p.count == MOST_PIECES) break;
        if (words < p.words[p.count] + least || least <= 0) continue;
        p.at[++p.count] = marking->began;
        p.words[p.count] = words;
    }
    return p;
}

/* The index of the first moment that is not before a time. */
static size_t moment_from(const struct pieces *p, int64_t time) {
    size_t i = 0;
    while (i <= p->count && p->at[i] < time) i++;
    return i;
}

/* changes[i]: hits that are live from moment i on, less those that are no longer. */
static bool falls(const struct pieces *p, const double *changes) {
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, scatter = 0;
    const double all = p->words[p->count] - p->words[0];
    for (size_t i = 1; i <= p->count; i++) {
        const double weight = p->words[i] - p->words[i - 1];
        const double x = ((p->words[i] + p->words[i - 1]) / 2 - p->words[0]) / all;
        const double y = changes[i] / weight;
        w += weight, wx += weight * x, wy += weight * y;
        wxx += weight * x * x, wxy += weight * x * y;
    }
    const double spread = wxx - wx * wx / w, slope = (wxy - wx * wy / w) / spread;
    const double start = (wy - slope * wx) / w;
    for (size_t i = 1; i <= p->count; i++) {
        const double weight = p->words[i] - p->words[i - 1];
        const double x = ((p->words[i] + p->words[i - 1]) / 2 - p->words[0]) / all;
        const double off = changes[i] / weight - start - slope * x;
        scatter += weight * off * off;
    }
    const double error = sqrt(scatter / (double)(p->count - 2) / spread);
    return start > 0 && start + slope < SLOWER_SHARE * start && slope < -ERRORS * error;
}

static void add_sample(const struct pieces *p, const struct report_sample *s, int64_t until,
                       double *changes) {
    const size_t from = moment_from(p, s->born);
    const size_t to = until == REPORT_NEVER ? p->count + 1 : moment_from(p, until + 1);
    if (from >= to) return;
    changes[from] += s->hits;
    if (to <= p->count) changes[to] -= s->hits;
}

void report_growths_find_slowing(struct report_growths *g) {
    const struct report_query *query = g->grouping.query;
    double(*changes)[MOST_PIECES + 1] = report_alloc((g->grouping.count + 1) * sizeof *changes);
    const struct pieces p = choose_pieces(g);
    bool any = false;
    for (size_t i = 0; p.count >= LEAST_PIECES && i < g->grouping.count; i++)
        any |= g->groups[i].verdict == REPORT_LEAKS;
    for (struct report_sample s = {0}; any && report_query_next(query, &s); s.number++) {
        const size_t group = report_grouping_of(&g->grouping, &s);
        if (g->groups[group].verdict == REPORT_LEAKS)
            add_sample(&p, &s, report_live_until(query, &s), changes[group]);
    }
    for (size_t i = 0; any && i < g->grouping.count; i++)
        if (g->groups[i].verdict == REPORT_LEAKS && falls(&p, changes[i]))
            g->groups[i].verdict = REPORT_GROWS;
    free(changes);
}
