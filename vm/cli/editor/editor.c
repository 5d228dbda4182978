/* editor.c - see editor.h.
 *
 * While a text is edited the terminal sends no signals, and Ctrl-C, Ctrl-Z and Ctrl-\ are ordinary
 * keys. So the terminal is always restored before anything stops or ends the process, whichever
 * handlers are installed. The environment's locale, which defines the characters, is used by this
 * thread only while it reads a text: OCaml programs run in C's. */
#include "vm/cli/editor/editor.h"

#include "gc/assert.h"
#include "vm/cli/cli.h"
#include "vm/cli/editor/editor_internal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool editor_is_possible(void) {
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

struct editor *editor_open(const char *history, const struct editor_language *language) {
    struct editor *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->language = *language;
    e->locale = open_locale();
    history_open(&e->history, history);
    if (text_init(&e->text)) return e;
    editor_close(e);
    return NULL;
}

void editor_close(struct editor *e) {
    if (e == NULL) return;
    ASSERT(!e->terminal.raw);
    text_free(&e->text);
    history_close(&e->history);
    if (e->locale != 0) freelocale(e->locale);
    free(e->draft);
    free(e);
}

/* ---- Drawing. ---- */

/* The classes of the text, allocated; NULL: no colours. */
static unsigned char *classes_of(const struct editor *e) {
    bool wanted = e->language.classify != NULL && cli_wants_color();
    unsigned char *classes = wanted ? calloc(1, e->text.length + 1) : NULL;
    if (classes != NULL) e->language.classify(e->text.bytes, e->text.cursor, classes);
    return classes;
}

static void draw_by(struct editor *e, void (*draw)(struct edit_screen *, const struct edit_view *),
                    bool all) {
    unsigned char *classes = classes_of(e);
    struct edit_view view = {
        .prompt = e->prompt,
        .text = e->text.bytes,
        .length = e->text.length,
        .cursor = e->text.cursor,
        .below = all && e->below != NULL ? e->below : "",
        .classes = classes,
        .below_classes = cli_wants_color() ? e->below_classes : NULL,
    };
    draw(&e->screen, &view);
    free(classes);
}

void editor_draw(struct editor *e) { draw_by(e, screen_draw, true); }
void editor_leave(struct editor *e) {
    e->text.cursor = e->text.length; /* no bracket is marked any more */
    draw_by(e, screen_finish, false);
}

void editor_show(struct editor *e, char *below, unsigned char *classes) {
    free(e->below);
    free(e->below_classes);
    e->below = below;
    e->below_classes = classes;
}

/* ---- Reading. ---- */

static void start_text(struct editor *e) {
    if (!e->kept) text_set(&e->text, "");
    e->kept = e->was_browsing = e->was_typing = false;
    e->browsed = e->history.count;
    e->screen = (struct edit_screen){0};
    text_forget_undo(&e->text);
}

/* Reads keys until the text is complete. */
static enum editor_result read_keys(struct editor *e) {
    enum key_outcome outcome = KEY_CONTINUES;
    while (outcome == KEY_CONTINUES) {
        if (!keys_wait()) editor_draw(e);
        struct edit_key key = keys_read();
        if (key.code == KEY_SIGNAL && screen_was_resized(&e->screen)) continue;
        if (key.code == KEY_SIGNAL) return EDITOR_SIGNALLED;
        if (key.code == KEY_CLOSED) return EDITOR_END;
        editor_show(e, NULL, NULL);
        e->browsing = e->typing = false;
        outcome = editor_perform(e, &key);
        e->was_browsing = e->browsing;
        e->was_typing = e->typing;
    }
    if (outcome == KEY_ENDS) return EDITOR_END;
    return outcome == KEY_ENTERS ? EDITOR_READ : EDITOR_INTERRUPTED;
}

/* Removes blanks and newlines at the end. */
static void trim(struct edit_text *t) {
    size_t end = t->length;
    while (end > 0 && strchr(" \t\n", t->bytes[end - 1]) != NULL) end--;
    text_delete(t, end, t->length);
}

enum editor_result editor_read(struct editor *e, const char *prompt, char **text) {
    ASSERT(e != NULL && prompt != NULL);
    locale_t before = e->locale != 0 ? uselocale(e->locale) : 0;
    e->prompt = prompt;
    *text = NULL;
    start_text(e);
    keys_start(&e->terminal);
    enum editor_result result = read_keys(e);
    editor_show(e, NULL, NULL);
    if (result == EDITOR_SIGNALLED) {
        e->kept = true;
        screen_erase(&e->screen);
    } else if (result == EDITOR_READ) {
        trim(&e->text);
        editor_leave(e);
        if ((*text = strdup(e->text.bytes)) == NULL) result = EDITOR_END;
        else history_add(&e->history, *text);
    } else if (result == EDITOR_INTERRUPTED) {
        e->text.cursor = e->text.length;
        text_insert(&e->text, "^C", 2);
        editor_leave(e);
    }
    keys_stop(&e->terminal);
    if (before != 0) uselocale(before);
    return result;
}
