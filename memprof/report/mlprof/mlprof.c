/* mlprof.c - `bactrian mlprof`: functions and calls (-split, -keep), their table and graph; the
 * command line. */
#include "memprof/report/mlprof/mlprof.h"

#include "gc/assert.h"
#include "memprof/format/output.h"
#include "memprof/report/mlprof/mlmon.h"
#include "memprof/report/model/text.h"
#include "memprof/report/query/function_set.h"
#include "memprof/report/query/pattern.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name with all its sources, or (-split) one source. */
struct node {
    const char *name, *position;
    struct mlmon_counts counts;
    bool kept;
    uint32_t first_call, call_count; /* in graph.callees */
};

struct graph {
    const struct mlmon *profile;
    struct node *nodes;
    uint32_t node_count;
    uint32_t *callees; /* of each node, ascending, each once */
};

struct options {
    const char *call_graph, *graph_title, *keep, *split;
    bool force, gray, raw, show_line, tolerant, long_name;
};

/* n in percent of the total count. */
static double percent_of(const struct mlmon *p, uint64_t n) {
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

static uint32_t add_node(struct graph *g, uint32_t name, struct mlmon_counts counts, bool shorten) {
    const struct mlmon_name *text = &g->profile->texts[name];
    ASSERT(name < g->profile->name_count);
    g->nodes[g->node_count] = (struct node){
        .name = shorten ? short_name(text->text) : text->text,
        .position = text->position,
        .counts = counts,
    };
    return g->node_count++;
}

REPORT_COMPARE(compare_calls, struct mlmon_call,
               report_order(x->caller, y->caller) ?: report_order(x->callee, y->callee))

static void add_calls(struct graph *g, const uint32_t *node_of) {
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
        struct node *node = &g->nodes[calls[i].caller];
        if (node->call_count++ == 0) node->first_call = count;
        g->callees[count++] = calls[i].callee;
    }
    free(calls);
}

/* Makes the nodes and their calls. split: a regular expression for names, or NULL. Returns 0, or -1
 * and *error. */
static int make_graph(const struct mlmon *p, const char *split, bool shorten, struct graph *out,
                      struct report_error *error) {
    *out = (struct graph){.profile = p};
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

/* ---- -keep. ---- */

/* The set of nodes that an expression selects: one byte per node. */
static uint8_t *kept_by(const struct graph *g, const char *expression, struct report_error *error) {
    uint32_t n = g->node_count;
    double *own = report_alloc(n * sizeof *own), *stack = report_alloc(n * sizeof *stack);
    double *gc = report_alloc(n * sizeof *gc);
    const char **names = report_alloc(n * sizeof *names);
    size_t call_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct mlmon_counts *counts = &g->nodes[i].counts;
        names[i] = g->nodes[i].name;
        own[i] = percent_of(g->profile, counts->own) / 100;
        stack[i] = percent_of(g->profile, counts->stack) / 100;
        gc[i] = percent_of(g->profile, counts->stack_gc) / 100;
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

/* The libraries of OCaml and Bactrian, whose unused functions are not shown. */
static bool of_library(const char *name) {
    return strncmp(name, "Stdlib.", 7) == 0 || strncmp(name, "Bactrian.", 9) == 0 ||
           strncmp(name, "Stdlib__", 8) == 0 || strncmp(name, "Camlinternal", 12) == 0 ||
           strncmp(name, "Std_exit.", 9) == 0;
}

/* Whether a node gets a row. In counts of calls, functions that never ran do. */
static bool gets_row(const struct mlmon *p, const struct node *node) {
    const struct mlmon_counts *counts = &node->counts;
    if (counts->own > 0 || counts->stack > 0 || counts->stack_gc > 0) return true;
    return p->kind == MLMON_COUNT && node->name[0] != '<' && !of_library(node->name);
}

/* Sets `kept` of the nodes that are in the set of the expression (NULL: all) and get a row. Returns
 * 0, or -1 and *error. */
static int keep_nodes(struct graph *g, const char *expression, struct report_error *error) {
    uint8_t *kept = expression == NULL ? NULL : kept_by(g, expression, error);
    if (expression != NULL && kept == NULL) return -1;
    for (uint32_t i = 0; i < g->node_count; i++)
        g->nodes[i].kept = (kept == NULL || kept[i]) && gets_row(g->profile, &g->nodes[i]);
    free(kept);
    return 0;
}

/* ---- The table. ---- */

enum { TICKS_PER_SECOND = 100, MAX_COLUMNS = 7 };

static void write_totals(const struct mlmon *p, FILE *out) {
    char total[32], gc[32];
    report_write_whole(total, p->total + p->total_gc);
    report_write_whole(gc, p->total_gc);
    if (p->kind == MLMON_TIME)
        fprintf(out, "%.2f seconds of CPU time (%.2f seconds GC)\n",
                (double)(p->total + p->total_gc) / TICKS_PER_SECOND,
                (double)p->total_gc / TICKS_PER_SECOND);
    else if (p->kind == MLMON_ALLOC)
        fprintf(out, "%s bytes allocated (%s bytes by GC)\n", total, gc);
    else fprintf(out, "%s ticks\n", total);
}

/* Rows of texts: the first column aligned left, the others right, titles centred. */
struct table {
    const char *titles[MAX_COLUMNS];
    size_t widths[MAX_COLUMNS];
    unsigned column_count;
    REPORT_VECTOR(char *) cells;
};

static void add_cell(struct table *t, char *text) {
    size_t column = t->cells.count % t->column_count;
    report_append(&t->cells, text);
    if (strlen(text) > t->widths[column]) t->widths[column] = strlen(text);
}

static void write_line(FILE *out, const struct table *t, const char *const *texts, bool centred) {
    size_t blanks = 0; /* to print before the next text, so that no line ends with blanks */
    for (unsigned i = 0; i < t->column_count; i++) {
        size_t length = strlen(texts[i]), rest = t->widths[i] - length;
        ASSERT(length <= t->widths[i]);
        size_t left = centred ? rest / 2 : i == 0 ? 0 : rest;
        fprintf(out, "%*s%s", (int)(blanks + left), "", texts[i]);
        blanks = rest - left + 1;
    }
    fputc('\n', out);
}

static void write_rule(FILE *out, const struct table *t) {
    for (unsigned i = 0; i < t->column_count; i++) {
        if (i > 0) fputc(' ', out);
        for (size_t k = 0; k < t->widths[i]; k++) fputc('-', out);
    }
    fputc('\n', out);
}

static void add_column(struct table *t, const char *title) {
    ASSERT(t->column_count < MAX_COLUMNS);
    t->widths[t->column_count] = strlen(title);
    t->titles[t->column_count++] = title;
}

static void add_count(struct table *t, const struct mlmon *p, uint64_t n, bool raw) {
    add_cell(t, report_format("%.1f%%", percent_of(p, n)));
    if (!raw) return;
    char whole[32];
    report_write_whole(whole, n);
    add_cell(t, p->kind == MLMON_TIME ? report_format("(%.2fs)", (double)n / TICKS_PER_SECOND)
                                      : report_format("(%s)", whole));
}

static int compare_nodes(const void *a, const void *b) {
    const struct node *x = *(const struct node *const *)a;
    const struct node *y = *(const struct node *const *)b;
    return report_order(y->counts.own, x->counts.own) ?:
           report_order(y->counts.stack, x->counts.stack) ?: strcmp(x->name, y->name) ?:
           report_order(x, y);
}

static void add_row(struct table *t, const struct mlmon *p, const struct node *node,
                    const struct options *o) {
    bool position = o->show_line && node->position != NULL;
    add_cell(t, report_format("%s%s%s", node->name, position ? "  " : "",
                              position ? node->position : ""));
    add_count(t, p, node->counts.own, o->raw);
    if (!p->stacks) return;
    add_count(t, p, node->counts.stack, o->raw);
    add_count(t, p, node->counts.stack_gc, o->raw);
}

/* Writes the totals and the table of the kept nodes. */
static void write_table(const struct graph *g, const struct options *o, FILE *out) {
    const struct mlmon *p = g->profile;
    struct table t = {.column_count = 0};
    const struct node **order = report_alloc(g->node_count * sizeof *order);
    size_t kept = 0;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].kept) order[kept++] = &g->nodes[i];
    if (kept > 0) qsort(order, kept, sizeof *order, compare_nodes);
    add_column(&t, "function");
    static const char *const titles[] = {"cur", "stack", "GC"};
    for (int i = 0; i < (p->stacks ? 3 : 1); i++) {
        add_column(&t, titles[i]);
        if (o->raw) add_column(&t, "raw");
    }
    for (size_t i = 0; i < kept; i++) add_row(&t, p, order[i], o);
    write_totals(p, out);
    write_line(out, &t, t.titles, true);
    write_rule(out, &t);
    for (size_t i = 0; i < t.cells.count; i += t.column_count)
        write_line(out, &t, (const char *const *)t.cells.at + i, false);
    report_each(cell, &t.cells) free(*cell);
    report_free(t.cells.at, order);
}

/* ---- The graph. ---- */

static void write_quoted(const char *text, FILE *out) {
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
}

static void write_node(const struct graph *g, uint32_t i, const struct options *o, FILE *out) {
    const struct node *node = &g->nodes[i];
    double own = percent_of(g->profile, node->counts.own);
    double share = own;
    fprintf(out, "  n%u [label=\"", i);
    write_quoted(node->name, out);
    if (o->show_line && node->position != NULL) {
        fputs("\\n", out);
        write_quoted(node->position, out);
    }
    fprintf(out, "\\n%.1f%%", own);
    if (g->profile->stacks) {
        share = percent_of(g->profile, node->counts.stack);
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

static void follow(const struct graph *g, uint32_t i, uint32_t at, const char *style,
                   struct search *s, uint32_t *queued) {
    const struct node *node = &g->nodes[at];
    for (uint32_t k = 0; k < node->call_count; k++) {
        uint32_t to = g->callees[node->first_call + k];
        if (s->from[to] == i + 1) continue;
        s->from[to] = i + 1;
        ASSERT(*queued < g->node_count);
        if (g->nodes[to].kept) fprintf(s->out, "  n%u -> n%u%s;\n", i, to, style);
        else s->queue[(*queued)++] = to;
    }
}

static void write_arrows(const struct graph *g, uint32_t i, struct search *s) {
    uint32_t queued = 0;
    follow(g, i, i, "", s, &queued);
    for (uint32_t k = 0; k < queued; k++) follow(g, i, s->queue[k], " [style=dashed]", s, &queued);
}

/* Writes the kept nodes as a graph for dot. */
static void print_graph(const struct graph *g, const struct options *o, FILE *out) {
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
}

/* Returns 0, or -1 and *error. */
static int write_graph(const struct graph *g, const struct options *o, struct report_error *error) {
    struct mp_output output;
    int problem = mp_output_open(&output, o->call_graph, "digraph \"*",
                                 o->force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT);
    FILE *out = problem == 0 ? fdopen(output.fd, "w") : NULL;
    if (out != NULL) {
        print_graph(g, o, out);
        bool failed = ferror(out) != 0;
        if (fclose(out) != 0 || failed) problem = errno;
        else problem = mp_output_publish(&output);
    } else if (problem == 0) {
        problem = errno;
        close(output.fd);
    }
    if (problem != 0) mp_output_discard(&output);
    mp_output_free(&output);
    if (problem == 0) return 0;
    return report_fail(error, o->call_graph, "give a file that can be written, or -force true",
                       "%s", mp_output_problem(problem));
}

/* ---- The command line. ---- */

static const struct row {
    enum { TEXT, BOOL, THRESH, FILES } kind;
    size_t offset; /* of the field */
    const char *name, *argument, *meaning;
} rows[] = {
#define MLPROF_OPTION(kind, field, name, argument, meaning) \
    {kind, offsetof(struct options, field), name, argument, meaning},
#include "memprof/report/mlprof/mlprof.def"
};
enum { OPTIONS = sizeof rows / sizeof *rows };

struct command {
    struct options options;
    char *kept;                  /* the expression of -thresh; owned */
    char *title;                 /* owned */
    char **words;                /* of the command line: program, files, NULL */
    REPORT_VECTOR(char *) files; /* owned */
    struct report_error *error;
};

static int take_bool(struct command *c, const struct row *row, const char *text, bool *out) {
    *out = strcmp(text, "true") == 0;
    if (*out || strcmp(text, "false") == 0) return 0;
    char option[32];
    snprintf(option, sizeof option, "-%s", row->name);
    return report_fail(c->error, option, "give one of true, false", "unknown value \"%s\"", text);
}

static void add_file(struct command *c, const char *path) {
    report_append(&c->files, report_copy(path));
}

/* Adds the files that a file lists. */
static int take_list(struct command *c, const char *path) {
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return report_fail(c->error, path, "give a list of files, one per line", "%s",
                           strerror(errno));
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != 0) add_file(c, line);
    }
    free(line);
    fclose(file);
    return 0;
}

static int apply(struct command *c, const struct row *row, const char *text) {
    void *field = (char *)&c->options + row->offset;
    if (row->kind == FILES) return take_list(c, text);
    if (row->kind == BOOL) return take_bool(c, row, text, field);
    if (row->kind == THRESH) {
        report_replace(&c->kept, report_format("(%s %s)", row->name, text));
        text = c->kept;
    }
    *(const char **)field = text;
    return 0;
}

/* Parses the options; `words` becomes what follows. */
static int parse(struct command *c, char **words) {
    const char *advice = "`bactrian help mlprof` lists the options";
    for (; *words != NULL && (*words)[0] == '-'; words += 2) {
        const char *name = *words + 1;
        unsigned id = 0;
        while (id < OPTIONS && strcmp(rows[id].name, name) != 0) id++;
        if (id == OPTIONS) return report_fail(c->error, *words, advice, "unknown option");
        if (words[1] == NULL)
            return report_fail(c->error, *words, advice, "expected %s", rows[id].argument);
        if (apply(c, &rows[id], words[1]) != 0) return -1;
    }
    c->words = words;
    if (*words == NULL) return report_fail(c->error, "", advice, "expected the name of a program");
    for (char **file = words + 1; *file != NULL; file++) add_file(c, *file);
    if (c->files.count == 0) add_file(c, "mlmon.out");
    return 0;
}

/* Reads a file and adds it. first: sum is empty. */
static int add_profile(const char *path, uint32_t magic, bool first, struct mlmon *sum,
                       struct report_error *error) {
    struct mlmon one;
    int failed = mlmon_read(path, &one, error);
    if (failed == 0 && one.magic != magic)
        failed = report_fail(error, path, "give the program that wrote it",
                             "wrong magic number: the file belongs to another program");
    if (failed == 0 && first) {
        *sum = one;
        return 0;
    }
    if (failed == 0) failed = mlmon_merge(sum, &one, path, error);
    mlmon_free(&one);
    return failed;
}

static int add_profiles(struct command *c, uint32_t magic, struct mlmon *sum) {
    size_t read = 0;
    report_each(file, &c->files)
        if (add_profile(*file, magic, read == 0, sum, c->error) == 0) read++;
        else if (!c->options.tolerant) return -1;
    return read > 0 ? 0 : -1;
}

static int show(struct command *c, const struct mlmon *sum, FILE *out) {
    struct graph graph;
    const struct options *o = &c->options;
    int failed = make_graph(sum, o->split, !o->long_name, &graph, c->error);
    if (failed == 0) failed = keep_nodes(&graph, o->keep, c->error);
    if (failed == 0 && o->call_graph != NULL) failed = write_graph(&graph, o, c->error);
    if (failed == 0) write_table(&graph, o, out);
    report_free(graph.nodes, graph.callees);
    return failed;
}

static int perform(struct command *c, mlprof_magic *magic_of, FILE *out) {
    struct mlmon sum = {.magic = 0};
    uint32_t magic;
    if (c->options.graph_title == NULL)
        c->options.graph_title = c->title = report_format("%s call-graph", c->words[0]);
    int status = magic_of(c->words[0], &magic);
    if (status != 0) return status;
    status = add_profiles(c, magic, &sum);
    if (status == 0) status = show(c, &sum, out);
    mlmon_free(&sum);
    return status;
}

int mlprof_run(char **words, mlprof_magic *magic_of, FILE *out, struct report_error *error) {
    struct command c = {.options.long_name = true, .error = error};
    int status = parse(&c, words);
    if (status == 0) status = perform(&c, magic_of, out);
    report_each(file, &c.files) free(*file);
    report_free(c.files.at, c.kept, c.title);
    return status;
}
