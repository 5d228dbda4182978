/* held.c - see held.h. */
#include "memprof/report/heap/held.h"

#include "memprof/report/heap/names.h"

#include <stdlib.h>

enum { MOST_STEPS = 4 };

/* Whether `node` is a holder of its own below `above`, which is one: a module's block, or what a
 * field of a module or a captured variable leads to. Below that it is the shape of data. */
static bool has_name(const struct heap_graph *g, uint32_t above, uint32_t node) {
    const uint32_t field = heap_named_field(g, above, node);
    return (field != HEAP_NO_FIELD && heap_own_name(g, above, field) != NULL) ||
           (above <= g->roots && heap_is_module(g, node));
}

/* The steps from the root to a holder. */
static uint32_t steps_of(const struct heap_held *held, uint32_t holder) {
    uint32_t steps = 0;
    for (; held->above[holder] != 0; holder = held->above[holder]) steps++;
    return steps;
}

static uint32_t holder_of(const struct heap_graph *g, const struct heap_held *held, uint32_t above,
                          uint32_t node) {
    if (above == 0) return node;
    const uint32_t holder = held->holder[above];
    bool own = holder == above && steps_of(held, holder) < MOST_STEPS && has_name(g, above, node);
    return own ? node : holder;
}

struct heap_held heap_held_find(const struct heap_graph *g, const struct heap_tree *tree) {
    struct heap_held held = {report_alloc(g->nodes * sizeof *held.above),
                             report_alloc(g->nodes * sizeof *held.holder)};
    struct report_numbers stack = {0};
    for (size_t n = 0; n < g->nodes; n++) held.holder[n] = (uint32_t)n; /* of unreachable ones */
    report_append(&stack, 0);
    while (stack.count > 0) {
        const uint32_t node = stack.at[--stack.count];
        for (uint32_t c = tree->first_child[node]; c < tree->first_child[node + 1]; c++) {
            const uint32_t child = tree->children[c];
            held.above[child] = node;
            held.holder[child] = holder_of(g, &held, node, child);
            report_append(&stack, child);
        }
    }
    free(stack.at);
    return held;
}

void heap_held_free(struct heap_held *held) { report_free(held->above, held->holder); }

char *heap_holder_text(const struct heap_graph *g, const struct heap_held *held, uint32_t holder) {
    const uint32_t above = held->above[holder];
    if (above == 0) return heap_held_text(g, holder);
    char *before = heap_holder_text(g, held, above);
    if (above <= g->roots && heap_is_module(g, holder)) return before; /* `module M` says it */
    char *edge = heap_edge_text(g, above, heap_named_field(g, above, holder));
    char *what = heap_node_text(g, holder);
    char *text = report_format("%s > %s %s", before, edge, what);
    report_free(before, edge, what);
    return text;
}
