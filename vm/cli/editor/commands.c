/* commands.c - what keys do: the bindings of emacs, as in most shells. */
#include "gc/assert.h"
#include "vm/cli/cli.h"
#include "vm/cli/editor/candidates.h"
#include "vm/cli/editor/editor_internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { RUBOUT = 127, LIST_MARGIN = 2 };

/* ---- Moving. ---- */

static void left(struct editor *e) { e->text.cursor = text_previous(&e->text, e->text.cursor); }
static void right(struct editor *e) { e->text.cursor = text_next(&e->text, e->text.cursor); }
static void line_start(struct editor *e) {
    e->text.cursor = text_line_start(&e->text, e->text.cursor);
}
static void line_end(struct editor *e) { e->text.cursor = text_line_end(&e->text, e->text.cursor); }
static void word_left(struct editor *e) {
    e->text.cursor = text_word_start(&e->text, e->text.cursor);
}
static void word_right(struct editor *e) {
    e->text.cursor = text_word_end(&e->text, e->text.cursor);
}
static void text_start(struct editor *e) { e->text.cursor = 0; }
static void text_end(struct editor *e) { e->text.cursor = e->text.length; }

/* ---- History. ---- */

/* Shows the next text that starts with this; after the newest, the draft. */
static void browse(struct editor *e, bool older, bool by_start) {
    if (!e->was_browsing) {
        char *draft = strdup(e->text.bytes);
        if (draft == NULL) return;
        free(e->draft);
        e->draft = draft;
        text_keep(&e->text);
    }
    e->browsing = true;
    size_t from = e->browsed, count = e->history.count;
    size_t found = history_find(&e->history, from, older, by_start ? e->draft : "", true);
    if (found == count && (older || from == count)) {
        screen_beep();
        return;
    }
    e->browsed = found;
    text_set(&e->text, found == count ? e->draft : e->history.texts[found]);
}

static void older(struct editor *e) { browse(e, true, false); }
static void newer(struct editor *e) { browse(e, false, false); }
static void older_alike(struct editor *e) { browse(e, true, true); }
static void newer_alike(struct editor *e) { browse(e, false, true); }

/* To the line above; on the first line, and while texts of the history are shown, to an older
 * text. */
static void up(struct editor *e) {
    size_t start = text_line_start(&e->text, e->text.cursor);
    if (start == 0 || e->was_browsing) older(e);
    else e->text.cursor = text_same_column(&e->text, text_line_start(&e->text, start - 1));
}

static void down(struct editor *e) {
    size_t end = text_line_end(&e->text, e->text.cursor);
    if (end == e->text.length || e->was_browsing) newer(e);
    else e->text.cursor = text_same_column(&e->text, end + 1);
}

/* ---- Changing. ---- */

static void delete_range(struct editor *e, size_t from, size_t to) {
    if (from == to) return;
    text_keep(&e->text);
    text_delete(&e->text, from, to);
}

static void cut_range(struct editor *e, size_t from, size_t to) {
    if (from == to) return;
    text_keep(&e->text);
    text_cut(&e->text, from, to);
}

static void insert(struct editor *e, const char *bytes, size_t length) {
    text_keep(&e->text);
    text_insert(&e->text, bytes, length);
}

static void rubout(struct editor *e) {
    delete_range(e, text_previous(&e->text, e->text.cursor), e->text.cursor);
}
static void delete (struct editor *e) {
    delete_range(e, e->text.cursor, text_next(&e->text, e->text.cursor));
}
/* At the end of a line, its newline. */
static void cut_line_end(struct editor *e) {
    size_t at = e->text.cursor, end = text_line_end(&e->text, at);
    cut_range(e, at, end > at ? end : text_next(&e->text, at));
}
static void cut_line_start(struct editor *e) {
    cut_range(e, text_line_start(&e->text, e->text.cursor), e->text.cursor);
}
static void cut_word(struct editor *e) {
    cut_range(e, e->text.cursor, text_word_end(&e->text, e->text.cursor));
}
static void cut_word_before(struct editor *e) {
    cut_range(e, text_word_start(&e->text, e->text.cursor), e->text.cursor);
}
static void yank(struct editor *e) {
    if (e->text.cut != NULL) insert(e, e->text.cut, strlen(e->text.cut));
}
static void transpose(struct editor *e) {
    text_keep(&e->text);
    text_transpose(&e->text);
}
static void undo(struct editor *e) { text_undo(&e->text); }
static void newline(struct editor *e) { insert(e, "\n", 1); }

static void paste(struct editor *e) {
    char *text = keys_read_paste();
    if (text != NULL) insert(e, text, strlen(text));
    free(text);
}

/* One undo takes back all characters that were typed in a row. */
static void type_character(struct editor *e, const struct edit_key *key) {
    if (!e->was_typing) text_keep(&e->text);
    e->typing = true;
    text_insert(&e->text, key->bytes, key->length);
}

/* ---- Completion. ---- */

static void list_candidates(struct editor *e, const struct editor_candidates *c) {
    size_t rows = screen_rows(), columns = cli_terminal_columns();
    unsigned char *classes = NULL;
    char *lines = candidates_list(c, columns, rows > 2 * LIST_MARGIN ? rows - 2 * LIST_MARGIN : 2,
                                  &classes);
    editor_show(e, lines, classes);
}

/* Inserts what all candidates have in common, and lists them. */
static void insert_common(struct editor *e, struct editor_candidates *c) {
    size_t common = candidates_common(c);
    const struct editor_candidate *first = &c->list[0];
    bool is_only = c->count == 1;
    text_keep(&e->text);
    if (common > c->typed) text_insert(&e->text, first->word + c->typed, common - c->typed);
    if (is_only && c->end != NULL) text_insert(&e->text, c->end, strlen(c->end));
    if (!is_only || first->note[0] != 0) list_candidates(e, c);
}

static void complete(struct editor *e) {
    size_t start = text_line_start(&e->text, e->text.cursor);
    struct editor_candidates c = {.end = ""};
    char *before = strndup(e->text.bytes, e->text.cursor);
    if (before == NULL) return;
    if (before[start + strspn(before + start, " \t")] == 0) {
        insert(e, "  ", 2); /* indentation */
    } else {
        e->language.complete(e->language.context, before, &c);
        candidates_sort(&c);
        ASSERT(c.typed <= strlen(before));
        if (c.count > 0) insert_common(e, &c);
        else screen_beep();
        candidates_free(&c);
    }
    free(before);
}

/* ---- The terminal. ---- */

static void clear(struct editor *e) { screen_clear(&e->screen); }

static void forward_signal(struct editor *e, int number) {
    size_t cursor = e->text.cursor;
    editor_leave(e);
    keys_stop(&e->terminal);
    kill(0, number); /* to the process group, as the terminal does */
    keys_start(&e->terminal);
    e->text.cursor = cursor;
    e->screen = (struct edit_screen){0};
}

static void suspend(struct editor *e) { forward_signal(e, SIGTSTP); }
static void quit(struct editor *e) { forward_signal(e, SIGQUIT); }

/* ---- Bindings. ---- */

struct binding {
    int code;
    void (*command)(struct editor *e);
};

static const struct binding bindings[] = {
    {KEY_LEFT, left},
    {CONTROL('B'), left},
    {KEY_RIGHT, right},
    {CONTROL('F'), right},
    {KEY_HOME, line_start},
    {CONTROL('A'), line_start},
    {KEY_END, line_end},
    {CONTROL('E'), line_end},
    {KEY_LEFT | KEY_CONTROL, word_left},
    {KEY_LEFT | KEY_META, word_left},
    {'b' | KEY_META, word_left},
    {KEY_RIGHT | KEY_CONTROL, word_right},
    {KEY_RIGHT | KEY_META, word_right},
    {'f' | KEY_META, word_right},
    {KEY_HOME | KEY_CONTROL, text_start},
    {'<' | KEY_META, text_start},
    {KEY_END | KEY_CONTROL, text_end},
    {'>' | KEY_META, text_end},
    {KEY_UP, up},
    {KEY_DOWN, down},
    {CONTROL('P'), older},
    {CONTROL('N'), newer},
    {KEY_PAGE_UP, older_alike},
    {'p' | KEY_META, older_alike},
    {KEY_PAGE_DOWN, newer_alike},
    {'n' | KEY_META, newer_alike},
    {RUBOUT, rubout},
    {CONTROL('H'), rubout},
    {KEY_DELETE, delete},
    {CONTROL('K'), cut_line_end},
    {CONTROL('U'), cut_line_start},
    {CONTROL('W'), cut_word_before},
    {RUBOUT | KEY_META, cut_word_before},
    {'d' | KEY_META, cut_word},
    {CONTROL('Y'), yank},
    {CONTROL('T'), transpose},
    {CONTROL('_'), undo},
    {'\r' | KEY_META, newline},
    {'\n' | KEY_META, newline},
    {KEY_PASTE, paste},
    {'\t', complete},
    {CONTROL('L'), clear},
    {CONTROL('Z'), suspend},
    {CONTROL('\\'), quit},
};

static enum key_outcome enter(struct editor *e) {
    if (e->language.is_whole == NULL || e->language.is_whole(e->text.bytes)) return KEY_ENTERS;
    newline(e);
    return KEY_CONTINUES;
}

enum key_outcome editor_perform(struct editor *e, const struct edit_key *key) {
    if (key->code == CONTROL('R')) {
        struct edit_key next = editor_search(e);
        return next.code == CONTROL('G') ? KEY_CONTINUES : editor_perform(e, &next);
    }
    if (key->code == '\r' || key->code == '\n') return enter(e);
    if (key->code == CONTROL('C')) return KEY_INTERRUPTS;
    if (key->code == KEY_CLOSED) return KEY_ENDS;
    if (key->code == CONTROL('D')) {
        if (e->text.length == 0) return KEY_ENDS;
        delete (e);
        return KEY_CONTINUES;
    }
    if (key->code == KEY_CHARACTER || (key->code >= ' ' && key->code < RUBOUT)) {
        type_character(e, key);
        return KEY_CONTINUES;
    }
    for (size_t i = 0; i < sizeof bindings / sizeof bindings[0]; i++)
        if (bindings[i].code == key->code) bindings[i].command(e);
    return KEY_CONTINUES;
}
