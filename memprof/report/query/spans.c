/* spans.c - the selected time: a window, or the parts of it that lie in a phase.
 *
 * A phase may be entered often, and within itself: what overlaps is one span. */
#include "memprof/report/model/memory.h"
#include "memprof/report/query/query.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b) {
    const struct report_span *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

void report_query_find_spans(struct report_query *query) {
    const struct report_model *m = query->model;
    struct report_span *spans = report_alloc((m->phase_count + 1) * sizeof *spans);
    size_t n = 0, kept = 0;
    if (query->phase == 0) spans[n++] = (struct report_span){query->from, query->to};
    for (size_t i = 0; query->phase != 0 && i < m->phase_count; i++) {
        const struct report_phase *p = &m->phases[i];
        struct report_span s = {p->start > query->from ? p->start : query->from,
                                p->end < query->to ? p->end : query->to};
        if (p->name == query->phase && s.from < s.to) spans[n++] = s;
    }
    if (n > 1) qsort(spans, n, sizeof *spans, by_start);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || spans[kept - 1].to < spans[i].from) spans[kept++] = spans[i];
        else if (spans[kept - 1].to < spans[i].to) spans[kept - 1].to = spans[i].to;
    }
    query->spans = spans;
    query->span_count = kept;
}

bool report_query_holds(const struct report_query *query, int64_t time) {
    size_t low = 0, high = query->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (time < query->spans[middle].from) high = middle;
        else if (time >= query->spans[middle].to) low = middle + 1;
        else return true;
    }
    return false;
}

int64_t report_query_length(const struct report_query *query) {
    int64_t sum = 0, end = query->model->end;
    for (size_t i = 0; i < query->span_count; i++) {
        struct report_span s = query->spans[i];
        if (s.from < end) sum += (s.to < end ? s.to : end) - s.from;
    }
    return sum;
}
