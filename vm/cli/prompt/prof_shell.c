/* prof_shell.c - `prof shell FILE`: a prompt for the verbs that read profiles.
 *
 * The profile is loaded once. A line is a verb with its options, without the file; words may be
 * quoted as in a shell. A terminal offers editing, completion and history (editor.h); from a pipe,
 * lines are read without a prompt. */
#include "gc/assert.h"
#include "memprof/report/command/command.h"
#include "memprof/report/load/load.h"
#include "vm/cli/cli.h"
#include "vm/cli/editor/editor.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 200 };

/* ---- Completion. ---- */

static void add_candidate(void *context, const char *word) {
    editor_add_candidate(context, word, "");
}

/* The start of the word that ends at line + at. */
static size_t start_of_word(const char *line, size_t at) {
    while (at > 0 && line[at - 1] != ' ') at--;
    return at;
}

/* report_complete finds what may follow the preceding word. */
static void prof_complete(void *context, const char *typed, struct editor_candidates *candidates) {
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

/* Splits a line in place; quotes and backslashes as in a shell. Returns the number of words, or -1
 * for too many words or an unclosed quote. */
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
    ASSERT(count <= MAX_WORDS);
    words[count] = NULL;
    return count;
}

/* Performs a line. Returns its status, or -1 to leave. */
static int perform(char *line, const char *path, const struct report_model *model) {
    char *words[MAX_WORDS + 1];
    line[strcspn(line, "\n")] = 0;
    int count = split(line, words);
    if (count < 0)
        return cli_fail(STATUS_REFUSED, NULL,
                        "a quote is not closed, or the line has too many words");
    if (count == 0) return 0;
    if (strcmp(words[0], "quit") == 0 || strcmp(words[0], "exit") == 0) return -1;
    if (strcmp(words[0], "help") == 0) {
        char *topic[] = {(char *)"prof", words[1], NULL};
        return cli_help(topic);
    }
    return cli_report(model, path, words);
}

static int run_terminal(const char *path, const struct report_model *model) {
    struct editor_language verbs = {.context = (void *)model, .complete = prof_complete};
    struct editor *prompt = editor_open("prof.history", &verbs);
    enum editor_result result;
    char *line;
    if (prompt == NULL) return cli_fail(STATUS_REFUSED, NULL, "out of memory");
    printf("%s: type a verb with its options (help lists them; quit leaves)\n", path);
    while ((result = editor_read(prompt, "prof> ", &line)) != EDITOR_END) {
        if (result != EDITOR_READ) continue;
        int status = perform(line, path, model);
        free(line);
        fflush(stdout);
        if (status < 0) break;
    }
    if (result == EDITOR_END) putchar('\n');
    editor_close(prompt);
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
    const char *path = words[1];
    if (path == NULL || words[2] != NULL)
        return cli_fail(STATUS_REFUSED, NULL,
                        "prof shell: expected one profile: "
                        "`bactrian prof shell FILE`");
    struct report_model *model = report_load(path, &error);
    if (model == NULL) return cli_report_failed(&error);
    int status = editor_is_possible() ? run_terminal(path, model) : run_lines(path, model);
    report_model_free(model);
    return status;
}
