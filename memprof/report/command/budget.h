/* budget.h - checks a recorded run against budgets. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_BUDGET_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_BUDGET_H

#include "memprof/report/model/base.h"

#include <stdbool.h>
#include <stdio.h>

/* Bytes; below 0: no limit. */
struct report_budgets {
    double live;        /* estimated, at the peak */
    double alloc;       /* exact, of the whole run */
    double leaked;      /* estimated: live at the end, except the standard library's own */
    const char *ignore; /* --ignore: a regular expression of sites that do not leak; NULL */
};

/* Checks the profile in a file. For each exceeded budget, writes a line that starts with `bactrian:
 * ` and lists the largest sites; verbose: writes a line for the others too. Returns the number of
 * exceeded budgets, or -1 and *error. Fails: also as report_alloc. */
int report_check_budgets(const char *path, const struct report_budgets *budgets, bool verbose,
                         FILE *out, struct report_error *error);

#endif
