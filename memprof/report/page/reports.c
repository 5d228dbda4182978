/* reports.c - documents that the page shows as they are: growth, advice and, of a heap snapshot,
 * holders. reports.js reads them:
 *
 *   zlib( {"growth": [document ...], "advice": [...], "holders": [...]} )     report_doc_write_page
 *
 * A document that cannot be computed is left out. */
#include "memprof/report/advice/advice.h"
#include "memprof/report/heap/heap.h"
#include "memprof/report/heap/own.h"
#include "memprof/report/page/page.h"

#include <stdlib.h>

struct writer {
    FILE *out;
    unsigned documents; /* of the tab */
};

static void begin_tab(struct writer *w, const char *before, const char *name) {
    fprintf(w->out, "%s\"%s\":[", before, name);
    w->documents = 0;
}

static void put_view(struct writer *w, report_view *view, const struct report_request *request) {
    struct report_error error;
    struct report_request whole = {.model = request->model,
                                   .path = request->path,
                                   .other_path = request->other_path,
                                   .error = &error};
    struct report_doc *doc = view(&whole);
    if (doc == NULL) return;
    if (w->documents++ > 0) putc(',', w->out);
    report_doc_write_page(doc, w->out);
    report_doc_free(doc);
}

/* What holds the sampled blocks of each site that leaks, and the heap. Fails: -1 and *error, if it
 * is not a snapshot of the recorded run. */
static int put_holders(struct writer *w, const struct report_request *request,
                       const char *snapshot) {
    struct report_request of_run = *request, of_heap = *request;
    of_run.other_path = snapshot;
    of_heap.path = snapshot;
    of_run.selection = of_heap.selection = (struct report_selection){.top = 0};
    struct report_doc *doc = report_view_leaks(&of_run);
    if (doc == NULL) return -1;
    report_doc_write_page(doc, w->out);
    report_doc_free(doc);
    w->documents++;
    put_view(w, report_view_heap, &of_heap);
    return 0;
}

int report_pack_reports(const struct report_request *request, struct report_buffer *out) {
    char *text = NULL;
    size_t length = 0;
    struct report_request of_profile = *request;
    struct writer w = {.out = open_memstream(&text, &length)};
    int status = 0;
    if (w.out == NULL)
        return report_fail(request->error, request->path, "`bactrian prof trim` makes it smaller",
                           "there is not enough memory for the page");
    of_profile.other_path = NULL;
    begin_tab(&w, "{", "growth");
    put_view(&w, report_view_grow, &of_profile);
    begin_tab(&w, "],", "advice");
    char *own = request->snapshot == NULL ? heap_own_path(&of_profile) : NULL;
    const char *snapshot = own == NULL ? request->snapshot : own;
    of_profile.other_path = snapshot;
    put_view(&w, report_view_advise, &of_profile);
    begin_tab(&w, "],", "holders");
    if (snapshot != NULL) status = put_holders(&w, request, snapshot);
    free(own);
    fputs("]}", w.out);
    fclose(w.out);
    if (status == 0) status = report_deflate(out, text, length, request->error);
    free(text);
    return status;
}
