/* load.c - reads a profile of either format, recognised by its first bytes; Bactrian's own format
 * is read here, with memprof/format. */
#include "memprof/report/load/load.h"

#include "gc/assert.h"
#include "memprof/format/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPEN_PHASES = 1000 };

struct loader {
    struct mp_reader *reader;
    struct report_model *model;
    struct report_numbers locations, nodes; /* the model's numbers, by those of the file */
    struct mp_thread last_thread;           /* of the last sample, and its number */
    uint32_t last_thread_number;
    uint32_t open_phases[MAX_OPEN_PHASES];
    size_t open;
    bool has_fibers; /* their memory comes and goes between pauses, which MAXIMUM does not see */
    struct report_counter first; /* counted before the profile began */
    bool has_first;
};

uint32_t report_map_location(struct report_model *model, const struct mp_location *m) {
    struct report_location location = {.line = -1, .start = -1, .end = -1};
    location.file = report_model_name(model, m->file);
    location.function = report_model_name(model, m->definition);
    if (m->file[0] != 0 && m->line > 0) {
        location.line = m->line;
        location.start = m->start;
        if (m->end >= m->start) location.end = m->end; /* else unknown to the trace it was in */
    }
    return report_model_location(model, &location);
}

static void map_locations(struct loader *l) {
    size_t count = (size_t)mp_reader_location_count(l->reader) + 1;
    if (l->locations.count == 0) report_append(&l->locations, 0);
    while (l->locations.count < count) {
        const struct mp_location *m = mp_reader_location(l->reader, l->locations.count);
        report_append(&l->locations, report_map_location(l->model, m));
    }
}

/* The model's node of a stack of the file. */
static uint32_t map_stack(struct loader *l, uint32_t number) {
    if (number < l->nodes.count) return l->nodes.at[number];
    map_locations(l);
    size_t count = (size_t)mp_reader_stack_count(l->reader) + 1;
    if (l->nodes.count == 0) report_append(&l->nodes, 0);
    while (l->nodes.count < count) {
        const struct mp_stack_node *node = mp_reader_stack(l->reader, l->nodes.count);
        ASSERT(node->caller < l->nodes.count && node->location < l->locations.count);
        report_append(&l->nodes, report_model_push(l->model, l->nodes.at[node->caller],
                                                   l->locations.at[node->location]));
    }
    ASSERT(number < l->nodes.count);
    return l->nodes.at[number];
}

/* The model's number of a thread. */
static uint32_t map_thread(struct loader *l, struct mp_thread thread) {
    if (thread.domain != l->last_thread.domain || thread.number != l->last_thread.number) {
        l->last_thread = thread;
        l->last_thread_number = report_model_thread(l->model, thread);
    }
    return l->last_thread_number;
}

static enum report_source source_of(const struct mp_sample *from) {
    switch (from->source) {
    case MP_SOURCE_CUSTOM: return REPORT_EXTERNAL;
    case MP_SOURCE_FIBER: return REPORT_FIBER;
    default: return from->young ? REPORT_MINOR : REPORT_MAJOR;
    }
}

static void add_sample(struct loader *l, const struct mp_sample *from, int64_t time) {
    const uint64_t most = UINT32_MAX / from->weight, kept = from->samples;
    const uint32_t weight = (uint32_t)from->weight;
    const struct report_stored_sample stored = {.born = report_model_moment(l->model, time),
                                                .node = map_stack(l, from->stack)};
    const struct report_traits traits = {.wosize = from->words,
                                         .hits = (uint32_t)(kept < most ? kept : most) * weight,
                                         .weight = weight,
                                         .thread = map_thread(l, from->thread),
                                         .tag = from->tag,
                                         .source = source_of(from),
                                         .young = from->young};
    if (traits.source == REPORT_FIBER) l->has_fibers = true;
    report_model_store(l->model, stored, &traits);
}

/* A collection after the program's end is the recorder's: it is not a pause of the program, and
 * becomes one event. */
static void add_gc_span(struct loader *l, struct report_gc_event gc, uint64_t us) {
    bool is_pause = gc.kind == MP_GC_PAUSE || gc.kind == REPORT_GC_EXACT;
    if (l->model->origin.finished && !is_pause) return;
    gc.start = (int64_t)us * 1000 - gc.duration;
    if (gc.start < 0) gc.start = 0;
    if (l->model->origin.finished) gc.kind = REPORT_GC_LAST;
    report_append(&l->model->gc_events, gc);
}

static struct report_gc_event event_of_span(const struct mp_record_gc_span *span) {
    return (struct report_gc_event){
        .duration = span->duration_ns, .processor = -1, .words = span->words, .kind = span->phase};
}

static struct report_gc_event event_of_pause(const struct mp_record_pause *pause,
                                             enum mp_cause cause) {
    return (struct report_gc_event){.duration = pause->duration_ns,
                                    .processor = pause->processor_ns,
                                    .words = pause->words,
                                    .cause = cause,
                                    .kind = pause->owner == MP_PAUSE_RECORDER ? REPORT_GC_EXACT
                                                                              : MP_GC_PAUSE};
}

/* Markings do not overlap, whatever the file contains (PM7). */
static void add_marking(struct loader *l, const struct mp_event *event, int64_t time) {
    struct report_model *m = l->model;
    struct report_marking marking = {time - (int64_t)event->marking.duration * 1000, time,
                                     (double)event->marking.words};
    int64_t last_over = m->markings.count > 0 ? m->markings.at[m->markings.count - 1].over : 0;
    if (marking.began < last_over) marking.began = last_over;
    report_append(&m->markings, marking);
}

static void add_counters(struct loader *l, const struct mp_counters *now, int64_t time) {
    struct report_counter c = {
        .time = time,
#define TOTAL(name) .name = now->name,
#define LEVEL(name) .name = now->name,
#include "memprof/format/counters.def"
    };
    if (!l->has_first) l->first = c;
    l->has_first = true;
    report_counter_add(&c, &l->first, -1);
    report_append(&l->model->counters, c);
}

static void add_count(struct loader *l, const struct mp_record_count *from, int64_t time) {
    const char *name = mp_reader_string(l->reader, from->name);
    const struct report_count count = {time, report_model_name(l->model, name), from->more};
    report_append(&l->model->counts, count);
}

static void add_resident(struct loader *l, const struct mp_record_resident *from, int64_t time) {
    const struct report_resident resident = {time, (double)from->bytes};
    report_append(&l->model->residents, resident);
}

static void add_ticks(struct loader *l, const struct mp_record_ticks *from, int64_t time) {
    const struct report_ticks ticks = {time, map_stack(l, from->stack), from->running,
                                       from->collecting};
    report_append(&l->model->ticks, ticks);
}

static void add_site(struct loader *l, const struct mp_event *event) {
    const struct report_site more = {event->site.words, event->site.blocks};
    map_locations(l);
    ASSERT(event->site.location < l->locations.count);
    report_model_site(l->model, l->locations.at[event->site.location], &more);
}

const char *report_outcome_word(enum mp_outcome outcome) {
    static const char *const words[MP_OUTCOME_COUNT] = {"returned", "exited",
                                                        "ended by an uncaught exception", "killed",
                                                        "goes on without the recorder"};
    ASSERT(outcome < MP_OUTCOME_COUNT);
    return words[outcome];
}

static void set_outcome(struct report_model *model, const struct mp_event *event, int64_t time) {
    model->origin.finished = true;
    model->origin.finished_at = time;
    model->origin.how = event->finish.outcome;
    model->origin.status = event->finish.status;
    const char *format = event->finish.outcome == MP_KILLED     ? "%s by signal %u"
                         : event->finish.outcome == MP_DETACHED ? "%s"
                                                                : "%s, status %u";
    unsigned status = (unsigned)event->finish.status;
    report_replace(&model->outcome,
                   report_format(format, report_outcome_word(event->finish.outcome), status));
}

static void add_held(struct loader *l, uint64_t id, const struct mp_record_held *by) {
    struct report_model *m = l->model;
    map_locations(l);
    ASSERT(id < m->samples.count && by->place < l->locations.count);
    const struct report_holder holder = {
        .slot = by->slot,
        .name = report_model_name(m, mp_reader_string(l->reader, (uint32_t)by->name)),
        .location = l->locations.at[by->place],
        .kind = by->kind,
        .through = by->through != 0};
    report_model_hold(m, (uint32_t)id, report_model_holder(m, &holder));
}

static void set_settings(struct report_model *model, const struct mp_record_settings *settings) {
    const struct mp_text text = settings->parameters;
    model->live_exact = settings->live == 1;
    report_replace(
        &model->runtime_parameters,
        report_format("%.*s", (int)(text.length < 1000 ? text.length : 1000), text.bytes));
}

static void enter_phase(struct loader *l, uint32_t name, int64_t time) {
    struct report_model *model = l->model;
    struct report_phase phase = {time, REPORT_NEVER, 0};
    phase.name = report_model_name(model, mp_reader_string(l->reader, name));
    if (l->open < MAX_OPEN_PHASES) l->open_phases[l->open++] = model->phases.count;
    report_append(&model->phases, phase);
}

static void add_event(struct loader *l, const struct mp_event *event) {
    struct report_model *model = l->model;
    uint64_t us = event->time_us;
    int64_t time = us < INT64_MAX / 1000 ? (int64_t)us * 1000 : INT64_MAX - 1;
    if (time > model->end) model->end = time;
    switch (event->kind) {
    case MP_EVENT_SAMPLE: add_sample(l, &event->sample, time); break;
    case MP_EVENT_HELD: add_held(l, event->held.id, event->held.by); break;
    case MP_EVENT_PROMOTED:
        ASSERT(event->promoted.id < model->samples.count);
        model->samples.at[event->promoted.id].promoted = report_model_moment(model, time);
        break;
    case MP_EVENT_DIED:
        ASSERT(event->died.id < model->samples.count);
        model->samples.at[event->died.id].died = report_model_moment(model, time);
        if (event->died.generation == MP_DIED_HELD)
            report_model_held(model, (uint32_t)event->died.id);
        break;
    case MP_EVENT_SETTINGS: set_settings(model, &event->settings); break;
    case MP_EVENT_BEFORE: model->before_words = (double)event->before.words; break;
    case MP_EVENT_GC_SPAN: add_gc_span(l, event_of_span(&event->gc_span), us); break;
    case MP_EVENT_PAUSE: add_gc_span(l, event_of_pause(&event->pause, event->cause), us); break;
    case MP_EVENT_RESIDENT: add_resident(l, &event->resident, time); break;
    case MP_EVENT_TICKS: add_ticks(l, &event->ticks, time); break;
    case MP_EVENT_MARKING: add_marking(l, event, time); break;
    case MP_EVENT_MAXIMUM:
        *model->peak = time;
        model->most_words = (double)event->maximum.words;
        break;
    case MP_EVENT_PHASE_ENTER: enter_phase(l, event->phase.name, time); break;
    case MP_EVENT_PHASE_LEAVE:
        if (l->open > 0) model->phases.at[l->open_phases[--l->open]].end = time;
        break;
    case MP_EVENT_COUNT: add_count(l, &event->count, time); break;
    case MP_EVENT_COUNTERS: add_counters(l, &event->counters, time); break;
    case MP_EVENT_SITE: add_site(l, event); break;
    case MP_EVENT_SELECTION:
        model->selected = true;
        model->all_hits = event->selection.hits;
        break;
    case MP_EVENT_EXCESS: model->all_excess = (double)event->excess.hits; break;
    case MP_EVENT_OMITTED: report_omitted_add(&model->omitted, &event->omitted, us); break;
    case MP_EVENT_WRITTEN:
        report_replace(&model->snapshot, report_copy(event->written.path.bytes));
        break;
    case MP_EVENT_ROOT ... MP_EVENT_CONTENTS: break; /* of heap snapshots, which are refused */
    case MP_EVENT_FINISH: set_outcome(model, event, time); break;
    case MP_EVENT_COST:
        model->overhead_processor = event->cost.overhead_ns;
        model->processor = event->cost.process_ns;
        break;
    case MP_EVENT_END:
        model->overhead = event->end.overhead_ns;
        model->lost_samples = event->end.lost_samples;
        break;
    }
}

/* The arguments, separated by blanks. */
static char *join_arguments(const struct mp_text *arguments) {
    char *text = report_alloc(arguments->length + 1);
    memcpy(text, arguments->bytes, arguments->length);
    for (size_t i = 0; i + 1 < arguments->length; i++)
        if (text[i] == 0) text[i] = ' ';
    return text;
}

static void describe(struct report_model *model, const struct mp_record_start *start,
                     unsigned version) {
    report_replace(&model->format, report_format("bactrian v%u", version));
    report_replace(&model->program, report_copy(start->program.bytes));
    report_replace(&model->host, report_copy(start->host.bytes));
    report_replace(&model->context, join_arguments(&start->arguments));
    model->origin = (struct report_origin){
        .own = true,
        .arguments = report_alloc(start->arguments.length + 1),
        .argument_bytes = start->arguments.length,
        .ocaml = report_copy(start->ocaml.bytes),
        .recorder = report_copy(start->recorder.bytes),
    };
    memcpy(model->origin.arguments, start->arguments.bytes, start->arguments.length);
    model->has_sites = (start->flags & MP_EXACT_SITES) != 0;
    model->rate = start->rate;
    model->word_bytes = start->word_bits / 8;
    model->pid = start->pid;
    model->epoch_us = start->started_us;
    model->has_seed = true;
    model->seed = start->seed;
    model->max_depth = start->max_depth;
    model->gc_traced = (start->flags & MP_GC_TRACED) != 0;
}

static int refuse(const char *path, struct report_error *error, enum mp_read_status status,
                  const char *detail) {
    const char *advice = status == MP_READ_NEWER ? "read it with a newer bactrian"
                                                 : "`bactrian prof check` gives details";
    return report_fail(error, path, advice, "%s%s%s", mp_read_status_text(status),
                       detail[0] != 0 ? ", " : "", detail);
}

struct mp_reader *report_open_own(const char *path, const unsigned char *bytes, size_t length,
                                  struct report_error *error) {
    struct mp_read_error why;
    struct mp_reader *reader = mp_reader_of_bytes(bytes, length, &why);
    if (reader == NULL) {
        refuse(path, error, why.status, why.detail);
        return NULL;
    }
    if ((mp_reader_start(reader)->flags & MP_SNAPSHOT) == 0) return reader;
    report_fail(error, path, "read it with `bactrian prof heap`", "this is a heap snapshot");
    mp_reader_close(reader);
    return NULL;
}

int report_end_own(const char *path, const struct mp_reader *reader, bool *truncated,
                   struct report_error *error) {
    struct mp_coverage coverage;
    mp_reader_coverage(reader, &coverage);
    *truncated = coverage.status != MP_READ_WHOLE;
    if (coverage.status == MP_READ_DAMAGED || coverage.status >= MP_READ_EXPANDS)
        return refuse(path, error, coverage.status, coverage.detail);
    return 0;
}

struct report_model *report_load_own(const char *path, const unsigned char *bytes, size_t length,
                                     struct report_error *error) {
    struct mp_event event;
    struct loader l = {.reader = report_open_own(path, bytes, length, error)};
    if (l.reader == NULL) return NULL;
    l.model = report_model_create();
    describe(l.model, mp_reader_start(l.reader), mp_reader_version(l.reader));
    while (mp_reader_next(l.reader, &event)) add_event(&l, &event);
    if (report_end_own(path, l.reader, &l.model->truncated, error) != 0) {
        report_model_free(l.model);
        l.model = NULL;
    } else {
        if (l.has_fibers) *l.model->peak = -1;
        report_model_finish(l.model);
    }
    mp_reader_close(l.reader);
    report_free(l.locations.at, l.nodes.at);
    return l.model;
}

/* ---- Files. ---- */

static FILE *open_file(const char *path, struct report_error *error) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        report_fail(error, path, "check the name and the permissions of the file", "%s",
                    strerror(errno));
    return file;
}

unsigned char *report_read_stream(FILE *file, const char *path, size_t *length,
                                  struct report_error *error) {
    REPORT_VECTOR(unsigned char) bytes = {0};
    rewind(file);
    for (size_t got = 1; got > 0; bytes.count += got) {
        report_reserve(&bytes, bytes.count + (1 << 16));
        got = fread(bytes.at + bytes.count, 1, bytes.capacity - bytes.count, file);
    }
    int failed = ferror(file) ? errno : 0;
    bytes.at[bytes.count] = 0;
    *length = bytes.count;
    if (failed == 0) return bytes.at;
    report_fail(error, path, "give a profile, not a folder or a device", "%s", strerror(failed));
    free(bytes.at);
    return NULL;
}

unsigned char *report_read_file(const char *path, size_t *length, struct report_error *error) {
    FILE *file = open_file(path, error);
    if (file == NULL) return NULL;
    unsigned char *bytes = report_read_stream(file, path, length, error);
    fclose(file);
    return bytes;
}

struct report_model *report_load_bytes(const char *path, const unsigned char *bytes, size_t length,
                                       struct report_error *error) {
    struct report_model *model = NULL;
    if (length == 0) {
        report_fail(error, path, "record the program again", "the file is empty");
    } else if (report_ctf_recognises(bytes, length)) {
        model = report_ctf_read(bytes, length, NULL, NULL, error);
        snprintf(error->subject, sizeof error->subject, "%s", path);
    } else if (mp_reader_recognises(bytes, length)) {
        model = report_load_own(path, bytes, length, error);
    } else {
        report_fail(error, path, "give a file that `bactrian prof record` or memtrace has written",
                    "not a memory profile");
    }
    return model;
}

struct report_model *report_load(const char *path, struct report_error *error) {
    size_t length;
    unsigned char *bytes = report_read_file(path, &length, error);
    if (bytes == NULL) return NULL;
    struct report_model *model = report_load_bytes(path, bytes, length, error);
    free(bytes);
    return model;
}

bool report_is_snapshot(const char *path) {
    struct report_error ignored;
    struct mp_read_error why;
    size_t length;
    unsigned char *bytes = report_read_file(path, &length, &ignored);
    bool own = bytes != NULL && mp_reader_recognises(bytes, length);
    struct mp_reader *reader = own ? mp_reader_of_bytes(bytes, length, &why) : NULL;
    bool is = reader != NULL && (mp_reader_start(reader)->flags & MP_SNAPSHOT) != 0;
    if (reader != NULL) mp_reader_close(reader);
    free(bytes);
    return is;
}
