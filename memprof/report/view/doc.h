/* doc.h - what a view found out, before anybody decides how it looks: titled tables of typed cells.
 * Text, JSON, CSV and the HTML page are written from it, so they cannot disagree. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_DOC_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_DOC_H

#include "memprof/report/model/error.h"
#include "memprof/report/model/estimate.h"

#include <stdio.h>

enum report_kind {
    REPORT_TEXT,
    REPORT_BYTES,
    REPORT_COUNT,
    REPORT_SHARES, /* 0 to 1 */
    REPORT_SECONDS,
    REPORT_NUMBER, /* as it is */
    REPORT_BAR,    /* 0 to 1, drawn */
};

enum report_shape {
    REPORT_FACTS,  /* rows of a title and a value; the row's key names it */
    REPORT_TABLE,  /* one row beside the other */
    REPORT_TREE,   /* rows have a depth and follow their parent; the last column is indented */
    REPORT_ICICLE, /* a tree drawn as nested bars; the first column gives the widths */
};

/* A tree's row that has so much of its parent's stands for all of it. */
#define REPORT_STRAIGHT 0.99

struct report_cell {
    enum report_kind kind;
    bool has_interval;
    char *text; /* of REPORT_TEXT; owned */
    struct report_estimate number;
};

struct report_column {
    const char *key, *title;
};

struct report_row {
    const char *key; /* of REPORT_FACTS; a literal */
    unsigned depth;
    enum { REPORT_FIRST, REPORT_ANYWHERE, REPORT_LAST } place; /* among its siblings, if sorted */
    size_t first; /* of its cells: as many as there are columns; of FACTS two */
};

struct report_table {
    const char *key;
    char *title; /* owned; "" for none */
    enum report_shape shape;
    struct report_column columns[12];
    size_t column_count;
    size_t limit; /* rows that stay when they have been sorted; 0: all */
    struct report_row *rows;
    size_t row_count, row_capacity;
    struct report_cell *cells;
    size_t cell_count, cell_capacity;
    char *empty; /* owned: what to say when there is no row; NULL for nothing */
};

struct report_doc {
    const char *view;
    char *title;
    char **notes; /* sentences to print below; owned */
    size_t note_count, note_capacity;
    struct report_table **tables;
    size_t table_count, table_capacity;
    bool no_intervals;
};

/* A document; title as printf makes it. Fails: as report_alloc, like all below. */
struct report_doc *report_doc_create(const char *view, const char *title, ...)
    __attribute__((format(printf, 2, 3)));
/* Frees it with its tables; NULL is allowed. */
void report_doc_free(struct report_doc *doc);
/* Adds a sentence. */
void report_doc_note(struct report_doc *doc, const char *text, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a table. key: its name in JSON. */
struct report_table *report_doc_table(struct report_doc *doc, enum report_shape shape,
                                      const char *key, const char *title, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a column. key and title are literals. */
void report_table_column(struct report_table *table, const char *key, const char *title);
/* Starts a row, REPORT_ANYWHERE; its cells follow in the order of the columns. */
void report_table_row(struct report_table *table, unsigned depth);
/* Adds a cell to the last row: a text, which it takes over; a copy; a number; an estimate. */
void report_cell_own(struct report_table *table, char *text);
void report_cell_text(struct report_table *table, const char *text);
void report_cell_number(struct report_table *table, enum report_kind kind, double number);
void report_cell_estimate(struct report_table *table, enum report_kind kind,
                          struct report_estimate estimate);
/* Adds a row to a table of facts: a text, a number, an estimate. */
void report_fact_text(struct report_table *table, const char *key, const char *title,
                      const char *text);
void report_fact_number(struct report_table *table, const char *key, const char *title,
                        enum report_kind kind, double number);
void report_fact_estimate(struct report_table *table, const char *key, const char *title,
                          enum report_kind kind, struct report_estimate estimate);

/* Sorts all tables and trees that have the column `by` (with - in front: the other way), siblings
 * among themselves, and cuts tables to their limit. Returns 0, or -1 and *error: there is none. */
int report_doc_sort(struct report_doc *doc, const char *by, struct report_error *error);

/* Where and how a text goes. */
struct report_style {
    bool color;
    unsigned columns; /* width of the terminal */
};

/* A number as the text shows it, its unit included. */
void report_write_cell(char out[32], const struct report_cell *cell);
/* Writes the document for people. */
void report_doc_write_text(const struct report_doc *doc, const struct report_style *style,
                           FILE *out);
/* Writes it as one JSON object. */
void report_doc_write_json(const struct report_doc *doc, FILE *out);
/* The same with trees written small, for the page: doc_json.c draws them. */
void report_doc_write_small_json(const struct report_doc *doc, FILE *out);
/* Writes its first table (not of facts, if there is another) as CSV, with a line of titles. */
void report_doc_write_csv(const struct report_doc *doc, FILE *out);
/* Writes a string of JSON, quoted and escaped. */
void report_write_json_string(const char *text, FILE *out);

#endif
