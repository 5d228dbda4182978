/* doc.c - builds and sorts documents; doc_text.c and doc_json.c write them. */
#include "memprof/report/view/doc.h"

#include "gc/assert.h"
#include "memprof/report/model/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct report_doc *report_doc_with(const char *view, char *title) {
    struct report_doc *doc = report_alloc(sizeof *doc);
    doc->view = view;
    doc->title = title;
    return doc;
}

void report_doc_free(struct report_doc *doc) {
    if (doc == NULL) return;
    report_each(note, &doc->notes) free(*note);
    report_each(table, &doc->tables) {
        struct report_table *t = *table;
        report_each(cell, &t->cells) free(cell->text);
        report_free(t->title, t->rows.at, t->cells.at, t);
    }
    report_free(doc->notes.at, doc->tables.at, doc->title, doc);
}

struct report_table *report_doc_table(struct report_doc *doc, enum report_shape shape,
                                      const char *key, const char *title) {
    struct report_table *table = report_alloc(sizeof *table);
    table->title = report_copy(title);
    table->key = key;
    table->shape = shape;
    if (shape == REPORT_FACTS) report_table_columns(table, "what", "", "value", "", NULL);
    report_append(&doc->tables, table);
    return table;
}

void report_table_columns(struct report_table *table, const char *key, ...) {
    va_list arguments;
    va_start(arguments, key);
    for (; key != NULL; key = va_arg(arguments, const char *)) {
        ASSERT(table->column_count < REPORT_COLUMNS_MAX && table->rows.count == 0);
        const char *title = va_arg(arguments, const char *);
        table->columns[table->column_count++] = (struct report_column){key, title};
    }
    va_end(arguments);
}

void report_table_row(struct report_table *table, unsigned depth, const struct report_cell *cells,
                      size_t count) {
    size_t rows = table->rows.count;
    ASSERT(count == table->column_count);
    ASSERT(depth <= (rows > 0 ? table->rows.at[rows - 1].depth + 1 : 0));
    report_append(&table->rows, (struct report_row){.depth = depth,
                                                    .position = REPORT_ANYWHERE,
                                                    .first = table->cells.count});
    for (size_t i = 0; i < count; i++) {
        ASSERT((cells[i].kind == REPORT_TEXT) == (cells[i].text != NULL));
        report_append(&table->cells, cells[i]);
    }
}

void report_fact(struct report_table *table, const char *key, const char *title,
                 struct report_cell value) {
    ASSERT(table->shape == REPORT_FACTS);
    report_row(table, 0, report_text(title), value);
    table->rows.at[table->rows.count - 1].key = key;
}

void report_write_cell(char out[32], const struct report_cell *cell) {
    ASSERT(cell->kind != REPORT_TEXT && cell->kind != REPORT_BAR);
    switch (cell->kind) {
    case REPORT_BYTES: report_write_bytes(out, cell->number.value); break;
    case REPORT_COUNT: report_write_count(out, cell->number.value); break;
    case REPORT_SHARES: report_write_share(out, cell->number.value); break;
    case REPORT_SECONDS: report_write_seconds(out, cell->number.value); break;
    default: snprintf(out, 32, "%.6g", cell->number.value); break;
    }
}

/* ---- --sort: orders rows, then cuts them to a limit. ---- */

struct order {
    const struct report_table *table;
    size_t column;
    bool reversed;
    uint32_t *parents; /* of a tree's rows, 1 + the row; else all 0 */
};

/* Numbers descend, with unknown ones last; texts ascend. */
static int compare_cells(const struct report_cell *a, const struct report_cell *b) {
    if (a->kind == REPORT_TEXT) return strcmp(a->text, b->text);
    double x = a->number.value, y = b->number.value;
    return report_order(y, x);
}

static bool is_unknown(const struct report_cell *cell) {
    return cell->kind != REPORT_TEXT && isnan(cell->number.value);
}

static int by_column(const void *a, const void *b, void *context) {
    const struct order *o = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (o->parents[x] != o->parents[y]) return o->parents[x] < o->parents[y] ? -1 : 1;
    const struct report_row *p = &o->table->rows.at[x], *q = &o->table->rows.at[y];
    if (p->position != q->position) return p->position < q->position ? -1 : 1;
    const struct report_cell *left = report_cell_at(o->table, x, o->column),
                             *right = report_cell_at(o->table, y, o->column);
    if (is_unknown(left) != is_unknown(right)) return is_unknown(right) ? -1 : 1;
    int order = is_unknown(left) ? 0 : compare_cells(left, right);
    if (o->reversed) order = -order;
    return order ?: report_order(x, y);
}

static void find_parents(struct order *o) {
    const struct report_table *t = o->table;
    uint32_t *last = report_alloc((t->rows.count + 1) * sizeof *last); /* row of each depth */
    for (uint32_t i = 0; i < t->rows.count; i++) {
        unsigned depth = t->rows.at[i].depth;
        o->parents[i] = depth > 0 ? last[depth - 1] : 0;
        last[depth] = i + 1;
    }
    free(last);
}

/* Rows from the root down, each followed by its children in their new order. sorted: all rows,
 * those of one parent together. */
static struct report_row *order_tree(const struct order *o, const uint32_t *sorted) {
    const struct report_table *t = o->table;
    size_t n = t->rows.count, count = 0, open = 0;
    struct report_row *rows = report_alloc(n * sizeof *rows);
    uint32_t *starts = report_alloc((n + 2) *
                                    sizeof *starts); /* in sorted, of each one's children */
    uint32_t *stack = report_alloc((n + 1) * sizeof *stack);
    for (size_t i = 0; i < n; i++) starts[o->parents[i] + 1]++;
    for (size_t i = 0; i <= n; i++) starts[i + 1] += starts[i];
    for (uint32_t i = starts[1]; i > starts[0]; i--) stack[open++] = sorted[i - 1];
    while (open > 0) {
        uint32_t row = stack[--open];
        rows[count++] = t->rows.at[row];
        for (uint32_t i = starts[row + 2]; i > starts[row + 1]; i--) stack[open++] = sorted[i - 1];
    }
    ASSERT(count == n);
    report_free(starts, stack);
    return rows;
}

static void sort_table(struct report_table *t, size_t column, bool reversed) {
    ASSERT(column < t->column_count && t->cells.count == t->rows.count * t->column_count);
    struct order o = {t, column, reversed, report_alloc(t->rows.count * sizeof *o.parents)};
    uint32_t *sorted = report_alloc(t->rows.count * sizeof *sorted);
    for (uint32_t i = 0; i < t->rows.count; i++) sorted[i] = i;
    find_parents(&o);
    qsort_r(sorted, t->rows.count, sizeof *sorted, by_column, &o);
    struct report_row *rows = order_tree(&o, sorted);
    free(t->rows.at);
    t->rows.at = rows;
    t->rows.capacity = t->rows.count;
    report_free(o.parents, sorted);
}

static bool can_sort(const struct report_table *t) { return t->shape != REPORT_FACTS; }

static int complain(const struct report_doc *doc, const char *key, struct report_error *error) {
    char list[200] = "give one of";
    for (size_t i = 0; i < doc->tables.count; i++) {
        const struct report_table *t = doc->tables.at[i];
        for (size_t c = 0; can_sort(t) && c < t->column_count; c++) {
            size_t used = strlen(list);
            if (strstr(list, t->columns[c].key) == NULL)
                snprintf(list + used, sizeof list - used, " %s", t->columns[c].key);
        }
    }
    if (strlen(list) <= strlen("give one of"))
        return report_fail(error, "--sort", "leave it out", "`%s` has no rows to sort", doc->view);
    return report_fail(error, "--sort", list, "`%s` has no column \"%s\"", doc->view, key);
}

int report_doc_sort(struct report_doc *doc, const char *by, struct report_error *error) {
    bool reversed = by[0] == '-', found = false;
    const char *key = by + reversed;
    for (size_t i = 0; i < doc->tables.count; i++) {
        struct report_table *t = doc->tables.at[i];
        for (size_t c = 0; can_sort(t) && c < t->column_count; c++) {
            if (strcmp(t->columns[c].key, key) != 0) continue;
            if (t->rows.count > 0) sort_table(t, c, reversed);
            found = true;
        }
        if (t->limit == 0 || t->rows.count <= t->limit) continue;
        report_doc_note(doc, "%zu rows are left out: --top %zu shows all.",
                        t->rows.count - t->limit, t->rows.count);
        t->rows.count = t->limit;
    }
    return found ? 0 : complain(doc, key, error);
}
