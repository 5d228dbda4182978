/* leaks.c - `prof leaks` with a snapshot of the same run: what holds the blocks of each site. */
#include "memprof/report/heap/heap.h"
#include "memprof/report/heap/held.h"
#include "memprof/report/heap/own.h"

#include <stdlib.h>
#include <string.h>

/* Numbers a holder when it comes first. */
static uint32_t number_of(struct report_held *out, uint32_t *numbers, const struct heap_graph *g,
                          const struct heap_held *held, uint32_t holder) {
    if (numbers[holder] == 0) {
        report_append(&out->texts, heap_holder_text(g, held, holder));
        numbers[holder] = (uint32_t)out->texts.count;
    }
    return numbers[holder] - 1;
}

static struct report_held find_held(const struct heap_graph *g, size_t samples) {
    struct heap_tree *tree = heap_tree_make(g);
    struct heap_held held = heap_held_find(g, tree);
    struct report_held out = {report_alloc(samples * sizeof *out.holders), samples, {0}};
    uint32_t *numbers = report_alloc(g->nodes * sizeof *numbers);
    memset(out.holders, 0xff, samples * sizeof *out.holders); /* REPORT_NO_NUMBER */
    report_each(sample, &g->samples) {
        if (sample->id < samples)
            out.holders[sample->id] = number_of(&out, numbers, g, &held, held.holder[sample->node]);
    }
    free(numbers);
    heap_held_free(&held);
    heap_tree_free(tree);
    return out;
}

struct report_doc *report_view_leaks(const struct report_request *request) {
    struct heap_own own;
    if (heap_own_load(request, &own) != 0) return NULL;
    struct report_held held = {0};
    if (own.graph != NULL) held = find_held(own.graph, request->model->samples.count);
    struct report_doc *doc = report_leaks(request, own.graph == NULL ? NULL : &held);
    if (doc != NULL) heap_own_note(request, &own, doc);
    report_each(text, &held.texts) { free(*text); }
    report_free(held.holders, held.texts.at);
    heap_own_free(&own);
    return doc;
}
