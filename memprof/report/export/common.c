/* common.c - what the exporters share, and the formats that need nothing else: folded, csv. */
#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "memprof/report/export/export.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

struct report_sum *report_node_sums(const struct report_request *request, enum report_show show,
                                    struct report_moment at, struct report_scale *scale,
                                    struct report_error *error) {
    const struct report_model *m = request->model;
    struct report_selection selection = request->selection;
    struct report_query query;
    selection.has_show = true;
    selection.show = show;
    selection.at = at;
    if (report_query_start(&query, m, &selection, error) != 0) return NULL;
    struct report_sum *sums = report_alloc(m->nodes.count * sizeof *sums);
    for (const struct report_sample *s = NULL; (s = report_query_next(&query, s)) != NULL;)
        report_sum_add(&sums[s->node], s, m->rate);
    *scale = query.scale;
    report_query_end(&query);
    return sums;
}

uint32_t *report_order_by_key(const uint32_t *keys, size_t count, size_t key_count) {
    uint32_t *order = report_alloc(count * sizeof *order);
    uint32_t *start = report_alloc((key_count + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++) {
        ASSERT(keys[i] < key_count);
        start[keys[i] + 1]++;
    }
    for (size_t k = 0; k < key_count; k++) start[k + 1] += start[k];
    for (size_t i = 0; i < count; i++) order[start[keys[i]]++] = i;
    free(start);
    return order;
}

uint32_t *report_nodes_by_site(const struct report_model *model) {
    struct report_keys *sites = report_keys_create(model, REPORT_BY_SITE);
    uint32_t *site_of = report_alloc(model->nodes.count * sizeof *site_of);
    for (size_t i = 0; i < model->nodes.count; i++)
        site_of[i] = sites->of_location[model->nodes.at[i].location];
    uint32_t *order = report_order_by_key(site_of, model->nodes.count, sites->count);
    free(site_of);
    report_keys_free(sites);
    return order;
}

const char *report_title_of(const struct report_request *request) {
    const char *program = request->model->program;
    return program[0] != 0 ? program : request->path;
}

/* A frame of a folded stack: without separators, and not ending like a count. */
static void put_frame(const struct report_model *model, uint32_t location, FILE *out) {
    const struct report_location *l = &model->locations.at[location];
    const char *texts[] = {report_name_of(model, location), model->names.at[l->file]};
    for (int part = 0; part < 2; part++) {
        if (texts[part][0] == 0) continue;
        if (part == 1) fputs(" (", out);
        for (const char *p = texts[part], *next; *p != 0; p = next) {
            size_t control = mp_control_bytes(p);
            next = p + (control > 0 ? control : 1);
            putc(*p == ';' || control > 0 ? '_' : *p, out);
        }
        if (part == 1 && l->line >= 0) fprintf(out, ":%d", l->line);
        if (part == 1) putc(')', out);
    }
    if (texts[1][0] == 0 && texts[0][0] != 0 &&
        strchr("0123456789", texts[0][strlen(texts[0]) - 1]))
        putc('_', out);
}

int report_export_folded(const struct report_request *request, FILE *out,
                         struct report_error *error) {
    const struct report_model *m = request->model;
    struct report_query query;
    struct report_numbers frames = {0};
    if (report_query_start(&query, m, &request->selection, error) != 0) return -1;
    struct report_sum *sums = report_node_sums(request, query.show, request->selection.at,
                                               &query.scale, error);
    uint32_t *order = report_nodes_by_site(m);
    struct report_rounder rounder = {0};
    report_weigher *weigh = report_weigher_of(request->selection.unit);
    for (size_t k = 0; sums != NULL && k < m->nodes.count; k++) {
        uint32_t node = order[k];
        long long weight = report_round(&rounder, weigh, &query.scale, &sums[node]);
        if (weight <= 0) continue;
        report_unwind(m, node, REPORT_MOST_FRAMES, &frames);
        if (frames.count == 0) fputs("(no stack)", out);
        for (size_t i = 0; i < frames.count; i++) {
            if (i > 0) putc(';', out);
            put_frame(m, frames.at[i], out);
        }
        fprintf(out, " %lld\n", weight);
    }
    report_free(frames.at, order, sums);
    report_query_end(&query);
    return sums != NULL ? 0 : -1;
}

int report_export_csv(const struct report_request *request, FILE *out, struct report_error *error) {
    struct report_request all = *request;
    if (all.selection.top == 0) all.selection.top = SIZE_MAX;
    struct report_doc *doc = report_compute(report_view_table, &all, error);
    if (doc == NULL) return -1;
    report_doc_write_csv(doc, out);
    report_doc_free(doc);
    return 0;
}
