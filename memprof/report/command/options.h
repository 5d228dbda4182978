/* options.h - the options of the verbs. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_OPTIONS_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_OPTIONS_H

#include "memprof/report/command/command.h"

/* Reads words, NULL-terminated, into the command, whose verb is set; the array is reused for the
 * names of files, and texts are kept. Returns 0, or -1 and *error. */
int report_parse(char **words, struct report_command *command, struct report_error *error);
/* Refuses options of other kinds than `takes` (takes.h) that the command was given. user: what
 * can't use them. Returns 0, or -1 and *error. */
int report_refuse_options(const struct report_command *command, unsigned takes, const char *user,
                          struct report_error *error);
/* What --show, --by and --unit can be given, each in the order of its enum; NULL-terminated. */
extern const char *const report_show_words[], *const report_by_words[], *const report_unit_words[];
/* Lists the options of some kinds. */
void report_print_options(unsigned takes, FILE *out);

#endif
