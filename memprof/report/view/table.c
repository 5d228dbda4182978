/* table.c - one row for each site: what it allocated and its fate; lifetimes. */
#include "memprof/report/model/text.h"
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 30 };

static double share_of(const struct report_group *group, enum report_fate fate) {
    return (double)group->fates[fate].hits / group->sum.hits;
}

struct report_doc *report_view_table(const struct report_request *request) {
    const struct report_selection *selection = &request->selection;
    struct report_query query;
    if (report_query_start(&query, request->model, selection, request->error) != 0) return NULL;
    struct report_groups *g = report_groups_create(&query);
    char *total = report_groups_total_text(&query, g);
    struct report_doc *doc = report_doc_create("table", "%s, %s", total, query.sentence);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    size_t n = report_group_rows(t, g, selection, ROWS);
    t->empty = "no sample is selected";
    report_table_columns(t, "share", "share", report_unit_title(selection),
                         report_unit_title(selection), NULL);
    if (selection->unit != REPORT_UNIT_BLOCKS) report_table_columns(t, "blocks", "blocks", NULL);
    report_table_columns(t, "promoted", "promoted", "live", "live at end", "name",
                         report_by_title(selection), NULL);
    for (size_t i = 0; i < n; i++) {
        const struct report_group *group = &g->groups[g->order[i]];
        struct report_cell cells[REPORT_COLUMNS_MAX];
        size_t k = 0;
        cells[k++] = report_share(report_group_share(g, group));
        cells[k++] = report_interval(report_unit_kind(selection),
                                     report_group_estimate(&query, g, group));
        if (selection->unit != REPORT_UNIT_BLOCKS)
            cells[k++] = report_count(report_group_blocks(&query, g, group).value);
        cells[k++] = report_share(share_of(group, REPORT_PROMOTED));
        cells[k++] = report_share(share_of(group, REPORT_LIVE));
        cells[k++] = report_text(g->texts[g->order[i]]);
        report_table_row(t, 0, cells, k);
    }
    report_note_rest(doc, g, selection, n);
    report_note_unproven(doc, &query);
    if (g->exact)
        report_doc_note(doc, "Words and blocks were counted (--exact-sites); their fates are "
                             "estimates.");
    report_add_notes(doc, request->model);
    free(total);
    report_groups_free(g);
    report_query_end(&query);
    return doc;
}

/* The samples that died at an age, or were that old at the profile's end. */
struct life {
    int64_t length;
    uint64_t hits;
    bool ended;
};

struct lives {
    struct life *at;
    size_t count, capacity;
    struct report_hash hash;
};

REPORT_COMPARE(by_length, struct life,
               report_order(x->length, y->length) ?: report_order(y->ended, x->ended))

static bool is_life(const void *owner, uint32_t number, const void *key) {
    return by_length(&((const struct lives *)owner)->at[number], key) == 0;
}

/* In order; at and hash.slots are freed with free(). */
static struct lives list_lives(const struct report_query *query) {
    struct lives lives = {0};
    report_each_selected(s, query) {
        struct life life = {.ended = s->died != REPORT_NEVER};
        life.length = (life.ended ? s->died : query->model->end) - s->born;
        uint64_t hash = report_hash_number((uint64_t)life.length << 1 | life.ended);
        uint32_t found = report_hash_find(&lives.hash, hash, is_life, &lives, &life);
        if (found == REPORT_NO_NUMBER) {
            found = lives.count;
            report_append(&lives, life);
            report_hash_add(&lives.hash, hash, found);
        }
        lives.at[found].hits += s->hits;
    }
    report_sort(&lives, by_length);
    return lives;
}

/* The Kaplan-Meier estimate of survival: a block that is live at the profile's end lived at least
 * that long. */
static void add_survival(struct report_doc *doc, const struct report_query *query) {
    const struct report_model *m = query->model;
    struct lives lives = list_lives(query);
    size_t i = 0;
    double at_risk = 0, all = 0, alive = 1, greenwood = 0;
    report_each(life, &lives) at_risk += life->hits;
    all = at_risk;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "survival",
                                              "Share of the memory that lives longer than an age");
    report_table_columns(t, "age", "age", "alive", "still live", NULL);
    for (double age = 1e3; lives.count > 0 && age < 10.0 * m->end; age *= 10) {
        for (; i < lives.count && lives.at[i].length <= age; i++) {
            double hits = lives.at[i].hits;
            if (lives.at[i].ended && at_risk > 0) alive *= 1 - hits / at_risk;
            if (lives.at[i].ended && at_risk > hits)
                greenwood += hits / (at_risk * (at_risk - hits));
            at_risk -= hits;
        }
        if (at_risk <= 0 && alive > 0) break;
        if (alive < 1e-12) alive = 0;
        report_row(t, 0, report_seconds(age / 1e9),
                   report_interval(REPORT_SHARES,
                                   report_estimate_survival(&query->scale, alive, greenwood, all)));
        if (alive == 0) break;
    }
    report_free(lives.at, lives.hash.slots);
}

/* The share of a group's words with that fate. */
static struct report_estimate fate_of(const struct report_query *query,
                                      const struct report_group *group, enum report_fate fate) {
    return report_estimate_share(&query->scale, &group->fates[fate], &group->sum);
}

static void add_fates(struct report_doc *doc, const struct report_query *query,
                      const struct report_groups *g) {
    static const char *const keys[] = {"minor_dead", "promoted", "major_dead", "live"};
    static const char *const titles[] = {"minor dead", "promoted", "major dead", "live at end"};
    const struct report_selection *selection = query->selection;
    struct report_table *all = report_doc_table(doc, REPORT_FACTS, "all", "Total");
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    size_t n = report_group_rows(t, g, selection, ROWS);
    t->empty = "no sample is selected";
    report_table_columns(t, report_unit_title(selection), report_unit_title(selection), NULL);
    for (size_t i = 0; i < REPORT_FATES; i++) {
        report_table_columns(t, keys[i], titles[i], NULL);
        if (g->total.sum.samples > 0)
            report_fact(all, keys[i], titles[i],
                        report_interval(REPORT_SHARES, fate_of(query, &g->total, i)));
    }
    report_table_columns(t, "name", report_by_title(selection), NULL);
    for (size_t i = 0; i < n; i++) {
        const struct report_group *group = &g->groups[g->order[i]];
        struct report_cell cells[REPORT_FATES + 2];
        cells[0] = report_number(report_unit_kind(selection),
                                 report_group_estimate(query, g, group).value);
        for (size_t k = 0; k < REPORT_FATES; k++)
            cells[k + 1] = report_share(group->sum.hits > 0 ? fate_of(query, group, k).value : NAN);
        cells[REPORT_FATES + 1] = report_text(g->texts[g->order[i]]);
        report_table_row(t, 0, cells, REPORT_FATES + 2);
    }
    report_note_rest(doc, g, selection, n);
}

struct report_doc *report_view_lifetimes(const struct report_request *request) {
    struct report_query query;
    if (report_request_query(request, &query) != 0) return NULL;
    struct report_groups *g = report_groups_create(&query);
    char *total = report_groups_total_text(&query, g);
    struct report_doc *doc = report_doc_create("lifetimes", "What became of %s, %s", total,
                                               query.sentence);
    add_fates(doc, &query, g);
    add_survival(doc, &query);
    report_add_notes(doc, request->model);
    free(total);
    report_groups_free(g);
    report_query_end(&query);
    return doc;
}
