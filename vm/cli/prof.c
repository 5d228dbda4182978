/* prof.c - `bactrian prof VERB ...`: finds the verb and hands over (prof_verbs.def). */
#include "vm/cli/prof.h"

#include "vm/cli/cli.h"

#include <string.h>

struct row {
    const char *name;
    cli_prof_verb *function;
    const char *arguments, *meaning;
};

static const struct row rows[] = {
#define PROF_VERB(name, function, arguments, meaning) {name, function, arguments, meaning},
#include "vm/cli/prof_verbs.def"
    {NULL, NULL, NULL, NULL},
};

static void print_verbs(FILE *out) {
    fprintf(out, "Usage: bactrian prof VERB ...\n\nVerbs:\n");
    fprintf(out,
            "  record [OPTIONS] PROGRAM [ARGUMENTS]\n      run PROGRAM and record where its memory "
            "goes (bactrian --help lists the options)\n"
            "  test [--max-live SIZE] [--max-alloc SIZE] [--no-leaks] PROGRAM [ARGUMENTS]\n      "
            "run PROGRAM and check that its memory stays within budgets (status 3 if not)\n");
    for (const struct row *row = rows; row->name != NULL; row++)
        fprintf(out, "  %s %s\n      %s\n", row->name, row->arguments, row->meaning);
}

int cli_prof(char **words) {
    if (words[0] == NULL) {
        print_verbs(stderr);
        return STATUS_REFUSED;
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "help") == 0) {
        print_verbs(stdout);
        return 0;
    }
    for (const struct row *row = rows; row->name != NULL; row++)
        if (strcmp(words[0], row->name) == 0) return row->function(words + 1);
    return cli_fail(STATUS_REFUSED, NULL, "unknown verb prof %s: `bactrian prof --help` lists them",
                    words[0]);
}
