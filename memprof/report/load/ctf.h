/* ctf.h - reads memtrace traces (.ctf), versions 1 to 3. */
#ifndef BACTRIAN_MEMPROF_REPORT_LOAD_CTF_H
#define BACTRIAN_MEMPROF_REPORT_LOAD_CTF_H

#include "memprof/report/model/base.h"
#include "memprof/report/model/model.h"

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
