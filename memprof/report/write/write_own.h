/* write_own.h - writes a model as a profile of Bactrian's own format. */
#ifndef BACTRIAN_MEMPROF_REPORT_WRITE_WRITE_OWN_H
#define BACTRIAN_MEMPROF_REPORT_WRITE_WRITE_OWN_H

#include "memprof/report/model/error.h"
#include "memprof/report/model/model.h"

#include <stdio.h>

/* Writes a finished model with its counters, pauses and phases, in the order of time. path: for
 * messages. Returns 0, or -1 and *error. */
int report_write_own(const struct report_model *model, const char *path, FILE *out,
                     struct report_error *error);

#endif
