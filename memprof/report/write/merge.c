/* merge.c - writes several profiles as one, one after the other in time.
 *
 *   file --reader--> events --> new numbers, later times --> stream.c
 *
 * Events are written as they are read: in memory are one file's bytes, and what all of them define,
 * names, locations, call stacks, as a model without samples. A memtrace trace is first written in
 * Bactrian's format; if all files are traces, the result becomes one. */
#include "gc/assert.h"
#include "memprof/report/load/load.h"
#include "memprof/report/write/stream.h"
#include "memprof/report/write/write.h"

#include <errno.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_MOST = 1000, BETWEEN_RUNS_US = 1 };

/* A file, as it is known before its events are written. */
struct source {
    const char *path;
    FILE *copy; /* of a trace: the same in Bactrian's format; of a pipe: its content; else NULL */
};

/* The file that is being read. */
struct part {
    unsigned char *bytes;
    struct mp_reader *reader;
    bool last, describes; /* its start is that of the merged profile */
    uint64_t start_us, end_us, first_sample;
    struct report_numbers locations, nodes; /* the model's numbers, by those of the file */
    struct mp_counters first, at_start;     /* its first counters; those written before it */
    bool has_counters, finished, selected;
    double hits, excess;                   /* of its samples */
    double selected_hits, selected_excess; /* of the run of which they are a selection */
    unsigned open_phases;
    int64_t overhead, overhead_processor, processor; /* as in a model */
};

struct merge {
    struct report_model *model; /* names, locations, nodes, sites */
    struct report_stream stream;
    bool keeps_markings, keeps_sites;
    struct mp_counters counters; /* as written last */
    struct part part;
    struct {
        enum mp_event_kind kind;
        uint8_t generation;
        uint64_t us, ids[LIST_MOST];
        size_t count;
    } fates;                     /* promotions or deaths that are not written yet */
    bool selected, unknown_hits; /* of a part that is a selection */
    bool scaled, unscaled;       /* some part has counters, some has none */
    double hits, excess;
    int64_t overhead, overhead_processor, processor;
    uint64_t lost_samples;
    double rate;
    int word_bytes;
};

/* ---- Numbers. ---- */

static uint32_t location_of(struct merge *m, uint64_t location) {
    struct report_numbers *known = &m->part.locations;
    if (known->count == 0) report_append(known, 0);
    while (known->count <= location)
        report_append(
            known, report_map_location(m->model,
                                       mp_reader_location(m->part.reader, (uint32_t)known->count)));
    return known->at[location];
}

static uint32_t node_of(struct merge *m, uint64_t node) {
    struct report_numbers *known = &m->part.nodes;
    if (known->count == 0) report_append(known, 0);
    while (known->count <= node) {
        const struct mp_stack_node *n = mp_reader_stack(m->part.reader, (uint32_t)known->count);
        report_append(
            known, report_model_push(m->model, known->at[n->caller], location_of(m, n->location)));
    }
    return known->at[node];
}

static uint32_t name_of(struct merge *m, uint64_t string) {
    return report_model_name(m->model, mp_reader_string(m->part.reader, (uint32_t)string));
}

static uint32_t string_of(struct merge *m, uint64_t string) {
    return report_stream_string(&m->stream, name_of(m, string));
}

static uint64_t elapsed(struct merge *m, const struct mp_event *event) {
    return report_stream_elapsed(&m->stream, m->part.start_us + event->time_us);
}

/* ---- Samples. ---- */

static void flush_fates(struct merge *m) {
    const struct mp_list list = {.items = m->fates.ids, .count = m->fates.count};
    if (list.count == 0) return;
    if (m->fates.kind == MP_EVENT_PROMOTED) report_stream_promoted(&m->stream, m->fates.us, list);
    else report_stream_died(&m->stream, m->fates.us, m->fates.generation, list);
    m->fates.count = 0;
}

/* Promotions, or deaths, of one moment are one record. */
static void add_fate(struct merge *m, const struct mp_event *event) {
    const bool died = event->kind == MP_EVENT_DIED;
    const uint64_t us = m->part.start_us + event->time_us;
    const uint8_t generation = died ? (uint8_t)event->died.generation : 0;
    if (m->fates.count == LIST_MOST || m->fates.kind != event->kind || m->fates.us != us ||
        m->fates.generation != generation)
        flush_fates(m);
    m->fates.kind = event->kind;
    m->fates.generation = generation;
    m->fates.us = us;
    m->fates.ids[m->fates.count++] = m->part.first_sample +
                                     (died ? event->died.id : event->promoted.id);
}

static void add_sample(struct merge *m, const struct mp_event *event) {
    struct mp_sample sample = event->sample;
    sample.stack = node_of(m, sample.stack);
    if (sample.source != MP_SOURCE_FIBER) {
        const double hits = (double)sample.samples * (double)sample.weight;
        m->part.hits += hits;
        m->part.excess += hits * (double)(sample.weight - 1);
    }
    report_stream_sample(&m->stream, m->part.start_us + event->time_us, &sample);
}

static void add_holder(struct merge *m, const struct mp_event *event) {
    const struct mp_record_held *by = event->held.by;
    const struct report_holder holder = {.slot = by->slot,
                                         .name = name_of(m, by->name),
                                         .location = location_of(m, by->place),
                                         .kind = by->kind,
                                         .through = by->through != 0};
    report_stream_holder(&m->stream, m->part.first_sample + event->held.id, &holder);
}

/* ---- Other events. ---- */

/* Counters go on from those of the files before. */
static void add_counters(struct merge *m, const struct mp_event *event) {
    const struct mp_counters now = event->counters, last = m->counters;
    struct part *p = &m->part;
    if (!p->has_counters) {
        p->first = now;
        p->at_start = last;
    }
    p->has_counters = true;
#define TOTAL(name) m->counters.name = p->at_start.name + now.name - p->first.name;
#define LEVEL(name) m->counters.name = now.name;
#include "memprof/format/counters.def"
    const struct mp_record_counters record = {
        .elapsed = elapsed(m, event),
#define TOTAL(name) .name = m->counters.name - last.name,
#define LEVEL(name) .name = (int64_t)(m->counters.name - last.name),
#include "memprof/format/counters.def"
    };
    mp_write_counters(m->stream.writer, &record);
}

/* What the collector did after the end of a program belongs to the end of the profile. */
static void add_collection(struct merge *m, const struct mp_event *event) {
    if (m->part.finished && !m->part.last) return;
    if (event->kind == MP_EVENT_PAUSE) {
        report_stream_pause(&m->stream, m->part.start_us + event->time_us, event->pause,
                            event->cause);
        return;
    }
    struct mp_record_gc_span span = event->gc_span;
    span.elapsed = elapsed(m, event);
    mp_write_gc_span(m->stream.writer, &span);
}

static void leave_phase(struct merge *m, uint64_t us) {
    const struct mp_record_phase_leave leave = {report_stream_elapsed(&m->stream, us)};
    mp_write_phase_leave(m->stream.writer, &leave);
    m->part.open_phases--;
}

static void add_phase(struct merge *m, const struct mp_event *event) {
    if (event->kind == MP_EVENT_PHASE_LEAVE) {
        leave_phase(m, m->part.start_us + event->time_us);
        return;
    }
    const uint32_t name = string_of(m, event->phase.name);
    const struct mp_record_phase_enter enter = {elapsed(m, event), name};
    mp_write_phase_enter(m->stream.writer, &enter);
    m->part.open_phases++;
}

/* Writes a record of which only the time changes. */
#define COPY(m, kind, event)                             \
    do {                                                 \
        struct mp_record_##kind record_ = (event)->kind; \
        record_.elapsed = elapsed(m, event);             \
        mp_write_##kind((m)->stream.writer, &record_);   \
    } while (0)

static void add_ticks(struct merge *m, const struct mp_event *event) {
    struct mp_record_ticks ticks = event->ticks;
    ticks.stack = report_stream_node(&m->stream, node_of(m, ticks.stack));
    ticks.elapsed = elapsed(m, event);
    mp_write_ticks(m->stream.writer, &ticks);
}

static void add_count(struct merge *m, const struct mp_event *event) {
    struct mp_record_count count = event->count;
    count.name = string_of(m, count.name);
    count.elapsed = elapsed(m, event);
    mp_write_count(m->stream.writer, &count);
}

static void add_site(struct merge *m, const struct mp_event *event) {
    const struct report_site more = {(double)event->site.words, (double)event->site.blocks};
    if (m->keeps_sites) report_model_site(m->model, location_of(m, event->site.location), &more);
}

static void add_finish(struct merge *m, const struct mp_event *event) {
    m->part.finished = true;
    if (m->part.last) COPY(m, finish, event);
}

static void add_event(struct merge *m, const struct mp_event *event) {
    struct part *p = &m->part;
    if (event->kind == MP_EVENT_PROMOTED || event->kind == MP_EVENT_DIED) {
        add_fate(m, event);
        return;
    }
    flush_fates(m);
    switch (event->kind) {
    case MP_EVENT_SAMPLE: add_sample(m, event); break;
    case MP_EVENT_HELD: add_holder(m, event); break;
    case MP_EVENT_COUNTERS: add_counters(m, event); break;
    case MP_EVENT_GC_SPAN:
    case MP_EVENT_PAUSE: add_collection(m, event); break;
    case MP_EVENT_PHASE_ENTER:
    case MP_EVENT_PHASE_LEAVE: add_phase(m, event); break;
    case MP_EVENT_TICKS: add_ticks(m, event); break;
    case MP_EVENT_COUNT: add_count(m, event); break;
    case MP_EVENT_RESIDENT: COPY(m, resident, event); break;
    case MP_EVENT_OMITTED: COPY(m, omitted, event); break;
    case MP_EVENT_MARKING:
        if (m->keeps_markings) COPY(m, marking, event);
        break;
    case MP_EVENT_SITE: add_site(m, event); break;
    case MP_EVENT_FINISH: add_finish(m, event); break;
    case MP_EVENT_SETTINGS:
        if (p->describes) mp_write_settings(m->stream.writer, &event->settings);
        break;
    case MP_EVENT_BEFORE:
        if (p->describes) mp_write_before(m->stream.writer, &event->before);
        break;
    case MP_EVENT_SELECTION:
        p->selected = true;
        p->selected_hits = (double)event->selection.hits;
        break;
    case MP_EVENT_EXCESS: p->selected_excess = (double)event->excess.hits; break;
    case MP_EVENT_COST:
        p->overhead_processor = (int64_t)event->cost.overhead_ns;
        p->processor = (int64_t)event->cost.process_ns;
        break;
    case MP_EVENT_END:
        p->overhead = (int64_t)event->end.overhead_ns;
        m->lost_samples += event->end.lost_samples;
        break;
    default: break; /* the maximum of one run, its snapshot; records of snapshots */
    }
}

/* ---- Files. ---- */

static unsigned char *read_source(const struct source *source, size_t *length,
                                  struct report_error *error) {
    return source->copy != NULL ? report_read_stream(source->copy, source->path, length, error)
                                : report_read_file(source->path, length, error);
}

static int open_part(struct merge *m, const struct source *source, struct report_error *error) {
    size_t length;
    m->part = (struct part){.overhead = -1, .overhead_processor = -1, .processor = -1};
    m->part.bytes = read_source(source, &length, error);
    if (m->part.bytes == NULL) return -1;
    m->part.reader = report_open_own(source->path, m->part.bytes, length, error);
    if (m->part.reader != NULL) return 0;
    free(m->part.bytes);
    return -1;
}

static void close_part(struct merge *m) {
    mp_reader_close(m->part.reader);
    report_free(m->part.bytes, m->part.locations.at, m->part.nodes.at);
}

/* Adds two times; -1 is unknown. */
static void add_time(int64_t *to, int64_t more) {
    if (more >= 0) *to = (*to < 0 ? 0 : *to) + more;
}

/* Exact counts of all allocated words of the part. */
static bool has_exact_words(const struct part *p, const struct mp_counters *now) {
    return p->has_counters && now->minor_words - p->at_start.minor_words + now->major_words -
                                      p->at_start.major_words + now->external_words -
                                      p->at_start.external_words >
                                  now->promoted_words - p->at_start.promoted_words;
}

static void sum_part(struct merge *m) {
    const struct part *p = &m->part;
    m->selected |= p->selected;
    m->unknown_hits |= p->selected && p->selected_hits == 0;
    m->hits += p->selected ? p->selected_hits : p->hits;
    m->excess += p->selected ? p->selected_excess : p->excess;
    if (has_exact_words(p, &m->counters)) m->scaled = true;
    else m->unscaled = true;
    add_time(&m->overhead, p->overhead);
    add_time(&m->overhead_processor, p->overhead_processor);
    add_time(&m->processor, p->processor);
}

/* Counters of some of the runs do not scale the samples of the others. */
static void write_end(struct merge *m, bool truncated) {
    const bool mixed = m->scaled && m->unscaled, unknown = mixed || m->unknown_hits;
    if (m->selected || mixed)
        report_stream_selection(&m->stream, unknown ? 0 : m->hits, unknown ? 0 : m->excess);
    if (m->keeps_sites) report_stream_sites(&m->stream);
    if (truncated) return;
    const struct mp_record_cost cost = {(uint64_t)m->overhead_processor, (uint64_t)m->processor};
    const struct mp_record_end end = {
        report_stream_elapsed(&m->stream, m->part.start_us + m->part.end_us),
        m->overhead < 0 ? 0 : (uint64_t)m->overhead, m->lost_samples};
    if (m->processor >= 0) mp_write_cost(m->stream.writer, &cost);
    mp_write_end(m->stream.writer, &end);
}

/* Writes the events of a file. *start_us: of the merged profile's time; becomes that of the next
 * file. */
static int merge_part(struct merge *m, const struct source *source, bool describes, bool last,
                      uint64_t *start_us, struct report_error *error) {
    struct mp_event event;
    bool truncated;
    if (open_part(m, source, error) != 0) return -1;
    struct part *p = &m->part;
    p->start_us = *start_us;
    p->first_sample = m->stream.sample_count;
    p->describes = describes;
    p->last = last;
    while (mp_reader_next(p->reader, &event)) {
        p->end_us = event.time_us;
        add_event(m, &event);
    }
    flush_fates(m);
    while (!last && p->open_phases > 0) leave_phase(m, p->start_us + p->end_us);
    sum_part(m);
    const int status = report_end_own(source->path, p->reader, &truncated, error);
    if (status == 0 && last) write_end(m, truncated);
    *start_us += p->end_us + BETWEEN_RUNS_US;
    close_part(m);
    return status;
}

/* ---- The whole. ---- */

static FILE *make_temporary(struct report_error *error) {
    FILE *file = tmpfile();
    if (file == NULL)
        report_fail(error, "merge", "check the space in the folder that TMPDIR names",
                    "a temporary file cannot be made: %s", strerror(errno));
    return file;
}

/* Compares the recordings' settings with the first one's. */
static int check_settings(struct merge *m, const struct source *source, double rate, int word_bytes,
                          struct report_error *error) {
    if (m->rate == 0) {
        m->rate = rate;
        m->word_bytes = word_bytes;
    }
    if (m->rate == rate && m->word_bytes == word_bytes) return 0;
    return report_fail(error, source->path,
                       "merge profiles that were recorded with the same --rate",
                       "its sampling rate is %g, that of the first is %g", rate, m->rate);
}

/* Writes a trace in Bactrian's format. */
static int convert(struct merge *m, struct source *source, const unsigned char *bytes,
                   size_t length, struct report_error *error) {
    struct report_model *model = report_load_bytes(source->path, bytes, length, error);
    if (model == NULL) return -1;
    int status = check_settings(m, source, model->rate, model->word_bytes, error);
    if (status == 0 && (source->copy = make_temporary(error)) == NULL) status = -1;
    if (status == 0) status = report_write_own(model, source->copy, error);
    report_model_free(model);
    m->keeps_markings = m->keeps_sites = false;
    return status;
}

/* Files are read twice; what is no file is copied. */
static int copy_pipe(struct source *source, const unsigned char *bytes, size_t length,
                     struct report_error *error) {
    struct stat status;
    if (stat(source->path, &status) == 0 && S_ISREG(status.st_mode)) return 0;
    if ((source->copy = make_temporary(error)) == NULL) return -1;
    if (fwrite(bytes, 1, length, source->copy) == length && fflush(source->copy) == 0) return 0;
    return report_fail(error, source->path, "check the space in the folder that TMPDIR names",
                       "a copy cannot be written: %s", strerror(errno));
}

/* What has to be known before the first event is written. */
static int survey(struct merge *m, const struct source *source, struct report_error *error) {
    struct mp_event event;
    bool marked = false, truncated;
    if (open_part(m, source, error) != 0) return -1;
    const struct mp_record_start *start = mp_reader_start(m->part.reader);
    int status = check_settings(m, source, start->rate, start->word_bits / 8, error);
    m->keeps_sites = m->keeps_sites && (start->flags & MP_EXACT_SITES) != 0;
    while (status == 0 && m->keeps_markings && !marked && mp_reader_next(m->part.reader, &event))
        marked = event.kind == MP_EVENT_MARKING;
    if (status == 0 && m->keeps_markings && !marked)
        status = report_end_own(source->path, m->part.reader, &truncated, error);
    m->keeps_markings = m->keeps_markings && marked;
    close_part(m);
    return status;
}

/* Surveys all files. *describing: the one whose start is the merged profile's, the first that is no
 * trace if there is one. */
static int survey_all(struct merge *m, struct source *sources, size_t count, size_t *describing,
                      bool *traces, struct report_error *error) {
    m->keeps_markings = m->keeps_sites = *traces = true;
    *describing = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        unsigned char *bytes = report_read_file(sources[i].path, &length, error);
        if (bytes == NULL) return -1;
        const bool own = mp_reader_recognises(bytes, length);
        int status = own ? copy_pipe(&sources[i], bytes, length, error)
                         : convert(m, &sources[i], bytes, length, error);
        free(bytes);
        if (status == 0 && own) status = survey(m, &sources[i], error);
        if (status != 0) return -1;
        if (own && *traces) *describing = i;
        if (own) *traces = false;
    }
    return 0;
}

static int write_start(struct merge *m, const struct source *source, struct report_error *error) {
    if (open_part(m, source, error) != 0) return -1;
    struct mp_record_start start = *mp_reader_start(m->part.reader);
    if (!m->keeps_sites) start.flags &= ~(uint64_t)MP_EXACT_SITES;
    mp_write_start(m->stream.writer, &start);
    close_part(m);
    return 0;
}

/* Writes the merged profile in Bactrian's format. */
static int merge_all(struct merge *m, const struct source *sources, size_t count, size_t describing,
                     FILE *out, struct report_error *error) {
    uint64_t start_us = 0;
    if (report_stream_start(&m->stream, m->model, out, error) != 0) return -1;
    int status = write_start(m, &sources[describing], error);
    for (size_t i = 0; i < count && status == 0; i++)
        status = merge_part(m, &sources[i], i == describing, i + 1 == count, &start_us, error);
    return report_stream_end(&m->stream, error) != 0 ? -1 : status;
}

/* The same, as a trace. */
static int merge_traces(struct merge *m, const struct source *sources, size_t count, FILE *out,
                        struct report_error *error) {
    FILE *file = make_temporary(error);
    size_t length;
    if (file == NULL) return -1;
    int status = merge_all(m, sources, count, 0, file, error);
    unsigned char *bytes = status == 0 ? report_read_stream(file, sources[0].path, &length, error)
                                       : NULL;
    struct report_model *model = bytes == NULL
                                     ? NULL
                                     : report_load_own(sources[0].path, bytes, length, error);
    struct report_request request = {.model = model, .path = sources[0].path, .error = error};
    status = -1;
    if (model != NULL) {
        model->word_bytes = m->word_bytes;
        status = report_write_memtrace(&request, out);
    }
    report_model_free(model);
    free(bytes);
    fclose(file);
    return status;
}

int report_write_merge(const struct report_request *request, FILE *out) {
    const size_t count = request->file_count;
    struct source *sources = report_alloc(count * sizeof *sources);
    struct merge *m = report_alloc(sizeof *m);
    size_t describing;
    bool traces;
    m->model = report_model_create();
    m->overhead = m->overhead_processor = m->processor = -1;
    for (size_t i = 0; i < count; i++) sources[i].path = request->files[i];
    int status = survey_all(m, sources, count, &describing, &traces, request->error);
    if (status == 0)
        status = traces ? merge_traces(m, sources, count, out, request->error)
                        : merge_all(m, sources, count, describing, out, request->error);
    for (size_t i = 0; i < count; i++)
        if (sources[i].copy != NULL) fclose(sources[i].copy);
    report_model_free(m->model);
    report_free(sources, m);
    return status;
}
