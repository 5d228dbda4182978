/* doc_json.c - writes documents as JSON and CSV.
 *
 * Bytes are whole, times are seconds, shares are 0 to 1. An estimate is {"value", "low", "high"};
 * an unknown number is null. Rows of a tree have their children in "children". */
#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "memprof/report/view/doc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void report_write_json_string(const char *text, FILE *out) {
    const unsigned char *s = (const unsigned char *)text;
    putc('"', out);
    while (*s != 0) {
        unsigned n = mp_utf8_bytes((const char *)s);
        if (n == 0) {
            fputs("\\ufffd", out); /* names may hold any bytes, JSON may not */
            s++;
            continue;
        }
        unsigned code = n > 1 ? mp_direction_control((const char *)s) : 0;
        if (*s == '"' || *s == '\\') fprintf(out, "\\%c", *s);
        else if (code != 0) fprintf(out, "\\u%04x", code);
        else if (*s == 0xc2 && s[1] < 0xa0) fprintf(out, "\\u%04x", s[1]);
        else if (*s < 32 || *s == 127 || *s == '<')
            fprintf(out, "\\u%04x", *s); /* `<`: safe in HTML */
        else fwrite(s, 1, n, out);
        s += n;
    }
    putc('"', out);
}

static void put_number(double n, FILE *out) {
    if (!isfinite(n)) fputs("null", out);
    else if (n == floor(n) && fabs(n) < 1e15) fprintf(out, "%.0f", n);
    else fprintf(out, "%.9g", n);
}

/* A number of a cell; bytes are rounded, as in exports. */
static double exact(const struct report_cell *cell, double n) {
    return cell->kind == REPORT_BYTES ? round(n) : n;
}

static void put_estimate(const struct report_cell *cell, const char *before, const char *low,
                         const char *high, FILE *out) {
    fputs(before, out);
    put_number(exact(cell, cell->number.value), out);
    fputs(low, out);
    put_number(exact(cell, cell->number.low), out);
    fputs(high, out);
    put_number(exact(cell, cell->number.high), out);
}

static void put_cell(const struct report_cell *cell, FILE *out) {
    if (cell->kind == REPORT_TEXT) {
        report_write_json_string(cell->text, out);
    } else if (cell->has_interval) {
        put_estimate(cell, "{\"value\":", ",\"low\":", ",\"high\":", out);
        putc('}', out);
    } else {
        put_number(exact(cell, cell->number.value), out);
    }
}

static void put_facts(const struct report_table *t, FILE *out) {
    putc('{', out);
    for (size_t r = 0; r < t->rows.count; r++) {
        if (r > 0) putc(',', out);
        report_write_json_string(t->rows.at[r].key, out);
        putc(':', out);
        put_cell(report_cell_at(t, r, 1), out);
    }
    putc('}', out);
}

static void put_columns(const struct report_table *t, size_t row, FILE *out) {
    for (size_t c = 0; c < t->column_count; c++) {
        if (c > 0) putc(',', out);
        report_write_json_string(t->columns[c].key, out);
        putc(':', out);
        put_cell(report_cell_at(t, row, c), out);
    }
}

static void put_tree(const struct report_table *t, FILE *out) {
    unsigned open = 0; /* rows that may have more children */
    putc('[', out);
    for (size_t r = 0; r < t->rows.count; r++) {
        unsigned depth = t->rows.at[r].depth;
        bool first = r == 0 || depth > t->rows.at[r - 1].depth;
        for (; open > depth; open--) fputs("]}", out);
        if (!first) putc(',', out);
        putc('{', out);
        put_columns(t, r, out);
        fputs(",\"children\":[", out);
        open = depth + 1;
    }
    for (; open > 0; open--) fputs("]}", out);
    putc(']', out);
}

static void put_rows(const struct report_table *t, FILE *out) {
    putc('[', out);
    for (size_t r = 0; r < t->rows.count; r++) {
        fputs(r > 0 ? ",{" : "{", out);
        put_columns(t, r, out);
        putc('}', out);
    }
    putc(']', out);
}

void report_doc_write_json(const struct report_doc *doc, FILE *out) {
    fputs("{\"view\":", out);
    report_write_json_string(doc->view, out);
    fputs(",\"title\":", out);
    report_write_json_string(doc->title, out);
    for (size_t i = 0; i < doc->tables.count; i++) {
        const struct report_table *t = doc->tables.at[i];
        putc(',', out);
        report_write_json_string(t->key, out);
        putc(':', out);
        if (t->shape == REPORT_FACTS) put_facts(t, out);
        else if (t->shape == REPORT_TABLE) put_rows(t, out);
        else put_tree(t, out);
    }
    fputs(",\"notes\":[", out);
    for (size_t i = 0; i < doc->notes.count; i++) {
        if (i > 0) putc(',', out);
        report_write_json_string(doc->notes.at[i], out);
    }
    fputs("]}\n", out);
}

static const char *kind_name(enum report_kind kind) {
    switch (kind) {
    case REPORT_BYTES: return "bytes";
    case REPORT_COUNT: return "count";
    case REPORT_SHARES: return "share";
    case REPORT_SECONDS: return "seconds";
    default: return "number";
    }
}

/* A text, or the kind of a number, itself, and the bounds of its interval. */
static void put_page_cell(const struct report_cell *cell, FILE *out) {
    if (cell->kind == REPORT_TEXT) {
        report_write_json_string(cell->text, out);
        return;
    }
    fprintf(out, "[\"%s\",", kind_name(cell->kind));
    if (cell->has_interval) put_estimate(cell, "", ",", ",", out);
    else put_number(exact(cell, cell->number.value), out);
    putc(']', out);
}

static void put_page_table(const struct report_table *t, FILE *out) {
    fputs("{\"title\":", out);
    report_write_json_string(t->title, out);
    fprintf(out, ",\"facts\":%s,\"columns\":[", t->shape == REPORT_FACTS ? "true" : "false");
    for (size_t c = 0; c < t->column_count; c++) {
        if (c > 0) putc(',', out);
        report_write_json_string(t->columns[c].title, out);
    }
    fputs("],\"rows\":[", out);
    for (size_t r = 0; r < t->rows.count; r++) {
        fprintf(out, "%s[%u", r > 0 ? "," : "", t->rows.at[r].depth);
        for (size_t c = 0; c < t->column_count; c++) {
            putc(',', out);
            put_page_cell(report_cell_at(t, r, c), out);
        }
        putc(']', out);
    }
    fputs("]}", out);
}

void report_doc_write_page(const struct report_doc *doc, FILE *out) {
    fputs("{\"title\":", out);
    report_write_json_string(doc->title, out);
    fputs(",\"tables\":[", out);
    for (size_t i = 0; i < doc->tables.count; i++) {
        if (i > 0) putc(',', out);
        put_page_table(doc->tables.at[i], out);
    }
    fputs("],\"notes\":[", out);
    for (size_t i = 0; i < doc->notes.count; i++) {
        if (i > 0) putc(',', out);
        report_write_json_string(doc->notes.at[i], out);
    }
    fputs("]}", out);
}

/* Without control characters, which a terminal obeys, and not as a formula, which a spreadsheet
 * computes: an apostrophe in front marks it as text. */
static void put_csv_text(const char *text, FILE *out) {
    bool formula = text[0] != 0 && strchr("=+-@\t\r", text[0]) != NULL;
    bool quoted = strpbrk(text, ",\"") != NULL;
    if (quoted) putc('"', out);
    if (formula) putc('\'', out);
    while (*text != 0) {
        if (*text == '"') putc('"', out);
        text += mp_put_printable_character(out, text, '?');
    }
    if (quoted) putc('"', out);
}

static bool has_intervals(const struct report_table *t, size_t column) {
    return t->rows.count > 0 && report_cell_at(t, 0, column)->has_interval;
}

void report_doc_write_csv(const struct report_doc *doc, FILE *out) {
    const struct report_table *t = NULL;
    for (size_t i = 0; i < doc->tables.count; i++)
        if (t == NULL || (t->shape == REPORT_FACTS && doc->tables.at[i]->shape != REPORT_FACTS))
            t = doc->tables.at[i];
    if (t == NULL) return;
    for (size_t c = 0; c < t->column_count; c++) {
        fprintf(out, "%s%s", c > 0 ? "," : "", t->columns[c].key);
        if (has_intervals(t, c))
            fprintf(out, ",%s_low,%s_high", t->columns[c].key, t->columns[c].key);
    }
    putc('\n', out);
    for (size_t r = 0; r < t->rows.count; r++) {
        for (size_t c = 0; c < t->column_count; c++) {
            const struct report_cell *cell = report_cell_at(t, r, c);
            if (c > 0) putc(',', out);
            if (cell->kind == REPORT_TEXT) put_csv_text(cell->text, out);
            else if (isfinite(cell->number.value)) put_number(exact(cell, cell->number.value), out);
            if (!has_intervals(t, c)) continue;
            putc(',', out);
            put_number(exact(cell, cell->number.low), out);
            putc(',', out);
            put_number(exact(cell, cell->number.high), out);
        }
        putc('\n', out);
    }
}
