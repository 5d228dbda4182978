/* diff.c - what changed between two profiles, and whether sampling alone explains it. */
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

struct report_doc *report_view_diff(const struct report_request *request) {
    const struct report_model *models[] = {request->model, request->other};
    struct report_query queries[2];
    struct report_groups *groups[2];
    for (int side = 0; side < 2; side++) {
        if (report_query_start(&queries[side], models[side], &request->selection, request->error) ==
            0)
            continue;
        if (side == 1) report_query_end(&queries[0]);
        return NULL;
    }
    for (int side = 0; side < 2; side++) {
        report_fold(&queries[side], false);
        groups[side] = report_groups_create(&queries[side]);
    }
    struct report_doc *doc = report_doc_create("diff", "Memory %s: from %s (before) to %s (after)",
                                               queries[1].sentence, request->path,
                                               request->other_path);
    add_table(doc, queries, groups);
    report_doc_note(doc, "real? yes: not explained by sampling (at most 5 %% of these are wrong); "
                         "maybe: significant alone, but not among all rows; chance: explained by "
                         "sampling.");
    report_note_folded(doc, &queries[1], false);
    for (int side = 0; side < 2; side++) {
        report_add_notes(doc, models[side]);
        report_groups_free(groups[side]);
        report_query_end(&queries[side]);
    }
    return doc;
}
