/* pattern.h - regular expressions of the command line: POSIX extended ones (regex(7)). */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_PATTERN_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_PATTERN_H

#include "memprof/report/model/base.h"

#include <stddef.h>
#include <stdint.h>

/* Whether each of `count` texts matches, a byte each; freed with free(). Fails: NULL and *error,
 * whose subject is `option`, if the pattern is not a regular expression or would need too much
 * memory. */
uint8_t *report_match(const char *option, const char *pattern, const char *const *texts,
                      size_t count, struct report_error *error);

#endif
