/* usage.c - the commands and their options, from all tables. */
#include "vm/cli/usage.h"

#include "memprof/report/command/options.h"
#include "vm/cli/options.h"

#include <string.h>

/* What an export takes with any format. */
enum {
    TAKES_EXPORT = 0
#define FORMAT(name, function, stacks, start, takes, meaning) | takes
#include "memprof/report/export/formats.def"
};

const struct cli_command cli_commands[] = {
#define VERB(id, name, arguments, meaning) {name, arguments, meaning, false, 1u << VERB_##id},
#include "vm/cli/options.def"
#define VIEW(name, view, files, takes, arguments, meaning) \
    {"prof " name, arguments, meaning, true, takes},
#define WRITER(name, writer, start, files, takes, arguments, meaning) \
    {"prof " name, arguments, meaning, true,                          \
     takes | (((takes)&TAKES_FORMAT) != 0 ? TAKES_EXPORT : 0)},
#include "memprof/report/command/verbs.def"
    {"prof shell", "FILE", "run these verbs at a prompt, or read them from a pipe", true, 0},
    {NULL, NULL, NULL, false, 0}};

static const struct cli_row own_rows[] = {
#define HEADING(text)                                  {NULL, NULL, text, 0},
#define OPTION(id, spelling, argument, verbs, meaning) {spelling, argument, meaning, verbs},
#include "vm/cli/options.def"
    {NULL, NULL, NULL, 0}};

static const struct cli_row report_rows[] = {
#define HEADING(text) {NULL, NULL, text, 0},
#define OPTION(id, kind, sets, spelling, argument, meaning) \
    {spelling, argument, meaning, TAKES_##kind},
#include "memprof/report/command/options.def"
    {NULL, NULL, NULL, 0}};

static const struct cli_row format_rows[] = {{NULL, NULL, "Formats", 0},
#define FORMAT(name, function, stacks, start, takes, meaning) {name, NULL, meaning, TAKES_FORMAT},
#include "memprof/report/export/formats.def"
                                             {NULL, NULL, NULL, 0}};

static const struct cli_row mlprof_rows[] = {{NULL, NULL, "Options", 0},
#define MLPROF_OPTION(kind, field, name, argument, meaning) \
    {"-" name, argument, meaning, 1u << VERB_MLPROF},
#include "memprof/report/mlprof/mlprof.def"
                                             {NULL, NULL, NULL, 0}};

/* memprof/report/query/function_set.h */
static const struct cli_row set_rows[] = {
    {NULL, NULL, "SET, a set of functions, is one of", 0},
    {"all", NULL, "every function", 0},
    {"\"RE\"", NULL, "those whose name matches a regular expression", 0},
    {"(and S ...) (or S ...) (not S)", NULL, "intersection, union, complement", 0},
    {"(from S) (to S)", NULL, "those that S reaches by calls, or that reach S", 0},
    {"(succ S) (pred S)", NULL, "those that S calls directly, or that call S directly", 0},
    {"(thresh X)", NULL,
     "those with at least X percent of the total; (thresh-stack X): with their callees; "
     "(thresh-gc X): of the collector's share there",
     0},
    {NULL, NULL, NULL, 0}};

static const struct cli_row condition_rows[] = {{NULL, NULL, "Environment", 0},
#define ENVIRONMENT(name, meaning) {name, NULL, meaning, 0},
#include "vm/cli/options.def"
                                                {NULL, NULL, "Exit status", 0},
#define EXIT_STATUS(status, meaning) {status, NULL, meaning, 0},
#include "vm/cli/options.def"
                                                {NULL, NULL, NULL, 0}};

/* Uses the rows that `takes` selects: those of which it has a bit or, if all is set, all bits. */
static void use_rows(const struct cli_row *rows, unsigned takes, bool all, cli_row_user *use,
                     void *context) {
    const struct cli_row *heading = NULL;
    for (const struct cli_row *row = rows; row->meaning != NULL; row++) {
        if (row->name == NULL) {
            heading = row;
            continue;
        }
        if (all ? (row->takes & ~takes) != 0 : (row->takes & takes) == 0) continue;
        if (heading != NULL) use(context, heading);
        heading = NULL;
        use(context, row);
    }
}

void cli_each_row(const struct cli_command *command, cli_row_user *use, void *context) {
    bool is_mlprof = !command->is_report && command->takes == 1u << VERB_MLPROF;
    bool has_set = is_mlprof || (command->is_report && (command->takes & TAKES_BLOCKS) != 0);
    if (command->is_report && command->takes != 0)
        use_rows(report_rows, command->takes, true, use, context);
    use_rows(mlprof_rows, command->is_report ? 0 : command->takes, false, use, context);
    use_rows(own_rows, command->is_report ? ONLY_HELP : command->takes, false, use, context);
    if (command->is_report && (command->takes & TAKES_FORMAT) != 0)
        use_rows(format_rows, command->takes, true, use, context);
    if (has_set) use_rows(set_rows, 0, true, use, context);
}

void cli_each_condition(cli_row_user *use, void *context) {
    use_rows(condition_rows, 0, true, use, context);
}

/* How many words a name is, if they are the first ones; else 0. */
static int words_of(const char *name, char *const *words) {
    size_t n = strcspn(name, " ");
    if (words[0] == NULL || strncmp(words[0], name, n) != 0 || words[0][n] != 0) return 0;
    if (name[n] == 0) return 1;
    return words[1] != NULL && strcmp(words[1], name + n + 1) == 0 ? 2 : 0;
}

const struct cli_command *cli_find_command(char *const *words, int *used) {
    const struct cli_command *found = NULL;
    *used = 0;
    for (const struct cli_command *c = cli_commands; c->name != NULL; c++) {
        int n = words_of(c->name, words);
        if (n <= *used) continue;
        *used = n;
        found = c;
    }
    return found;
}

bool cli_is_of_prof(const struct cli_command *command) {
    return strncmp(command->name, "prof ", 5) == 0;
}
