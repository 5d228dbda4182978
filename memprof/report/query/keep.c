/* keep.c - --keep: the profile as a graph of calls between functions. */
#include "gc/assert.h"
#include "memprof/report/query/function_set.h"
#include "memprof/report/query/groups.h"

#include <stdlib.h>

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
    report_each(s, &m->samples) {
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
