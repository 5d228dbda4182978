/* growth.c - see growth.h. */
#include "memprof/report/advice/growth.h"

#include "gc/assert.h"
#include "memprof/report/view/changes.h"

#include <math.h>
#include <stdlib.h>

/* GW2. */
static const double SMALLEST_SHARE = 0.01;  /* of what is live */
static const double STEADY_SHARE = 0.25;    /* of the mean growth of a step, in all steps but one */
static const double LAST_STEP_SHARE = 0.5;  /* of the same, in the last step */
static const double SURVIVING_SHARE = 0.9;  /* of early blocks, in the last step */
static const double LAST_STEP_ERRORS = 1.6; /* standard errors by which the last step grows */

/* ---- Moments. ---- */

/* The index of the last marking that began by a time; 0 if none did. */
static size_t marking_by(const struct report_model *m, int64_t time) {
    size_t found = 0;
    for (size_t i = 0; i < m->markings.count && m->markings.at[i].began <= time; i++) found = i;
    return found;
}

/* The marking, among those from first to last, at which the allocated words are nearest to a
 * number. */
static size_t nearest(const double *words, size_t first, size_t last, double wanted) {
    size_t best = first;
    for (size_t i = first; i <= last; i++)
        if (fabs(words[i] - wanted) < fabs(words[best] - wanted)) best = i;
    return best;
}

/* The last marking while the program ran: later there is only the recorder's last collection. */
static size_t last_marking(const struct report_model *m, int64_t to) {
    if (to == REPORT_NEVER && m->origin.finished && m->origin.finished_at > 0)
        to = m->origin.finished_at - 1;
    return marking_by(m, to);
}

/* Chooses markings: at equal distances of allocated words. False: there are too few. */
static bool choose_markings(const struct report_model *m, int64_t from, int64_t to,
                            int64_t at[REPORT_STEPS + 1]) {
    size_t last = last_marking(m, to), first = from < 0 ? 0 : marking_by(m, from);
    double *words = report_alloc((m->markings.count + 1) * sizeof *words);
    for (size_t i = 0; i < m->markings.count; i++)
        words[i] = report_words_until(m, m->markings.at[i].began);
    if (from < 0 && last >= REPORT_STEPS)
        first = nearest(words, 0, last - REPORT_STEPS, words[last] / 4);
    bool enough = last >= first + REPORT_STEPS;
    at[0] = m->markings.at[first].began;
    at[REPORT_STEPS] = m->markings.at[last].began;
    for (size_t k = 1, before = first; enough && k < REPORT_STEPS; k++) {
        double wanted = words[first] + (words[last] - words[first]) * k / REPORT_STEPS;
        before = nearest(words, before + 1, last - (REPORT_STEPS - k), wanted);
        at[k] = m->markings.at[before].began;
    }
    free(words);
    return enough;
}

static int choose_moments(struct report_growths *g, const struct report_query *query, int64_t from,
                          int64_t to, struct report_error *error) {
    const struct report_model *m = query->model;
    if (query->live == REPORT_LIVE_PROVEN) g->judged = choose_markings(m, from, to, g->at);
    if (query->live != REPORT_LIVE_PROVEN || g->at[0] >= g->at[REPORT_STEPS]) {
        g->at[0] = from < 0 ? m->end / 4 : from;
        g->at[REPORT_STEPS] = to == REPORT_NEVER ? m->end : to;
    }
    if (g->at[0] < g->at[REPORT_STEPS]) return 0;
    return report_fail(error, "--from", "give an earlier moment", "nothing comes after it");
}

/* ---- Sums. ---- */

static void add_cohort(struct report_growths *g, const struct report_sample *s, int64_t until) {
    for (int born = 0; born < REPORT_STEPS; born++) {
        if (s->born <= g->at[born] || s->born > g->at[born + 1]) continue;
        for (int k = born; k < REPORT_STEPS; k++)
            if (until >= g->at[k + 1])
                report_sum_add(&g->cohorts[born][k], s, g->grouping.query->model->rate);
    }
}

static void add_sample(struct report_growths *g, struct report_growth *group,
                       const struct report_sample *s, int64_t until) {
    double rate = g->grouping.query->model->rate;
    int64_t half = g->at[REPORT_STEPS / 2], to = g->at[REPORT_STEPS];
    int64_t last_step = g->at[REPORT_STEPS - 1];
    bool before = s->born <= g->at[0] && until >= g->at[0], after = s->born <= to && until >= to;
    if (before) report_sum_add(&group->before, s, rate);
    if (before && !after) report_sum_add(&group->gone, s, rate);
    if (!before && after) report_sum_add(&group->born, s, rate);
    for (int k = 0; g->judged && k <= REPORT_STEPS; k++)
        if (s->born <= g->at[k] && until >= g->at[k]) group->live[k] += s->hits;
    if (!g->judged || s->born <= g->at[0] || s->born > half || until < last_step) return;
    group->young += s->hits;
    if (after) group->kept += s->hits;
}

static void merge(struct report_growth *total, const struct report_growth *group) {
    report_sum_merge(&total->before, &group->before);
    report_sum_merge(&total->born, &group->born);
    report_sum_merge(&total->gone, &group->gone);
    for (int k = 0; k <= REPORT_STEPS; k++) total->live[k] += group->live[k];
    total->young += group->young;
    total->kept += group->kept;
}

/* ---- Verdicts. ---- */

/* The variance of a number of hits. */
static double variance_of(const struct report_growth *g, double hits, double rate) {
    const double thinner = g->born.hits > 0 ? 1 + g->born.excess / (double)g->born.hits : 1;
    return fmax(1, fabs(hits)) * (1 - rate) * thinner;
}

/* Whether it grows in nearly every step, and still in the last one (GW2). */
static bool is_steady(const struct report_growth *g, double rate) {
    double mean = (g->live[REPORT_STEPS] - g->live[0]) / REPORT_STEPS;
    int steps = 0;
    for (int k = 1; k <= REPORT_STEPS; k++)
        steps += g->live[k] - g->live[k - 1] >= STEADY_SHARE * mean;
    double last = g->live[REPORT_STEPS] - g->live[REPORT_STEPS - 1];
    double error = sqrt(variance_of(g, last, rate));
    return steps >= REPORT_STEPS - 1 && last >= LAST_STEP_SHARE * mean &&
           last >= LAST_STEP_ERRORS * error;
}

static enum report_verdict judge(const struct report_growths *g, const struct report_growth *group,
                                 bool certain) {
    double rate = g->grouping.query->model->rate;
    double grown = (double)group->born.hits - (double)group->gone.hits;
    if (!certain) return REPORT_BY_CHANCE;
    if (grown < 0) return REPORT_SHRINKS;
    if (!g->judged) return REPORT_UNJUDGED;
    if (group->young > 0 && group->kept < SURVIVING_SHARE * group->young) return REPORT_REPLACES;
    if (group->young == 0 || !is_steady(group, rate)) return REPORT_FILLS;
    if (grown < SMALLEST_SHARE * g->total.live[REPORT_STEPS]) return REPORT_IS_SMALL;
    return REPORT_LEAKS;
}

/* Judges all that changed, and orders them. */
static void judge_all(struct report_growths *g) {
    const struct report_query *query = g->grouping.query;
    struct report_change *changes = report_alloc((g->grouping.count + 1) * sizeof *changes);
    size_t n = 0, leaks = 0;
    for (size_t i = 0; i < g->grouping.count; i++) {
        const struct report_growth *group = &g->groups[i];
        merge(&g->total, group);
        if (group->born.samples + group->gone.samples == 0) continue;
        changes[n].name = g->grouping.texts[i];
        changes[n].location = i;
        changes[n].of[REPORT_BEFORE] = report_query_estimate(query, &group->gone);
        changes[n++].of[REPORT_AFTER] = report_query_estimate(query, &group->born);
    }
    report_changes_judge(changes, n);
    g->order = report_alloc((n + 1) * sizeof *g->order);
    for (size_t i = 0; i < n; i++) {
        struct report_growth *group = &g->groups[changes[i].location];
        group->verdict = judge(g, group, changes[i].certain);
    }
    report_growths_find_slowing(g);
    for (size_t i = 0; i < n; i++) leaks += g->groups[changes[i].location].verdict == REPORT_LEAKS;
    size_t next[2] = {leaks, 0}; /* of the others, of the leaks */
    for (size_t i = 0; i < n; i++) {
        bool leak = g->groups[changes[i].location].verdict == REPORT_LEAKS;
        g->order[next[leak]++] = changes[i].location;
    }
    ASSERT(next[1] == leaks && next[0] == n);
    g->shown = n;
    free(changes);
}

struct report_growths *report_growths_create(const struct report_query *query, int64_t from,
                                             int64_t to, struct report_error *error) {
    struct report_growths *g = report_alloc(sizeof *g);
    ASSERT(query->show == REPORT_SHOW_ALLOC);
    if (choose_moments(g, query, from, to, error) != 0) {
        free(g);
        return NULL;
    }
    report_grouping_start(&g->grouping, query);
    g->groups = report_alloc((g->grouping.count + 1) * sizeof *g->groups);
    report_each_selected(s, query) {
        int64_t until = report_live_until(query, s);
        if (until < g->at[0]) continue;
        add_sample(g, &g->groups[report_grouping_of(&g->grouping, s)], s, until);
        if (g->judged) add_cohort(g, s, until);
    }
    judge_all(g);
    return g;
}

void report_growths_free(struct report_growths *growths) {
    if (growths == NULL) return;
    report_grouping_end(&growths->grouping);
    report_free(growths->groups, growths->order, growths);
}

const char *report_verdict_text(enum report_verdict verdict) {
    static const char *const texts[REPORT_VERDICTS] = {
        [REPORT_LEAKS] = "leak",        [REPORT_GROWS] = "growing",  [REPORT_FILLS] = "fills",
        [REPORT_REPLACES] = "replaced", [REPORT_IS_SMALL] = "small", [REPORT_SHRINKS] = "shrinks",
        [REPORT_BY_CHANCE] = "chance",  [REPORT_UNJUDGED] = ""};
    ASSERT(verdict < REPORT_VERDICTS);
    return texts[verdict];
}
