/* rewrite.c - profiles made of profiles: trim, merge, anonymise.
 *
 * Each builds a new model and writes it: in our own format, with counters, pauses and phases, if
 * one of the profiles read was in it; otherwise as a memtrace trace. */
#include "gc/assert.h"
#include "memprof/report/load/load.h"
#include "memprof/report/write/write.h"

#include <stdlib.h>
#include <string.h>

enum { BETWEEN_RUNS_NS = 1000 };

/* A copy of a profile, or of a selection, into another. */
struct copy {
    struct report_model *to;
    const struct report_model *from;
    const struct report_query *query; /* NULL: everything */
    int64_t offset;                   /* of its start in the other, in ns */
    uint32_t *locations, *nodes, *threads, *moments, *holders; /* the new number of each */
};

static int64_t shift(const struct copy *c, int64_t time) {
    return time == REPORT_NEVER ? time : time + c->offset;
}

static void map_names(struct copy *c) {
    const struct report_model *from = c->from;
    c->locations = report_alloc(from->locations.count * sizeof *c->locations);
    c->nodes = report_alloc(from->nodes.count * sizeof *c->nodes);
    for (size_t i = 0; i < from->locations.count; i++) {
        struct report_location l = from->locations.at[i];
        l.file = report_model_name(c->to, from->names.at[l.file]);
        l.function = report_model_name(c->to, from->names.at[l.function]);
        c->locations[i] = report_model_location(c->to, &l);
    }
    for (size_t i = 1; i < from->nodes.count; i++)
        c->nodes[i] = report_model_push(c->to, c->nodes[from->nodes.at[i].parent],
                                        c->locations[from->nodes.at[i].location]);
    c->moments = report_alloc(from->moments.count * sizeof *c->moments);
    c->threads = report_alloc(from->threads.count * sizeof *c->threads);
    for (size_t i = 0; i < from->threads.count; i++)
        c->threads[i] = report_model_thread(c->to, from->threads.at[i].id);
    c->holders = report_alloc(from->holders.count * sizeof *c->holders);
    for (size_t i = 1; i < from->holders.count; i++) {
        struct report_holder h = from->holders.at[i];
        h.name = report_model_name(c->to, from->names.at[h.name]);
        h.location = c->locations[h.location];
        c->holders[i] = report_model_holder(c->to, &h);
    }
}

static void copy_samples(struct copy *c) {
    for (size_t i = 0; i < c->from->moments.count; i++)
        c->moments[i] = report_model_moment(c->to, shift(c, c->from->moments.at[i]));
    report_each_sample(s, c->from) {
        if (c->query != NULL && !report_query_selects(c->query, s)) {
            c->to->selected = true;
            continue;
        }
        struct report_stored_sample stored = c->from->samples.at[s->number];
        struct report_traits traits = c->from->traits.at[stored.traits];
        stored.node = c->nodes[stored.node];
        stored.born = c->moments[stored.born];
        stored.promoted = c->moments[stored.promoted];
        stored.died = c->moments[stored.died];
        traits.thread = c->threads[traits.thread];
        traits.holder = c->holders[traits.holder];
        report_model_store(c->to, stored, &traits);
    }
}

/* Counters continue from the last ones. All are copied, also for a selection: they scale its
 * estimates. */
static void copy_counters(struct copy *c) {
    const struct report_model *from = c->from;
    struct report_counter base = {0};
    if (c->to->counters.count > 0) base = c->to->counters.at[c->to->counters.count - 1];
    report_each(counter, &from->counters) {
        struct report_counter n = *counter;
        n.time = shift(c, n.time);
        report_counter_add(&n, &base, 1);
        report_append(&c->to->counters, n);
    }
}

static void copy_events(struct copy *c) {
    const struct report_model *from = c->from;
    report_each(event, &from->gc_events) {
        struct report_gc_event e = *event;
        if (c->query != NULL && !report_query_holds(c->query, e.start)) continue;
        e.start = shift(c, e.start);
        report_append(&c->to->gc_events, e);
    }
    report_each(resident, &from->residents) {
        if (c->query != NULL && !report_query_holds(c->query, resident->time)) continue;
        const struct report_resident r = {shift(c, resident->time), resident->bytes};
        report_append(&c->to->residents, r);
    }
    report_each(ticks, &from->ticks) {
        struct report_ticks t = *ticks;
        if (c->query != NULL && !report_query_holds(c->query, t.time)) continue;
        t.time = shift(c, t.time);
        t.node = c->nodes[t.node];
        report_append(&c->to->ticks, t);
    }
    report_each(count, &from->counts) {
        if (c->query != NULL && !report_query_holds(c->query, count->time)) continue;
        const struct report_count n = {shift(c, count->time),
                                       report_model_name(c->to, from->names.at[count->name]),
                                       count->more};
        report_append(&c->to->counts, n);
    }
    report_each(marking, &from->markings) {
        const struct report_marking k = {shift(c, marking->began), shift(c, marking->over),
                                         marking->words};
        report_append(&c->to->markings, k);
    }
    report_each(phase, &from->phases) {
        struct report_phase p = *phase;
        if (c->query != NULL && (p.end <= c->query->from || p.start >= c->query->to)) continue;
        p.start = shift(c, p.start);
        p.end = shift(c, p.end == REPORT_NEVER && c->offset > 0 ? from->end : p.end);
        p.name = report_model_name(c->to, from->names.at[p.name]);
        report_append(&c->to->phases, p);
    }
}

/* Adds two times; -1 is unknown. */
static void add_time(int64_t *to, int64_t more) {
    if (more >= 0) *to = (*to < 0 ? 0 : *to) + more;
}

/* Adds the selected part of a profile to another. */
static void append(struct report_model *to, const struct report_model *from,
                   const struct report_query *query, int64_t offset) {
    struct copy c = {.to = to, .from = from, .query = query, .offset = offset};
    double hits = report_model_all_hits(to) + report_model_all_hits(from);
    double excess = report_model_all_excess(to) + report_model_all_excess(from);
    if (from->selected) to->selected = true;
    ASSERT(offset >= 0 && (query == NULL || query->model == from));
    map_names(&c);
    copy_samples(&c);
    to->all_hits = hits;
    to->all_excess = excess;
    copy_counters(&c);
    copy_events(&c);
    report_omitted_add(&to->omitted, &from->omitted,
                       (uint64_t)offset / 1000 + from->omitted.elapsed);
    add_time(&to->overhead, from->overhead);
    add_time(&to->overhead_processor, from->overhead_processor);
    add_time(&to->processor, from->processor);
    to->lost_samples += from->lost_samples;
    for (size_t i = 0; i < from->sites.count; i++)
        report_model_site(to, c.locations[i], &from->sites.at[i]);
    to->origin.finished = from->origin.finished;
    to->origin.how = from->origin.how;
    to->origin.status = from->origin.status;
    to->origin.finished_at = shift(&c, from->origin.finished_at);
    to->truncated = from->truncated;
    to->end = shift(&c, from->end);
    report_free(c.locations, c.nodes, c.threads, c.moments, c.holders);
}

/* Copies a profile's description. */
static void describe(struct report_model *to, const struct report_model *from) {
    const struct report_origin *o = &from->origin;
    report_replace(&to->program, report_copy(from->program));
    report_replace(&to->host, report_copy(from->host));
    to->rate = from->rate;
    to->word_bytes = from->word_bytes;
    to->pid = from->pid;
    to->epoch_us = from->epoch_us;
    to->seed = from->seed;
    to->max_depth = from->max_depth;
    to->gc_traced = from->gc_traced;
    to->live_exact = from->live_exact;
    to->before_words = from->before_words;
    report_replace(&to->runtime_parameters, report_copy(from->runtime_parameters));
    to->has_sites = from->has_sites;
    to->origin.own = o->own;
    if (!o->own) return;
    report_replace(&to->origin.arguments, report_alloc(o->argument_bytes + 1));
    memcpy(to->origin.arguments, o->arguments, o->argument_bytes);
    to->origin.argument_bytes = o->argument_bytes;
    report_replace(&to->origin.ocaml, report_copy(o->ocaml));
    report_replace(&to->origin.recorder, report_copy(o->recorder));
}

/* The peak of a profile with the same samples. */
static void copy_peak(struct report_model *to, const struct report_model *from) {
    *to->peak = *from->peak;
    to->most_words = from->most_words;
}

/* Writes the new profile in its format, and frees it. */
static int write_model(const char *path, struct report_model *model, FILE *out,
                       struct report_error *error) {
    struct report_request request = {.model = model, .path = path, .error = error};
    report_model_finish(model);
    int status = model->origin.own ? report_write_own(model, out, error)
                                   : report_write_memtrace(&request, out);
    report_model_free(model);
    return status;
}

int report_write_trim(const struct report_request *request, FILE *out) {
    const struct report_model *from = request->model;
    struct report_query query;
    if (report_query_start(&query, from, &request->selection, request->error) != 0) return -1;
    struct report_model *m = report_model_create();
    query.with_fibers = query.show == REPORT_SHOW_ALLOC;
    describe(m, from);
    append(m, from, &query, 0);
    if (m->selected) m->has_sites = false;
    else copy_peak(m, from);
    report_query_end(&query);
    return write_model(request->path, m, out, request->error);
}

/* New names in the order of use: "file1.ml". */
struct renaming {
    struct report_model *model;
    const char *format;
    size_t count;
    uint32_t *names;
};

static uint32_t rename_one(struct renaming *r, uint32_t name) {
    /* The file of code without debugging information: not a secret, and recognised by readers. */
    if (name == 0 || strcmp(r->model->names.at[name], "_none_") == 0) return name;
    ASSERT(name < r->model->names.count);
    if (r->names[name] == 0) {
        char text[64];
        snprintf(text, sizeof text, r->format, ++r->count);
        r->names[name] = report_model_name(r->model, text);
    }
    return r->names[name];
}

static void rename_all(struct report_model *m) {
    struct renaming files = {m, "file%zu.ml", 0, NULL}, functions = {m, "function%zu", 0, NULL},
                    phases = {m, "phase%zu", 0, NULL}, counts = {m, "counter%zu", 0, NULL},
                    holders = {m, "name%zu", 0, NULL};
    struct renaming *const all[] = {&files, &functions, &phases, &counts, &holders};
    size_t count = m->names.count, kinds = sizeof all / sizeof *all;
    for (size_t i = 0; i < kinds; i++) all[i]->names = report_alloc(count * sizeof(uint32_t));
    report_each(l, &m->locations) {
        l->file = rename_one(&files, l->file);
        l->function = rename_one(&functions, l->function);
    }
    report_each(p, &m->phases) p->name = rename_one(&phases, p->name);
    report_each(c, &m->counts) c->name = rename_one(&counts, c->name);
    report_each(h, &m->holders)
        if (h->kind != MP_ROOT_MACHINE && h->kind != MP_HELD_FIELD)
            h->name = rename_one(&holders, h->name);
    for (size_t i = 0; i < kinds; i++) free(all[i]->names);
}

int report_write_anonymous(const struct report_request *request, FILE *out) {
    struct report_model *m = report_model_create();
    describe(m, request->model);
    append(m, request->model, NULL, 0);
    copy_peak(m, request->model);
    report_replace(&m->program, report_copy("anonymous"));
    report_replace(&m->runtime_parameters, report_copy(""));
    report_replace(&m->host, report_copy(""));
    m->pid = 1;
    m->origin.argument_bytes = 0;
    rename_all(m);
    return write_model(request->path, m, out, request->error);
}
