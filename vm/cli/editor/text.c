/* text.c - see text.h. Characters are those of the thread's locale. */
#include "vm/cli/editor/text.h"

#include "gc/assert.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { MAX_UNDO = 200, FIRST_CAPACITY = 256 };

bool text_init(struct edit_text *t) {
    *t = (struct edit_text){.bytes = calloc(1, FIRST_CAPACITY), .capacity = FIRST_CAPACITY};
    t->undo = calloc(MAX_UNDO, sizeof *t->undo);
    return t->bytes != NULL && t->undo != NULL;
}

void text_free(struct edit_text *t) {
    if (t->undo != NULL) text_forget_undo(t);
    free(t->undo);
    free(t->cut);
    free(t->bytes);
}

/* ---- Changes. ---- */

static bool text_reserve(struct edit_text *t, size_t length) {
    if (length < t->capacity) return true;
    size_t capacity = length * 2 + 1;
    char *bytes = realloc(t->bytes, capacity);
    if (bytes == NULL) return false;
    t->bytes = bytes;
    t->capacity = capacity;
    return true;
}

void text_insert(struct edit_text *t, const char *bytes, size_t length) {
    if (!text_reserve(t, t->length + length)) return;
    memmove(t->bytes + t->cursor + length, t->bytes + t->cursor, t->length - t->cursor + 1);
    memcpy(t->bytes + t->cursor, bytes, length);
    t->length += length;
    t->cursor += length;
}

void text_set(struct edit_text *t, const char *bytes) {
    size_t length = strlen(bytes);
    if (!text_reserve(t, length)) return;
    memcpy(t->bytes, bytes, length + 1);
    t->length = t->cursor = length;
}

void text_delete(struct edit_text *t, size_t from, size_t to) {
    ASSERT(from <= to && to <= t->length);
    memmove(t->bytes + from, t->bytes + to, t->length - to + 1);
    t->length -= to - from;
    if (t->cursor > from) t->cursor = t->cursor > to ? t->cursor - (to - from) : from;
}

void text_cut(struct edit_text *t, size_t from, size_t to) {
    if (from == to) return;
    char *cut = strndup(t->bytes + from, to - from);
    if (cut == NULL) return;
    free(t->cut);
    t->cut = cut;
    text_delete(t, from, to);
}

void text_transpose(struct edit_text *t) {
    size_t end = t->cursor == text_line_end(t, t->cursor) ? t->cursor : text_next(t, t->cursor);
    size_t second = text_previous(t, end), first = text_previous(t, second);
    if (first == second || first < text_line_start(t, t->cursor)) return;
    char *moved = strndup(t->bytes + first, second - first);
    if (moved == NULL) return;
    text_delete(t, first, second);
    t->cursor = end - (second - first);
    text_insert(t, moved, second - first);
    free(moved);
}

/* ---- Undo. ---- */

void text_keep(struct edit_text *t) {
    char *bytes = strdup(t->bytes);
    if (bytes == NULL) return;
    if (t->undo_count == MAX_UNDO) {
        free(t->undo[0].bytes);
        memmove(t->undo, t->undo + 1, --t->undo_count * sizeof *t->undo);
    }
    t->undo[t->undo_count++] = (struct edit_state){bytes, t->cursor};
}

void text_undo(struct edit_text *t) {
    if (t->undo_count == 0) return;
    struct edit_state *last = &t->undo[--t->undo_count];
    text_set(t, last->bytes);
    if (last->cursor <= t->length) t->cursor = last->cursor;
    free(last->bytes);
}

void text_forget_undo(struct edit_text *t) {
    while (t->undo_count > 0) free(t->undo[--t->undo_count].bytes);
}

/* ---- Characters and words. ---- */

size_t text_character(const char *p, size_t n, unsigned *columns) {
    mbstate_t state = {0};
    wchar_t c;
    size_t bytes = mbrtowc(&c, p, n, &state);
    if (bytes == 0 || bytes > n) {
        *columns = 1;
        return 1;
    }
    int width = wcwidth(c);
    *columns = width < 0 ? 1 : (unsigned)width;
    return bytes;
}

size_t text_next(const struct edit_text *t, size_t at) {
    unsigned columns;
    if (at >= t->length) return t->length;
    at += text_character(t->bytes + at, t->length - at, &columns);
    while (at < t->length) {
        size_t bytes = text_character(t->bytes + at, t->length - at, &columns);
        if (columns > 0) break;
        at += bytes;
    }
    return at;
}

/* Multi-byte characters are read forwards, from the start of the line. */
size_t text_previous(const struct edit_text *t, size_t at) {
    if (at == 0) return 0;
    size_t from = text_line_start(t, at);
    if (from == at) return at - 1;
    for (size_t next; (next = text_next(t, from)) < at;) from = next;
    return from;
}

static bool in_word(const struct edit_text *t, size_t at) {
    unsigned char c = (unsigned char)t->bytes[at];
    return isalnum(c) || c == '_' || c == '\'' || c >= 0x80;
}

size_t text_word_end(const struct edit_text *t, size_t at) {
    while (at < t->length && !in_word(t, at)) at++;
    while (at < t->length && in_word(t, at)) at++;
    return at;
}

size_t text_word_start(const struct edit_text *t, size_t at) {
    while (at > 0 && !in_word(t, at - 1)) at--;
    while (at > 0 && in_word(t, at - 1)) at--;
    return at;
}

/* ---- Lines. ---- */

size_t text_line_start(const struct edit_text *t, size_t at) {
    while (at > 0 && t->bytes[at - 1] != '\n') at--;
    return at;
}

size_t text_line_end(const struct edit_text *t, size_t at) {
    while (at < t->length && t->bytes[at] != '\n') at++;
    return at;
}

size_t text_same_column(const struct edit_text *t, size_t start) {
    size_t end = text_line_end(t, start), at = start;
    size_t from = text_line_start(t, t->cursor), wanted = 0, column = 0;
    unsigned columns;
    while (from < t->cursor) {
        from += text_character(t->bytes + from, t->cursor - from, &columns);
        wanted += columns;
    }
    while (at < end && column < wanted) {
        text_character(t->bytes + at, end - at, &columns);
        column += columns;
        at = text_next(t, at);
    }
    return at < end ? at : end;
}
