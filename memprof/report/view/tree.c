/* tree.c - call paths: as an indented tree and as nested bars. */
#include "gc/assert.h"
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdlib.h>

enum { TREE_ROWS = 60, FLAME_ROWS = 3000 };

/* Lists the rows of a tree in order, without recursion, as stacks may be deep. The largest nodes of
 * at least `least` hits are shown, and a row for each parent's other children, if they have as many
 * hits together. A node has no more hits than its parent and a higher number, so the nodes shown
 * are connected. */
struct walk {
    const struct report_query *query;
    const struct report_paths *paths;
    struct report_table *table;
    double least; /* hits; until rows are chosen, a share */
    size_t rows;
    bool *shown; /* of each node */
    bool with_self;
};

static void add_row(struct walk *w, unsigned depth, const struct report_sum *total,
                    const struct report_sum *self, char *text) {
    const struct report_selection *selection = w->query->selection;
    enum report_kind kind = report_unit_kind(selection);
    struct report_cell cells[4];
    size_t n = 0;
    cells[n++] = report_interval(kind, report_query_estimate(w->query, total));
    cells[n++] = report_share((double)total->hits / w->paths->nodes.at[0].total.hits);
    if (w->with_self)
        cells[n++] = report_number(kind, self != NULL ? report_query_estimate(w->query, self).value
                                                      : NAN);
    cells[n++] = report_own_text(text);
    report_table_row(w->table, depth, cells, n);
}

/* Adds a row for the children that are too small to be shown. */
static void add_rest(struct walk *w, uint32_t parent, unsigned depth) {
    const struct report_path *nodes = w->paths->nodes.at;
    struct report_sum rest = {0};
    size_t count = 0;
    for (uint32_t child = nodes[parent].first_child; child != 0;
         child = nodes[child].next_sibling) {
        if (w->shown[child]) continue;
        report_sum_merge(&rest, &nodes[child].total);
        count++;
    }
    if (count == 0 || rest.hits < w->least) return;
    add_row(w, depth, &rest, NULL, report_format("(%zu smaller)", count));
    w->table->rows.at[w->table->rows.count - 1].position = REPORT_LAST;
}

static uint32_t next_shown(const struct walk *w, uint32_t node) {
    while (node != 0 && !w->shown[node]) node = w->paths->nodes.at[node].next_sibling;
    return node;
}

static void walk_paths(struct walk *w) {
    const struct report_path *nodes = w->paths->nodes.at;
    uint32_t at = 0;
    unsigned depth = 0;
    if (nodes[0].total.samples == 0) return;
    add_row(w, 0, &nodes[0].total, &nodes[0].self, report_copy("all"));
    for (;;) {
        uint32_t next = next_shown(w, nodes[at].first_child);
        unsigned level = depth + 1;
        while (next == 0) {
            add_rest(w, at, level);
            if (at == 0) return;
            next = next_shown(w, nodes[at].next_sibling);
            at = nodes[at].parent;
            level--;
        }
        ASSERT(w->shown[nodes[next].parent] && nodes[next].parent < next);
        at = next;
        depth = level;
        add_row(w, depth, &nodes[at].total, &nodes[at].self,
                report_copy(w->paths->keys->texts[nodes[at].key]));
    }
}

static int by_hits(const void *a, const void *b, void *context) {
    const struct report_path *nodes = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t m = nodes[x].total.hits, n = nodes[y].total.hits;
    return report_order(n, m) ?: report_order(x, y);
}

/* Without --top, a call with nearly all of its caller's hits does not count as a row. */
static void choose_rows(struct walk *w) {
    const struct report_path *nodes = w->paths->nodes.at;
    size_t count = w->paths->nodes.count, most = w->rows < SIZE_MAX / 2 ? w->rows : SIZE_MAX / 2;
    bool strict = w->query->selection->top > 0;
    uint32_t *order = report_alloc(count * sizeof *order);
    w->shown = report_alloc(count * sizeof *w->shown);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    qsort_r(order, count, sizeof *order, by_hits, w->paths->nodes.at);
    for (size_t i = 0, rows = 0; i < count && i < 2 * most && rows < most; i++) {
        const struct report_path *node = &nodes[order[i]];
        if (node->total.hits < w->least) break;
        w->shown[order[i]] = true;
        rows += strict || node->total.hits < REPORT_STRAIGHT * nodes[node->parent].total.hits;
    }
    free(order);
}

static const char *direction_text(enum report_direction direction) {
    static const char *const texts[] = {
        "from the program's start inwards", "from the allocation outwards",
        "from the function's callers outwards", "from the function inwards"};
    return texts[direction];
}

static struct report_doc *paths_doc(const struct report_request *request, const char *view,
                                    enum report_shape shape, enum report_by steps, struct walk w) {
    const struct report_selection *selection = &request->selection;
    struct report_query query;
    enum report_direction direction = request->callers != NULL   ? REPORT_CALLERS
                                      : request->callees != NULL ? REPORT_CALLEES
                                      : selection->inverted      ? REPORT_UP
                                                                 : REPORT_DOWN;
    const char *function = request->callers != NULL ? request->callers : request->callees;
    if (report_query_start(&query, request->model, selection, request->error) != 0) return NULL;
    double share = selection->threshold > 0 ? selection->threshold : w.least;
    struct report_paths *paths = report_paths_create(&query, direction, function, steps, share,
                                                     request->error);
    if (paths == NULL) {
        report_query_end(&query);
        return NULL;
    }
    char *total = report_total_text(&query, &paths->nodes.at[0].total);
    struct report_doc *doc = report_doc_create(
        view, "%s, %s, %s%s%s", total, query.sentence, direction_text(direction),
        function != NULL ? ": " : "", function != NULL ? function : "");
    doc->no_intervals = shape == REPORT_ICICLE;
    w.table = report_doc_table(doc, shape, "tree", "");
    w.table->empty = "no sample is selected";
    w.query = &query;
    w.paths = paths;
    w.least = share * paths->nodes.at[0].total.hits;
    /* Outwards, a path that ends at a frame has no caller: no column of its own. */
    w.with_self = shape == REPORT_TREE && (direction == REPORT_DOWN || direction == REPORT_CALLEES);
    report_table_columns(w.table, report_unit_title(selection), report_unit_title(selection),
                         "share", "share", NULL);
    if (w.with_self) report_table_columns(w.table, "self", "itself", NULL);
    report_table_columns(w.table, "name", "call path", NULL);
    choose_rows(&w);
    walk_paths(&w);
    free(w.shown);
    if (paths->cut)
        report_doc_note(doc,
                        "There are too many or too long call paths: some end before the stacks.");
    report_note_unproven(doc, &query);
    report_add_notes(doc, request->model);
    free(total);
    report_paths_free(paths);
    report_query_end(&query);
    return doc;
}

/* What steps are: --by, unless it is the default or an attribute. */
static enum report_by steps_of(const struct report_request *request, enum report_by otherwise) {
    enum report_by by = request->selection.by;
    return by == REPORT_BY_SITE || report_by_attribute(by) ? otherwise : by;
}

struct report_doc *report_view_tree(const struct report_request *request) {
    struct walk w = {.least = 0.01, .rows = report_rows_of(&request->selection, TREE_ROWS)};
    return paths_doc(request, "tree", REPORT_TREE, steps_of(request, REPORT_BY_SITE), w);
}

struct report_doc *report_view_flame(const struct report_request *request) {
    struct walk w = {.least = 0.002, .rows = report_rows_of(&request->selection, FLAME_ROWS)};
    return paths_doc(request, "flame", REPORT_ICICLE, steps_of(request, REPORT_BY_FUNCTION), w);
}
