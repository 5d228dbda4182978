/* prof_shell.c - `prof shell FILE`: a prompt for the verbs that read profiles.
 *
 * The profile is read once. A line is a verb with its options, the file left out; words may be
 * quoted as in a shell. On a terminal libedit edits the line, completes words and keeps a history;
 * otherwise lines are read as they come, without a prompt, so that scripts can use it too. */
#include "memprof/report/command.h"
#include "memprof/report/complete.h"
#include "memprof/report/load.h"
#include "vm/cli/cli.h"
#include "vm/cli/prof.h"

#include <editline/readline.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_WORDS = 200, HISTORY = 1000 };

/* libedit's functions have no context of their own (vm/README.md names this word). */
static struct completion {
    const struct report_model *model;
    char **words;
    size_t count, given;
} completion;

/* ---- Completion. ---- */

static void add_candidate(void *context, const char *word) {
    struct completion *c = context;
    char **words = realloc(c->words, (c->count + 1) * sizeof *words);
    if (words == NULL) return;
    c->words = words;
    if ((words[c->count] = strdup(word)) != NULL) c->count++;
}

/* libedit asks again and again, and frees what it gets. */
static char *next_candidate(const char *start, int again) {
    return completion.given < completion.count ? completion.words[completion.given++] : NULL;
}

/* The word in front of position `at` of a line; allocated, NULL: there is none. */
static char *word_before(const char *line, int at) {
    while (at > 0 && line[at - 1] == ' ') at--;
    int end = at;
    while (at > 0 && line[at - 1] != ' ') at--;
    return end == at ? NULL : strndup(line + at, (size_t)(end - at));
}

static char **complete(const char *start, int from, int to) {
    char *before = word_before(rl_line_buffer, from);
    completion.given = completion.count = 0;
    report_complete(completion.model, before, start, add_candidate, &completion);
    free(before);
    rl_attempted_completion_over = 1; /* no names of files instead */
    return completion.count == 0 ? NULL : rl_completion_matches(start, next_candidate);
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

/* The file of the history; allocated, NULL: none. */
static char *history_file(void) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *folder, *file;
    if (cli_is_privileged() || (state == NULL && home == NULL)) return NULL;
    if (asprintf(&folder, "%s%s/bactrian", state != NULL ? state : home,
                 state != NULL ? "" : "/.local/state") < 0)
        return NULL;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) file = NULL;
    else if (asprintf(&file, "%s/prof_history", folder) < 0) file = NULL;
    free(folder);
    return file;
}

static void run_terminal(const char *path, const struct report_model *model) {
    char *history = history_file(), *line;
    using_history();
    stifle_history(HISTORY);
    if (history != NULL) read_history(history);
    completion.model = model;
    rl_readline_name = "bactrian";
    rl_attempted_completion_function = complete;
    printf("%s: a line is a verb with its options (help lists them; quit leaves)\n", path);
    while ((line = readline("prof> ")) != NULL) {
        if (line[0] != 0) add_history(line);
        int status = perform(line, path, model);
        free(line);
        fflush(stdout);
        if (status < 0) break;
    }
    if (line == NULL) putchar('\n');
    if (history != NULL) write_history(history);
    free(history);
    free(completion.words);
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
    if (isatty(STDIN_FILENO)) run_terminal(words[0], model);
    else status = run_lines(words[0], model);
    report_model_free(model);
    return status;
}
