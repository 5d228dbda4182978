/* advise.c - collects the findings and shows the most important ones. */
#include "memprof/report/advice/owners.h"

#include "gc/assert.h"
#include "memprof/report/heap/own.h"
#include "memprof/report/model/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FINDINGS = 10 };

struct report_sample report_run_sample(const struct report_advice *advice,
                                       const struct report_run *run, size_t i) {
    return report_sample_of(advice->query->model, run->samples[i]);
}

/* What a finding saves is a share of. */
static double whole_of(const struct report_advice *advice, enum report_saves saves) {
    switch (saves) {
    case REPORT_SAVES_LIVE: return advice->live;
    case REPORT_SAVES_HELD: return advice->held;
    default: return advice->allocated;
    }
}

bool report_is_advice(const struct report_advice *advice, enum report_saves saves, double words) {
    const double least = saves == REPORT_SAVES_LIVE ? 0.05 : 0.01; /* AD2 */
    const double whole = whole_of(advice, saves);
    return whole > 0 && words >= least * whole;
}

void report_advice_add(struct report_advice *advice, struct report_finding finding) {
    if (!report_is_advice(advice, finding.saves, finding.words.value) || finding.words.low <= 0) {
        report_free(finding.line, finding.what, finding.fix);
        return;
    }
    finding.share = finding.words.value / whole_of(advice, finding.saves);
    if (finding.line == NULL)
        finding.line = finding.location > 0
                           ? report_location_text(advice->query->model, finding.location)
                           : report_copy("the whole program");
    report_append(&advice->findings, finding);
}

/* ---- The sampled blocks by line and maker. ---- */

/* Whether two names of a function are those of one, as versions of OCaml write them:
 * Stdlib__Buffer.resize and Stdlib.Buffer.resize, Stdlib.(^) and Stdlib.^. */
static bool same_function(const char *a, const char *b) {
    for (;; a++, b++) {
        if (strncmp(a, "__", 2) == 0) a++;
        while (*a == '(' || *a == ')') a++;
        if (*a != *b && !(*a == '_' && *b == '.')) return false;
        if (*a == 0) return true;
    }
}

/* Of each location's function. */
static uint8_t *find_makers(const struct report_model *m) {
    static const struct {
        const char *name;
        enum report_maker maker;
    } functions[] = {
#define MAKER(id, function, copies, fix) {function, REPORT_MAKER_##id},
#define ALSO(id, function)               {function, REPORT_MAKER_##id},
#include "memprof/report/advice/makers.def"
    };
    uint8_t *makers = report_alloc(m->locations.count);
    for (size_t i = 0; i < m->locations.count; i++) {
        const char *name = m->names.at[m->locations.at[i].function];
        makers[i] = REPORT_MAKER_OTHER;
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            if (same_function(name, functions[k].name)) makers[i] = functions[k].maker;
    }
    return makers;
}

/* Of each node, the frames of `@` that its stack ends with: how far in a list a copy has come. */
static uint32_t *count_appends(const struct report_model *m, const uint8_t *makers) {
    uint32_t *appends = report_alloc(m->nodes.count * sizeof *appends);
    for (size_t i = 1; i < m->nodes.count; i++)
        if (makers[m->nodes.at[i].location] == REPORT_MAKER_APPEND)
            appends[i] = appends[m->nodes.at[i].parent] + 1;
    return appends;
}

/* The samples of all runs, one run after another; run i, of location i / REPORT_MAKERS, ends before
 * ends[i]. */
struct runs {
    uint32_t *samples, *ends;
    size_t count;
};

uint32_t report_own_line(const struct report_query *query, const struct report_sample *s) {
    const struct report_model *m = query->model;
    const uint32_t location = m->nodes.at[report_query_node(query, s)].location;
    return m->locations.at[location].line < 1 || report_is_nameless(m, location) ? 0 : location;
}

/* The run of a sample; 0: its line is not known. */
static uint32_t run_of(const struct report_query *query, const uint8_t *makers,
                       const struct report_sample *s) {
    const uint32_t location = report_own_line(query, s);
    if (location == 0) return 0;
    bool own = report_query_node(query, s) == s->node;
    return location * REPORT_MAKERS +
           (own ? REPORT_MAKER_OWN : makers[query->model->nodes.at[s->node].location]);
}

/* Sorts the numbers of the samples by their runs. */
static struct runs sort_runs(const struct report_model *m, const uint32_t *run_of_sample) {
    struct runs runs = {.count = m->locations.count * REPORT_MAKERS};
    uint32_t *starts = report_alloc((runs.count + 1) * sizeof *starts);
    for (size_t i = 0; i < m->samples.count; i++)
        if (run_of_sample[i] > 0) starts[run_of_sample[i] + 1]++;
    for (size_t i = 0; i < runs.count; i++) starts[i + 1] += starts[i];
    runs.samples = report_alloc(starts[runs.count] * sizeof *runs.samples);
    for (uint32_t i = 0; i < m->samples.count; i++)
        if (run_of_sample[i] > 0) runs.samples[starts[run_of_sample[i]]++] = i;
    runs.ends = starts;
    return runs;
}

/* The runs of the selected blocks. Sums what is allocated and live. */
static struct runs list_runs(struct report_advice *advice) {
    const struct report_query *query = advice->query;
    const struct report_model *m = query->model;
    struct report_sum all = {0}, live = {0};
    uint8_t *makers = find_makers(m);
    uint32_t *run_of_sample = report_alloc(m->samples.count * sizeof *run_of_sample);
    advice->appends = count_appends(m, makers);
    report_each_selected(s, query) {
        report_sum_add(&all, s, m->rate);
        if (s->born <= advice->peak && report_live_until(query, s) >= advice->peak)
            report_sum_add(&live, s, m->rate);
        run_of_sample[s->number] = run_of(query, makers, s);
    }
    advice->allocated = report_estimate_words(&query->scale, &all).value;
    advice->live = report_estimate_words(&query->scale, &live).value;
    const struct runs runs = sort_runs(m, run_of_sample);
    report_free(makers, run_of_sample);
    return runs;
}

static void advise_runs(struct report_advice *advice) {
    const struct runs runs = list_runs(advice);
    for (size_t i = 0, start = 0; i < runs.count; start = runs.ends[i++]) {
        const struct report_run run = {i / REPORT_MAKERS, i % REPORT_MAKERS, runs.samples + start,
                                       runs.ends[i] - start};
        if (run.count == 0) continue;
        report_advise_doubling(advice, &run);
        report_advise_copying(advice, &run);
        report_advise_boxes(advice, &run);
        report_advise_closures(advice, &run);
    }
    report_free(runs.samples, runs.ends);
}

/* ---- The document. ---- */

REPORT_COMPARE(by_share, struct report_finding,
               report_order(y->share, x->share)
                   ?: report_order(x->location, y->location) ?: strcmp(x->line, y->line))

static void add_findings(struct report_doc *doc, struct report_advice *advice) {
    static const char *const saved[] = {"allocated", "live at the peak", "promoted",
                                        "in the snapshot"};
    const double word = advice->query == NULL ? 8 : advice->query->model->word_bytes;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    t->empty = "nothing that would save 1 %";
    report_table_columns(t, "saved", "saves", "share", "share", "of", "of what is", "sure", "sure",
                         "name", "line", "finding", "finding", NULL);
    report_sort(&advice->findings, by_share);
    for (size_t i = 0; i < advice->findings.count && i < MOST_FINDINGS; i++) {
        const struct report_finding *f = &advice->findings.at[i];
        struct report_estimate bytes = {f->words.value * word, f->words.low * word,
                                        f->words.high * word};
        report_row(t, 0, report_interval(REPORT_BYTES, bytes), report_share(f->share),
                   report_text(saved[f->saves]), report_text(f->sure ? "yes" : "likely"),
                   report_text(f->line), report_own_text(report_format("%s: %s", f->what, f->fix)));
    }
    if (advice->findings.count > MOST_FINDINGS)
        report_doc_note(doc, "%zu smaller findings are left out.",
                        advice->findings.count - MOST_FINDINGS);
}

static void advice_clear(struct report_advice *advice) {
    report_each(f, &advice->findings) report_free(f->line, f->what, f->fix);
    report_free(advice->findings.at, advice->appends);
}

/* ---- Heap snapshots. ---- */

static void advise_held(struct report_advice *advice, const struct heap_graph *graph,
                        struct report_doc *doc) {
    struct report_owners owners = report_owners_find(advice, graph);
    if (report_advise_sparse(&owners))
        report_doc_note(doc, "A snapshot shows one moment: sparse arrays and tables may have held "
                             "more before.");
    if (graph->contents.written) report_advise_equal_strings(&owners);
    else
        report_doc_note(doc, "The snapshot has no contents, by which equal strings are found: "
                             "take it with --values for that.");
    report_owners_free(&owners);
}

/* Selectors are about what is allocated, not about a moment. */
static void advise_own(struct report_advice *advice, const struct report_request *request,
                       const struct heap_own *own, struct report_doc *doc) {
    if (!advice->query->is_whole) return;
    if (own->graph != NULL) advise_held(advice, own->graph, doc);
    heap_own_note(request, own, doc);
}

static struct report_doc *advise_snapshot(const struct report_request *request) {
    struct report_advice advice = {.query = NULL};
    struct heap_graph *g = heap_graph_load(request->path, request->error);
    if (g == NULL) return NULL;
    struct report_doc *doc = report_doc_create("advise", "What can be saved, of the heap of %s",
                                               g->program);
    advise_held(&advice, g, doc);
    add_findings(doc, &advice);
    if (g->samples.count > 0)
        report_doc_note(doc, "`bactrian prof advise` of the run's recording names the lines that "
                             "allocate them.");
    advice_clear(&advice);
    heap_graph_free(g);
    return doc;
}

/* ---- Recordings. ---- */

static struct report_doc *advise_recording(const struct report_request *request,
                                           const struct report_query *query,
                                           const struct heap_own *own) {
    struct report_advice advice = {.query = query, .peak = report_query_peak(query)};
    struct report_doc *doc = report_doc_create("advise", "What can be saved, of memory %s",
                                               query->sentence);
    struct report_doc *curve = report_doc_create("", "%s", "");
    advise_runs(&advice);
    report_advise_minor_heap(&advice, curve);
    advise_own(&advice, request, own, doc);
    add_findings(doc, &advice);
    report_each(table, &curve->tables) report_append(&doc->tables, *table);
    curve->tables.count = 0;
    report_doc_free(curve);
    report_note_folded(doc, query, true);
    report_add_notes(doc, request->model);
    advice_clear(&advice);
    return doc;
}

struct report_doc *report_view_advise(const struct report_request *request) {
    struct report_selection selection = request->selection;
    struct report_query query;
    struct heap_own own;
    struct report_doc *doc = NULL;
    if (request->model == NULL) return advise_snapshot(request);
    report_selection_show(&selection, REPORT_SHOW_ALLOC, REPORT_NO_MOMENT);
    if (report_query_start(&query, request->model, &selection, request->error) != 0) return NULL;
    report_query_fold_library(&query, true);
    if (heap_own_load(request, &own) == 0) doc = advise_recording(request, &query, &own);
    heap_own_free(&own);
    report_query_end(&query);
    return doc;
}
