/* equal.c - see equal.h. Strings are sorted, so that no file makes it slow. */
#include "memprof/report/heap/equal.h"

#include "memprof/report/heap/examples.h"
#include "memprof/report/heap/types.h"

#include <stdlib.h>
#include <string.h>

enum type { UNKNOWN, STRING, BYTES };

struct string {
    uint64_t hash, length; /* hash: of the bytes */
    const uint8_t *bytes; /* in the snapshot: the first ones, and the hash of all if that is more */
    uint32_t node, holder;
    enum type type;
};

static size_t recorded_bytes(uint64_t length) {
    return length <= MP_CONTENT_BYTES ? (size_t)length : MP_CONTENT_BYTES + sizeof(uint64_t);
}

static int order_contents(const struct string *x, const struct string *y) {
    return report_order(x->hash, y->hash)
               ?: report_order(x->length, y->length)
               ?: memcmp(x->bytes, y->bytes, recorded_bytes(x->length));
}
REPORT_COMPARE(by_content, struct string,
               order_contents(x, y)
                   ?: report_order(x->holder, y->holder) ?: report_order(x->node, y->node))
REPORT_COMPARE(by_further_copies, struct heap_equal,
               report_order(heap_equal_words(y), heap_equal_words(x))
                   ?: report_order(x->node, y->node))

/* Of each node, what the types of the fields that lead to it say; `bytes` if they differ. */
static uint8_t *find_types(const struct heap_graph *g) {
    uint8_t *types = report_alloc(g->nodes * sizeof *types);
    for (uint32_t n = 1; n < g->nodes; n++)
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++) {
            if (heap_content(g, g->edges[e]).kind != HEAP_STRING) continue;
            const char *name = heap_built_in(g, n, g->fields[e]);
            const enum type type = name == NULL                  ? UNKNOWN
                                   : strcmp(name, "bytes") == 0  ? BYTES
                                   : strcmp(name, "string") == 0 ? STRING
                                                                 : UNKNOWN;
            if (type > types[g->edges[e]]) types[g->edges[e]] = type;
        }
    return types;
}

/* Adds the set of `count` strings, by their holders. */
static void add_set(struct heap_equals *out, const struct heap_graph *g,
                    const struct string *strings, size_t count) {
    struct heap_equal set = {.node = strings->node,
                             .first = out->copies.count,
                             .copies = count,
                             .words = heap_words(g, strings->node)};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && strings[end].holder == strings[i].holder; end++)
            report_append(&out->copies, (struct heap_copy){strings[end].node, strings[end].holder,
                                                           strings[end].type == STRING});
        if (end - i <= set.held) continue;
        set.held = (uint32_t)(end - i);
        set.holder = strings[i].holder;
    }
    report_append(&out->list, set);
    out->words += heap_equal_words(&set);
}

struct heap_equals heap_equals_find(const struct heap_graph *g, const struct heap_held *held) {
    struct heap_equals out = {0};
    REPORT_VECTOR(struct string) strings = {0};
    uint8_t *types = find_types(g);
    for (size_t n = g->roots + 1; n < g->nodes; n++) {
        const struct heap_content c = heap_content(g, (uint32_t)n);
        if (c.kind != HEAP_STRING || types[n] == BYTES) continue;
        const uint64_t hash = report_hash_bytes(c.bytes, recorded_bytes(c.length));
        report_append(&strings, (struct string){hash, c.length, c.bytes, (uint32_t)n,
                                                held->holder[n], types[n]});
    }
    report_sort(&strings, by_content);
    for (size_t i = 0, end; i < strings.count; i = end) {
        for (end = i; end < strings.count; end++)
            if (order_contents(&strings.at[i], &strings.at[end]) != 0) break;
        if (end - i > 1) add_set(&out, g, &strings.at[i], end - i);
    }
    report_sort(&out.list, by_further_copies);
    report_free(strings.at, types);
    return out;
}

void heap_equals_free(struct heap_equals *equals) {
    report_free(equals->list.at, equals->copies.at);
}
