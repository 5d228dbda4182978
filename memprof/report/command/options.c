/* options.c - parses the options of the verbs. */
#include "memprof/report/command/options.h"

#include "gc/assert.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum option {
#define OPTION(id, kind, spelling, argument, meaning) OPTION_##id,
#include "memprof/report/command/options.def"
    OPTIONS
};

struct row {
    unsigned kind;
    const char *spelling, *argument, *meaning;
};

static const struct row rows[OPTIONS] = {
#define OPTION(id, kind, spelling, argument, meaning) {TAKES_##kind, spelling, argument, meaning},
#include "memprof/report/command/options.def"
};

const char *const report_show_words[] = {
#define SHOW(id, name, sentence) name,
#include "memprof/report/query/selectors.def"
    NULL};
const char *const report_by_words[] = {
#define BY(id, name, title) name,
#include "memprof/report/query/selectors.def"
    NULL};
const char *const report_unit_words[] = {
#define UNIT(id, name) name,
#include "memprof/report/query/selectors.def"
    NULL};

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

/* Splits MIN..MAX; either may be empty. */
static int split_range(const char *option, char *text, char **high, struct report_error *error) {
    char *dots = strstr(text, "..");
    if (dots == NULL)
        return report_fail(error, option, "give MIN..MAX, MIN.. or ..MAX",
                           "expected a range, got \"%s\"", text);
    *dots = 0;
    *high = dots + 2;
    return 0;
}

static int take_life(struct report_selection *s, char *low, struct report_error *error) {
    char *high = low;
    if (split_range("--life", low, &high, error) != 0) return -1;
    if (low[0] != 0 && take_moment("--life", low, &s->life_min, error) != 0) return -1;
    return high[0] == 0 ? 0 : take_moment("--life", high, &s->life_max, error);
}

static int take_size(struct report_selection *s, char *low, struct report_error *error) {
    char *high = low;
    if (split_range("--size", low, &high, error) != 0) return -1;
    if (low[0] != 0 && take_number("--size", low, 1e18, &s->size_min, error) != 0) return -1;
    return high[0] == 0 ? 0 : take_number("--size", high, 1e18, &s->size_max, error);
}

/* --to is a moment, or the format of export. */
static int take_to(struct report_command *c, const char *text, struct report_error *error) {
    struct report_moment moment;
    if (strcmp(c->verb, "export") != 0 || report_parse_moment(text, &moment))
        return take_moment("--to", text, &c->request.selection.to, error);
    c->format = text;
    return 0;
}

static int take_top(struct report_selection *s, const char *text, struct report_error *error) {
    double n;
    if (take_number("--top", text, 1e15, &n, error) != 0) return -1;
    if (n < 1) return report_fail(error, "--top", "no row would be left", "must be at least 1");
    s->top = n;
    return 0;
}

/* An option that selects. */
static int select_with(struct report_selection *s, enum option option, char *argument,
                       struct report_error *error) {
    int word = 0;
    switch (option) {
    case OPTION_AT: return take_moment("--at", argument, &s->at, error);
    case OPTION_FROM: return take_moment("--from", argument, &s->from, error);
    case OPTION_AGE_MIN: return take_age("--age-min", argument, &s->age_min, error);
    case OPTION_TAIL: return take_age("--tail", argument, &s->tail, error);
    case OPTION_LIFE: return take_life(s, argument, error);
    case OPTION_SIZE: return take_size(s, argument, error);
    case OPTION_PHASE: s->phase = argument; return 0;
    case OPTION_FOCUS: s->focus = argument; return 0;
    case OPTION_IGNORE: s->ignore = argument; return 0;
    case OPTION_SCOPE: s->scope = argument; return 0;
    case OPTION_KEEP: s->keep = argument; return 0;
    case OPTION_SORT: s->sort = argument; return 0;
    case OPTION_HIDE: s->hide = argument; return 0;
    case OPTION_TOP:
    case OPTION_LIMIT: return take_top(s, argument, error);
    case OPTION_THRESH: return take_number("--thresh", argument, 1, &s->threshold, error);
    case OPTION_SHOW:
        s->has_show = true;
        s->show = word = find_word(report_show_words, "--show", argument, error);
        break;
    case OPTION_BY: s->by = word = find_word(report_by_words, "--by", argument, error); break;
    case OPTION_UNIT:
        s->unit = word = find_word(report_unit_words, "--unit", argument, error);
        break;
    default: break;
    }
    return word < 0 ? -1 : 0;
}

static int take(struct report_command *c, enum option option, char *argument,
                struct report_error *error) {
    switch (option) {
    case OPTION_TO: return take_to(c, argument, error);
    case OPTION_CALLERS: c->request.callers = argument; return 0;
    case OPTION_CALLEES: c->request.callees = argument; return 0;
    case OPTION_OUTPUT: c->output = argument; return 0;
    case OPTION_INVERTED: c->request.selection.inverted = true; return 0;
    case OPTION_NO_CI: c->request.selection.no_intervals = true; return 0;
    case OPTION_JSON: c->json = true; return 0;
    case OPTION_CSV: c->csv = true; return 0;
    case OPTION_COLOR: c->color = true; return 0;
    case OPTION_RUNNING: c->running = true; return 0;
    case OPTION_NO_COLOR: c->no_color = true; return 0;
    case OPTION_HELP: c->help = true; return 0;
    default: return select_with(&c->request.selection, option, argument, error);
    }
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
        if (option < 0)
            return report_fail(error, word, "`bactrian prof --help` lists the options",
                               "no such option");
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

void report_print_options(unsigned takes, FILE *out) {
    fputs("Options:\n", out);
    for (int i = 0; i < OPTIONS; i++) {
        char left[40];
        if ((rows[i].kind & ~takes) != 0) continue;
        snprintf(left, sizeof left, "%s%s%s", rows[i].spelling, rows[i].argument != NULL ? " " : "",
                 rows[i].argument != NULL ? rows[i].argument : "");
        fprintf(out, "  %-20s %s\n", left, rows[i].meaning);
    }
}
