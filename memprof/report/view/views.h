/* views.h - the views of a profile: each is computed once, as a document.
 *
 * A view gets a request whose profiles are loaded. It returns NULL and the request's *error if the
 * selection does not apply to the profile. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_VIEWS_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_VIEWS_H

#include "memprof/report/query/groups.h"
#include "memprof/report/view/doc.h"

/* What a verb was asked for. */
struct report_request {
    const struct report_model *model;
    const char *path;
    struct report_model *own_model;   /* the same, if its samples may be dropped; else NULL */
    const struct report_model *other; /* of html: the later profile; else NULL */
    const char *other_path;           /* its file; of diff and leaks: a file that is not loaded */
    struct report_selection selection;
    const char *per;               /* of grow: a counter of the program's; NULL: the first */
    const char *callers, *callees; /* of tree: a function; NULL */
    const char *operand;           /* of annotate: a file or a function */
    const char *source;            /* a folder of sources besides the current one */
    bool embed_source;             /* of html: the page holds sources */
    const char *snapshot;          /* of html: a heap snapshot of the run, not loaded; NULL */
    char *const *files;            /* of merge: the profiles, not loaded */
    size_t file_count;
    struct report_error *error; /* where a failure is described */
};

/* What holds sampled blocks, in a heap snapshot of the recorded run. */
struct report_held {
    uint32_t *holders; /* by the sample's number; REPORT_NO_NUMBER: not in the snapshot */
    size_t samples;
    REPORT_VECTOR(char *) texts; /* of the holders */
};

typedef struct report_doc *report_view(const struct report_request *request);
/* Writes something else than a document: an export, another profile, the HTML report. Returns 0, or
 * -1 and *error; failures of out stay in ferror. */
typedef int report_writer(const struct report_request *request, FILE *out);

/* What was recorded, how, and whether estimates agree with the exact totals. */
report_view report_view_stats;
/* The most important figures of the other views, on one screen. */
report_view report_view_summary;
/* One row for each site, function, file, module or phase. */
report_view report_view_table;
/* Call paths as an indented tree, in any direction. */
report_view report_view_tree;
/* Call paths as nested bars. */
report_view report_view_flame;
/* Blocks that were never freed; held: what holds them, or NULL. */
struct report_doc *report_leaks(const struct report_request *request,
                                const struct report_held *held);
/* How long blocks live: by site, and the survival curve. */
report_view report_view_lifetimes;
/* What the collector did, and how long it stopped the program. */
report_view report_view_gc;
/* What changed between two profiles, and whether it can be chance. */
report_view report_view_diff;
/* Source lines with their figures. */
report_view report_view_annotate;
/* The columns of its tables, one for each source file. */
enum { ANNOTATE_SELF, ANNOTATE_THROUGH, ANNOTATE_LINE, ANNOTATE_SOURCE };
/* Live memory at equal steps of time. */
report_view report_view_timeline;

/* Checks a file, damaged or not, against the rules of its format. *errors: the number of
 * violations that some reader does not tolerate. Fails: NULL and *error. */
struct report_doc *report_check(const char *path, size_t *errors, struct report_error *error);

/* The view's document, sorted as by --sort. */
struct report_doc *report_compute(report_view *view, const struct report_request *request);
/* Applies the request's selection to its profile (report_query_start). */
int report_request_query(const struct report_request *request, struct report_query *query);
/* The number of rows to print: --top, or `otherwise`. */
size_t report_rows_of(const struct report_selection *selection, size_t otherwise);
/* The number of rows to put into a table besides `pinned` ones: that of report_rows_of, or all if
 * sorting will cut the table. */
size_t report_rows_to_make(struct report_table *table, const struct report_selection *selection,
                           size_t otherwise, size_t pinned);
/* The number of rows to show of groups: --top, or `otherwise`, and --thresh. */
size_t report_group_rows(struct report_table *table, const struct report_groups *groups,
                         const struct report_selection *selection, size_t otherwise);
/* Says how many rows besides the `shown` ones there are. */
void report_note_rest(struct report_doc *doc, const struct report_groups *groups,
                      const struct report_selection *selection, size_t shown);
/* The kind of cell and the title for the selection's unit. */
enum report_kind report_unit_kind(const struct report_selection *selection);
const char *report_unit_title(const struct report_selection *selection);
/* The title of the column of --by. */
const char *report_by_title(const struct report_selection *selection);
/* A set's total: "12.3 MB +- 0.4 MB"; freed with free(). */
char *report_total_text(const struct report_query *query, const struct report_sum *sum);
/* The same for all groups. */
char *report_groups_total_text(const struct report_query *query,
                               const struct report_groups *groups);
/* Says, if live blocks are shown, how many more were not yet collected at that moment. */
void report_note_unproven(struct report_doc *doc, const struct report_query *query);
/* Folds the library's frames (report_query_fold_library), unless --raw was given; the note says
 * so. */
void report_fold(struct report_query *query, bool leave_out);
void report_note_folded(struct report_doc *doc, const struct report_query *query, bool left_out);
/* Adds the notes that belong below every view of this profile. */
void report_add_notes(struct report_doc *doc, const struct report_model *model);

#endif
