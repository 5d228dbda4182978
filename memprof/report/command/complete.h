/* complete.h - completes a line with a verb, for prompts. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_COMPLETE_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_COMPLETE_H

#include "memprof/report/model/model.h"

/* Called with each candidate. */
typedef void report_candidate(void *context, const char *word);

/* Gives all words that may follow `before` (NULL: at the start of the line) and start with
 * `start`. */
void report_complete(const struct report_model *model, const char *before, const char *start,
                     report_candidate *give, void *context);

#endif
