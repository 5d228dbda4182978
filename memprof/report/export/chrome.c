/* chrome.c - Chrome's trace events: the collector's pauses with their causes, the program's phases,
 * the functions that use CPU time, the heap, the memory of the process, how fast modules
 * allocate, and what each thread has allocated. */
#include "gc/assert.h"
#include "memprof/report/export/export.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>

enum { PROCESS = 1, THREAD_PROGRAM = 1, THREAD_PHASES = 2, THREAD_TICKS = 3 };
enum { STEPS = 1000, RATES = 100, MODULES = 6 };

static void put_name(const char *what, unsigned thread, const char *name, FILE *out) {
    fprintf(out, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":", PROCESS,
            thread, what);
    report_write_json_string(name, out);
    fputs("}}", out);
}

static void put_span(const char *name, unsigned thread, int64_t start, int64_t duration,
                     FILE *out) {
    fprintf(out,
            ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"name\":", PROCESS,
            thread, start / 1e3, duration / 1e3);
    report_write_json_string(name, out);
}

static void put_counters(const struct report_query *query, FILE *out) {
    const struct report_model *m = query->model;
    double word = m->word_bytes;
    report_each(c, &m->counters) {
        if (!report_query_holds(query, c->time)) continue;
        fprintf(out,
                ",\n{\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"name\":\"major heap (bytes)\",\"args\":"
                "{\"live\":%.0f,\"free\":%.0f}}",
                PROCESS, c->time / 1e3, c->live_words * word,
                c->heap_words > c->live_words ? (c->heap_words - c->live_words) * word : 0);
    }
}

static void put_resident(const struct report_query *query, FILE *out) {
    report_each(r, &query->model->residents) {
        if (!report_query_holds(query, r->time)) continue;
        fprintf(out,
                ",\n{\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"name\":\"resident memory (bytes)\","
                "\"args\":{\"value\":%.0f}}",
                PROCESS, r->time / 1e3, r->bytes);
    }
}

/* Ticks as spans: CPU time, which may be longer than the time between two of them. */
static void put_ticks(const struct report_query *query, FILE *out) {
    const struct report_model *m = query->model;
    int64_t last = 0;
    report_each(t, &m->ticks) {
        int64_t length = (int64_t)t->running * MP_TICK_NS;
        if (length > t->time - last) length = t->time - last;
        last = t->time;
        if (t->running == 0 || !report_query_holds(query, t->time)) continue;
        char *name = report_function_text(m, m->nodes.at[t->node].location);
        put_span(name, THREAD_TICKS, t->time - length, length, out);
        fprintf(out, ",\"args\":{\"ticks\":%u}}", t->running);
        free(name);
    }
}

/* How fast the modules that allocate most do so, in equal steps of the profile. */
static void put_rates(const struct report_query *query, FILE *out) {
    const struct report_model *m = query->model;
    struct report_selection by_module = *query->selection;
    struct report_query modules = *query;
    by_module.by = REPORT_BY_MODULE;
    modules.selection = &by_module;
    struct report_keys *keys = report_keys_create(m, REPORT_BY_MODULE);
    struct report_groups *groups = report_groups_create(&modules);
    size_t n = groups->shown < MODULES ? groups->shown : MODULES;
    uint8_t *rank = report_alloc(keys->count + 1);
    struct report_sum *sums = report_alloc(RATES * (MODULES + 1) * sizeof *sums);
    double step = m->end / (double)RATES + 1;
    for (size_t i = 0; i < keys->count; i++) rank[i] = MODULES;
    for (size_t i = 0; i < n; i++) rank[groups->order[i]] = i;
    report_each_selected(s, query) {
        uint32_t node = report_query_node(query, s);
        size_t module = rank[keys->of_location[m->nodes.at[node].location]];
        size_t i = (size_t)(s->born / step); /* RATES if rounding loses the 1 in step */
        if (i >= RATES) i = RATES - 1;
        report_sum_add(&sums[i * (MODULES + 1) + module], s, m->rate);
    }
    for (size_t i = 0; i < RATES && groups->shown > 0; i++) {
        if ((i + 1) * step <= query->from || i * step >= query->to) continue;
        fprintf(out,
                ",\n{\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"name\":\"allocation by module, "
                "estimate (bytes/s)\",\"args\":{",
                PROCESS, i * step / 1e3);
        for (size_t k = 0; k <= MODULES; k++) {
            if (k >= n && (k < MODULES || groups->shown <= MODULES)) continue;
            if (k > 0) putc(',', out);
            report_write_json_string(k < n ? groups->texts[groups->order[k]] : "others", out);
            const struct report_sum *sum = &sums[i * (MODULES + 1) + k];
            fprintf(out, ":%.0f", report_estimate_bytes(&query->scale, sum).value / (step / 1e9));
        }
        fputs("}}", out);
    }
    report_free(rank, sums);
    report_groups_free(groups);
    report_keys_free(keys);
}

/* The estimates of live memory that the view timeline prints. */
static int put_timeline(const struct report_request *request, FILE *out) {
    struct report_request steps = *request;
    steps.selection.top = STEPS;
    struct report_doc *doc = report_view_timeline(&steps);
    if (doc == NULL) return -1;
    const struct report_table *t = doc->tables.at[0];
    ASSERT(t->columns[0].key[0] == 't' && t->columns[1].key[0] == 'l'); /* time, live */
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct report_cell *cells = report_cell_at(t, i, 0);
        fprintf(
            out,
            ",\n{\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"name\":\"live memory, estimate (bytes)\","
            "\"args\":{\"value\":%.0f}}",
            PROCESS, cells[0].number.value * 1e6, cells[1].number.value);
    }
    report_doc_free(doc);
    return 0;
}

static void put_threads(const struct report_query *query, const struct report_numbers *threads,
                        char *const *names, const struct report_sum *sums, int64_t time,
                        FILE *out) {
    fprintf(out,
            ",\n{\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"name\":\"allocated, estimate (bytes)\","
            "\"args\":{",
            PROCESS, time / 1e3);
    for (size_t i = 0; i < threads->count; i++) {
        if (i > 0) putc(',', out);
        report_write_json_string(names[i], out);
        fprintf(out, ":%.0f", report_estimate_bytes(&query->scale, &sums[threads->at[i]]).value);
    }
    fputs("}}", out);
}

/* What each thread has allocated since the start, if there are several. */
static int put_allocations(const struct report_request *request, const struct report_query *query,
                           FILE *out) {
    const struct report_model *m = request->model;
    struct report_numbers threads;
    if (report_selected_threads(m, &request->selection, &threads, request->error) != 0) return -1;
    char **names = report_alloc((threads.count + 1) * sizeof *names);
    for (size_t i = 0; i < threads.count; i++)
        names[i] = report_thread_text(m->threads.at[threads.at[i]].id);
    struct report_sum *sums = report_alloc(m->threads.count * sizeof *sums);
    int64_t time = 0, length = m->end / STEPS + 1;
    bool any = false;
    report_each_selected(s, query) {
        if (threads.count == 0) break;
        if (any && s->born / length != time / length)
            put_threads(query, &threads, names, sums, time, out);
        report_sum_add(&sums[s->thread], s, m->rate);
        time = s->born;
        any = true;
    }
    if (any) put_threads(query, &threads, names, sums, time, out);
    for (size_t i = 0; i < threads.count; i++) free(names[i]);
    report_free(threads.at, names, sums);
    return 0;
}

int report_export_chrome(const struct report_request *request, FILE *out) {
    const struct report_model *m = request->model;
    struct report_query query;
    if (report_request_query(request, &query) != 0) return -1;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", out);
    put_name("process_name", THREAD_PROGRAM, report_title_of(request), out);
    fputs(",\n", out);
    put_name("thread_name", THREAD_PROGRAM, "collector", out);
    fputs(",\n", out);
    put_name("thread_name", THREAD_PHASES, "phases", out);
    fputs(",\n", out);
    put_name("thread_name", THREAD_TICKS, "processor", out);
    report_each(e, &m->gc_events) {
        if (!report_query_holds(&query, e->start)) continue;
        put_span(report_gc_text(e->kind), THREAD_PROGRAM, e->start, e->duration, out);
        fprintf(out, ",\"args\":{\"words\":%llu", (unsigned long long)e->words);
        if (e->cause != MP_CAUSE_UNKNOWN)
            fprintf(out, ",\"cause\":\"%s\"", mp_cause_name(e->cause));
        if (e->processor >= 0) fprintf(out, ",\"processor_us\":%.3f", e->processor / 1e3);
        fputs("}}", out);
    }
    report_each(p, &m->phases) {
        if (p->end <= query.from || p->start >= query.to) continue;
        put_span(m->names.at[p->name], THREAD_PHASES, p->start,
                 (p->end == REPORT_NEVER ? m->end : p->end) - p->start, out);
        putc('}', out);
    }
    put_counters(&query, out);
    put_resident(&query, out);
    put_ticks(&query, out);
    put_rates(&query, out);
    int status = put_allocations(request, &query, out);
    report_query_end(&query);
    if (status == 0) status = put_timeline(request, out);
    fputs("\n]}\n", out);
    return status;
}
