/* screen.c - frames of `prof top`: lines, written at once. The terminal does not wrap them. */
#include "memprof/format/printable.h"
#include "memprof/report/model/text.h"
#include "vm/cli/editor/editor.h"
#include "vm/cli/editor/screen.h"
#include "vm/cli/top/top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_LINES = 5, KEY_LINES = 1, FEWEST_ROWS = 3 };

#define END_OF_LINE "\033[m\033[K\r\n"

bool top_is_possible(void) { return editor_is_possible(); }

static void write_text(const char *text, size_t length) {
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, text, length);
        if (n < 0) return; /* the next read of a key fails, too */
        text += n;
        length -= (size_t)n;
    }
}

/* The alternate screen, no cursor, no wrapping; and back. */
void top_open_screen(void) {
    static const char begin[] = "\033[?1049h\033[?25l\033[?7l";
    write_text(begin, sizeof begin - 1);
}

void top_close_screen(void) {
    static const char end[] = "\033[?7h\033[?25h\033[?1049l";
    write_text(end, sizeof end - 1);
}

size_t top_rows(void) {
    size_t rows = screen_rows();
    return rows < HEAD_LINES + KEY_LINES + FEWEST_ROWS ? FEWEST_ROWS
                                                       : rows - HEAD_LINES - KEY_LINES;
}

/* ---- The figures. ---- */

static void put_bytes(FILE *out, const char *before, double bytes, const char *after) {
    char text[32];
    report_write_bytes(text, bytes);
    fprintf(out, "%s%s%s", before, text, after);
}

static void put_seconds(FILE *out, const char *before, double seconds) {
    char text[32];
    report_write_seconds(text, seconds);
    fprintf(out, "%s%s", before, text);
}

static void put_figures(FILE *out, const struct top_view *view, bool color) {
    struct report_board_figures f = {.cost = -1};
    if (view->board != NULL) report_board_figures(view->board, &f);
    fputs(color ? "\033[1m" : "", out);
    mp_put_printable(out, view->program, '?');
    fprintf(out, "  %s", view->state);
    put_seconds(out, ", recorded for ", f.seconds);
    fprintf(out, ", %zu samples" END_OF_LINE, f.samples);
    put_bytes(out, "heap ", f.heap, "");
    put_bytes(out, ", proven live ", f.live.value, "");
    put_bytes(out, " +- ", (f.live.high - f.live.low) / 2, "");
    put_bytes(out, ", not collected ", f.uncollected, END_OF_LINE);
    put_bytes(out, "allocating ", f.rate, "/s");
    fprintf(out, ", promoted %.1f %%, pauses", 100 * f.promoted);
    if (f.pauses == 0) fputs(": none", out);
    else {
        put_seconds(out, " p50 ", f.p50_seconds);
        put_seconds(out, " p99 ", f.p99_seconds);
    }
    fputs(END_OF_LINE, out);
    put_bytes(out, "resident ", f.resident, "");
    if (f.cost >= 0) fprintf(out, ", recorder %.1f %% of CPU time", 100 * f.cost);
    if (f.before > 0) put_bytes(out, ", before attaching: ", f.before, "");
    fputs(END_OF_LINE, out);
}

static void put_sites(FILE *out, const struct top_view *view, size_t rows, bool color) {
    char cells[3][32];
    fprintf(out, "%s%11s %11s %11s  %s" END_OF_LINE, color ? "\033[7m" : "",
            view->marked ? "allocated" : "rate/s", view->marked ? "kept" : "live", "growth/min",
            view->marked ? "site, since the mark" : "site");
    for (size_t i = 0; i < rows; i++) {
        if (i < view->site_count) {
            const struct report_board_site *s = &view->sites[i];
            report_write_bytes(cells[0], view->marked ? s->since_allocated : s->rate);
            report_write_bytes(cells[1], view->marked ? s->since_live : s->live);
            report_write_bytes(cells[2], s->growth);
            fprintf(out, "%11s %11s %11s  ", cells[0], cells[1], cells[2]);
            mp_put_printable(out, s->name, '?');
        }
        fputs(END_OF_LINE, out);
    }
}

/* ---- Texts. ---- */

static size_t count_lines(const char *text) {
    size_t n = 0;
    for (; *text != 0; n++) {
        const char *end = strchr(text, '\n');
        text = end == NULL ? text + strlen(text) : end + 1;
    }
    return n;
}

/* Puts a line without its end; returns the start of the next one. Only escape sequences of our own
 * reach the terminal. */
static const char *put_line(FILE *out, const char *line, bool ours) {
    while (*line != 0 && *line != '\n') {
        if (*line == '\t') putc(' ', out);
        else if (ours && *line == '\033') putc(*line, out);
        else {
            line += mp_put_printable_character(out, line, '?');
            continue;
        }
        line++;
    }
    return *line == '\n' ? line + 1 : line;
}

static void put_lines(FILE *out, struct top_view *view, size_t rows) {
    const char *line = view->text;
    const size_t lines = count_lines(line), most = lines > rows ? lines - rows : 0;
    if (view->first_line > most) view->first_line = most;
    for (size_t i = 0; i < view->first_line; i++) line = strchr(line, '\n') + 1;
    for (size_t i = 0; i < rows; i++) {
        if (*line != 0) line = put_line(out, line, view->text_is_ours);
        fputs(END_OF_LINE, out);
    }
}

/* The bytes of a frame that a terminal has rows for: a newline in its last row would scroll. */
static size_t cut_frame(const char *frame, size_t length) {
    size_t rows = screen_rows();
    for (size_t i = 0; i < length; i++)
        if (frame[i] == '\n' && --rows == 0) return i - 1;
    return length;
}

void top_draw(struct top_view *view) {
    char *frame = NULL;
    size_t length = 0;
    const bool color = cli_wants_color();
    FILE *out = open_memstream(&frame, &length);
    if (out == NULL) return;
    fputs("\033[H", out);
    put_figures(out, view, color);
    if (view->text == NULL) put_sites(out, view, top_rows(), color);
    else put_lines(out, view, top_rows() + 1);
    if (view->message[0] != 0) mp_put_printable(out, view->message, '?');
    else if (view->text != NULL) fputs("arrows, PgUp, PgDn: scroll   t: table   q: quit", out);
    else fputs("f flame  l leaks  g collector  d difference  s snapshot  o output  q quit", out);
    fputs("\033[m\033[J", out);
    if (fclose(out) == 0) write_text(frame, cut_frame(frame, length));
    free(frame);
}
