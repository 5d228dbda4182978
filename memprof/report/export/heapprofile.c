/* heapprofile.c - V8's sampling heap profile: a tree of live bytes. */
#include "gc/assert.h"
#include "memprof/report/export/export.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>

struct writer {
    const struct report_query *query;
    const struct report_paths *paths;
    uint32_t *locations; /* one of each key */
    long long *bytes;    /* of each node itself */
    FILE *out;
};

static void weigh_nodes(struct writer *w) {
    const struct report_paths *p = w->paths;
    struct report_rounder rounder = {0};
    uint32_t *keys = report_alloc(p->nodes.count * sizeof *keys);
    for (size_t i = 0; i < p->nodes.count; i++) keys[i] = p->nodes.at[i].key;
    uint32_t *order = report_order_by_key(keys, p->nodes.count, p->keys->count);
    w->bytes = report_alloc(p->nodes.count * sizeof *w->bytes);
    for (size_t i = 0; i < p->nodes.count; i++)
        w->bytes[order[i]] = report_round(&rounder, report_estimate_bytes, &w->query->scale,
                                          &p->nodes.at[order[i]].self);
    report_free(keys, order);
}

static void open_node(struct writer *w, uint32_t node) {
    const struct report_model *m = w->query->model;
    uint32_t location = w->locations[w->paths->nodes.at[node].key];
    const struct report_location *l = &m->locations.at[location];
    fputs("{\"callFrame\":{\"functionName\":", w->out);
    report_write_json_string(node == 0 ? "(root)" : report_name_of(m, location), w->out);
    fputs(",\"scriptId\":\"0\",\"url\":", w->out);
    report_write_json_string(node == 0 ? "" : m->names.at[l->file], w->out);
    fprintf(w->out,
            ",\"lineNumber\":%d,\"columnNumber\":%d},\"selfSize\":%lld,\"id\":%u,\"children\":[",
            node == 0 || l->line < 1 ? -1 : l->line - 1, node == 0 || l->start < 0 ? -1 : l->start,
            w->bytes[node], node + 1);
}

static void put_tree(struct writer *w) {
    const struct report_path *nodes = w->paths->nodes.at;
    uint32_t at = 0;
    open_node(w, 0);
    for (;;) {
        uint32_t next = nodes[at].first_child;
        if (next == 0) {
            while (at != 0 && nodes[at].next_sibling == 0) {
                fputs("]}", w->out);
                at = nodes[at].parent;
            }
            fputs("]}", w->out);
            if (at == 0) return;
            putc(',', w->out);
            next = nodes[at].next_sibling;
        }
        ASSERT(nodes[next].parent == at || nodes[next].parent == nodes[at].parent);
        at = next;
        open_node(w, at);
    }
}

int report_export_heapprofile(const struct report_request *request, FILE *out) {
    const struct report_model *m = request->model;
    struct report_selection selection = request->selection;
    struct report_query query;
    bool first = true;
    selection.by = REPORT_BY_SITE;
    if (!selection.has_show && selection.at.kind == REPORT_NO_MOMENT)
        selection.at.kind = REPORT_END;
    if (report_query_start(&query, m, &selection, request->error) != 0) return -1;
    struct report_paths *paths = report_paths_create(&query, REPORT_DOWN, NULL, REPORT_BY_SITE, 0,
                                                     request->error);
    if (paths == NULL) {
        report_query_end(&query);
        return -1;
    }
    struct writer w = {&query, paths, NULL, NULL, out};
    weigh_nodes(&w);
    w.locations = report_alloc(paths->keys->count * sizeof *w.locations);
    for (size_t i = m->locations.count; i > 0; i--)
        w.locations[paths->keys->of_location[i - 1]] = i - 1;
    fputs("{\"head\":", out);
    put_tree(&w);
    fputs(",\"samples\":[", out);
    for (uint32_t i = 0; i < paths->nodes.count; i++) {
        if (w.bytes[i] == 0) continue;
        fprintf(out, "%s{\"size\":%lld,\"nodeId\":%u,\"ordinal\":%u}", first ? "" : ",", w.bytes[i],
                i + 1, i + 1);
        first = false;
    }
    fputs("]}\n", out);
    report_free(w.locations, w.bytes);
    report_paths_free(paths);
    report_query_end(&query);
    return 0;
}
