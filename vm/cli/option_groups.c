/* option_groups.c - the options by the verbs that accept them, for --help and the man page. */
#include "vm/cli/options.h"

#include <stdio.h>

const char *const cli_verb_names[VERB_COUNT] = {
#define VERB(id, name, arguments, meaning) name,
#include "vm/cli/options.def"
};

void cli_name_verbs(unsigned verbs, char *out, size_t size) {
    size_t length = 0;
    out[0] = 0;
    for (unsigned verb = 0; verb < VERB_COUNT && length < size; verb++) {
        if (!(verbs & 1u << verb)) continue;
        verbs -= 1u << verb;
        const char *before = length == 0 ? "" : verbs == 0 ? " and " : ", ";
        length += (size_t)snprintf(out + length, size - length, "%s%s", before,
                                   cli_verb_names[verb]);
    }
}

void cli_list_options(cli_group_printer *group, cli_option_printer *option) {
    static const struct {
        const char *spelling, *argument;
        unsigned verbs;
        const char *meaning;
    } rows[OPTION_COUNT] = {
#define OPTION(id, spelling, argument, verbs, meaning) {spelling, argument, verbs, meaning},
#include "vm/cli/options.def"
    };
    unsigned verbs = 0;
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        char names[VERB_NAMES_BYTES];
        cli_name_verbs(rows[i].verbs, names, sizeof names);
        if (rows[i].verbs != verbs) group(names);
        verbs = rows[i].verbs;
        option(rows[i].spelling, rows[i].argument, rows[i].meaning);
    }
}
