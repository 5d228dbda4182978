/* gc.c - what the collector did, and the heap over time. */
#include "gc/assert.h"
#include "memprof/report/model/text.h"
#include "memprof/report/view/work.h"

#include <stdlib.h>

enum { STEPS = 40, MOST_STEPS = 100000, WORST = 5 };

/* The pauses of a busy computer. */
#define BUSY_SHARE    0.2
#define LEAST_SECONDS 1e-3

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return report_order(x, y);
}

/* The smallest value that at least a share of all values does not exceed. */
static double percentile(const double *sorted, size_t n, double share) {
    ASSERT(n > 0 && share > 0 && share <= 1);
    size_t rank = (size_t)(share * n);
    if (rank < share * n) rank++;
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void add_row(struct report_table *t, const char *name, double *seconds, size_t n, double run,
                    double words) {
    double total = 0;
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) total += seconds[i];
    qsort(seconds, n, sizeof *seconds, by_value);
    report_row(t, 0, report_count(n), report_seconds(total),
               report_share(run > 0 ? total / run : 0), report_seconds(percentile(seconds, n, 0.5)),
               report_seconds(percentile(seconds, n, 0.9)),
               report_seconds(percentile(seconds, n, 0.99)), report_seconds(seconds[n - 1]),
               report_count(words), report_text(name));
}

static void add_events(struct report_doc *doc, const struct report_query *query) {
    static const uint8_t order[REPORT_GC_KINDS] = {MP_GC_PAUSE,    MP_GC_MARK,  MP_GC_MINOR,
                                                   MP_GC_MARK_END, MP_GC_SWEEP, REPORT_GC_EXACT,
                                                   REPORT_GC_LAST};
    const struct report_model *m = query->model;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "events", "Time");
    report_table_columns(t, "count", "count", "total", "total", "share",
                         query->window[0] != 0 ? "of that time" : "of the run", "p50", "p50", "p90",
                         "p90", "p99", "p99", "max", "max", "words", "words", "name", "what", NULL);
    double *seconds = report_alloc(m->gc_events.count * sizeof *seconds);
    double *processor = report_alloc(m->gc_events.count * sizeof *processor);
    double run = report_query_length(query) / 1e9;
    for (size_t k = 0; k < REPORT_GC_KINDS; k++) {
        size_t n = 0, measured = 0;
        double words = 0, waited = 0, total = 0;
        report_each(e, &m->gc_events) {
            if (e->kind != order[k] || !report_query_holds(query, e->start)) continue;
            seconds[n++] = e->duration / 1e9;
            words += e->words;
            if (e->processor < 0) continue;
            processor[measured++] = e->processor / 1e9;
            waited += (e->duration - e->processor) / 1e9;
            total += e->duration / 1e9;
        }
        add_row(t, report_gc_text(order[k]), seconds, n, run, words);
        if (order[k] != MP_GC_PAUSE) continue;
        add_row(t, "pause, CPU time", processor, measured, run, words);
        if (total >= LEAST_SECONDS && waited > BUSY_SHARE * total)
            report_doc_note(doc,
                            "For %.0f %% of the time of the pauses the collector waited for a "
                            "CPU: the computer was busy.",
                            100 * waited / total);
    }
    report_free(seconds, processor);
    t->empty = "the profile has no times of the collector (record with `bactrian prof record`)";
}

/* The longest first. */
static int by_duration(const void *a, const void *b) {
    const struct report_gc_event *x = *(const struct report_gc_event *const *)a;
    const struct report_gc_event *y = *(const struct report_gc_event *const *)b;
    return report_order(y->duration, x->duration) ?: report_order(x->start, y->start);
}

static void add_longest(struct report_doc *doc, const struct report_query *query) {
    const struct report_model *m = query->model;
    const struct report_gc_event **pauses = report_alloc(m->gc_events.count * sizeof *pauses);
    size_t n = 0;
    report_each(e, &m->gc_events) {
        if (e->kind == MP_GC_PAUSE && report_query_holds(query, e->start)) pauses[n++] = e;
    }
    qsort(pauses, n, sizeof *pauses, by_duration);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "longest", "The longest pauses");
    report_table_columns(t, "duration", "pause", "processor", "CPU time", "start", "at", "cause",
                         "cause", NULL);
    for (size_t i = 0; i < n && i < report_rows_of(query->selection, WORST); i++) {
        int64_t processor = pauses[i]->processor;
        report_row(t, 0, report_seconds(pauses[i]->duration / 1e9),
                   processor < 0 ? report_text("") : report_seconds(processor / 1e9),
                   report_seconds(pauses[i]->start / 1e9),
                   report_text(pauses[i]->cause == MP_CAUSE_UNKNOWN
                                   ? ""
                                   : mp_cause_name(pauses[i]->cause)));
    }
    free(pauses);
}

/* The last reading up to a time: they are taken at phases and every few collections. */
static struct report_counter reading(const struct report_model *m, int64_t time) {
    size_t low = 0, high = m->counters.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->counters.at[middle].time <= time) low = middle + 1;
        else high = middle;
    }
    return low > 0 ? m->counters.at[low - 1] : (struct report_counter){0};
}

/* What was counted in the selected time; heap_words: the maximum. */
static struct report_counter count_selected(const struct report_query *query) {
    const struct report_model *m = query->model;
    struct report_counter sum = {0};
    for (size_t i = 0; i < query->span_count; i++) {
        const int64_t start = query->spans[i].from;
        const struct report_counter from = reading(m, start > 0 ? start : -1);
        const struct report_counter to = reading(m, query->spans[i].to);
        report_counter_add(&sum, &to, 1);
        report_counter_add(&sum, &from, -1);
    }
    report_each(c, &m->counters)
        if (report_query_holds(query, c->time) && c->heap_words > sum.heap_words)
            sum.heap_words = c->heap_words;
    return sum;
}

static void add_counters(struct report_doc *doc, const struct report_query *query) {
    const struct report_model *m = query->model;
    if (m->counters.count == 0) return;
    const struct report_counter c = count_selected(query);
    double resident = 0;
    report_each(r, &m->residents)
        if (report_query_holds(query, r->time) && r->bytes > resident) resident = r->bytes;
    struct report_table *t = report_doc_table(doc, REPORT_FACTS, "counters", "Exact counters");
    double word = m->word_bytes;
    report_fact(t, "minor_collections", "minor collections", report_count(c.minor_collections));
    report_fact(t, "major_collections", "major collections", report_count(c.major_collections));
    report_fact(t, "minor", "allocated in the minor heap", report_bytes(c.minor_words * word));
    report_fact(t, "promoted", "promoted", report_bytes(c.promoted_words * word));
    report_fact(t, "major", "allocated in the major heap directly",
                report_bytes((c.major_words - c.promoted_words) * word));
    if (c.external_words > 0)
        report_fact(t, "external", "external", report_bytes(c.external_words * word));
    if (m->most_words > 0 && query->window[0] == 0)
        report_fact(t, "most", "most memory not yet collected", report_bytes(m->most_words * word));
    if (c.heap_words > 0)
        report_fact(t, "heap_max", "largest major heap", report_bytes(c.heap_words * word));
    if (resident > 0)
        report_fact(t, "resident_max", "largest resident memory of the process",
                    report_bytes(resident));
    if (query->window[0] != 0)
        report_doc_note(doc,
                        "Counters are read at phases and after collections: the readings nearest "
                        "to the selected time are used.");
}

struct report_doc *report_view_gc(const struct report_request *request) {
    struct report_query query;
    if (report_request_query(request, &query) != 0) return NULL;
    struct report_doc *doc = report_doc_create("gc", "The garbage collector%s%s",
                                               query.window[0] != 0 ? ", " : "", query.window);
    add_counters(doc, &query);
    add_events(doc, &query);
    report_add_causes(doc, &query);
    add_longest(doc, &query);
    report_add_processor(doc, &query);
    report_add_rates(doc, &query);
    report_add_notes(doc, request->model);
    report_query_end(&query);
    return doc;
}

static const char *const live_titles[REPORT_UNITS] = {
    [REPORT_UNIT_BYTES] = "live",
    [REPORT_UNIT_WORDS] = "live words",
    [REPORT_UNIT_BLOCKS] = "live blocks",
    [REPORT_UNIT_SAMPLES] = "live samples",
};

/* Births and deaths in each step of the time that is shown. */
struct steps {
    size_t count;
    int64_t from;
    double width;
    struct report_sum *born, *died; /* of what counts as live */
    struct report_sum *allocated;
};

static void fill_steps(struct steps *steps, const struct report_query *query) {
    const struct report_model *m = query->model;
    report_each_selected(s, query) {
        ASSERT(s->born >= steps->from);
        size_t born = (s->born - steps->from) / steps->width;
        int64_t until = report_live_until(query, s);
        double died = until == REPORT_NEVER ? steps->count
                                            : (until + 1 - steps->from) / steps->width;
        if (born >= steps->count) born = steps->count - 1;
        report_sum_add(&steps->allocated[born], s, m->rate);
        if (until < s->born) continue;
        report_sum_add(&steps->born[born], s, m->rate);
        if (died < steps->count) report_sum_add(&steps->died[(size_t)died], s, m->rate);
    }
}

/* Updates `live` by a step. */
static void live_after(struct report_sum *live, const struct steps *steps, size_t step) {
    const struct report_sum *d = &steps->died[step];
    report_sum_merge(live, &steps->born[step]);
    ASSERT(d->samples <= live->samples && d->hits <= live->hits);
    if (live->samples == d->samples) {
        *live = (struct report_sum){0};
        return;
    }
    live->samples -= d->samples;
    live->hits -= d->hits;
    live->excess -= d->excess;
    live->fiber_hits -= d->fiber_hits;
    live->fiber_excess -= d->fiber_excess;
    live->blocks -= d->blocks;
    live->blocks_variance -= d->blocks_variance;
}

static void add_steps(struct report_table *t, const struct report_query *query,
                      const struct steps *steps) {
    enum report_kind kind = report_unit_kind(query->selection);
    struct report_sum live = {0};
    uint64_t most = 1;
    for (size_t i = 0; i < steps->count; i++) {
        live_after(&live, steps, i);
        if (live.hits > most) most = live.hits;
    }
    live = (struct report_sum){0};
    for (size_t i = 0; i < steps->count; i++) {
        live_after(&live, steps, i);
        report_row(t, 0, report_seconds((steps->from + (i + 1) * steps->width) / 1e9),
                   report_interval(kind, report_query_estimate(query, &live)),
                   report_number(kind, report_query_estimate(query, &steps->allocated[i]).value),
                   report_number(REPORT_BAR, (double)live.hits / most));
    }
}

struct report_doc *report_view_timeline(const struct report_request *request) {
    const struct report_model *m = request->model;
    const struct report_selection *selection = &request->selection;
    struct report_query query;
    if (report_query_start(&query, m, selection, request->error) != 0) return NULL;
    struct steps steps = {.count = report_rows_of(selection, STEPS), .from = query.from};
    if (steps.count > MOST_STEPS) steps.count = MOST_STEPS;
    if (steps.from > m->end) steps.from = m->end;
    steps.width = ((query.to <= m->end ? query.to : m->end + 1.0) - steps.from) / steps.count;
    steps.born = report_alloc(steps.count * sizeof *steps.born);
    steps.died = report_alloc(steps.count * sizeof *steps.died);
    steps.allocated = report_alloc(steps.count * sizeof *steps.allocated);
    fill_steps(&steps, &query);
    bool whole = query.is_whole;
    struct report_doc *doc = report_doc_create("timeline", "Memory over time, %s%s%s",
                                               report_live_text(&query), whole ? "" : ", ",
                                               whole ? "" : query.sentence);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "steps", "");
    report_table_columns(t, "time", "until", "live", live_titles[selection->unit], "allocated",
                         "allocated since the line above", "bar", "", NULL);
    add_steps(t, &query, &steps);
    report_add_notes(doc, m);
    report_free(steps.born, steps.died, steps.allocated);
    report_query_end(&query);
    return doc;
}
