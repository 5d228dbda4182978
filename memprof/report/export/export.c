/* export.c - export: finds the format. */
#include "memprof/report/command/command.h"
#include "memprof/report/command/options.h"
#include "memprof/report/command/takes.h"

#include <string.h>

struct format {
    const char *name;
    report_export *function;
    unsigned takes;
    const char *meaning;
    bool spells_stacks;
};

enum { MOST_NODES = 100000 };

static const struct format formats[] = {
#define FORMAT(name, function, stacks, takes, meaning) {name, function, takes, meaning, stacks},
#include "memprof/report/export/formats.def"
    {NULL, NULL, 0, NULL, false},
};

unsigned report_format_takes(void) {
    unsigned takes = 0;
    for (const struct format *f = formats; f->name != NULL; f++) takes |= f->takes;
    return takes;
}

const char *report_format_names(void) {
#define FORMAT(name, function, stacks, takes, meaning) " " name
    static const char names[] = ""
#include "memprof/report/export/formats.def"
        ;
    return names + 1;
}

/* Selectors look at whole stacks: what they choose from is not folded. */
static bool may_fold(const struct report_selection *s) {
    return s->focus == NULL && s->ignore == NULL && s->keep == NULL;
}

int report_write_export(const struct report_command *command, FILE *out,
                        struct report_error *error) {
    char advice[200];
    snprintf(advice, sizeof advice, "give one of: %s", report_format_names());
    if (command->format == NULL)
        return report_fail(error, "--to", advice, "the format to write is missing");
    for (const struct format *f = formats; f->name != NULL; f++) {
        if (strcmp(f->name, command->format) != 0) continue;
        char user[40];
        snprintf(user, sizeof user, "export --to %s", f->name);
        if (report_refuse_options(command, command->takes | f->takes, user, error) != 0) return -1;
        if (f->spells_stacks && may_fold(&command->request.selection))
            report_model_fold(command->models[0], MOST_NODES);
        return f->function(&command->request, out, error);
    }
    return report_fail(error, "--to", advice, "the format `%s` is unknown", command->format);
}
