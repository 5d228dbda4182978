/* doc.c - builds documents; doc_text.c and doc_json.c write them. */
#include "memprof/report/view/doc.h"

#include "gc/assert.h"
#include "memprof/report/model/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct report_doc *report_doc_create(const char *view, const char *title, ...) {
    struct report_doc *doc = report_alloc(sizeof *doc);
    va_list arguments;
    va_start(arguments, title);
    doc->view = view;
    doc->title = report_format_list(title, arguments);
    va_end(arguments);
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

void report_doc_note(struct report_doc *doc, const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    report_append(&doc->notes, report_format_list(text, arguments));
    va_end(arguments);
}

struct report_table *report_doc_table(struct report_doc *doc, enum report_shape shape,
                                      const char *key, const char *title, ...) {
    struct report_table *table = report_alloc(sizeof *table);
    va_list arguments;
    va_start(arguments, title);
    table->title = report_format_list(title, arguments);
    va_end(arguments);
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
