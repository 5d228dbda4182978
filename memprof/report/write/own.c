/* own.c - writes a model in Bactrian's own format.
 *
 * Events of samples (model/events.h) and a sorted list of all others are merged by time. Events at
 * the same moment are in an order that a reader accepts: a block is born before it is promoted, and
 * promoted before it dies. */
#include "gc/assert.h"
#include "memprof/format/writer.h"
#include "memprof/report/model/events.h"
#include "memprof/report/write/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order of one moment; events of samples come before AFTER_SAMPLES. */
enum what {
    COUNTER,
    PHASE,
    COUNT,
    RESIDENT,
    TICKS,
    MARKING,
    MAXIMUM,
    GC,
    OMITTED,
    FINISH,
    AFTER_SAMPLES = MARKING
};

struct moment {
    uint64_t us : 52, what : 4, leaves : 1;
    uint32_t index; /* of the counter, phase ... */
    uint32_t order; /* of equal moments */
};

struct output {
    const struct report_model *model;
    struct mp_writer *writer;
    REPORT_VECTOR(struct moment) moments;
    uint64_t us;                                     /* of the last record */
    uint32_t *strings, *locations, *nodes, *samples; /* the file's numbers; 0: not written yet */
    uint32_t string_count, location_count, node_count, sample_count;
    struct report_numbers chain; /* nodes of a stack that are not written yet, innermost first */
    uint32_t last_node, last_thread, weight;
    uint8_t cause; /* of pauses, as written last */
    int16_t *tags; /* 1 + the tag of each location that was written last */
    struct report_counter counter;
};

static uint64_t us_of(int64_t ns) { return ns < 0 ? 0 : (uint64_t)ns / 1000; }

/* ---- The list. ---- */

static void add(struct output *o, int64_t time, enum what what, size_t index, bool leaves) {
    if (time == REPORT_NEVER) return;
    report_append(&o->moments, (struct moment){.us = us_of(time),
                                               .what = what,
                                               .leaves = leaves,
                                               .index = index,
                                               .order = o->moments.count});
}

/* Phases nest; the model has them in the order of their starts. */
static void add_phases(struct output *o) {
    const struct report_model *m = o->model;
    size_t *open = report_alloc((m->phases.count + 1) * sizeof *open), depth = 0;
    for (size_t i = 0; i <= m->phases.count; i++) {
        int64_t start = i < m->phases.count ? m->phases.at[i].start : REPORT_NEVER;
        for (; depth > 0 && m->phases.at[open[depth - 1]].end <= start; depth--)
            add(o, m->phases.at[open[depth - 1]].end, PHASE, open[depth - 1], true);
        if (i == m->phases.count) break;
        add(o, start, PHASE, i, false);
        open[depth++] = i;
    }
    free(open);
}

REPORT_COMPARE(by_time, struct moment,
report_order(x->us, y->us) ?: report_order(x->what, y->what) ?:
           report_order(x->order, y->order))

static void list_everything(struct output *o) {
    const struct report_model *m = o->model;
    for (size_t i = 0; i < m->counters.count; i++)
        add(o, m->counters.at[i].time, COUNTER, i, false);
    add_phases(o);
    for (size_t i = 0; i < m->gc_events.count; i++)
        add(o, m->gc_events.at[i].start + m->gc_events.at[i].duration, GC, i, false);
    for (size_t i = 0; i < m->counts.count; i++) add(o, m->counts.at[i].time, COUNT, i, false);
    for (size_t i = 0; i < m->residents.count; i++)
        add(o, m->residents.at[i].time, RESIDENT, i, false);
    for (size_t i = 0; i < m->ticks.count; i++) add(o, m->ticks.at[i].time, TICKS, i, false);
    for (size_t i = 0; i < m->markings.count; i++)
        add(o, m->markings.at[i].over, MARKING, i, false);
    if (m->most_words > 0) add(o, report_peak_time(m), MAXIMUM, 0, false);
    const struct mp_record_omitted *omitted = &m->omitted;
    if (omitted->pauses + omitted->phases + omitted->markings > 0)
        add(o, (int64_t)omitted->elapsed * 1000, OMITTED, 0, false);
    if (m->origin.finished) add(o, m->origin.finished_at, FINISH, 0, false);
    report_sort(&o->moments, by_time);
}

/* ---- Names. ---- */

static uint64_t elapsed(struct output *o, uint64_t us) {
    ASSERT(us >= o->us);
    uint64_t since = us - o->us;
    o->us = us;
    return since;
}

static uint32_t string_of(struct output *o, uint32_t name) {
    const char *text = o->model->names.at[name];
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
    const struct report_location *l = &o->model->locations.at[number];
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
    const struct report_node *nodes = o->model->nodes.at;
    o->chain.count = 0;
    for (uint32_t at = node; at != 0 && o->nodes[at] == 0; at = nodes[at].parent)
        report_append(&o->chain, at);
    while (o->chain.count > 0) {
        uint64_t items[256], caller = o->nodes[nodes[o->chain.at[o->chain.count - 1]].parent];
        struct mp_record_stack record = {o->node_count + 1 - caller, {.items = items}};
        while (o->chain.count > 0 && record.locations.count < 256) {
            uint32_t at = o->chain.at[--o->chain.count];
            items[record.locations.count++] = location_of(o, nodes[at].location);
            o->nodes[at] = ++o->node_count;
        }
        mp_write_stack(o->writer, &record);
    }
    return o->nodes[node];
}

/* ---- Events. ---- */

static void write_holder(struct output *o, const struct report_holder *holder) {
    const uint64_t id = o->sample_count - 1;
    const struct mp_record_held record = {
        .kind = holder->kind,
        .through = holder->through,
        .name = string_of(o, holder->name),
        .place = holder->location == 0 ? 0 : location_of(o, holder->location),
        .slot = holder->slot,
        .samples = {.items = &id, .count = 1}};
    mp_write_held(o->writer, &record);
}

static void write_birth(struct output *o, uint64_t us, uint32_t index) {
    const struct report_sample of_index = report_sample_of(o->model, index), *s = &of_index;
    uint32_t node = node_of(o, s->node), location = o->model->nodes.at[s->node].location;
    if (s->node != 0 && s->tag >= 0 && o->tags[location] != s->tag + 1) {
        struct mp_record_block_tag tag = {o->locations[location], (uint8_t)s->tag};
        mp_write_block_tag(o->writer, &tag);
        o->tags[location] = s->tag + 1;
    }
    const struct mp_thread thread = o->model->threads.at[s->thread].id;
    const struct mp_record_thread switches = {thread.domain, thread.number};
    if (s->thread != o->last_thread) mp_write_thread(o->writer, &switches);
    o->last_thread = s->thread;
    o->samples[index] = ++o->sample_count;
    const struct mp_record_weight weight = {s->weight};
    if (s->weight != o->weight) mp_write_weight(o->writer, &weight);
    o->weight = s->weight;
    struct mp_record_sample record = {
        .elapsed = elapsed(o, us),
        .kind = (s->young ? MP_SAMPLE_YOUNG : 0) | (s->source == REPORT_EXTERNAL ? MP_SOURCE_CUSTOM
                                                    : s->source == REPORT_FIBER  ? MP_SOURCE_FIBER
                                                                                : MP_SOURCE_NORMAL),
        .words = s->wosize,
        .more = s->hits / s->weight - 1,
        .stack = (int64_t)node - (int64_t)o->last_node,
    };
    o->last_node = node;
    mp_write_any_sample(o->writer, &record);
    if (s->holder != 0) write_holder(o, &o->model->holders.at[s->holder]);
}

/* The generation in which a sample died. */
static int generation_of(const struct report_model *m, uint32_t index) {
    const struct report_stored_sample *s = &m->samples.at[index];
    const struct report_traits *traits = &m->traits.at[s->traits];
    if (traits->young && s->promoted == 0) return MP_DIED_MINOR;
    return traits->held ? MP_DIED_HELD : MP_DIED_MAJOR;
}

/* Writes promotions, or deaths, from the first on, as one record: those of its time and kind, and
 * of deaths in one generation. */
static void write_fates(struct output *o, struct report_events *events,
                        const struct report_event *first) {
    const struct report_model *m = o->model;
    static const size_t most = 1000;
    uint64_t ids[1000], us = us_of(m->moments.at[first->moment]);
    struct mp_list list = {.items = ids};
    struct report_event at = *first;
    int generation = generation_of(m, at.sample);
    for (;;) {
        ASSERT(o->samples[at.sample] > 0); /* it was born before */
        ids[list.count++] = o->samples[at.sample] - 1;
        if (list.count == most || !report_events_peek(events, &at) || at.kind != first->kind ||
            at.moment != first->moment ||
            (at.kind == REPORT_DEATH && generation_of(m, at.sample) != generation))
            break;
        report_events_next(events, &at);
    }
    struct mp_record_promotions promotions = {elapsed(o, us), list};
    struct mp_record_deaths deaths = {promotions.elapsed, (uint8_t)generation, list};
    if (first->kind == REPORT_PROMOTION) mp_write_promotions(o->writer, &promotions);
    else mp_write_deaths(o->writer, &deaths);
}

static void write_counter(struct output *o, uint64_t us, const struct report_counter *now) {
    struct mp_record_counters record = {
        .elapsed = elapsed(o, us),
#define TOTAL(name) .name = now->name - o->counter.name,
#define LEVEL(name) .name = now->name - o->counter.name,
#include "memprof/format/counters.def"
    };
    mp_write_counters(o->writer, &record);
    o->counter = *now;
}

/* The recorder's last collection is a pause after FINISH. The last collections of earlier
 * recordings in a merge would precede FINISH: they are omitted. */
static void write_gc(struct output *o, uint64_t us, const struct report_gc_event *e) {
    const struct report_origin *origin = &o->model->origin;
    bool last = e->kind == REPORT_GC_LAST, own = last || e->kind == REPORT_GC_EXACT;
    if (last && (!origin->finished || e->start + e->duration < origin->finished_at)) return;
    struct mp_record_gc_span span = {elapsed(o, us), own ? MP_GC_PAUSE : e->kind,
                                     (uint64_t)e->duration, e->words};
    struct mp_record_pause pause = {span.elapsed, own ? MP_PAUSE_RECORDER : MP_PAUSE_PROGRAM,
                                    span.duration_ns, (uint64_t)e->processor, span.words};
    const struct mp_record_cause cause = {e->cause};
    if (span.phase != MP_GC_PAUSE || e->processor < 0) {
        mp_write_gc_span(o->writer, &span);
        return;
    }
    if (e->cause != o->cause) mp_write_cause(o->writer, &cause);
    o->cause = e->cause;
    mp_write_pause(o->writer, &pause);
}

static void write_marking(struct output *o, uint64_t us, const struct report_marking *marking) {
    struct mp_record_marking record = {elapsed(o, us), us - us_of(marking->began), marking->words};
    mp_write_marking(o->writer, &record);
}

static void write_phase(struct output *o, const struct moment *at) {
    uint32_t name = string_of(o, o->model->phases.at[at->index].name);
    struct mp_record_phase_enter enter = {elapsed(o, at->us), name};
    struct mp_record_phase_leave leave = {enter.elapsed};
    if (at->leaves) mp_write_phase_leave(o->writer, &leave);
    else mp_write_phase_enter(o->writer, &enter);
}

static void write_count(struct output *o, uint64_t us, const struct report_count *count) {
    uint32_t name = string_of(o, count->name);
    struct mp_record_count record = {elapsed(o, us), name, count->more};
    mp_write_count(o->writer, &record);
}

static void write_ticks(struct output *o, uint64_t us, const struct report_ticks *ticks) {
    uint32_t node = node_of(o, ticks->node);
    struct mp_record_ticks record = {elapsed(o, us), ticks->running, ticks->collecting, node};
    mp_write_ticks(o->writer, &record);
}

static void write_moment(struct output *o, const struct moment *at) {
    const struct report_model *m = o->model;
    switch ((enum what)at->what) {
    case COUNTER: write_counter(o, at->us, &m->counters.at[at->index]); break;
    case GC: write_gc(o, at->us, &m->gc_events.at[at->index]); break;
    case MARKING: write_marking(o, at->us, &m->markings.at[at->index]); break;
    case RESIDENT: {
        struct mp_record_resident resident = {elapsed(o, at->us), m->residents.at[at->index].bytes};
        mp_write_resident(o->writer, &resident);
        break;
    }
    case TICKS: write_ticks(o, at->us, &m->ticks.at[at->index]); break;
    case MAXIMUM: {
        struct mp_record_maximum maximum = {elapsed(o, at->us), m->most_words};
        mp_write_maximum(o->writer, &maximum);
        break;
    }
    case OMITTED: {
        struct mp_record_omitted omitted = m->omitted;
        omitted.elapsed = elapsed(o, at->us);
        mp_write_omitted(o->writer, &omitted);
        break;
    }
    case PHASE: write_phase(o, at); break;
    case COUNT: write_count(o, at->us, &m->counts.at[at->index]); break;
    case FINISH: {
        struct mp_record_finish finish = {elapsed(o, at->us), m->origin.how, m->origin.status};
        mp_write_finish(o->writer, &finish);
    }
    }
}

static bool is_wanted(const void *context, const struct report_sample *sample) { return true; }

static void write_moments(struct output *o) {
    struct report_events events;
    struct report_event event;
    size_t next = 0;
    report_events_start(&events, o->model, is_wanted, NULL);
    for (bool more = true; more || next < o->moments.count;) {
        more = report_events_peek(&events, &event);
        uint64_t us = more ? us_of(o->model->moments.at[event.moment]) : UINT64_MAX;
        for (; next < o->moments.count; next++) {
            const struct moment *at = &o->moments.at[next];
            if (at->us > us || (at->us == us && at->what >= AFTER_SAMPLES)) break;
            write_moment(o, at);
        }
        if (!more) break;
        report_events_next(&events, &event);
        if (event.kind == REPORT_BIRTH) write_birth(o, us, event.sample);
        else write_fates(o, &events, &event);
    }
    report_events_end(&events);
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
        .program = mp_text_of(m->program),
        .arguments = {m->origin.arguments, m->origin.argument_bytes},
        .host = mp_text_of(m->host),
        .ocaml = mp_text_of(m->origin.ocaml),
        .recorder = mp_text_of(m->origin.recorder),
    };
    mp_write_start(o->writer, &start);
    struct mp_record_settings settings = {m->live_exact, mp_text_of(m->runtime_parameters)};
    if (m->live_exact || settings.parameters.length > 0) mp_write_settings(o->writer, &settings);
    struct mp_record_before before = {(uint64_t)m->before_words};
    if (before.words > 0) mp_write_before(o->writer, &before);
    struct mp_record_selection selection = {m->all_hits};
    struct mp_record_excess excess = {m->all_excess};
    if (m->selected) mp_write_selection(o->writer, &selection);
    if (m->selected && m->all_excess > 0) mp_write_excess(o->writer, &excess);
}

static void write_all(struct output *o) {
    const struct report_model *m = o->model;
    write_start(o);
    list_everything(o);
    write_moments(o);
    for (uint32_t i = 0; m->has_sites && i < m->sites.count; i++) {
        struct mp_record_site site = {i == 0 ? 0 : location_of(o, i), m->sites.at[i].words,
                                      m->sites.at[i].blocks};
        if (m->sites.at[i].blocks > 0) mp_write_site(o->writer, &site);
    }
    if (!m->truncated) {
        struct mp_record_end end = {us_of(m->end) > o->us ? us_of(m->end) - o->us : 0,
                                    m->overhead < 0 ? 0 : m->overhead, m->lost_samples};
        struct mp_record_cost cost = {(uint64_t)m->overhead_processor, (uint64_t)m->processor};
        if (m->processor >= 0) mp_write_cost(o->writer, &cost);
        mp_write_end(o->writer, &end);
    }
    mp_writer_flush(o->writer);
}

int report_write_own(const struct report_model *model, FILE *out, struct report_error *error) {
    struct output o = {.model = model, .weight = 1};
    const char *advice = "check the folder, its permissions and the space left";
    fflush(out);
    o.writer = mp_writer_create(fileno(out));
    if (o.writer == NULL) return report_fail(error, "", advice, "%s", strerror(errno));
    o.strings = report_alloc(model->names.count * sizeof *o.strings);
    o.locations = report_alloc(model->locations.count * sizeof *o.locations);
    o.nodes = report_alloc(model->nodes.count * sizeof *o.nodes);
    o.samples = report_alloc(model->samples.count * sizeof *o.samples);
    o.tags = report_alloc(model->locations.count * sizeof *o.tags);
    write_all(&o);
    int problem = mp_writer_problem(o.writer);
    mp_writer_free(o.writer);
    report_free(o.moments.at, o.strings, o.locations, o.nodes, o.samples, o.chain.at, o.tags);
    return problem == 0 ? 0 : report_fail(error, "", advice, "%s", strerror(problem));
}
