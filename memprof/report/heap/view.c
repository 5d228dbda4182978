/* view.c - `prof heap`: the document of a snapshot. */
#include "memprof/report/heap/equal.h"
#include "memprof/report/heap/examples.h"
#include "memprof/report/heap/heap.h"
#include "memprof/report/heap/holders.h"
#include "memprof/report/heap/names.h"
#include "memprof/report/heap/sites.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>

enum { ROOTS = 15, HOLDER_ROWS = 60, SUSPECTS = 10, SITES = 15, EQUALS = 15 };
#define LEAST_HOLDER  0.01 /* of all words */
#define LEAST_SUSPECT 0.1

struct snapshot {
    const struct report_request *request;
    struct report_doc *doc;
    struct heap_graph *graph;
    struct heap_tree *tree;
    uint64_t all; /* words */
};

static struct report_cell words_cell(uint64_t words) { return report_bytes(8.0 * (double)words); }

static struct report_cell share_cell(const struct snapshot *s, uint64_t words) {
    return report_share(s->all > 0 ? (double)words / (double)s->all : 0);
}

static void add_facts(const struct snapshot *s) {
    const struct mp_record_heap *total = &s->graph->total;
    struct report_table *t = report_doc_table(s->doc, REPORT_FACTS, "facts", "");
    report_fact(t, "program", "program", report_text(s->graph->program));
    report_fact(t, "reachable", "reachable", words_cell(s->all));
    report_fact(t, "blocks", "blocks", report_count((double)total->blocks));
    report_fact(t, "edges", "edges", report_count((double)total->edges));
    report_fact(t, "external", "outside the heap", report_bytes((double)total->external_bytes));
    report_fact(t, "pause", "the program was paused",
                report_seconds((double)total->duration_ns / 1e9));
}

/* ---- Roots. ---- */

struct ranked {
    uint32_t node;
    uint64_t retained;
};

REPORT_COMPARE(by_retained, struct ranked,
               report_order(y->retained, x->retained) ?: report_order(x->node, y->node))

static void add_roots(const struct snapshot *s) {
    const size_t count = s->graph->roots;
    struct ranked *roots = report_alloc(count * sizeof *roots + 1);
    uint64_t shared = s->tree->retained[0];
    for (size_t i = 0; i < count; i++) {
        roots[i] = (struct ranked){(uint32_t)i + 1, s->tree->retained[i + 1]};
        shared -= roots[i].retained;
    }
    qsort(roots, count, sizeof *roots, by_retained);
    struct report_table *t = report_doc_table(s->doc, REPORT_TABLE, "roots",
                                              "Roots, by what they alone hold");
    report_table_columns(t, "retained", "retained", "share", "share", "name", "root", NULL);
    size_t rows = report_rows_to_make(t, &s->request->selection, ROOTS, 0);
    for (size_t i = 0; i < count && i < rows && roots[i].retained > 0; i++)
        report_row(t, 0, words_cell(roots[i].retained), share_cell(s, roots[i].retained),
                   report_own_text(heap_node_text(s->graph, roots[i].node)));
    report_row(t, 0, words_cell(shared), share_cell(s, shared),
               report_text("(held by several roots)"));
    t->rows.at[t->rows.count - 1].position = REPORT_LAST;
    free(roots);
}

/* ---- Holders. ---- */

/* `closure of f (a.ml:1)`, `.table block of 4`, `captured session block of 3`. */
static char *holder_text(const struct heap_graph *g, const struct heap_holder *h) {
    char *edge = heap_edge_text(g, h->above, h->field), *what = heap_node_text(g, h->node);
    if (edge[0] == 0) {
        free(edge);
        return what;
    }
    char *text = report_format("%s %s", edge, what);
    report_free(edge, what);
    return text;
}

/* `Cache.add (cache.ml:12), 14 of 15 sampled`; of a holder without samples "". */
static struct report_cell birth_cell(const struct heap_graph *g, const struct heap_holder *h) {
    if (h->sampled == 0) return report_text("");
    return report_own_text(
        report_format("%s, %u of %u sampled", g->places.at[h->place], h->of_place, h->sampled));
}

static void add_holders(const struct snapshot *s) {
    const struct report_selection *selection = &s->request->selection;
    const double least = selection->threshold > 0 ? selection->threshold : LEAST_HOLDER;
    struct heap_holders holders = heap_holders_find(s->graph, s->tree,
                                                    (uint64_t)(least * (double)s->all));
    struct report_table *t = report_doc_table(s->doc, REPORT_TREE, "holders",
                                              "Holders: each with what would be freed with it");
    report_table_columns(t, "retained", "retained", "share", "share", "own", "own", "blocks",
                         "blocks", NULL);
    if (s->graph->samples.count > 0) report_table_columns(t, "allocated", "allocated at", NULL);
    if (s->graph->contents.written) report_table_columns(t, "example", "one of them", NULL);
    report_table_columns(t, "name", "what", NULL);
    size_t rows = report_rows_of(selection, HOLDER_ROWS);
    for (size_t i = 1; i < holders.list.count && i <= rows; i++) {
        const struct heap_holder *h = &holders.list.at[i];
        struct report_cell cells[7] = {words_cell(h->retained), share_cell(s, h->retained),
                                       words_cell(h->own), report_count((double)h->blocks)};
        size_t count = 4;
        if (s->graph->samples.count > 0) cells[count++] = birth_cell(s->graph, h);
        if (s->graph->contents.written)
            cells[count++] = report_own_text(heap_example_text(s->graph, h->node));
        cells[count++] = report_own_text(holder_text(s->graph, h));
        report_table_row(t, h->depth - 1, cells, count);
    }
    if (holders.list.count > rows + 1)
        report_doc_note(s->doc, "%zu smaller holders are not shown (--top, --thresh).",
                        holders.list.count - 1 - rows);
    free(holders.list.at);
}

/* ---- Suspects. ---- */

/* The child that retains most; 0: there is none. */
static uint32_t largest_child(const struct heap_tree *tree, uint32_t node) {
    uint32_t best = 0;
    for (uint32_t c = tree->first_child[node]; c < tree->first_child[node + 1]; c++)
        if (best == 0 || tree->retained[tree->children[c]] > tree->retained[best])
            best = tree->children[c];
    return best;
}

/* The first block below that has no child with most of what it holds. */
static uint32_t accumulation_point(const struct heap_tree *tree, uint32_t node) {
    for (uint32_t child = largest_child(tree, node); child != 0;
         child = largest_child(tree, node)) {
        if (2 * tree->retained[child] <= tree->retained[node]) break;
        node = child;
    }
    return node;
}

/* Lists the nodes that hold that much: roots, and blocks that no root alone holds. */
static void list_suspects(const struct snapshot *s, struct report_numbers *out) {
    const struct heap_tree *tree = s->tree;
    for (uint32_t c = tree->first_child[0]; c < tree->first_child[1]; c++) {
        uint32_t node = tree->children[c];
        if ((double)tree->retained[node] >= LEAST_SUSPECT * (double)s->all)
            report_append(out, node);
    }
}

static void add_suspects(const struct snapshot *s) {
    const struct heap_tree *tree = s->tree;
    struct report_numbers nodes = {0};
    list_suspects(s, &nodes);
    struct report_table *t = report_doc_table(s->doc, REPORT_TABLE, "suspects",
                                              "Suspects: 10 % or more, and where it accumulates");
    report_table_columns(t, "retained", "retained", "share", "share", "at", "accumulated",
                         "children", "parts", "point", "accumulates in", "name", "held by", NULL);
    for (size_t i = 0; i < nodes.count && i < SUSPECTS; i++) {
        const uint32_t node = nodes.at[i], point = accumulation_point(tree, node);
        report_row(t, 0, words_cell(tree->retained[node]), share_cell(s, tree->retained[node]),
                   words_cell(tree->retained[point]),
                   report_count(tree->first_child[point + 1] - tree->first_child[point]),
                   report_own_text(heap_node_text(s->graph, point)),
                   report_own_text(heap_held_text(s->graph, node)));
    }
    free(nodes.at);
}

/* ---- Sites. ---- */

static void add_sites(const struct snapshot *s) {
    if (s->graph->samples.count == 0) return;
    struct heap_held held = heap_held_find(s->graph, s->tree);
    struct heap_sites sites = heap_sites_find(s->graph, &held);
    struct report_table *t = report_doc_table(s->doc, REPORT_TABLE, "sites",
                                              "What holds the blocks that the recording sampled");
    report_table_columns(t, "sampled", "sampled", "bytes", "bytes", "holder", "held by", "name",
                         "allocated at", NULL);
    size_t rows = report_rows_to_make(t, &s->request->selection, SITES, 0);
    for (size_t i = 0; i < sites.list.count && i < rows; i++) {
        const struct heap_site *site = &sites.list.at[i];
        report_row(t, 0, report_count((double)site->sampled), words_cell(site->words),
                   report_own_text(heap_holder_text(s->graph, &held, site->holder)),
                   report_text(s->graph->places.at[site->place]));
    }
    free(sites.list.at);
    heap_held_free(&held);
}

/* ---- Equal strings. ---- */

static void add_equals(const struct snapshot *s) {
    if (!s->graph->contents.written) return;
    struct heap_held held = heap_held_find(s->graph, s->tree);
    struct heap_equals equals = heap_equals_find(s->graph, &held);
    struct report_table *t = report_doc_table(s->doc, REPORT_TABLE, "equals",
                                              "Equal strings, by what all copies but one take");
    report_table_columns(t, "further", "further copies", "share", "share", "copies", "copies",
                         "size", "each", "held", "held by", "name", "content", NULL);
    size_t rows = report_rows_to_make(t, &s->request->selection, EQUALS, 0);
    for (size_t i = 0; i < equals.list.count && i < rows; i++) {
        const struct heap_equal *e = &equals.list.at[i];
        const struct heap_content content = heap_content(s->graph, e->node);
        char *holder = heap_holder_text(s->graph, &held, e->holder);
        report_row(t, 0, words_cell(heap_equal_words(e)), share_cell(s, heap_equal_words(e)),
                   report_count((double)e->copies), words_cell(e->words),
                   report_own_text(report_format("%s, %u", holder, e->held)),
                   report_own_text(heap_string_text(&content)));
        free(holder);
    }
    char all[32];
    report_write_bytes(all, 8.0 * (double)equals.words);
    report_doc_note(s->doc, "Further copies of equal strings take %s in all.", all);
    heap_equals_free(&equals);
    heap_held_free(&held);
}

struct report_doc *report_view_heap(const struct report_request *request) {
    struct snapshot s = {.request = request};
    s.graph = heap_graph_load(request->path, request->error);
    if (s.graph == NULL) return NULL;
    s.tree = heap_tree_make(s.graph);
    s.all = s.graph->total.words;
    s.doc = report_doc_create("heap", "The heap of %s", s.graph->program);
    add_facts(&s);
    add_suspects(&s);
    add_roots(&s);
    add_holders(&s);
    add_sites(&s);
    add_equals(&s);
    if (s.tree->unreachable > 0)
        report_doc_note(s.doc, "%zu blocks are reachable from no root in the file.",
                        s.tree->unreachable);
    heap_tree_free(s.tree);
    heap_graph_free(s.graph);
    return s.doc;
}
