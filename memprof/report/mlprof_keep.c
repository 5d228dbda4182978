/* mlprof_keep.c - which functions mlprof shows: the expressions of -keep.
 *
 *   EXP ::= all | "REGEX" | (thresh X) | (thresh-gc X) | (thresh-stack X)
 *         | (and EXP ...) | (or EXP ...) | (not EXP)
 *         | (from EXP) | (to EXP) | (pred EXP) | (succ EXP)
 *
 * A set of nodes is an array of flags. */
#include "memprof/report/mlprof_internal.h"

#include "memprof/report/memory.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

struct parser {
    struct mlprof_graph *graph;
    const char *whole, *at;
    unsigned depth;
    struct report_error *error;
};

typedef bool *set;

static set new_set(const struct parser *p) { return report_alloc(p->graph->node_count); }

static set wrong(struct parser *p, const char *what) {
    report_fail(p->error, "-keep", "bactrian mlprof -help shows what may stand there",
                "`%s`: %s at character %zu", p->whole, what, (size_t)(p->at - p->whole) + 1);
    return NULL;
}

static void skip_blanks(struct parser *p) { p->at += strspn(p->at, " \t\n"); }

static bool take_close(struct parser *p) {
    skip_blanks(p);
    if (*p->at != ')') {
        wrong(p, "a `)` is missing");
        return false;
    }
    p->at++;
    return true;
}

/* ---- Sets of nodes by themselves. ---- */

static set matching(struct parser *p) {
    size_t length = strcspn(++p->at, "\"");
    if (p->at[length] == 0) return wrong(p, "a quotation mark is missing");
    char *expression = report_format("%.*s", (int)length, p->at);
    regex_t regex;
    bool good = regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) == 0;
    free(expression);
    if (!good) return wrong(p, "no regular expression");
    p->at += length + 1;
    set s = new_set(p);
    for (uint32_t i = 0; i < p->graph->node_count; i++)
        s[i] = regexec(&regex, p->graph->nodes[i].name, 0, NULL, 0) == 0;
    regfree(&regex);
    return s;
}

/* which: the operator's name. */
static set above(struct parser *p, const char *which) {
    char *end;
    double least = strtod(p->at, &end);
    if (end == p->at || !(least >= 0 && least <= 100)) return wrong(p, "no number from 0 to 100");
    p->at = end;
    if (!take_close(p)) return NULL;
    set s = new_set(p);
    for (uint32_t i = 0; i < p->graph->node_count; i++) {
        const struct mlmon_counts *counts = &p->graph->nodes[i].counts;
        uint64_t n = strcmp(which, "thresh") == 0      ? counts->own
                     : strcmp(which, "thresh-gc") == 0 ? counts->stack_gc
                                                       : counts->stack;
        s[i] = mlprof_percent(p->graph->profile, n) >= least;
    }
    return s;
}

/* ---- Along the calls. ---- */

/* The nodes that call, or are called by, one of s, directly; with all: also indirectly, and s. */
static set neighbours(struct parser *p, set s, bool callers, bool all) {
    const struct mlprof_graph *g = p->graph;
    set found = new_set(p);
    bool more = true;
    if (all) memcpy(found, s, g->node_count);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < g->node_count; i++)
            for (uint32_t k = 0; k < g->nodes[i].call_count; k++) {
                uint32_t callee = g->callees[g->nodes[i].first_call + k];
                uint32_t from = callers ? callee : i, to = callers ? i : callee;
                if (found[to] || !(s[from] || (all && found[from]))) continue;
                found[to] = true;
                more = all;
            }
    }
    free(s);
    return found;
}

/* ---- Expressions. ---- */

static set parse(struct parser *p);

static set combine(struct parser *p, bool conjunction) {
    set s = new_set(p);
    memset(s, conjunction, p->graph->node_count);
    for (skip_blanks(p); *p->at != ')'; skip_blanks(p)) {
        set other = parse(p);
        if (other == NULL) {
            free(s);
            return NULL;
        }
        for (uint32_t i = 0; i < p->graph->node_count; i++)
            s[i] = conjunction ? s[i] && other[i] : s[i] || other[i];
        free(other);
    }
    p->at++;
    return s;
}

/* The one operand of an operator, and its parenthesis. */
static set operand(struct parser *p) {
    set s = parse(p);
    if (s == NULL || take_close(p)) return s;
    free(s);
    return NULL;
}

static set operation(struct parser *p) {
    skip_blanks(p);
    size_t length = strspn(p->at, "abcdefghijklmnopqrstuvwxyz-");
    char name[16] = "";
    if (length < sizeof name) memcpy(name, p->at, length);
    p->at += length;
    if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0) return combine(p, name[0] == 'a');
    if (strcmp(name, "thresh") == 0 || strcmp(name, "thresh-gc") == 0 ||
        strcmp(name, "thresh-stack") == 0)
        return above(p, name);
    if (strcmp(name, "not") == 0) {
        set s = operand(p);
        for (uint32_t i = 0; s != NULL && i < p->graph->node_count; i++) s[i] = !s[i];
        return s;
    }
    bool to = strcmp(name, "to") == 0, pred = strcmp(name, "pred") == 0;
    bool all = to || strcmp(name, "from") == 0;
    if (!all && !pred && strcmp(name, "succ") != 0) {
        p->at -= length;
        return wrong(p, "an unknown word");
    }
    set s = operand(p);
    return s == NULL ? NULL : neighbours(p, s, to || pred, all);
}

static set parse(struct parser *p) {
    skip_blanks(p);
    if (*p->at == '"') return matching(p);
    if (strncmp(p->at, "all", 3) == 0) {
        p->at += 3;
        set s = new_set(p);
        memset(s, true, p->graph->node_count);
        return s;
    }
    if (*p->at != '(') return wrong(p, "no expression");
    if (p->depth == MAX_DEPTH) return wrong(p, "too many parentheses");
    p->at++;
    p->depth++;
    set s = operation(p);
    p->depth--;
    return s;
}

/* OCaml's own library, and ours: what is not called of them is no news. */
static bool of_library(const char *name) {
    return strncmp(name, "Stdlib.", 7) == 0 || strncmp(name, "Bactrian.", 9) == 0 ||
           strncmp(name, "Stdlib__", 8) == 0 || strncmp(name, "Camlinternal", 12) == 0 ||
           strncmp(name, "Std_exit.", 9) == 0;
}

/* Counts of entries show what never ran, too. */
static bool has_something(const struct mlmon *p, const struct mlprof_node *node) {
    const struct mlmon_counts *counts = &node->counts;
    if (counts->own > 0 || counts->stack > 0 || counts->stack_gc > 0) return true;
    return p->kind == MLMON_COUNT && node->name[0] != '<' && !of_library(node->name);
}

int mlprof_keep(struct mlprof_graph *g, const char *expression, struct report_error *error) {
    struct parser p = {g, expression, expression, 0, error};
    set s = NULL;
    if (expression != NULL) {
        if ((s = parse(&p)) == NULL) return -1;
        skip_blanks(&p);
        if (*p.at != 0) {
            free(s);
            wrong(&p, "more than one expression");
            return -1;
        }
    }
    for (uint32_t i = 0; i < g->node_count; i++)
        g->nodes[i].kept = (s == NULL || s[i]) && has_something(g->profile, &g->nodes[i]);
    free(s);
    return 0;
}
