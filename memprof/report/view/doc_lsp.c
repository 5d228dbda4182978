/* doc_lsp.c - writes the document of `annotate` for editors: with inlay hints and code lenses as
 * the Language Server Protocol has them (3.17), lines and UTF-16 characters from 0.
 *
 *     {"title": ..., "documents": [{"file": ..., "inlayHints": [...], "codeLenses": [...]}, ...]}
 *
 * A hint, at the end of a line, says what is allocated there; a lens, above it, also what is
 * allocated through it. */
#include "memprof/report/view/doc.h"
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdlib.h>

/* As UTF-16; of bytes that are no UTF-8 it does not matter. */
static size_t utf16_length(const char *text) {
    size_t n = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s != 0; s++)
        n += (*s & 0xC0) != 0x80 ? 1 + (*s >= 0xF0) : 0;
    return n;
}

static bool is_known(const struct report_cell *cell) { return isfinite(cell->number.value); }

static void put_hint(const struct report_table *t, size_t row, FILE *out) {
    char figure[32];
    const struct report_cell *self = report_cell_at(t, row, ANNOTATE_SELF);
    report_write_cell(figure, self);
    fprintf(out, "{\"position\":{\"line\":%.0f,\"character\":%zu},\"label\":",
            report_cell_at(t, row, ANNOTATE_LINE)->number.value - 1,
            utf16_length(report_cell_at(t, row, ANNOTATE_SOURCE)->text));
    report_write_json_string(figure, out);
    fputs(",\"paddingLeft\":true}", out);
}

static void put_lens(const struct report_table *t, size_t row, FILE *out) {
    char self[32], through[32];
    double line = report_cell_at(t, row, ANNOTATE_LINE)->number.value - 1;
    report_write_cell(self, report_cell_at(t, row, ANNOTATE_SELF));
    report_write_cell(through, report_cell_at(t, row, ANNOTATE_THROUGH));
    bool here = is_known(report_cell_at(t, row, ANNOTATE_SELF));
    char *title = here ? report_format("%s allocated here, %s through it", self, through)
                       : report_format("%s allocated through it", through);
    fprintf(out, "{\"range\":{\"start\":{\"line\":%.0f,\"character\":0},", line);
    fprintf(out, "\"end\":{\"line\":%.0f,\"character\":%zu}},\"command\":{\"title\":", line,
            utf16_length(report_cell_at(t, row, ANNOTATE_SOURCE)->text));
    report_write_json_string(title, out);
    fputs(",\"command\":\"\"}}", out);
    free(title);
}

/* Writes what put writes of each row that has a figure in a column, as an array. */
static void put_rows(const struct report_table *t, size_t column, FILE *out,
                     void (*put)(const struct report_table *t, size_t row, FILE *out)) {
    const char *before = "[";
    for (size_t row = 0; row < t->rows.count; row++) {
        if (!is_known(report_cell_at(t, row, column))) continue;
        fputs(before, out);
        put(t, row, out);
        before = ",";
    }
    fputs(before[0] == '[' ? "[]" : "]", out);
}

void report_doc_write_lsp(const struct report_doc *doc, FILE *out) {
    fputs("{\"title\":", out);
    report_write_json_string(doc->title, out);
    fputs(",\"documents\":[", out);
    for (size_t i = 0; i < doc->tables.count; i++) {
        const struct report_table *t = doc->tables.at[i];
        fputs(i > 0 ? ",{\"file\":" : "{\"file\":", out);
        report_write_json_string(t->title, out);
        fputs(",\"inlayHints\":", out);
        put_rows(t, ANNOTATE_SELF, out, put_hint);
        fputs(",\"codeLenses\":", out);
        put_rows(t, ANNOTATE_THROUGH, out, put_lens);
        putc('}', out);
    }
    fputs("]}\n", out);
}
