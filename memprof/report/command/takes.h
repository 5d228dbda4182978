/* takes.h - which kinds of options a verb, or a format of export, takes. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_TAKES_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_TAKES_H

/* Kinds of options, as options.def names them. */
enum report_takes {
    TAKES_HELP = 0, /* everybody does */
    TAKES_AT = 1 << 0,
    TAKES_SHOW = 1 << 1,
    TAKES_AGE = 1 << 2,    /* of blocks that are live */
    TAKES_WINDOW = 1 << 3, /* time of the run */
    TAKES_BLOCKS = 1 << 4, /* which blocks */
    TAKES_HIDE = 1 << 5,
    TAKES_BY = 1 << 6,
    TAKES_UNIT = 1 << 7,
    TAKES_ROWS = 1 << 8, /* how many */
    TAKES_SORT = 1 << 9,
    TAKES_THRESH = 1 << 10,
    TAKES_PATHS = 1 << 11,
    TAKES_FORMAT = 1 << 12,
    TAKES_OUTPUT = 1 << 13,
    TAKES_JSON = 1 << 14,
    TAKES_CSV = 1 << 15,
    TAKES_INTERVALS = 1 << 16,
    TAKES_COLOR = 1 << 17,

    /* What verbs.def and export_formats.def are made of. */
    TAKES_PRINT = TAKES_JSON | TAKES_CSV | TAKES_INTERVALS | TAKES_COLOR | TAKES_OUTPUT,
    TAKES_PART = TAKES_WINDOW | TAKES_BLOCKS,
    TAKES_CHOICE = TAKES_PART | TAKES_AT | TAKES_SHOW | TAKES_AGE,
    TAKES_TABLE = TAKES_HIDE | TAKES_BY | TAKES_UNIT | TAKES_ROWS | TAKES_SORT,
};

#endif
