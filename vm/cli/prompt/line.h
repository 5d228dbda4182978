/* line.h - line input from a terminal, with editing, history and completion (libedit). */
#ifndef BACTRIAN_VM_CLI_PROMPT_LINE_H
#define BACTRIAN_VM_CLI_PROMPT_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct cli_line;

/* Completions of the word at the cursor. */
struct cli_candidates {
    char **words;
    size_t count;
    size_t typed;    /* bytes before the cursor that each word starts with */
    const char *end; /* appended to the only candidate; "" unless set */
};
/* Adds a copy of word, or nothing when out of memory. GC: never. */
void cli_candidates_add(struct cli_candidates *candidates, const char *word);

/* Finds the candidates for a line with the text `before` the cursor. */
typedef void cli_line_completer(void *context, const char *before,
                                struct cli_candidates *candidates);

enum cli_line_result {
    LINE_READ,
    LINE_END,         /* Ctrl-D on an empty line, or the terminal was closed */
    LINE_INTERRUPTED, /* Ctrl-C: the text is discarded */
    LINE_SIGNALLED,   /* a signal handler ran: the next cli_line_read continues with the text */
};

/* Whether lines can be edited: standard input and output are a capable terminal. GC: never. */
bool cli_line_is_possible(void);
/* Prepares the terminal. history: name of the file that keeps the lines, in
 * ${XDG_STATE_HOME:-~/.local/state}/bactrian; ignored if it can't be used. NULL: out of memory, or
 * libedit can't use the terminal. GC: never. */
struct cli_line *cli_line_open(const char *history, cli_line_completer *complete, void *context);
/* Reads a line; *text is its text without the newline, which the caller frees. The cursor must be
 * at the start of a line of the terminal. GC: as the completer. */
enum cli_line_result cli_line_read(struct cli_line *line, const char *prompt, char **text);
/* NULL is allowed. GC: never. */
void cli_line_close(struct cli_line *line);

#endif
