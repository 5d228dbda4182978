/* annotate.c - source lines with their figures: what is allocated at a line, and through it.
 * Without the source (source.h) only line numbers are shown. */
#include "gc/assert.h"
#include "memprof/report/view/source.h"
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 2 }; /* lines shown around a line with figures */

struct line {
    uint32_t file; /* a name */
    int32_t number;
    struct report_sum self, through;
};

struct lines {
    struct line *all;
    size_t count;
    uint32_t *of_location; /* 1 + a line's index; 0: not wanted */
};

static bool ends_with(const char *text, const char *end, char separator) {
    size_t n = strlen(text), m = strlen(end);
    if (n < m || strcmp(text + n - m, end) != 0) return false;
    return n == m || text[n - m - 1] == separator;
}

/* A file by its name or the end of its path, a function by its name with or without its module. */
static bool is_wanted(const struct report_model *m, uint32_t location, const char *what) {
    const struct report_location *l = &m->locations.at[location];
    if (l->line < 1 || what[0] == 0) return false;
    return ends_with(m->names.at[l->file], what, '/') ||
           ends_with(m->names.at[l->function], what, '.');
}

REPORT_COMPARE(by_position, struct line,
               report_order(x->file, y->file) ?: report_order(x->number, y->number))

static void find_lines(const struct report_model *m, const char *what, struct lines *lines) {
    lines->all = report_alloc(m->locations.count * sizeof *lines->all);
    lines->of_location = report_alloc(m->locations.count * sizeof *lines->of_location);
    size_t n = 0;
    for (size_t i = 0; i < m->locations.count; i++)
        if (is_wanted(m, i, what))
            lines->all[n++] = (struct line){.file = m->locations.at[i].file,
                                            .number = m->locations.at[i].line};
    if (n > 0) qsort(lines->all, n, sizeof *lines->all, by_position);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_position(&lines->all[lines->count - 1], &lines->all[i]) != 0)
            lines->all[lines->count++] = lines->all[i];
    for (size_t i = 0; i < m->locations.count && lines->count > 0; i++) {
        const struct line key = {.file = m->locations.at[i].file,
                                 .number = m->locations.at[i].line};
        if (!is_wanted(m, i, what)) continue;
        const struct line *found = bsearch(&key, lines->all, lines->count, sizeof key, by_position);
        ASSERT(found != NULL);
        lines->of_location[i] = found - lines->all + 1;
    }
}

/* The line of a node's frame; 0: none is wanted. */
static uint32_t line_of(const struct report_query *query, const struct lines *lines,
                        uint32_t node) {
    if (node == 0 || (query->node_flags[node] & REPORT_NODE_HIDDEN) != 0) return 0;
    return lines->of_location[query->model->nodes.at[node].location];
}

/* Adds what is allocated through each line: below the outermost nodes of the line. below: the sums
 * of all stacks through each node. Nodes are visited depth first; depth counts the nodes of a line
 * between the root and the visited one. */
static void add_through(const struct report_query *query, struct lines *lines,
                        const struct report_sum *below) {
    const struct report_node *nodes = query->model->nodes.at;
    size_t count = query->model->nodes.count;
    uint32_t *first_child = report_alloc(count * sizeof *first_child);
    uint32_t *next_sibling = report_alloc(count * sizeof *next_sibling);
    uint32_t *depth = report_alloc((lines->count + 1) * sizeof *depth);
    for (size_t i = count - 1; i > 0; i--) {
        next_sibling[i] = first_child[nodes[i].parent];
        first_child[nodes[i].parent] = i;
    }
    uint32_t at = first_child[0];
    while (at != 0) {
        uint32_t line = line_of(query, lines, at);
        if (line != 0 && depth[line]++ == 0)
            report_sum_merge(&lines->all[line - 1].through, &below[at]);
        uint32_t next = first_child[at];
        while (next == 0 && at != 0) {
            depth[line_of(query, lines, at)]--;
            next = next_sibling[at];
            at = nodes[at].parent;
        }
        at = next;
    }
    report_free(first_child, next_sibling, depth);
}

static void add_samples(const struct report_query *query, struct lines *lines,
                        struct report_sum *total) {
    const struct report_model *m = query->model;
    struct report_sum *sums = report_alloc(m->nodes.count * sizeof *sums);
    report_each_selected(s, query) report_sum_add(&sums[report_query_node(query, s)], s, m->rate);
    for (size_t i = 0; i < m->nodes.count; i++) {
        uint32_t line = line_of(query, lines, i);
        if (line != 0) report_sum_merge(&lines->all[line - 1].self, &sums[i]);
    }
    for (size_t i = m->nodes.count - 1; i > 0; i--)
        report_sum_merge(&sums[m->nodes.at[i].parent], &sums[i]);
    *total = sums[0];
    add_through(query, lines, sums);
    free(sums);
}

static void add_row(struct report_table *t, const struct report_query *query,
                    const struct line *line, int32_t number, char *source) {
    enum report_kind kind = report_unit_kind(query->selection);
    const struct report_sum none = {0};
    const struct report_sum *self = line != NULL ? &line->self : &none;
    const struct report_sum *through = line != NULL ? &line->through : &none;
    size_t n = strlen(source);
    if (n > 0 && source[n - 1] == '\n') source[n - 1] = 0;
    report_row(t, 0,
               self->samples > 0 ? report_interval(kind, report_query_estimate(query, self))
                                 : report_number(kind, NAN),
               report_number(
                   kind, through->samples > 0 ? report_query_estimate(query, through).value : NAN),
               report_number(REPORT_NUMBER, number), report_text(source));
}

/* Adds the lines of one file, first to last. Returns whether the source was found. */
static bool add_file(struct report_doc *doc, const struct report_query *query, const char *folder,
                     const struct lines *lines, size_t first, size_t last) {
    const char *name = query->model->names.at[lines->all[first].file];
    FILE *file = report_open_source(folder, name);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "lines", name);
    char *text = NULL;
    size_t capacity = 0, at = first;
    report_table_columns(t, "self", "allocated here", "through", "through it", "line", "line",
                         "source", "", NULL);
    for (int32_t n = 1; file != NULL && at <= last && getline(&text, &capacity, file) >= 0; n++) {
        while (at <= last && lines->all[at].number + CONTEXT < n) at++;
        if (at > last) break;
        /* The line itself, or the next one with figures. */
        size_t own = at;
        while (own < last && lines->all[own].number < n) own++;
        bool is_own = lines->all[own].number == n;
        bool near = n >= lines->all[own].number - CONTEXT || n <= lines->all[at].number + CONTEXT;
        if (n < lines->all[at].number - CONTEXT || !near) continue;
        add_row(t, query, is_own ? &lines->all[own] : NULL, n, text);
    }
    for (size_t i = first; file == NULL && i <= last; i++)
        add_row(t, query, &lines->all[i], lines->all[i].number, (char[]){0});
    free(text);
    if (file == NULL) return false;
    fclose(file);
    return true;
}

struct report_doc *report_view_annotate(const struct report_request *request) {
    struct lines lines = {0};
    struct report_query query;
    struct report_sum total = {0};
    bool found = true;
    find_lines(request->model, request->operand, &lines);
    struct report_doc *doc = NULL;
    if (lines.count == 0) {
        report_fail(request->error, request->operand,
                    "`bactrian prof table --by file` and `--by fn` list them",
                    "the profile has no such file or function");
    } else if (report_request_query(request, &query) == 0) {
        add_samples(&query, &lines, &total);
        char *text = report_total_text(&query, &total);
        doc = report_doc_create("annotate", "%s of %s, %s", request->operand, text, query.sentence);
        for (size_t first = 0, i = 0; i < lines.count; i++) {
            if (i + 1 < lines.count && lines.all[i + 1].file == lines.all[first].file) continue;
            found = add_file(doc, &query, request->source, &lines, first, i) && found;
            first = i + 1;
        }
        if (!found)
            report_doc_note(
                doc,
                "A source file was not found below this folder: run this where the program was "
                "compiled, or name that folder with --source.");
        free(text);
        report_query_end(&query);
    }
    report_free(lines.all, lines.of_location);
    return doc;
}
