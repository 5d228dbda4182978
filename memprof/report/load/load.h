/* load.h - reads a profile of either format. */
#ifndef BACTRIAN_MEMPROF_REPORT_LOAD_LOAD_H
#define BACTRIAN_MEMPROF_REPORT_LOAD_LOAD_H

#include "memprof/report/model/base.h"
#include "memprof/report/model/model.h"

/* Reads a whole file into memory, a NUL after it; freed with free(). Fails: NULL and *error. */
unsigned char *report_read_file(const char *path, size_t *length, struct report_error *error);
/* The profile in a file: of Bactrian's own format or a memtrace trace. Fails: NULL and *error. */
struct report_model *report_load(const char *path, struct report_error *error);
/* The profile in bytes of Bactrian's own format. path: for messages. Fails: NULL and *error. */
struct report_model *report_load_own(const char *path, const unsigned char *bytes, size_t length,
                                     struct report_error *error);

#endif
