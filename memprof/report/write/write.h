/* write.h - writes profiles: whole models, selections, several profiles as one. */
#ifndef BACTRIAN_MEMPROF_REPORT_WRITE_WRITE_H
#define BACTRIAN_MEMPROF_REPORT_WRITE_WRITE_H

#include "memprof/report/view/views.h"

/* Writes a finished model in Bactrian's own format, with counters, pauses and phases, in the order
 * of time. Returns 0, or -1 and *error, without a subject. */
int report_write_own(const struct report_model *model, FILE *out, struct report_error *error);
/* Writes the selected samples as a memtrace trace, version 2. */
report_writer report_write_memtrace;
/* Writes a profile of the selected samples. */
report_writer report_write_trim;
/* Writes one profile of all files of the request, one after the other in time. */
report_writer report_write_merge;
/* Writes the profile with numbers for the names of files, functions, phases and counters. */
report_writer report_write_anonymous;

#endif
