/* own.h - the snapshot of a recorded run. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_OWN_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_OWN_H

#include "memprof/report/view/views.h"

struct heap_graph;

struct heap_own {
    struct heap_graph *graph; /* NULL: there is none */
    char *path;               /* NULL: none, or it was given; owned */
    struct report_error why;  /* why the run's own could not be used */
};

/* Loads the snapshot request->other_path; if that is NULL, the last one that the run has written,
 * or a file of that name beside the profile, if it is there. Fails: -1 and *error, if the given one
 * is not of the run. */
int heap_own_load(const struct report_request *request, struct heap_own *own);
/* The path of the last snapshot that the run has written, or of a file of that name beside the
 * profile; freed with free(). NULL: there is none, or it is not of the run. */
char *heap_own_path(const struct report_request *request);
void heap_own_free(struct heap_own *own);
/* Says which one was found, or what became of one that the run has begun: a recording names the
 * file when a child process begins it (memprof/snapshot/README.md). */
void heap_own_note(const struct report_request *request, const struct heap_own *own,
                   struct report_doc *doc);

#endif
