/* doc_text.c - writes documents as text: aligned columns, colour only on request. */
#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "memprof/report/view/doc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 2 * REPORT_COLUMNS_MAX, MAX_INDENT = 60, MAX_LEVELS = 40, TEXT_SIZE = 80 };

struct writer {
    const struct report_doc *doc;
    const struct report_style *style;
    FILE *out;
};

/* A column of the text: a cell's value or its interval. */
struct text_column {
    size_t cell;
    bool interval, left;
    size_t width;
};

static void paint(const struct writer *w, const char *code) {
    if (w->style->color) fprintf(w->out, "\033[%sm", code);
}

static void pad(FILE *out, size_t n) {
    for (; n > 0; n--) putc(' ', out);
}

/* The number of characters: continuation bytes of UTF-8 do not count. */
static size_t width_of(const char *text) {
    size_t n = 0;
    for (; *text != 0; text++) n += (*text & 0xC0) != 0x80;
    return n;
}

/* Text from a profile must not control the terminal. */
static void put_text(FILE *out, const char *text) { mp_put_printable(out, text, '?'); }

static bool is_wide(const struct report_cell *cell) {
    return cell->has_interval && cell->number.low < cell->number.high;
}

static void write_interval(char out[TEXT_SIZE], const struct report_cell *cell) {
    struct report_cell bound = *cell;
    char low[32], high[32];
    out[0] = 0;
    if (!is_wide(cell)) return;
    bound.number.value = cell->number.low;
    report_write_cell(low, &bound);
    bound.number.value = cell->number.high;
    report_write_cell(high, &bound);
    /* One unit is enough: "5.31 - 5.82 MB". */
    char *a = strrchr(low, ' '), *b = strrchr(high, ' ');
    if (a != NULL && b != NULL && strcmp(a, b) == 0) *a = 0;
    snprintf(out, TEXT_SIZE, "%s - %s", low, high);
}

/* The text of a cell; the returned pointer is the cell's or buffer. */
static const char *cell_text(const struct report_cell *cell, bool interval,
                             char buffer[TEXT_SIZE]) {
    buffer[0] = 0;
    if (cell->kind == REPORT_TEXT) return cell->text;
    if (cell->kind == REPORT_BAR) {
        ASSERT(cell->number.value >= 0 && cell->number.value <= 1);
        static const char full[] = "########################################";
        return full + sizeof full - 1 - (size_t)(cell->number.value * (sizeof full - 1) + 0.5);
    }
    if (interval) write_interval(buffer, cell);
    else report_write_cell(buffer, cell);
    return buffer;
}

static size_t lay_out(const struct writer *w, const struct report_table *t,
                      struct text_column columns[MAX_COLUMNS]) {
    size_t count = 0;
    char buffer[TEXT_SIZE];
    for (size_t c = 0; c < t->column_count; c++) {
        bool wide = false, left = false;
        for (size_t r = 0; r < t->rows.count; r++) {
            const struct report_cell *cell = report_cell_at(t, r, c);
            if (is_wide(cell)) wide = true;
            if (cell->kind == REPORT_TEXT || cell->kind == REPORT_BAR) left = true;
        }
        columns[count++] = (struct text_column){c, false, left, strlen(t->columns[c].title)};
        if (wide && !w->doc->no_intervals)
            columns[count++] = (struct text_column){c, true, false, strlen("95 % interval")};
    }
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < t->rows.count; r++) {
            const char *text = cell_text(report_cell_at(t, r, columns[i].cell), columns[i].interval,
                                         buffer);
            if (width_of(text) > columns[i].width) columns[i].width = width_of(text);
        }
    return count;
}

static void put_cell(const struct writer *w, const struct text_column *column, const char *text,
                     bool last) {
    size_t gap = column->width > width_of(text) ? column->width - width_of(text) : 0;
    if (!column->left) pad(w->out, gap);
    put_text(w->out, text);
    if (column->left && !last) pad(w->out, gap);
    if (!last) pad(w->out, 2);
}

static void put_titles(const struct writer *w, const struct report_table *t,
                       const struct text_column *columns, size_t count) {
    while (count > 1 && t->columns[columns[count - 1].cell].title[0] == 0) count--;
    fputs("  ", w->out);
    paint(w, "2");
    for (size_t i = 0; i < count; i++)
        put_cell(w, &columns[i],
                 columns[i].interval ? "95 % interval" : t->columns[columns[i].cell].title,
                 i + 1 == count);
    paint(w, "0");
    putc('\n', w->out);
}

/* The indentation of a tree's row. An only child with nearly all of its parent's value is printed
 * straight below it, so that a chain of calls does not drift to the right. */
struct indent {
    unsigned steps;
    bool straight;
};

static bool is_straight(const struct report_table *t, size_t parent, size_t row) {
    size_t next = row + 1;
    unsigned depth = t->rows.at[row].depth;
    while (next < t->rows.count && t->rows.at[next].depth > depth) next++;
    bool alone = next == t->rows.count || t->rows.at[next].depth < depth;
    return parent + 1 == row && alone &&
           report_cell_at(t, row, 0)->number.value >=
               REPORT_STRAIGHT * report_cell_at(t, parent, 0)->number.value;
}

static struct indent *find_indents(const struct report_table *t) {
    struct indent *indents = report_alloc(t->rows.count * sizeof *indents);
    size_t *last = report_alloc((t->rows.count + 1) * sizeof *last); /* the row of each depth */
    for (size_t r = 0; t->shape == REPORT_TREE && r < t->rows.count; r++) {
        unsigned depth = t->rows.at[r].depth;
        last[depth] = r;
        if (depth == 0) continue;
        size_t parent = last[depth - 1];
        bool straight = depth > 1 && is_straight(t, parent, r);
        indents[r] = (struct indent){indents[parent].steps + !straight, straight};
    }
    free(last);
    return indents;
}

static void put_table(const struct writer *w, const struct report_table *t) {
    struct text_column columns[MAX_COLUMNS];
    size_t count = lay_out(w, t, columns);
    char buffer[TEXT_SIZE];
    struct indent *indents = find_indents(t);
    put_titles(w, t, columns, count);
    for (size_t r = 0; r < t->rows.count; r++) {
        fputs("  ", w->out);
        for (size_t i = 0; i < count; i++) {
            const struct text_column *column = &columns[i];
            const char *text = cell_text(report_cell_at(t, r, column->cell), column->interval,
                                         buffer);
            if (t->shape == REPORT_TREE && i + 1 == count) {
                unsigned steps = indents[r].steps;
                pad(w->out, 2 * (steps < MAX_INDENT ? steps : MAX_INDENT));
                if (steps >= MAX_INDENT) fprintf(w->out, "[%u] ", t->rows.at[r].depth);
                if (indents[r].straight) fputs("> ", w->out);
            }
            if (column->cell == 0) paint(w, "1");
            put_cell(w, column, text, i + 1 == count);
            if (column->cell == 0) paint(w, "0");
        }
        putc('\n', w->out);
    }
    free(indents);
}

static void put_facts(const struct writer *w, const struct report_table *t) {
    size_t width = 0;
    char buffer[TEXT_SIZE];
    for (size_t r = 0; r < t->rows.count; r++) {
        size_t n = width_of(report_cell_at(t, r, 0)->text);
        if (n > width) width = n;
    }
    for (size_t r = 0; r < t->rows.count; r++) {
        const struct report_cell *cell = report_cell_at(t, r, 1);
        const char *title = report_cell_at(t, r, 0)->text;
        fprintf(w->out, "  %s", title);
        pad(w->out, width - width_of(title) + 2);
        paint(w, "1");
        put_text(w->out, cell_text(cell, false, buffer));
        paint(w, "0");
        if (is_wide(cell) && !w->doc->no_intervals)
            fprintf(w->out, "  (95 %% interval: %s)", cell_text(cell, true, buffer));
        putc('\n', w->out);
    }
}

struct bar {
    size_t row;
    double left, width; /* in columns */
};

/* The colour of a bar, by its text, so that a function keeps its colour. */
static const char *bar_color(const char *text) {
    static const char *const colors[] = {"30;48;5;215", "30;48;5;222", "30;48;5;180",
                                         "30;48;5;216", "30;48;5;186", "30;48;5;151"};
    unsigned h = 0;
    for (; *text != 0; text++) h = h * 31 + (unsigned char)*text;
    return colors[h % 6];
}

/* The column of a bar's end. In a profile made to do harm the rows may exceed the root. */
static size_t column_at(const struct writer *w, double at) {
    return (size_t)(fmin(fmax(at, 0), w->style->columns - 2) + 0.5);
}

static void put_bar(const struct writer *w, const struct report_table *t, const struct bar *bar,
                    size_t *at) {
    size_t from = column_at(w, bar->left), to = column_at(w, bar->left + bar->width);
    const char *text = report_cell_at(t, bar->row, t->column_count - 1)->text;
    if (from < *at) from = *at;
    if (to <= from) return;
    pad(w->out, from - *at);
    paint(w, bar_color(text));
    size_t room = to - from, i = 0;
    putc('|', w->out);
    for (i = 1; i < room; i++) {
        size_t control = *text != 0 ? mp_control_bytes(text) : 0;
        char c = *text != 0 ? *text : w->style->color ? ' ' : '-';
        putc(control > 0 ? '?' : c, w->out);
        if (*text != 0) text += control > 0 ? control : 1;
    }
    paint(w, "0");
    *at = to;
}

/* Draws each row's bar below its parent's; widths are shares of the root's. */
static void put_icicle(const struct writer *w, const struct report_table *t) {
    struct bar *bars = report_alloc(t->rows.count * sizeof *bars);
    double used[MAX_LEVELS + 1] = {0}, scale = 0;
    unsigned levels = 0;
    if (t->rows.count > 0) scale = (w->style->columns - 2) / report_cell_at(t, 0, 0)->number.value;
    for (size_t r = 0; r < t->rows.count; r++) {
        unsigned depth = t->rows.at[r].depth;
        if (depth >= MAX_LEVELS) continue;
        double width = report_cell_at(t, r, 0)->number.value * scale;
        bars[r] = (struct bar){r, used[depth], width};
        used[depth + 1] = used[depth]; /* where its first child starts */
        used[depth] += width;
        if (width >= 1 && depth >= levels) levels = depth + 1;
    }
    for (unsigned depth = 0; depth < levels; depth++) {
        size_t at = 0;
        pad(w->out, 2);
        for (size_t r = 0; r < t->rows.count; r++)
            if (t->rows.at[r].depth == depth && bars[r].width >= 1) put_bar(w, t, &bars[r], &at);
        putc('\n', w->out);
    }
    free(bars);
}

void report_doc_write_text(const struct report_doc *doc, const struct report_style *style,
                           FILE *out) {
    struct writer w = {doc, style, out};
    paint(&w, "1");
    put_text(out, doc->title);
    paint(&w, "0");
    putc('\n', out);
    for (size_t i = 0; i < doc->tables.count; i++) {
        const struct report_table *t = doc->tables.at[i];
        if (t->rows.count == 0 && t->empty == NULL) continue;
        putc('\n', out);
        if (t->title[0] != 0) {
            put_text(out, t->title);
            putc('\n', out);
        }
        if (t->rows.count == 0) fprintf(out, "  %s\n", t->empty);
        else if (t->shape == REPORT_FACTS) put_facts(&w, t);
        else if (t->shape == REPORT_ICICLE) put_icicle(&w, t);
        else put_table(&w, t);
    }
    if (doc->notes.count > 0) putc('\n', out);
    report_each(note, &doc->notes) {
        put_text(out, *note);
        putc('\n', out);
    }
}
