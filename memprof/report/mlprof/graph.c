/* graph.c - the functions of mlprof and their calls: -keep, and the graph for dot. */
#include "gc/assert.h"
#include "memprof/report/mlprof/mlprof_internal.h"
#include "memprof/report/model/base.h"
#include "memprof/report/query/function_set.h"
#include "memprof/report/query/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

double mlprof_percent(const struct mlmon *p, uint64_t n) {
    double all = (double)p->total + (double)p->total_gc;
    return all > 0 ? 100 * (double)n / all : 0;
}

/* The last part of a name such as Fib.M.f.(fun): from an identifier or a parenthesis on. */
static const char *short_name(const char *name) {
    const char *last = name;
    if (name[0] == '<') return name;
    for (const char *c = name; *c != 0; c++)
        if (c[0] == '.' && (c[1] == '(' || c[1] == '_' || (c[1] | 32) - 'a' < 26u)) last = c + 1;
    return last;
}

/* ---- Nodes. ---- */

/* Whether each name is to be split into its sources. */
static uint8_t *split_names(const struct mlmon *p, const char *expression,
                            struct report_error *error) {
    if (expression == NULL) return report_alloc(p->name_count);
    const char **names = report_alloc(p->name_count * sizeof *names);
    for (uint32_t i = 0; i < p->name_count; i++) names[i] = p->texts[i].text;
    uint8_t *split = report_match("-split", expression, names, p->name_count, error);
    free(names);
    return split;
}

static uint32_t add_node(struct mlprof_graph *g, uint32_t name, struct mlmon_counts counts,
                         bool shorten) {
    const struct mlmon_name *text = &g->profile->texts[name];
    ASSERT(name < g->profile->name_count);
    g->nodes[g->node_count] = (struct mlprof_node){
        .name = shorten ? short_name(text->text) : text->text,
        .position = text->position,
        .counts = counts,
    };
    return g->node_count++;
}

REPORT_COMPARE(compare_calls, struct mlmon_call,
               report_order(x->caller, y->caller) ?: report_order(x->callee, y->callee))

static void add_calls(struct mlprof_graph *g, const uint32_t *node_of) {
    const struct mlmon *p = g->profile;
    struct mlmon_call *calls = report_alloc(p->calls.count * sizeof *calls);
    for (size_t i = 0; i < p->calls.count; i++)
        calls[i] = (struct mlmon_call){node_of[p->calls.at[i].caller],
                                       node_of[p->calls.at[i].callee]};
    if (p->calls.count > 0) qsort(calls, p->calls.count, sizeof *calls, compare_calls);
    g->callees = report_alloc(p->calls.count * sizeof *g->callees);
    uint32_t count = 0;
    for (size_t i = 0; i < p->calls.count; i++) {
        if (i > 0 && compare_calls(&calls[i - 1], &calls[i]) == 0) continue;
        struct mlprof_node *node = &g->nodes[calls[i].caller];
        if (node->call_count++ == 0) node->first_call = count;
        g->callees[count++] = calls[i].callee;
    }
    free(calls);
}

int mlprof_graph_make(const struct mlmon *p, const char *split, bool shorten,
                      struct mlprof_graph *out, struct report_error *error) {
    *out = (struct mlprof_graph){.profile = p};
    uint8_t *is_split = split_names(p, split, error);
    if (is_split == NULL) return -1;
    out->nodes = report_alloc(((size_t)p->name_count + p->source_count) * sizeof *out->nodes);
    uint32_t *node_of_name = report_alloc(p->name_count * sizeof *node_of_name);
    uint32_t *node_of = report_alloc(p->source_count * sizeof *node_of);
    for (uint32_t i = 0; i < p->name_count; i++)
        if (!is_split[i]) node_of_name[i] = add_node(out, i, p->names[i], shorten);
    for (uint32_t i = 0; i < p->source_count; i++) {
        uint32_t name = p->name_of[i];
        node_of[i] = is_split[name] ? add_node(out, name, p->sources[i], shorten)
                                    : node_of_name[name];
    }
    add_calls(out, node_of);
    report_free(is_split, node_of_name, node_of);
    return 0;
}

void mlprof_graph_free(struct mlprof_graph *g) { report_free(g->nodes, g->callees); }

/* ---- -keep. ---- */

/* The set of nodes of an expression, a byte each. */
static uint8_t *kept_by(const struct mlprof_graph *g, const char *expression,
                        struct report_error *error) {
    uint32_t n = g->node_count;
    double *own = report_alloc(n * sizeof *own), *stack = report_alloc(n * sizeof *stack);
    double *gc = report_alloc(n * sizeof *gc);
    const char **names = report_alloc(n * sizeof *names);
    size_t call_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct mlmon_counts *counts = &g->nodes[i].counts;
        names[i] = g->nodes[i].name;
        own[i] = mlprof_percent(g->profile, counts->own) / 100;
        stack[i] = mlprof_percent(g->profile, counts->stack) / 100;
        gc[i] = mlprof_percent(g->profile, counts->stack_gc) / 100;
        call_count += g->nodes[i].call_count;
    }
    struct report_call *calls = report_alloc(call_count * sizeof *calls), *call = calls;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < g->nodes[i].call_count; k++)
            *call++ = (struct report_call){i, g->callees[g->nodes[i].first_call + k]};
    ASSERT((size_t)(call - calls) == call_count);
    struct report_call_graph graph = {n, names, calls, call_count, own, stack, gc};
    uint8_t *kept = report_function_set(expression, &graph, "-keep", error);
    report_free(calls, names, gc, stack, own);
    return kept;
}

/* The libraries of OCaml and Bactrian, whose unused functions are of no interest. */
static bool of_library(const char *name) {
    return strncmp(name, "Stdlib.", 7) == 0 || strncmp(name, "Bactrian.", 9) == 0 ||
           strncmp(name, "Stdlib__", 8) == 0 || strncmp(name, "Camlinternal", 12) == 0 ||
           strncmp(name, "Std_exit.", 9) == 0;
}

/* Counts of calls also show functions that never ran. */
static bool has_something(const struct mlmon *p, const struct mlprof_node *node) {
    const struct mlmon_counts *counts = &node->counts;
    if (counts->own > 0 || counts->stack > 0 || counts->stack_gc > 0) return true;
    return p->kind == MLMON_COUNT && node->name[0] != '<' && !of_library(node->name);
}

int mlprof_keep(struct mlprof_graph *g, const char *expression, struct report_error *error) {
    uint8_t *kept = expression == NULL ? NULL : kept_by(g, expression, error);
    if (expression != NULL && kept == NULL) return -1;
    for (uint32_t i = 0; i < g->node_count; i++)
        g->nodes[i].kept = (kept == NULL || kept[i]) && has_something(g->profile, &g->nodes[i]);
    free(kept);
    return 0;
}

/* ---- The graph. ---- */

static void write_quoted(const char *text, FILE *out) {
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
}

static void write_node(const struct mlprof_graph *g, uint32_t i, const struct mlprof_options *o,
                       FILE *out) {
    const struct mlprof_node *node = &g->nodes[i];
    double own = mlprof_percent(g->profile, node->counts.own);
    double share = own;
    fprintf(out, "  n%u [label=\"", i);
    write_quoted(node->name, out);
    if (o->show_line && node->position != NULL) {
        fputs("\\n", out);
        write_quoted(node->position, out);
    }
    fprintf(out, "\\n%.1f%%", own);
    if (g->profile->stacks) {
        share = mlprof_percent(g->profile, node->counts.stack);
        fprintf(out, " (%.1f%%)", share);
    }
    fputc('"', out);
    if (o->gray)
        fprintf(out, ", style=filled, fillcolor=\"gray%d\"", 100 - (int)(0.7 * share + 0.5));
    fputs("];\n", out);
}

/* The search for arrows from a kept node: to the kept ones that it calls and, dashed, to those that
 * it reaches through others. */
struct search {
    uint32_t *from, *queue; /* from[n] == i + 1: the search from node i has found n */
    FILE *out;
};

static void follow(const struct mlprof_graph *g, uint32_t i, uint32_t at, const char *style,
                   struct search *s, uint32_t *queued) {
    const struct mlprof_node *node = &g->nodes[at];
    for (uint32_t k = 0; k < node->call_count; k++) {
        uint32_t to = g->callees[node->first_call + k];
        if (s->from[to] == i + 1) continue;
        s->from[to] = i + 1;
        ASSERT(*queued < g->node_count);
        if (g->nodes[to].kept) fprintf(s->out, "  n%u -> n%u%s;\n", i, to, style);
        else s->queue[(*queued)++] = to;
    }
}

static void write_arrows(const struct mlprof_graph *g, uint32_t i, struct search *s) {
    uint32_t queued = 0;
    follow(g, i, i, "", s, &queued);
    for (uint32_t k = 0; k < queued; k++) follow(g, i, s->queue[k], " [style=dashed]", s, &queued);
}

int mlprof_write_graph(const struct mlprof_graph *g, const struct mlprof_options *o,
                       struct report_error *error) {
    FILE *out = fopen(o->call_graph, "we");
    bool written = out != NULL;
    if (written) {
        struct search s = {report_alloc(g->node_count * sizeof *s.from),
                           report_alloc(g->node_count * sizeof *s.queue), out};
        fputs("digraph \"", out);
        write_quoted(o->graph_title, out);
        fputs("\" {\n  label=\"", out);
        write_quoted(o->graph_title, out);
        fputs("\";\n  node [shape=box];\n", out);
        for (uint32_t i = 0; i < g->node_count; i++)
            if (g->nodes[i].kept) write_node(g, i, o, out);
        for (uint32_t i = 0; i < g->node_count; i++)
            if (g->nodes[i].kept) write_arrows(g, i, &s);
        fputs("}\n", out);
        report_free(s.from, s.queue);
        written = !ferror(out);
        if (fclose(out) != 0) written = false;
    }
    if (written) return 0;
    return report_fail(error, o->call_graph, "give a file that can be written", "%s",
                       strerror(errno));
}
