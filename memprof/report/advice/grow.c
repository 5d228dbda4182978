/* grow.c - growth between two moments of a recording. */
#include "memprof/report/advice/advice.h"
#include "memprof/report/advice/growth.h"
#include "memprof/report/model/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 30 };

/* The counter that growth is related to: --per, or the first one. 0: none. -1 and *error: the
 * profile has no such counter. */
static int find_counter(const struct report_request *request, uint32_t *name) {
    const struct report_model *m = request->model;
    const char *wanted = request->per;
    *name = 0;
    if (wanted == NULL && m->counts.count > 0) *name = m->counts.at[0].name;
    report_each(c, &m->counts)
        if (wanted != NULL && strcmp(m->names.at[c->name], wanted) == 0) *name = c->name;
    if (wanted == NULL || *name != 0) return 0;
    return report_fail(request->error, "--per", "`bactrian prof stats` lists what it counts",
                       "the program counts no \"%s\"", wanted);
}

/* Units of a counter that were counted from at[0] to the end of the last step. */
static double counted(const struct report_growths *g, uint32_t name) {
    double sum = 0;
    report_each(c, &g->grouping.query->model->counts)
        if (c->name == name && c->time > g->at[0] && c->time <= g->at[REPORT_STEPS]) sum += c->more;
    return sum;
}

static struct report_estimate net_of(const struct report_query *query,
                                     const struct report_growth *group) {
    return report_estimate_minus(report_query_estimate(query, &group->born),
                                 report_query_estimate(query, &group->gone));
}

static void add_row(struct report_table *t, const struct report_growths *g,
                    const struct report_growth *group, double units, const char *what,
                    const char *name) {
    const struct report_query *query = g->grouping.query;
    enum report_kind kind = report_unit_kind(query->selection);
    struct report_estimate net = net_of(query, group);
    double minutes = (double)(g->at[REPORT_STEPS] - g->at[0]) / 60e9;
    const struct report_sum *const sums[] = {&group->before, &group->born, &group->gone};
    struct report_cell cells[REPORT_COLUMNS_MAX];
    size_t k = 0;
    cells[k++] = report_interval(kind, net);
    for (int i = 0; i < 3; i++)
        cells[k++] = report_number(kind, report_query_estimate(query, sums[i]).value);
    cells[k++] = report_number(kind, net.value / minutes);
    if (units >= 0) cells[k++] = report_number(kind, units > 0 ? net.value / units : NAN);
    cells[k++] = report_text(what);
    cells[k++] = report_text(name);
    report_table_row(t, 0, cells, k);
}

static void add_groups(struct report_doc *doc, const struct report_growths *g, uint32_t counter) {
    const struct report_query *query = g->grouping.query;
    const struct report_selection *selection = query->selection;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    double units = counter > 0 ? counted(g, counter) : -1, grown = 0;
    report_table_columns(t, "net", "net", "before", "before", "born", "born since", "gone",
                         "gone since", "per_minute", "a minute", NULL);
    if (counter > 0) report_table_columns(t, "per_unit", "per unit", NULL);
    report_table_columns(t, "verdict", "verdict", "name", report_by_title(selection), NULL);
    add_row(t, g, &g->total, units, "", "total");
    t->rows.at[0].position = REPORT_FIRST;
    for (size_t i = 0; i < g->shown; i++)
        grown += fabs(net_of(query, &g->groups[g->order[i]]).value);
    size_t n = report_rows_to_make(t, selection, ROWS, 1), made = 0;
    for (; made < g->shown && made < n; made++) {
        const struct report_growth *group = &g->groups[g->order[made]];
        if (fabs(net_of(query, group).value) < selection->threshold * grown) continue;
        add_row(t, g, group, units, report_verdict_text(group->verdict),
                g->grouping.texts[g->order[made]]);
    }
    if (made < g->shown)
        report_doc_note(doc, "%zu rows with smaller changes are left out: --top %zu shows all.",
                        g->shown - made, g->shown);
    if (counter > 0) {
        char text[32];
        report_write_count(text, units);
        report_doc_note(doc,
                        "per unit: net growth for each of the %s times that the program "
                        "counted \"%s\".",
                        text, query->model->names.at[counter]);
    }
}

/* How much of what was born in each step was live at the ends of that and of later steps. */
static void add_cohorts(struct report_doc *doc, const struct report_growths *g) {
    static const char *const keys[REPORT_STEPS] = {"live_1", "live_2", "live_3", "live_4"};
    static const char *const titles[REPORT_STEPS] = {"live after 1", "after 2", "after 3",
                                                     "after 4"};
    const struct report_query *query = g->grouping.query;
    enum report_kind kind = report_unit_kind(query->selection);
    if (!g->judged) return;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "cohorts",
                                              "What was born in each quarter, and is still there");
    report_table_columns(t, "from", "born from", "to", "to", NULL);
    for (int k = 0; k < REPORT_STEPS; k++) report_table_columns(t, keys[k], titles[k], NULL);
    for (int born = 0; born < REPORT_STEPS; born++) {
        struct report_cell cells[REPORT_STEPS + 2];
        cells[0] = report_seconds(g->at[born] / 1e9);
        cells[1] = report_seconds(g->at[born + 1] / 1e9);
        for (int k = 0; k < REPORT_STEPS; k++) {
            double value = report_query_estimate(query, &g->cohorts[born][k]).value;
            cells[k + 2] = report_number(kind, k < born ? NAN : value);
        }
        report_table_row(t, 0, cells, REPORT_STEPS + 2);
    }
}

static void explain(struct report_doc *doc, const struct report_growths *g) {
    bool marked = g->grouping.query->live == REPORT_LIVE_PROVEN;
    if (g->judged)
        report_doc_note(doc, "verdict: leak: grows in step with the program, and what is born "
                             "stays; growing: the same, but it slows down, as a cache does "
                             "that fills; fills: grows no more, or not steadily; replaced: early "
                             "blocks die; chance: explained by sampling.");
    else
        report_doc_note(doc,
                        "No verdicts: to distinguish leaks from caches takes %d markings of the "
                        "major heap%s. Record for longer, or with `--live exact`.",
                        REPORT_STEPS + 1, marked ? " in between" : "");
}

static struct report_doc *make_doc(const struct report_request *request,
                                   const struct report_growths *g, uint32_t counter) {
    const struct report_query *query = g->grouping.query;
    char from[32], to[32];
    report_write_seconds(from, g->at[0] / 1e9);
    report_write_seconds(to, g->at[REPORT_STEPS] / 1e9);
    char *total = report_total_text(query, &g->total.before);
    struct report_doc *doc = report_doc_create("grow", "Growth of what is %s, from %s (%s) to %s",
                                               report_live_text(query), from, total, to);
    add_groups(doc, g, counter);
    add_cohorts(doc, g);
    explain(doc, g);
    report_note_folded(doc, query, true);
    report_add_notes(doc, request->model);
    free(total);
    return doc;
}

struct report_doc *report_view_grow(const struct report_request *request) {
    struct report_selection selection = request->selection;
    struct report_query window, query;
    struct report_doc *doc = NULL;
    uint32_t counter;
    if (request->other_path != NULL) return report_grow_of_snapshots(request);
    if (find_counter(request, &counter) != 0 || report_request_query(request, &window) != 0)
        return NULL;
    bool has_from = selection.from.kind != REPORT_NO_MOMENT;
    int64_t from = has_from ? window.from : -1, to = window.to;
    report_query_end(&window);
    selection.from.kind = selection.to.kind = REPORT_NO_MOMENT;
    if (report_query_start(&query, request->model, &selection, request->error) != 0) return NULL;
    query.with_fibers = true;
    report_fold(&query, true);
    struct report_growths *growths = report_growths_create(&query, from, to, request->error);
    if (growths != NULL) doc = make_doc(request, growths, counter);
    report_growths_free(growths);
    report_query_end(&query);
    return doc;
}
