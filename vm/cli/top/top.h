/* top.h - the state of `prof top`, for its parts. GC: never. */
#ifndef BACTRIAN_VM_CLI_TOP_TOP_H
#define BACTRIAN_VM_CLI_TOP_TOP_H

#include "memprof/report/live/board.h"
#include "vm/cli/cli.h"

enum { TOP_OUTPUT_BYTES = 1 << 16 };

/* Where the recording comes from. */
struct top_source {
    struct cli_process process; /* what is watched */
    pid_t child;                /* it was started here; 0: it was attached to */
    int connection;             /* of the recording of a process; -1: none */
    int file;                   /* the recording; -1: not there yet */
    char path[PATH_MAX];
    bool temporary;                  /* path is removed at the end */
    int output;                      /* what the program prints; -1: elsewhere */
    char text[TOP_OUTPUT_BYTES + 1]; /* the end of it */
    size_t text_length;
    bool ended;
};

/* Starts the program, or attaches to the process, that the operands name. Returns 0, or the exit
 * status after a message. */
int top_start(struct cli_options *options, struct top_source *source);
/* Opens the recording once it exists. */
void top_find_file(struct top_source *source);
/* Reads what the program has printed. */
void top_read_output(struct top_source *source);
/* Ends the recording. */
void top_end(struct top_source *source);

/* What is on the screen. */
struct top_view {
    const struct report_board *board; /* NULL: nothing is recorded yet */
    const struct report_board_site *sites;
    size_t site_count;
    bool marked;       /* differences since a mark are shown */
    const char *text;  /* shown instead of the table; NULL: the table */
    bool text_is_ours; /* it has colours */
    size_t first_line; /* of the text; reduced if it is too high */
    const char *program, *state, *message;
};

/* Whether the terminal can show it. */
bool top_is_possible(void);
void top_open_screen(void);
void top_close_screen(void);
/* Lines of the terminal below the figures and above the keys. */
size_t top_rows(void);
void top_draw(struct top_view *view);

#endif
