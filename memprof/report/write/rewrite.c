/* rewrite.c - the verbs that make a profile of profiles: trim, merge, anonymise.
 *
 * Each builds a new model from the ones that were read, then writes it: in our own format if one of
 * them was in it, with counters, pauses and phases; else as a memtrace trace. */
#include "memprof/report/command/command.h"
#include "memprof/report/load/load.h"
#include "memprof/report/model/memory.h"
#include "memprof/report/write/write_own.h"

#include <stdlib.h>
#include <string.h>

enum { BETWEEN_RUNS_NS = 1000 };

/* What is copied of a profile: where it goes, and when it starts there. */
struct copy {
    struct report_model *to;
    const struct report_model *from;
    const struct report_query *query; /* NULL: everything */
    int64_t offset;
    uint32_t *locations, *nodes; /* the new numbers of each of the old */
};

static int64_t shift(const struct copy *c, int64_t time) {
    return time == REPORT_NEVER ? time : time + c->offset;
}

static bool in_window(const struct copy *c, int64_t time) {
    return c->query == NULL || report_query_holds(c->query, time);
}

static void map_names(struct copy *c) {
    const struct report_model *from = c->from;
    c->locations = report_alloc(from->location_count * sizeof *c->locations);
    c->nodes = report_alloc(from->node_count * sizeof *c->nodes);
    for (size_t i = 0; i < from->location_count; i++) {
        struct report_location l = from->locations[i];
        l.file = report_model_name(c->to, from->names[l.file]);
        l.function = report_model_name(c->to, from->names[l.function]);
        c->locations[i] = report_model_location(c->to, &l);
    }
    for (size_t i = 1; i < from->node_count; i++)
        c->nodes[i] = report_model_push(c->to, c->nodes[from->nodes[i].parent],
                                        c->locations[from->nodes[i].location]);
}

static void copy_samples(struct copy *c) {
    const struct report_model *from = c->from;
    for (size_t i = 0; i < from->sample_count; i++) {
        struct report_sample s = from->samples[i];
        if (c->query != NULL && !report_query_selects(c->query, &s)) {
            c->to->selected = true;
            continue;
        }
        s.node = c->nodes[s.node];
        s.born = shift(c, s.born);
        s.promoted = shift(c, s.promoted);
        s.died = shift(c, s.died);
        report_model_sample(c->to, &s);
    }
}

/* The counters go on where those of the run before ended. All are kept, of a selection too: they
 * scale its estimates. */
static void copy_counters(struct copy *c) {
    const struct report_model *from = c->from;
    struct report_counter base = {0};
    if (c->to->counter_count > 0) base = c->to->counters[c->to->counter_count - 1];
    for (size_t i = 0; i < from->counter_count; i++) {
        struct report_counter n = from->counters[i];
        n.time = shift(c, n.time);
        n.minor_words += base.minor_words;
        n.promoted_words += base.promoted_words;
        n.major_words += base.major_words;
        n.external_words += base.external_words;
        n.minor_collections += base.minor_collections;
        n.major_collections += base.major_collections;
        report_model_counter(c->to, &n);
    }
}

static void copy_events(struct copy *c) {
    const struct report_model *from = c->from;
    for (size_t i = 0; i < from->gc_event_count; i++) {
        struct report_gc_event e = from->gc_events[i];
        if (!in_window(c, e.start)) continue;
        e.start = shift(c, e.start);
        e.name = report_model_name(c->to, from->names[e.name]);
        report_model_gc_event(c->to, &e);
    }
    for (size_t i = 0; i < from->phase_count; i++) {
        struct report_phase p = from->phases[i];
        if (c->query != NULL && (p.end <= c->query->from || p.start >= c->query->to)) continue;
        p.start = shift(c, p.start);
        p.end = shift(c, p.end == REPORT_NEVER && c->offset > 0 ? from->end : p.end);
        p.name = report_model_name(c->to, from->names[p.name]);
        report_model_phase(c->to, &p);
    }
}

/* Adds what is selected of a profile to another. */
static void append(struct report_model *to, const struct report_model *from,
                   const struct report_query *query, int64_t offset) {
    struct copy c = {.to = to, .from = from, .query = query, .offset = offset};
    double hits = report_model_all_hits(to) + report_model_all_hits(from);
    if (from->selected) to->selected = true;
    map_names(&c);
    copy_samples(&c);
    to->all_hits = hits;
    copy_counters(&c);
    copy_events(&c);
    if (from->overhead >= 0) to->overhead = (to->overhead < 0 ? 0 : to->overhead) + from->overhead;
    to->lost_samples += from->lost_samples;
    for (size_t i = 0; i < from->site_count; i++)
        report_model_site(to, c.locations[i], &from->sites[i]);
    to->origin.finished = from->origin.finished;
    to->origin.how = from->origin.how;
    to->origin.status = from->origin.status;
    to->origin.finished_at = shift(&c, from->origin.finished_at);
    to->truncated = from->truncated;
    to->end = shift(&c, from->end);
    free(c.locations);
    free(c.nodes);
}

/* The first profile's description. */
static void describe(struct report_model *to, const struct report_model *from) {
    const struct report_origin *o = &from->origin;
    free(to->program);
    free(to->host);
    to->program = report_copy(from->program);
    to->host = report_copy(from->host);
    to->rate = from->rate;
    to->word_bytes = from->word_bytes;
    to->pid = from->pid;
    to->epoch_us = from->epoch_us;
    to->seed = from->seed;
    to->max_depth = from->max_depth;
    to->gc_traced = from->gc_traced;
    to->has_sites = from->has_sites;
    to->origin.own = o->own;
    if (!o->own) return;
    to->origin.arguments = report_alloc(o->argument_bytes + 1);
    memcpy(to->origin.arguments, o->arguments, o->argument_bytes);
    to->origin.argument_bytes = o->argument_bytes;
    to->origin.ocaml = report_copy(o->ocaml);
    to->origin.recorder = report_copy(o->recorder);
}

/* The whole new profile, in its format. */
static int write_model(const struct report_command *command, struct report_model *model, FILE *out,
                       struct report_error *error) {
    struct report_request request = {.model = model, .path = command->files[0]};
    report_model_finish(model);
    return model->origin.own ? report_write_own(model, request.path, out, error)
                             : report_export_memtrace(&request, out, error);
}

int report_write_trim(const struct report_command *command, FILE *out, struct report_error *error) {
    const struct report_model *from = command->request.model;
    struct report_query query;
    if (report_query_start(&query, from, &command->request.selection, REPORT_SHOW_ALLOC, error) !=
        0)
        return -1;
    struct report_model *m = report_model_create();
    describe(m, from);
    append(m, from, &query, 0);
    if (m->selected) m->has_sites = false;
    int status = write_model(command, m, out, error);
    report_model_free(m);
    report_query_end(&query);
    return status;
}

/* Adds the next profile to a merged one; *offset: when it starts, then when the next one does. */
static int merge_one(struct report_model *merged, const char *path, const struct report_model *m,
                     bool first, int64_t *offset, struct report_error *error) {
    if (first) describe(merged, m);
    if (m->rate != merged->rate || m->word_bytes != merged->word_bytes)
        return report_fail(error, path, "merge profiles that were recorded with the same --rate",
                           "its sampling rate %g is not the first one's %g", m->rate, merged->rate);
    /* Counters of some runs say nothing about the samples of others. */
    bool mixed = !first && (report_model_exact_words(m) > 0) != (merged->counter_count > 0);
    if (m->origin.own && !merged->origin.own) describe(merged, m);
    if (merged->selected && merged->all_hits == 0) mixed = true;
    append(merged, m, NULL, *offset);
    if (mixed) merged->selected = true;
    if (mixed) merged->all_hits = 0;
    merged->has_sites = merged->has_sites && m->has_sites;
    *offset += m->end + BETWEEN_RUNS_NS;
    return 0;
}

int report_write_merge(const struct report_command *command, FILE *out,
                       struct report_error *error) {
    struct report_model *merged = report_model_create();
    int status = 0;
    int64_t offset = 0;
    for (size_t i = 0; i < command->file_count && status == 0; i++) {
        struct report_model *m = report_load(command->files[i], error);
        if (m == NULL) status = -1;
        else status = merge_one(merged, command->files[i], m, i == 0, &offset, error);
        report_model_free(m);
    }
    if (status == 0) status = write_model(command, merged, out, error);
    report_model_free(merged);
    return status;
}

/* A new name for each that is used, in the order of use: "file1.ml". */
struct renaming {
    struct report_model *model;
    const char *format;
    size_t count;
    uint32_t *names;
};

static uint32_t rename_one(struct renaming *r, uint32_t name) {
    /* Of code without debugging information: says nothing, and stays recognisable as such. */
    if (name == 0 || strcmp(r->model->names[name], "_none_") == 0) return name;
    if (r->names[name] == 0) {
        char text[64];
        snprintf(text, sizeof text, r->format, ++r->count);
        r->names[name] = report_model_name(r->model, text);
    }
    return r->names[name];
}

static void rename_all(struct report_model *m) {
    struct renaming files = {m, "file%zu.ml", 0, NULL}, functions = {m, "function%zu", 0, NULL},
                    phases = {m, "phase%zu", 0, NULL};
    struct renaming *const all[] = {&files, &functions, &phases};
    size_t count = m->name_count;
    for (size_t i = 0; i < 3; i++) all[i]->names = report_alloc(count * sizeof(uint32_t));
    for (size_t i = 0; i < m->location_count; i++) {
        m->locations[i].file = rename_one(&files, m->locations[i].file);
        m->locations[i].function = rename_one(&functions, m->locations[i].function);
    }
    for (size_t i = 0; i < m->phase_count; i++)
        m->phases[i].name = rename_one(&phases, m->phases[i].name);
    for (size_t i = 0; i < 3; i++) free(all[i]->names);
}

/* Replaces each name by a number: what is equal stays equal, and nothing else can be told. */
int report_write_anonymous(const struct report_command *command, FILE *out,
                           struct report_error *error) {
    struct report_model *m = report_model_create();
    describe(m, command->request.model);
    append(m, command->request.model, NULL, 0);
    free(m->program);
    free(m->host);
    m->program = report_copy("anonymous");
    m->host = report_copy("");
    m->pid = 1;
    m->origin.argument_bytes = 0;
    rename_all(m);
    int status = write_model(command, m, out, error);
    report_model_free(m);
    return status;
}
