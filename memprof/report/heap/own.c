/* own.c - the snapshot of a recorded run: a file that is given, or the one whose name the recording
 * has. */
#include "memprof/report/heap/own.h"

#include "memprof/report/heap/graph.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fails: -1 and *error, unless a recording of the same run had sampled blocks of the snapshot. */
static int check_run(const struct report_request *request, const struct heap_graph *g) {
    const struct report_model *m = request->model;
    bool same = m->origin.own && m->pid == g->pid && strcmp(m->host, g->host) == 0 &&
                strcmp(m->program, g->program) == 0;
    if (!same)
        return report_fail(request->error, request->other_path,
                           "give the one that `bactrian prof record --snapshot` wrote",
                           "not a snapshot of the run that was recorded");
    if (g->samples.count > 0) return 0;
    return report_fail(request->error, request->other_path,
                       "take it with `bactrian prof record --snapshot`",
                       "the snapshot has no sampled blocks");
}

/* The snapshot in a file. Fails: NULL and *why, if there is none of the run. */
static struct heap_graph *load_usable(const struct report_request *request, const char *path,
                                      struct report_error *why) {
    struct report_request of_run = *request;
    of_run.other_path = path;
    of_run.error = why;
    struct heap_graph *g = heap_graph_load(path, why);
    if (g != NULL && check_run(&of_run, g) == 0) return g;
    heap_graph_free(g);
    return NULL;
}

/* A file of the same name beside the profile. */
static char *beside(const char *profile, const char *path) {
    const char *name = strrchr(path, '/'), *end = strrchr(profile, '/');
    name = name == NULL ? path : name + 1;
    return report_format("%.*s%s", end == NULL ? 0 : (int)(end + 1 - profile), profile, name);
}

/* The run's own snapshot: beside the profile, or where it was written. */
static void load_own(const struct report_request *request, struct heap_own *own) {
    const char *written = request->model->snapshot;
    if (written == NULL) return;
    own->path = beside(request->path, written);
    own->graph = load_usable(request, own->path, &own->why);
    if (own->graph != NULL) return;
    struct report_error why;
    own->graph = load_usable(request, written, &why);
    if (own->graph == NULL && access(own->path, F_OK) != 0) own->why = why;
    report_replace(&own->path, own->graph == NULL ? NULL : report_copy(written));
}

static struct heap_graph *load_given(const struct report_request *request) {
    struct heap_graph *g = heap_graph_load(request->other_path, request->error);
    if (g == NULL || check_run(request, g) == 0) return g;
    heap_graph_free(g);
    return NULL;
}

int heap_own_load(const struct report_request *request, struct heap_own *own) {
    *own = (struct heap_own){.path = NULL};
    if (request->other_path == NULL) load_own(request, own);
    else if ((own->graph = load_given(request)) == NULL) return -1;
    return 0;
}

char *heap_own_path(const struct report_request *request) {
    struct heap_own own = {.path = NULL};
    load_own(request, &own);
    heap_graph_free(own.graph);
    return own.path;
}

void heap_own_free(struct heap_own *own) {
    heap_graph_free(own->graph);
    free(own->path);
}

void heap_own_note(const struct report_request *request, const struct heap_own *own,
                   struct report_doc *doc) {
    if (own->path != NULL)
        report_doc_note(doc, "The snapshot is %s, which the run has written.", own->path);
    else if (own->graph == NULL && request->model->snapshot != NULL)
        report_doc_note(doc, "The run began to write a snapshot, %s, but it cannot be used: %s.",
                        request->model->snapshot, own->why.what);
}
