/* command.h - the verbs as a command line has them; the prompt and the process share this. */
#ifndef BACTRIAN_MEMPROF_REPORT_COMMAND_COMMAND_H
#define BACTRIAN_MEMPROF_REPORT_COMMAND_COMMAND_H

#include "memprof/report/export/export.h"
#include "memprof/report/view/views.h"

struct report_command {
    struct report_request request;
    const char *verb;
    char **words; /* of the command line: where files stand, then NULL */
    char **files;
    size_t file_count;
    struct report_model *models[2];   /* that were loaded for this command */
    const struct report_model *given; /* that was before; NULL: none */
    const char *given_path;
    char **own_files;        /* files, if they are not the command line's own */
    unsigned long long used; /* bits of options that were given */
    unsigned takes;          /* kinds of options that the verb does (takes.h) */
    const char *format, *output;
    bool json, csv, color, no_color, running, help;
};

/* Performs the verb words[0] with the options and files behind it. out: standard output; terminal:
 * whether it is one, and its width. Returns 0, or 1 if `check` found violations, or -1 and *error.
 * Fails: also as report_alloc. */
int report_run(char **words, FILE *out, bool terminal, unsigned columns,
               struct report_error *error);
/* The same on a profile that is loaded: where a file is missing in words, it is the first. */
int report_run_on(const struct report_model *model, const char *path, char **words, FILE *out,
                  bool terminal, unsigned columns, struct report_error *error);
/* Lists the verbs and the options. */
void report_print_help(FILE *out);

/* What the actions of verbs.def are. */
typedef int report_action(const struct report_command *command, FILE *out,
                          struct report_error *error);
report_action report_write_html, report_write_export, report_write_trim, report_write_merge,
    report_write_anonymous;
/* `check FILE`: whether a file obeys the rules of its format. Returns as report_run. */
int report_check(const char *path, bool json, const struct report_style *style, FILE *out,
                 struct report_error *error);
/* Kinds of options that some format of export takes. */
unsigned report_format_takes(void);
/* The formats of export, separated by blanks. */
const char *report_format_names(void);

#endif
