/* command.h - performs the verbs; the prompt and the command line share this. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_COMMAND_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_COMMAND_H

#include "memprof/report/model/base.h"
#include "memprof/report/model/model.h"

#include <stdio.h>

/* Performs the verb words[0] with the options and files that follow it. terminal: whether out is
 * one, `columns` wide. Returns 0, or 1 if `check` found violations, or -1 and *error.
 * Fails: also as report_alloc. */
int report_run(char **words, FILE *out, bool terminal, unsigned columns,
               struct report_error *error);
/* The same with a loaded profile, which is the first file if words has one too few. */
int report_run_on(const struct report_model *model, const char *path, char **words, FILE *out,
                  bool terminal, unsigned columns, struct report_error *error);
/* Lists the verbs and the options. */
void report_print_help(FILE *out);

#endif
