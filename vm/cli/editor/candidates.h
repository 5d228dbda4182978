/* candidates.h - the completions of a word: their common start, and the lines that list them.
 * GC: never. */
#ifndef BACTRIAN_VM_CLI_EDITOR_CANDIDATES_H
#define BACTRIAN_VM_CLI_EDITOR_CANDIDATES_H

#include "vm/cli/editor/editor.h"

/* Frees the list. */
void candidates_free(struct editor_candidates *c);
/* Sorts them by word, and leaves out those that are there twice. */
void candidates_sort(struct editor_candidates *c);
/* The length of the common start of the words, which are sorted; at least one. */
size_t candidates_common(const struct editor_candidates *c);
/* Lines for at most that many rows, allocated, with the class of each byte in *classes: a word and
 * its note in each, or several words where there are more candidates than rows. NULL when out of
 * memory. */
char *candidates_list(const struct editor_candidates *c, size_t columns, size_t rows,
                      unsigned char **classes);

#endif
