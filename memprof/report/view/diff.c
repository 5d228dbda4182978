/* diff.c - what changed between two profiles, and whether sampling alone explains it. */
#include "memprof/report/load/load.h"
#include "memprof/report/view/changes.h"
#include "memprof/report/view/views.h"

#include <math.h>

enum { ROWS = 30 };

static void add_row(struct report_table *t, enum report_kind kind, const struct report_change *c) {
    double before = c->of[REPORT_BEFORE].value, after = c->of[REPORT_AFTER].value;
    report_row(t, 0, report_number(kind, after - before), report_number(kind, before),
               report_number(kind, after),
               report_share(before > 0 ? (after - before) / before : NAN),
               report_text(report_change_text(c)), report_text(c->name));
}

static void add_table(struct report_doc *doc, const struct report_query queries[2],
                      struct report_groups *const groups[2]) {
    const struct report_selection *selection = queries[0].selection;
    enum report_kind kind = report_unit_kind(selection);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    struct report_changes *changes = report_changes_create(queries, groups);
    report_table_columns(t, "change", "change", "before", "before", "after", "after", "ratio", "by",
                         "certain", "real?", "name", report_by_title(selection), NULL);
    add_row(t, kind, &changes->total);
    t->rows.at[0].position = REPORT_FIRST;
    size_t n = report_rows_to_make(t, selection, ROWS, 1);
    for (size_t i = 0; i < changes->count && i < n; i++) add_row(t, kind, &changes->rows[i]);
    if (changes->count > n)
        report_doc_note(doc, "%zu rows with smaller changes are left out.", changes->count - n);
    report_changes_free(changes);
}

static int sum_side(const struct report_request *request, const struct report_model *model,
                    struct report_query *query, struct report_groups **groups) {
    if (report_query_start(query, model, &request->selection, request->error) != 0) return -1;
    report_fold(query, false);
    *groups = report_groups_create(query);
    return 0;
}

/* The profiles are summed one after the other: the samples of both would take twice the memory. */
struct report_doc *report_view_diff(const struct report_request *request) {
    struct report_query queries[2];
    struct report_groups *groups[2];
    struct report_model *after;
    struct report_doc *doc = NULL;
    if (sum_side(request, request->model, &queries[0], &groups[0]) != 0) return NULL;
    if (request->own_model != NULL) report_model_drop_samples(request->own_model);
    after = report_load(request->other_path, request->error);
    if (after != NULL && sum_side(request, after, &queries[1], &groups[1]) == 0) {
        doc = report_doc_create("diff", "Memory %s: from %s (before) to %s (after)",
                                queries[1].sentence, request->path, request->other_path);
        add_table(doc, queries, groups);
        report_doc_note(doc, "real? yes: not explained by sampling (at most 5 %% of these are "
                             "wrong); maybe: significant alone, but not among all rows; chance: "
                             "explained by sampling.");
        report_note_folded(doc, &queries[1], false);
        report_add_notes(doc, request->model);
        report_add_notes(doc, after);
        report_groups_free(groups[1]);
        report_query_end(&queries[1]);
    }
    report_groups_free(groups[0]);
    report_query_end(&queries[0]);
    report_model_free(after);
    return doc;
}
