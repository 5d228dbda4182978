/* command.h - performs verbs, completes their lines, checks budgets: what vm/cli calls. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_COMMAND_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_COMMAND_H

#include "memprof/format/output.h"
#include "memprof/report/model/base.h"
#include "memprof/report/model/model.h"

#include <stdio.h>

/* Performs the verb words[0] with the options and files that follow it; model: NULL, or a loaded
 * profile, which is the first file if words has one too few. terminal: whether out is one,
 * `columns` wide. Returns 0, or 1 if `check` found violations, or -1 and *error.
 * Fails: also as report_alloc. */
int report_run_on(const struct report_model *model, const char *path, char **words, FILE *out,
                  bool terminal, unsigned columns, struct report_error *error);
/* The newest recording in the current folder, freed with free(); NULL: there is none. */
char *report_newest_recording(void);

/* Called with each candidate. */
typedef void report_candidate(void *context, const char *word);

/* Gives all words that may follow `before` (NULL: at the start of the line) and start with
 * `start`. */
void report_complete(const struct report_model *model, const char *before, const char *start,
                     report_candidate *give, void *context);
/* The words that an option's argument can be, NULL-terminated; NULL: any. */
const char *const *report_words_of(const char *option);

/* Bytes; below 0: no limit. */
struct report_budgets {
    double live;        /* estimated, at the peak */
    double alloc;       /* exact, of the whole run */
    double leaked;      /* estimated: live at the end, except the standard library's own */
    const char *ignore; /* --ignore: a regular expression of sites that do not leak; NULL */
};

/* An earlier recording to hold another one against. */
struct report_baseline {
    const char *path;
    const char *markdown;    /* where to write what changed; NULL: nowhere */
    enum mp_replace replace; /* of that file */
    double tolerance;        /* the share by which a figure may grow */
};

/* Holds the profile in a file against an earlier one of the same settings: what was allocated, is
 * live at the peak and at the end. For each that has grown, beyond chance and tolerance, writes a
 * line as below. Returns how many have, or -1 and *error. Fails: also as report_alloc. */
int report_check_baseline(const char *path, const struct report_baseline *baseline, bool verbose,
                          FILE *out, struct report_error *error);

/* Checks the profile in a file. For each exceeded budget, writes a line that starts with `bactrian:
 * ` and lists the largest sites; verbose: writes a line for the others too. Returns the number of
 * exceeded budgets, or -1 and *error. Fails: also as report_alloc. */
int report_check_budgets(const char *path, const struct report_budgets *budgets, bool verbose,
                         FILE *out, struct report_error *error);

#endif
