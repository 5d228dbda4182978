/* history.h - the texts that were entered, in this session and before. GC: never. */
#ifndef BACTRIAN_VM_CLI_EDITOR_HISTORY_H
#define BACTRIAN_VM_CLI_EDITOR_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

struct edit_history {
    char **texts; /* the oldest first */
    size_t count;
    char *path;   /* NULL: kept for this session only */
    bool unended; /* the file's last line has no newline */
};

/* Reads the file of that name, if there is one. */
void history_open(struct edit_history *h, const char *name);
void history_close(struct edit_history *h);
/* Adds a text, to the file too, unless it is blank or equals the last one. */
void history_add(struct edit_history *h, const char *text);
/* The position of the text nearest to `from` (older: before it; else after it) that matches: it
 * contains `wanted`, or starts with it. h->count: none. */
size_t history_find(const struct edit_history *h, size_t from, bool older, const char *wanted,
                    bool at_start);

#endif
