/* fold.c - fewer call stacks, for the formats that spell out every one.
 *
 * A node is kept if enough hits are in the stacks through it. A sample whose node isn't gets the
 * stack of its innermost kept caller, then a frame that says so, then its own place: what is
 * allocated where, and all totals, stay as they are. */
#include "memprof/report/model/memory.h"
#include "memprof/report/model/model.h"

#include <stdlib.h>

/* Hits of the stacks through each node. */
static uint64_t *hits_through(const struct report_model *m) {
    uint64_t *hits = report_alloc(m->node_count * sizeof *hits);
    for (size_t i = 0; i < m->sample_count; i++) hits[m->samples[i].node] += m->samples[i].hits;
    for (size_t i = m->node_count - 1; i > 0; i--) hits[m->nodes[i].parent] += hits[i];
    return hits;
}

/* A number of hits that few enough nodes reach. */
static uint64_t choose_least(const uint64_t *hits, size_t count, size_t most) {
    for (uint64_t least = 1;; least += least / 4 + 1) {
        size_t reach = 0;
        for (size_t i = 0; i < count; i++) reach += hits[i] >= least;
        if (reach <= most) return least;
    }
}

/* The kept nodes go to the model as a new table. into[i]: the new number of node i or of its
 * innermost kept caller. */
static void keep_nodes(struct report_model *m, const struct report_node *old, size_t count,
                       const uint64_t *hits, uint64_t least, uint32_t *into) {
    m->nodes = NULL;
    m->node_count = m->node_capacity = 0;
    free(m->node_hash.slots);
    m->node_hash = (struct report_hash){0};
    report_grow(&m->nodes, &m->node_capacity, 1, sizeof *m->nodes);
    m->nodes[m->node_count++] = old[0];
    into[0] = 0;
    for (size_t i = 1; i < count; i++) {
        into[i] = into[old[i].parent];
        if (hits[i] >= least) into[i] = report_model_push(m, into[i], old[i].location);
    }
}

/* New nodes for the samples whose nodes are not kept. False: they are too many. */
static bool replace_nodes(struct report_model *m, const struct report_node *old,
                          const uint64_t *hits, uint64_t least, uint32_t *into, size_t most) {
    struct report_location smaller = {.line = -1, .start = -1, .end = -1};
    smaller.function = report_model_name(m, "(smaller stacks)");
    uint32_t mark = report_model_location(m, &smaller);
    for (size_t i = 0; i < m->sample_count; i++) {
        uint32_t node = m->samples[i].node;
        if (hits[node] >= least) continue;
        report_model_push(m, report_model_push(m, into[node], mark), old[node].location);
        if (m->node_count > most) return false;
    }
    for (size_t i = 0; i < m->sample_count; i++) {
        uint32_t *node = &m->samples[i].node;
        *node = hits[*node] >= least ? into[*node]
                                     : report_model_push(m, report_model_push(m, into[*node], mark),
                                                         old[*node].location);
    }
    return true;
}

void report_model_fold(struct report_model *m, size_t most) {
    if (m->node_count <= most) return;
    size_t count = m->node_count;
    struct report_node *old = m->nodes;
    uint64_t *hits = hits_through(m);
    uint32_t *into = report_alloc(count * sizeof *into);
    uint64_t least = choose_least(hits, count, most / 2);
    for (;; least *= 2) {
        keep_nodes(m, old, count, hits, least, into);
        /* With nothing kept but node 0 there is one node a place, and one more. */
        if (replace_nodes(m, old, hits, least, into, most + m->location_count + 1)) break;
        free(m->nodes);
    }
    free(old);
    free(hits);
    free(into);
}
