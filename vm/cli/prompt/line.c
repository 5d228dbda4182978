/* line.c - see line.h.
 *
 * While a line is edited the terminal sends no signals (ISIG is off), and Ctrl-C, Ctrl-Z and Ctrl-\
 * are ordinary keys. So the terminal is always restored before anything stops or ends the process,
 * whichever handlers are installed. The environment's locale, which defines the characters, is used
 * by this thread only while it reads a line: OCaml programs run in C's. */
#include "vm/cli/prompt/line.h"

#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HISTORY_LINES = 1000, MAX_SHOWN = 200 };

struct cli_line {
    EditLine *editor;
    History *history;
    char *history_file; /* NULL: none */
    locale_t locale;    /* 0: C's */
    cli_line_completer *complete;
    void *context;
    const char *prompt;
    char *kept; /* the text typed before a signal interrupted the read, or NULL */
    bool interrupted;
};

/* ---- Keys. ---- */

static struct cli_line *line_of(EditLine *editor) {
    void *line = NULL;
    el_get(editor, EL_CLIENTDATA, &line);
    return line;
}

static char *prompt_of(EditLine *editor) { return (char *)line_of(editor)->prompt; }

static unsigned char on_interrupt(EditLine *editor, int key) {
    line_of(editor)->interrupted = true;
    fputs("^C\n", stdout);
    return CC_EOF;
}

static unsigned char forward_signal(EditLine *editor, int number) {
    el_set(editor, EL_PREP_TERM, 0);
    kill(0, number); /* to the process group, as the terminal does */
    el_set(editor, EL_PREP_TERM, 1);
    el_resize(editor);
    return CC_REDISPLAY;
}

static unsigned char on_suspend(EditLine *editor, int key) {
    return forward_signal(editor, SIGTSTP);
}
static unsigned char on_quit(EditLine *editor, int key) { return forward_signal(editor, SIGQUIT); }

/* ---- Completion. ---- */

void cli_candidates_add(struct cli_candidates *c, const char *word) {
    char **words = realloc(c->words, (c->count + 1) * sizeof *words);
    if (words == NULL) return;
    c->words = words;
    if ((words[c->count] = strdup(word)) != NULL) c->count++;
}

static void free_candidates(struct cli_candidates *c) {
    for (size_t i = 0; i < c->count; i++) free(c->words[i]);
    free(c->words);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_candidates(struct cli_candidates *c) {
    size_t kept = 0;
    if (c->count > 0) qsort(c->words, c->count, sizeof *c->words, by_text);
    for (size_t i = 0; i < c->count; i++) {
        if (kept > 0 && strcmp(c->words[kept - 1], c->words[i]) == 0) free(c->words[i]);
        else c->words[kept++] = c->words[i];
    }
    c->count = kept;
}

/* The length of the common prefix. The words are sorted, so that of the first and the last. */
static size_t common_length(const struct cli_candidates *c) {
    ASSERT(c->count > 0);
    const char *first = c->words[0], *last = c->words[c->count - 1];
    size_t n = 0;
    while (first[n] != 0 && first[n] == last[n]) n++;
    while (n > 0 && ((unsigned char)first[n] & 0xc0) == 0x80) n--; /* whole characters */
    return n;
}

/* Names come from files and profiles: they must not control the terminal. */
static void print_printable(const char *word, int width) {
    mp_put_printable(stdout, word, '?');
    for (int n = (int)strlen(word); n < width; n++) putchar(' ');
}

static void list_candidates(const struct cli_candidates *c) {
    size_t shown = c->count < MAX_SHOWN ? c->count : MAX_SHOWN, widest = 1;
    for (size_t i = 0; i < shown; i++)
        if (strlen(c->words[i]) > widest) widest = strlen(c->words[i]);
    size_t columns = cli_terminal_columns() / (widest + 2);
    if (columns == 0) columns = 1;
    size_t rows = (shown + columns - 1) / columns;
    putchar('\n');
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = row; i < shown; i += rows)
            print_printable(c->words[i], i + rows < shown ? (int)widest + 2 : 0);
        putchar('\n');
    }
    if (shown < c->count) printf("... and %zu more\n", c->count - shown);
}

static unsigned char on_tab(EditLine *editor, int key) {
    struct cli_line *line = line_of(editor);
    const LineInfo *info = el_line(editor);
    struct cli_candidates c = {.end = ""};
    char *before = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    unsigned char result = CC_REFRESH_BEEP;
    if (before == NULL) return result;
    if (before[strspn(before, " \t")] == 0) {
        free(before);
        return el_insertstr(editor, "  ") == 0 ? CC_REFRESH : CC_ERROR; /* indentation */
    }
    line->complete(line->context, before, &c);
    sort_candidates(&c);
    size_t common = c.count == 0 ? 0 : common_length(&c);
    if (common > c.typed || (c.count == 1 && c.end[0] != 0)) {
        ASSERT(c.typed <= strlen(before) && c.typed <= strlen(c.words[0]));
        c.words[0][common] = 0;
        if (common > c.typed) el_insertstr(editor, c.words[0] + c.typed);
        if (c.count == 1 && c.end[0] != 0) el_insertstr(editor, c.end);
        result = CC_REFRESH;
    } else if (c.count > 1) {
        list_candidates(&c);
        fflush(stdout);
        result = CC_REDISPLAY;
    }
    free_candidates(&c);
    free(before);
    return result;
}

static void bind_keys(EditLine *editor) {
    static const char *const keys[][2] = {
        {"^I", "bactrian-complete"},  {"^C", "bactrian-interrupt"},
        {"^Z", "bactrian-suspend"},   {"\\034", "bactrian-quit"},
        {"^R", "em-inc-search-prev"}, {"\\e[3~", "ed-delete-next-char"},
        {"\\e[1~", "ed-move-to-beg"}, {"\\e[4~", "ed-move-to-end"},
        {"\\e[1;5D", "ed-prev-word"}, {"\\e[1;5C", "em-next-word"},
    };
    el_set(editor, EL_ADDFN, "bactrian-complete", "Complete the word", on_tab);
    el_set(editor, EL_ADDFN, "bactrian-interrupt", "Discard the line", on_interrupt);
    el_set(editor, EL_ADDFN, "bactrian-suspend", "Suspend the job", on_suspend);
    el_set(editor, EL_ADDFN, "bactrian-quit", "Quit the job", on_quit);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        el_set(editor, EL_BIND, keys[i][0], keys[i][1], NULL);
}

/* ---- History. ---- */

/* The path of the history file, allocated; NULL: none. */
static char *find_history(const char *name) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path;
    bool own = state != NULL && state[0] == '/';
    if (cli_is_privileged() || (!own && (home == NULL || home[0] != '/'))) return NULL;
    if (asprintf(&path, "%s%s/bactrian/%s", own ? state : home, own ? "" : "/.local/state", name) <
        0)
        return NULL;
    cli_make_parents(path);
    return path;
}

static void open_history(struct cli_line *line, const char *name) {
    HistEvent event;
    if (line->history == NULL) return;
    history(line->history, &event, H_SETSIZE, HISTORY_LINES);
    history(line->history, &event, H_SETUNIQUE, 1);
    line->history_file = find_history(name);
    if (line->history_file != NULL) history(line->history, &event, H_LOAD, line->history_file);
    el_set(line->editor, EL_HIST, history, line->history);
}

/* Writes the file at once, since a terminal may be closed at any time. */
static void add_to_history(struct cli_line *line, const char *text) {
    HistEvent event;
    if (line->history == NULL || text[strspn(text, " \t")] == 0) return;
    history(line->history, &event, H_ENTER, text);
    if (line->history_file != NULL) history(line->history, &event, H_SAVE, line->history_file);
}

/* ---- Lines. ---- */

bool cli_line_is_possible(void) {
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term != NULL && term[0] != 0 &&
           strcmp(term, "dumb") != 0;
}

/* The environment's locale, or C.UTF-8 where that is ASCII. */
static locale_t open_locale(void) {
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale != 0 && strcmp(nl_langinfo_l(CODESET, locale), "ANSI_X3.4-1968") != 0) return locale;
    if (locale != 0) freelocale(locale);
    return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

struct cli_line *cli_line_open(const char *history, cli_line_completer *complete, void *context) {
    struct cli_line *line = calloc(1, sizeof *line);
    if (line == NULL) return NULL;
    line->complete = complete;
    line->context = context;
    line->locale = open_locale();
    locale_t before = line->locale != 0 ? uselocale(line->locale) : 0;
    line->editor = el_init("bactrian", stdin, stdout, stderr);
    if (line->editor != NULL) {
        line->history = history_init();
        el_set(line->editor, EL_CLIENTDATA, line);
        el_set(line->editor, EL_PROMPT, prompt_of);
        el_set(line->editor, EL_EDITOR, "emacs");
        el_set(line->editor, EL_SETTY, "-d", "-isig", NULL);
        open_history(line, history);
        bind_keys(line->editor);
        el_source(line->editor, NULL);
    }
    if (before != 0) uselocale(before);
    if (line->editor != NULL) return line;
    cli_line_close(line);
    return NULL;
}

/* el_gets, starting with the text that was kept. */
static const char *get_line(struct cli_line *line, int *count) {
    if (line->kept != NULL) {
        el_push(line->editor, line->kept);
        free(line->kept);
        line->kept = NULL;
    }
    errno = 0;
    return el_gets(line->editor, count);
}

static enum cli_line_result read_failed(struct cli_line *line) {
    if (line->interrupted) return LINE_INTERRUPTED;
    if (errno != EINTR) return LINE_END;
    const LineInfo *info = el_line(line->editor);
    line->kept = strndup(info->buffer, (size_t)(info->lastchar - info->buffer));
    putchar('\r'); /* the prompt is printed again */
    return LINE_SIGNALLED;
}

enum cli_line_result cli_line_read(struct cli_line *line, const char *prompt, char **text) {
    ASSERT(line != NULL && prompt != NULL);
    int count = 0;
    enum cli_line_result result = LINE_READ;
    locale_t before = line->locale != 0 ? uselocale(line->locale) : 0;
    line->prompt = prompt;
    line->interrupted = false;
    *text = NULL;
    el_resize(line->editor);
    const char *typed = get_line(line, &count);
    if (typed == NULL || line->interrupted) result = read_failed(line);
    else if ((*text = strndup(typed, strcspn(typed, "\n"))) == NULL) result = LINE_END;
    else add_to_history(line, *text);
    fflush(stdout);
    if (before != 0) uselocale(before);
    return result;
}

void cli_line_close(struct cli_line *line) {
    if (line == NULL) return;
    if (line->editor != NULL) el_end(line->editor);
    if (line->history != NULL) history_end(line->history);
    if (line->locale != 0) freelocale(line->locale);
    free(line->history_file);
    free(line->kept);
    free(line);
}
