/* search.c - Ctrl-R: the newest text of the history that contains what is typed; Ctrl-R again: the
 * one before. */
#include "vm/cli/editor/editor_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    struct edit_text wanted;
    size_t found; /* history.count: nothing */
    bool fails;
};

static void show_search(struct editor *e, const struct search *s) {
    char *line = NULL;
    if (asprintf(&line, "search%s: %s", s->fails ? " (not found)" : "", s->wanted.bytes) < 0)
        line = NULL;
    editor_show(e, line, NULL);
    if (!keys_wait()) editor_draw(e);
}

/* Looks before (or after) a position for what is wanted. */
static void find(struct editor *e, struct search *s, size_t from, bool older) {
    size_t found = history_find(&e->history, from, older, s->wanted.bytes, false);
    s->fails = found == e->history.count;
    if (s->fails) return;
    s->found = found;
    text_set(&e->text, e->history.texts[found]);
    e->text.cursor = (size_t)(strstr(e->text.bytes, s->wanted.bytes) - e->text.bytes);
}

/* Whether the key belongs to the search. */
static bool search_key(struct editor *e, struct search *s, const struct edit_key *key) {
    size_t newest = e->history.count, next = s->found < newest ? s->found + 1 : newest;
    if (key->code == KEY_CHARACTER || (key->code >= ' ' && key->code < 127)) {
        text_insert(&s->wanted, key->bytes, key->length);
        find(e, s, next, true);
    } else if (key->code == 127 || key->code == CONTROL('H')) {
        text_delete(&s->wanted, text_previous(&s->wanted, s->wanted.length), s->wanted.length);
        find(e, s, newest, true);
    } else if (key->code == CONTROL('R')) find(e, s, s->found, true);
    else if (key->code == CONTROL('S')) find(e, s, s->found, false);
    else return false;
    return true;
}

struct edit_key editor_search(struct editor *e) {
    struct search s = {.found = e->history.count};
    struct edit_key key = {.code = KEY_UNKNOWN};
    char *before = strdup(e->text.bytes);
    if (before != NULL && text_init(&s.wanted)) {
        do show_search(e, &s);
        while ((key = keys_read()).code == KEY_SIGNAL || search_key(e, &s, &key));
        if (key.code == CONTROL('G')) text_set(&e->text, before);
        else if (s.found < e->history.count) e->browsed = s.found;
    }
    editor_show(e, NULL, NULL);
    text_free(&s.wanted);
    free(before);
    return key;
}
