/* holders.c - see holders.h.
 *
 * A group is a set of blocks, its members. Its children are the blocks that members dominate, in
 * groups by kind, and by the field that leads to them if it has a name, except those of the
 * members' own kind, which join them: so recursive data, such as a list, is one group however long
 * it is. Every node is a member of one group only, and small groups are not divided, so the work is
 * linear. */
#include "memprof/report/heap/holders.h"

#include "gc/assert.h"

#include <stdlib.h>

enum { MOST_DEPTH = 40 };

/* What like nodes have in common: each root is one of its own. */
struct key {
    uint32_t kind, field;
};

struct group {
    uint32_t node, above;
    struct key key;
    uint64_t retained;
    struct report_numbers members; /* first those that are dominated from outside */
};

struct groups {
    REPORT_VECTOR(struct group) list;
    struct report_hash by_key; /* of kinds, and of roots */
};

struct finder {
    const struct heap_graph *graph;
    const struct heap_tree *tree;
    uint64_t least;
    struct heap_holders *out;
};

static bool is_root(const struct finder *f, uint32_t node) { return node <= f->graph->roots; }

static uint32_t kind_of(const struct finder *f, uint32_t node) {
    return is_root(f, node) ? node : (uint32_t)(f->graph->roots + 1 + heap_kind_of(f->graph, node));
}

static bool same_key(const void *owner, uint32_t number, const void *key) {
    const struct key *a = &((const struct groups *)owner)->list.at[number].key, *b = key;
    return a->kind == b->kind && a->field == b->field;
}

static void add_child(const struct finder *f, struct groups *to, uint32_t above, uint32_t node) {
    const struct key key = {kind_of(f, node), heap_named_field(f->graph, above, node)};
    const uint64_t hash = report_hash_number((uint64_t)key.kind << 32 | key.field);
    uint32_t number = report_hash_find(&to->by_key, hash, same_key, to, &key);
    if (number == REPORT_NO_NUMBER) {
        number = (uint32_t)to->list.count;
        report_append(&to->list, (struct group){.node = node, .above = above, .key = key});
        report_hash_add(&to->by_key, hash, number);
    }
    struct group *group = &to->list.at[number];
    report_append(&group->members, node);
    group->retained += f->tree->retained[node];
}

REPORT_COMPARE(by_retained, struct group,
               report_order(y->retained, x->retained) ?: report_order(x->node, y->node))

/* Completes the group's members, and lists its children. */
static struct groups divide(const struct finder *f, struct group *group) {
    const struct heap_tree *tree = f->tree;
    struct groups children = {0};
    for (size_t m = 0; m < group->members.count; m++) {
        const uint32_t node = group->members.at[m];
        for (uint32_t c = tree->first_child[node]; c < tree->first_child[node + 1]; c++) {
            const uint32_t child = tree->children[c];
            bool joins = node > 0 && !is_root(f, child) && kind_of(f, child) == group->key.kind;
            if (joins) report_append(&group->members, child);
            else add_child(f, &children, node, child);
        }
    }
    report_sort(&children.list, by_retained);
    return children;
}

/* Counts the sampled blocks of a group, and the site where most were allocated. */
static void count_samples(const struct finder *f, const struct group *group,
                          struct heap_holder *holder) {
    const struct heap_graph *g = f->graph;
    if (g->samples.count == 0) return;
    uint32_t *by_place = report_alloc(g->places.count * sizeof *by_place);
    for (size_t m = 0; m < group->members.count; m++) {
        const struct heap_sample *sample = heap_sample_of(g, group->members.at[m]);
        if (sample == NULL) continue;
        holder->sampled++;
        if (++by_place[sample->place] > holder->of_place) {
            holder->of_place = by_place[sample->place];
            holder->place = sample->place;
        }
    }
    free(by_place);
}

static void list_group(const struct finder *f, struct group *group, uint32_t depth) {
    struct groups children = divide(f, group);
    struct heap_holder holder = {.node = group->node,
                                 .above = group->above,
                                 .field = group->key.field,
                                 .depth = depth,
                                 .retained = group->retained};
    for (size_t m = 0; m < group->members.count; m++) {
        holder.own += heap_words(f->graph, group->members.at[m]);
        holder.blocks += !is_root(f, group->members.at[m]);
    }
    count_samples(f, group, &holder);
    report_append(&f->out->list, holder);
    report_free(group->members.at, children.by_key.slots);
    for (size_t i = 0; i < children.list.count; i++) {
        struct group *child = &children.list.at[i];
        if (child->retained >= f->least && depth < MOST_DEPTH) list_group(f, child, depth + 1);
        else free(child->members.at);
    }
    free(children.list.at);
}

struct heap_holders heap_holders_find(const struct heap_graph *graph, const struct heap_tree *tree,
                                      uint64_t least_words) {
    struct heap_holders out = {0};
    struct finder f = {graph, tree, least_words > 0 ? least_words : 1, &out};
    struct group all = {.retained = tree->retained[0], .key.field = HEAP_NO_FIELD};
    report_append(&all.members, 0);
    list_group(&f, &all, 0);
    return out;
}
