/* options.c - parses the options of the verbs. */
#include "memprof/report/command/options.h"

#include "gc/assert.h"
#include "memprof/report/command/nearest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum option {
#define OPTION(id, kind, sets, spelling, argument, meaning) OPTION_##id,
#include "memprof/report/command/options.def"
    OPTIONS
};

struct row {
    unsigned kind;
    const char *spelling, *argument, *meaning;
};

static const struct row rows[OPTIONS] = {
#define OPTION(id, kind, sets, spelling, argument, meaning) \
    {TAKES_##kind, spelling, argument, meaning},
#include "memprof/report/command/options.def"
};

/* The index of a word in words, or -1 and an error that lists them. */
static int find_word(const char *const *words, const char *option, const char *word,
                     struct report_error *error) {
    char list[160] = "";
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], word) == 0) return i;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "give one of ", words[i]);
    }
    return report_fail(error, option, list, "unknown value \"%s\"", word);
}

static int take_age(const char *option, const char *text, struct report_moment *out,
                    struct report_error *error) {
    if (report_parse_moment(text, out) && out->kind != REPORT_ALLOCATED) return 0;
    return report_fail(error, option, "give a time such as 1.5s, 200ms or 40%, or 3minor, 2major",
                       "expected an age, got \"%s\"", text);
}

static int take_moment(const char *option, const char *text, struct report_moment *out,
                       struct report_error *error) {
    if (report_parse_moment(text, out) && out->kind != REPORT_MINORS && out->kind != REPORT_MAJORS)
        return 0;
    return report_fail(error, option, "give peak, end, or a time such as 1.5s, 200ms, 3min or 40%",
                       "expected a moment, got \"%s\"", text);
}

static int take_number(const char *option, const char *text, double most, double *out,
                       struct report_error *error) {
    char *end;
    *out = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        *out /= 100;
        end++;
    }
    if (end != text && *end == 0 && *out >= 0 && *out <= most) return 0;
    return report_fail(error, option, "give a number of at least 0",
                       "expected a number, got \"%s\"", text);
}

/* Splits MIN..MAX, of which either may be empty. Returns MAX; NULL and *error: it is not a
 * range. */
static char *split_range(const char *option, char *text, struct report_error *error) {
    char *dots = strstr(text, "..");
    if (dots == NULL) {
        report_fail(error, option, "give MIN..MAX, MIN.. or ..MAX", "expected a range, got \"%s\"",
                    text);
        return NULL;
    }
    *dots = 0;
    return dots + 2;
}

static int take_moments(const char *option, char *low, struct report_moment *min,
                        struct report_moment *max, struct report_error *error) {
    const char *high = split_range(option, low, error);
    if (high == NULL || (low[0] != 0 && take_moment(option, low, min, error) != 0)) return -1;
    return high[0] == 0 ? 0 : take_moment(option, high, max, error);
}

static int take_numbers(const char *option, char *low, double *min, double *max,
                        struct report_error *error) {
    const char *high = split_range(option, low, error);
    if (high == NULL || (low[0] != 0 && take_number(option, low, 1e18, min, error) != 0)) return -1;
    if (high[0] == 0) return 0;
    if (take_number(option, high, 1e18, max, error) != 0) return -1;
    if (low[0] == 0 || *min <= *max) return 0;
    return report_fail(error, option, "give the smaller number first", "%s..%s is empty", low,
                       high);
}

/* --to is a moment, or the format of export. */
static int take_to(struct report_command *c, const char *text, struct report_moment *out,
                   struct report_error *error) {
    struct report_moment moment;
    if (strcmp(c->verb, "export") != 0 || report_parse_moment(text, &moment))
        return take_moment("--to", text, out, error);
    c->format = text;
    return 0;
}

static int take_rows(const char *text, size_t *out, struct report_error *error) {
    double n;
    if (take_number("--top", text, 1e15, &n, error) != 0) return -1;
    if (n < 1) return report_fail(error, "--top", "no row would be left", "must be at least 1");
    *out = n;
    return 0;
}

/* Sets what the option's row says. */
static int take(struct report_command *c, enum option option, char *argument,
                struct report_error *error) {
    const char *name = rows[option].spelling;
    struct report_selection *s = &c->request.selection;
    int result = 0;
    switch (option) {
#define FLAG(field)             (c->field = true, 0)
#define TEXT(field)             (c->field = argument, 0)
#define MOMENT(field)           take_moment(name, argument, &s->field, error)
#define MOMENT_OR_FORMAT(field) take_to(c, argument, &s->field, error)
#define MOMENTS(min, max)       take_moments(name, argument, &s->min, &s->max, error)
#define AGE(field)              take_age(name, argument, &s->field, error)
#define NUMBERS(min, max)       take_numbers(name, argument, &s->min, &s->max, error)
#define SHARE(field)            take_number(name, argument, 1, &s->field, error)
#define ROWS(field)             take_rows(argument, &s->field, error)
#define WORD(field) \
    (result = find_word(report_##field##_words, name, argument, error), s->field = result, result)
#define OPTION(id, kind, sets, spelling, argument, meaning) \
    case OPTION_##id:                                       \
        result = sets;                                      \
        break;
#include "memprof/report/command/options.def"
    case OPTIONS: break;
    }
    if (option == OPTION_SHOW) s->has_show = true;
    if (option == OPTION_LIVE) s->has_live = true;
    return result < 0 ? -1 : 0;
}

/* The option that a word spells, and its argument if `=` follows; -1: none. */
static int find_option(char *word, char **argument) {
    size_t n = strcspn(word, "=");
    *argument = NULL;
    for (int i = 0; i < OPTIONS; i++) {
        if (strlen(rows[i].spelling) != n || strncmp(rows[i].spelling, word, n) != 0) continue;
        if (word[n] == '=') *argument = word + n + 1;
        return i;
    }
    return -1;
}

static int refuse_unknown(const char *verb, const char *word, struct report_error *error) {
    char text[64], advice[100];
    struct report_nearest nearest = {.text = text};
    snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < OPTIONS; i++) report_try_nearest(&nearest, rows[i].spelling);
    if (nearest.word != NULL) snprintf(advice, sizeof advice, "did you mean %s?", nearest.word);
    else snprintf(advice, sizeof advice, "`bactrian help prof %s` lists the options", verb);
    return report_fail(error, text, advice, "no such option");
}

int report_parse(char **words, struct report_command *command, struct report_error *error) {
    bool only_files = false;
    command->files = words;
    for (char **next = words; *next != NULL;) {
        char *word = *next++, *argument;
        if (only_files || word[0] != '-' || word[1] == 0) {
            command->files[command->file_count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_files = true;
            continue;
        }
        int option = find_option(word, &argument);
        if (option < 0) return refuse_unknown(command->verb, word, error);
        if (rows[option].argument == NULL && argument != NULL)
            return report_fail(error, rows[option].spelling, "leave out the = and what follows",
                               "takes no argument");
        if (rows[option].argument != NULL && argument == NULL) {
            if (*next == NULL)
                return report_fail(error, word, rows[option].meaning, "expected %s after it",
                                   rows[option].argument);
            argument = *next++;
        }
        command->used |= 1ull << option;
        ASSERT((argument != NULL) == (rows[option].argument != NULL));
        if (take(command, option, argument, error) != 0) return -1;
    }
    return 0;
}

/* --to is a moment, or the format of export: a kind of its own. */
static unsigned kind_of(const struct report_command *command, int option) {
    return option == OPTION_TO && command->format != NULL ? TAKES_FORMAT : rows[option].kind;
}

int report_refuse_options(const struct report_command *command, unsigned takes, const char *user,
                          struct report_error *error) {
    static_assert(OPTIONS <= 64, "a bit for each");
    for (int i = 0; i < OPTIONS; i++)
        if ((command->used >> i & 1) != 0 && (kind_of(command, i) & ~takes) != 0)
            return report_fail(error, rows[i].spelling, "leave it out", "`%s` does not take it",
                               user);
    return 0;
}
