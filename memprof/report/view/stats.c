/* stats.c - what was recorded and how; the summary. */
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { SUMMARY_ROWS = 5, MOST_PHASES = 1000 };

static void add_run(struct report_doc *doc, const struct report_request *request) {
    const struct report_model *m = request->model;
    struct report_table *t = report_doc_table(doc, REPORT_FACTS, "run", "The run");
    char date[64];
    time_t seconds = m->epoch_us / 1000000;
    struct tm tm;
    report_fact(t, "file", "file", report_text(request->path));
    report_fact(t, "format", "format", report_text(m->format));
    if (m->program[0] != 0) report_fact(t, "program", "program", report_text(m->program));
    if (m->context[0] != 0)
        report_fact(t, "context", "command or context", report_text(m->context));
    if (m->host[0] != 0) report_fact(t, "host", "host", report_text(m->host));
    if (m->runtime_parameters[0] != 0)
        report_fact(t, "runtime_parameters", "OCaml parameters",
                    report_text(m->runtime_parameters));
    report_fact(t, "pid", "process", report_number(REPORT_NUMBER, m->pid));
    if (gmtime_r(&seconds, &tm) != NULL &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm) > 0)
        report_fact(t, "started", "started", report_text(date));
    report_fact(t, "duration", "duration", report_seconds(m->end / 1e9));
    if (m->before_words > 0)
        report_fact(t, "before", "live before attaching",
                    report_bytes(m->before_words * m->word_bytes));
    if (m->outcome[0] != 0) report_fact(t, "outcome", "the program", report_text(m->outcome));
    if (m->overhead >= 0)
        report_fact(t, "overhead", "time spent recording", report_seconds(m->overhead / 1e9));
    if (m->processor >= 0) {
        report_fact(t, "overhead_processor", "the same in CPU time",
                    report_seconds(m->overhead_processor / 1e9));
        report_fact(t, "processor", "CPU time of the process", report_seconds(m->processor / 1e9));
    }
}

static void add_sampling(struct report_doc *doc, const struct report_model *m) {
    struct report_table *t = report_doc_table(doc, REPORT_FACTS, "sampling", "Sampling");
    unsigned deepest = 0;
    report_each(node, &m->nodes)
        if (node->depth > deepest) deepest = node->depth;
    report_fact(t, "rate", "sampling probability of a word", report_number(REPORT_NUMBER, m->rate));
    report_fact(t, "period", "on average one sample per", report_bytes(m->word_bytes / m->rate));
    if (m->snapshot != NULL)
        report_fact(t, "snapshot", "heap snapshot of the run", report_text(m->snapshot));
    if (m->has_seed) report_fact(t, "seed", "seed", report_number(REPORT_NUMBER, m->seed));
    report_fact(t, "samples", "sampled blocks", report_count(m->samples.count));
    if (m->weight > 1)
        report_fact(t, "weight", "hits that a kept one stands for, at most",
                    report_count(m->weight));
    if (m->has_sites) report_fact(t, "sites", "sites", report_text("also counted exactly"));
    report_fact(t, "stacks", "different call stacks", report_count(m->nodes.count - 1));
    report_fact(t, "locations", "different locations", report_count(m->locations.count - 1));
    report_fact(t, "deepest", "frames of the deepest stack", report_count(deepest));
    if (m->skipped > 0) report_fact(t, "skipped", "events skipped", report_count(m->skipped));
}

/* Adds a row that compares an estimate with the exact total. */
static void add_comparison(struct report_table *t, const char *what,
                           const struct report_scale *scale, const struct report_sum *sum,
                           double exact) {
    struct report_estimate bytes = report_estimate_bytes(scale, sum);
    ASSERT(bytes.low <= bytes.value && bytes.value <= bytes.high);
    report_row(t, 0, report_interval(REPORT_BYTES, bytes), report_bytes(exact),
               report_share(exact > 0 ? bytes.value / exact - 1 : NAN),
               report_text(exact >= bytes.low && exact <= bytes.high ? "yes" : "no"),
               report_text(what));
}

static void add_calibration(struct report_doc *doc, const struct report_model *m) {
    struct report_scale scale = report_scale_of(m);
    struct report_sum sums[3] = {{0}}; /* minor; major and external; promoted */
    if (m->counters.count == 0 || m->selected) return;
    const struct report_counter *c = &m->counters.at[m->counters.count - 1];
    scale.exact_words = 0; /* estimate from the rate alone */
    report_each_sample(s, m) {
        if (s->source == REPORT_FIBER) continue;
        report_sum_add(&sums[s->source != REPORT_MINOR], s, m->rate);
        if (s->promoted != REPORT_NEVER && s->source != REPORT_EXTERNAL)
            report_sum_add(&sums[2], s, m->rate);
    }
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "calibration",
                                              "Estimates against the collector's exact counters");
    report_table_columns(t, "estimate", "estimate", "exact", "exact", "difference", "difference",
                         "within", "within", "what", "what", NULL);
    double word = m->word_bytes;
    add_comparison(t, "allocated in the minor heap", &scale, &sums[0], c->minor_words * word);
    add_comparison(t, "allocated elsewhere", &scale, &sums[1],
                   (c->major_words - c->promoted_words + c->external_words) * word);
    add_comparison(t, "promoted", &scale, &sums[2], c->promoted_words * word);
}

static void add_phases(struct report_doc *doc, const struct report_model *m) {
    if (m->phases.count == 0) return;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "phases", "Phases");
    report_table_columns(t, "start", "start", "duration", "duration", "phase", "phase", NULL);
    report_each(p, &m->phases) {
        if (t->rows.count == MOST_PHASES) {
            report_doc_note(doc, "%zu more phases are not listed.", m->phases.count - MOST_PHASES);
            break;
        }
        report_row(t, 0, report_seconds(p->start / 1e9),
                   report_seconds(((p->end == REPORT_NEVER ? m->end : p->end) - p->start) / 1e9),
                   report_text(m->names.at[p->name]));
    }
}

/* What the program has counted, each name once, in the order of their first use. */
static void add_counts(struct report_doc *doc, const struct report_model *m) {
    if (m->counts.count == 0) return;
    double *sums = report_alloc(m->names.count * sizeof *sums);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "counts",
                                              "Counted by the program");
    report_table_columns(t, "count", "count", "name", "name", NULL);
    report_each(c, &m->counts) sums[c->name] += c->more;
    report_each(c, &m->counts) {
        if (sums[c->name] < 0) continue; /* done */
        report_row(t, 0, report_count(sums[c->name]), report_text(m->names.at[c->name]));
        sums[c->name] = -1;
    }
    free(sums);
}

struct report_doc *report_view_stats(const struct report_request *request) {
    struct report_doc *doc = report_doc_create("stats", "What was recorded");
    add_run(doc, request);
    add_sampling(doc, request->model);
    add_calibration(doc, request->model);
    add_phases(doc, request->model);
    add_counts(doc, request->model);
    report_add_notes(doc, request->model);
    return doc;
}

/* Adds the largest sites of a selection, and its total to the facts. Returns 0, or -1 and
 * *error. */
static int add_top(struct report_doc *doc, const struct report_request *request, const char *key,
                   struct report_selection selection, struct report_table *facts) {
    struct report_query query;
    if (report_query_start(&query, request->model, &selection, request->error) != 0) return -1;
    report_fold(&query, false);
    struct report_groups *g = report_groups_create(&query);
    struct report_estimate total = report_group_estimate(&query, g, &g->total);
    char *text = report_groups_total_text(&query, g);
    char *title = report_format("%s: %s", query.sentence, text);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, key, title);
    t->title[0] = t->title[0] >= 'a' ? t->title[0] - 32 : t->title[0];
    report_fact(facts, key, query.sentence, report_interval(report_unit_kind(&selection), total));
    report_table_columns(t, "share", "share", report_unit_title(&selection),
                         report_unit_title(&selection), "site", report_by_title(&selection), NULL);
    t->empty = "no samples";
    size_t rows = report_rows_to_make(t, &selection, SUMMARY_ROWS, 0);
    for (size_t i = 0; i < g->shown && i < rows; i++) {
        const struct report_group *group = &g->groups[g->order[i]];
        report_row(
            t, 0, report_share(report_group_share(g, group)),
            report_interval(report_unit_kind(&selection), report_group_estimate(&query, g, group)),
            report_text(g->texts[g->order[i]]));
    }
    if (query.show == REPORT_SHOW_ALLOC) report_note_folded(doc, &query, false);
    report_free(text, title);
    report_groups_free(g);
    report_query_end(&query);
    return 0;
}

struct report_doc *report_view_summary(const struct report_request *request) {
    const struct report_model *m = request->model;
    struct report_doc *doc = report_doc_create("summary", "Memory profile of %s",
                                               m->program[0] != 0 ? m->program : request->path);
    struct report_table *facts = report_doc_table(doc, REPORT_FACTS, "totals", "");
    struct report_selection selection = request->selection;
    report_fact(facts, "duration", "duration", report_seconds(m->end / 1e9));
    report_fact(facts, "samples", "sampled blocks", report_count(m->samples.count));
    if (m->before_words > 0)
        report_fact(facts, "before", "live before attaching",
                    report_bytes(m->before_words * m->word_bytes));
    report_selection_show(&selection, REPORT_SHOW_ALLOC, REPORT_NO_MOMENT);
    int failed = add_top(doc, request, "allocated", selection, facts);
    report_selection_show(&selection, REPORT_SHOW_LIVE, REPORT_PEAK);
    failed = failed || add_top(doc, request, "live_at_peak", selection, facts);
    report_selection_show(&selection, REPORT_SHOW_LIVE, REPORT_END);
    failed = failed || add_top(doc, request, "live_at_end", selection, facts);
    if (failed) {
        report_doc_free(doc);
        return NULL;
    }
    report_add_notes(doc, m);
    report_doc_note(doc, "More: bactrian prof tree %s, leaks, lifetimes, gc, html -o report.html",
                    request->path);
    return doc;
}
