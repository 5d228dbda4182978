/* mlprof.h - `bactrian mlprof`: shows files of exact counts, as MLton's mlprof does. */
#ifndef BACTRIAN_MEMPROF_REPORT_MLPROF_MLPROF_H
#define BACTRIAN_MEMPROF_REPORT_MLPROF_MLPROF_H

#include "memprof/report/model/base.h"

#include <stdint.h>
#include <stdio.h>

/* Finds the magic number of a program. Returns 0, or an exit status after its own message. */
typedef int mlprof_magic(const char *program, uint32_t *magic);

/* Performs `mlprof WORDS...`. Returns 0, an exit status of magic_of, or -1 and *error.
 * Fails: also as report_alloc. */
int mlprof_run(char **words, mlprof_magic *magic_of, FILE *out, struct report_error *error);

#endif
