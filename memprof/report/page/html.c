/* html.c - one page with everything: the views' JSON in front of a script that only draws.
 *
 *   page.html  =  ...head...  @DATA@  ...script...
 *
 * The page holds what the text verbs print, computed by the same functions; it asks for nothing
 * from the network. Trees are written small (doc_json.c): 3,000 rows in each of eight stay below
 * 3 MB. JSON escapes `<`, so no name in a profile can end the script. */
#include "memprof/report/command/command.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char page[] = {
#include <page.inc> /* made of page.html by embed.py */
};

enum { STEPS = 300, ROWS = 200 };

/* What the page can show as nested bars and as a table. */
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
                    FILE *out, struct report_error *error) {
    struct report_doc *doc = report_compute(view, request, error);
    if (doc == NULL) return -1;
    fprintf(out, ",\n\"%s\":", key);
    report_doc_write_small_json(doc, out);
    report_doc_free(doc);
    return 0;
}

static int put_selections(const struct report_request *request, FILE *out,
                          struct report_error *error) {
    int status = 0;
    char key[40];
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        struct report_request r = *request;
        r.selection.has_show = true;
        r.selection.show = selections[i].show;
        r.selection.at.kind = selections[i].at;
        if (r.selection.top == 0) r.selection.top = ROWS;
        snprintf(key, sizeof key, "%s_table", selections[i].key);
        if (status == 0) status = put_view(key, report_view_table, &r, out, error);
        r.selection.top = 0;
        r.selection.sort = NULL;
        snprintf(key, sizeof key, "%s_down", selections[i].key);
        if (status == 0) status = put_view(key, report_view_flame, &r, out, error);
        r.selection.inverted = true;
        snprintf(key, sizeof key, "%s_up", selections[i].key);
        if (status == 0) status = put_view(key, report_view_flame, &r, out, error);
    }
    return status;
}

int report_write_html(const struct report_command *command, FILE *out, struct report_error *error) {
    static const char mark[] = "@DATA@";
    const struct report_request *request = &command->request;
    struct report_request steps = *request, plain = *request;
    const unsigned char *place = memmem(page, sizeof page, mark, strlen(mark));
    fwrite(page, 1, place - page, out);
    fprintf(out, "{\"stats\":");
    plain.selection.has_show = false;
    plain.selection.at.kind = REPORT_NO_MOMENT;
    plain.selection.sort = NULL;
    struct report_doc *stats = report_view_stats(&plain, error);
    report_doc_write_json(stats, out);
    report_doc_free(stats);
    steps.selection.top = STEPS;
    steps.selection.sort = NULL;
    int status = put_view("summary", report_view_summary, &plain, out, error);
    if (status == 0) status = put_view("timeline", report_view_timeline, &steps, out, error);
    if (status == 0) status = put_view("lifetimes", report_view_lifetimes, &plain, out, error);
    if (status == 0) status = put_view("leaks", report_view_leaks, &plain, out, error);
    if (status == 0) status = put_view("gc", report_view_gc, &plain, out, error);
    if (status == 0) status = put_selections(request, out, error);
    fputs("}", out);
    place += strlen(mark);
    fwrite(place, 1, page + sizeof page - place, out);
    return status;
}
