/* editor_internal.h - the parts of an editor. GC: never, except where a comment says otherwise. */
#ifndef BACTRIAN_VM_CLI_EDITOR_EDITOR_INTERNAL_H
#define BACTRIAN_VM_CLI_EDITOR_EDITOR_INTERNAL_H

#include "vm/cli/editor/editor.h"
#include "vm/cli/editor/history.h"
#include "vm/cli/editor/keys.h"
#include "vm/cli/editor/screen.h"
#include "vm/cli/editor/text.h"

#include <locale.h>

struct editor {
    struct editor_language language;
    struct edit_text text;
    struct edit_history history;
    struct edit_screen screen;
    struct edit_terminal terminal;
    locale_t locale;              /* 0: C's */
    const char *prompt;           /* of the current read */
    char *below;                  /* lines shown until the next key, or NULL */
    unsigned char *below_classes; /* of their bytes */
    size_t browsed;               /* the text of the history shown; history.count: none */
    char *draft;                  /* the text when the user went into the history, or NULL */
    bool browsing, was_browsing;  /* this key, the key before goes through the history */
    bool typing, was_typing;      /* this key, the key before inserts a character */
    bool kept;                    /* a signal ended the last read */
};

/* What a key means for the read. */
enum key_outcome { KEY_CONTINUES, KEY_ENTERS, KEY_ENDS, KEY_INTERRUPTS };

/* Draws the text, and what is below it. */
void editor_draw(struct editor *e);
/* Draws all of the text, with nothing below it, and leaves it. */
void editor_leave(struct editor *e);
/* Shows these allocated lines and classes (NULL: plain) below the text from now on. */
void editor_show(struct editor *e, char *below, unsigned char *classes);

/* commands.c: performs what is bound to the key. GC: as language.complete. */
enum key_outcome editor_perform(struct editor *e, const struct edit_key *key);
/* search.c: searches the history while keys are read. Returns the key that ends it. */
struct edit_key editor_search(struct editor *e);

#endif
