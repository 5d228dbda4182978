/* text.h - the text that is edited: its bytes, the cursor, what was cut, what can be undone.
 * GC: never. */
#ifndef BACTRIAN_VM_CLI_EDITOR_TEXT_H
#define BACTRIAN_VM_CLI_EDITOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroes are not a text: text_init makes it one. */
struct edit_text {
    char *bytes; /* length bytes and a NUL */
    size_t length, capacity;
    size_t cursor; /* at the start of a character */
    char *cut;     /* what text_cut removed last, or NULL */
    struct edit_state {
        char *bytes;
        size_t cursor;
    } * undo; /* the states before changes, the last one last */
    size_t undo_count;
};

/* False: out of memory. */
bool text_init(struct edit_text *t);
void text_free(struct edit_text *t);

/* These change nothing when out of memory. text_set puts the cursor at the end. */
void text_insert(struct edit_text *t, const char *bytes, size_t length);
void text_set(struct edit_text *t, const char *bytes);
void text_delete(struct edit_text *t, size_t from, size_t to);
/* Deletes, and keeps what was deleted as the text's cut. */
void text_cut(struct edit_text *t, size_t from, size_t to);
/* Exchanges the characters before and at the cursor; at a line's end, the two before it. */
void text_transpose(struct edit_text *t);

/* Keeps the current state for text_undo, which goes back to the last one kept. */
void text_keep(struct edit_text *t);
void text_undo(struct edit_text *t);
void text_forget_undo(struct edit_text *t);

/* The bytes and the columns (0 for a combining character, 1 for a byte that is no character) of the
 * character at p, of which n bytes exist. */
size_t text_character(const char *p, size_t n, unsigned *columns);
/* The start of the character after or before a position, with what combines with it. */
size_t text_next(const struct edit_text *t, size_t at);
size_t text_previous(const struct edit_text *t, size_t at);
/* The end of the word after, the start of the word before a position. */
size_t text_word_end(const struct edit_text *t, size_t at);
size_t text_word_start(const struct edit_text *t, size_t at);
/* The start and the end of the line that a position is in. */
size_t text_line_start(const struct edit_text *t, size_t at);
size_t text_line_end(const struct edit_text *t, size_t at);
/* The position as far from its line's start as the cursor is, in the line that begins at start. */
size_t text_same_column(const struct edit_text *t, size_t start);

#endif
