/* table.c - one row a site: what it allocated and what became of it; leaks; lifetimes. */
#include "memprof/report/model/memory.h"
#include "memprof/report/view/text.h"
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 30 };

/* The rows of order that are worth showing: --top and --thresh. */
static size_t rows_to_show(struct report_table *t, const struct report_groups *g,
                           const struct report_selection *selection) {
    size_t n = g->shown, most = report_rows_to_make(t, selection, ROWS, 0);
    if (n > most) n = most;
    while (n > 0 && report_group_share(g, &g->groups[g->order[n - 1]]) < selection->threshold) n--;
    return n;
}

static void note_rest(struct report_doc *doc, const struct report_groups *g,
                      const struct report_selection *selection, size_t shown) {
    double rest = 0;
    char share[32];
    if (shown >= g->shown) return;
    for (size_t i = shown; i < g->shown; i++)
        rest += report_group_share(g, &g->groups[g->order[i]]);
    report_write_share(share, rest);
    const char *option = selection->threshold > 0 ? "without --thresh, --top" : "--top";
    report_doc_note(doc, "%zu smaller rows are left out (%s): %s %zu shows all.", g->shown - shown,
                    share, option, g->shown);
}

enum { FATES = 4 };

/* The fates of a group's blocks, as shares of its words. */
static void estimate_fates(const struct report_scale *scale, const struct report_group *group,
                           struct report_estimate out[FATES]) {
    const struct report_sum *parts[] = {&group->minor_dead, &group->promoted, &group->major_dead,
                                        &group->live};
    for (size_t i = 0; i < FATES; i++) out[i] = report_estimate_share(scale, parts[i], &group->sum);
}

struct report_doc *report_view_table(const struct report_request *request,
                                     struct report_error *error) {
    const struct report_selection *selection = &request->selection;
    struct report_query query;
    if (report_query_start(&query, request->model, selection, REPORT_SHOW_ALLOC, error) != 0)
        return NULL;
    struct report_groups *g = report_groups_create(&query);
    char *total = report_groups_total_text(&query, g);
    struct report_doc *doc = report_doc_create("table", "%s, %s", total, query.sentence);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "%s", "");
    size_t n = rows_to_show(t, g, selection);
    doc->no_intervals = selection->no_intervals;
    t->empty = report_copy("no sample is selected");
    report_table_column(t, "share", "share");
    report_table_column(t, report_unit_title(selection), report_unit_title(selection));
    if (selection->unit != REPORT_UNIT_BLOCKS) report_table_column(t, "blocks", "blocks");
    report_table_column(t, "promoted", "promoted");
    report_table_column(t, "live", "live at end");
    report_table_column(t, "name", report_by_title(selection));
    for (size_t i = 0; i < n; i++) {
        const struct report_group *group = &g->groups[g->order[i]];
        report_table_row(t, 0);
        report_cell_number(t, REPORT_SHARES, report_group_share(g, group));
        report_cell_estimate(t, report_unit_kind(selection),
                             report_group_estimate(&query, g, group));
        if (selection->unit != REPORT_UNIT_BLOCKS)
            report_cell_number(t, REPORT_COUNT, report_group_blocks(&query, g, group).value);
        report_cell_number(t, REPORT_SHARES, (double)group->promoted.hits / group->sum.hits);
        report_cell_number(t, REPORT_SHARES, (double)group->live.hits / group->sum.hits);
        report_cell_text(t, g->texts[g->order[i]]);
    }
    note_rest(doc, g, selection, n);
    if (g->exact)
        report_doc_note(doc, "Words and blocks were counted (--exact-sites); what became of them "
                             "is estimated.");
    report_add_notes(doc, request->model);
    free(total);
    report_groups_free(g);
    report_query_end(&query);
    return doc;
}

static void add_leaks(struct report_doc *doc, const struct report_query *query,
                      const struct report_groups *live, const struct report_groups *all) {
    const struct report_selection *selection = query->selection;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "%s", "");
    size_t n = rows_to_show(t, live, selection);
    t->empty = report_copy("nothing: every sampled block was freed");
    report_table_column(t, "share", "share");
    report_table_column(t, report_unit_title(selection), report_unit_title(selection));
    report_table_column(t, "blocks", "blocks");
    report_table_column(t, "kept", "of all it allocated");
    report_table_column(t, "age", "mean age");
    report_table_column(t, "name", report_by_title(selection));
    for (size_t i = 0; i < n; i++) {
        uint32_t key = live->order[i];
        const struct report_group *group = &live->groups[key];
        report_table_row(t, 0);
        report_cell_number(t, REPORT_SHARES, (double)group->sum.hits / live->total.sum.hits);
        report_cell_estimate(t, report_unit_kind(selection),
                             report_query_estimate(query, &group->sum));
        report_cell_number(t, REPORT_COUNT,
                           report_estimate_blocks(&query->scale, &group->sum).value);
        report_cell_number(t, REPORT_SHARES, (double)group->sum.hits / all->groups[key].sum.hits);
        report_cell_number(t, REPORT_SECONDS,
                           (query->at - group->born_hits / group->sum.hits) / 1e9);
        report_cell_text(t, live->texts[key]);
    }
    note_rest(doc, live, selection, n);
}

struct report_doc *report_view_leaks(const struct report_request *request,
                                     struct report_error *error) {
    struct report_selection selection = request->selection, births = request->selection;
    struct report_query query, all;
    if (selection.at.kind == REPORT_NO_MOMENT) selection.at.kind = REPORT_END;
    births.at.kind = births.age_min.kind = REPORT_NO_MOMENT;
    births.has_show = true;
    births.show = REPORT_SHOW_ALLOC;
    if (report_query_start(&query, request->model, &selection, REPORT_SHOW_LIVE, error) != 0)
        return NULL;
    if (report_query_start(&all, request->model, &births, REPORT_SHOW_ALLOC, error) != 0) {
        report_query_end(&query);
        return NULL;
    }
    struct report_groups *everything = report_groups_create(&query);
    query.skip_young = true;
    struct report_groups *live = report_groups_create(&query), *born = report_groups_create(&all);
    struct report_sum young = everything->total.sum;
    young.samples -= live->total.sum.samples;
    young.hits -= live->total.sum.hits;
    char *total = report_total_text(&query, &live->total.sum);
    char *aside = report_total_text(&query, &young);
    struct report_doc *doc = report_doc_create("leaks", "%s, %s, young blocks left out", total,
                                               query.sentence);
    doc->no_intervals = selection.no_intervals;
    add_leaks(doc, &query, live, born);
    if (young.samples > 0 && selection.unit != REPORT_UNIT_BLOCKS)
        report_doc_note(doc, "Left out: %s in the minor heap, which no collection had tried yet.",
                        aside);
    report_add_notes(doc, request->model);
    free(total);
    free(aside);
    report_groups_free(everything);
    report_groups_free(live);
    report_groups_free(born);
    report_query_end(&query);
    report_query_end(&all);
    return doc;
}

struct life {
    int64_t length;
    uint32_t hits;
    bool ended;
};

static int by_length(const void *a, const void *b) {
    const struct life *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return y->ended - x->ended;
}

/* Survival as Kaplan and Meier estimate it: a block that is still alive when the profile ends says
 * only that it lived that long. */
static void add_survival(struct report_doc *doc, const struct report_query *query) {
    const struct report_model *m = query->model;
    struct life *lives = report_alloc(m->sample_count * sizeof *lives);
    size_t n = 0, i = 0;
    double at_risk = 0, alive = 1;
    for (size_t k = 0; k < m->sample_count; k++) {
        const struct report_sample *s = &m->samples[k];
        if (!report_query_selects(query, s)) continue;
        bool ended = s->died != REPORT_NEVER;
        lives[n++] = (struct life){(ended ? s->died : m->end) - s->born, s->hits, ended};
        at_risk += s->hits;
    }
    qsort(lives, n, sizeof *lives, by_length);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "survival",
                                              "Share of the memory that lives longer than an age");
    report_table_column(t, "age", "age");
    report_table_column(t, "alive", "still live");
    for (double age = 1e3; n > 0 && age < 10.0 * m->end; age *= 10) {
        for (; i < n && lives[i].length <= age; i++) {
            if (lives[i].ended && at_risk > 0) alive *= 1 - lives[i].hits / at_risk;
            at_risk -= lives[i].hits;
        }
        if (at_risk <= 0 && alive > 0) break;
        report_table_row(t, 0);
        report_cell_number(t, REPORT_SECONDS, age / 1e9);
        report_cell_number(t, REPORT_SHARES, alive < 1e-12 ? 0 : alive);
        if (alive < 1e-12) break;
    }
    free(lives);
}

static void add_fates(struct report_doc *doc, const struct report_query *query,
                      const struct report_groups *g) {
    static const char *const keys[] = {"minor_dead", "promoted", "major_dead", "live"};
    static const char *const titles[] = {"died young", "promoted", "died old", "live at end"};
    const struct report_selection *selection = query->selection;
    struct report_table *all = report_doc_table(doc, REPORT_FACTS, "all", "All of it");
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "%s", "");
    struct report_estimate fates[FATES];
    size_t n = rows_to_show(t, g, selection);
    estimate_fates(&query->scale, &g->total, fates);
    t->empty = report_copy("no sample is selected");
    report_table_column(t, report_unit_title(selection), report_unit_title(selection));
    for (size_t i = 0; i < FATES; i++) {
        report_table_column(t, keys[i], titles[i]);
        if (g->total.sum.samples > 0)
            report_fact_estimate(all, keys[i], titles[i], REPORT_SHARES, fates[i]);
    }
    report_table_column(t, "name", report_by_title(selection));
    for (size_t i = 0; i < n; i++) {
        const struct report_group *group = &g->groups[g->order[i]];
        estimate_fates(&query->scale, group, fates);
        report_table_row(t, 0);
        report_cell_number(t, report_unit_kind(selection),
                           report_group_estimate(query, g, group).value);
        for (size_t k = 0; k < FATES; k++)
            report_cell_number(t, REPORT_SHARES, group->sum.hits > 0 ? fates[k].value : NAN);
        report_cell_text(t, g->texts[g->order[i]]);
    }
    note_rest(doc, g, selection, n);
}

struct report_doc *report_view_lifetimes(const struct report_request *request,
                                         struct report_error *error) {
    struct report_query query;
    if (report_query_start(&query, request->model, &request->selection, REPORT_SHOW_ALLOC, error) !=
        0)
        return NULL;
    struct report_groups *g = report_groups_create(&query);
    char *total = report_groups_total_text(&query, g);
    struct report_doc *doc = report_doc_create("lifetimes", "What became of %s, %s", total,
                                               query.sentence);
    doc->no_intervals = request->selection.no_intervals;
    add_fates(doc, &query, g);
    add_survival(doc, &query);
    report_add_notes(doc, request->model);
    free(total);
    report_groups_free(g);
    report_query_end(&query);
    return doc;
}
