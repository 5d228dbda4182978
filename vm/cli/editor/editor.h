/* editor.h - input from a terminal: texts of one or many lines, with editing, completion, colours
 * and a history that is kept in a file. */
#ifndef BACTRIAN_VM_CLI_EDITOR_EDITOR_H
#define BACTRIAN_VM_CLI_EDITOR_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

struct editor;

/* Completions of the word before the cursor. */
struct editor_candidates {
    struct editor_candidate {
        char *word;
        char *note; /* what it is, such as its type; "" unless known */
    } * list;
    size_t count;
    size_t typed;    /* bytes before the cursor that each word starts with */
    const char *end; /* appended to the only candidate; "" unless set */
};
/* Adds copies of word and note, or nothing when out of memory. GC: never. */
void editor_add_candidate(struct editor_candidates *candidates, const char *word, const char *note);

/* What a byte of the text belongs to, which chooses its colour. */
enum editor_class {
    CLASS_PLAIN,
    CLASS_KEYWORD,
    CLASS_CAPITAL, /* modules and constructors */
    CLASS_LABEL,
    CLASS_NUMBER,
    CLASS_STRING,
    CLASS_COMMENT,
    CLASS_DIRECTIVE,
    CLASS_BRACKET, /* the bracket at the cursor and its partner */
    CLASS_COUNT,
};

/* What the editor's user knows about the language. Texts end with a NUL. */
struct editor_language {
    void *context;
    /* Finds the candidates for the text before the cursor. */
    void (*complete)(void *context, const char *before, struct editor_candidates *candidates);
    /* Whether Enter ends the text, instead of adding a line; NULL: always. */
    bool (*is_whole)(const char *text);
    /* Sets the class of each byte of the text; they are plain before. NULL: no colours. */
    void (*classify)(const char *text, size_t cursor, unsigned char *classes);
};

enum editor_result {
    EDITOR_READ,
    EDITOR_END,         /* Ctrl-D with an empty text, or the terminal was closed */
    EDITOR_INTERRUPTED, /* Ctrl-C: the text is discarded */
    EDITOR_SIGNALLED,   /* a signal handler ran: the next editor_read continues with the text */
};

/* Whether texts can be edited: standard input and output are a capable terminal. GC: never. */
bool editor_is_possible(void);
/* history: name of the file that keeps the texts, in ${XDG_STATE_HOME:-~/.local/state}/bactrian;
 * ignored if it can't be used. NULL: out of memory. GC: never. */
struct editor *editor_open(const char *history, const struct editor_language *language);
/* Reads a text; *text is the text without a newline at its end, which the caller frees. The cursor
 * must be at the start of a line of the terminal. GC: as language.complete. */
enum editor_result editor_read(struct editor *editor, const char *prompt, char **text);
/* NULL is allowed. GC: never. */
void editor_close(struct editor *editor);

#endif
