/* complete.h - what may stand next on a line with a verb: for prompts. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_COMPLETE_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_COMPLETE_H

#include "memprof/report/model/model.h"

/* Called with each word that may stand there. */
typedef void report_candidate(void *context, const char *word);

/* Gives all words that may follow `before` and start with `start`. before: the word in front, NULL
 * at the start of the line. */
void report_complete(const struct report_model *model, const char *before, const char *start,
                     report_candidate *give, void *context);

#endif
