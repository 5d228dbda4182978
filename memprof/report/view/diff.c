/* diff.c - what changed between two profiles, and whether sampling alone explains it.
 *
 * Rows are matched by their names. The standard errors give each difference a p-value; the
 * procedure of Benjamini and Hochberg bounds the share of false positives by 5 %. */
#include "gc/assert.h"
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 30 };

struct change {
    const char *name;
    struct report_estimate before, after;
    double p;
    bool certain;
};

static double standard_error(struct report_estimate e) { return (e.high - e.low) / (2 * 1.96); }

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct change *)a)->name, ((const struct change *)b)->name);
}

REPORT_COMPARE(by_p, struct change, report_order(x->p, y->p) ?: strcmp(x->name, y->name))

static int by_size(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    double m = fabs(x->after.value - x->before.value), n = fabs(y->after.value - y->before.value);
    return report_order(y->certain, x->certain) ?: report_order(n, m) ?: strcmp(x->name, y->name);
}

/* Adds one side's groups; the other side is `nothing`. */
static void add_side(struct change *changes, size_t *count, const struct report_query *query,
                     const struct report_groups *g, bool after, struct report_estimate nothing) {
    for (size_t i = 0; i < g->shown; i++) {
        struct report_estimate e = report_group_estimate(query, g, &g->groups[g->order[i]]);
        changes[(*count)++] = (struct change){.name = g->texts[g->order[i]],
                                              .before = after ? nothing : e,
                                              .after = after ? e : nothing};
    }
}

/* Joins rows of the same name: neighbours after sorting, the absent side has value 0. */
static size_t join(struct change *changes, size_t count) {
    size_t n = 0;
    qsort(changes, count, sizeof *changes, by_name);
    for (size_t i = 0; i < count; i++) {
        if (n > 0 && strcmp(changes[n - 1].name, changes[i].name) == 0) {
            if (changes[i].after.value > 0) changes[n - 1].after = changes[i].after;
            else changes[n - 1].before = changes[i].before;
        } else {
            changes[n++] = changes[i];
        }
    }
    return n;
}

/* Sets p and certain, and sorts the changes by size. */
static void judge(struct change *changes, size_t n) {
    size_t certain = 0;
    for (size_t i = 0; i < n; i++) {
        struct change *c = &changes[i];
        double difference = c->after.value - c->before.value;
        double error = hypot(standard_error(c->before), standard_error(c->after));
        ASSERT(error >= 0);
        c->p = error > 0 ? report_p_value(difference / error) : difference == 0 ? 1 : 0;
    }
    qsort(changes, n, sizeof *changes, by_p);
    for (size_t i = 0; i < n; i++)
        if (changes[i].p <= 0.05 * (i + 1) / n) certain = i + 1;
    for (size_t i = 0; i < n; i++) changes[i].certain = i < certain;
    qsort(changes, n, sizeof *changes, by_size);
}

static void add_row(struct report_table *t, enum report_kind kind, const struct change *c) {
    double difference = c->after.value - c->before.value;
    report_row(t, 0, report_number(kind, difference), report_number(kind, c->before.value),
               report_number(kind, c->after.value),
               report_share(c->before.value > 0 ? difference / c->before.value : NAN),
               report_text(c->certain    ? "yes"
                           : c->p < 0.05 ? "maybe"
                                         : "chance"),
               report_text(c->name));
}

static void add_table(struct report_doc *doc, const struct report_query queries[2],
                      struct report_groups *const groups[2]) {
    const struct report_selection *selection = queries[0].selection;
    enum report_kind kind = report_unit_kind(selection);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    const struct report_group none = {0};
    struct change *changes = report_alloc((groups[0]->shown + groups[1]->shown + 1) *
                                          sizeof *changes);
    size_t count = 0;
    report_table_columns(t, "change", "change", "before", "before", "after", "after", "ratio", "by",
                         "certain", "real?", "name", report_by_title(selection), NULL);
    for (int side = 0; side < 2; side++)
        add_side(changes, &count, &queries[side], groups[side], side == 1,
                 report_group_estimate(&queries[1 - side], groups[1 - side], &none));
    count = join(changes, count);
    judge(changes, count);
    struct change total = {.name = "total"};
    total.before = report_group_estimate(&queries[0], groups[0], &groups[0]->total);
    total.after = report_group_estimate(&queries[1], groups[1], &groups[1]->total);
    judge(&total, 1);
    add_row(t, kind, &total);
    t->rows.at[0].position = REPORT_FIRST;
    size_t n = report_rows_to_make(t, selection, ROWS, 1);
    for (size_t i = 0; i < count && i < n; i++) add_row(t, kind, &changes[i]);
    if (count > n) report_doc_note(doc, "%zu rows with smaller changes are left out.", count - n);
    free(changes);
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
    for (int side = 0; side < 2; side++) groups[side] = report_groups_create(&queries[side]);
    struct report_doc *doc = report_doc_create("diff", "Memory %s: from %s (before) to %s (after)",
                                               queries[1].sentence, request->path,
                                               request->other_path);
    add_table(doc, queries, groups);
    report_doc_note(doc, "real? yes: not explained by sampling (at most 5 %% of these are wrong); "
                         "maybe: significant alone, but not among all rows; chance: explained by "
                         "sampling.");
    for (int side = 0; side < 2; side++) {
        report_add_notes(doc, models[side]);
        report_groups_free(groups[side]);
        report_query_end(&queries[side]);
    }
    return doc;
}
