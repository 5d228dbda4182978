/* graph.c - the nodes of mlprof, what they call, and that as a graph for dot. */
#include "memprof/report/mlprof/mlprof_internal.h"
#include "memprof/report/model/memory.h"
#include "memprof/report/query/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

double mlprof_percent(const struct mlmon *p, uint64_t n) {
    double all = (double)p->total + (double)p->total_gc;
    return all > 0 ? 100 * (double)n / all : 0;
}

/* The last part of a name as Fib.M.f.(fun): where an identifier or a parenthesis starts. */
static const char *short_name(const char *name) {
    const char *last = name;
    if (name[0] == '<') return name;
    for (const char *c = name; *c != 0; c++)
        if (c[0] == '.' && (c[1] == '(' || c[1] == '_' || (c[1] | 32) - 'a' < 26u)) last = c + 1;
    return last;
}

/* ---- Nodes. ---- */

static bool *split_names(const struct mlmon *p, const char *expression,
                         struct report_error *error) {
    bool *split = report_alloc(p->name_count * sizeof *split);
    regex_t regex;
    char why[REPORT_WHY];
    if (expression == NULL) return split;
    if (!report_compile_pattern(&regex, expression, why)) {
        free(split);
        report_fail(error, "-split", "correct it", "`%s` is no regular expression: %s", expression,
                    why);
        return NULL;
    }
    for (uint32_t i = 0; i < p->name_count; i++)
        split[i] = regexec(&regex, p->texts[i].text, 0, NULL, 0) == 0;
    regfree(&regex);
    return split;
}

static uint32_t add_node(struct mlprof_graph *g, uint32_t name, struct mlmon_counts counts,
                         bool shorten) {
    const struct mlmon_name *text = &g->profile->texts[name];
    g->nodes[g->node_count] = (struct mlprof_node){
        .name = shorten ? short_name(text->text) : text->text,
        .position = text->position,
        .counts = counts,
    };
    return g->node_count++;
}

static int compare_calls(const void *a, const void *b) {
    const struct mlmon_call *x = a, *y = b;
    if (x->caller != y->caller) return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

static void add_calls(struct mlprof_graph *g, const uint32_t *node_of) {
    const struct mlmon *p = g->profile;
    struct mlmon_call *calls = report_alloc(p->call_count * sizeof *calls);
    for (size_t i = 0; i < p->call_count; i++)
        calls[i] = (struct mlmon_call){node_of[p->calls[i].caller], node_of[p->calls[i].callee]};
    if (p->call_count > 0) qsort(calls, p->call_count, sizeof *calls, compare_calls);
    g->callees = report_alloc(p->call_count * sizeof *g->callees);
    uint32_t count = 0;
    for (size_t i = 0; i < p->call_count; i++) {
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
    bool *is_split = split_names(p, split, error);
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
    free(is_split);
    free(node_of_name);
    free(node_of);
    return 0;
}

void mlprof_graph_free(struct mlprof_graph *g) {
    free(g->nodes);
    free(g->callees);
}

/* ---- For dot. ---- */

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

/* Arrows from one kept node: to the kept ones that it calls, and dashed to those that are reached
 * through nodes that are not shown. */
struct search {
    uint32_t *from, *queue; /* from[n] == i + 1: node i's search came to n */
    FILE *out;
};

static void follow(const struct mlprof_graph *g, uint32_t i, uint32_t at, const char *style,
                   struct search *s, uint32_t *queued) {
    const struct mlprof_node *node = &g->nodes[at];
    for (uint32_t k = 0; k < node->call_count; k++) {
        uint32_t to = g->callees[node->first_call + k];
        if (s->from[to] == i + 1) continue;
        s->from[to] = i + 1;
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
        free(s.from);
        free(s.queue);
        written = !ferror(out);
        if (fclose(out) != 0) written = false;
    }
    if (written) return 0;
    return report_fail(error, o->call_graph, "the graph could not be written there", "%s",
                       strerror(errno));
}
