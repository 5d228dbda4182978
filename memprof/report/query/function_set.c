/* function_set.c - parses and evaluates a set of functions; --keep: the profile as a graph of calls
 * between functions. */
#include "memprof/report/query/function_set.h"

#include "gc/assert.h"
#include "memprof/report/model/base.h"
#include "memprof/report/query/groups.h"
#include "memprof/report/query/pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 100, MAX_WORD = 1000 };

struct parser {
    const char *at, *option;
    const struct report_call_graph *graph;
    struct report_error *error;
    unsigned nesting;
};

static uint8_t *read_set(struct parser *p);

/* Fails; `what` is a format with one text. */
static uint8_t *complain(struct parser *p, const char *what, const char *subject) {
    report_fail(p->error, p->option,
                "write all, \"RE\", (and S ...), (or S ...), (not S), (from S), (to S), (pred S), "
                "(succ S), (thresh X) or (thresh-stack X)",
                what, subject);
    return NULL;
}

static uint8_t *new_set(const struct parser *p, uint8_t member) {
    uint8_t *set = report_alloc(p->graph->count + 1);
    memset(set, member, p->graph->count);
    return set;
}

static void skip_blanks(struct parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

/* The next word, or a text in quotes, where a backslash quotes the next character. False: there is
 * none. */
static bool read_word(struct parser *p, char word[MAX_WORD]) {
    size_t n = 0;
    skip_blanks(p);
    bool quoted = *p->at == '"';
    if (quoted) p->at++;
    while (*p->at != 0 && n + 1 < MAX_WORD) {
        if (quoted ? *p->at == '"' : isspace((unsigned char)*p->at) || strchr("()\"", *p->at))
            break;
        if (quoted && p->at[0] == '\\' && p->at[1] == '"') p->at++;
        word[n++] = *p->at++;
    }
    word[n] = 0;
    if (quoted && *p->at != '"') return false;
    if (quoted) p->at++;
    return n > 0 || quoted;
}

static uint8_t *read_threshold(struct parser *p, const char *name, const double *shares) {
    char word[MAX_WORD], *end = word;
    double percent = read_word(p, word) ? strtod(word, &end) : -1;
    if (end == word || *end != 0 || !(percent >= 0 && percent <= 100))
        return complain(p, "%s: expected a number from 0 to 100", name);
    uint8_t *set = new_set(p, 0);
    for (size_t i = 0; i < p->graph->count; i++) set[i] = shares[i] * 100 >= percent;
    return set;
}

/* (and ...), (or ...): any number of sets. */
static uint8_t *read_many(struct parser *p, bool all) {
    uint8_t *set = new_set(p, all);
    for (skip_blanks(p); *p->at != 0 && *p->at != ')'; skip_blanks(p)) {
        uint8_t *next = read_set(p);
        for (size_t i = 0; next != NULL && i < p->graph->count; i++)
            set[i] = all ? set[i] & next[i] : set[i] | next[i];
        if (next == NULL) {
            free(set);
            return NULL;
        }
        free(next);
    }
    return set;
}

/* The functions one step from the set along the calls; transitive: any number of steps from it, the
 * set included. Frees the set; NULL is allowed. */
static uint8_t *follow(struct parser *p, uint8_t *set, bool to_callees, bool transitive) {
    const struct report_call_graph *g = p->graph;
    uint8_t *found = new_set(p, 0), *source = transitive ? found : set;
    if (set == NULL) {
        free(found);
        return NULL;
    }
    if (transitive) memcpy(found, set, g->count);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->call_count; i++) {
            uint32_t from = to_callees ? g->calls[i].caller : g->calls[i].callee;
            ASSERT(from < g->count);
            uint32_t to = to_callees ? g->calls[i].callee : g->calls[i].caller;
            if (!source[from] || found[to]) continue;
            found[to] = 1;
            changed = transitive;
        }
    }
    free(set);
    return found;
}

static uint8_t *negate(struct parser *p, uint8_t *set) {
    for (size_t i = 0; set != NULL && i < p->graph->count; i++) set[i] = !set[i];
    return set;
}

static uint8_t *read_form(struct parser *p, const char *name) {
    if (strcmp(name, "and") == 0) return read_many(p, true);
    if (strcmp(name, "or") == 0) return read_many(p, false);
    if (strcmp(name, "not") == 0) return negate(p, read_set(p));
    if (strcmp(name, "pred") == 0) return follow(p, read_set(p), false, false);
    if (strcmp(name, "succ") == 0) return follow(p, read_set(p), true, false);
    if (strcmp(name, "to") == 0) return follow(p, read_set(p), false, true);
    if (strcmp(name, "from") == 0) return follow(p, read_set(p), true, true);
    if (strcmp(name, "thresh") == 0) return read_threshold(p, name, p->graph->shares);
    if (strcmp(name, "thresh-stack") == 0) return read_threshold(p, name, p->graph->stack_shares);
    if (strcmp(name, "thresh-gc") == 0 && p->graph->gc_shares != NULL)
        return read_threshold(p, name, p->graph->gc_shares);
    return complain(p, "unknown form (%s ...)", name);
}

static uint8_t *read_set(struct parser *p) {
    char word[MAX_WORD];
    skip_blanks(p);
    if (*p->at != '(') {
        bool quoted = *p->at == '"';
        if (!read_word(p, word)) return complain(p, "expected a set of functions%s", "");
        return !quoted && strcmp(word, "all") == 0
                   ? new_set(p, 1)
                   : report_match(p->option, word, p->graph->names, p->graph->count, p->error);
    }
    if (p->nesting == MAX_NESTING) return complain(p, "too many parentheses%s", "");
    p->at++;
    p->nesting++;
    if (!read_word(p, word)) return complain(p, "expected a word after (%s", "");
    uint8_t *set = read_form(p, word);
    if (set == NULL) return NULL;
    skip_blanks(p);
    ASSERT(p->nesting > 0);
    p->nesting--;
    if (*p->at++ == ')') return set;
    free(set);
    return complain(p, "expected ) after (%s ...", word);
}

uint8_t *report_function_set(const char *expression, const struct report_call_graph *graph,
                             const char *option, struct report_error *error) {
    struct parser p = {.at = expression, .option = option, .graph = graph, .error = error};
    uint8_t *set = read_set(&p);
    if (set == NULL) return NULL;
    skip_blanks(&p);
    if (*p.at == 0) return set;
    free(set);
    return complain(&p, "expected one set, got more: %s", p.at);
}

/* ---- --keep. ---- */

REPORT_COMPARE(by_call, struct report_call,
               report_order(x->caller, y->caller) ?: report_order(x->callee, y->callee))

/* The calls between functions, each once. */
static struct report_call *find_calls(const struct report_model *m, const struct report_keys *keys,
                                      size_t *count) {
    struct report_call *calls = report_alloc(m->nodes.count * sizeof *calls);
    size_t n = 0;
    for (size_t i = 1; i < m->nodes.count; i++) {
        const struct report_node *node = &m->nodes.at[i];
        if (node->parent == 0) continue;
        calls[n++] = (struct report_call){keys->of_location[m->nodes.at[node->parent].location],
                                          keys->of_location[node->location]};
    }
    if (n > 0) qsort(calls, n, sizeof *calls, by_call);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_call(&calls[*count - 1], &calls[i]) != 0) calls[(*count)++] = calls[i];
    return calls;
}

/* The share of all hits that a function allocates itself, and with it in the call stack. */
static void find_shares(const struct report_model *m, const struct report_keys *keys,
                        double *shares, double *stack_shares) {
    double *hits = report_alloc(m->nodes.count * sizeof *hits), all = 0;
    uint32_t *last = report_alloc(keys->count * sizeof *last); /* 1 + the node counted last */
    report_each_sample(s, m) {
        hits[s->node] += s->hits;
        all += s->hits;
    }
    for (uint32_t node = 1; node < m->nodes.count; node++) {
        if (hits[node] == 0) continue;
        shares[keys->of_location[m->nodes.at[node].location]] += hits[node];
        for (uint32_t at = node; at != 0; at = m->nodes.at[at].parent) {
            uint32_t key = keys->of_location[m->nodes.at[at].location];
            if (last[key] != node + 1) stack_shares[key] += hits[node];
            last[key] = node + 1;
        }
    }
    for (size_t i = 0; i < keys->count && all > 0; i++) {
        ASSERT(shares[i] <= stack_shares[i] && stack_shares[i] <= all);
        shares[i] /= all;
        stack_shares[i] /= all;
    }
    report_free(last, hits);
}

uint8_t *report_keep_locations(const struct report_model *model, const char *expression,
                               struct report_error *error) {
    struct report_keys *keys = report_keys_create(model, REPORT_BY_FUNCTION);
    double *shares = report_alloc(keys->count * sizeof *shares);
    double *stack_shares = report_alloc(keys->count * sizeof *stack_shares);
    struct report_call_graph graph = {.count = keys->count,
                                      .names = (const char *const *)keys->texts,
                                      .shares = shares,
                                      .stack_shares = stack_shares};
    struct report_call *calls = find_calls(model, keys, &graph.call_count);
    graph.calls = calls;
    find_shares(model, keys, shares, stack_shares);
    uint8_t *functions = report_function_set(expression, &graph, "--keep", error), *kept = NULL;
    if (functions != NULL) {
        kept = report_alloc(model->locations.count);
        for (size_t i = 0; i < model->locations.count; i++)
            kept[i] = functions[keys->of_location[i]];
    }
    report_free(functions, calls, shares, stack_shares);
    report_keys_free(keys);
    return kept;
}
