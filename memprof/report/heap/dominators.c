/* dominators.c - dominators by the algorithm SNCA (L. Georgiadis, Linear-Time Algorithms for
 * Dominators and Related Problems, 2005, chapter 2): semidominators with path compression, as in
 * Lengauer and Tarjan's algorithm, then each immediate dominator as the nearest ancestor of the
 * parent whose number is not above the semidominator's. Nothing recurses: a list of ten million
 * cells is as deep as it is long.
 *
 * Nodes are renumbered in the order of a depth-first search, from 0; those that it does not reach
 * have no number. Most of the time goes to memory that is not in a cache: what is needed together
 * lies together (`mark`, `pairs`). */
#include "memprof/report/heap/dominators.h"

#include "gc/assert.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX, AHEAD = 8 };

/* Indexed by numbers of the search, except `mark`. */
struct search {
    const struct heap_graph *graph;
    uint32_t count;
    struct mark {
        uint32_t number;
        uint32_t before; /* how many predecessors; then where the next one goes */
    } * mark;            /* of each node */
    uint32_t *node, *parent;
    uint32_t *first_before, *before; /* predecessors, as numbers */
    uint32_t *semi;
    struct pair {
        union {
            uint32_t next;     /* in the search: the edge to follow */
            uint32_t ancestor; /* later: in the forest */
        };
        union {
            uint32_t end; /* of the node's edges */
            uint32_t low; /* the lowest semidominator on the path to the ancestor */
        };
    } * pairs;
};

/* ---- The search. ---- */

static void enter(struct search *s, uint32_t node, uint32_t parent) {
    const struct heap_graph *g = s->graph;
    const uint32_t number = s->count++, first = g->first[node], end = g->first[node + 1];
    s->mark[node].number = number;
    s->node[number] = node;
    s->parent[number] = parent;
    s->pairs[number] = (struct pair){.next = first, .end = end};
    for (uint32_t e = first; e < end && e < first + AHEAD; e++)
        __builtin_prefetch(&s->mark[g->edges[e]]);
}

static void depth_first(struct search *s) {
    const struct heap_graph *g = s->graph;
    for (size_t n = 0; n < g->nodes; n++) s->mark[n].number = NONE;
    enter(s, 0, 0);
    for (uint32_t at = 0;;) {
        struct pair *pair = &s->pairs[at];
        if (pair->next < pair->end) {
            const uint32_t to = g->edges[pair->next++];
            s->mark[to].before++;
            if (s->mark[to].number != NONE) continue;
            enter(s, to, at);
            at = s->count - 1;
        } else if (at == 0) break;
        else at = s->parent[at];
    }
}

static void list_predecessors(struct search *s) {
    const struct heap_graph *g = s->graph;
    uint32_t sum = 0;
    s->first_before = report_alloc(((size_t)s->count + 1) * sizeof *s->first_before);
    for (uint32_t i = 0; i < s->count; i++) {
        struct mark *mark = &s->mark[s->node[i]];
        const uint32_t count = mark->before;
        s->first_before[i] = mark->before = sum;
        sum += count;
    }
    s->first_before[s->count] = sum;
    s->before = report_alloc((size_t)sum * sizeof *s->before + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t end = g->first[s->node[i] + 1];
        for (uint32_t e = g->first[s->node[i]]; e < end; e++) {
            if (e + AHEAD < g->first[g->nodes]) __builtin_prefetch(&s->mark[g->edges[e + AHEAD]]);
            s->before[s->mark[g->edges[e]].before++] = i;
        }
    }
}

/* ---- Semidominators. ---- */

/* The lowest semidominator on the path to v in the forest of nodes above `linked`, which it
 * shortens. ancestor is reversed on the way up, so that the way back needs no memory. */
static uint32_t evaluate(struct pair *pairs, uint32_t v, uint32_t linked) {
    uint32_t below = NONE, at = v;
    if (pairs[v].ancestor < linked) return pairs[v].low;
    while (pairs[at].ancestor >= linked) {
        uint32_t up = pairs[at].ancestor;
        pairs[at].ancestor = below;
        below = at;
        at = up;
    }
    /* `at` is a root's child of the forest: all below it get its ancestor. */
    const uint32_t top = pairs[at].ancestor;
    uint32_t best = pairs[at].low;
    while (below != NONE) {
        struct pair *pair = &pairs[below];
        below = pair->ancestor;
        if (best < pair->low) pair->low = best;
        else best = pair->low;
        pair->ancestor = top;
    }
    return pairs[v].low;
}

static void find_semidominators(struct search *s) {
    for (uint32_t i = 0; i < s->count; i++)
        s->pairs[i] = (struct pair){.ancestor = s->parent[i], .low = i};
    for (uint32_t w = s->count; w-- > 1;) {
        uint32_t semi = s->parent[w];
        const uint32_t end = s->first_before[w + 1];
        for (uint32_t p = s->first_before[w]; p < end; p++) {
            const uint32_t v = s->before[p];
            const uint32_t candidate = v <= w ? v : evaluate(s->pairs, v, w + 1);
            if (candidate < semi) semi = candidate;
        }
        s->semi[w] = s->pairs[w].low = semi;
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
    s.mark = report_alloc(graph->nodes * sizeof *s.mark);
    s.node = report_alloc(graph->nodes * sizeof *s.node);
    s.parent = report_alloc(graph->nodes * sizeof *s.parent);
    s.pairs = report_alloc(graph->nodes * sizeof *s.pairs);
    depth_first(&s);
    list_predecessors(&s);
    free(s.mark);
    s.semi = report_alloc(s.count * sizeof *s.semi);
    find_semidominators(&s);
    report_free(s.before, s.first_before, s.pairs);
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
