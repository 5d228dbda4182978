/* table.c - mlprof's totals and table. */
#include "memprof/report/mlprof/mlprof_internal.h"
#include "memprof/report/model/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TICKS_PER_SECOND = 100, MAX_COLUMNS = 7 };

/* 1,234,567 */
static char *with_commas(uint64_t n) {
    char *digits = report_format("%llu", (unsigned long long)n);
    size_t length = strlen(digits), at = 0;
    char *text = report_alloc(length + length / 3 + 1);
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    free(digits);
    return text;
}

static void write_totals(const struct mlmon *p, FILE *out) {
    char *total = with_commas(p->total + p->total_gc), *gc = with_commas(p->total_gc);
    if (p->kind == MLMON_TIME)
        fprintf(out, "%.2f seconds of CPU time (%.2f seconds GC)\n",
                (double)(p->total + p->total_gc) / TICKS_PER_SECOND,
                (double)p->total_gc / TICKS_PER_SECOND);
    else if (p->kind == MLMON_ALLOC)
        fprintf(out, "%s bytes allocated (%s bytes by GC)\n", total, gc);
    else fprintf(out, "%s ticks\n", total);
    free(total);
    free(gc);
}

/* Texts in rows; the first column stands left, the others right, the titles in the middle. */
struct table {
    const char *titles[MAX_COLUMNS];
    size_t widths[MAX_COLUMNS];
    unsigned column_count;
    char **cells;
    size_t count, capacity;
};

static void add_cell(struct table *t, char *text) {
    size_t column = t->count % t->column_count;
    report_grow(&t->cells, &t->capacity, t->count + 1, sizeof *t->cells);
    t->cells[t->count++] = text;
    if (strlen(text) > t->widths[column]) t->widths[column] = strlen(text);
}

static void write_line(FILE *out, const struct table *t, const char *const *texts, bool centred) {
    size_t due = 0; /* blanks that are only written in front of something */
    for (unsigned i = 0; i < t->column_count; i++) {
        size_t length = strlen(texts[i]), rest = t->widths[i] - length;
        size_t left = centred ? rest / 2 : i == 0 ? 0 : rest;
        fprintf(out, "%*s%s", (int)(due + left), "", texts[i]);
        due = rest - left + 1;
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
    t->widths[t->column_count] = strlen(title);
    t->titles[t->column_count++] = title;
}

static void add_count(struct table *t, const struct mlmon *p, uint64_t n, bool raw) {
    add_cell(t, report_format("%.1f%%", mlprof_percent(p, n)));
    if (!raw) return;
    char *commas = with_commas(n);
    add_cell(t, p->kind == MLMON_TIME ? report_format("(%.2fs)", (double)n / TICKS_PER_SECOND)
                                      : report_format("(%s)", commas));
    free(commas);
}

static int compare_nodes(const void *a, const void *b) {
    const struct mlprof_node *x = *(const struct mlprof_node *const *)a;
    const struct mlprof_node *y = *(const struct mlprof_node *const *)b;
    if (x->counts.own != y->counts.own) return x->counts.own > y->counts.own ? -1 : 1;
    if (x->counts.stack != y->counts.stack) return x->counts.stack > y->counts.stack ? -1 : 1;
    int by_name = strcmp(x->name, y->name);
    return by_name != 0 ? by_name : (x > y) - (x < y);
}

static void add_node(struct table *t, const struct mlmon *p, const struct mlprof_node *node,
                     const struct mlprof_options *o) {
    bool place = o->show_line && node->position != NULL;
    add_cell(t,
             report_format("%s%s%s", node->name, place ? "  " : "", place ? node->position : ""));
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
    for (size_t i = 0; i < t.count; i += t.column_count)
        write_line(out, &t, (const char *const *)t.cells + i, false);
    for (size_t i = 0; i < t.count; i++) free(t.cells[i]);
    free(t.cells);
    free(order);
}
