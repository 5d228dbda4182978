/* screen.c - see screen.h.
 *
 *   # let f x =         row 0: hard, ended by a newline of the text
 *       x + 11111111    row 1: soft, full; the terminal itself continues on the next row
 *   1111;;              row 2, with the cursor
 *   rev_map  ...        row 3: of the lines below
 *
 * Rows are laid out in memory first, then those that fit are written at once. The terminal keeps
 * what is a soft row, so that a copy of its text has no newline there. */
#include "vm/cli/editor/screen.h"

#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "vm/cli/cli.h"
#include "vm/cli/editor/editor.h"
#include "vm/cli/editor/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TAB_COLUMNS = 8, FEWEST_COLUMNS = 4, DEFAULT_ROWS = 24 };

/* ANSI's numbers of colours, which the terminal's theme defines. */
static const char *const colours[CLASS_COUNT] = {
    [CLASS_PLAIN] = "",       [CLASS_KEYWORD] = "1;34",   [CLASS_CAPITAL] = "36",
    [CLASS_LABEL] = "33",     [CLASS_NUMBER] = "35",      [CLASS_STRING] = "32",
    [CLASS_COMMENT] = "2;37", [CLASS_DIRECTIVE] = "1;35", [CLASS_BRACKET] = "1;4",
};

struct row {
    size_t from; /* in the painter's text */
    bool soft;
};

struct painter {
    FILE *out;
    struct row *rows;
    size_t row_count, capacity;
    size_t columns, column; /* of the terminal; of the next character */
    unsigned char class;
    bool complete; /* false: out of memory */
};

/* ---- Layout. ---- */

static void set_class(struct painter *p, unsigned char class) {
    if (class == p->class) return;
    fputs("\033[m", p->out);
    if (class != CLASS_PLAIN) fprintf(p->out, "\033[%sm", colours[class]);
    p->class = class;
}

static void start_row(struct painter *p) {
    fflush(p->out);
    if (p->row_count == p->capacity) {
        size_t capacity = p->capacity * 2 + 8;
        struct row *rows = realloc(p->rows, capacity * sizeof *rows);
        if (rows == NULL) p->complete = false;
        if (rows == NULL) return;
        p->rows = rows;
        p->capacity = capacity;
    }
    p->rows[p->row_count++] = (struct row){.from = (size_t)ftell(p->out)};
    p->column = 0;
}

static void end_row(struct painter *p, bool soft) {
    unsigned char class = p->class;
    set_class(p, CLASS_PLAIN);
    while (soft && p->column++ < p->columns) putc(' ', p->out);
    p->rows[p->row_count - 1].soft = soft;
    start_row(p);
    set_class(p, class);
}

static void put_blanks(struct painter *p, size_t n) {
    while (n-- > 0 && p->column < p->columns) {
        putc(' ', p->out);
        p->column++;
    }
}

/* Puts a character, except a newline. Returns its bytes. */
static size_t put_character(struct painter *p, const char *text, size_t length) {
    unsigned columns;
    size_t bytes = text_character(text, length, &columns), control = mp_control_bytes(text);
    if (p->column + columns > p->columns) end_row(p, true);
    if (*text == '\t') {
        put_blanks(p, TAB_COLUMNS - p->column % TAB_COLUMNS);
        return 1;
    }
    if (control > 0 || (bytes == 1 && (unsigned char)*text >= 0x80)) {
        putc('?', p->out);
        columns = 1;
    } else fwrite(text, 1, bytes, p->out);
    p->column += columns;
    return control > 0 ? control : bytes;
}

/* The position of the cursor, of which *row and *column become the place. */
static void put_cursor(struct painter *p, size_t *row, size_t *column) {
    if (p->column == p->columns) end_row(p, true);
    *row = p->row_count - 1;
    *column = p->column;
}

static void put_text(struct painter *p, const struct edit_view *view, size_t *row, size_t *column) {
    size_t at = 0, indentation;
    for (size_t n = strlen(view->prompt); at < n;)
        at += put_character(p, view->prompt + at, n - at);
    indentation = p->column;
    for (at = 0; at < view->length;) {
        if (at == view->cursor) put_cursor(p, row, column);
        set_class(p, view->classes != NULL ? view->classes[at] : CLASS_PLAIN);
        if (view->text[at] == '\n') {
            end_row(p, false);
            put_blanks(p, indentation);
            at++;
        } else at += put_character(p, view->text + at, view->length - at);
    }
    set_class(p, CLASS_PLAIN);
    if (view->cursor >= view->length) put_cursor(p, row, column);
}

static void put_below(struct painter *p, const struct edit_view *view) {
    size_t length = strlen(view->below);
    for (size_t at = 0; at < length;) {
        end_row(p, false);
        for (; at < length && view->below[at] != '\n';) {
            unsigned columns;
            size_t bytes = text_character(view->below + at, length - at, &columns);
            set_class(p, view->below_classes != NULL ? view->below_classes[at] : CLASS_PLAIN);
            if (p->column + columns <= p->columns) put_character(p, view->below + at, length - at);
            at += bytes;
        }
        set_class(p, CLASS_PLAIN);
        at++;
    }
}

/* ---- The terminal. ---- */

static size_t terminal_columns(void) {
    size_t columns = cli_terminal_columns();
    return columns < FEWEST_COLUMNS ? FEWEST_COLUMNS : columns;
}

size_t screen_rows(void) {
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return known ? size.ws_row : DEFAULT_ROWS;
}

bool screen_was_resized(const struct edit_screen *screen) {
    return screen->columns != terminal_columns();
}

static void write_all(const char *text, size_t length) {
    fflush(stdout);
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, text, length);
        if (n < 0) return; /* the next read fails, too */
        text += n;
        length -= (size_t)n;
    }
}

static void move_up(FILE *out, size_t rows) {
    if (rows > 0) fprintf(out, "\033[%zuA", rows);
}

static void erase_into(FILE *out, struct edit_screen *screen) {
    putc('\r', out);
    move_up(out, screen->cursor_row);
    fputs("\033[J", out);
    screen->cursor_row = 0;
}

/* Writes rows from..to of the text that was painted. */
static void write_rows(FILE *out, const struct painter *p, const char *text, size_t length,
                       size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        size_t end = i + 1 < p->row_count ? p->rows[i + 1].from : length;
        if (i > from) fputs(p->rows[i - 1].soft ? " \r" : "\r\n", out);
        fwrite(text + p->rows[i].from, 1, end - p->rows[i].from, out);
    }
    fputs("\033[m", out);
}

/* whole: all rows, with the cursor below them. */
static void draw(struct edit_screen *screen, const struct edit_view *view, bool whole) {
    struct painter p = {.columns = terminal_columns(), .complete = true};
    char *painted = NULL, *written = NULL;
    size_t painted_length = 0, written_length = 0, row = 0, column = 0;
    p.out = open_memstream(&painted, &painted_length);
    FILE *out = p.out == NULL ? NULL : open_memstream(&written, &written_length);
    if (out != NULL) {
        start_row(&p);
        if (p.complete) put_text(&p, view, &row, &column);
        if (p.complete && !whole) put_below(&p, view);
        p.complete = fflush(p.out) == 0 && p.complete;
    }
    if (out != NULL && p.complete) {
        size_t height = whole ? SIZE_MAX : screen_rows(),
               from = row >= height ? row - height + 1 : 0;
        size_t to = p.row_count - from > height ? from + height : p.row_count;
        erase_into(out, screen);
        write_rows(out, &p, painted, painted_length, from, to);
        if (whole) fputs(column > 0 || row == 0 || !p.rows[row - 1].soft ? "\r\n" : "", out);
        else {
            move_up(out, to - 1 - row);
            putc('\r', out);
            if (column > 0) fprintf(out, "\033[%zuC", column);
            screen->cursor_row = row - from;
        }
        screen->columns = p.columns;
    }
    if (p.out != NULL) fclose(p.out);
    if (out != NULL && fclose(out) == 0) write_all(written, written_length);
    free(p.rows);
    free(painted);
    free(written);
}

void screen_draw(struct edit_screen *screen, const struct edit_view *view) {
    draw(screen, view, false);
}

void screen_finish(struct edit_screen *screen, const struct edit_view *view) {
    struct edit_view end = *view;
    end.cursor = view->length;
    draw(screen, &end, true);
}

void screen_erase(struct edit_screen *screen) {
    char text[40];
    int n = snprintf(text, sizeof text, screen->cursor_row > 0 ? "\r\033[%zuA\033[J" : "\r\033[J",
                     screen->cursor_row);
    write_all(text, (size_t)n);
    screen->cursor_row = 0;
}

void screen_clear(struct edit_screen *screen) {
    static const char clear[] = "\033[H\033[2J";
    write_all(clear, sizeof clear - 1);
    screen->cursor_row = 0;
}

void screen_beep(void) { write_all("\a", 1); }
