/* board.h - a recording that is being written, as sums that follow it.
 *
 *     struct report_board *b = report_board_open(fd, name);
 *     every second: report_board_read(b, &error); report_board_figures, report_board_sites
 */
#ifndef BACTRIAN_MEMPROF_REPORT_LIVE_BOARD_H
#define BACTRIAN_MEMPROF_REPORT_LIVE_BOARD_H

#include "memprof/report/model/estimate.h"

struct report_board;

/* The state of the program, as of the last record. Bytes, unless a name says otherwise. */
struct report_board_figures {
    double seconds;                  /* recorded */
    double heap, resident, before;   /* major heap; of the process; live before attaching */
    double external;                 /* allocated outside the heap */
    struct report_estimate live;     /* proven */
    double uncollected;              /* not yet collected, without `before` */
    double rate, promoted;           /* allocated per second; share of the minor heap's words */
    double p50_seconds, p99_seconds; /* pauses of the last minute */
    double cost;                     /* of the recorder: a share of the CPU time; -1: unknown */
    size_t pauses, samples;
    const char *program;
    const char *outcome; /* ""; how the program ended */
};

struct report_board_site {
    const char *name;                   /* untrusted text */
    double rate, live, growth;          /* bytes per second, bytes, bytes per minute */
    double since_allocated, since_live; /* bytes since the mark */
};

/* Follows the file of a descriptor, which stays the caller's; name: for messages. The file may have
 * no complete chunk yet. Fails: as report_alloc. */
struct report_board *report_board_open(int fd, const char *name);
void report_board_close(struct report_board *board); /* NULL is allowed */
/* Reads what was added. Returns 0, or -1 and *error: the file is damaged. */
int report_board_read(struct report_board *board, struct report_error *error);
/* Remembers what there is now, for the differences of sites; forgets it. */
void report_board_mark(struct report_board *board, bool on);
/* Reads the sums. Texts belong to the board. */
void report_board_figures(const struct report_board *board, struct report_board_figures *out);
/* The sites in order: by live memory or, marked, by its growth since then. Returns how many of
 * `most` there are. */
size_t report_board_sites(struct report_board *board, struct report_board_site *out, size_t most);

#endif
