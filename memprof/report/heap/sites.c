/* sites.c - see sites.h. */
#include "memprof/report/heap/sites.h"

#include "gc/assert.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

/* The dominator of each node; NONE: it has none. */
static uint32_t *list_dominators(const struct heap_graph *g, const struct heap_tree *tree) {
    uint32_t *above = report_alloc(g->nodes * sizeof *above);
    memset(above, 0xff, g->nodes * sizeof *above);
    for (size_t n = 0; n < g->nodes; n++)
        for (uint32_t c = tree->first_child[n]; c < tree->first_child[n + 1]; c++)
            above[tree->children[c]] = (uint32_t)n;
    return above;
}

/* The holder of a node. A module's block stands for its root. Dominators are found in steps of
 * halves: `above` is shortened on the way, so that a list costs its length once. */
static uint32_t holder_of(uint32_t *above, uint32_t node) {
    while (above[node] != 0 && above[node] != NONE && above[above[node]] != 0) {
        above[node] = above[above[node]];
        node = above[node];
    }
    return above[node] == 0 || above[node] == NONE ? node : above[node];
}

static bool same_site(const void *owner, uint32_t number, const void *key) {
    const struct heap_site *a = &((const struct heap_sites *)owner)->list.at[number], *b = key;
    return a->place == b->place && a->holder == b->holder;
}

REPORT_COMPARE(by_sampled, struct heap_site,
               report_order(y->sampled, x->sampled)
                   ?: report_order(y->words, x->words) ?: report_order(x->holder, y->holder))

struct heap_sites heap_sites_find(const struct heap_graph *g, const struct heap_tree *tree) {
    struct heap_sites out = {0};
    struct report_hash table = {0};
    uint32_t *above = list_dominators(g, tree);
    report_each(sample, &g->samples) {
        struct heap_site site = {.place = sample->place, .holder = holder_of(above, sample->node)};
        const uint64_t hash = report_hash_number((uint64_t)site.place << 32 | site.holder);
        uint32_t number = report_hash_find(&table, hash, same_site, &out, &site);
        if (number == REPORT_NO_NUMBER) {
            number = (uint32_t)out.list.count;
            report_append(&out.list, site);
            report_hash_add(&table, hash, number);
        }
        out.list.at[number].sampled++;
        out.list.at[number].words += heap_words(g, sample->node);
    }
    if (out.list.count > 1) qsort(out.list.at, out.list.count, sizeof *out.list.at, by_sampled);
    report_free(above, table.slots);
    return out;
}
