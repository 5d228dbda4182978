/* doc.c - builds documents; doc_text.c and doc_json.c write them. */
#include "memprof/report/view/doc.h"

#include "memprof/report/model/memory.h"
#include "memprof/report/view/text.h"

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
    for (size_t i = 0; i < doc->note_count; i++) free(doc->notes[i]);
    for (size_t i = 0; i < doc->table_count; i++) {
        struct report_table *t = doc->tables[i];
        for (size_t j = 0; j < t->cell_count; j++) free(t->cells[j].text);
        free(t->title);
        free(t->empty);
        free(t->rows);
        free(t->cells);
        free(t);
    }
    free(doc->notes);
    free(doc->tables);
    free(doc->title);
    free(doc);
}

void report_doc_note(struct report_doc *doc, const char *text, ...) {
    va_list arguments;
    report_grow(&doc->notes, &doc->note_capacity, doc->note_count + 1, sizeof *doc->notes);
    va_start(arguments, text);
    doc->notes[doc->note_count++] = report_format_list(text, arguments);
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
    if (shape == REPORT_FACTS) {
        report_table_column(table, "what", "");
        report_table_column(table, "value", "");
    }
    report_grow(&doc->tables, &doc->table_capacity, doc->table_count + 1, sizeof *doc->tables);
    doc->tables[doc->table_count++] = table;
    return table;
}

void report_table_column(struct report_table *table, const char *key, const char *title) {
    table->columns[table->column_count++] = (struct report_column){key, title};
}

void report_table_row(struct report_table *table, unsigned depth) {
    report_grow(&table->rows, &table->row_capacity, table->row_count + 1, sizeof *table->rows);
    table->rows[table->row_count++] = (struct report_row){
        .depth = depth, .place = REPORT_ANYWHERE, .first = table->cell_count};
}

static void add_cell(struct report_table *table, struct report_cell cell) {
    report_grow(&table->cells, &table->cell_capacity, table->cell_count + 1, sizeof cell);
    table->cells[table->cell_count++] = cell;
}

void report_cell_own(struct report_table *table, char *text) {
    add_cell(table, (struct report_cell){.kind = REPORT_TEXT, .text = text});
}

void report_cell_text(struct report_table *table, const char *text) {
    report_cell_own(table, report_copy(text));
}

void report_cell_number(struct report_table *table, enum report_kind kind, double number) {
    add_cell(table, (struct report_cell){.kind = kind, .number = {number, number, number}});
}

void report_cell_estimate(struct report_table *table, enum report_kind kind,
                          struct report_estimate estimate) {
    add_cell(table, (struct report_cell){.kind = kind, .has_interval = true, .number = estimate});
}

static void start_fact(struct report_table *table, const char *key, const char *title) {
    report_table_row(table, 0);
    table->rows[table->row_count - 1].key = key;
    report_cell_text(table, title);
}

void report_fact_text(struct report_table *table, const char *key, const char *title,
                      const char *text) {
    start_fact(table, key, title);
    report_cell_text(table, text);
}

void report_fact_number(struct report_table *table, const char *key, const char *title,
                        enum report_kind kind, double number) {
    start_fact(table, key, title);
    report_cell_number(table, kind, number);
}

void report_fact_estimate(struct report_table *table, const char *key, const char *title,
                          enum report_kind kind, struct report_estimate estimate) {
    start_fact(table, key, title);
    report_cell_estimate(table, kind, estimate);
}

void report_write_cell(char out[32], const struct report_cell *cell) {
    switch (cell->kind) {
    case REPORT_BYTES: report_write_bytes(out, cell->number.value); break;
    case REPORT_COUNT: report_write_count(out, cell->number.value); break;
    case REPORT_SHARES: report_write_share(out, cell->number.value); break;
    case REPORT_SECONDS: report_write_seconds(out, cell->number.value); break;
    default: snprintf(out, 32, "%.6g", cell->number.value); break;
    }
}
