/* fold.c - fewer call stacks, for formats that spell out every one.
 *
 * A node is kept if the stacks through it have enough hits. A sample whose node is not kept gets
 * the stack of its innermost kept caller, a frame `(smaller stacks)`, and its own location: what is
 * allocated where, and all totals, stay. */
#include "gc/assert.h"
#include "memprof/report/model/model.h"

#include <stdlib.h>

/* Hits of the stacks through each node. */
static uint64_t *hits_through(const struct report_model *m) {
    uint64_t *hits = report_alloc(m->nodes.count * sizeof *hits);
    report_each(s, &m->samples) hits[s->node] += s->hits;
    for (size_t i = m->nodes.count - 1; i > 0; i--) hits[m->nodes.at[i].parent] += hits[i];
    return hits;
}

/* A number of hits that at most `most` nodes reach. */
static uint64_t choose_least(const uint64_t *hits, size_t count, size_t most) {
    for (uint64_t least = 1;; least += least / 4 + 1) {
        size_t reach = 0;
        for (size_t i = 0; i < count; i++) reach += hits[i] >= least;
        if (reach <= most) return least;
    }
}

/* Moves the kept nodes to a new table. into[i]: the new number of node i or of its innermost kept
 * caller. */
static void keep_nodes(struct report_model *m, const struct report_node *old, size_t count,
                       const uint64_t *hits, uint64_t least, uint32_t *into) {
    m->nodes.at = NULL;
    m->nodes.count = m->nodes.capacity = 0;
    free(m->node_hash.slots);
    m->node_hash = (struct report_hash){0};
    report_append(&m->nodes, old[0]);
    into[0] = 0;
    for (size_t i = 1; i < count; i++) {
        ASSERT(old[i].parent < i); /* PM1 */
        into[i] = into[old[i].parent];
        if (hits[i] >= least) into[i] = report_model_push(m, into[i], old[i].location);
    }
}

/* Makes new nodes for the samples whose nodes are not kept. False: they would be too many. */
static bool replace_nodes(struct report_model *m, const struct report_node *old,
                          const uint64_t *hits, uint64_t least, const uint32_t *into, size_t most) {
    struct report_location smaller = {.line = -1, .start = -1, .end = -1};
    smaller.function = report_model_name(m, "(smaller stacks)");
    uint32_t frame = report_model_location(m, &smaller);
    /* All nodes are made before the first sample moves, so that a failure leaves the samples. */
    for (int moving = 0; moving < 2; moving++)
        report_each(s, &m->samples) {
            uint32_t to = into[s->node];
            if (hits[s->node] < least)
                to = report_model_push(m, report_model_push(m, to, frame), old[s->node].location);
            if (m->nodes.count > most) return false;
            if (moving) s->node = to;
        }
    return true;
}

void report_model_fold(struct report_model *m, size_t most) {
    if (m->nodes.count <= most) return;
    size_t count = m->nodes.count;
    struct report_node *old = m->nodes.at;
    uint64_t *hits = hits_through(m);
    uint32_t *into = report_alloc(count * sizeof *into);
    uint64_t least = choose_least(hits, count, most / 2);
    for (;; least *= 2) {
        keep_nodes(m, old, count, hits, least, into);
        /* If only node 0 is kept, there is one node for each location, and one more. */
        if (replace_nodes(m, old, hits, least, into, most + m->locations.count + 1)) break;
        free(m->nodes.at);
    }
    report_free(old, hits, into);
}
