/* mlprof_internal.h - the functions that mlprof shows, as a graph. */
#ifndef BACTRIAN_MEMPROF_REPORT_MLPROF_MLPROF_INTERNAL_H
#define BACTRIAN_MEMPROF_REPORT_MLPROF_MLPROF_INTERNAL_H

#include "memprof/report/mlprof/mlmon.h"

#include <stdio.h>

/* A name with all its sources, or (-split) one source. */
struct mlprof_node {
    const char *name, *position;
    struct mlmon_counts counts;
    bool kept;
    uint32_t first_call, call_count; /* in mlprof_graph.callees */
};

struct mlprof_graph {
    const struct mlmon *profile;
    struct mlprof_node *nodes;
    uint32_t node_count;
    uint32_t *callees; /* of each node, ascending, each once */
};

struct mlprof_options {
    const char *call_graph, *graph_title, *keep, *split;
    bool gray, raw, show_line, tolerant, short_name;
};

/* n in percent of the total count. */
double mlprof_percent(const struct mlmon *profile, uint64_t n);

/* Makes the nodes and their calls. split: a regular expression for names, or NULL. Returns 0, or -1
 * and *error; *out is freed by mlprof_graph_free in both cases. */
int mlprof_graph_make(const struct mlmon *profile, const char *split, bool short_name,
                      struct mlprof_graph *out, struct report_error *error);
/* Frees the graph's nodes and calls. */
void mlprof_graph_free(struct mlprof_graph *graph);

/* Sets `kept` of the nodes that are in the set of the expression (NULL: all) and have counts to
 * show. Returns 0, or -1 and *error. */
int mlprof_keep(struct mlprof_graph *graph, const char *expression, struct report_error *error);

/* Writes the totals and the table of the kept nodes. */
void mlprof_write_table(const struct mlprof_graph *graph, const struct mlprof_options *options,
                        FILE *out);
/* Writes them as a graph for dot. Returns 0, or -1 and *error. */
int mlprof_write_graph(const struct mlprof_graph *graph, const struct mlprof_options *options,
                       struct report_error *error);

#endif
