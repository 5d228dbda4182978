/* export_common.c - what the exporters share; and the two formats that need nothing else. */
#include "memprof/report/export.h"

#include <math.h>
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
    if (report_query_start(&query, m, &selection, show, error) != 0) return NULL;
    struct report_sum *sums = report_alloc(m->node_count * sizeof *sums);
    for (size_t i = 0; i < m->sample_count; i++)
        if (report_query_selects(&query, &m->samples[i]))
            report_sum_add(&sums[m->samples[i].node], &m->samples[i], m->rate);
    *scale = query.scale;
    report_query_end(&query);
    return sums;
}

size_t report_unwind(const struct report_model *model, uint32_t node, size_t most,
                     uint32_t **frames, size_t *capacity) {
    size_t n = model->nodes[node].depth, kept = n < most ? n : most;
    size_t outer = kept < n ? most / 3 : n, i = kept;
    report_grow(frames, capacity, kept + 1, sizeof **frames);
    for (; node != 0; node = model->nodes[node].parent) {
        size_t depth = model->nodes[node].depth;
        if (depth <= outer || n - depth < kept - outer)
            (*frames)[--i] = model->nodes[node].location;
    }
    return kept;
}

long long report_rounded(struct report_estimate estimate) { return llround(estimate.value); }

const char *report_name_of(const struct report_model *model, uint32_t location) {
    const char *name = model->names[model->locations[location].function];
    return name[0] != 0 ? name : "(unnamed)";
}

/* A frame of a folded stack: no separator, nothing that ends like a count. */
static void put_frame(const struct report_model *model, uint32_t location, FILE *out) {
    const struct report_location *l = &model->locations[location];
    const char *texts[] = {report_name_of(model, location), model->names[l->file]};
    for (int part = 0; part < 2; part++) {
        if (texts[part][0] == 0) continue;
        if (part == 1) fputs(" (", out);
        for (const char *p = texts[part]; *p != 0; p++)
            putc(*p == ';' || (unsigned char)*p < 32 || *p == 127 ? '_' : *p, out);
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
    uint32_t *frames = NULL;
    size_t capacity = 0;
    if (report_query_start(&query, m, &request->selection, REPORT_SHOW_ALLOC, error) != 0)
        return -1;
    struct report_sum *sums = report_node_sums(request, query.show, request->selection.at,
                                               &query.scale, error);
    for (size_t i = 0; sums != NULL && i < m->node_count; i++) {
        long long weight = report_rounded(report_query_estimate(&query, &sums[i]));
        size_t n = report_unwind(m, i, REPORT_MOST_FRAMES, &frames, &capacity);
        if (sums[i].samples == 0 || weight <= 0) continue;
        if (n == 0) fputs("(no stack)", out);
        for (size_t k = 0; k < n; k++) {
            if (k > 0) putc(';', out);
            put_frame(m, frames[k], out);
        }
        fprintf(out, " %lld\n", weight);
    }
    free(frames);
    free(sums);
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
