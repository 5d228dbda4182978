/* common.c - what the exporters share, and the formats that need nothing else: folded, csv. */
#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "memprof/report/export/export.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

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

int report_weigh_nodes(const struct report_model *model, const struct report_selection *selection,
                       report_weigher *weigh, struct report_weights *out,
                       struct report_error *error) {
    struct report_query query;
    *out = (struct report_weights){0};
    if (report_query_start(&query, model, selection, error) != 0) return -1;
    /* Some nodes at a time: sums of all of them could take more memory than the profile. */
    enum { NODES = 1 << 22 };
    size_t count = model->nodes.count;
    uint32_t *order = report_nodes_by_site(model);
    uint32_t *rank = report_alloc(count * sizeof *rank);
    for (size_t i = 0; i < count; i++) rank[order[i]] = i;
    struct report_rounder rounder = {0};
    for (size_t first = 0; first < count; first += NODES) {
        size_t n = count - first < NODES ? count - first : NODES;
        struct report_sum *sums = report_alloc(n * sizeof *sums);
        report_each_selected(s, &query) {
            size_t at = (size_t)rank[s->node] - first;
            if (at < n) report_sum_add(&sums[at], s, model->rate);
        }
        for (size_t i = 0; i < n; i++) {
            if (sums[i].samples == 0) continue;
            long long number = report_round(&rounder, weigh, &query.scale, &sums[i]);
            report_append(out, (struct report_weight){order[first + i], number});
        }
        free(sums);
    }
    report_free(order, rank);
    report_query_end(&query);
    return 0;
}

int report_selected_threads(const struct report_model *model,
                            const struct report_selection *selection, struct report_numbers *out,
                            struct report_error *error) {
    struct report_query query;
    if (report_query_start(&query, model, selection, error) != 0) return -1;
    bool *seen = report_alloc(model->threads.count * sizeof *seen);
    report_each_selected(s, &query) seen[s->thread] = true;
    *out = (struct report_numbers){0};
    for (uint32_t i = 0; i < model->threads.count && out->count < REPORT_MOST_THREADS; i++)
        if (seen[i]) report_append(out, i);
    if (out->count < 2) out->count = 0;
    free(seen);
    report_query_end(&query);
    return 0;
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

int report_export_folded(const struct report_request *request, FILE *out) {
    const struct report_model *m = request->model;
    struct report_numbers frames = {0};
    struct report_weights weights;
    int status = report_weigh_nodes(m, &request->selection,
                                    report_weigher_of(request->selection.unit), &weights,
                                    request->error);
    report_each(weight, &weights) {
        if (weight->number <= 0) continue;
        report_unwind(m, weight->node, REPORT_MAX_FRAMES, &frames);
        if (frames.count == 0) fputs("(no stack)", out);
        for (size_t i = 0; i < frames.count; i++) {
            if (i > 0) putc(';', out);
            put_frame(m, frames.at[i], out);
        }
        fprintf(out, " %lld\n", weight->number);
    }
    report_free(frames.at, weights.at);
    return status;
}

int report_export_csv(const struct report_request *request, FILE *out) {
    struct report_request all = *request;
    if (all.selection.top == 0) all.selection.top = SIZE_MAX;
    struct report_doc *doc = report_compute(report_view_table, &all);
    if (doc == NULL) return -1;
    report_doc_write_csv(doc, out);
    report_doc_free(doc);
    return 0;
}
