/* options.h - the options of the verbs. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_OPTIONS_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_OPTIONS_H

#include "memprof/report/view/views.h"

/* The kinds of options of options.def: each verb and each export format takes some. */
enum report_takes {
    TAKES_HELP = 0, /* taken by all */
    TAKES_AT = 1 << 0,
    TAKES_SHOW = 1 << 1,
    TAKES_AGE = 1 << 2,    /* of live blocks */
    TAKES_WINDOW = 1 << 3, /* a part of the run's time */
    TAKES_BLOCKS = 1 << 4, /* which blocks */
    TAKES_HIDE = 1 << 5,
    TAKES_BY = 1 << 6,
    TAKES_UNIT = 1 << 7,
    TAKES_ROWS = 1 << 8, /* their number */
    TAKES_SORT = 1 << 9,
    TAKES_THRESH = 1 << 10,
    TAKES_PATHS = 1 << 11,
    TAKES_PER = 1 << 29, /* a counter */
    TAKES_INTERVAL = 1 << 30,
    TAKES_FORMAT = 1 << 12,
    TAKES_OUTPUT = 1 << 13,
    TAKES_JSON = 1 << 14,
    TAKES_CSV = 1 << 15,
    TAKES_INTERVALS = 1 << 16,
    TAKES_COLOR = 1 << 17,
    TAKES_SOURCE = 1 << 18,
    TAKES_LIVE = 1 << 19, /* what is live */
    TAKES_RAW = 1 << 20,
    TAKES_OTHER = 1 << 21, /* which blocks, in ways that a page does not have */
    TAKES_LSP = 1 << 22,
    TAKES_EMBED = 1 << 23,
    TAKES_SNAPSHOT = 1 << 24,

    /* Sets for verbs.def and formats.def. */
    TAKES_PRINT = TAKES_JSON | TAKES_CSV | TAKES_INTERVALS | TAKES_COLOR | TAKES_OUTPUT,
    TAKES_PART = TAKES_WINDOW | TAKES_BLOCKS | TAKES_OTHER,
    TAKES_CHOICE = TAKES_PART | TAKES_AT | TAKES_SHOW | TAKES_LIVE | TAKES_AGE,
    TAKES_TABLE = TAKES_HIDE | TAKES_BY | TAKES_UNIT | TAKES_ROWS | TAKES_SORT,
};

/* A parsed command line. */
struct report_command {
    const char *verb;
    struct report_request request;
    char **files;
    size_t file_count;
    unsigned long long used; /* bits of the options that were given */
    const char *format, *output;
    bool force, json, csv, lsp, color, no_color, running;
};

/* Parses words, NULL-terminated, into the command, whose verb is set; the array is reused for the
 * names of files, and texts are kept. Returns 0, or -1 and *error. */
int report_parse(char **words, struct report_command *command, struct report_error *error);
/* Refuses options of other kinds than `takes` that the command was given. user: what does not take
 * them. Returns 0, or -1 and *error. */
int report_refuse_options(const struct report_command *command, unsigned takes, const char *user,
                          struct report_error *error);
#endif
