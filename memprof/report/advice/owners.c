/* owners.c - see owners.h. */
#include "memprof/report/advice/owners.h"

#include "memprof/report/model/text.h"

#include <stdlib.h>

struct report_owners report_owners_find(struct report_advice *advice,
                                        const struct heap_graph *graph) {
    struct heap_tree *tree = heap_tree_make(graph);
    const struct report_owners owners = {advice, graph, heap_held_find(graph, tree)};
    heap_tree_free(tree);
    advice->held = (double)graph->total.words;
    return owners;
}

void report_owners_free(struct report_owners *owners) { heap_held_free(&owners->held); }

report_owner report_owner_of(const struct report_owners *o, uint32_t holder) {
    bool shared = holder > o->graph->roots && o->held.above[holder] == 0;
    return shared ? o->graph->nodes + heap_kind_of(o->graph, holder) : holder;
}

/* ---- Lines. ---- */

/* The line of the user's own that allocated a block: of the recording, or without one, of the
 * snapshot; 0: it is not known (AD1). */
static uint32_t line_of(const struct report_owners *o, const struct heap_sample *sample) {
    const struct report_query *query = o->advice->query;
    if (query == NULL)
        return report_is_library_text(o->graph->places.at[sample->place]) ? 0 : sample->place;
    if (sample->id >= query->model->samples.count) return 0;
    const struct report_sample s = report_sample_of(query->model, sample->id);
    return report_query_selects(query, &s) ? report_own_line(query, &s) : 0;
}

static char *line_text(const struct report_owners *o, uint32_t line) {
    const struct report_query *query = o->advice->query;
    return query == NULL ? report_copy(o->graph->places.at[line])
                         : report_location_text(query->model, line);
}

void report_owner_add_sample(const struct report_owners *o, report_owner owner, uint32_t node,
                             struct report_owned_samples *samples) {
    const struct heap_sample *sample = heap_sample_of(o->graph, node);
    if (sample == NULL) return;
    const struct report_owned_sample owned = {owner, line_of(o, sample)};
    report_append(&samples->list, owned);
}

REPORT_COMPARE(by_owner, struct report_owned_sample,
               report_order(x->owner, y->owner) ?: report_order(x->line, y->line))

void report_owned_sort(struct report_owned_samples *samples) {
    report_sort(&samples->list, by_owner);
}

/* The lines of most sampled blocks of an owner. */
struct lines {
    size_t samples; /* all of them */
    struct {
        uint32_t line; /* 0: there is none */
        size_t samples;
    } first, second;
};

static struct lines main_lines(const struct report_owned_samples *samples, report_owner owner) {
    struct lines lines = {.samples = 0};
    size_t low = 0, high = samples->list.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (samples->list.at[middle].owner < owner) low = middle + 1;
        else high = middle;
    }
    for (size_t i = low, end; i < samples->list.count; i = end) {
        const struct report_owned_sample *first = &samples->list.at[i];
        if (first->owner != owner) break;
        for (end = i; end < samples->list.count; end++)
            if (by_owner(&samples->list.at[end], first) != 0) break;
        lines.samples += end - i;
        if (first->line == 0 || end - i <= lines.second.samples) continue;
        lines.second.line = first->line;
        lines.second.samples = end - i;
        if (lines.second.samples <= lines.first.samples) continue;
        const struct lines before = lines;
        lines.first = before.second;
        lines.second = before.first;
    }
    return lines;
}

static char *lines_text(const struct report_owners *o, const struct lines *lines) {
    char *more = report_copy("");
    if (lines->second.line != 0) {
        char *line = line_text(o, lines->second.line);
        report_replace(&more, report_format(", %zu from %s", lines->second.samples, line));
        free(line);
    }
    char *text = report_format("; %zu of %zu sampled ones are from this line%s",
                               lines->first.samples, lines->samples, more);
    free(more);
    return text;
}

/* ---- Texts. ---- */

struct report_owner_text report_owner_text_of(const struct report_owners *o,
                                              const struct report_owned_samples *samples,
                                              report_owner owner, uint32_t holder,
                                              bool one_holder) {
    const struct lines lines = main_lines(samples, owner);
    char *name = heap_holder_text(o->graph, &o->held, holder);
    if (!one_holder) report_replace(&name, report_format("%s and others like it", name));
    if (lines.first.line == 0)
        return (struct report_owner_text){false, name, report_copy("held there"), report_copy("")};
    const struct report_owner_text text = {true, line_text(o, lines.first.line),
                                           report_format("held by %s", name),
                                           lines_text(o, &lines)};
    free(name);
    return text;
}
