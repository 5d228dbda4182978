/* dhat.c - DHAT's JSON format, version 2: a program point for each call stack. */
#include "gc/assert.h"
#include "memprof/report/export/export.h"
#include "memprof/report/model/events.h"
#include "memprof/report/model/text.h"

#include <math.h>
#include <stdlib.h>

/* A program point; hits and samples are scaled on output. */
struct point {
    struct report_sum total, peak, end;
    double life;                               /* microseconds, sum over its blocks */
    uint64_t now, now_blocks, max, max_blocks; /* hits, samples */
};

/* The moment from which on a selected sample is not live; 0: never, or it never was. */
static uint32_t ends_at(const void *context, uint32_t sample) {
    const struct report_query *query = context;
    const struct report_sample s = report_sample_of(query->model, sample);
    int64_t until = report_live_until(query, &s);
    if (until < s.born || until == REPORT_NEVER || !report_query_selects(query, &s)) return 0;
    uint32_t moment = report_moment_from(query->model, until + 1);
    return moment < query->model->moments.count ? moment : 0;
}

/* Finds the maximum that was live at each point. */
static void find_maxima(const struct report_query *query, struct point *points) {
    const struct report_model *m = query->model;
    struct report_numbers ends = report_order_samples(m, ends_at, query);
    size_t ended = 0;
    report_each_selected(s, query) {
        if (report_live_until(query, s) < s->born) continue;
        uint32_t now = m->samples.at[s->number].born;
        for (; ended < ends.count; ended++) {
            const struct report_sample dead = report_sample_of(m, ends.at[ended]);
            struct point *p = &points[dead.node];
            if (ends_at(query, dead.number) > now) break;
            ASSERT(p->now >= dead.hits && p->now_blocks > 0);
            p->now -= dead.hits;
            p->now_blocks--;
        }
        struct point *p = &points[s->node];
        p->now += s->hits;
        p->now_blocks++;
        if (p->now > p->max) p->max = p->now;
        if (p->now_blocks > p->max_blocks) p->max_blocks = p->now_blocks;
    }
    free(ends.at);
}

static void collect(const struct report_query *query, int64_t peak, struct point *points) {
    const struct report_model *m = query->model;
    report_each_selected(s, query) {
        struct point *p = &points[s->node];
        report_sum_add(&p->total, s, m->rate);
        int64_t until = report_live_until(query, s);
        if (s->born <= peak && until >= peak) report_sum_add(&p->peak, s, m->rate);
        if (until == REPORT_NEVER) report_sum_add(&p->end, s, m->rate);
        p->life += ((s->died == REPORT_NEVER ? m->end : s->died) - s->born) / 1e3;
    }
    find_maxima(query, points);
}

/* Columns whose numbers add up to the totals of the views. */
enum column { TOTAL, PEAK, END, COLUMNS };

struct writer {
    const struct report_query *query;
    struct report_rounder bytes[COLUMNS], blocks[COLUMNS];
    FILE *out;
};

/* Puts bytes and blocks of a column; returns the bytes. */
static long long put_sum(struct writer *w, enum column column, const char *bytes,
                         const char *blocks, const struct report_sum *sum) {
    const struct report_scale *scale = &w->query->scale;
    long long n = report_round(&w->bytes[column], report_estimate_bytes, scale, sum);
    fprintf(w->out, "\"%s\":%lld,\"%s\":%lld,", bytes, n, blocks,
            report_round(&w->blocks[column], report_estimate_blocks, scale, sum));
    return n;
}

static void put_point(struct writer *w, uint32_t node, const struct point *p, bool first) {
    const struct report_query *query = w->query;
    const struct report_model *m = query->model;
    FILE *out = w->out;
    double blocks = report_estimate_blocks(&query->scale, &p->total).value;
    double bytes = report_estimate_bytes(&query->scale, &p->total).value;
    ASSERT(p->total.samples > 0 && p->max <= p->total.hits);
    fputs(first ? "\n{" : ",\n{", out);
    put_sum(w, TOTAL, "tb", "tbk", &p->total);
    fprintf(out, "\"tl\":%lld,", llround(p->life * blocks / p->total.samples));
    long long peak = put_sum(w, PEAK, "gb", "gbk", &p->peak);
    long long end = put_sum(w, END, "eb", "ebk", &p->end);
    long long most = llround(bytes * p->max / p->total.hits);
    if (most < peak) most = peak; /* by one: those were rounded as parts of a sum */
    if (most < end) most = end;
    fprintf(out, "\"mb\":%lld,\"mbk\":%lld,", most,
            llround(blocks * p->max_blocks / p->total.samples));
    fputs("\"fs\":[", out);
    if (node == 0) putc('0', out);
    for (uint32_t at = node; at != 0; at = m->nodes.at[at].parent)
        fprintf(out, "%s%u", at == node ? "" : ",", m->nodes.at[at].location + 1);
    fputs("]}", out);
}

static void put_frames(const struct report_model *m, FILE *out) {
    fputs("],\"ftbl\":[\"[root]\"", out);
    for (size_t i = 0; i < m->locations.count; i++) {
        const struct report_location *l = &m->locations.at[i];
        char *text = l->file == 0
                         ? report_format("0x%zX: %s", i + 1, report_name_of(m, i))
                         : report_format("0x%zX: %s (%s:%d:%d)", i + 1, report_name_of(m, i),
                                         m->names.at[l->file], l->line > 0 ? l->line : 0,
                                         l->start >= 0 ? l->start + 1 : 0);
        fputs(",\n", out);
        report_write_json_string(text, out);
        free(text);
    }
    fputs("]}\n", out);
}

int report_export_dhat(const struct report_request *request, FILE *out) {
    const struct report_model *m = request->model;
    struct report_query query;
    struct writer w = {.query = &query, .out = out};
    bool first = true;
    if (report_request_query(request, &query) != 0) return -1;
    struct point *points = report_alloc(m->nodes.count * sizeof *points);
    int64_t peak = report_query_peak(&query);
    collect(&query, peak, points);
    fputs("{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,"
          "\"bkacc\":false,\"tu\":\"\\u00b5s\",\"Mtu\":\"s\",\"tuth\":1000,\"cmd\":",
          out);
    report_write_json_string(m->context[0] != 0 ? m->context : m->program, out);
    fprintf(out, ",\"pid\":%llu,\"tg\":%lld,\"te\":%lld,\"pps\":[", (unsigned long long)m->pid,
            (long long)(peak / 1000), (long long)(m->end / 1000));
    uint32_t *order = report_nodes_by_site(m);
    for (size_t i = 0; i < m->nodes.count; i++) {
        if (points[order[i]].total.samples == 0) continue;
        put_point(&w, order[i], &points[order[i]], first);
        first = false;
    }
    free(order);
    /* The viewer needs at least one. */
    if (first)
        fputs("{\"tb\":0,\"tbk\":0,\"tl\":0,\"mb\":0,\"mbk\":0,\"gb\":0,\"gbk\":0,\"eb\":0,"
              "\"ebk\":0,\"fs\":[0]}",
              out);
    put_frames(m, out);
    free(points);
    report_query_end(&query);
    return 0;
}
