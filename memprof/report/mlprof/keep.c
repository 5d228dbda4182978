/* keep.c - which functions mlprof shows: those of -keep that have something to show. */
#include "memprof/report/mlprof/mlprof_internal.h"
#include "memprof/report/model/memory.h"
#include "memprof/report/query/function_set.h"

#include <stdlib.h>
#include <string.h>

/* The set that an expression denotes, a byte for each node. */
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
    struct report_call_graph graph = {n, names, calls, call_count, own, stack, gc};
    uint8_t *kept = report_keep_set(expression, &graph, "-keep", error);
    free(calls);
    free(names);
    free(gc);
    free(stack);
    free(own);
    return kept;
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
    uint8_t *kept = expression == NULL ? NULL : kept_by(g, expression, error);
    if (expression != NULL && kept == NULL) return -1;
    for (uint32_t i = 0; i < g->node_count; i++)
        g->nodes[i].kept = (kept == NULL || kept[i]) && has_something(g->profile, &g->nodes[i]);
    free(kept);
    return 0;
}
