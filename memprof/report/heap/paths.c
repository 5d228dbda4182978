/* paths.c - see paths.h.
 *
 * A breadth-first search finds a tree of shortest paths. Each node counts the wanted blocks below
 * it; nodes without any are dropped. The rest is merged from the top: the children of a step's
 * nodes are steps by kind and field, and those of the same kind as the step join it. */
#include "memprof/report/heap/paths.h"

#include "gc/assert.h"
#include "memprof/report/heap/types.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX, MOST_DEPTH = 60, LARGE_WORDS = 17 };

struct search {
    const struct heap_graph *graph;
    const bool *wanted;
    uint32_t *order, *parent, *edge; /* of the tree; edge: by which a node was reached */
    uint32_t count;
    uint32_t *blocks; /* wanted ones at and below each node */
    uint64_t *words;
    uint32_t *first_child, *children; /* those that have any */
    uint64_t least;
    struct heap_steps *out;
};

static bool is_block(const struct heap_graph *g, uint32_t node) { return node > g->roots; }

static bool is_wanted(const struct search *s, uint32_t node) { return s->wanted[node]; }

/* ---- The tree of shortest paths. ---- */

static void breadth_first(struct search *s) {
    const struct heap_graph *g = s->graph;
    memset(s->parent, 0xff, g->nodes * sizeof *s->parent);
    s->order[s->count++] = 0;
    s->parent[0] = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t node = s->order[i];
        for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
            const uint32_t to = g->edges[e];
            if (s->parent[to] != NONE) continue;
            s->parent[to] = node;
            s->edge[to] = e;
            s->order[s->count++] = to;
        }
    }
}

static void sum_wanted(struct search *s) {
    for (uint32_t i = s->count; i-- > 0;) {
        const uint32_t node = s->order[i];
        if (is_wanted(s, node)) {
            s->blocks[node]++;
            s->words[node] += heap_words(s->graph, node);
        }
        if (node == 0) continue;
        s->blocks[s->parent[node]] += s->blocks[node];
        s->words[s->parent[node]] += s->words[node];
    }
}

static void list_children(struct search *s) {
    const size_t nodes = s->graph->nodes;
    for (uint32_t i = 1; i < s->count; i++)
        if (s->blocks[s->order[i]] > 0) s->first_child[s->parent[s->order[i]]]++;
    uint32_t sum = 0;
    for (size_t n = 0; n <= nodes; n++) s->first_child[n] = sum += s->first_child[n];
    s->children = report_alloc((size_t)sum * sizeof *s->children + 1);
    for (uint32_t i = s->count; i-- > 1;) {
        const uint32_t node = s->order[i];
        if (s->blocks[node] > 0) s->children[--s->first_child[s->parent[node]]] = node;
    }
}

/* ---- Merging. ---- */

/* What like steps have in common. */
struct key {
    uint32_t kind;  /* of blocks; of a root its number plus those of kinds */
    uint32_t field; /* HEAP_NO_FIELD: any */
};

struct group {
    struct heap_step step;
    struct key key;
    struct report_numbers members;
};

struct groups {
    REPORT_VECTOR(struct group) list;
    struct report_hash by_key;
};

static uint32_t field_of(const struct search *s, uint32_t node) {
    return s->graph->fields[s->edge[node]];
}

/* Which field of a large block or of an array it is says nothing, unless it has a name. */
static struct key key_of(const struct search *s, uint32_t node) {
    const struct heap_graph *g = s->graph;
    if (!is_block(g, node))
        return (struct key){(uint32_t)(g->kind_list.count + node), HEAP_NO_FIELD};
    const uint32_t field = field_of(s, node), above = s->parent[node];
    bool counts = (heap_words(g, above) <= LARGE_WORDS && !heap_is_array(g, above)) ||
                  heap_field_name(g, above, field) != NULL;
    return (struct key){heap_kind_of(g, node), counts ? field : HEAP_NO_FIELD};
}

static bool same_key(const void *owner, uint32_t number, const void *key) {
    const struct key *a = &((const struct groups *)owner)->list.at[number].key, *b = key;
    return a->kind == b->kind && a->field == b->field;
}

static void add_child(const struct search *s, struct groups *to, uint32_t node, uint32_t depth) {
    const struct key key = key_of(s, node);
    const uint64_t hash = report_hash_number((uint64_t)key.kind << 32 | key.field);
    uint32_t number = report_hash_find(&to->by_key, hash, same_key, to, &key);
    if (number == REPORT_NO_NUMBER) {
        const uint64_t above = heap_words(s->graph, s->parent[node]);
        struct group group = {
            .key = key,
            .step = {.node = node, .above = s->parent[node], .field = key.field, .depth = depth}};
        group.step.index = field_of(s, node);
        group.step.of = above > 0 ? (uint32_t)(above - 1) : 0;
        number = (uint32_t)to->list.count;
        report_append(&to->list, group);
        report_hash_add(&to->by_key, hash, number);
    }
    struct group *group = &to->list.at[number];
    report_append(&group->members, node);
    group->step.fields++;
    group->step.blocks += s->blocks[node];
    group->step.words += s->words[node];
}

REPORT_COMPARE(by_words, struct group,
               report_order(y->step.words, x->step.words)
                   ?: report_order(x->step.node, y->step.node))

static void list_steps(const struct search *s, struct group *group) {
    struct groups children = {0};
    for (size_t m = 0; m < group->members.count; m++) {
        const uint32_t node = group->members.at[m];
        group->step.ends |= is_wanted(s, node);
        for (uint32_t c = s->first_child[node]; c < s->first_child[node + 1]; c++) {
            const uint32_t child = s->children[c];
            bool joins = is_block(s->graph, node) && key_of(s, child).kind == group->key.kind;
            if (joins) report_append(&group->members, child);
            else add_child(s, &children, child, group->step.depth + 1);
        }
    }
    group->step.recursive = group->members.count > group->step.fields;
    report_sort(&children.list, by_words);
    report_append(&s->out->list, group->step);
    report_free(group->members.at, children.by_key.slots);
    report_each(child, &children.list) {
        bool shown = child->step.words >= s->least && child->step.depth < MOST_DEPTH;
        if (shown) list_steps(s, child);
        else free(child->members.at);
    }
    free(children.list.at);
}

struct heap_steps heap_steps_find(const struct heap_graph *graph, const bool *wanted,
                                  double least) {
    struct heap_steps out = {0};
    struct search s = {.graph = graph, .wanted = wanted, .out = &out};
    s.order = report_alloc(graph->nodes * sizeof *s.order);
    s.parent = report_alloc(graph->nodes * sizeof *s.parent);
    s.edge = report_alloc(graph->nodes * sizeof *s.edge);
    s.blocks = report_alloc(graph->nodes * sizeof *s.blocks);
    s.words = report_alloc(graph->nodes * sizeof *s.words);
    s.first_child = report_alloc((graph->nodes + 1) * sizeof *s.first_child);
    breadth_first(&s);
    sum_wanted(&s);
    list_children(&s);
    out.blocks = s.blocks[0];
    out.words = s.words[0];
    s.least = (uint64_t)(least * (double)out.words) + 1;
    struct group all = {.step = {.depth = 0, .field = HEAP_NO_FIELD}, .key = {NONE, NONE}};
    report_append(&all.members, 0);
    list_steps(&s, &all);
    report_free(s.order, s.parent, s.edge, s.blocks, s.words, s.first_child, s.children);
    return out;
}
