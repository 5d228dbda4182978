/* prof_shell.c - `prof shell FILE`: a prompt for the verbs that read profiles.
 *
 * The profile is read once. A line is a verb with its options, the file left out; words may be
 * quoted as in a shell. On a terminal the line is edited, words complete and a history is kept
 * (line.h); otherwise lines are read as they come, without a prompt, so that scripts can use it
 * too. */
#include "memprof/report/command/command.h"
#include "memprof/report/command/complete.h"
#include "memprof/report/load/load.h"
#include "vm/cli/cli.h"
#include "vm/cli/line.h"
#include "vm/cli/prof.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 200 };

/* ---- Completion. ---- */

static void add_candidate(void *context, const char *word) { cli_candidates_add(context, word); }

/* The start of the word that ends at line + at. */
static size_t start_of_word(const char *line, size_t at) {
    while (at > 0 && line[at - 1] != ' ') at--;
    return at;
}

/* report_complete gives what may follow the word in front. */
static void complete(void *context, const char *typed, struct cli_candidates *candidates) {
    size_t start = start_of_word(typed, strlen(typed)), end = start;
    while (end > 0 && typed[end - 1] == ' ') end--;
    size_t before = start_of_word(typed, end);
    char *word = end == 0 ? NULL : strndup(typed + before, end - before);
    candidates->typed = strlen(typed + start);
    candidates->end = " ";
    report_complete(context, word, typed + start, add_candidate, candidates);
    free(word);
}

/* ---- Lines. ---- */

/* Splits a line in place; quotes and backslashes as in a shell. Returns the number of words, or -1:
 * too many, or a quote without its end. */
static int split(char *line, char *words[MAX_WORDS + 1]) {
    int count = 0;
    for (char *from = line, *to;;) {
        while (*from == ' ' || *from == '\t') from++;
        if (*from == 0 || *from == '#') break;
        if (count == MAX_WORDS) return -1;
        words[count++] = to = from;
        for (char quote = 0; *from != 0 && (quote != 0 || (*from != ' ' && *from != '\t'));
             from++) {
            if (quote == 0 && (*from == '\'' || *from == '"')) quote = *from;
            else if (*from == quote) quote = 0;
            else if (*from == '\\' && quote == 0 && from[1] != 0) *to++ = *++from;
            else *to++ = *from;
            if (from[1] == 0 && quote != 0) return -1;
        }
        bool last = *from == 0;
        *to = 0;
        if (last) break;
        from++;
    }
    words[count] = NULL;
    return count;
}

/* Performs a line. Returns its status, or -1: leave. */
static int perform(char *line, const char *path, const struct report_model *model) {
    char *words[MAX_WORDS + 1];
    struct report_error error = {"", "", ""};
    unsigned columns = cli_terminal_columns();
    line[strcspn(line, "\n")] = 0;
    int count = split(line, words);
    if (count < 0) return cli_fail(STATUS_REFUSED, NULL, "a quote is not closed: close it");
    if (count == 0) return 0;
    if (strcmp(words[0], "quit") == 0 || strcmp(words[0], "exit") == 0) return -1;
    if (strcmp(words[0], "help") == 0) {
        report_print_help(stdout);
        return 0;
    }
    int status = report_run_on(model, path, words, stdout, cli_wants_color(), columns, &error);
    if (status >= 0) return status;
    return cli_fail(STATUS_REFUSED, error.subject[0] != 0 ? error.subject : NULL, "%s: %s",
                    error.what, error.advice);
}

static int run_terminal(const char *path, const struct report_model *model) {
    struct cli_line *prompt = cli_line_open("prof_history", complete, (void *)model);
    enum cli_line_result result;
    char *line;
    if (prompt == NULL) return cli_fail(STATUS_REFUSED, NULL, "the terminal can't be used");
    printf("%s: a line is a verb with its options (help lists them; quit leaves)\n", path);
    while ((result = cli_line_read(prompt, "prof> ", &line)) != LINE_END) {
        if (result != LINE_READ) continue;
        int status = perform(line, path, model);
        free(line);
        fflush(stdout);
        if (status < 0) break;
    }
    if (result == LINE_END) putchar('\n');
    cli_line_close(prompt);
    return 0;
}

/* Returns the status of the first line that failed. */
static int run_lines(const char *path, const struct report_model *model) {
    char *line = NULL;
    size_t capacity = 0;
    int first = 0;
    while (getline(&line, &capacity, stdin) >= 0) {
        int status = perform(line, path, model);
        fflush(stdout);
        if (status < 0) break;
        if (first == 0) first = status;
    }
    free(line);
    return first;
}

int cli_prof_shell(char **words) {
    struct report_error error = {"", "", ""};
    int status = 0;
    if (words[0] == NULL || words[1] != NULL)
        return cli_fail(STATUS_REFUSED, "shell",
                        "one profile is needed: say `bactrian prof shell FILE`");
    struct report_model *model = report_load(words[0], &error);
    if (model == NULL)
        return cli_fail(STATUS_REFUSED, error.subject, "%s: %s", error.what, error.advice);
    if (cli_line_is_possible()) status = run_terminal(words[0], model);
    else status = run_lines(words[0], model);
    report_model_free(model);
    return status;
}
