/* table.c - mlprof's totals and table. */
#include "gc/assert.h"
#include "memprof/report/mlprof/mlprof_internal.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

enum { TICKS_PER_SECOND = 100, MAX_COLUMNS = 7 };

static void write_totals(const struct mlmon *p, FILE *out) {
    char total[32], gc[32];
    report_write_whole(total, p->total + p->total_gc);
    report_write_whole(gc, p->total_gc);
    if (p->kind == MLMON_TIME)
        fprintf(out, "%.2f seconds of CPU time (%.2f seconds GC)\n",
                (double)(p->total + p->total_gc) / TICKS_PER_SECOND,
                (double)p->total_gc / TICKS_PER_SECOND);
    else if (p->kind == MLMON_ALLOC)
        fprintf(out, "%s bytes allocated (%s bytes by GC)\n", total, gc);
    else fprintf(out, "%s ticks\n", total);
}

/* Rows of texts: the first column aligned left, the others right, titles centred. */
struct table {
    const char *titles[MAX_COLUMNS];
    size_t widths[MAX_COLUMNS];
    unsigned column_count;
    REPORT_VECTOR(char *) cells;
};

static void add_cell(struct table *t, char *text) {
    size_t column = t->cells.count % t->column_count;
    report_append(&t->cells, text);
    if (strlen(text) > t->widths[column]) t->widths[column] = strlen(text);
}

static void write_line(FILE *out, const struct table *t, const char *const *texts, bool centred) {
    size_t blanks = 0; /* owed before the next text: no line ends with blanks */
    for (unsigned i = 0; i < t->column_count; i++) {
        size_t length = strlen(texts[i]), rest = t->widths[i] - length;
        ASSERT(length <= t->widths[i]);
        size_t left = centred ? rest / 2 : i == 0 ? 0 : rest;
        fprintf(out, "%*s%s", (int)(blanks + left), "", texts[i]);
        blanks = rest - left + 1;
    }
    fputc('\n', out);
}

static void write_rule(FILE *out, const struct table *t) {
    for (unsigned i = 0; i < t->column_count; i++) {
        if (i > 0) fputc(' ', out);
        for (size_t k = 0; k < t->widths[i]; k++) fputc('-', out);
    }
    fputc('\n', out);
}

static void add_column(struct table *t, const char *title) {
    ASSERT(t->column_count < MAX_COLUMNS);
    t->widths[t->column_count] = strlen(title);
    t->titles[t->column_count++] = title;
}

static void add_count(struct table *t, const struct mlmon *p, uint64_t n, bool raw) {
    add_cell(t, report_format("%.1f%%", mlprof_percent(p, n)));
    if (!raw) return;
    char whole[32];
    report_write_whole(whole, n);
    add_cell(t, p->kind == MLMON_TIME ? report_format("(%.2fs)", (double)n / TICKS_PER_SECOND)
                                      : report_format("(%s)", whole));
}

static int compare_nodes(const void *a, const void *b) {
    const struct mlprof_node *x = *(const struct mlprof_node *const *)a;
    const struct mlprof_node *y = *(const struct mlprof_node *const *)b;
    return report_order(y->counts.own, x->counts.own) ?:
           report_order(y->counts.stack, x->counts.stack) ?: strcmp(x->name, y->name) ?:
           report_order(x, y);
}

static void add_node(struct table *t, const struct mlmon *p, const struct mlprof_node *node,
                     const struct mlprof_options *o) {
    bool position = o->show_line && node->position != NULL;
    add_cell(t, report_format("%s%s%s", node->name, position ? "  " : "",
                              position ? node->position : ""));
    add_count(t, p, node->counts.own, o->raw);
    if (!p->stacks) return;
    add_count(t, p, node->counts.stack, o->raw);
    add_count(t, p, node->counts.stack_gc, o->raw);
}

void mlprof_write_table(const struct mlprof_graph *g, const struct mlprof_options *o, FILE *out) {
    const struct mlmon *p = g->profile;
    struct table t = {.column_count = 0};
    const struct mlprof_node **order = report_alloc(g->node_count * sizeof *order);
    size_t kept = 0;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].kept) order[kept++] = &g->nodes[i];
    if (kept > 0) qsort(order, kept, sizeof *order, compare_nodes);
    add_column(&t, "function");
    static const char *const titles[] = {"cur", "stack", "GC"};
    for (int i = 0; i < (p->stacks ? 3 : 1); i++) {
        add_column(&t, titles[i]);
        if (o->raw) add_column(&t, "raw");
    }
    for (size_t i = 0; i < kept; i++) add_node(&t, p, order[i], o);
    write_totals(p, out);
    write_line(out, &t, t.titles, true);
    write_rule(out, &t);
    for (size_t i = 0; i < t.cells.count; i += t.column_count)
        write_line(out, &t, (const char *const *)t.cells.at + i, false);
    report_each(cell, &t.cells) free(*cell);
    report_free(t.cells.at, order);
}
