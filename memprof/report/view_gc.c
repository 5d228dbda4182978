/* view_gc.c - what the collector did, and the heap over time. */
#include "memprof/report/memory.h"
#include "memprof/report/text.h"
#include "memprof/report/views.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 40, MOST_STEPS = 100000, WORST = 5 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The smallest value that at least that share of all does not exceed. */
static double percentile(const double *sorted, size_t n, double share) {
    size_t rank = (size_t)(share * n);
    if (rank < share * n) rank++;
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void add_row(struct report_table *t, const char *name, double *seconds, size_t n, double run,
                    double words) {
    double total = 0;
    for (size_t i = 0; i < n; i++) total += seconds[i];
    qsort(seconds, n, sizeof *seconds, by_value);
    report_table_row(t, 0);
    report_cell_number(t, REPORT_COUNT, n);
    report_cell_number(t, REPORT_SECONDS, total);
    report_cell_number(t, REPORT_SHARES, run > 0 ? total / run : 0);
    report_cell_number(t, REPORT_SECONDS, percentile(seconds, n, 0.5));
    report_cell_number(t, REPORT_SECONDS, percentile(seconds, n, 0.9));
    report_cell_number(t, REPORT_SECONDS, percentile(seconds, n, 0.99));
    report_cell_number(t, REPORT_SECONDS, seconds[n - 1]);
    report_cell_number(t, REPORT_COUNT, words);
    report_cell_text(t, name);
}

/* Whole pauses first, then their parts. */
static int by_name(const void *a, const void *b, void *context) {
    const struct report_model *m = context;
    const char *x = m->names[*(const uint32_t *)a], *y = m->names[*(const uint32_t *)b];
    bool first = strcmp(x, "pause") == 0, second = strcmp(y, "pause") == 0;
    return first != second ? second - first : strcmp(x, y);
}

static uint32_t *names_in_order(const struct report_model *m) {
    uint32_t *names = report_alloc(m->name_count * sizeof *names);
    for (uint32_t i = 0; i < m->name_count; i++) names[i] = i;
    qsort_r(names, m->name_count, sizeof *names, by_name, (void *)m);
    return names;
}

static void add_events(struct report_doc *doc, const struct report_query *query) {
    const struct report_model *m = query->model;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "events", "Time");
    static const char *const titles[] = {"count", "total", "share", "p50", "p90",
                                         "p99",   "max",   "words", "name"};
    for (size_t i = 0; i < 9; i++)
        report_table_column(t, titles[i], i == 2 ? "of the run" : i == 8 ? "what" : titles[i]);
    double *seconds = report_alloc(m->gc_event_count * sizeof *seconds);
    uint32_t *names = names_in_order(m);
    int64_t end = query->to < m->end ? query->to : m->end;
    for (size_t k = 0; k < m->name_count; k++) {
        uint32_t name = names[k];
        size_t n = 0;
        double words = 0;
        for (size_t i = 0; i < m->gc_event_count; i++) {
            const struct report_gc_event *e = &m->gc_events[i];
            if (e->name != name || e->start < query->from || e->start >= query->to) continue;
            seconds[n++] = e->duration / 1e9;
            words += e->words;
        }
        if (n > 0) add_row(t, m->names[name], seconds, n, (end - query->from) / 1e9, words);
    }
    free(seconds);
    free(names);
    t->empty = report_copy("the profile holds no times of the collector "
                           "(record with `bactrian prof record`)");
}

/* The longest first. */
static int by_duration(const void *a, const void *b) {
    const struct report_gc_event *x = *(const struct report_gc_event *const *)a;
    const struct report_gc_event *y = *(const struct report_gc_event *const *)b;
    if (x->duration != y->duration) return x->duration > y->duration ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void add_longest(struct report_doc *doc, const struct report_query *query) {
    const struct report_model *m = query->model;
    const struct report_gc_event **pauses = report_alloc(m->gc_event_count * sizeof *pauses);
    size_t n = 0;
    for (size_t i = 0; i < m->gc_event_count; i++) {
        const struct report_gc_event *e = &m->gc_events[i];
        if (e->kind == REPORT_GC_PAUSE && e->start >= query->from && e->start < query->to)
            pauses[n++] = e;
    }
    qsort(pauses, n, sizeof *pauses, by_duration);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "longest", "The longest pauses");
    report_table_column(t, "duration", "pause");
    report_table_column(t, "start", "at");
    for (size_t i = 0; i < n && i < report_rows_of(query->selection, WORST); i++) {
        report_table_row(t, 0);
        report_cell_number(t, REPORT_SECONDS, pauses[i]->duration / 1e9);
        report_cell_number(t, REPORT_SECONDS, pauses[i]->start / 1e9);
    }
    free(pauses);
}

static void add_counters(struct report_doc *doc, const struct report_model *m) {
    if (m->counter_count == 0) return;
    const struct report_counter *c = &m->counters[m->counter_count - 1];
    struct report_table *t = report_doc_table(doc, REPORT_FACTS, "counters", "Exact counters");
    double word = m->word_bytes, most = 0;
    for (size_t i = 0; i < m->counter_count; i++)
        if (m->counters[i].heap_words > most) most = m->counters[i].heap_words;
    report_fact_number(t, "minor_collections", "minor collections", REPORT_COUNT,
                       c->minor_collections);
    report_fact_number(t, "major_collections", "major collections", REPORT_COUNT,
                       c->major_collections);
    report_fact_number(t, "minor", "allocated in the minor heap", REPORT_BYTES,
                       c->minor_words * word);
    report_fact_number(t, "promoted", "promoted", REPORT_BYTES, c->promoted_words * word);
    report_fact_number(t, "major", "allocated in the major heap at once", REPORT_BYTES,
                       (c->major_words - c->promoted_words) * word);
    if (c->external_words > 0)
        report_fact_number(t, "external", "outside the heap", REPORT_BYTES,
                           c->external_words * word);
    report_fact_number(t, "heap_max", "largest major heap", REPORT_BYTES, most * word);
}

struct report_doc *report_view_gc(const struct report_request *request,
                                  struct report_error *error) {
    struct report_query query;
    if (report_query_start(&query, request->model, &request->selection, REPORT_SHOW_ALLOC, error) !=
        0)
        return NULL;
    struct report_doc *doc = report_doc_create("gc", "The garbage collector");
    add_counters(doc, request->model);
    add_events(doc, &query);
    add_longest(doc, &query);
    report_add_notes(doc, request->model);
    report_query_end(&query);
    return doc;
}

struct report_doc *report_view_timeline(const struct report_request *request,
                                        struct report_error *error) {
    const struct report_model *m = request->model;
    struct report_selection selection = request->selection;
    struct report_query query;
    selection.at.kind = REPORT_NO_MOMENT;
    selection.has_show = true;
    selection.show = REPORT_SHOW_ALLOC;
    if (report_query_start(&query, m, &selection, REPORT_SHOW_ALLOC, error) != 0) return NULL;
    size_t steps = report_rows_of(&selection, STEPS);
    if (steps > MOST_STEPS) steps = MOST_STEPS;
    double width = (m->end + 1.0) / steps;
    struct report_sum *born = report_alloc((steps + 1) * sizeof *born);
    int64_t *change = report_alloc((steps + 1) * sizeof *change);
    for (size_t i = 0; i < m->sample_count; i++) {
        const struct report_sample *s = &m->samples[i];
        if (!report_query_selects(&query, s)) continue;
        size_t from = s->born / width;
        size_t to = s->died == REPORT_NEVER ? steps : (size_t)(s->died / width);
        report_sum_add(&born[from], s, m->rate);
        change[from] += s->hits;
        change[to < from ? from : to] -= s->hits;
    }
    struct report_doc *doc = report_doc_create("timeline", "Live memory over time");
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "steps", "%s", "");
    report_table_column(t, "time", "until");
    report_table_column(t, "live", "live");
    report_table_column(t, "allocated", "allocated since the line above");
    report_table_column(t, "bar", "");
    struct report_sum live = {0};
    int64_t now = 0, most = 1;
    for (size_t i = 0; i < steps; i++) {
        now += change[i];
        if (now > most) most = now;
    }
    for (size_t i = 0; i < steps; i++) {
        live.hits += change[i];
        report_table_row(t, 0);
        report_cell_number(t, REPORT_SECONDS, (i + 1) * width / 1e9);
        report_cell_estimate(t, REPORT_BYTES, report_estimate_bytes(&query.scale, &live));
        report_cell_number(t, REPORT_BYTES, report_estimate_bytes(&query.scale, &born[i]).value);
        report_cell_number(t, REPORT_BAR, (double)live.hits / most);
    }
    doc->no_intervals = selection.no_intervals;
    report_add_notes(doc, m);
    free(born);
    free(change);
    report_query_end(&query);
    return doc;
}
