/* phrase.h - where the phrases of OCaml's toplevel end, and what their words are. Nothing is
 * parsed: comments, strings, words and `;;` are enough. GC: never. */
#ifndef BACTRIAN_VM_CLI_PROMPT_PHRASE_H
#define BACTRIAN_VM_CLI_PROMPT_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

enum phrase_state {
    PHRASE_BLANK, /* there is nothing but blanks and comments */
    PHRASE_OPEN,  /* incomplete */
    PHRASE_ENDED, /* by its `;;` */
    PHRASE_LINE,  /* a directive that ends with its line, without `;;` */
};

/* The state of the first phrase of a text, and its length, with its `;;`. */
enum phrase_state phrase_first(const char *text, size_t *length);
/* Whether all phrases of the text are ended. */
bool phrase_is_whole(const char *text);
/* The class (enum editor_class) of each byte, for editor_language. */
void phrase_classify(const char *text, size_t cursor, unsigned char *classes);

#endif
