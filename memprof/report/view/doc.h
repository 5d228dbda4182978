/* doc.h - documents, the results of views: titled tables of typed cells. Text, JSON and CSV are
 * written from them, so that they agree. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_DOC_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_DOC_H

#include "gc/assert.h"
#include "memprof/report/model/base.h"
#include "memprof/report/model/estimate.h"

#include <stdio.h>

enum report_kind {
    REPORT_TEXT,
    REPORT_BYTES,
    REPORT_COUNT,
    REPORT_SHARES, /* 0 to 1 */
    REPORT_SECONDS,
    REPORT_NUMBER, /* without a unit */
    REPORT_BAR,    /* 0 to 1, drawn */
};

enum report_shape {
    REPORT_FACTS,  /* rows of a title and a value; the row's key names it */
    REPORT_TABLE,  /* independent rows */
    REPORT_TREE,   /* rows have a depth and follow their parents; the last column is indented */
    REPORT_ICICLE, /* a tree drawn as nested bars, as wide as the first column says */
};

/* The share of its parent's value from which an only child is printed straight below it. */
#define REPORT_STRAIGHT 0.99

struct report_cell {
    enum report_kind kind;
    bool has_interval;
    char *text; /* of REPORT_TEXT; owned */
    struct report_estimate number;
};

enum { REPORT_COLUMNS_MAX = 12 };

struct report_column {
    const char *key, *title;
};

struct report_row {
    const char *key; /* of REPORT_FACTS; a literal */
    unsigned depth;
    enum {
        REPORT_FIRST,
        REPORT_ANYWHERE,
        REPORT_LAST
    } position;   /* among its siblings, if sorted */
    size_t first; /* of its cells, one for each column */
};

struct report_table {
    const char *key;
    char *title; /* owned; "" for none */
    enum report_shape shape;
    struct report_column columns[REPORT_COLUMNS_MAX];
    size_t column_count;
    size_t limit; /* rows that stay after sorting; 0: all */
    REPORT_VECTOR(struct report_row) rows;
    REPORT_VECTOR(struct report_cell) cells;
    const char *empty; /* a literal, printed if there is no row; NULL: then the table is left out */
};

struct report_doc {
    const char *view;
    char *title;
    REPORT_VECTOR(char *) notes; /* sentences to print below; owned */
    REPORT_VECTOR(struct report_table *) tables;
    bool no_intervals;
};

/* A document with a title that is a format as of printf. Fails: as report_alloc, like all below. */
#define report_doc_create(view, ...) report_doc_with(view, report_format(__VA_ARGS__))
/* The same; takes over the title. */
struct report_doc *report_doc_with(const char *view, char *title);
/* Frees it with its tables; NULL is allowed. */
void report_doc_free(struct report_doc *doc);
/* Adds a sentence, also a format. */
#define report_doc_note(doc, ...) report_append(&(doc)->notes, report_format(__VA_ARGS__))
/* Adds a table. key: its name in JSON; title: a copy is kept. */
struct report_table *report_doc_table(struct report_doc *doc, enum report_shape shape,
                                      const char *key, const char *title);
/* Adds columns: a key and a title each, both literals, then NULL. */
void report_table_columns(struct report_table *table, const char *key, ...)
    __attribute__((sentinel));
/* Cells: a number, of any kind or of the one that the name says; an estimate; a copy of a text; a
 * text that the cell takes over. */
static inline struct report_cell report_number(enum report_kind kind, double number) {
    return (struct report_cell){.kind = kind, .number = {number, number, number}};
}
static inline struct report_cell report_bytes(double n) { return report_number(REPORT_BYTES, n); }
static inline struct report_cell report_count(double n) { return report_number(REPORT_COUNT, n); }
static inline struct report_cell report_share(double n) { return report_number(REPORT_SHARES, n); }
static inline struct report_cell report_seconds(double n) {
    return report_number(REPORT_SECONDS, n);
}
static inline struct report_cell report_interval(enum report_kind kind, struct report_estimate e) {
    return (struct report_cell){.kind = kind, .has_interval = true, .number = e};
}
static inline struct report_cell report_own_text(char *text) {
    return (struct report_cell){.kind = REPORT_TEXT, .text = text};
}
static inline struct report_cell report_text(const char *text) {
    return report_own_text(report_copy(text));
}
/* Adds a row, REPORT_ANYWHERE, of `count` cells, one for each column. */
void report_table_row(struct report_table *table, unsigned depth, const struct report_cell *cells,
                      size_t count);
/* The same of cells that are written out. */
#define report_row(table, depth, ...)                                   \
    report_table_row(table, depth, (struct report_cell[]){__VA_ARGS__}, \
                     sizeof((struct report_cell[]){__VA_ARGS__}) / sizeof(struct report_cell))
/* The cell of a row, counted from 0, in a column. */
static inline const struct report_cell *report_cell_at(const struct report_table *t, size_t row,
                                                       size_t column) {
    ASSERT(row < t->rows.count && column < t->column_count);
    return &t->cells.at[t->rows.at[row].first + column];
}
/* Adds a row to a table of facts. key and title are literals. */
void report_fact(struct report_table *table, const char *key, const char *title,
                 struct report_cell value);

/* Sorts all tables and trees that have the column `by` (in reverse with - in front), siblings among
 * themselves, and cuts tables to their limit. Returns 0, or -1 and *error if none has it. */
int report_doc_sort(struct report_doc *doc, const char *by, struct report_error *error);

/* The format of text. */
struct report_style {
    bool color;
    unsigned columns; /* width of the terminal */
};

/* Writes a number as text, with its unit. */
void report_write_cell(char out[32], const struct report_cell *cell);
/* Writes the document as text. */
void report_doc_write_text(const struct report_doc *doc, const struct report_style *style,
                           FILE *out);
/* Writes it as one JSON object. */
void report_doc_write_json(const struct report_doc *doc, FILE *out);
/* The same for the HTML report: with the titles of columns, the kinds of numbers and the depths of
 * rows (page/reports.js). */
void report_doc_write_page(const struct report_doc *doc, FILE *out);
/* Writes its first table (of facts only if there is no other) as CSV, with a line of keys. */
void report_doc_write_csv(const struct report_doc *doc, FILE *out);
/* Writes a document of report_view_annotate as hints for editors (doc_lsp.c). */
void report_doc_write_lsp(const struct report_doc *doc, FILE *out);
/* Writes text as a JSON string. */
void report_write_json_string(const char *text, FILE *out);

#endif
