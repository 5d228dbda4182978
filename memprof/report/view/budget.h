/* budget.h - whether a recorded run kept to its budgets. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_BUDGET_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_BUDGET_H

#include "memprof/report/model/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Bytes; below 0: no limit. */
struct report_budgets {
    double live;        /* estimated, at the peak */
    double alloc;       /* exact, of the whole run */
    double leaked;      /* estimated: live at the end, but for the standard library's own */
    const char *ignore; /* --ignore: a regular expression; sites not to count as leaks; NULL */
};

/* Checks the profile in a file. For each budget that was exceeded says so on out, in a line that
 * starts with `bactrian: `, and lists the sites that have most of it; of those kept it tells if
 * verbose. Returns the number of those exceeded, or -1 and *error. Fails: also as report_alloc. */
int report_check_budgets(const char *path, const struct report_budgets *budgets, bool verbose,
                         FILE *out, struct report_error *error);

#endif
