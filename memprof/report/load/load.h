/* load.h - reads a profile of either format. */
#ifndef BACTRIAN_MEMPROF_REPORT_LOAD_LOAD_H
#define BACTRIAN_MEMPROF_REPORT_LOAD_LOAD_H

#include "memprof/report/model/base.h"
#include "memprof/report/model/model.h"

#include <stdio.h>

struct mp_reader;

/* Reads a whole file into memory, a NUL after it; freed with free(). Fails: NULL and *error. */
unsigned char *report_read_file(const char *path, size_t *length, struct report_error *error);
/* The same of a file that was written, from its beginning. path: for messages. */
unsigned char *report_read_stream(FILE *file, const char *path, size_t *length,
                                  struct report_error *error);
/* The profile in a file: of Bactrian's own format or a memtrace trace. Fails: NULL and *error. */
struct report_model *report_load(const char *path, struct report_error *error);
/* Whether a file can be read and is a heap snapshot. */
bool report_is_snapshot(const char *path);
/* The profile in bytes. path: for messages. */
struct report_model *report_load_bytes(const char *path, const unsigned char *bytes, size_t length,
                                       struct report_error *error);
/* The profile in bytes of Bactrian's own format. path: for messages. Fails: NULL and *error. */
struct report_model *report_load_own(const char *path, const unsigned char *bytes, size_t length,
                                     struct report_error *error);
/* A reader of such bytes, which must outlive it; path: for messages. Fails: NULL and *error, also
 * of a heap snapshot. */
struct mp_reader *report_open_own(const char *path, const unsigned char *bytes, size_t length,
                                  struct report_error *error);
/* When all events were read: whether the end is missing. Fails: -1 and *error, if it is damaged. */
int report_end_own(const char *path, const struct mp_reader *reader, bool *truncated,
                   struct report_error *error);

/* A location of a file in that format as the model's; the words for how a program ended. */
uint32_t report_map_location(struct report_model *model, const struct mp_location *location);
const char *report_outcome_word(enum mp_outcome outcome);

enum report_ctf_grade { REPORT_CTF_FATAL, REPORT_CTF_STRICT, REPORT_CTF_LOOSE };

/* One violation of a rule of ctf_rules.def. */
struct report_ctf_violation {
    const char *rule, *demand;
    enum report_ctf_grade grade;
    size_t offset; /* in the file */
    char detail[120];
};

/* Called for each violation, in the order of the file. */
typedef void (*report_ctf_listener)(void *context, const struct report_ctf_violation *violation);

/* Whether the bytes start with a trace's magic number. */
bool report_ctf_recognises(const unsigned char *bytes, size_t length);
/* Reads a trace. One whose end is missing is marked truncated; packets of other processes count as
 * skipped. With a listener (not NULL), damage skips only the rest of its packet. Fails: NULL, with
 * *error's text and advice, if the trace is damaged. */
struct report_model *report_ctf_read(const unsigned char *bytes, size_t length,
                                     report_ctf_listener listener, void *context,
                                     struct report_error *error);

#endif
