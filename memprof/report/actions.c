/* actions.c - export: finds the format. */
#include "memprof/report/command.h"

#include <string.h>

struct format {
    const char *name;
    report_export *function;
    const char *meaning;
};

static const struct format formats[] = {
#define FORMAT(name, function, meaning) {name, function, meaning},
#include "memprof/report/export_formats.def"
    {NULL, NULL, NULL},
};

const char *report_format_names(void) {
#define FORMAT(name, function, meaning) " " name
    static const char names[] = ""
#include "memprof/report/export_formats.def"
        ;
    return names + 1;
}

int report_write_export(const struct report_command *command, FILE *out,
                        struct report_error *error) {
    char advice[200];
    snprintf(advice, sizeof advice, "give one of: %s", report_format_names());
    if (command->format == NULL)
        return report_fail(error, "--to", advice, "the format to write is missing");
    for (const struct format *f = formats; f->name != NULL; f++)
        if (strcmp(f->name, command->format) == 0)
            return f->function(&command->request, out, error);
    return report_fail(error, "--to", advice, "the format `%s` is unknown", command->format);
}
