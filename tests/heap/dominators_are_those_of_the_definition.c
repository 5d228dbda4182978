/* HD1, HG1: on random graphs, a node's dominators, its retained size and the nodes that nothing
 * reaches are those that follow from the definition: what cannot be reached without it. */
#include "memprof/report/heap/dominators.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GRAPHS = 4000, MOST_NODES = 40, MOST_EDGES = 100 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* A graph of blocks without roots: node 0 stands for these. */
static struct heap_graph *random_graph(uint32_t *state) {
    struct heap_graph *g = report_alloc(sizeof *g);
    uint32_t from[MOST_EDGES], to[MOST_EDGES], edges = next_random(state) % MOST_EDGES;
    g->nodes = 1 + next_random(state) % MOST_NODES;
    g->first = report_alloc((g->nodes + 1) * sizeof *g->first);
    g->edges = report_alloc((edges + 1) * sizeof *g->edges);
    g->words = report_alloc(g->nodes * sizeof *g->words);
    for (size_t i = 0; i + 1 < g->nodes; i++) g->words[i] = 1 + next_random(state) % 1000;
    for (uint32_t e = 0; e < edges; e++) {
        from[e] = next_random(state) % (uint32_t)g->nodes;
        to[e] = next_random(state) % (uint32_t)g->nodes;
    }
    uint32_t at = 0;
    for (uint32_t n = 0; n < g->nodes; n++) {
        g->first[n] = at;
        for (uint32_t e = 0; e < edges; e++)
            if (from[e] == n) g->edges[at++] = to[e];
    }
    g->first[g->nodes] = at;
    return g;
}

/* Marks what node 0 reaches without passing `without`. */
static void reach(const struct heap_graph *g, uint32_t without, bool *reached) {
    uint32_t stack[MOST_NODES], depth = 0;
    memset(reached, 0, MOST_NODES * sizeof *reached);
    if (without == 0) return;
    reached[0] = true;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t n = stack[--depth];
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++) {
            uint32_t to = g->edges[e];
            if (to == without || reached[to]) continue;
            reached[to] = true;
            stack[depth++] = to;
        }
    }
}

/* The words that are lost without a node, and whether its subtree is exactly these nodes. */
static void check_node(const struct heap_graph *g, const struct heap_tree *tree, uint32_t node,
                       const bool *all) {
    bool reached[MOST_NODES], below[MOST_NODES] = {false};
    uint64_t retained = 0;
    uint32_t stack[MOST_NODES], depth = 0;
    reach(g, node, reached);
    below[node] = true;
    stack[depth++] = node;
    while (depth > 0) {
        uint32_t n = stack[--depth];
        for (uint32_t c = tree->first_child[n]; c < tree->first_child[n + 1]; c++) {
            assert_false(below[tree->children[c]]);
            below[tree->children[c]] = true;
            stack[depth++] = tree->children[c];
        }
    }
    for (uint32_t n = 0; n < g->nodes; n++) {
        assert_int_equal(below[n], all[n] && !reached[n]);
        if (below[n]) retained += heap_words(g, n);
    }
    assert_int_equal(tree->retained[node], retained);
}

static void hd1_random_graphs(void **unused) {
    uint32_t state = 1;
    for (int i = 0; i < GRAPHS; i++) {
        struct heap_graph *g = random_graph(&state);
        struct heap_tree *tree = heap_tree_make(g);
        bool all[MOST_NODES];
        size_t unreachable = 0;
        reach(g, UINT32_MAX, all);
        for (uint32_t n = 0; n < g->nodes; n++) {
            if (all[n]) check_node(g, tree, n, all);
            else unreachable++;
        }
        assert_int_equal(tree->unreachable, unreachable);
        heap_tree_free(tree);
        heap_graph_free(g);
    }
}

/* A list of a million cells, each with an edge back to the first. */
static void hd1_deep_graphs_need_no_stack(void **unused) {
    enum { CELLS = 1000000 };
    struct heap_graph *g = report_alloc(sizeof *g);
    g->nodes = CELLS + 1;
    g->first = report_alloc((CELLS + 2) * sizeof *g->first);
    g->edges = report_alloc(2 * (CELLS + 1) * sizeof *g->edges);
    g->words = report_alloc(CELLS * sizeof *g->words);
    uint32_t at = 0;
    for (uint32_t n = 0; n <= CELLS; n++) {
        g->first[n] = at;
        if (n < CELLS) g->edges[at++] = n + 1;
        if (n > 0) g->edges[at++] = 1;
        if (n > 0) g->words[n - 1] = 3;
    }
    g->first[CELLS + 1] = at;
    struct heap_tree *tree = heap_tree_make(g);
    assert_int_equal(tree->retained[1], 3 * (uint64_t)CELLS);
    assert_int_equal(tree->retained[CELLS], 3);
    heap_tree_free(tree);
    heap_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hd1_random_graphs),
        cmocka_unit_test(hd1_deep_graphs_need_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
