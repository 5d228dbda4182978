/* views.h - what can be found out about a profile: each view is computed here, once, as a document.
 *
 * A view gets a request whose profiles are loaded. It returns NULL and *error when the selection
 * makes no sense for the profile. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_VIEWS_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_VIEWS_H

#include "memprof/report/query/groups.h"
#include "memprof/report/query/query.h"
#include "memprof/report/view/doc.h"

struct report_request {
    const struct report_model *model;
    const char *path;
    const struct report_model *other; /* of diff: the later one */
    const char *other_path;
    struct report_selection selection;
    const char *callers, *callees; /* of tree: a function; NULL */
    const char *operand;           /* of annotate: a file or a function */
};

typedef struct report_doc *report_view(const struct report_request *request,
                                       struct report_error *error);

/* What was recorded, how, and whether estimates agree with the exact totals. */
report_view report_view_stats;
/* The most important of all other views, on one screen. */
report_view report_view_summary;
/* One row a site, function, file, module or phase. */
report_view report_view_table;
/* Call paths as an indented tree, in any of the directions. */
report_view report_view_tree;
/* Call paths as nested bars. */
report_view report_view_flame;
/* What was never freed. */
report_view report_view_leaks;
/* How long blocks live: by site, and the curve of survival. */
report_view report_view_lifetimes;
/* What the collector did, and how long it stopped the program. */
report_view report_view_gc;
/* What changed between two profiles, and whether it can be chance. */
report_view report_view_diff;
/* Source lines with their figures. */
report_view report_view_annotate;
/* The heap over time: live bytes at equal steps. */
report_view report_view_timeline;

/* The view's document, its rows in the order of --sort. */
struct report_doc *report_compute(report_view *view, const struct report_request *request,
                                  struct report_error *error);
/* Rows to print; otherwise: when --top is not given. */
size_t report_rows_of(const struct report_selection *selection, size_t otherwise);
/* Rows to put into a table of `pinned` rows and others: all if they are to be sorted, which then
 * leaves as many as report_rows_of says. */
size_t report_rows_to_make(struct report_table *table, const struct report_selection *selection,
                           size_t otherwise, size_t pinned);
/* The kind of cell and the title for the selection's unit. */
enum report_kind report_unit_kind(const struct report_selection *selection);
const char *report_unit_title(const struct report_selection *selection);
/* The title of the column of --by. */
const char *report_by_title(const struct report_selection *selection);
/* A sentence for the selection's total: "12.3 MB +- 0.4 MB"; allocated. */
char *report_total_text(const struct report_query *query, const struct report_sum *sum);
/* The same for all groups. */
char *report_groups_total_text(const struct report_query *query,
                               const struct report_groups *groups);
/* Adds the notes that belong below every view of this profile. */
void report_add_notes(struct report_doc *doc, const struct report_model *model);

#endif
