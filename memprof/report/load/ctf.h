/* ctf.h - reads memtrace traces (.ctf), versions 1 to 3. */
#ifndef BACTRIAN_MEMPROF_REPORT_LOAD_CTF_H
#define BACTRIAN_MEMPROF_REPORT_LOAD_CTF_H

#include "memprof/report/model/error.h"
#include "memprof/report/model/model.h"

enum report_ctf_grade { REPORT_CTF_FATAL, REPORT_CTF_STRICT, REPORT_CTF_LOOSE };

/* One violation of a rule of ctf_rules.def. */
struct report_ctf_violation {
    const char *rule, *demand;
    enum report_ctf_grade grade;
    size_t offset; /* in the file */
    char detail[120];
};

/* Hears of each violation, in the order of the file. */
typedef void (*report_ctf_listener)(void *context, const struct report_ctf_violation *violation);

/* Whether the bytes start as such a trace does. */
bool report_ctf_recognises(const unsigned char *bytes, size_t length);
/* The trace as a profile. What can be understood is kept: a trace whose end is missing is marked
 * truncated, packets of other processes count as skipped. Returns NULL, with *error's text and
 * advice, for one that is damaged. listener: hears of violations, and then damage skips the rest of
 * its packet only; NULL: nobody does. */
struct report_model *report_ctf_read(const unsigned char *bytes, size_t length,
                                     report_ctf_listener listener, void *context,
                                     struct report_error *error);

#endif
