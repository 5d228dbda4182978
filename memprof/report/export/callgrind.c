/* callgrind.c - callgrind's text format: bytes by source line, and the inclusive cost of calls. */
#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "memprof/report/export/export.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 3 }; /* allocated, promoted, live at the end */

struct costs {
    double of[EVENTS];
};

/* Calls of a function at a location of its caller. */
struct call {
    uint32_t function, site, target; /* keys of functions; site: the caller's location */
    uint32_t line;                   /* of the target */
    uint32_t active;                 /* such calls among the callers of the visited node */
    unsigned long long count;
    struct costs costs;
};

struct calls {
    struct call *at;
    size_t count, capacity;
    struct report_hash hash;
};

struct writer {
    const struct report_model *model;
    struct report_keys *functions;
    FILE *out;
    struct costs *total; /* of the nodes: own costs, then with callees */
    struct costs *of_location;
    struct calls calls;
};

static void add(struct costs *to, const struct costs *from) {
    for (size_t i = 0; i < EVENTS; i++) to->of[i] += from->of[i];
}

static uint32_t function_of(const struct writer *w, uint32_t node) {
    return w->functions->of_location[w->model->nodes.at[node].location];
}

REPORT_COMPARE(by_caller, struct call,
report_order(x->function, y->function) ?: report_order(x->site, y->site) ?:
           report_order(x->target, y->target))

static bool is_call(const void *owner, uint32_t number, const void *key) {
    const struct call *a = &((const struct calls *)owner)->at[number], *b = key;
    return a->site == b->site && a->target == b->target;
}

/* The call by which a node was reached. Needs: it has a caller. */
static struct call *call_of(struct writer *w, uint32_t node) {
    const struct report_node *nodes = w->model->nodes.at;
    uint32_t caller = nodes[node].parent;
    int32_t line = w->model->locations.at[nodes[node].location].line;
    const struct call key = {.function = function_of(w, caller),
                             .site = nodes[caller].location,
                             .target = function_of(w, node),
                             .line = line > 0 ? line : 0};
    uint64_t hash = report_hash_number((uint64_t)key.site << 32 | key.target);
    uint32_t found = report_hash_find(&w->calls.hash, hash, is_call, &w->calls, &key);
    if (found != REPORT_NO_NUMBER) return &w->calls.at[found];
    report_append(&w->calls, key);
    report_hash_add(&w->calls.hash, hash, w->calls.count - 1);
    return &w->calls.at[w->calls.count - 1];
}

/* Enters or leaves a node. The cost of a call that is among its own callers counts there. */
static void visit(struct writer *w, uint32_t node, bool enters) {
    if (w->model->nodes.at[node].parent == 0) return;
    struct call *call = call_of(w, node);
    if (!enters) call->active--;
    else if (call->active++ == 0) {
        call->count++;
        add(&call->costs, &w->total[node]);
    }
}

/* Nodes are visited depth first; those without costs, and all below them, are not. */
static void collect(struct writer *w) {
    const struct report_model *m = w->model;
    size_t count = m->nodes.count;
    uint32_t *first_child = report_alloc(count * sizeof *first_child);
    uint32_t *next_sibling = report_alloc(count * sizeof *next_sibling);
    for (size_t i = 0; i < count; i++) add(&w->of_location[m->nodes.at[i].location], &w->total[i]);
    for (size_t i = count - 1; i > 0; i--) {
        uint32_t parent = m->nodes.at[i].parent;
        add(&w->total[parent], &w->total[i]);
        if (w->total[i].of[0] <= 0) continue;
        next_sibling[i] = first_child[parent];
        first_child[parent] = i;
    }
    for (uint32_t at = first_child[0]; at != 0;) {
        uint32_t next = first_child[at];
        visit(w, at, true);
        while (next == 0 && at != 0) {
            visit(w, at, false);
            next = next_sibling[at];
            at = m->nodes.at[at].parent;
        }
        at = next;
    }
    report_sort(&w->calls, by_caller);
    report_free(first_child, next_sibling);
}

/* `fl=(1) file` and so on; a name is written at the first use of its number. */
static void put_names(struct writer *w, const char *prefix, uint32_t location, uint8_t *named) {
    const struct report_model *m = w->model;
    const char *file = m->names.at[m->locations.at[location].file];
    uint32_t function = w->functions->of_location[location];
    fprintf(w->out, "%s=", prefix[0] == 'c' ? "cfi" : "fl");
    mp_put_printable(w->out, file[0] != 0 ? file : "???", '?');
    fprintf(w->out, "\n%s=(%u)", prefix, function + 1);
    if (!named[function]) {
        putc(' ', w->out);
        mp_put_printable(w->out, report_name_of(m, location), '?');
    }
    named[function] = 1;
    putc('\n', w->out);
}

static void put_costs(struct writer *w, int32_t line, const struct costs *costs) {
    fprintf(w->out, "%d", line > 0 ? line : 0);
    for (size_t i = 0; i < EVENTS; i++) fprintf(w->out, " %.0f", costs->of[i]);
    putc('\n', w->out);
}

static void put_functions(struct writer *w) {
    const struct report_model *m = w->model;
    const uint32_t *functions = w->functions->of_location;
    uint32_t *some = report_alloc(w->functions->count * sizeof *some); /* location of a function */
    uint32_t *order = report_order_by_key(functions, m->locations.count, w->functions->count);
    uint8_t *named = report_alloc(w->functions->count);
    for (size_t i = 0; i < m->locations.count; i++) some[functions[i]] = i;
    for (size_t i = 0, last = SIZE_MAX; i < m->locations.count; i++) {
        uint32_t location = order[i], function = functions[location];
        if (w->of_location[location].of[0] <= 0) continue;
        if (function != last) put_names(w, "fn", location, named);
        put_costs(w, m->locations.at[location].line, &w->of_location[location]);
        last = function;
    }
    for (size_t i = 0; i < w->calls.count; i++) {
        const struct call *c = &w->calls.at[i];
        if (i == 0 || c[-1].function != c->function) {
            putc('\n', w->out);
            put_names(w, "fn", c->site, named);
        }
        put_names(w, "cfn", some[c->target], named);
        fprintf(w->out, "calls=%llu %u\n", c->count, c->line);
        put_costs(w, m->locations.at[c->site].line, &c->costs);
    }
    report_free(order, some, named);
}

int report_export_callgrind(const struct report_request *request, FILE *out) {
    static const enum report_show shows[EVENTS] = {REPORT_SHOW_ALLOC, REPORT_SHOW_PROMOTED,
                                                   REPORT_SHOW_LIVE};
    const struct report_model *m = request->model;
    struct writer w = {.model = m, .out = out};
    int status = 0;
    w.total = report_alloc(m->nodes.count * sizeof *w.total);
    w.of_location = report_alloc(m->locations.count * sizeof *w.of_location);
    for (size_t event = 0; event < EVENTS && status == 0; event++) {
        struct report_selection selection = request->selection;
        struct report_weights weights;
        report_selection_show(&selection, shows[event], REPORT_NO_MOMENT);
        status = report_weigh_nodes(m, &selection, report_estimate_bytes, &weights, request->error);
        report_each(weight, &weights) w.total[weight->node].of[event] = weight->number;
        free(weights.at);
    }
    if (status == 0) {
        w.functions = report_keys_create(m, REPORT_BY_FUNCTION);
        collect(&w);
        fprintf(out, "# callgrind format\nversion: 1\ncreator: bactrian\npid: %llu\ncmd: ",
                (unsigned long long)m->pid);
        mp_put_printable(out, m->context[0] != 0 ? m->context : m->program, '?');
        fprintf(out, "\npositions: line\nevents: AllocBytes PromotedBytes LiveAtEnd\nsummary:");
        for (size_t i = 0; i < EVENTS; i++) fprintf(out, " %.0f", w.total[0].of[i]);
        fputs("\n\n", out);
        put_functions(&w);
    }
    report_keys_free(w.functions);
    report_free(w.total, w.of_location, w.calls.at, w.calls.hash.slots);
    return status;
}
