/* dominators.c - dominators by the algorithm SNCA (L. Georgiadis, Linear-Time Algorithms for
 * Dominators and Related Problems, 2005, chapter 2): semidominators with path compression, as in
 * Lengauer and Tarjan's algorithm, then each immediate dominator as the nearest ancestor of the
 * parent whose number is not above the semidominator's. Nothing recurses: a list of ten million
 * cells is as deep as it is long.
 *
 * Nodes are renumbered in the order of a depth-first search, from 0; those that it does not reach
 * have no number. */
#include "memprof/report/heap/dominators.h"

#include "gc/assert.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

/* Indexed by numbers of the search, except `number`. */
struct search {
    const struct heap_graph *graph;
    uint32_t count;
    uint32_t *number, *node; /* of a node; the node of a number */
    uint32_t *parent;
    uint32_t *first_before, *before; /* predecessors, as numbers */
    uint32_t *semi, *label, *ancestor;
};

/* ---- The search. ---- */

static void depth_first(struct search *s) {
    const struct heap_graph *g = s->graph;
    uint32_t *next = report_alloc(g->nodes * sizeof *next); /* of each node: the edge to follow */
    uint32_t at = 0;
    memset(s->number, 0xff, g->nodes * sizeof *s->number);
    memcpy(next, g->first, g->nodes * sizeof *next);
    s->number[0] = s->node[0] = s->parent[0] = 0;
    s->count = 1;
    for (;;) {
        if (next[at] < g->first[at + 1]) {
            uint32_t to = g->edges[next[at]++];
            if (s->number[to] != NONE) continue;
            s->parent[s->count] = s->number[at];
            s->node[s->count] = to;
            s->number[to] = s->count++;
            at = to;
        } else if (at == 0) break;
        else at = s->node[s->parent[s->number[at]]];
    }
    free(next);
}

static void list_predecessors(struct search *s) {
    const struct heap_graph *g = s->graph;
    uint32_t *first = report_alloc(((size_t)s->count + 1) * sizeof *first);
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t e = g->first[s->node[i]]; e < g->first[s->node[i] + 1]; e++)
            first[s->number[g->edges[e]]]++;
    for (uint32_t i = 0, sum = 0; i <= s->count; i++) { /* where each list ends */
        sum += first[i];
        first[i] = sum;
    }
    s->before = report_alloc((size_t)first[s->count] * sizeof *s->before + 1);
    for (uint32_t i = s->count; i-- > 0;)
        for (uint32_t e = g->first[s->node[i]]; e < g->first[s->node[i] + 1]; e++)
            s->before[--first[s->number[g->edges[e]]]] = i;
    s->first_before = first;
}

/* ---- Semidominators. ---- */

/* The node with the lowest semidominator on the path to v in the forest of nodes above `linked`,
 * which it shortens. ancestor is reversed on the way up, so that the way back needs no memory. */
static uint32_t evaluate(struct search *s, uint32_t v, uint32_t linked) {
    uint32_t below = NONE, at = v;
    if (s->ancestor[v] < linked) return s->label[v];
    while (s->ancestor[at] >= linked) {
        uint32_t up = s->ancestor[at];
        s->ancestor[at] = below;
        below = at;
        at = up;
    }
    /* `at` is a root's child of the forest: all below it get its ancestor. */
    const uint32_t top = s->ancestor[at];
    uint32_t best = s->label[at];
    while (below != NONE) {
        uint32_t further = s->ancestor[below];
        if (s->semi[best] < s->semi[s->label[below]]) s->label[below] = best;
        else best = s->label[below];
        s->ancestor[below] = top;
        below = further;
    }
    return s->label[v];
}

static void find_semidominators(struct search *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        s->semi[i] = s->label[i] = i;
        s->ancestor[i] = s->parent[i];
    }
    for (uint32_t w = s->count; w-- > 1;) {
        uint32_t semi = s->parent[w];
        for (uint32_t p = s->first_before[w]; p < s->first_before[w + 1]; p++) {
            uint32_t v = s->before[p];
            uint32_t candidate = v <= w ? v : s->semi[evaluate(s, v, w + 1)];
            if (candidate < semi) semi = candidate;
        }
        s->semi[w] = semi;
    }
}

/* semi[i] becomes the immediate dominator of i. */
static void find_dominators(struct search *s) {
    for (uint32_t i = 1; i < s->count; i++) {
        uint32_t dominator = s->parent[i];
        while (dominator > s->semi[i]) dominator = s->semi[dominator];
        s->semi[i] = dominator;
        ASSERT(dominator < i); /* HD1 */
    }
}

/* ---- The tree. ---- */

static void make_children(struct heap_tree *tree, const struct search *s) {
    const size_t nodes = s->graph->nodes;
    tree->first_child = report_alloc((nodes + 1) * sizeof *tree->first_child);
    tree->children = report_alloc(s->count * sizeof *tree->children);
    for (uint32_t i = 1; i < s->count; i++) tree->first_child[s->node[s->semi[i]]]++;
    for (size_t n = 0, sum = 0; n <= nodes; n++) {
        sum += tree->first_child[n];
        tree->first_child[n] = (uint32_t)sum;
    }
    for (uint32_t i = s->count; i-- > 1;)
        tree->children[--tree->first_child[s->node[s->semi[i]]]] = s->node[i];
}

static void sum_retained(struct heap_tree *tree, const struct search *s) {
    const struct heap_graph *g = s->graph;
    tree->retained = report_alloc(g->nodes * sizeof *tree->retained);
    for (uint32_t i = s->count; i-- > 0;) {
        uint64_t own = tree->retained[s->node[i]] += heap_words(g, s->node[i]);
        if (i > 0) tree->retained[s->node[s->semi[i]]] += own;
    }
}

struct heap_tree *heap_tree_make(const struct heap_graph *graph) {
    struct search s = {.graph = graph};
    struct heap_tree *tree = report_alloc(sizeof *tree);
    s.number = report_alloc(graph->nodes * sizeof *s.number);
    s.node = report_alloc(graph->nodes * sizeof *s.node);
    s.parent = report_alloc(graph->nodes * sizeof *s.parent);
    depth_first(&s);
    list_predecessors(&s);
    free(s.number);
    s.semi = report_alloc(s.count * sizeof *s.semi);
    s.label = report_alloc(s.count * sizeof *s.label);
    s.ancestor = report_alloc(s.count * sizeof *s.ancestor);
    find_semidominators(&s);
    report_free(s.before, s.first_before, s.label, s.ancestor);
    find_dominators(&s);
    tree->unreachable = graph->nodes - s.count;
    make_children(tree, &s);
    sum_retained(tree, &s);
    report_free(s.node, s.parent, s.semi);
    return tree;
}

void heap_tree_free(struct heap_tree *tree) {
    if (tree == NULL) return;
    report_free(tree->first_child, tree->children, tree->retained, tree);
}
