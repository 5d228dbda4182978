/* grow_heap.c - growth between two heap snapshots, exact: by holder and by kind of block.
 *
 * Blocks move, so holders of the two are the same if the names on the way to them from the roots
 * are (heap/holders.h): never by address. */
#include "memprof/report/advice/advice.h"

#include "gc/assert.h"
#include "memprof/report/heap/holders.h"
#include "memprof/report/heap/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE, AFTER, SIDES, KINDS = 20, MOST_DEPTH = 64, LARGE = 17 /* words */ };
static const double LEAST_HOLDER = 0.0005; /* of all words: smaller holders are not compared */
static const double LEAST_CHANGE = 0.01;   /* of the larger snapshot, by default */

/* Something with that key below the holder `parent`, in either snapshot; or a kind. */
struct change {
    uint32_t parent, depth;
    char *key, *name; /* name: of the later snapshot, if it is there */
    uint64_t words[SIDES], blocks[SIDES];
};

struct changes {
    REPORT_VECTOR(struct change) list;
    struct report_hash by_key;
};

static double net_words(const struct change *c) {
    return (double)c->words[AFTER] - (double)c->words[BEFORE];
}

static bool is_change(const void *owner, uint32_t number, const void *key) {
    const struct change *a = &((const struct changes *)owner)->list.at[number], *b = key;
    return a->parent == b->parent && strcmp(a->key, b->key) == 0;
}

/* What a holder or a kind is recognised by: its name, of large blocks without their size, since a
 * table or a buffer grows. Freed with free(). */
static char *key_of(const struct heap_kind *kind, const char *name) {
    return kind != NULL && kind->words > LARGE && kind->name == NULL
               ? report_format("large block of tag %u: %s", kind->tag,
                               kind->type == NULL ? "" : kind->type)
               : report_copy(name);
}

/* Adds to what has that key; takes the texts over. Returns its number. */
static uint32_t add_words(struct changes *changes, int side, uint32_t parent, char *key, char *name,
                          uint64_t words, uint64_t blocks) {
    struct change added = {.parent = parent, .key = key, .name = name};
    uint64_t hash = report_hash_bytes(key, strlen(key)) + report_hash_number(parent);
    uint32_t found = report_hash_find(&changes->by_key, hash, is_change, changes, &added);
    if (found == REPORT_NO_NUMBER) {
        found = changes->list.count;
        added.depth = found == parent ? 0 : changes->list.at[parent].depth + 1;
        report_append(&changes->list, added);
        report_hash_add(&changes->by_key, hash, found);
    } else {
        report_replace(&changes->list.at[found].name, name);
        free(key);
    }
    changes->list.at[found].words[side] += words;
    changes->list.at[found].blocks[side] += blocks;
    return found;
}

/* Number 0 stands for everything; the list of holders begins with it. */
static void add_holders(struct changes *changes, int side, const struct heap_graph *graph) {
    struct heap_tree *tree = heap_tree_make(graph);
    uint64_t least = (uint64_t)(LEAST_HOLDER * (double)graph->total.words);
    struct heap_holders holders = heap_holders_find(graph, tree, least);
    uint32_t path[MOST_DEPTH] = {0};
    report_each(h, &holders.list) {
        if (h->depth >= MOST_DEPTH) continue;
        uint32_t parent = h->depth > 0 ? path[h->depth - 1] : 0;
        char *name = h->node == 0 ? report_copy("everything") : heap_node_text(graph, h->node);
        bool is_block = h->node > graph->roots;
        const struct heap_kind *kind = is_block ? &graph->kind_list.at[heap_kind_of(graph, h->node)]
                                                : NULL;
        path[h->depth] = add_words(changes, side, parent, key_of(kind, name), name, h->retained,
                                   h->blocks);
    }
    free(holders.list.at);
    heap_tree_free(tree);
}

static void add_kinds(struct changes *changes, int side, const struct heap_graph *graph) {
    uint64_t *words = report_alloc((graph->kind_list.count + 1) * sizeof *words);
    uint64_t *blocks = report_alloc((graph->kind_list.count + 1) * sizeof *blocks);
    for (uint32_t node = graph->roots + 1; node < graph->nodes; node++) {
        words[heap_kind_of(graph, node)] += heap_words(graph, node);
        blocks[heap_kind_of(graph, node)]++;
    }
    for (size_t i = 0; i < graph->kind_list.count; i++) {
        char *name = heap_kind_text(&graph->kind_list.at[i]);
        add_words(changes, side, 0, report_copy(name), name, words[i], blocks[i]);
    }
    report_free(words, blocks);
}

static void changes_clear(struct changes *changes) {
    report_each(c, &changes->list) report_free(c->key, c->name);
    report_free(changes->list.at, changes->by_key.slots);
}

static int by_growth(const void *a, const void *b, void *changes) {
    const struct change *x = &((struct changes *)changes)->list.at[*(const uint32_t *)a];
    const struct change *y = &((struct changes *)changes)->list.at[*(const uint32_t *)b];
    return report_order(fabs(net_words(y)), fabs(net_words(x))) ?: strcmp(x->name, y->name);
}

/* The numbers, those that changed most first; freed with free(). */
static uint32_t *order_of(struct changes *changes) {
    uint32_t *order = report_alloc((changes->list.count + 1) * sizeof *order);
    for (size_t i = 0; i < changes->list.count; i++) order[i] = i;
    qsort_r(order, changes->list.count, sizeof *order, by_growth, changes);
    return order;
}

static void add_row(struct report_table *t, const struct change *c) {
    double word = sizeof(uint64_t);
    report_row(
        t, c->depth, report_bytes(net_words(c) * word),
        report_bytes((double)c->words[BEFORE] * word), report_bytes((double)c->words[AFTER] * word),
        report_count((double)c->blocks[AFTER] - (double)c->blocks[BEFORE]), report_text(c->name));
}

/* The children of each, in order, as a table that has no rows of small changes. */
static void add_tree(struct report_doc *doc, struct changes *changes, double least) {
    struct report_table *t = report_doc_table(doc, REPORT_TREE, "holders",
                                              "Retained by roots and what they lead to");
    report_table_columns(t, "net", "net", "before", "before", "after", "after", "blocks",
                         "blocks, net", "name", "holder", NULL);
    uint32_t *order = order_of(changes), stack[MOST_DEPTH];
    size_t at[MOST_DEPTH] = {0}, depth = 0;
    if (changes->list.count > 0) add_row(t, &changes->list.at[0]);
    stack[0] = 0;
    while (changes->list.count > 0) {
        const struct change *c = NULL;
        while (at[depth] < changes->list.count && c == NULL) {
            const struct change *next = &changes->list.at[order[at[depth]++]];
            bool below = next->depth == depth + 1 && next->parent == stack[depth];
            if (fabs(net_words(next)) < least) at[depth] = changes->list.count;
            else if (below) c = next;
        }
        if (c == NULL) {
            if (depth-- == 0) break;
            continue;
        }
        add_row(t, c);
        if (c->depth + 1 >= MOST_DEPTH) continue;
        depth++;
        stack[depth] = c - changes->list.at;
        at[depth] = 0;
    }
    free(order);
}

static void add_kind_rows(struct report_doc *doc, struct changes *kinds,
                          const struct report_selection *selection) {
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "kinds", "By kind of block");
    report_table_columns(t, "net", "net", "before", "before", "after", "after", "blocks",
                         "blocks, net", "name", "kind", NULL);
    uint32_t *order = order_of(kinds);
    size_t rows = report_rows_to_make(t, selection, KINDS, 0);
    for (size_t i = 0; i < kinds->list.count && i < rows; i++) {
        struct change *c = &kinds->list.at[order[i]];
        c->depth = 0;
        if (c->words[BEFORE] != c->words[AFTER]) add_row(t, c);
    }
    free(order);
}

struct report_doc *report_grow_of_snapshots(const struct report_request *request) {
    const char *paths[SIDES] = {request->path, request->other_path};
    struct changes holders = {0}, kinds = {0};
    uint64_t most = 0;
    struct report_doc *doc = NULL;
    int side = BEFORE;
    for (; side < SIDES; side++) {
        struct heap_graph *graph = heap_graph_load(paths[side], request->error);
        if (graph == NULL) break;
        if (graph->total.words > most) most = graph->total.words;
        add_holders(&holders, side, graph);
        add_kinds(&kinds, side, graph);
        heap_graph_free(graph);
    }
    if (side == SIDES) {
        double share = request->selection.threshold > 0 ? request->selection.threshold
                                                        : LEAST_CHANGE;
        doc = report_doc_create("grow", "Growth from %s to %s, exact", paths[BEFORE], paths[AFTER]);
        add_tree(doc, &holders, fmax(1, share * (double)most));
        add_kind_rows(doc, &kinds, &request->selection);
        report_doc_note(doc,
                        "Holders are compared by the names on the way to them; changes below "
                        "%g %% of the heap are left out (--thresh).",
                        share * 100);
    }
    changes_clear(&holders);
    changes_clear(&kinds);
    return doc;
}
