/* line.h - lines typed at a terminal, with editing, history and completion (libedit). */
#ifndef BACTRIAN_VM_CLI_LINE_H
#define BACTRIAN_VM_CLI_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct cli_line;

/* What may stand at the cursor. */
struct cli_candidates {
    char **words;
    size_t count;
    size_t typed;    /* bytes left of the cursor that each word starts with */
    const char *end; /* goes behind a word that is the only one; "" unless set */
};
/* Adds a copy of word; without memory the word is left out. GC: never. */
void cli_candidates_add(struct cli_candidates *candidates, const char *word);

/* Finds the candidates for a line whose text left of the cursor is `before`. */
typedef void cli_line_completer(void *context, const char *before,
                                struct cli_candidates *candidates);

enum cli_line_result {
    LINE_READ,
    LINE_END,         /* Ctrl-D on an empty line, or the terminal is gone */
    LINE_INTERRUPTED, /* Ctrl-C: what was typed is dropped */
    LINE_SIGNALLED,   /* a signal handler ran: the next cli_line_read goes on with the text */
};

/* Whether standard input and output are a terminal that lines can be edited on. GC: never. */
bool cli_line_is_possible(void);
/* Prepares the terminal that standard input and output are. history: name of the file that keeps
 * the lines, in ${XDG_STATE_HOME:-~/.local/state}/bactrian; a file that can't be used is done
 * without. NULL: no memory, or libedit can't use the terminal. GC: never. */
struct cli_line *cli_line_open(const char *history, cli_line_completer *complete, void *context);
/* Reads a line; *text is its text without the newline, which the caller frees. What the program
 * printed on the terminal's current line must be ended, or be part of prompt. GC: what complete
 * does. */
enum cli_line_result cli_line_read(struct cli_line *line, const char *prompt, char **text);
/* NULL is closed already. GC: never. */
void cli_line_close(struct cli_line *line);

#endif
