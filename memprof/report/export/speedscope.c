/* speedscope.c - speedscope's JSON format: one sampled profile for each kind of memory. */
#include "memprof/report/export/export.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>

static void put_frames(const struct report_model *m, FILE *out) {
    fputs("\"shared\":{\"frames\":[", out);
    for (size_t i = 0; i < m->locations.count; i++) {
        const struct report_location *l = &m->locations.at[i];
        fprintf(out, "%s{\"name\":", i > 0 ? "," : "");
        report_write_json_string(i == 0 ? "(no stack)" : report_name_of(m, i), out);
        if (l->file != 0) {
            fputs(",\"file\":", out);
            report_write_json_string(m->names.at[l->file], out);
        }
        if (l->line >= 0) fprintf(out, ",\"line\":%d", l->line);
        if (l->start >= 0) fprintf(out, ",\"col\":%d", l->start + 1);
        putc('}', out);
    }
    fputs("]}", out);
}

static void put_samples(const struct report_model *m, const struct report_sum *sums,
                        const uint32_t *order, FILE *out) {
    struct report_numbers frames = {0};
    bool first = true;
    fputs("\"samples\":[", out);
    for (size_t i = 0; i < m->nodes.count; i++) {
        if (sums[order[i]].samples == 0) continue;
        report_unwind(m, order[i], REPORT_MOST_FRAMES, &frames);
        fputs(first ? "[" : ",[", out);
        if (frames.count == 0) putc('0', out);
        for (size_t k = 0; k < frames.count; k++)
            fprintf(out, "%s%u", k > 0 ? "," : "", frames.at[k]);
        putc(']', out);
        first = false;
    }
    fputs("],\"weights\":[", out);
    free(frames.at);
}

static int put_profile(const struct report_request *request, const char *name,
                       enum report_show show, int at, bool count, const uint32_t *order, FILE *out,
                       struct report_error *error) {
    const struct report_model *m = request->model;
    const struct report_moment moment = {.kind = at};
    struct report_scale scale;
    struct report_sum *sums = report_node_sums(request, show, moment, &scale, error);
    struct report_rounder rounder = {0};
    bool first = true;
    if (sums == NULL) return -1;
    fputs("{\"type\":\"sampled\",\"name\":", out);
    report_write_json_string(name, out);
    fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,", count ? "none" : "bytes");
    put_samples(m, sums, order, out);
    for (size_t i = 0; i < m->nodes.count; i++) {
        const struct report_sum *sum = &sums[order[i]];
        if (sum->samples == 0) continue;
        fprintf(out, "%s%lld", first ? "" : ",",
                report_round(&rounder, count ? report_estimate_samples : report_estimate_bytes,
                             &scale, sum));
        first = false;
    }
    fprintf(out, "],\"endValue\":%lld}", rounder.given);
    free(sums);
    return 0;
}

int report_export_speedscope(const struct report_request *request, FILE *out,
                             struct report_error *error) {
    static const struct {
        const char *name;
        enum report_show show;
        int at;
        bool count;
    } profiles[] = {
        {"live at the peak", REPORT_SHOW_LIVE, REPORT_PEAK, false},
        {"live at the end", REPORT_SHOW_LIVE, REPORT_END, false},
        {"allocated", REPORT_SHOW_ALLOC, REPORT_NO_MOMENT, false},
        {"promoted", REPORT_SHOW_PROMOTED, REPORT_NO_MOMENT, false},
        {"short-lived", REPORT_SHOW_MINOR_DEAD, REPORT_NO_MOMENT, false},
        {"sampled blocks", REPORT_SHOW_ALLOC, REPORT_NO_MOMENT, true},
    };
    uint32_t *order = report_nodes_by_site(request->model);
    int status = 0;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
          "\"exporter\":\"bactrian\",\"name\":",
          out);
    report_write_json_string(report_title_of(request), out);
    fputs(",\"activeProfileIndex\":0,", out);
    put_frames(request->model, out);
    fputs(",\"profiles\":[", out);
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles && status == 0; i++) {
        if (i > 0) putc(',', out);
        status = put_profile(request, profiles[i].name, profiles[i].show, profiles[i].at,
                             profiles[i].count, order, out, error);
    }
    free(order);
    fputs("]}\n", out);
    return status;
}
