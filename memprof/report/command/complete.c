/* complete.c - completes a line with a verb, from the tables of the command line and the names in
 * the profile. */
#include "memprof/report/command/command.h"
#include "memprof/report/command/options.h"

#include <stdlib.h>
#include <string.h>

static const char *const verbs[] = {
#define VIEW(name, function, files, takes, arguments, meaning)          name,
#define WRITER(name, function, start, files, takes, arguments, meaning) name,
#include "memprof/report/command/verbs.def"
    "help", "quit", NULL};
static const char *const options[] = {
#define OPTION(id, kind, sets, spelling, argument, meaning) spelling,
#include "memprof/report/command/options.def"
    NULL};
static const char *const formats[] = {
#define FORMAT(name, function, folds, start, takes, meaning) name,
#include "memprof/report/export/formats.def"
    NULL};
static const char *const moments[] = {"peak", "end", NULL};
static const char *const columns[] = {"share", "bytes", "blocks", "promoted", "live", "name", NULL};

static const struct {
    const char *option;
    const char *const *words;
} arguments[] = {{"--show", report_show_words},
                 {"--by", report_by_words},
                 {"--unit", report_unit_words},
                 {"--live", report_live_words},
                 {"--at", moments},
                 {"--to", formats},
                 {"--sort", columns}};

static void give_words(const char *const *words, const char *start, report_candidate *give,
                       void *context) {
    for (; *words != NULL; words++)
        if (strncmp(*words, start, strlen(start)) == 0) give(context, *words);
}

/* Gives the names of functions and files of locations, each once. */
static void give_names(const struct report_model *m, const char *start, report_candidate *give,
                       void *context) {
    bool *seen = report_alloc(m->names.count * sizeof *seen);
    for (size_t i = 0; i < m->locations.count; i++) {
        const uint32_t names[] = {m->locations.at[i].function, m->locations.at[i].file};
        for (int k = 0; k < 2; k++) {
            const char *name = m->names.at[names[k]];
            if (seen[names[k]] || name[0] == 0 || strncmp(name, start, strlen(start)) != 0)
                continue;
            seen[names[k]] = true;
            give(context, name);
        }
    }
    free(seen);
}

const char *const *report_words_of(const char *option) {
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if (strcmp(arguments[i].option, option) == 0) return arguments[i].words;
    return NULL;
}

void report_complete(const struct report_model *model, const char *before, const char *start,
                     report_candidate *give, void *context) {
    if (before == NULL) {
        give_words(verbs, start, give, context);
        return;
    }
    const char *const *words = report_words_of(before);
    if (words != NULL) {
        give_words(words, start, give, context);
        return;
    }
    if (start[0] == '-') give_words(options, start, give, context);
    else if (strcmp(before, "--phase") != 0) give_names(model, start, give, context);
    for (size_t i = 0; strcmp(before, "--phase") == 0 && i < model->phases.count; i++) {
        const char *name = model->names.at[model->phases.at[i].name];
        if (strncmp(name, start, strlen(start)) == 0) give(context, name);
    }
}
