/* usage.h - the commands and their options, from the tables of the command line and of the reports:
 * what help, completion and man pages are made from. GC: never. */
#ifndef BACTRIAN_VM_CLI_USAGE_H
#define BACTRIAN_VM_CLI_USAGE_H

#include <stdbool.h>

struct cli_command {
    const char *name; /* one word, or two: "prof table" */
    const char *arguments, *meaning;
    bool is_report; /* takes: kinds of options (memprof/report/command/options.h) */
    unsigned takes; /* else: the bit of the verb (options.h) */
};
/* First those of enum cli_verb (options.h), in that order; the last has no name. */
extern const struct cli_command cli_commands[];

/* A row of help: an option, a name, or without a name the heading of the rows that follow. */
struct cli_row {
    const char *name, *argument, *meaning;
    unsigned takes;
};
typedef void cli_row_user(void *context, const struct cli_row *row);

/* Uses the rows of a command's options, and of words that it explains, under their headings. */
void cli_each_row(const struct cli_command *command, cli_row_user *use, void *context);
/* Uses the rows that describe the environment and the exit statuses, under headings. */
void cli_each_condition(cli_row_user *use, void *context);

/* The command that the first words name, and the number of these words; NULL: there is none. */
const struct cli_command *cli_find_command(char *const *words, int *used);
/* Whether a command is one of `prof`. */
bool cli_is_of_prof(const struct cli_command *command);

#endif
