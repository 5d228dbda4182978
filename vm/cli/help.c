/* help.c - `help`, --help, and the words that were probably meant. */
#include "memprof/report/command/nearest.h"
#include "vm/cli/cli.h"
#include "vm/cli/usage.h"

#include <string.h>

enum { WIDEST = 98, NARROWEST = 40, NAME_COLUMNS = 24 };

static int width(void) {
    unsigned columns = cli_terminal_columns();
    return columns == 0 || columns > WIDEST ? WIDEST : columns < NARROWEST ? NARROWEST : columns;
}

/* Prints words from a column on, with all further lines starting at indent. */
static void print_wrapped(const char *text, int column, int indent) {
    for (const char *blank = ""; *text != 0; blank = " ") {
        int length = (int)strcspn(text, " ");
        if (column + 1 + length > width()) {
            printf("\n%*s", indent, "");
            blank = "";
            column = indent;
        }
        column += printf("%s%.*s", blank, length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

/* context: NULL, or a bool that an argument SIZE sets. */
static void print_row(void *context, const struct cli_row *row) {
    if (row->name == NULL) {
        printf("\n%s:\n", row->meaning);
        return;
    }
    if (row->argument != NULL && strcmp(row->argument, "SIZE") == 0) *(bool *)context = true;
    int used = printf("  %s%s%s", row->name, row->argument == NULL ? "" : " ",
                      row->argument == NULL ? "" : row->argument);
    if (used >= NAME_COLUMNS) printf("\n%*s", NAME_COLUMNS, "");
    else printf("%*s", NAME_COLUMNS - used, "");
    print_wrapped(row->meaning, NAME_COLUMNS, NAME_COLUMNS);
}

static void print_commands(bool of_prof) {
    for (const struct cli_command *c = cli_commands; c->name != NULL; c++)
        if (cli_is_of_prof(c) == of_prof)
            print_row(NULL, &(struct cli_row){.name = c->name, .meaning = c->meaning});
}

static void print_overview(void) {
    printf("Usage: bactrian [OPTIONS] PROGRAM [ARGUMENTS]\n       bactrian VERB ...\n");
    print_wrapped("PROGRAM is OCaml bytecode, an OCaml script (FILE.ml; - is standard input; "
                  "-e TEXT), or bytecode as text (FILE.basm).",
                  0, 0);
    printf("\nVerbs:\n");
    print_commands(false);
    printf("\nVerbs of prof:\n");
    print_commands(true);
    putchar('\n');
    print_wrapped("`bactrian help VERB`, `bactrian VERB --help` and `man bactrian-VERB` describe a "
                  "verb with its options; `bactrian help run` has those of a run, the environment "
                  "and the exit statuses.",
                  0, 0);
}

void cli_print_help(const struct cli_command *command) {
    if (command == NULL) {
        print_overview();
        return;
    }
    printf("Usage: bactrian %s %s\n\n", command->name, command->arguments);
    print_wrapped(command->meaning, 0, 0);
    if (strcmp(command->name, "prof") == 0) {
        printf("\nVerbs:\n");
        print_commands(true);
        return;
    }
    bool has_size = false;
    cli_each_row(command, print_row, &has_size);
    if (has_size) {
        putchar('\n');
        print_wrapped("SIZE is in bytes. k, M and G after a number stand for 1,000, 1,000,000 and "
                      "1,000,000,000, as in what Bactrian prints.",
                      0, 0);
    }
    if (strcmp(command->name, "run") == 0) cli_each_condition(print_row, NULL);
}

bool cli_asks_for_help(char **words) {
    for (; *words != NULL && strcmp(*words, "--") != 0; words++)
        if (strcmp(*words, "-h") == 0 || strcmp(*words, "-help") == 0 ||
            strcmp(*words, "--help") == 0)
            return true;
    return false;
}

const char *cli_nearest_verb(const char *word) {
    const char *found = NULL;
    struct report_nearest nearest = {.text = word};
    for (const struct cli_command *c = cli_commands; c->name != NULL; c++)
        if (report_try_nearest(&nearest, c->name + (cli_is_of_prof(c) ? strlen("prof ") : 0)))
            found = c->name;
    return found;
}

int cli_refuse_verb(const char *before, const char *word) {
    const char *nearest = cli_nearest_verb(word);
    if (nearest == NULL)
        return cli_fail(STATUS_REFUSED, NULL, "no such verb: %s%s: `bactrian help` lists them",
                        before, word);
    return cli_fail(STATUS_REFUSED, NULL, "no such verb: %s%s: did you mean `bactrian %s`?", before,
                    word, nearest);
}

int cli_help(char **words) {
    int used;
    const struct cli_command *command = cli_find_command(words, &used);
    bool in_prof = command != NULL && strcmp(command->name, "prof") == 0 && words[1] != NULL;
    if (words[0] != NULL && (command == NULL || in_prof))
        return cli_refuse_verb(in_prof ? "prof " : "", words[in_prof]);
    cli_print_help(command);
    return 0;
}
