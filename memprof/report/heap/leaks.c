/* leaks.c - `prof leaks` with a snapshot of the same run: what holds the blocks of each site. A
 * recording has the name of the last snapshot that its run has written. */
#include "memprof/report/heap/heap.h"
#include "memprof/report/heap/held.h"

#include <stdlib.h>
#include <string.h>

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

/* Numbers a holder when it comes first. */
static uint32_t number_of(struct report_held *out, uint32_t *numbers, const struct heap_graph *g,
                          const struct heap_held *held, uint32_t holder) {
    if (numbers[holder] == 0) {
        report_append(&out->texts, heap_holder_text(g, held, holder));
        numbers[holder] = (uint32_t)out->texts.count;
    }
    return numbers[holder] - 1;
}

static struct report_held find_held(const struct heap_graph *g, size_t samples) {
    struct heap_tree *tree = heap_tree_make(g);
    struct heap_held held = heap_held_find(g, tree);
    struct report_held out = {report_alloc(samples * sizeof *out.holders), samples, {0}};
    uint32_t *numbers = report_alloc(g->nodes * sizeof *numbers);
    memset(out.holders, 0xff, samples * sizeof *out.holders); /* REPORT_NO_NUMBER */
    report_each(sample, &g->samples) {
        if (sample->id < samples)
            out.holders[sample->id] = number_of(&out, numbers, g, &held, held.holder[sample->node]);
    }
    free(numbers);
    heap_held_free(&held);
    heap_tree_free(tree);
    return out;
}

/* ---- The run's own snapshot. ---- */

/* The snapshot in a file; NULL: there is none of the run. */
static struct heap_graph *load_usable(const struct report_request *request, const char *path) {
    struct report_error ignored = {"", "", ""};
    struct report_request of_run = *request;
    of_run.other_path = path;
    of_run.error = &ignored;
    struct heap_graph *g = heap_graph_load(path, &ignored);
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

/* The run's own snapshot, and its path, freed with free(); NULL: there is none. */
static struct heap_graph *load_own(const struct report_request *request, char **path) {
    *path = NULL;
    if (request->model->snapshot == NULL) return NULL;
    *path = beside(request->path, request->model->snapshot);
    struct heap_graph *g = load_usable(request, *path);
    if (g != NULL) return g;
    report_replace(path, report_copy(request->model->snapshot));
    if ((g = load_usable(request, *path)) == NULL) report_replace(path, NULL);
    return g;
}

char *heap_own_snapshot(const struct report_request *request) {
    char *path;
    heap_graph_free(load_own(request, &path));
    return path;
}

/* ---- The view. ---- */

static struct report_doc *leaks_with(const struct report_request *request,
                                     const struct heap_graph *g) {
    struct report_held held = find_held(g, request->model->samples.count);
    struct report_doc *doc = report_leaks(request, &held);
    report_each(text, &held.texts) { free(*text); }
    report_free(held.holders, held.texts.at);
    return doc;
}

static struct report_doc *leaks_with_file(const struct report_request *request) {
    struct heap_graph *g = heap_graph_load(request->other_path, request->error);
    struct report_doc *doc = NULL;
    if (g != NULL && check_run(request, g) == 0) doc = leaks_with(request, g);
    heap_graph_free(g);
    return doc;
}

struct report_doc *report_view_leaks(const struct report_request *request) {
    char *own;
    if (request->other_path != NULL) return leaks_with_file(request);
    struct heap_graph *g = load_own(request, &own);
    struct report_doc *doc = g == NULL ? report_leaks(request, NULL) : leaks_with(request, g);
    if (g != NULL && doc != NULL)
        report_doc_note(doc, "The snapshot is %s, which the run has written.", own);
    else if (request->model->snapshot != NULL && doc != NULL)
        report_doc_note(doc, "The run has written a snapshot, %s: it is not there, or is another.",
                        request->model->snapshot);
    heap_graph_free(g);
    free(own);
    return doc;
}
