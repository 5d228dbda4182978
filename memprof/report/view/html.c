/* html.c - a self-contained HTML report: the JSON of the views, and a script that only draws it.
 *
 *   page.html  =  ...head...  @DATA@  ...script...
 *
 * The figures are those of the text views, computed by the same functions. Trees are compact
 * (doc_json.c): eight of 3,000 rows stay below 3 MB. `<` is escaped in JSON, so no name in a
 * profile can end the script. */
#include "gc/assert.h"
#include "memprof/report/view/views.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char page[] = {
#include <page.inc> /* page.html, by embed.py */
};

enum { STEPS = 300, ROWS = 200 };

/* The selections that the page shows as nested bars and as a table. */
static const struct {
    const char *key;
    enum report_show show;
    int at;
} selections[] = {
    {"peak", REPORT_SHOW_LIVE, REPORT_PEAK},
    {"end", REPORT_SHOW_LIVE, REPORT_END},
    {"alloc", REPORT_SHOW_ALLOC, REPORT_NO_MOMENT},
    {"promoted", REPORT_SHOW_PROMOTED, REPORT_NO_MOMENT},
};

static int put_view(const char *key, report_view *view, const struct report_request *request,
                    FILE *out) {
    struct report_doc *doc = report_compute(view, request);
    if (doc == NULL) return -1;
    fprintf(out, ",\n\"%s\":", key);
    report_doc_write_small_json(doc, out);
    report_doc_free(doc);
    return 0;
}

static int put_selections(const struct report_request *request, FILE *out) {
    int status = 0;
    char key[40];
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        struct report_request r = *request;
        report_selection_show(&r.selection, selections[i].show, selections[i].at);
        if (r.selection.top == 0) r.selection.top = ROWS;
        snprintf(key, sizeof key, "%s_table", selections[i].key);
        if (status == 0) status = put_view(key, report_view_table, &r, out);
        r.selection.top = 0;
        r.selection.sort = NULL;
        snprintf(key, sizeof key, "%s_down", selections[i].key);
        if (status == 0) status = put_view(key, report_view_flame, &r, out);
        r.selection.inverted = true;
        snprintf(key, sizeof key, "%s_up", selections[i].key);
        if (status == 0) status = put_view(key, report_view_flame, &r, out);
    }
    return status;
}

/* What the page calls live. */
static int put_live(const struct report_request *request, FILE *out) {
    struct report_query query;
    if (report_request_query(request, &query) != 0) return -1;
    fputs("{\"live\":", out);
    report_write_json_string(report_live_text(&query), out);
    report_query_end(&query);
    return 0;
}

int report_write_html(const struct report_request *request, FILE *out) {
    static const char data[] = "@DATA@";
    struct report_request steps = *request, whole = *request;
    const unsigned char *rest = memmem(page, sizeof page, data, strlen(data));
    ASSERT(rest != NULL);
    fwrite(page, 1, rest - page, out);
    int status = put_live(request, out);
    fputs(",\"stats\":", out);
    whole.selection.has_show = false;
    whole.selection.at.kind = REPORT_NO_MOMENT;
    whole.selection.sort = NULL;
    struct report_doc *stats = report_view_stats(&whole);
    report_doc_write_json(stats, out);
    report_doc_free(stats);
    steps.selection.top = STEPS;
    steps.selection.sort = NULL;
    if (status == 0) status = put_view("summary", report_view_summary, &whole, out);
    if (status == 0) status = put_view("timeline", report_view_timeline, &steps, out);
    if (status == 0) status = put_view("lifetimes", report_view_lifetimes, &whole, out);
    if (status == 0) status = put_view("leaks", report_view_leaks, &whole, out);
    if (status == 0) status = put_view("gc", report_view_gc, &whole, out);
    if (status == 0) status = put_selections(request, out);
    fputs("}", out);
    rest += strlen(data);
    fwrite(rest, 1, page + sizeof page - rest, out);
    return status;
}
