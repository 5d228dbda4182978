/* budget.c - checks a recorded run against budgets, and lists the sites that exceed them. */
#include "gc/assert.h"
#include "memprof/report/command/command.h"
#include "memprof/report/load/load.h"
#include "memprof/report/model/text.h"
#include "memprof/report/view/views.h"

#include <stdlib.h>
#include <string.h>

enum { SITES = 5, COLUMNS = 100 };

struct check {
    const char *option, *what; /* "--max-live", "live at the peak" */
    double limit;
    enum report_show show;
    int at;
};

/* Frees the blocks of the standard library's initialisation: they are not leaks. */
static void forget_library(struct report_model *m) {
    bool *library = report_library_nodes(m);
    report_each(s, &m->samples)
        if (library[s->node]) s->died = s->born;
    free(library);
}

/* The total under a selection, and the document that lists its sites. */
static struct report_doc *find_sites(const struct report_request *request, double *total) {
    struct report_query query;
    if (report_request_query(request, &query) != 0) return NULL;
    struct report_groups *groups = report_groups_create(&query);
    *total = report_group_estimate(&query, groups, &groups->total).value;
    report_groups_free(groups);
    report_query_end(&query);
    return report_view_table(request);
}

/* Returns 1 if the budget was exceeded, 0 if not, -1 and *error. */
static int check(const struct check *c, const struct report_model *model, const char *ignore,
                 bool verbose, FILE *out, struct report_error *error) {
    static const struct report_style style = {false, COLUMNS};
    struct report_request request = {.model = model, .path = "", .error = error};
    struct report_selection *selection = &request.selection;
    double total;
    char found[32], limit[32];
    if (c->limit < 0) return 0;
    report_selection_show(selection, c->show, c->at);
    selection->top = SITES;
    selection->ignore = ignore;
    struct report_doc *doc = find_sites(&request, &total);
    if (doc == NULL) return -1;
    ASSERT(total >= 0);
    bool exceeded = total > c->limit;
    report_write_bytes(found, total);
    report_write_bytes(limit, c->limit);
    if (exceeded || verbose)
        fprintf(out, "bactrian: %s: %s %s, %s %s%s\n", c->option, found, c->what,
                exceeded ? "more than" : "within", limit, exceeded ? ":" : "");
    if (exceeded) report_doc_write_text(doc, &style, out);
    report_doc_free(doc);
    return exceeded;
}

int report_check_budgets(const char *path, const struct report_budgets *budgets, bool verbose,
                         FILE *out, struct report_error *error) {
    const struct check checks[] = {
        {"--max-alloc", "allocated", budgets->alloc, REPORT_SHOW_ALLOC, REPORT_NO_MOMENT},
        {"--max-live", "live at the peak", budgets->live, REPORT_SHOW_LIVE, REPORT_PEAK},
        {budgets->leaked > 0 ? "--max-leak" : "--no-leaks", "live at the end", budgets->leaked,
         REPORT_SHOW_LIVE, REPORT_END},
    };
    int exceeded = 0;
    struct report_model *model = report_load(path, error);
    if (model == NULL) return -1;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && exceeded >= 0; i++) {
        bool leaks = checks[i].at == REPORT_END;
        if (leaks) forget_library(model);
        int one = check(&checks[i], model, leaks ? budgets->ignore : NULL, verbose, out, error);
        exceeded = one < 0 ? -1 : exceeded + one;
    }
    report_model_free(model);
    return exceeded;
}
