/* nearest.h - the word that a mistyped one probably means. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_NEAREST_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_NEAREST_H

struct report_nearest {
    const char *text; /* what was typed */
    const char *word; /* the nearest of the words tried; NULL: none is near */
    unsigned edits;   /* letters to insert, leave out, replace or exchange with their neighbours */
};

/* Tries a word. It is near if at most one letter, or a quarter of them, differ. Returns whether it
 * is the nearest so far. */
int report_try_nearest(struct report_nearest *nearest, const char *word);

#endif
