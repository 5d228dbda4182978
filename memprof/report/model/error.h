/* error.h - why a report failed. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_ERROR_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_ERROR_H

/* Printed as `bactrian: subject: what: advice`. */
struct report_error {
    char subject[240]; /* a file or an option; may be empty */
    char what[240];
    char advice[240];
};

/* Fills *error; `what` is a format as of printf. Returns -1, for `return report_fail(...)`. */
int report_fail(struct report_error *error, const char *subject, const char *advice,
                const char *what, ...) __attribute__((format(printf, 4, 5)));

#endif
