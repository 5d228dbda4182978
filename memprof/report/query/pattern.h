/* pattern.h - regular expressions of the command line: POSIX extended ones (regex(7)). */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_PATTERN_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_PATTERN_H

#include <regex.h>
#include <stdbool.h>

enum { REPORT_WHY = 160 };

/* Compiles pattern for tests without positions; freed with regfree(). Fails: false, and why it is
 * none. */
bool report_compile_pattern(regex_t *regex, const char *pattern, char why[REPORT_WHY]);

#endif
