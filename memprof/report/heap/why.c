/* why.c - `prof why`: the document of the paths to blocks of a kind. */
#include "memprof/report/heap/examples.h"
#include "memprof/report/heap/heap.h"
#include "memprof/report/heap/names.h"
#include "memprof/report/heap/paths.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 60 };
#define LEAST_STEP 0.01

/* Marks the kinds that the operand names. Returns how many there are. Names of functions and of
 * custom blocks' operations match only with the words before them, `closure of` or `custom block`:
 * `string` does not match every closure of String. */
static size_t choose_kinds(const struct heap_graph *g, const char *operand, bool *wanted) {
    size_t equal = 0, similar = 0;
    bool *has = report_alloc(g->kind_list.count + 1);
    for (size_t i = 0; i < g->kind_list.count; i++) {
        const struct heap_kind *kind = &g->kind_list.at[i];
        char *text = heap_kind_text(kind), *shape = heap_shape_text(kind);
        const size_t words = strlen(text) - (kind->name == NULL ? 0 : strlen(kind->name));
        const char *found = strstr(text, operand);
        bool in_words = found != NULL && (size_t)(found - text) < words;
        bool in_name = strncmp(text, operand, words) == 0 && kind->name != NULL &&
                       strstr(kind->name, operand + words) != NULL;
        wanted[i] = strcmp(text, operand) == 0 || strcmp(shape, operand) == 0 ||
                    (kind->type != NULL && strcmp(kind->type, operand) == 0);
        has[i] = in_words || in_name;
        equal += wanted[i];
        similar += has[i];
        report_free(text, shape);
    }
    if (equal == 0) memcpy(wanted, has, g->kind_list.count);
    free(has);
    return equal > 0 ? equal : similar;
}

/* Marks the strings with the content that the operand is, as it is shown. */
static bool choose_strings(const struct heap_graph *g, const char *operand, bool *wanted) {
    bool any = false;
    for (size_t n = g->roots + 1; n < g->nodes; n++) {
        const struct heap_content content = heap_content(g, (uint32_t)n);
        if (content.kind != HEAP_STRING) continue;
        char *text = heap_string_text(&content);
        wanted[n] = strcmp(text, operand) == 0;
        any |= wanted[n];
        free(text);
    }
    return any;
}

/* Marks the blocks of the kinds that the operand names, or if there are none, those that were
 * sampled at a site whose text has the operand in it; or the strings that it is. False: there are
 * none. */
static bool choose_blocks(const struct heap_graph *g, const char *operand, bool *wanted) {
    if (operand[0] == '"') return choose_strings(g, operand, wanted);
    bool *kinds = report_alloc(g->kind_list.count + 1), any = false;
    if (choose_kinds(g, operand, kinds) > 0) {
        for (size_t n = g->roots + 1; n < g->nodes; n++)
            wanted[n] = kinds[heap_kind_of(g, (uint32_t)n)];
        any = true;
    } else {
        report_each(sample, &g->samples) {
            wanted[sample->node] = strstr(g->places.at[sample->place], operand) != NULL;
            any |= wanted[sample->node];
        }
    }
    free(kinds);
    return any;
}

/* `.data closure of f (a.ml:1)`, `[120 fields] block of 3, and from one to the next`. */
static char *step_text(const struct heap_graph *g, const struct heap_step *step) {
    char *what = heap_node_text(g, step->node), *text;
    char *edge = heap_edge_text(g, step->above, step->field);
    const char *on = step->recursive ? ", and from one to the next" : "";
    if (step->node <= g->roots || step->of == 0) text = report_format("%s%s", what, on);
    else if (edge[0] != 0) text = report_format("%s %s%s", edge, what, on);
    else if (step->fields == 1 && step->index < step->of)
        text = report_format("[field %u of %u] %s%s", step->index, step->of, what, on);
    else text = report_format("[%u fields] %s%s", step->fields, what, on);
    report_free(what, edge);
    return text;
}

static const char *step_source(const struct heap_graph *g, const struct heap_step *step) {
    return step->node <= g->roots ? heap_root_source(&g->root_list.at[step->node - 1])
                                  : heap_edge_source(g, step->above, step->field);
}

static void add_steps(struct report_doc *doc, const struct report_request *request,
                      const struct heap_graph *g, const struct heap_steps *steps) {
    struct report_table *t = report_doc_table(doc, REPORT_TREE, "paths",
                                              "From the roots, by the shortest paths");
    report_table_columns(t, "bytes", "bytes", "share", "share", "blocks", "blocks", "ends", "ends",
                         "source", "name from", NULL);
    if (g->contents.written) report_table_columns(t, "example", "one of them", NULL);
    report_table_columns(t, "name", "path", NULL);
    const size_t rows = report_rows_of(&request->selection, ROWS);
    for (size_t i = 1; i < steps->list.count && i <= rows; i++) {
        const struct heap_step *step = &steps->list.at[i];
        struct report_cell cells[7] = {report_bytes(8.0 * (double)step->words),
                                       report_share((double)step->words / (double)steps->words),
                                       report_count((double)step->blocks),
                                       report_text(step->ends ? "yes" : ""),
                                       report_text(step_source(g, step))};
        size_t count = 5;
        if (g->contents.written) cells[count++] = report_own_text(heap_example_text(g, step->node));
        cells[count++] = report_own_text(step_text(g, step));
        report_table_row(t, step->depth - 1, cells, count);
    }
    if (steps->list.count > rows + 1)
        report_doc_note(doc, "%zu steps are not shown (--top, --thresh).",
                        steps->list.count - 1 - rows);
}

struct report_doc *report_view_why(const struct report_request *request) {
    struct heap_graph *g = heap_graph_load(request->path, request->error);
    if (g == NULL) return NULL;
    struct report_doc *doc = NULL;
    bool *wanted = report_alloc(g->nodes);
    /* They are the same blocks. */
    const char *operand = strcmp(request->operand, "bytes") == 0 ? "string" : request->operand;
    if (!choose_blocks(g, operand, wanted)) {
        bool is_string = operand[0] == '"';
        report_fail(request->error, request->path,
                    is_string && !g->contents.written ? "take it with --values"
                                                      : "`bactrian prof heap` shows what there is",
                    !is_string            ? "no block is a \"%.100s\", and none was sampled there"
                    : g->contents.written ? "no string is %.100s"
                                          : "it has no contents of strings",
                    request->operand);
    } else {
        const double least = request->selection.threshold;
        struct heap_steps steps = heap_steps_find(g, wanted, least > 0 ? least : LEAST_STEP);
        doc = report_doc_create("why", "What leads to each `%s` in the heap of %s",
                                request->operand, g->program);
        add_steps(doc, request, g, &steps);
        free(steps.list.at);
    }
    free(wanted);
    heap_graph_free(g);
    return doc;
}
