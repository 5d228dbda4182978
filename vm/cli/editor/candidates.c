/* candidates.c - see candidates.h. */
#include "vm/cli/editor/candidates.h"

#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "vm/cli/editor/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

void editor_add_candidate(struct editor_candidates *c, const char *word, const char *note) {
    struct editor_candidate *list = realloc(c->list, (c->count + 1) * sizeof *list);
    if (list == NULL) return;
    c->list = list;
    struct editor_candidate added = {strdup(word), strdup(note)};
    if (added.word != NULL && added.note != NULL) {
        list[c->count++] = added;
        return;
    }
    free(added.word);
    free(added.note);
}

static void free_candidate(struct editor_candidate *candidate) {
    free(candidate->word);
    free(candidate->note);
}

void candidates_free(struct editor_candidates *c) {
    for (size_t i = 0; i < c->count; i++) free_candidate(&c->list[i]);
    free(c->list);
}

static int by_word(const void *a, const void *b) {
    const struct editor_candidate *x = a, *y = b;
    int order = strcmp(x->word, y->word);
    return order != 0 ? order : (y->note[0] != 0) - (x->note[0] != 0);
}

void candidates_sort(struct editor_candidates *c) {
    size_t kept = 0;
    if (c->count > 0) qsort(c->list, c->count, sizeof *c->list, by_word);
    for (size_t i = 0; i < c->count; i++) {
        if (kept > 0 && strcmp(c->list[kept - 1].word, c->list[i].word) == 0)
            free_candidate(&c->list[i]);
        else c->list[kept++] = c->list[i];
    }
    c->count = kept;
}

/* The words are sorted, so that it is that of the first and the last. */
size_t candidates_common(const struct editor_candidates *c) {
    ASSERT(c->count > 0);
    const char *first = c->list[0].word, *last = c->list[c->count - 1].word;
    size_t n = 0;
    while (first[n] != 0 && first[n] == last[n]) n++;
    while (n > 0 && ((unsigned char)first[n] & 0xc0) == 0x80) n--; /* whole characters */
    return n;
}

/* ---- Lists. ---- */

struct list {
    FILE *text, *classes;
};

/* Names come from files and profiles: they must not control the terminal. A note is one line. */
static void put_class(struct list *l, const char *text, unsigned char class, size_t columns) {
    for (size_t at = 0, n = strlen(text); at < n;) {
        unsigned width;
        size_t bytes = text_character(text + at, n - at, &width), control;
        if ((control = mp_control_bytes(text + at)) > 0) {
            putc(class == CLASS_COMMENT ? ' ' : '?', l->text);
            putc(class, l->classes);
            bytes = control;
            width = 1;
        } else {
            fwrite(text + at, 1, bytes, l->text);
            for (size_t i = 0; i < bytes; i++) putc(class, l->classes);
        }
        at += bytes;
        columns -= width < columns ? width : columns;
    }
    for (; columns > 0; columns--) {
        putc(' ', l->text);
        putc(CLASS_PLAIN, l->classes);
    }
}

static void put_newline(struct list *l) {
    putc('\n', l->text);
    putc(CLASS_PLAIN, l->classes);
}

static size_t columns_of(const char *text) {
    size_t columns = 0;
    for (size_t at = 0, n = strlen(text); at < n;) {
        unsigned width;
        at += text_character(text + at, n - at, &width);
        columns += width;
    }
    return columns;
}

static void put_list(struct list *l, const struct editor_candidates *c, size_t columns,
                     size_t rows) {
    size_t widest = 1, shown = c->count;
    for (size_t i = 0; i < shown; i++)
        if (columns_of(c->list[i].word) > widest) widest = columns_of(c->list[i].word);
    bool with_notes = c->count <= rows;
    size_t per_row = with_notes ? 1 : columns / (widest + GAP);
    if (per_row == 0) per_row = 1;
    if (shown > per_row * rows) shown = per_row * (rows - 1); /* the last row says how many more */
    size_t used = (shown + per_row - 1) / per_row;
    for (size_t row = 0; row < used; row++) {
        for (size_t i = row; i < shown; i += used) {
            bool last = !with_notes && i + used >= shown;
            put_class(l, c->list[i].word, CLASS_PLAIN, last ? 0 : widest + GAP);
        }
        if (with_notes) put_class(l, c->list[row].note, CLASS_COMMENT, 0);
        put_newline(l);
    }
    if (shown == c->count) return;
    char more[40];
    snprintf(more, sizeof more, "... and %zu more", c->count - shown);
    put_class(l, more, CLASS_COMMENT, 0);
    put_newline(l);
}

char *candidates_list(const struct editor_candidates *c, size_t columns, size_t rows,
                      unsigned char **classes) {
    char *text = NULL, *class_bytes = NULL;
    size_t text_length = 0, classes_length = 0;
    struct list l = {.text = open_memstream(&text, &text_length)};
    if (l.text == NULL) return NULL;
    if ((l.classes = open_memstream(&class_bytes, &classes_length)) != NULL)
        put_list(&l, c, columns, rows < 2 ? 2 : rows);
    bool whole = fclose(l.text) == 0;
    whole = l.classes != NULL && fclose(l.classes) == 0 && whole;
    *classes = whole ? (unsigned char *)class_bytes : NULL;
    if (whole) return text;
    free(text);
    free(class_bytes);
    return NULL;
}
