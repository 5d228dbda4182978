/* error.c - why a report failed. */
#include "memprof/report/model/error.h"

#include <stdarg.h>
#include <stdio.h>

int report_fail(struct report_error *error, const char *subject, const char *advice,
                const char *what, ...) {
    va_list arguments;
    snprintf(error->subject, sizeof error->subject, "%s", subject);
    snprintf(error->advice, sizeof error->advice, "%s", advice);
    va_start(arguments, what);
    vsnprintf(error->what, sizeof error->what, what, arguments);
    va_end(arguments);
    return -1;
}
