/* own.c - writes a model in Bactrian's own format.
 *
 * Events of samples (model/events.h) and a sorted list of all others are merged by time. Events at
 * the same moment are in an order that a reader accepts: a block is born before it is promoted, and
 * promoted before it dies. */
#include "gc/assert.h"
#include "memprof/report/model/events.h"
#include "memprof/report/write/stream.h"
#include "memprof/report/write/write.h"

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
    struct report_stream stream;
    REPORT_VECTOR(struct moment) moments;
    uint32_t *samples; /* the file's numbers; 0: not written yet */
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

static uint64_t elapsed(struct output *o, uint64_t us) {
    return report_stream_elapsed(&o->stream, us);
}

/* ---- Events. ---- */

static enum mp_source source_of(enum report_source source) {
    switch (source) {
    case REPORT_EXTERNAL: return MP_SOURCE_CUSTOM;
    case REPORT_FIBER: return MP_SOURCE_FIBER;
    default: return MP_SOURCE_NORMAL;
    }
}

static void write_birth(struct output *o, uint64_t us, uint32_t index) {
    const struct report_model *m = o->model;
    const struct report_sample of_index = report_sample_of(m, index), *s = &of_index;
    const struct mp_sample sample = {.words = s->wosize,
                                     .samples = s->hits / s->weight,
                                     .weight = s->weight,
                                     .stack = s->node,
                                     .source = source_of(s->source),
                                     .young = s->young,
                                     .tag = s->tag,
                                     .thread = m->threads.at[s->thread].id};
    report_stream_sample(&o->stream, us, &sample);
    o->samples[index] = (uint32_t)o->stream.sample_count;
    if (s->holder != 0)
        report_stream_holder(&o->stream, o->stream.sample_count - 1, &m->holders.at[s->holder]);
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
    if (first->kind == REPORT_PROMOTION) report_stream_promoted(&o->stream, us, list);
    else report_stream_died(&o->stream, us, (uint8_t)generation, list);
}

static void write_counter(struct output *o, uint64_t us, const struct report_counter *now) {
    struct mp_record_counters record = {
        .elapsed = elapsed(o, us),
#define TOTAL(name) .name = now->name - o->counter.name,
#define LEVEL(name) .name = now->name - o->counter.name,
#include "memprof/format/counters.def"
    };
    mp_write_counters(o->stream.writer, &record);
    o->counter = *now;
}

/* The recorder's last collection is a pause after FINISH. The last collections of earlier
 * recordings in a merge would precede FINISH: they are omitted. */
static void write_gc(struct output *o, uint64_t us, const struct report_gc_event *e) {
    const struct report_origin *origin = &o->model->origin;
    bool last = e->kind == REPORT_GC_LAST, own = last || e->kind == REPORT_GC_EXACT;
    if (last && (!origin->finished || e->start + e->duration < origin->finished_at)) return;
    const uint8_t kind = own ? MP_GC_PAUSE : e->kind;
    if (kind == MP_GC_PAUSE && e->processor >= 0) {
        const struct mp_record_pause pause = {.owner = own ? MP_PAUSE_RECORDER : MP_PAUSE_PROGRAM,
                                              .duration_ns = (uint64_t)e->duration,
                                              .processor_ns = (uint64_t)e->processor,
                                              .words = e->words};
        report_stream_pause(&o->stream, us, pause, e->cause);
        return;
    }
    const struct mp_record_gc_span span = {elapsed(o, us), kind, (uint64_t)e->duration, e->words};
    mp_write_gc_span(o->stream.writer, &span);
}

static void write_marking(struct output *o, uint64_t us, const struct report_marking *marking) {
    struct mp_record_marking record = {elapsed(o, us), us - us_of(marking->began), marking->words};
    mp_write_marking(o->stream.writer, &record);
}

static void write_phase(struct output *o, const struct moment *at) {
    uint32_t name = report_stream_string(&o->stream, o->model->phases.at[at->index].name);
    struct mp_record_phase_enter enter = {elapsed(o, at->us), name};
    struct mp_record_phase_leave leave = {enter.elapsed};
    if (at->leaves) mp_write_phase_leave(o->stream.writer, &leave);
    else mp_write_phase_enter(o->stream.writer, &enter);
}

static void write_count(struct output *o, uint64_t us, const struct report_count *count) {
    uint32_t name = report_stream_string(&o->stream, count->name);
    struct mp_record_count record = {elapsed(o, us), name, count->more};
    mp_write_count(o->stream.writer, &record);
}

static void write_ticks(struct output *o, uint64_t us, const struct report_ticks *ticks) {
    uint32_t node = report_stream_node(&o->stream, ticks->node);
    struct mp_record_ticks record = {elapsed(o, us), ticks->running, ticks->collecting, node};
    mp_write_ticks(o->stream.writer, &record);
}

static void write_moment(struct output *o, const struct moment *at) {
    const struct report_model *m = o->model;
    switch ((enum what)at->what) {
    case COUNTER: write_counter(o, at->us, &m->counters.at[at->index]); break;
    case GC: write_gc(o, at->us, &m->gc_events.at[at->index]); break;
    case MARKING: write_marking(o, at->us, &m->markings.at[at->index]); break;
    case RESIDENT: {
        struct mp_record_resident resident = {elapsed(o, at->us), m->residents.at[at->index].bytes};
        mp_write_resident(o->stream.writer, &resident);
        break;
    }
    case TICKS: write_ticks(o, at->us, &m->ticks.at[at->index]); break;
    case MAXIMUM: {
        struct mp_record_maximum maximum = {elapsed(o, at->us), m->most_words};
        mp_write_maximum(o->stream.writer, &maximum);
        break;
    }
    case OMITTED: {
        struct mp_record_omitted omitted = m->omitted;
        omitted.elapsed = elapsed(o, at->us);
        mp_write_omitted(o->stream.writer, &omitted);
        break;
    }
    case PHASE: write_phase(o, at); break;
    case COUNT: write_count(o, at->us, &m->counts.at[at->index]); break;
    case FINISH: {
        struct mp_record_finish finish = {elapsed(o, at->us), m->origin.how, m->origin.status};
        mp_write_finish(o->stream.writer, &finish);
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
    mp_write_start(o->stream.writer, &start);
    struct mp_record_settings settings = {m->live_exact, mp_text_of(m->runtime_parameters)};
    if (m->live_exact || settings.parameters.length > 0)
        mp_write_settings(o->stream.writer, &settings);
    struct mp_record_before before = {(uint64_t)m->before_words};
    if (before.words > 0) mp_write_before(o->stream.writer, &before);
    if (m->selected) report_stream_selection(&o->stream, m->all_hits, m->all_excess);
}

static void write_all(struct output *o) {
    const struct report_model *m = o->model;
    write_start(o);
    list_everything(o);
    write_moments(o);
    if (m->has_sites) report_stream_sites(&o->stream);
    if (!m->truncated) {
        struct mp_record_end end = {us_of(m->end) > o->stream.us ? us_of(m->end) - o->stream.us : 0,
                                    m->overhead < 0 ? 0 : m->overhead, m->lost_samples};
        struct mp_record_cost cost = {(uint64_t)m->overhead_processor, (uint64_t)m->processor};
        if (m->processor >= 0) mp_write_cost(o->stream.writer, &cost);
        mp_write_end(o->stream.writer, &end);
    }
}

int report_write_own(const struct report_model *model, FILE *out, struct report_error *error) {
    struct output o = {.model = model};
    if (report_stream_start(&o.stream, model, out, error) != 0) return -1;
    o.samples = report_alloc(model->samples.count * sizeof *o.samples);
    write_all(&o);
    report_free(o.moments.at, o.samples);
    return report_stream_end(&o.stream, error);
}
