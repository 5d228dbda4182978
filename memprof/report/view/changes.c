/* changes.c - see changes.h.
 *
 * Rows by site are matched as match_sites.c says, others by their names. The standard errors give
 * each difference a p-value; the procedure of Benjamini and Hochberg bounds the share of false
 * positives by 5 %. */
#include "memprof/report/view/changes.h"

#include "gc/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double standard_error(struct report_estimate e) { return (e.high - e.low) / (2 * 1.96); }

static double difference_of(const struct report_change *c) {
    return c->of[REPORT_AFTER].value - c->of[REPORT_BEFORE].value;
}

REPORT_COMPARE(by_p, struct report_change, report_order(x->p, y->p) ?: strcmp(x->name, y->name))

static int by_size(const void *a, const void *b) {
    const struct report_change *x = a, *y = b;
    double m = fabs(difference_of(x)), n = fabs(difference_of(y));
    return report_order(y->certain, x->certain) ?: report_order(n, m) ?: strcmp(x->name, y->name);
}

void report_changes_judge(struct report_change *changes, size_t n) {
    size_t certain = 0;
    for (size_t i = 0; i < n; i++) {
        struct report_change *c = &changes[i];
        double error = hypot(standard_error(c->of[0]), standard_error(c->of[1]));
        double difference = difference_of(c);
        ASSERT(error >= 0);
        c->p = error > 0 ? report_p_value(difference / error) : difference == 0 ? 1 : 0;
    }
    qsort(changes, n, sizeof *changes, by_p);
    for (size_t i = 0; i < n; i++)
        if (changes[i].p <= 0.05 * (i + 1) / n) certain = i + 1;
    for (size_t i = 0; i < n; i++) changes[i].certain = i < certain;
    qsort(changes, n, sizeof *changes, by_size);
}

const char *report_change_text(const struct report_change *change) {
    return change->certain ? "yes" : change->p < 0.05 ? "maybe" : "chance";
}

/* Groups of the same name: both lists are in the order of names. */
static struct report_match *match_names(struct report_groups *const groups[2], size_t *count) {
    size_t most = groups[0]->shown + groups[1]->shown + 1;
    struct report_match *matches = report_alloc(most * sizeof *matches);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < groups[side]->shown; i++) {
            struct report_match match = {{REPORT_ABSENT, REPORT_ABSENT}, false};
            match.group[side] = groups[side]->order[i];
            matches[(*count)++] = match;
        }
    return matches;
}

static const char *name_of(struct report_groups *const groups[2],
                           const struct report_match *match) {
    int side = match->group[REPORT_AFTER] != REPORT_ABSENT ? REPORT_AFTER : REPORT_BEFORE;
    return groups[side]->texts[match->group[side]];
}

static int by_name(const void *a, const void *b, void *groups) {
    return strcmp(name_of(groups, a), name_of(groups, b));
}

/* Joins matches of the same name. */
static size_t join(struct report_groups *const groups[2], struct report_match *matches,
                   size_t count) {
    size_t n = 0;
    qsort_r(matches, count, sizeof *matches, by_name, (void *)groups);
    for (size_t i = 0; i < count; i++) {
        bool same = n > 0 &&
                    strcmp(name_of(groups, &matches[n - 1]), name_of(groups, &matches[i])) == 0;
        if (!same) matches[n++] = matches[i];
        for (int side = 0; same && side < 2; side++)
            if (matches[i].group[side] != REPORT_ABSENT)
                matches[n - 1].group[side] = matches[i].group[side];
    }
    return n;
}

static struct report_estimate estimate_of(const struct report_query *query,
                                          const struct report_groups *groups, uint32_t group) {
    const struct report_group none = {0};
    return report_group_estimate(query, groups,
                                 group == REPORT_ABSENT ? &none : &groups->groups[group]);
}

/* The first location of each group by site. */
static uint32_t *locations_of_sites(const struct report_model *model) {
    struct report_keys *keys = report_keys_create(model, REPORT_BY_SITE);
    uint32_t *locations = report_alloc((keys->count + 1) * sizeof *locations);
    for (size_t i = model->locations.count; i > 0; i--) locations[keys->of_location[i - 1]] = i - 1;
    report_keys_free(keys);
    return locations;
}

static int line_of(const struct report_query *query, const uint32_t *locations, uint32_t group) {
    return query->model->locations.at[locations[group]].line;
}

static char *row_name(const struct report_query queries[2], uint32_t *const locations[2],
                      struct report_groups *const groups[2], const struct report_match *match) {
    const char *name = name_of(groups, match);
    if (!match->moved) return report_copy(name);
    return report_format("%s, moved from line %d to %d", name,
                         line_of(&queries[0], locations[0], match->group[0]),
                         line_of(&queries[1], locations[1], match->group[1]));
}

struct report_changes *report_changes_create(const struct report_query queries[2],
                                             struct report_groups *const groups[2]) {
    struct report_changes *changes = report_alloc(sizeof *changes);
    const struct report_model *const models[2] = {queries[0].model, queries[1].model};
    bool by_site = queries[0].selection->by == REPORT_BY_SITE;
    uint32_t *locations[2] = {NULL, NULL};
    for (int side = 0; by_site && side < 2; side++)
        locations[side] = locations_of_sites(models[side]);
    struct report_match *matches = by_site ? report_match_sites(models, locations, groups,
                                                                &changes->count)
                                           : match_names(groups, &changes->count);
    if (!by_site) changes->count = join(groups, matches, changes->count);
    changes->rows = report_alloc((changes->count + 1) * sizeof *changes->rows);
    for (size_t i = 0; i < changes->count; i++) {
        struct report_change *row = &changes->rows[i];
        for (int side = 0; side < 2; side++)
            row->of[side] = estimate_of(&queries[side], groups[side], matches[i].group[side]);
        row->name = row_name(queries, locations, groups, &matches[i]);
        if (by_site && matches[i].group[REPORT_AFTER] != REPORT_ABSENT)
            row->location = locations[1][matches[i].group[REPORT_AFTER]];
    }
    report_changes_judge(changes->rows, changes->count);
    changes->total.name = report_copy("total");
    for (int side = 0; side < 2; side++)
        changes->total.of[side] = report_group_estimate(&queries[side], groups[side],
                                                        &groups[side]->total);
    report_changes_judge(&changes->total, 1);
    report_free(matches, locations[0], locations[1]);
    return changes;
}

void report_changes_free(struct report_changes *changes) {
    for (size_t i = 0; i < changes->count; i++) free(changes->rows[i].name);
    report_free(changes->total.name, changes->rows, changes);
}
