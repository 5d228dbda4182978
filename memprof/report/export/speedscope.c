/* speedscope.c - speedscope's JSON format: one sampled profile for each kind of memory, and one
 * for what each thread allocated. */
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

/* One of the profiles: which samples, counted how. */
struct profile {
    const char *name;
    enum report_show show;
    int at;
    bool count;
};

/* who: whose samples they are, for its name; "": everybody's. */
static int put_profile(const struct report_request *request, const struct profile *p,
                       const char *who, FILE *out) {
    struct report_selection selection = request->selection;
    struct report_numbers frames = {0};
    struct report_weights weights;
    long long total = 0;
    report_selection_show(&selection, p->show, p->at);
    report_weigher *weigh = p->count ? report_estimate_samples : report_estimate_bytes;
    if (report_weigh_nodes(request->model, &selection, weigh, &weights, request->error) != 0)
        return -1;
    fputs("{\"type\":\"sampled\",\"name\":", out);
    char *name = report_format("%s%s%s", p->name, who[0] != 0 ? ", " : "", who);
    report_write_json_string(name, out);
    free(name);
    fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[", p->count ? "none" : "bytes");
    report_each(weight, &weights) {
        report_unwind(request->model, weight->node, REPORT_MAX_FRAMES, &frames);
        fputs(weight == weights.at ? "[" : ",[", out);
        if (frames.count == 0) putc('0', out);
        for (size_t k = 0; k < frames.count; k++)
            fprintf(out, "%s%u", k > 0 ? "," : "", frames.at[k]);
        putc(']', out);
    }
    fputs("],\"weights\":[", out);
    report_each(weight, &weights) {
        fprintf(out, "%s%lld", weight == weights.at ? "" : ",", weight->number);
        total += weight->number;
    }
    fprintf(out, "],\"endValue\":%lld}", total);
    report_free(frames.at, weights.at);
    return 0;
}

/* What one thread, or a domain whose threads are unknown, allocated. */
static int put_thread(const struct report_request *request, struct mp_thread id, FILE *out) {
    char domain[24], thread[24];
    if (id.domain == 0) return 0; /* not recorded */
    struct report_request of_thread = *request;
    static const struct profile p = {"allocated", REPORT_SHOW_ALLOC, REPORT_NO_MOMENT, false};
    snprintf(domain, sizeof domain, "%llu", (unsigned long long)id.domain - 1);
    snprintf(thread, sizeof thread, "%llu", (unsigned long long)id.number - 1);
    of_thread.selection.domain = domain;
    if (id.number > 0) of_thread.selection.thread = thread;
    char *text = report_thread_text(id);
    putc(',', out);
    int status = put_profile(&of_thread, &p, text, out);
    free(text);
    return status;
}

int report_export_speedscope(const struct report_request *request, FILE *out) {
    static const struct profile profiles[] = {
        {"live at the peak", REPORT_SHOW_LIVE, REPORT_PEAK, false},
        {"live at the end", REPORT_SHOW_LIVE, REPORT_END, false},
        {"allocated", REPORT_SHOW_ALLOC, REPORT_NO_MOMENT, false},
        {"promoted", REPORT_SHOW_PROMOTED, REPORT_NO_MOMENT, false},
        {"short-lived", REPORT_SHOW_MINOR_DEAD, REPORT_NO_MOMENT, false},
        {"sampled blocks", REPORT_SHOW_ALLOC, REPORT_NO_MOMENT, true},
    };
    struct report_numbers threads;
    int status = report_selected_threads(request->model, &request->selection, &threads,
                                         request->error);
    if (status != 0) return -1;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
          "\"exporter\":\"bactrian\",\"name\":",
          out);
    report_write_json_string(report_title_of(request), out);
    fputs(",\"activeProfileIndex\":0,", out);
    put_frames(request->model, out);
    fputs(",\"profiles\":[", out);
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles && status == 0; i++) {
        if (i > 0) putc(',', out);
        status = put_profile(request, &profiles[i], "", out);
    }
    for (size_t i = 0; i < threads.count && status == 0; i++)
        status = put_thread(request, request->model->threads.at[threads.at[i]].id, out);
    fputs("]}\n", out);
    free(threads.at);
    return status;
}
