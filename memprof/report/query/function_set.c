/* function_set.c - reads an expression of keep.h and evaluates it on the way. */
#include "memprof/report/query/function_set.h"

#include "memprof/report/model/memory.h"
#include "memprof/report/query/pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 100, MAX_WORD = 1000 };

struct reading {
    const char *at, *option;
    const struct report_call_graph *graph;
    struct report_error *error;
    unsigned nesting;
};

static uint8_t *read_set(struct reading *r);

static uint8_t *complain(struct reading *r, const char *what, const char *subject) {
    report_fail(r->error, r->option,
                "write all, \"RE\", (and S ...), (or S ...), (not S), (from S), (to S), (pred S), "
                "(succ S), (thresh X) or (thresh-stack X)",
                what, subject);
    return NULL;
}

static uint8_t *new_set(const struct reading *r, uint8_t member) {
    uint8_t *set = report_alloc(r->graph->count + 1);
    memset(set, member, r->graph->count);
    return set;
}

static void skip_blanks(struct reading *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

/* The next word, or what stands between quotes; a backslash takes the next character as it is
 * there. False: there is none. */
static bool read_word(struct reading *r, char word[MAX_WORD]) {
    size_t n = 0;
    skip_blanks(r);
    bool quoted = *r->at == '"';
    if (quoted) r->at++;
    while (*r->at != 0 && n + 1 < MAX_WORD) {
        if (quoted ? *r->at == '"' : isspace((unsigned char)*r->at) || strchr("()\"", *r->at))
            break;
        if (quoted && r->at[0] == '\\' && r->at[1] == '"') r->at++;
        word[n++] = *r->at++;
    }
    word[n] = 0;
    if (quoted && *r->at != '"') return false;
    if (quoted) r->at++;
    return n > 0 || quoted;
}

static uint8_t *match(struct reading *r, const char *pattern) {
    regex_t regex;
    char why[REPORT_WHY];
    if (!report_compile_pattern(&regex, pattern, why))
        return complain(r, "`%s` is no regular expression", pattern);
    uint8_t *set = new_set(r, 0);
    for (size_t i = 0; i < r->graph->count; i++)
        set[i] = regexec(&regex, r->graph->names[i], 0, NULL, 0) == 0;
    regfree(&regex);
    return set;
}

static uint8_t *read_threshold(struct reading *r, const char *name, const double *shares) {
    char word[MAX_WORD], *end = word;
    double percent = read_word(r, word) ? strtod(word, &end) : -1;
    if (end == word || *end != 0 || !(percent >= 0 && percent <= 100))
        return complain(r, "%s needs a number from 0 to 100", name);
    uint8_t *set = new_set(r, 0);
    for (size_t i = 0; i < r->graph->count; i++) set[i] = shares[i] * 100 >= percent;
    return set;
}

/* (and ...), (or ...): any number of sets. */
static uint8_t *read_many(struct reading *r, bool all) {
    uint8_t *set = new_set(r, all);
    for (skip_blanks(r); *r->at != 0 && *r->at != ')'; skip_blanks(r)) {
        uint8_t *next = read_set(r);
        for (size_t i = 0; next != NULL && i < r->graph->count; i++)
            set[i] = all ? set[i] & next[i] : set[i] | next[i];
        if (next == NULL) {
            free(set);
            return NULL;
        }
        free(next);
    }
    return set;
}

/* One step along the calls; reaches: any number of steps, the set included. */
static uint8_t *follow(struct reading *r, uint8_t *set, bool to_callees, bool reaches) {
    const struct report_call_graph *g = r->graph;
    uint8_t *found = new_set(r, 0), *source = reaches ? found : set;
    if (set == NULL) {
        free(found);
        return NULL;
    }
    if (reaches) memcpy(found, set, g->count);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->call_count; i++) {
            uint32_t from = to_callees ? g->calls[i].caller : g->calls[i].callee;
            uint32_t to = to_callees ? g->calls[i].callee : g->calls[i].caller;
            if (!source[from] || found[to]) continue;
            found[to] = 1;
            changed = reaches;
        }
    }
    free(set);
    return found;
}

static uint8_t *negate(struct reading *r, uint8_t *set) {
    for (size_t i = 0; set != NULL && i < r->graph->count; i++) set[i] = !set[i];
    return set;
}

static uint8_t *read_form(struct reading *r, const char *name) {
    if (strcmp(name, "and") == 0) return read_many(r, true);
    if (strcmp(name, "or") == 0) return read_many(r, false);
    if (strcmp(name, "not") == 0) return negate(r, read_set(r));
    if (strcmp(name, "pred") == 0) return follow(r, read_set(r), false, false);
    if (strcmp(name, "succ") == 0) return follow(r, read_set(r), true, false);
    if (strcmp(name, "to") == 0) return follow(r, read_set(r), false, true);
    if (strcmp(name, "from") == 0) return follow(r, read_set(r), true, true);
    if (strcmp(name, "thresh") == 0) return read_threshold(r, name, r->graph->shares);
    if (strcmp(name, "thresh-stack") == 0) return read_threshold(r, name, r->graph->stack_shares);
    if (strcmp(name, "thresh-gc") == 0 && r->graph->gc_shares != NULL)
        return read_threshold(r, name, r->graph->gc_shares);
    return complain(r, "`(%s ...)` is unknown", name);
}

static uint8_t *read_set(struct reading *r) {
    char word[MAX_WORD];
    skip_blanks(r);
    if (*r->at != '(') {
        bool quoted = *r->at == '"';
        if (!read_word(r, word)) return complain(r, "a set of functions is missing%s", "");
        return !quoted && strcmp(word, "all") == 0 ? new_set(r, 1) : match(r, word);
    }
    if (r->nesting == MAX_NESTING) return complain(r, "too many parentheses%s", "");
    r->at++;
    r->nesting++;
    if (!read_word(r, word)) return complain(r, "a word is missing behind (%s", "");
    uint8_t *set = read_form(r, word);
    if (set == NULL) return NULL;
    skip_blanks(r);
    r->nesting--;
    if (*r->at++ == ')') return set;
    free(set);
    return complain(r, "a ) is missing behind (%s ...", word);
}

uint8_t *report_keep_set(const char *expression, const struct report_call_graph *graph,
                         const char *option, struct report_error *error) {
    struct reading r = {.at = expression, .option = option, .graph = graph, .error = error};
    uint8_t *set = read_set(&r);
    if (set == NULL) return NULL;
    skip_blanks(&r);
    if (*r.at == 0) return set;
    free(set);
    return complain(&r, "`%s` is more than one set", r.at);
}
