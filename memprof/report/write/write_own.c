/* write_own.c - writes a model as a profile of Bactrian's own format.
 *
 * All that happened becomes one list, sorted by time; what happens at one moment keeps an order in
 * which a reader can take it: a block is born before it is promoted, and promoted before it
 * dies. */
#include "memprof/report/write/write_own.h"

#include "memprof/format/writer.h"
#include "memprof/report/model/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum what { COUNTER, PHASE, BIRTH, PROMOTION, DEATH, GC, FINISH };

struct moment {
    uint64_t us : 52, what : 4, leaves : 1;
    uint32_t index; /* of the sample, the event ... */
    uint32_t order; /* of phases: as they were entered and left */
};

struct output {
    const struct report_model *model;
    struct mp_writer *writer;
    struct moment *moments;
    size_t count, capacity;
    uint32_t order;
    uint64_t us;                                     /* of the record before */
    uint32_t *strings, *locations, *nodes, *samples; /* the file's numbers; 0: not written yet */
    uint32_t string_count, location_count, node_count, sample_count;
    uint64_t *chain; /* the nodes of a stack that are to be written */
    size_t chain_capacity;
    uint32_t last_node;
    int16_t *tags; /* of each location, as written last */
    struct report_counter counter;
};

static uint64_t us_of(int64_t ns) { return ns < 0 ? 0 : (uint64_t)ns / 1000; }

/* ---- The list. ---- */

static void note(struct output *o, int64_t time, enum what what, size_t index, bool leaves) {
    if (time == REPORT_NEVER) return;
    report_grow(&o->moments, &o->capacity, o->count + 1, sizeof *o->moments);
    o->moments[o->count++] = (struct moment){
        .us = us_of(time), .what = what, .leaves = leaves, .index = index, .order = o->order++};
}

/* Phases are kept in the order in which they were entered; they nest. */
static void note_phases(struct output *o) {
    const struct report_model *m = o->model;
    size_t *open = report_alloc((m->phase_count + 1) * sizeof *open), depth = 0;
    for (size_t i = 0; i <= m->phase_count; i++) {
        int64_t start = i < m->phase_count ? m->phases[i].start : REPORT_NEVER;
        for (; depth > 0 && m->phases[open[depth - 1]].end <= start; depth--)
            note(o, m->phases[open[depth - 1]].end, PHASE, open[depth - 1], true);
        if (i == m->phase_count) break;
        note(o, start, PHASE, i, false);
        open[depth++] = i;
    }
    free(open);
}

static int by_time(const void *a, const void *b) {
    const struct moment *x = a, *y = b;
    if (x->us != y->us) return x->us < y->us ? -1 : 1;
    if (x->what != y->what) return x->what < y->what ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void list_everything(struct output *o) {
    const struct report_model *m = o->model;
    for (size_t i = 0; i < m->counter_count; i++) note(o, m->counters[i].time, COUNTER, i, false);
    note_phases(o);
    for (size_t i = 0; i < m->sample_count; i++) {
        note(o, m->samples[i].born, BIRTH, i, false);
        note(o, m->samples[i].promoted, PROMOTION, i, false);
        note(o, m->samples[i].died, DEATH, i, false);
    }
    for (size_t i = 0; i < m->gc_event_count; i++)
        note(o, m->gc_events[i].start + m->gc_events[i].duration, GC, i, false);
    if (m->origin.finished) note(o, m->origin.finished_at, FINISH, 0, false);
    if (o->count > 0) qsort(o->moments, o->count, sizeof *o->moments, by_time);
}

/* ---- Names. ---- */

static uint64_t elapsed(struct output *o, uint64_t us) {
    uint64_t since = us - o->us;
    o->us = us;
    return since;
}

static uint32_t string_of(struct output *o, uint32_t name) {
    const char *text = o->model->names[name];
    if (name == 0) return 0;
    if (o->strings[name] == 0) {
        struct mp_record_string record = {{text, strlen(text)}};
        mp_write_string(o->writer, &record);
        o->strings[name] = ++o->string_count;
    }
    return o->strings[name];
}

static uint64_t not_negative(int32_t n) { return n < 0 ? 0 : (uint64_t)n; }

static uint32_t location_of(struct output *o, uint32_t number) {
    const struct report_location *l = &o->model->locations[number];
    if (o->locations[number] == 0) {
        struct mp_record_location record = {
            .code = number,
            .file = string_of(o, l->file),
            .definition = string_of(o, l->function),
            .line = not_negative(l->line),
            .start = not_negative(l->start),
            .end = not_negative(l->end),
        };
        mp_write_location(o->writer, &record);
        o->locations[number] = ++o->location_count;
    }
    return o->locations[number];
}

static uint32_t node_of(struct output *o, uint32_t node) {
    const struct report_node *nodes = o->model->nodes;
    size_t n = 0;
    for (uint32_t at = node; at != 0 && o->nodes[at] == 0; at = nodes[at].parent) {
        report_grow(&o->chain, &o->chain_capacity, n + 1, sizeof *o->chain);
        o->chain[n++] = at;
    }
    while (n > 0) {
        uint64_t items[256], caller = o->nodes[nodes[o->chain[n - 1]].parent];
        struct mp_record_stack record = {o->node_count + 1 - caller, {.items = items}};
        while (n > 0 && record.locations.count < 256) {
            uint32_t at = o->chain[--n];
            items[record.locations.count++] = location_of(o, nodes[at].location);
            o->nodes[at] = ++o->node_count;
        }
        mp_write_stack(o->writer, &record);
    }
    return o->nodes[node];
}

/* ---- What happened. ---- */

static void write_birth(struct output *o, uint64_t us, uint32_t index) {
    const struct report_sample *s = &o->model->samples[index];
    uint32_t node = node_of(o, s->node), location = o->model->nodes[s->node].location;
    if (s->node != 0 && s->tag >= 0 && o->tags[location] != s->tag + 1) {
        struct mp_record_block_tag tag = {o->locations[location], (uint8_t)s->tag};
        mp_write_block_tag(o->writer, &tag);
        o->tags[location] = s->tag + 1;
    }
    int64_t stack = (int64_t)node - (int64_t)o->last_node;
    o->last_node = node;
    o->samples[index] = ++o->sample_count;
    if (s->source == REPORT_MINOR && s->young && s->hits == 1) {
        struct mp_record_small_sample small = {elapsed(o, us), s->wosize, stack};
        mp_write_small_sample(o->writer, &small);
        return;
    }
    struct mp_record_sample record = {
        .elapsed = elapsed(o, us),
        .kind = (s->young ? MP_SAMPLE_YOUNG : 0) |
                (s->source == REPORT_EXTERNAL ? MP_SOURCE_CUSTOM : MP_SOURCE_NORMAL),
        .words = s->wosize,
        .more = s->hits - 1,
        .stack = stack,
    };
    mp_write_sample(o->writer, &record);
}

/* Promotions, or deaths, of one moment and kind go into one list. Returns how many moments. */
static size_t write_fates(struct output *o, size_t first) {
    const struct report_model *m = o->model;
    const struct moment *from = &o->moments[first];
    static const size_t most = 1000;
    uint64_t ids[1000];
    struct mp_list list = {.items = ids};
    int generation = -1;
    for (size_t i = first; i < o->count && list.count < most; i++) {
        const struct moment *at = &o->moments[i];
        const struct report_sample *s = &m->samples[at->index];
        if (at->us != from->us || at->what != from->what) break;
        bool young = s->young && s->promoted == REPORT_NEVER;
        int own = young ? MP_DIED_MINOR : MP_DIED_MAJOR;
        if (generation >= 0 && from->what == DEATH && own != generation) break;
        generation = own;
        ids[list.count++] = o->samples[at->index] - 1;
    }
    struct mp_record_promotions promotions = {elapsed(o, from->us), list};
    struct mp_record_deaths deaths = {promotions.elapsed, (uint8_t)generation, list};
    if (from->what == PROMOTION) mp_write_promotions(o->writer, &promotions);
    else mp_write_deaths(o->writer, &deaths);
    return list.count;
}

static void write_counter(struct output *o, uint64_t us, const struct report_counter *now) {
    const struct report_counter *before = &o->counter;
    struct mp_record_counters record = {
        .elapsed = elapsed(o, us),
        .minor_words = now->minor_words - before->minor_words,
        .promoted_words = now->promoted_words - before->promoted_words,
        .major_words = now->major_words - before->major_words,
        .external_words = now->external_words - before->external_words,
        .minor_collections = now->minor_collections - before->minor_collections,
        .major_collections = now->major_collections - before->major_collections,
        .live_words = now->live_words - before->live_words,
        .heap_words = now->heap_words - before->heap_words,
    };
    mp_write_counters(o->writer, &record);
    o->counter = *now;
}

/* The collection that a recorder made at its end has no name in the file: it stands behind FINISH.
 * That of a recording with which others were merged would come before, and is left out. */
static void write_gc(struct output *o, uint64_t us, const struct report_gc_event *e) {
    const struct report_origin *origin = &o->model->origin;
    uint8_t phase = MP_GC_PHASE_COUNT;
    for (uint8_t i = 0; i < MP_GC_PHASE_COUNT; i++)
        if (strcmp(o->model->names[e->name], mp_gc_phase_name(i)) == 0) phase = i;
    if (phase == MP_GC_PHASE_COUNT) {
        if (!origin->finished || e->start + e->duration < origin->finished_at) return;
        phase = MP_GC_PAUSE;
    }
    struct mp_record_gc_span record = {elapsed(o, us), phase, (uint64_t)e->duration, e->words};
    mp_write_gc_span(o->writer, &record);
}

static void write_phase(struct output *o, const struct moment *at) {
    uint32_t name = string_of(o, o->model->phases[at->index].name);
    struct mp_record_phase_enter enter = {elapsed(o, at->us), name};
    struct mp_record_phase_leave leave = {enter.elapsed};
    if (at->leaves) mp_write_phase_leave(o->writer, &leave);
    else mp_write_phase_enter(o->writer, &enter);
}

static void write_moments(struct output *o) {
    const struct report_model *m = o->model;
    for (size_t i = 0; i < o->count;) {
        const struct moment *at = &o->moments[i++];
        switch ((enum what)at->what) {
        case BIRTH: write_birth(o, at->us, at->index); break;
        case PROMOTION:
        case DEATH: i += write_fates(o, i - 1) - 1; break;
        case COUNTER: write_counter(o, at->us, &m->counters[at->index]); break;
        case GC: write_gc(o, at->us, &m->gc_events[at->index]); break;
        case PHASE: write_phase(o, at); break;
        case FINISH: {
            struct mp_record_finish finish = {elapsed(o, at->us), m->origin.how, m->origin.status};
            mp_write_finish(o->writer, &finish);
        }
        }
    }
}

static struct mp_text text_of(const char *text) {
    return (struct mp_text){text, text == NULL ? 0 : strlen(text)};
}

static void write_start(struct output *o) {
    const struct report_model *m = o->model;
    struct mp_record_start start = {
        .word_bits = 64,
        .rate = m->rate,
        .seed = m->seed,
        .max_depth = m->max_depth,
        .pid = m->pid,
        .started_us = (uint64_t)m->epoch_us,
        .flags = (m->gc_traced ? MP_GC_TRACED : 0) | (m->has_sites ? MP_EXACT_SITES : 0),
        .program = text_of(m->program),
        .arguments = {m->origin.arguments, m->origin.argument_bytes},
        .host = text_of(m->host),
        .ocaml = text_of(m->origin.ocaml),
        .recorder = text_of(m->origin.recorder),
    };
    mp_write_start(o->writer, &start);
    struct mp_record_selection selection = {m->all_hits};
    if (m->selected) mp_write_selection(o->writer, &selection);
}

static void write_all(struct output *o) {
    const struct report_model *m = o->model;
    write_start(o);
    list_everything(o);
    write_moments(o);
    for (uint32_t i = 0; m->has_sites && i < m->site_count; i++) {
        struct mp_record_site site = {i == 0 ? 0 : location_of(o, i), m->sites[i].words,
                                      m->sites[i].blocks};
        if (m->sites[i].blocks > 0) mp_write_site(o->writer, &site);
    }
    if (!m->truncated) {
        struct mp_record_end end = {us_of(m->end) > o->us ? us_of(m->end) - o->us : 0,
                                    m->overhead < 0 ? 0 : m->overhead, m->lost_samples};
        mp_write_end(o->writer, &end);
    }
    mp_writer_flush(o->writer);
}

int report_write_own(const struct report_model *model, const char *path, FILE *out,
                     struct report_error *error) {
    struct output o = {.model = model};
    const char *advice = "check the folder, its rights and the space left";
    fflush(out);
    o.writer = mp_writer_create(fileno(out));
    if (o.writer == NULL) return report_fail(error, path, advice, "%s", strerror(errno));
    o.strings = report_alloc(model->name_count * sizeof *o.strings);
    o.locations = report_alloc(model->location_count * sizeof *o.locations);
    o.nodes = report_alloc(model->node_count * sizeof *o.nodes);
    o.samples = report_alloc(model->sample_count * sizeof *o.samples);
    o.tags = report_alloc(model->location_count * sizeof *o.tags);
    write_all(&o);
    int problem = mp_writer_problem(o.writer);
    mp_writer_free(o.writer);
    free(o.moments);
    free(o.strings);
    free(o.locations);
    free(o.nodes);
    free(o.samples);
    free(o.chain);
    free(o.tags);
    return problem == 0 ? 0 : report_fail(error, path, advice, "%s", strerror(problem));
}
