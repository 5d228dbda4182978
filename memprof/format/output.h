/* output.h - opens the files that Bactrian writes, so that none replaces a file by mistake. The
 * heap is not used: GC: never, for all functions.
 *
 *     exists as              is
 *     nothing                created
 *     regular file           replaced by rename if it starts as an earlier output of the same kind
 *                            does, or if that is forced; its mode stays
 *     device, pipe, stdout   written to
 *     symbolic link          followed
 *
 * A regular file has no name until it is complete, or, where the file system lacks that, a
 * temporary one beside it: a failure leaves the old file, a killed process nothing else. */
#ifndef BACTRIAN_MEMPROF_FORMAT_OUTPUT_H
#define BACTRIAN_MEMPROF_FORMAT_OUTPUT_H

#include <stdbool.h>

enum mp_replace {
    MP_REPLACE_OUTPUT, /* an earlier output of the same kind */
    MP_REPLACE_ANY,    /* --force */
    MP_REPLACE_NONE,   /* an existing file stays, the output gets another name */
};

/* Starts as {0}. */
struct mp_output {
    char *path;     /* absolute; NULL: an open descriptor of the process is written to */
    char *part;     /* what is written, until it is published; NULL: path, or a file without name */
    int unnamed;    /* a second descriptor of a file without name; 0: none */
    int fd;         /* the caller closes it, once mp_output_create has made it */
    int duplicates; /* if path is NULL */
    unsigned mode;  /* of the file that is replaced; 0: there is none */
    bool created;   /* path did not exist */
    bool streams;   /* a device or pipe */
};

/* Finds the file that path denotes, and whether it may be written, without creating it. start: a
 * pattern (fnmatch) that the first bytes of an earlier output match; NULL: none can be recognised.
 * Not for MP_REPLACE_NONE. Returns 0 or an errno; EEXIST: it is another file. */
int mp_output_find(struct mp_output *o, const char *path, const char *start, enum mp_replace how);
/* Opens the file that was found: o->fd. Returns 0 or an errno. */
int mp_output_create(struct mp_output *o);
/* mp_output_find and mp_output_create. With MP_REPLACE_NONE a new file is created, with a number in
 * its name if path exists: a.prof, a.2.prof; never through a symbolic link. */
int mp_output_open(struct mp_output *o, const char *path, const char *start, enum mp_replace how);
/* Nobody but the owner of the file, if it is a regular one, may read it. */
void mp_output_make_private(struct mp_output *o);
/* Gives a complete file its name. Returns 0 or an errno. */
int mp_output_publish(struct mp_output *o);
/* Removes what was created and is not published. */
void mp_output_discard(struct mp_output *o);
/* Frees the names. */
void mp_output_free(struct mp_output *o);

/* The file's name for messages: as it was given, unless a number was added. */
const char *mp_output_shown(const struct mp_output *o, const char *given);

/* The texts of a message: what is wrong, and what to do about it. */
const char *mp_output_problem(int problem);
const char *mp_output_advice(int problem);

/* Whether the start of a regular file matches the pattern (fnmatch); false for symbolic links. */
bool mp_starts_as(const char *path, const char *start);

#endif
