/* complete.c - `complete WORDS...`: what the last word of a command line may become. Completion in
 * bash, zsh and fish runs it. The lines that it prints are `WORD <tab> MEANING`, or `:files` or
 * `:folders` where names of those may stand. */
#include "memprof/report/command/command.h"
#include "vm/cli/cli.h"
#include "vm/cli/usage.h"

#include <string.h>

struct completion {
    const char *current; /* the word to complete */
    const char *option;  /* find_option: what to look for */
    size_t option_length;
    const struct cli_row *found;
};

static void offer(const struct completion *c, const char *before, const char *word, size_t length,
                  const char *meaning) {
    size_t n = strlen(before), typed = strlen(c->current);
    bool starts = typed <= n ? strncmp(before, c->current, typed) == 0
                             : strncmp(before, c->current, n) == 0 && typed - n <= length &&
                                   strncmp(word, c->current + n, typed - n) == 0;
    if (starts) printf("%s%.*s\t%s\n", before, (int)length, word, meaning);
}

static void offer_commands(const struct completion *c, bool of_prof) {
    for (const struct cli_command *command = cli_commands; command->name != NULL; command++) {
        if (cli_is_of_prof(command) != of_prof) continue;
        const char *name = command->name + (of_prof ? strlen("prof ") : 0);
        offer(c, "", name, strlen(name), command->meaning);
    }
}

static void offer_option(void *context, const struct cli_row *row) {
    if (row->name != NULL && row->name[0] == '-')
        offer(context, "", row->name, strlen(row->name), row->meaning);
}

static void compare_option(void *context, const struct cli_row *row) {
    struct completion *c = context;
    if (row->name != NULL && strlen(row->name) == c->option_length &&
        strncmp(row->name, c->option, c->option_length) == 0)
        c->found = row;
}

/* The command's option that a word starts with; NULL: there is none. */
static const struct cli_row *find_option(struct completion *c, const struct cli_command *command,
                                         const char *word) {
    c->option = word;
    c->option_length = strcspn(word, "=");
    c->found = NULL;
    cli_each_row(command, compare_option, c);
    return c->found;
}

static const char *const capabilities =
#define CAP(id, text, meaning) "|" text
    VM_CAPABILITIES(CAP)
#undef CAP
    ;

/* before: what precedes the argument in the current word. */
static void offer_arguments(const struct completion *c, const struct cli_command *command,
                            const struct cli_row *option, const char *before) {
    const char *words = option->argument;
    const char *const *list = command->is_report ? report_words_of(option->name) : NULL;
    char head[256];
    for (; list != NULL && *list != NULL; list++) offer(c, before, *list, strlen(*list), "");
    if (strncmp(words, "CAP", 3) == 0) {
        const char *comma = strrchr(c->current, ',');
        if (comma != NULL) {
            snprintf(head, sizeof head, "%.*s", (int)(comma + 1 - c->current), c->current);
            before = head;
        }
        words = capabilities;
    }
    if (strcmp(words, "FILE") == 0) puts(":files");
    else if (strcmp(words, "DIR") == 0 || strcmp(words, "FOLDER") == 0) puts(":folders");
    else if (strchr(words, '|') != NULL)
        for (size_t n; *words != 0; words += n + (words[n] == '|')) {
            n = strcspn(words, "|");
            if (n > 0) offer(c, before, words, n, "");
        }
}

/* What may follow a command's words. */
static void complete_words(struct completion *c, const struct cli_command *command, char **words) {
    const struct cli_row *option = NULL;
    bool only_files = false;
    for (; words[1] != NULL; words++) {
        bool is_argument = option != NULL;
        option = NULL;
        if (is_argument || only_files) continue;
        if (words[0][0] != '-' || words[0][1] == 0 || strcmp(words[0], "--") == 0)
            /* what follows belongs to the program */
            only_files = strstr(command->arguments, "[ARGUMENTS]") != NULL || words[0][0] == '-';
        else if ((option = find_option(c, command, words[0])) != NULL &&
                 (option->argument == NULL || strchr(words[0], '=') != NULL))
            option = NULL;
    }
    const char *equals = strchr(c->current, '=');
    if (only_files) {
        puts(":files");
    } else if (option != NULL) {
        offer_arguments(c, command, option, "");
    } else if (c->current[0] == '-' && equals != NULL) {
        char before[64];
        option = find_option(c, command, c->current);
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - c->current), c->current);
        if (option != NULL && option->argument != NULL) offer_arguments(c, command, option, before);
    } else if (c->current[0] == '-' && c->current[1] != 0) {
        cli_each_row(command, offer_option, c);
    } else if (strcmp(command->arguments, "") != 0 &&
               strstr(command->arguments, "--ocaml") == NULL) {
        puts(":files");
    }
}

int cli_complete(char **words) {
    size_t count = 0;
    int used;
    while (words[count] != NULL) count++;
    if (count == 0) return 0;
    struct completion c = {.current = words[count - 1]};
    char *last = words[count - 1];
    words[count - 1] = NULL; /* it may be incomplete */
    bool help = words[0] != NULL && strcmp(words[0], "help") == 0;
    const struct cli_command *command = cli_find_command(words + help, &used);
    words[count - 1] = last;
    bool is_prof = command != NULL && strcmp(command->name, "prof") == 0;
    if (count == 1 || (help && count == 2)) offer_commands(&c, false);
    if (is_prof && count == 2u + help) offer_commands(&c, true);
    if (help || (is_prof && last[0] != '-')) return 0;
    if (command == NULL) {
        used = 0;
        command = &cli_commands[0]; /* run */
    }
    complete_words(&c, command, words + used);
    return 0;
}
