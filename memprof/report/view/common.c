/* common.c - what several views share. */
#include "memprof/report/model/text.h"
#include "memprof/report/view/views.h"

#include <stdlib.h>

size_t report_rows_of(const struct report_selection *selection, size_t otherwise) {
    return selection->top > 0 ? selection->top : otherwise;
}

size_t report_rows_to_make(struct report_table *table, const struct report_selection *selection,
                           size_t otherwise, size_t pinned) {
    size_t rows = report_rows_of(selection, otherwise);
    if (selection->sort == NULL) return rows;
    table->limit = rows < SIZE_MAX - pinned ? rows + pinned : rows;
    return SIZE_MAX;
}

size_t report_group_rows(struct report_table *t, const struct report_groups *g,
                         const struct report_selection *selection, size_t otherwise) {
    size_t n = g->shown, most = report_rows_to_make(t, selection, otherwise, 0);
    if (n > most) n = most;
    while (n > 0 && report_group_share(g, &g->groups[g->order[n - 1]]) < selection->threshold) n--;
    return n;
}

void report_note_rest(struct report_doc *doc, const struct report_groups *g,
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

struct report_doc *report_compute(report_view *view, const struct report_request *request) {
    struct report_doc *doc = view(request);
    if (doc == NULL) return NULL;
    if (request->selection.no_intervals) doc->no_intervals = true;
    if (request->selection.sort == NULL) return doc;
    if (report_doc_sort(doc, request->selection.sort, request->error) == 0) return doc;
    report_doc_free(doc);
    return NULL;
}

int report_request_query(const struct report_request *request, struct report_query *query) {
    return report_query_start(query, request->model, &request->selection, request->error);
}

enum report_kind report_unit_kind(const struct report_selection *selection) {
    return selection->unit == REPORT_UNIT_BYTES ? REPORT_BYTES : REPORT_COUNT;
}

const char *report_unit_title(const struct report_selection *selection) {
    return report_unit_words[selection->unit];
}

const char *report_by_title(const struct report_selection *selection) {
    static const char *const titles[] = {
#define BY(id, name, title) title,
#include "memprof/report/query/selectors.def"
    };
    return titles[selection->by];
}

static char *total_text(const struct report_query *query, struct report_estimate estimate) {
    struct report_cell cell = {report_unit_kind(query->selection), true, NULL, estimate};
    char value[32], margin[32];
    const char *unit = cell.kind == REPORT_BYTES ? "" : " ";
    const char *title = cell.kind == REPORT_BYTES ? "" : report_unit_title(query->selection);
    report_write_cell(value, &cell);
    double half = (cell.number.high - cell.number.low) / 2;
    if (half <= 0 || query->selection->no_intervals)
        return report_format("%s%s%s", value, unit, title);
    cell.number.value = half;
    report_write_cell(margin, &cell);
    return report_format("%s +- %s%s%s", value, margin, unit, title);
}

char *report_total_text(const struct report_query *query, const struct report_sum *sum) {
    return total_text(query, report_query_estimate(query, sum));
}

char *report_groups_total_text(const struct report_query *query,
                               const struct report_groups *groups) {
    return total_text(query, report_group_estimate(query, groups, &groups->total));
}

void report_note_unproven(struct report_doc *doc, const struct report_query *query) {
    struct report_query all = *query;
    struct report_sum more = {0};
    if (query->show != REPORT_SHOW_LIVE) return;
    all.live = REPORT_LIVE_UNCOLLECTED;
    all.skip_young = false;
    report_each_selected(s, &all) if (!report_query_selects(query, s))
        report_sum_add(&more, s, query->model->rate);
    if (more.samples == 0) return;
    char *text = report_total_text(query, &more);
    if (query->live == REPORT_LIVE_PROVEN)
        report_doc_note(doc,
                        "Not proven: %s more that no later collection has kept or freed "
                        "while it could tell (--live uncollected).",
                        text);
    else
        report_doc_note(doc, "Left out: %s in the minor heap, not yet examined by a collection.",
                        text);
    free(text);
}

void report_fold(struct report_query *query, bool leave_out) {
    if (!query->selection->raw) report_query_fold_library(query, leave_out);
}

void report_note_folded(struct report_doc *doc, const struct report_query *query, bool left_out) {
    if (query->folded)
        report_doc_note(doc,
                        "What the standard library allocates counts for its callers%s (--raw).",
                        left_out ? ", and its own data are left out" : "");
}

void report_add_notes(struct report_doc *doc, const struct report_model *model) {
    if (model->truncated)
        report_doc_note(doc,
                        "The end of the profile is missing (the program was killed or is still "
                        "running): the figures are of the part that was written.");
    if (model->before_words > 0) {
        char held[32];
        report_write_bytes(held, model->before_words * model->word_bytes);
        report_doc_note(doc, "Before attaching, %s were live: none of their blocks is sampled.",
                        held);
    }
    if (model->selected)
        report_doc_note(doc, "The profile is a selection, or merged from profiles of different "
                             "kinds: totals are of what it holds.");
    const struct mp_record_omitted *o = &model->omitted;
    if (o->pauses + o->phases + o->markings > 0) {
        char until[32];
        report_write_seconds(until, (double)o->elapsed / 1e6);
        report_doc_note(doc,
                        "%llu pauses, %llu phases and %llu markings before %s were left out "
                        "(--keep).",
                        (unsigned long long)o->pauses, (unsigned long long)o->phases,
                        (unsigned long long)o->markings, until);
    }
    if (model->lost_samples > 0)
        report_doc_note(
            doc, "The recorder lost %llu samples for lack of memory: the figures are too low.",
            (unsigned long long)model->lost_samples);
}
