/* work.h - tables of the view gc. Each is left out if the profile does not have what it shows. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_WORK_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_WORK_H

#include "memprof/report/view/views.h"

/* The program's pauses by their cause. */
void report_add_causes(struct report_doc *doc, const struct report_query *query);
/* Ticks of CPU time by function; the collector's are one row. */
void report_add_processor(struct report_doc *doc, const struct report_query *query);
/* What each module allocates, and how fast. */
void report_add_rates(struct report_doc *doc, const struct report_query *query);

#endif
